"""Plays a batch log under FIFO and compares every start with an independent program."""

import gzip
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engine.formats.traces.formats import read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import ClusterChoice
from engine.model.decision import Allocated, ApplicationTransitioned
from engine.run import Run
from engine.simulation.records import Record
from tests.gates.traces.first_fit import jobs, starts

HOUR_MS = 3_600_000


class Compared(NamedTuple):
    """How many starts there were, and how many are equal."""

    jobs: int
    finished: int
    equal: int
    cpu_s: float


class _Starts:
    """A listener that notes when applications register and when they are given their container."""

    def __init__(self) -> None:
        self.registered_ms: dict[int, int] = {}
        self.started_ms: dict[int, int] = {}
        self.finished = 0

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated):
                self.started_ms[record.container[0]] = time_ms
            elif isinstance(record, ApplicationTransitioned) and record.state == "RUNNING":
                self.registered_ms[record.application] = time_ms
            elif isinstance(record, ApplicationTransitioned) and record.state == "FINISHED":
                self.finished += 1


def compared(path: Path) -> Compared:
    """Play the log on its machine under FIFO and compare the starts."""
    report = ImportReport()
    scenario = imported_scenario(read_traces([path], report), report, ClusterChoice(policy="fifo"))
    names = {number: spec.name for number, spec in enumerate(scenario.workload, start=1)}
    seen, begin = _Starts(), time.process_time()
    run = Run(scenario, [seen])
    while not run.ended and seen.finished < len(names):
        run.advance(run.now_ms + HOUR_MS)
    cpu_s = time.process_time() - begin
    data = path.read_bytes()
    listed = list(jobs((gzip.decompress(data) if path.suffix == ".gz" else data).decode(errors="replace")))
    assert report.machine is not None, "a batch log has a machine"
    phase_ms = min(seen.started_ms.values()) % 1000
    registered_ms = {names[number]: when_ms for number, when_ms in seen.registered_ms.items()}
    expected = starts(listed, report.machine.processors, registered_ms, phase_ms)
    found = {names[number]: when_ms for number, when_ms in seen.started_ms.items()}
    equal = sum(found.get(name) == when_ms for name, when_ms in expected.items())
    return Compared(len(expected), seen.finished, equal, cpu_s)
