"""What a writer puts into the file of a run, line by line, and what it says when it cannot."""

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from engine.observe.history import History
from engine.run.run_file import (
    FILE,
    RunBeginning,
    RunEnd,
    Samples,
    decode_other,
    decode_record,
    open_regular,
    read_lines,
)
from engine.run.run_writer import SAMPLES, RunWriter
from engine.scenario import ClusterSpec, Scenario
from engine.scenario.acts import SetPreemption
from engine.simulation.records import Acted, Draining, Record

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
        keeper.records(START_MS + each, [DRAINS])


def drained(*instants_ms: int) -> list[Held]:
    return [(START_MS + each, DRAINS) for each in instants_ms]


def test_series_that_have_changed_are_sampled_once_a_stretch(tmp_path: Path) -> None:
    """Before the first record of the next one, with the instant of the last; a series begins at 0."""
    with RunWriter(tmp_path, "one", SCENE, created="") as keeper:
        keeper.history = figures = Figures()
        figures.now = {"a": 1, "b": 0}
        drain(keeper, 0, 9_999, 10_000)
        figures.now = {"a": 1, "b": 2}
        drain(keeper, 19_999, 20_000, 30_000)
        figures.now = {"a": 0, "b": 2}
        keeper.finish(START_MS + 35_000)

    assert held(tmp_path)[1:-1] == [
        *drained(0, 9_999),
        Samples(START_MS + 9_999, {"a": 1}),
        *drained(10_000, 19_999),
        Samples(START_MS + 19_999, {"b": 2}),
        *drained(20_000, 30_000),
        Samples(START_MS + 35_000, {"a": 0}),
    ]


def test_the_last_line_is_the_sum_of_all(tmp_path: Path) -> None:
    """Acts are those from outside; the journal's lines and the file's bytes have a hash each."""
    records: Sequence[Record] = [DRAINS, ACT, FAULT]
    with RunWriter(tmp_path, "one", SCENE, created="") as keeper:
        keeper.records(START_MS + 1, records)
        keeper.records(START_MS + 2, [ACT])
        keeper.finish(START_MS + 9)

    lines = (tmp_path / "one" / FILE).read_bytes().splitlines(keepends=True)
    journal = [b"[%d,%s]\n" % (START_MS + 1, msgspec.json.encode(each)) for each in records]
    journal += [b"[%d,%s]\n" % (START_MS + 2, msgspec.json.encode(ACT))]
    assert [line[:-18] + b"\n" for line in lines[1:-1]] == journal
    assert held(tmp_path)[-1] == RunEnd(
        until_ms=START_MS + 9,
        acts=2,
        records=4,
        journal_hash=sha256(b"".join(journal)).hexdigest(),
        file_hash=sha256(b"".join(lines[:-1])).hexdigest(),
    )


def test_a_branch_holds_what_its_parent_does_up_to_an_instant(tmp_path: Path) -> None:
    """Records and samples, in their order; both go on, and so does what the history says."""
    with RunWriter(tmp_path, "one", SCENE, created="") as keeper:
        keeper.history = figures = Figures()
        figures.now = {"a": 1}
        drain(keeper, 0, 10_000, 10_000)
        figures.now = {"a": 2}
        drain(keeper, 20_000, 25_000)
        with keeper.branch(START_MS + 20_000, created="later") as other:
            assert (other.name, other.history) == ("quiet-1", figures)
            figures.now = {"a": 3}
            drain(other, 31_000)
        drain(keeper, 26_000)

    first, *others = held(tmp_path, "quiet-1")
    assert isinstance(first, RunBeginning)
    assert (first.parent, first.branched_ms, first.created) == ("one", START_MS + 20_000, "later")
    assert others == [
        *drained(0),
        Samples(START_MS, {"a": 1}),
        *drained(10_000, 10_000),
        Samples(START_MS + 10_000, {"a": 2}),
        *drained(20_000),
        Samples(START_MS + 20_000, {"a": 3}),
        *drained(31_000),
    ]
    assert held(tmp_path)[-2:] == drained(25_000, 26_000)


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


def test_an_end_that_does_not_reach_the_disk_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RunWriter(tmp_path, "one", SCENE, created="") as keeper:
        drain(keeper, 1)
        monkeypatch.setattr(os, "fdatasync", full)
        keeper.finish(START_MS + 2)
        monkeypatch.undo()
        assert keeper.failure == "no space left on device"
    last = held(tmp_path)[-1]
    assert isinstance(last, RunEnd)
    assert (last.until_ms, last.failure) == (START_MS + 2, "no space left on device")


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
