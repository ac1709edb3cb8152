"""What a reader tells of a kept run: all that is known of it, its contents up to an instant, and what is damaged."""

import io
import os
import stat
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from engine.errors import ConfigError, Problem
from engine.run.run_file import (
    FILE,
    FORMAT,
    DamagedLineError,
    RunBeginning,
    RunEnd,
    check_format,
    read_lines,
)
from engine.run.run_reader import KeptRun, Repair, Survey, repair, replayed
from engine.run.run_store import (
    create_file,
    lock,
    lock_file,
)
from engine.run.run_writer import RunWriter
from engine.scenario.acts import SetPreemption
from engine.simulation.build import build_simulation
from engine.simulation.records import Acted, Draining, Record
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


@pytest.mark.parametrize("after", [b"}", b',"scenario":"a"}'])
def test_a_file_of_this_format_is_taken(after: bytes) -> None:
    check_format(io.BytesIO(b'{"kind":"schedlab run","format":%d' % FORMAT + after), Path("x"))


@pytest.mark.parametrize(
    "begin", [b"", b'{"kind":"schedlab run","format":2', b'{"kind":"schedlab run","format":,', b"x"]
)
def test_what_does_not_begin_as_ours_is_refused(begin: bytes) -> None:
    assert "this is no kept run of schedlab, or its first line is damaged" in refusal(begin)
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

BEGINNING = RunBeginning(2, "a", "b", "fifo", 1, "now", "1.0", 1000, 0, msgspec.Raw(b"{}"))
END = RunEnd(9000, 1, 2, "j", "f")


def journal_run_survey(time_ms: int, record: Record) -> bytes:
    return b"[%d,%s]" % (time_ms, msgspec.json.encode(record))


DRAINS, RUN_SURVEY_FAULT = Draining("n"), Acted(SetPreemption(on=True))
RUN_SURVEY_ACT = Acted(SetPreemption(on=True), (5, 1))
LINES = [
    journal_run_survey(3000, DRAINS),
    journal_run_survey(3000, RUN_SURVEY_ACT),
    journal_run_survey(2000, RUN_SURVEY_FAULT),
]


def survey(*others: bytes | msgspec.Struct) -> Survey:
    bodies = [each if isinstance(each, bytes) else msgspec.json.encode(each) for each in (BEGINNING, *others)]
    return Survey(io.BytesIO(b"".join(sealed(bodies))))


@pytest.mark.parametrize(
    ("others", "number", "words", "last"),
    [
        ([*LINES, END, LINES[0]], 6, "it stands after the end", 4),
        ([END, END], 3, "it stands after the end", 1),
        ([LINES[0], BEGINNING, LINES[1]], 3, "it stands in the middle", 2),
        ([LINES[0], b"{}", LINES[1]], 3, "Object missing required field `kind`", 2),
    ],
)
def test_a_line_out_of_place_is_damage(
    others: list[bytes | msgspec.Struct], number: int, words: str, last: int
) -> None:
    found = survey(*others)
    assert found.damage is not None
    assert (found.damage.number, found.last.number) == (number, last)
    assert str(found.damage) == f"line {number} is damaged: {words}"
    assert found.sums().records == sum(each in LINES for each in others[: number - 2])


def test_a_repair_says_what_it_did(tmp_path: Path) -> None:
    """The number of the damaged line, how much is kept, and how much is gone; nothing where nothing was damaged."""
    (tmp_path / "one").mkdir()
    path = tmp_path / "one" / FILE
    good = sealed([msgspec.json.encode(BEGINNING), *LINES])
    path.write_bytes(b"".join(good))
    assert repair(tmp_path, "one") == Repair(0, 3, 0)

    path.write_bytes(b"".join(good[:3]) + b"damage\n" + good[3])
    assert repair(tmp_path, "one") == Repair(4, 2, len(b"damage\n" + good[3]))

    before = b"".join(good[:3])
    hashed = sha256(b"".join(each + b"\n" for each in LINES[:2])).hexdigest()
    end = RunEnd(3000, 1, 2, hashed, sha256(before).hexdigest(), "line 4 was damaged")
    assert path.read_bytes() == b"".join(sealed([*(each[:-18] for each in good[:3]), msgspec.json.encode(end)]))
    assert repair(tmp_path, "one") == Repair(0, 2, 0)
