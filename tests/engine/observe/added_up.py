"""Adds up figures of a cluster from records alone, independently of the control plane that `History` reads."""

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
from engine.simulation.records import AskChanged, Record

NAMES: Final = (
    "total_memory_mb",
    "total_vcores",
    "used_memory_mb",
    "used_vcores",
    "reserved_memory_mb",
    "reservations",
    "containers",
    "preempted_containers",
    "pending_memory_mb",
    "pending_containers",
    "applications_running",
    "applications_pending",
    "nodes",
)
"""Figures of the cluster as a whole.

What is pending is what masters asked for less what they were allocated; what was preempted counts from the beginning.
"""

COUNTED_STATES: Final = {"applications_running": ("RUNNING",), "applications_pending": ("SUBMITTED", "ACCEPTED")}
"""Figure → the states of the applications it counts."""


class AddedUp:
    """Adds up what records tell of the cluster, and used memory per queue."""

    def __init__(self) -> None:
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

    def follow(self, records: Sequence[Record]) -> None:
        for record in records:
            self._follow(record)

    def values(self) -> dict[str, int]:
        """Where the figures stand now, and used memory [MB] by path of each leaf queue that was ever used."""
        return self._now | {queue: used for queue, used in self._queue_used.items() if queue}

    def _follow(self, record: Record) -> None:
        if isinstance(record, Allocated):
            self._allocate(record)
        elif isinstance(record, Completed | Killed):
            self._end(record.container)
            self._now["preempted_containers"] += isinstance(record, Killed) and record.cause == "PREEMPTED"
        elif isinstance(record, Reserved):
            self._reserve(record.container, record.memory_mb)
        elif isinstance(record, Unreserved):
            self._reserve(record.container, None)
        elif isinstance(record, AskChanged):
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
        for name, states in COUNTED_STATES.items():
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
