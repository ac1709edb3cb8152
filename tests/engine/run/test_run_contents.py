"""What a reader tells of a kept run: all that is known of it, its contents up to an instant, and what is damaged."""

import io
import os
import stat
from pathlib import Path

import pytest

from engine.errors import ConfigError, Problem
from engine.run.run_file import (
    FILE,
    DamagedLineError,
    check_format,
    read_lines,
)
from engine.run.run_reader import KeptRun, replayed
from engine.run.run_store import (
    create_file,
    lock,
    lock_file,
)
from engine.run.run_writer import RunWriter
from engine.scenario.acts import SetPreemption
from engine.simulation.build import build_simulation
from tests.engine.run.test_run_lines import ACT, FAULT, SCENE, START_MS, Figures, drain
from tests.engine.run.test_run_reader import lines, sealed, write
from tests.engine.simulation.scenes import BUSY, Log, scenario


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


def journal(root: Path) -> list[bytes]:
    """The journal's lines in a run's file, without their seals."""
    return [line[:-18] for line in lines(root) if line.startswith(b"[")]


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


# The directory of kept runs: which names are free, who may write, and what cannot be deleted.


def test_a_file_belongs_to_whoever_holds_its_lock(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    handle = create_file(tmp_path / "one")
    other = os.open(tmp_path / "one" / FILE, os.O_RDONLY)
    assert stat.S_IMODE((tmp_path / "one" / FILE).stat().st_mode) == 0o600
    assert not lock(other)
    with pytest.raises(FileExistsError):
        create_file(tmp_path / "one")
    with pytest.raises(ConfigError) as error:
        lock_file(tmp_path / "one", os.O_RDONLY, "washed")
    file = str(tmp_path / "one")
    assert problem(error) == Problem("it is being written and cannot be washed", file=file, hint="end it first")

    os.close(handle)
    assert lock(other)
    os.close(other)
    with lock_file(tmp_path / "one", os.O_RDWR, "washed") as mine:
        assert mine.writable()


# The form of a kept run's file: lines, seals, its end, and what is refused before a line is read.

BODIES = [b'{"kind":"x"}', b"[1,2]", b"z" * 5000]


@pytest.mark.parametrize(
    "second",
    [
        b"[1,3]\t" + sealed(BODIES)[1][-17:],
        b"[1,2]\t" + b"0" * 16 + b"\n",
        b"[1,2] " + sealed(BODIES)[1][-17:],
        b"\n",
        b"[1,2]\n",
    ],
)
def test_a_line_that_is_not_as_it_was_sealed_is_damaged(second: bytes) -> None:
    first, _, third = sealed(BODIES)
    lines = read_lines(io.BytesIO(first + second + third))
    assert next(lines).number == 1
    with pytest.raises(DamagedLineError) as damage:
        next(lines)
    assert (damage.value.number, str(damage.value)) == (2, "line 2 is damaged")


def refusal(begin: bytes, path: Path = Path("runs/one/run.jsonl")) -> str:
    file = io.BytesIO(begin)
    file.seek(3)
    with pytest.raises(ConfigError) as error:
        check_format(file, path)
    return str(error.value)


@pytest.mark.parametrize(
    "begin", [b"", b'{"kind":"schedlab run","format":2', b'{"kind":"schedlab run","format":,', b"x"]
)
def test_what_does_not_begin_as_ours_is_refused(begin: bytes) -> None:
    assert "this is not a kept run of schedlab, or its first line is damaged" in refusal(begin)
    assert "runs/one/run.jsonl" in refusal(begin)


# An instant of a kept run, rebuilt and checked against what was kept.

RUN_REPLAYED_SCENE = scenario(BUSY, count=6)
RUN_REPLAYED_START_MS = RUN_REPLAYED_SCENE.start_ms


def keep_run_replayed(root: Path, *, is_whole: bool = True) -> Log:
    """Keep a run of a minute and a half with one action; its log."""
    log = Log()
    with RunWriter(root, "one", RUN_REPLAYED_SCENE, created="") as keeper:
        simulation = build_simulation(RUN_REPLAYED_SCENE, [keeper, log])
        simulation.run_until(RUN_REPLAYED_START_MS + 60_000)
        simulation.act(SetPreemption(on=True))
        simulation.run_until(RUN_REPLAYED_START_MS + 90_000)
        if is_whole:
            keeper.finish(simulation.now_ms)
    return log


def test_an_instant_is_what_it_was(tmp_path: Path) -> None:
    """With the actions that had come by then, and listeners are told everything once more."""
    log, again = keep_run_replayed(tmp_path), Log()

    with KeptRun(tmp_path, "one") as run:
        early, late = (
            replayed(run, RUN_REPLAYED_START_MS + 30_000),
            replayed(run, RUN_REPLAYED_START_MS + 90_000, [again]),
        )

    assert (early.now_ms, len(early.acts), len(late.acts)) == (RUN_REPLAYED_START_MS + 30_000, 0, 1)
    assert again.journal == log.journal


def test_a_run_that_was_cut_off_is_rebuilt_to_its_end(tmp_path: Path) -> None:
    keep_run_replayed(tmp_path, is_whole=False)

    with KeptRun(tmp_path, "one") as run:
        assert replayed(run, run.info.until_ms).now_ms == run.info.until_ms


def test_a_journal_that_differs_is_refused(tmp_path: Path) -> None:
    keep_run_replayed(tmp_path)
    first, *rest = (line[:-18] for line in lines(tmp_path))
    write(tmp_path, sealed([first, *rest[:8], rest[8].replace(b"[1", b"[2"), *rest[9:-1]]))

    with KeptRun(tmp_path, "one") as run, pytest.raises(ConfigError, match="does not replay run one"):
        replayed(run, RUN_REPLAYED_START_MS + 80_000)


# What the lines of a run come to, as far as they are good, and what a repair says it did.
