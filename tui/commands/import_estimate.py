"""Estimates how long it takes to play an imported scenario: its beginning is played for a second."""

import time
from collections.abc import Sequence
from typing import Final

from engine.model.decision import Allocated, ApplicationTransitioned
from engine.run import Run
from engine.scenario import ApplicationSpec, MapReduceSpec, Scenario, ScriptedSpec, SparkSpec, StandaloneSpec, TezSpec
from engine.simulation.records import Record

SECONDS: Final = 1.0
"""How long is played [CPU s]."""
FIRST_MS: Final = 10_000
"""Simulated time of the first step; steps grow while they take less than `STEP_S` [CPU s]."""
STEP_S: Final = 0.05
ENDS: Final = frozenset({"FINISHED", "FAILED", "KILLED"})


class _Counts:
    """A listener that counts containers, and applications that have ended."""

    def __init__(self) -> None:
        self.containers = self.ended = 0

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Count the records of one instant."""
        for record in records:
            if isinstance(record, Allocated):
                self.containers += 1
            elif isinstance(record, ApplicationTransitioned) and record.state in ENDS:
                self.ended += 1


def play_seconds(scenario: Scenario) -> float:
    """About how long playing it to its last application takes here [CPU s]: as its beginning, for each container."""
    counts, begin_s = _Counts(), time.process_time()
    run = Run(scenario, [counts], is_judged=False)
    built_s = last_s = time.process_time()
    step_ms, is_done = FIRST_MS, False
    while not is_done and last_s - built_s < SECONDS:
        run.advance(run.now_ms + step_ms)
        now_s = time.process_time()
        step_ms, last_s = step_ms * (2 if now_s - last_s < STEP_S else 1), now_s
        is_done = run.ended or counts.ended == len(scenario.workload)
    if is_done:
        return last_s - begin_s
    wanted = max(1, sum(map(_containers, scenario.workload)))
    part = counts.containers / wanted or run.now_ms / scenario.duration_ms
    return built_s - begin_s + (last_s - built_s) / min(1.0, part)


def _containers(spec: ApplicationSpec) -> int:
    """About how many containers it is given, its master's with them."""
    match spec:
        case MapReduceSpec():
            return 1 + spec.maps + spec.reduces
        case ScriptedSpec():
            return (spec.am is not None) + sum(ask.count for ask in spec.asks)
        case SparkSpec():
            return 1 + max(spec.executors, 1)
        case TezSpec():
            return 1 + max(stage.tasks for dag in spec.dags for stage in dag.stages)
        case StandaloneSpec():
            return spec.executor_limit or 1
        case _:
            return 1
