"""What a reader tells of a kept run: all that is known of it, its contents up to an instant, and what is damaged."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from engine.errors import ConfigError, Problem
from engine.run.run_file import FILE
from engine.run.run_reader import KeptRun
from engine.run.run_writer import RunWriter
from tests.engine.run.test_run_lines import ACT, FAULT, SCENE, START_MS, Figures, drain
from tests.engine.run.test_run_reader import lines, sealed, write


def keep(root: Path, *, ends: bool = True) -> None:
    """A run with records at six instants, one of them an act, and two samples."""
    with RunWriter(root, "one", SCENE, created="today", parent="zero", branched_ms=START_MS + 1) as keeper:
        keeper.history = figures = Figures()
        drain(keeper, 0, 5_000)
        keeper.records(START_MS + 6_000, [ACT, FAULT])
        figures.now = {"a": 1, "b": 5}
        drain(keeper, 10_000, 11_000)
        figures.now = {"a": 2, "b": 5}
        drain(keeper, 20_000)
        if ends:
            keeper.finish(START_MS + 25_000)


def journal_hash(bodies: Sequence[bytes]) -> str:
    return sha256(b"".join(body + b"\n" for body in bodies)).hexdigest()


def journal(root: Path) -> list[bytes]:
    """The journal's lines in a run's file, without their seals."""
    return [line[:-18] for line in lines(root) if line.startswith(b"[")]


@pytest.mark.parametrize(("until_ms", "count"), [(-1, 0), (0, 1), (5_999, 2), (6_000, 4), (10_000, 5), (20_000, 7)])
def test_a_journal_is_read_up_to_an_instant(tmp_path: Path, until_ms: int, count: int) -> None:
    """That instant included, line by line as it was written; so is its hash."""
    keep(tmp_path)
    with KeptRun(tmp_path, "one") as run:
        assert list(run.journal(START_MS + until_ms)) == [body + b"\n" for body in journal(tmp_path)[:count]]
        assert run.hash_until(START_MS + until_ms) == journal_hash(journal(tmp_path)[:count])


def problem(error: pytest.ExceptionInfo[ConfigError]) -> Problem:
    (one,) = error.value.problems
    return one


def test_damage_is_told_with_how_far_the_run_is_good(tmp_path: Path) -> None:
    keep(tmp_path)
    good = lines(tmp_path)
    write(tmp_path, [*good[:4], b"x" + good[4][1:], *good[5:]])
    with pytest.raises(ConfigError) as error:
        KeptRun(tmp_path, "one")
    hint = "`schedlab runs repair one` keeps that part"
    file = str(tmp_path / "one" / FILE)
    assert problem(error) == Problem("line 5 is damaged; good up to 01:00:06", file=file, hint=hint)


def test_damage_of_the_first_line_leaves_nothing(tmp_path: Path) -> None:
    keep(tmp_path)
    first, *rest = (line[:-18] for line in lines(tmp_path))
    write(tmp_path, sealed([first.replace(b'"seed":4', b'"seed":"x"'), *rest[:-1]]))
    with pytest.raises(ConfigError) as error:
        KeptRun(tmp_path, "one")
    assert problem(error).message.startswith("this kept run is damaged: line 1 is damaged: Expected `int`, got `str`")
    assert problem(error).message.endswith("; nothing of it can be read")
    assert problem(error).file == str(tmp_path / "one" / FILE)


def test_damage_that_comes_while_a_run_is_read_is_told(tmp_path: Path) -> None:
    keep(tmp_path)
    good = lines(tmp_path)
    with KeptRun(tmp_path, "one") as run:
        write(tmp_path, [*good[:4], b"x" + good[4][1:], *good[5:]])
        with pytest.raises(ConfigError, match="line 5 is damaged; good up to 01:00:25"):
            run.acts()
