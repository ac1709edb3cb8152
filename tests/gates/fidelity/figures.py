"""How far a simulation is from the recording of the same script: error figures, second by second and by application."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from engine.model.decision import Allocated, ApplicationTransitioned
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.run import Run
from engine.scenario import Scenario
from engine.simulation.records import Record
from tests.gates.fidelity.masters import application_number
from tests.gates.fidelity.recording import Recording
from tests.gates.fidelity.rhythm import BEAT_MS
from tests.gates.fidelity.scenario import scenario_of
from tests.gates.traces.series import allocated_mb, reservations_held

SECOND_MS: Final = 1_000
MEMORY_SHARE: Final = 0.02
"""Of the capacity: used memory may be so far off."""


class Figures(msgspec.Struct, frozen=True):
    """Errors of one recording; shares are between 0 and 1."""

    name: str
    scheduler: str
    seconds: int
    """Compared, from the first submission to the end of the log."""
    memory: float
    """Share of seconds at which used memory is within 2 % of the capacity."""
    memory_mean: float
    """Mean error of used memory, as a share of the capacity."""
    reservations: float
    """Share of seconds at which as many nodes are reserved."""
    applications: int
    waits: float
    """Share of applications that wait for their first container as long as recorded, within a heartbeat."""
    completions: float
    """Share of applications that end (or do not) as recorded, within a heartbeat."""


class Instants:
    """A listener that keeps when applications got their first container, and when they ended."""

    def __init__(self) -> None:
        self.first_ms: dict[int, int] = {}
        self.ended_ms: dict[int, int] = {}

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated):
                self.first_ms.setdefault(record.container[0], time_ms)
            elif isinstance(record, ApplicationTransitioned) and record.state in FINAL_APPLICATION_STATES:
                self.ended_ms[record.application] = time_ms


def figures_of(recording: Recording, scenario: Scenario | None = None) -> Figures:
    """Play the script of a recording, or another scenario in its place, and compare."""
    scenario, ours = scenario or scenario_of(recording), Instants()
    run = Run(scenario, [ours])
    timeline, begin_ms = recording.timeline, recording.begin_ms
    times_ms = range(begin_ms, timeline.end_ms, SECOND_MS)
    capacity_mb = sum(node.memory_mb for node in scenario.cluster.all_nodes())
    errors, reserved = [], []
    real = zip(allocated_mb(timeline, times_ms), reservations_held(timeline, times_ms), strict=True)
    for time_ms, (used_mb, held) in zip(times_ms, real, strict=True):
        run.advance(time_ms - scenario.start_ms)
        header = run.snapshot().header
        errors.append(abs(header.used[0] - used_mb) / capacity_mb)
        reserved.append(header.nodes_reserved == held)
    run.advance(run.until_ms)
    first_ms: dict[int, int] = {}
    for each in timeline.containers.values():
        first_ms.setdefault(application_number(each.application), each.allocated_ms)
    ended_ms = {
        number: time_ms
        for number, each in recording.applications.items()
        for time_ms, state in each.states
        if state in FINAL_APPLICATION_STATES
    }
    numbers = sorted(recording.applications)
    return Figures(
        recording.name,
        recording.policy,
        len(errors),
        _share(error <= MEMORY_SHARE for error in errors),
        round(sum(errors) / len(errors), 4),
        _share(reserved),
        len(numbers),
        _share(_is_close(first_ms.get(number), ours.first_ms.get(number)) for number in numbers),
        _share(_is_close(ended_ms.get(number), ours.ended_ms.get(number)) for number in numbers),
    )


def _share(right: Iterable[bool]) -> float:
    found = list(right)
    return round(sum(found) / len(found), 3)


def _is_close(real_ms: int | None, mine_ms: int | None) -> bool:
    """Whether both came within a heartbeat of each other, or neither came."""
    if real_ms is None or mine_ms is None:
        return real_ms is mine_ms
    return abs(real_ms - mine_ms) <= BEAT_MS
