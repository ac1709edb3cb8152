"""Scheduling passes of the Spark Master per CPU second, on clusters of different size.

Each pass is caused as the real one is, by an event: executors end and are launched again, applications end and others
come, while part of the queue waits.
"""

import random
import time
from typing import Any

from engine.control_plane.protocol import (
    Answer,
    ApplicationFinished,
    ExecutorStateChanged,
    SparkApplicationRegistered,
    WorkerRegistered,
)
from engine.control_plane.spark_master import SparkMaster
from engine.fork import fork as forked
from engine.model.decision import Allocated

SIZES = (10, 100, 1_000)
CORES = 16
MEMORY_MB = 65_536
EVENTS = 20_000
WAITING = 20
"""Applications kept in the queue behind those that run."""


class Load:
    """A Master kept busy: every event is one pass, at least."""

    def __init__(self, workers: int, *, spread_out: bool) -> None:
        self._random = random.Random(workers)
        self.master = SparkMaster({"spark.deploy.spreadOutApps": str(spread_out).lower()})
        self.launched = 0
        for number in range(workers):
            self.master.handle(WorkerRegistered(f"w{number}:1", f"w{number:04d}", CORES, MEMORY_MB), 0)
        while len(self.master.cluster.applications) < WAITING + max(1, workers // 4):
            self.submit(0)

    def submit(self, now_ms: int) -> None:
        """An application of a few executors, some of them of no fixed size."""
        cores = self._random.choice((None, 2, 4))
        event = SparkApplicationRegistered(4096, max_cores=self._random.randrange(16, 96), executor_cores=cores)
        self._count(self.master.handle(event, now_ms))

    def event(self, now_ms: int) -> None:
        """One application in fifty events ends and another comes; else an executor ends."""
        applications = self.master.cluster.applications
        oldest = next(iter(applications.values()))
        if now_ms % 50 == 0 or not oldest.executors:
            self._count(self.master.handle(ApplicationFinished(oldest.number), now_ms))
            self.submit(now_ms)
            return
        executor = next(iter(oldest.executors))
        self._count(self.master.handle(ExecutorStateChanged(oldest.number, executor, "EXITED", 0), now_ms))

    def _count(self, answer: Answer) -> None:
        self.launched += sum(isinstance(decision, Allocated) for decision in answer.decisions)


def figures(workers: int, *, spread_out: bool = True) -> dict[str, Any]:
    """Passes and launches per CPU second, and what a fork costs."""
    load = Load(workers, spread_out=spread_out)
    load.launched = 0
    begin = time.process_time()
    for now_ms in range(1, EVENTS + 1):
        load.event(now_ms)
    spent_s = time.process_time() - begin
    begin = time.process_time()
    forked(load.master)
    fork_s = time.process_time() - begin
    return {
        "bench": f"spark-{workers}" if spread_out else f"spark-packed-{workers}",
        "mode": "spread out" if spread_out else "packing",
        "workers": workers,
        "applications": len(load.master.cluster.applications),
        "passes_per_cpu_s": round(EVENTS / spent_s),
        "launches_per_cpu_s": round(load.launched / spent_s),
        "fork_ms": round(fork_s * 1000, 2),
    }
