"""What a reader tells of a kept run: all that is known of it, its contents up to an instant, and what is damaged."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.errors import ConfigError, Problem
from engine.observe.journal import Fingerprint, program_version
from engine.run import run_reader
from engine.run.run_file import FILE, Samples
from engine.run.run_reader import KeptRun, RunInfo, check_replayed
from engine.run.run_writer import RunWriter
from engine.scenario.acts import SetPreemption
from tests.engine.run.test_run_lines import ACT, FAULT, SCENE, START_MS, Figures, drain, drained
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
    """Of some lines of a journal."""
    return sha256(b"".join(body + b"\n" for body in bodies)).hexdigest()


def journal(root: Path) -> list[bytes]:
    """The journal's lines in a run's file, without their seals."""
    return [line[:-18] for line in lines(root) if line.startswith(b"[")]


@pytest.mark.parametrize("ends", [True, False])
def test_all_that_is_known_of_a_run(tmp_path: Path, ends: bool) -> None:
    """Without its end it is known up to its last record, and not whole."""
    keep(tmp_path, ends=ends)
    with KeptRun(tmp_path, "one") as run:
        assert run.info == RunInfo(
            name="one",
            scenario="quiet",
            title="Nothing happens",
            scheduler="fifo",
            seed=4,
            created="today",
            program=program_version(),
            start_ms=START_MS,
            until_ms=START_MS + (25_000 if ends else 20_000),
            is_whole=ends,
            acts=1,
            records=7,
            journal_hash=journal_hash(journal(tmp_path)),
            size_bytes=(tmp_path / "one" / FILE).stat().st_size,
            parent="zero",
            branched_ms=START_MS + 1,
            failure="",
        )
        assert run.scenario() == SCENE
        assert run.acts() == [((5, 1), SetPreemption(on=True))]


@pytest.mark.parametrize(("until_ms", "count"), [(-1, 0), (0, 1), (5_999, 2), (6_000, 4), (10_000, 5), (20_000, 7)])
def test_a_journal_is_read_up_to_an_instant(tmp_path: Path, until_ms: int, count: int) -> None:
    """That instant included, line by line as it was written; so is its hash."""
    keep(tmp_path)
    with KeptRun(tmp_path, "one") as run:
        assert list(run.journal(START_MS + until_ms)) == [body + b"\n" for body in journal(tmp_path)[:count]]
        assert run.hash_until(START_MS + until_ms) == journal_hash(journal(tmp_path)[:count])


def test_a_journal_is_read_whole_unless_told(tmp_path: Path) -> None:
    """Up to where it is known."""
    keep(tmp_path)
    with KeptRun(tmp_path, "one") as run:
        assert list(run.journal()) == [body + b"\n" for body in journal(tmp_path)]


def test_contents_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    """Records and samples, up to the first record after an instant."""
    keep(tmp_path)
    first, second = Samples(START_MS + 6_000, {"a": 1, "b": 5}), Samples(START_MS + 11_000, {"a": 2})
    early = [*drained(0, 5_000), (START_MS + 6_000, ACT), (START_MS + 6_000, FAULT), first]
    with KeptRun(tmp_path, "one") as run:
        assert list(run.contents(START_MS + 9_999)) == early
        assert list(run.contents(START_MS + 10_000)) == [*early, *drained(10_000)]
        assert list(run.contents(START_MS + 99_000)) == [*early, *drained(10_000, 11_000), second, *drained(20_000)]


def test_series_are_the_samples_by_their_name(tmp_path: Path) -> None:
    """Of two samples of one instant the latter counts."""
    keep(tmp_path)
    bodies = [line[:-18] for line in lines(tmp_path)[:-1]]
    again = b'{"kind":"Samples","time_ms":%d,"values":{"a":3,"c":4}}' % (START_MS + 11_000)
    write(tmp_path, sealed([*bodies, again]))
    with KeptRun(tmp_path, "one") as run:
        assert run.series() == {
            "a": [(START_MS + 6_000, 1), (START_MS + 11_000, 3)],
            "b": [(START_MS + 6_000, 5)],
            "c": [(START_MS + 11_000, 4)],
        }


def problem(error: pytest.ExceptionInfo[ConfigError]) -> Problem:
    """The one problem that was told."""
    (one,) = error.value.problems
    return one


def test_damage_is_told_with_how_far_the_run_is_good(tmp_path: Path) -> None:
    """By the scenario's clock, which is an hour east of Greenwich here."""
    keep(tmp_path)
    good = lines(tmp_path)
    write(tmp_path, [*good[:4], b"x" + good[4][1:], *good[5:]])
    with pytest.raises(ConfigError) as error:
        KeptRun(tmp_path, "one")
    hint = "`schedlab runs repair one` keeps that part"
    file = str(tmp_path / "one" / FILE)
    assert problem(error) == Problem("line 5 is damaged; good up to 01:00:06", file=file, hint=hint)


def test_damage_of_the_first_line_leaves_nothing(tmp_path: Path) -> None:
    """Also in a run that ends as a whole one does."""
    keep(tmp_path)
    first, *rest = (line[:-18] for line in lines(tmp_path))
    write(tmp_path, sealed([first.replace(b'"seed":4', b'"seed":"x"'), *rest[:-1]]))
    with pytest.raises(ConfigError) as error:
        KeptRun(tmp_path, "one")
    assert problem(error).message.startswith("this kept run is damaged: line 1 is damaged: Expected `int`, got `str`")
    assert problem(error).message.endswith("; nothing of it can be read")
    assert problem(error).file == str(tmp_path / "one" / FILE)


def test_damage_that_comes_while_a_run_is_read_is_told(tmp_path: Path) -> None:
    """With where it was good when it was opened."""
    keep(tmp_path)
    good = lines(tmp_path)
    with KeptRun(tmp_path, "one") as run:
        write(tmp_path, [*good[:4], b"x" + good[4][1:], *good[5:]])
        with pytest.raises(ConfigError, match="line 5 is damaged; good up to 01:00:25"):
            run.acts()


def broken(*_: object) -> Iterator[Any]:
    """Answer as a disk that cannot be read."""
    raise OSError(5, "Input/output error")


def test_a_disk_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a run is opened, and when it is read."""
    keep(tmp_path)
    words = Problem("cannot be read: Input/output error", file=str(tmp_path / "one" / FILE))
    with KeptRun(tmp_path, "one") as run:
        monkeypatch.setattr(run_reader, "read_lines", broken)
        with pytest.raises(ConfigError) as error:
            run.acts()
        assert problem(error) == words
    with pytest.raises(ConfigError) as error:
        KeptRun(tmp_path, "one")
    assert problem(error) == words


def test_a_scenario_that_is_damaged_is_told_shortly(tmp_path: Path) -> None:
    """In one line of 200 characters of what is wrong."""
    keep(tmp_path)
    first, *rest = (line[:-18] for line in lines(tmp_path)[:-1])
    write(tmp_path, sealed([first.replace(b'"title":"Nothing happens","about"', b'"titel":"x","abuot"'), *rest]))
    with KeptRun(tmp_path, "one") as run, pytest.raises(ConfigError) as error:
        run.scenario()
    begin = "the scenario of this run is damaged: "
    assert problem(error).message.startswith(f"{begin}2 validation errors for Scenario titel Extra inputs")
    assert len(problem(error).message) == len(begin) + 200
    assert problem(error).file == str(tmp_path / "one" / FILE)


def test_the_last_instant_of_a_run_that_was_cut_off_is_not_compared(tmp_path: Path) -> None:
    """Every instant before it is; of a whole run that one, too."""
    keep(tmp_path, ends=False)
    with KeptRun(tmp_path, "one") as run:
        check_replayed(run, START_MS + 20_000, Fingerprint())
        with pytest.raises(ConfigError) as error:
            check_replayed(run, START_MS + 19_999, Fingerprint())
    version = program_version()
    words = f"schedlab {version} does not replay run one as schedlab {version} kept it"
    assert problem(error) == Problem(words, hint="its journal can still be exported")

    (tmp_path / "whole").mkdir()
    keep(tmp_path / "whole")
    with KeptRun(tmp_path / "whole", "one") as run, pytest.raises(ConfigError, match="does not replay run one"):
        check_replayed(run, START_MS + 25_000, Fingerprint())


def test_a_run_is_closed_when_it_is_done_with(tmp_path: Path) -> None:
    """Nothing is read after that."""
    keep(tmp_path)
    with KeptRun(tmp_path, "one") as run:
        pass
    with pytest.raises(ValueError, match="closed file"):
        run.acts()


@pytest.mark.parametrize("position", [(), (5,)])
def test_an_act_without_a_place_in_its_instant_is_refused(tmp_path: Path, position: tuple[int, ...]) -> None:
    """A position is an instant and a place in it; no program of ours writes a shorter one."""
    with RunWriter(tmp_path, "one", SCENE, created="today") as keeper:
        keeper.history = Figures()
        keeper.records(START_MS + 6_000, [msgspec.structs.replace(ACT, position=position)])
        keeper.finish(START_MS + 7_000)

    with KeptRun(tmp_path, "one") as run, pytest.raises(ConfigError, match="an act of this kept run has no place"):
        _ = run.acts()
