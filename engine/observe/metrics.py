"""Series over time, computed from records alone, so a journal that is read back gives the same ones.

A series is a step function: a value holds until the next point. Memory is bounded: a series that grows too long keeps
the last value of each of ever wider stretches of time.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from engine.control_plane.protocol import NodeJoined, NodeLost, NodeResized
from engine.model.decision import (
    Allocated,
    ApplicationTransitioned,
    Completed,
    ContainerId,
    Killed,
    Reserved,
    Unreserved,
)
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.simulation.records import Asked, Record

MOST_POINTS: Final = 4096
"""Points a series holds before it is thinned out."""

NAMES: Final = (
    "total_memory_mb",
    "total_vcores",
    "used_memory_mb",
    "used_vcores",
    "reserved_memory_mb",
    "reservations",
    "containers",
    "pending_memory_mb",
    "pending_containers",
    "applications_running",
    "applications_pending",
    "nodes",
)
"""Series of the cluster as a whole. What is pending is what masters asked for less what they were allocated."""

COUNTED_STATES: Final = {"applications_running": ("RUNNING",), "applications_pending": ("SUBMITTED", "ACCEPTED")}
"""Series → the states of the applications it counts."""


class Series:
    """A step function of time with a bounded number of points."""

    __slots__ = ("_most", "_stretch_ms", "_times", "_values")

    def __init__(self, most: int = MOST_POINTS) -> None:
        self._most = most
        self._stretch_ms = 1
        self._times: list[int] = []
        self._values: list[int] = []

    def add(self, time_ms: int, value: int) -> None:
        """The value from `time_ms` on; times never go back."""
        if self._values and self._values[-1] == value:
            return
        if self._times and self._times[-1] // self._stretch_ms == time_ms // self._stretch_ms:
            self._values[-1] = value
            return
        self._times.append(time_ms)
        self._values.append(value)
        while len(self._times) > self._most:
            self._thin_out()

    def at(self, time_ms: int) -> int:
        """The value at an instant; 0 before the first point."""
        place = bisect_right(self._times, time_ms)
        return self._values[place - 1] if place else 0

    def points(self) -> list[tuple[int, int]]:
        """(epoch ms, value from then on), oldest first."""
        return list(zip(self._times, self._values, strict=True))

    def sampled(self, from_ms: int, to_ms: int, count: int) -> list[int]:
        """The values at the ends of `count` equal stretches between two instants, oldest first."""
        return [self.at(from_ms + (to_ms - from_ms) * step // count) for step in range(1, count + 1)]

    def __len__(self) -> int:
        return len(self._times)

    def _thin_out(self) -> None:
        self._stretch_ms *= 2
        last = {time // self._stretch_ms: place for place, time in enumerate(self._times)}
        first = {time // self._stretch_ms: time for time in reversed(self._times)}
        self._values = [self._values[place] for place in last.values()]
        self._times = [first[stretch] for stretch in last]


class Metrics:
    """A listener that keeps the cluster's series, and used memory per queue."""

    def __init__(self, most_points: int = MOST_POINTS) -> None:
        self._most = most_points
        self.series: dict[str, Series] = {name: Series(most_points) for name in NAMES}
        """By a name of `NAMES`."""
        self.queues: dict[str, Series] = {}
        """Used memory [MB] by queue path, leaves only, in order of first use."""
        self._now: dict[str, int] = dict.fromkeys(NAMES, 0)
        self._nodes: dict[str, tuple[int, int]] = {}
        self._live: dict[ContainerId, tuple[int, int]] = {}
        self._reserved: dict[ContainerId, int] = {}
        self._asks: dict[int, dict[int, tuple[int, int]]] = {}
        """Application → priority → (count, memory of each)."""
        self._states: dict[int, str] = {}
        self._queue_of: dict[int, str] = {}
        self._held: dict[int, int] = {}
        """Used memory per application."""
        self._queue_used: dict[str, int] = {}

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Follow the records of one instant, then note what changed."""
        self.follow(records)
        for name, value in self._now.items():
            self.series[name].add(time_ms, value)
        for queue, used in self._queue_used.items():
            if queue not in self.queues:
                self.queues[queue] = Series(self._most)
            self.queues[queue].add(time_ms, used)

    def follow(self, records: Sequence[Record]) -> None:
        """Follow the records of one instant without noting points; `values` tells where the series stand."""
        for record in records:
            self._follow(record)

    def values(self) -> dict[str, int]:
        """Where the series stand now, those of queues by their paths."""
        return self._now | {queue: used for queue, used in self._queue_used.items() if queue}

    def _follow(self, record: Record) -> None:
        if isinstance(record, Allocated):
            self._allocate(record)
        elif isinstance(record, Completed | Killed):
            self._end(record.container)
        elif isinstance(record, Reserved):
            self._reserve(record.container, record.memory_mb)
        elif isinstance(record, Unreserved):
            self._reserve(record.container, None)
        elif isinstance(record, Asked):
            self._ask(record.application, record.priority, (record.count, record.memory_mb))
        elif isinstance(record, ApplicationTransitioned):
            self._transition(record)
        elif isinstance(record, NodeJoined | NodeResized):
            self._resize(record.node, (record.memory_mb, record.vcores))
        elif isinstance(record, NodeLost):
            self._resize(record.node, None)

    def _allocate(self, record: Allocated) -> None:
        self._reserve(record.container, None)
        self._live[record.container] = (record.memory_mb, record.vcores)
        self._charge(record.container[0], record.memory_mb, record.vcores, 1)
        count, memory_mb = self._asks.get(record.container[0], {}).get(record.priority, (0, 0))
        if count:
            self._ask(record.container[0], record.priority, (count - 1, memory_mb))

    def _end(self, container: ContainerId) -> None:
        size = self._live.pop(container, None)
        if size is not None:
            self._charge(container[0], -size[0], -size[1], -1)

    def _charge(self, application: int, memory_mb: int, vcores: int, containers: int) -> None:
        now = self._now
        now["used_memory_mb"] += memory_mb
        now["used_vcores"] += vcores
        now["containers"] += containers
        self._held[application] = self._held.get(application, 0) + memory_mb
        queue = self._queue_of.get(application, "")
        self._queue_used[queue] = self._queue_used.get(queue, 0) + memory_mb

    def _reserve(self, container: ContainerId, memory_mb: int | None) -> None:
        """A reservation is made, or (None) is no more."""
        before = self._reserved.pop(container, None)
        if memory_mb is not None:
            self._reserved[container] = memory_mb
        self._now["reserved_memory_mb"] += (memory_mb or 0) - (before or 0)
        self._now["reservations"] = len(self._reserved)

    def _ask(self, application: int, priority: int, ask: tuple[int, int]) -> None:
        asks = self._asks.setdefault(application, {})
        count, memory_mb = asks.get(priority, (0, 0))
        asks[priority] = ask
        self._now["pending_containers"] += ask[0] - count
        self._now["pending_memory_mb"] += ask[0] * ask[1] - count * memory_mb

    def _transition(self, record: ApplicationTransitioned) -> None:
        application, state = record.application, record.state
        if record.queue and record.queue != self._queue_of.get(application, ""):
            self._move(application, record.queue)
        for name, states in (
            ("applications_running", ("RUNNING",)),
            ("applications_pending", ("SUBMITTED", "ACCEPTED")),
        ):
            self._now[name] += (state in states) - (self._states.get(application) in states)
        self._states[application] = state
        if state in FINAL_APPLICATION_STATES:
            for priority in list(self._asks.get(application, {})):
                self._ask(application, priority, (0, 0))
            self._asks.pop(application, None)
            del self._states[application]

    def _move(self, application: int, queue: str) -> None:
        held = self._held.get(application, 0)
        former = self._queue_of.get(application)
        if former is not None:
            self._queue_used[former] -= held
        self._queue_of[application] = queue
        self._queue_used[queue] = self._queue_used.get(queue, 0) + held

    def _resize(self, node: str, size: tuple[int, int] | None) -> None:
        """A node has this total now, or (None) is no more."""
        before = self._nodes.pop(node, (0, 0))
        if size is not None:
            self._nodes[node] = size
        after = size or (0, 0)
        self._now["total_memory_mb"] += after[0] - before[0]
        self._now["total_vcores"] += after[1] - before[1]
        self._now["nodes"] = len(self._nodes)
