"""Describes a workload: arrivals over time, and sizes and durations by queue and by user."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from engine.formats.traces.application import TraceApplication

BUCKETS: Final = 120
"""Stretches of time in which arrivals are counted."""
NO_NAME: Final = "–"
"""What has no queue or no user."""


class Spread(msgspec.Struct, frozen=True):
    """The spread of values."""

    count: int
    low: float
    """A tenth is not above it."""
    median: float
    high: float
    """A tenth is above it."""
    most: float


class WorkloadGroup(msgspec.Struct, frozen=True):
    """The applications of a queue, of a user, or all."""

    name: str
    applications: int
    containers: Spread
    """The containers of each application."""
    memory_mb: Spread
    """The memory of each application's containers."""
    duration_ms: Spread
    """Mean of each application's tasks."""
    work_ms: float
    """Duration of all tasks together."""


class WorkloadPicture(msgspec.Struct, frozen=True):
    """A workload described."""

    first_ms: int
    """The first submission, on the trace's clock."""
    last_ms: int
    arrivals: tuple[int, ...]
    """Applications submitted in each of so many equal stretches from the first submission to the last."""
    total: WorkloadGroup
    queues: tuple[WorkloadGroup, ...]
    """By number of applications, the largest first."""
    users: tuple[WorkloadGroup, ...]
    behaviours: dict[str, int]
    """Kind of application → how many."""


class _Facts(msgspec.Struct, gc=False):
    """The fields kept of one application."""

    submitted_ms: int
    queue: str
    user: str
    containers: int
    memory_mb: int
    duration_ms: float
    work_ms: float


def described(applications: Iterable[TraceApplication]) -> WorkloadPicture:
    """A picture of applications; of each only a few numbers are kept."""
    facts: list[_Facts] = []
    behaviours: dict[str, int] = {}
    for each in applications:
        behaviours[each.behaviour] = behaviours.get(each.behaviour, 0) + 1
        tasks = sum(group.count for group in each.tasks if group.durations_ms)
        work_ms = each.work_ms
        memory_mb = max((group.memory_mb or 0 for group in each.tasks), default=0)
        facts.append(
            _Facts(
                each.submitted_ms,
                each.queue or NO_NAME,
                each.user or NO_NAME,
                each.containers,
                memory_mb,
                work_ms / tasks if tasks else 0.0,
                work_ms,
            )
        )
    first_ms = min((each.submitted_ms for each in facts), default=0)
    last_ms = max((each.submitted_ms for each in facts), default=0)
    return WorkloadPicture(
        first_ms=first_ms,
        last_ms=last_ms,
        arrivals=_arrivals([each.submitted_ms - first_ms for each in facts], last_ms - first_ms),
        total=_group("all", facts),
        queues=_groups(facts, [each.queue for each in facts]),
        users=_groups(facts, [each.user for each in facts]),
        behaviours=behaviours,
    )


def spread(values: Iterable[float]) -> Spread:
    """Return how values are spread; all 0 where there are none.

    >>> spread(range(11))
    Spread(count=11, low=1, median=5, high=9, most=10)
    """
    ordered = sorted(values)
    if not ordered:
        return Spread(0, 0, 0, 0, 0)
    last = len(ordered) - 1
    return Spread(len(ordered), ordered[last // 10], ordered[last // 2], ordered[last - last // 10], ordered[last])


def _arrivals(after_ms: Sequence[int], span_ms: int) -> tuple[int, ...]:
    counts = [0] * BUCKETS
    for each in after_ms:
        counts[min(BUCKETS - 1, each * BUCKETS // (span_ms + 1))] += 1
    return tuple(counts)


def _groups(facts: Sequence[_Facts], names: Sequence[str]) -> tuple[WorkloadGroup, ...]:
    together: dict[str, list[_Facts]] = {}
    for each, name in zip(facts, names, strict=True):
        together.setdefault(name, []).append(each)
    ordered = sorted(together.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return tuple(_group(name, those) for name, those in ordered)


def _group(name: str, facts: Sequence[_Facts]) -> WorkloadGroup:
    return WorkloadGroup(
        name=name,
        applications=len(facts),
        containers=spread(each.containers for each in facts),
        memory_mb=spread(each.memory_mb for each in facts if each.memory_mb),
        duration_ms=spread(each.duration_ms for each in facts if each.duration_ms),
        work_ms=sum(each.work_ms for each in facts),
    )
