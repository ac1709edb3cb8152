"""Plays a trace to its end and measures it: time, applications ended, containers, peak memory."""

import gc
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engine.formats.traces.application import MappingRules
from engine.formats.traces.formats import read_traces
from engine.formats.traces.report import ImportReport
from engine.formats.traces.to_scenario import imported_scenario
from engine.formats.traces.trace_cluster import ClusterChoice
from engine.model.decision import Allocated, ApplicationTransitioned
from engine.run import Run
from engine.simulation.records import Record
from tui.cli.cli import GARBAGE_THRESHOLD

HOUR_MS = 3_600_000


class _Counter:
    """A listener that counts."""

    def __init__(self) -> None:
        self.containers = self.finished = 0

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated):
                self.containers += 1
            elif isinstance(record, ApplicationTransitioned) and record.state == "FINISHED":
                self.finished += 1


class Played(NamedTuple):
    """What playing a trace cost."""

    import_s: float
    wall_s: float
    cpu_s: float
    applications: int
    finished: int
    containers: int
    peak_mb: int

    def __str__(self) -> str:
        rate = self.finished / self.cpu_s if self.cpu_s else 0.0
        return (
            f"imported in {self.import_s:.1f} s; {self.finished} of {self.applications} applications and"
            f" {self.containers} containers in {self.wall_s:.1f} s ({self.cpu_s:.1f} CPU s), {rate:.0f} applications"
            f" per CPU s, {self.peak_mb} MB at most"
        )


def played(path: Path, policy: str, nodes: int | None, node_vcores: int, processors: int) -> Played:
    """Import a trace and play it to its end; a node has 1 GB for each vcore."""
    begin = time.perf_counter()
    report = ImportReport()
    rules = MappingRules(processors=processors)
    choice = ClusterChoice(policy=policy, nodes=nodes, node_mb=1024 * node_vcores, node_vcores=node_vcores)
    scenario = imported_scenario(read_traces([path], report, rules), report, choice, rules)
    import_s = time.perf_counter() - begin
    gc.freeze()
    gc.set_threshold(*GARBAGE_THRESHOLD)
    counter = _Counter()
    begin, begin_cpu = time.perf_counter(), time.process_time()
    run = Run(scenario, [counter])
    while not run.ended and counter.finished < len(scenario.workload):
        run.advance(run.now_ms + HOUR_MS)
    return Played(
        import_s,
        time.perf_counter() - begin,
        time.process_time() - begin_cpu,
        len(scenario.workload),
        counter.finished,
        counter.containers,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    )
