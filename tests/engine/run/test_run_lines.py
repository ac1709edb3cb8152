"""What a writer puts into the file of a run, line by line, and what it says when it cannot."""

import os
from pathlib import Path

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
