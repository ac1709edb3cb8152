"""What a reader tells of a kept run: all that is known of it, its contents up to an instant, and what is damaged."""

import io
import os
import stat
from pathlib import Path

import pytest

from engine.errors import ConfigError, Problem
from engine.explain.instant import kept_longest_wait
from engine.observe.history import History
from engine.observe.journal import Fingerprint
from engine.run.run_reader import KeptRun, repair, replayed
from engine.run.run_store import (
    FILE,
    DamagedLineError,
    RunBeginning,
    RunEnd,
    Samples,
    check_format,
    create_file,
    decode_other,
    decode_record,
    delete,
    directory,
    lock,
    lock_file,
    names,
    open_regular,
    read_lines,
)
from engine.run.run_writer import SAMPLES, RunWriter
from engine.scenario import ClusterSpec, Scenario
from engine.scenario.acts import SetPreemption
from engine.simulation.build import build_simulation, replay
from engine.simulation.records import Acted, Draining, Record
from tests.engine.run.test_run_reader import SCENE as STORE_SCENE
from tests.engine.run.test_run_reader import kept, lines, sealed, write
from tests.engine.simulation.scenes import BUSY, Log, scenario
from tests.small_disk import small_disk

EVERY_MS = 10_000
SCENE = Scenario(
    name="quiet",
    title="Nothing happens",
    cluster=ClusterSpec(),
    duration_ms=EVERY_MS * SAMPLES,
    seed=4,
    scheduler="fifo",
    start="2024-01-01T01:00:00+01:00",
)
START_MS = SCENE.start_ms
DRAINS = Draining("n")
ACT, FAULT = Acted(SetPreemption(on=True), (5, 1)), Acted(SetPreemption(on=True))


class Figures(History):
    """A history that says what it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.now: dict[str, int] = {}

    def latest(self) -> dict[str, int]:
        return self.now


Held = RunBeginning | Samples | RunEnd | tuple[int, Record]


def held(root: Path, name: str = "one") -> list[Held]:
    with open_regular(root / name / FILE) as file:
        return [decode_record(line) if line.is_journal else decode_other(line) for line in read_lines(file)]


def drain(keeper: RunWriter, *instants_ms: int) -> None:
    """A record at each of some instants [ms after the start]."""
    for each in instants_ms:
        keeper.on_records(START_MS + each, [DRAINS])


def drained(*instants_ms: int) -> list[Held]:
    return [(START_MS + each, DRAINS) for each in instants_ms]


def full(*_: object) -> int:
    raise OSError(28, os.strerror(28))


def test_an_end_that_cannot_be_written_is_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RunWriter(tmp_path, "one", SCENE, created="") as keeper:
        drain(keeper, 1)
        assert keeper.trouble == ""
        monkeypatch.setattr(os, "pwrite", full)
        keeper.finish(START_MS + 2)
        monkeypatch.undo()
        assert keeper.trouble == "the run one is no longer kept: no space left on device"
    assert held(tmp_path)[1:] == drained(1)


def test_what_comes_after_trouble_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RunWriter(tmp_path, "one", SCENE, created="") as keeper:
        drain(keeper, 1)
        monkeypatch.setattr(os, "fdatasync", full)
        keeper.sync()
        monkeypatch.undo()
        drain(keeper, 2)
        keeper.sync()
        keeper.finish(START_MS + 3)
    first, last = held(tmp_path)[1:]
    assert first == drained(1)[0]
    assert isinstance(last, RunEnd)
    assert (last.until_ms, last.records, last.failure) == (START_MS + 1, 1, "no space left on device")


# What a reader tells of a kept run: all that is known of it, its contents up to an instant, and what is damaged.


def keep(root: Path, *, ends: bool = True) -> None:
    """A run with records at six instants, one of them an act, and two samples."""
    with RunWriter(root, "one", SCENE, created="today", parent="zero", branched_ms=START_MS + 1) as keeper:
        keeper.history = figures = Figures()
        drain(keeper, 0, 5_000)
        keeper.on_records(START_MS + 6_000, [ACT, FAULT])
        figures.now = {"a": 1, "b": 5}
        drain(keeper, 10_000, 11_000)
        figures.now = {"a": 2, "b": 5}
        drain(keeper, 20_000)
        if ends:
            keeper.finish(START_MS + 25_000)


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


def test_a_journal_that_lacks_something_is_refused_whatever_is_asked(tmp_path: Path) -> None:
    keep_run_replayed(tmp_path)
    first, *rest = (line[:-18] for line in lines(tmp_path))
    write(tmp_path, sealed([first, *rest[:8], *rest[9:]]))

    with KeptRun(tmp_path, "one") as run, pytest.raises(ConfigError, match="does not replay run one"):
        kept_longest_wait(run, "1")


# The directory of kept runs: which there are, and what is deleted.


@pytest.mark.parametrize("name", ["", "..", "a/b", "-x", "é", "x" * 65, "a\n"])
def test_names_stay_inside_the_directory(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot name a run"):
        directory(tmp_path, name)


def test_deleting_takes_the_run_and_nothing_else(tmp_path: Path) -> None:
    """A directory with other files in it stays as it is, the run included."""
    kept(tmp_path, seconds=1)
    kept(tmp_path, "two", seconds=1)
    (tmp_path / "two" / "notes").write_text("mine")

    delete(tmp_path, "one")

    assert not (tmp_path / "one").exists()
    with pytest.raises(ConfigError, match="other files in its directory, notes"):
        delete(tmp_path, "two")
    assert {path.name for path in (tmp_path / "two").iterdir()} == {FILE, "notes"}
    with pytest.raises(ConfigError, match="there is no run one"):
        delete(tmp_path, "one")


def test_a_damaged_run_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / FILE).write_bytes(b"x")

    delete(tmp_path, "one")

    assert names(tmp_path) == []


def test_a_run_that_is_being_written_is_not_deleted(tmp_path: Path) -> None:
    with RunWriter(tmp_path, "one", STORE_SCENE, created=""), pytest.raises(ConfigError, match="it is being written"):
        delete(tmp_path, "one")
    delete(tmp_path, "one")

    assert names(tmp_path) == []


# Repairing a damaged run: what was good is kept, the run says why it ends there.


def test_what_is_before_the_damage_is_kept(tmp_path: Path) -> None:
    """The run is read and replayed again up to there; the rest is gone."""
    kept(tmp_path)
    good = lines(tmp_path)
    number = len(good) // 2
    write(tmp_path, [*good[:number], b"x" + good[number][1:], *good[number + 1 :]])

    done = repair(tmp_path, "one")

    assert (done.damaged_line, done.cut_bytes) == (number + 1, sum(map(len, good[number:])))
    assert lines(tmp_path)[:-1] == good[:number]
    with KeptRun(tmp_path, "one") as run:
        assert (run.info.records, len(list(run.journal()))) == (done.records, done.records)
        assert (run.info.is_whole, run.info.failure) == (False, f"line {number + 1:,} was damaged")
        assert run.hash_until(run.info.until_ms) == run.info.journal_hash
        assert replayed(run, run.info.until_ms).now_ms == run.info.until_ms
    assert repair(tmp_path, "one").damaged_line == 0


# Writing a run: for its user only, under a name of its own, and no longer when the disk does not take it.


def size(root: Path) -> int:
    return (root / "one" / FILE).stat().st_size


def test_a_run_is_for_its_user_only(tmp_path: Path) -> None:
    """The file and its directory, and the directory of all runs where it is made."""
    kept(tmp_path / "runs", seconds=1)
    paths = [tmp_path / "runs", tmp_path / "runs" / "one", tmp_path / "runs" / "one" / FILE]

    assert [stat.S_IMODE(path.stat().st_mode) for path in paths] == [0o700, 0o700, 0o600]


def test_a_place_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ConfigError, match="cannot be made"):
        RunWriter(tmp_path / "file", "one", STORE_SCENE, created="")


@pytest.mark.parametrize("left", [0, 1, 100, 511, 4000])
def test_a_full_disk_ends_the_keeping_and_marks_the_run(tmp_path: Path, left: int) -> None:
    """The run goes on; what was written before is an exact prefix, and the run says why it ends there."""
    with RunWriter(tmp_path, "one", STORE_SCENE, created="") as keeper:
        simulation = build_simulation(STORE_SCENE, [keeper])
        with small_disk(size(tmp_path) + left):
            simulation.run_until(STORE_SCENE.start_ms + 120_000)
        simulation.act(SetPreemption(on=True))
        keeper.sync()
        keeper.finish(simulation.now_ms)

    assert keeper.trouble == "the run one is no longer kept: file too large"
    with KeptRun(tmp_path, "one") as run:
        again = Fingerprint()
        replay(run.scenario(), run.acts(), run.info.until_ms, [again])
        assert (run.info.is_whole, run.info.failure) == (False, "file too large")
        assert 0 <= run.info.records == len(list(run.journal())) <= again.lines
        assert run.hash_until(run.info.until_ms) == run.info.journal_hash


def test_an_act_is_on_disk_when_somebody_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operating system is asked to write the file out; where it cannot, the keeping ends."""
    asked: list[int] = []
    monkeypatch.setattr(os, "fdatasync", asked.append)
    with RunWriter(tmp_path, "one", STORE_SCENE, created="") as keeper:
        keeper.sync()

    def fail(handle: int) -> None:
        raise OSError(5, os.strerror(5))

    assert len(asked) == 1
    monkeypatch.setattr(os, "fdatasync", fail)
    with RunWriter(tmp_path, "two", STORE_SCENE, created="") as keeper:
        keeper.sync()
        assert keeper.failure == "input/output error"


def test_a_branch_on_a_full_disk_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with RunWriter(tmp_path, "one", STORE_SCENE, created="") as keeper:
        simulation = build_simulation(STORE_SCENE, [keeper])
        simulation.run_until(STORE_SCENE.start_ms + 60_000)
        with small_disk(size(tmp_path) - 1000), pytest.raises(ConfigError, match="cannot be kept"):
            keeper.branch(simulation.now_ms, created="")
        keeper.finish(simulation.now_ms)

    assert [path.name for path in tmp_path.iterdir()] == ["one"]
    with KeptRun(tmp_path, "one") as run:
        assert run.info.is_whole
