"""Defines the events of the clock: plain tuples, and the one table of what comes first within an instant.

An event is `(time_ms, priority, order, kind, *details)`, integers throughout, so tuples compare by themselves and a
heap of them can be copied with `list`. `order` is a natural number of its kind (node, application, arrival), never a
running number: leaving out events that would change nothing cannot reorder the others.

Time is epoch ms and never goes back. `position` is the last event that was taken, so "later than now" is a comparison
of tuples also within one instant.
"""

from heapq import heapify, heappop, heappush
from typing import Final

from engine.state import State

Event = tuple[int, ...]
"""`(time_ms, priority, order, kind, *details)`."""

# Priorities within an instant.
OUTSIDE_ACTION: Final = 0
"""Priority of submissions of clients, faults and acts of operators."""
NODE_FACT: Final = 1
"""Priority of what happens on a node before the node reports it."""
POSTED: Final = 2
"""Priority of what the control plane posted to itself: a silent node expires."""
AM_HEARTBEAT: Final = 3
NODE_HEARTBEAT: Final = 4
PASS: Final = 5
"""Priority of background passes, in the control plane's order."""
END_OF_INSTANT: Final = 9
"""Priority after everything of an instant; no event has it."""

# Kinds: which handler an event goes to, and its details.
ARRIVAL: Final = 0
"""A client submits; order = its place among the arrivals."""
FAULT: Final = 1
"""A fault of the scenario; order = its place among the faults."""
CONTAINER_BEGINS: Final = 2
"""order = node; application, attempt, container."""
CONTAINER_ENDS: Final = 3
"""order = node; application, attempt, container, exit status."""
NODE_EXPIRES: Final = 4
"""order = node; the node's life it belongs to."""
AM_HEARTBEAT_DUE: Final = 5
"""order = application."""
ROUND: Final = 6
"""The cursor over all nodes arrives; order = node; whether it is known to have an effect."""
LONE_HEARTBEAT: Final = 7
"""One node reports while the cursor sleeps; order = node."""
PASS_RUNS: Final = 8
"""order = place among the passes."""
TASK_ENDS: Final = 9
"""A Spark task runs out; order = application; task, which try of it."""
DRIVER_DUE: Final = 10
"""order = application."""
APPLICATION_REGISTERS: Final = 11
"""A Spark driver on a worker registers its application; order = node; the driver's container."""
TRACKER_HEARTBEAT: Final = 12
"""A TaskTracker reports; order = node."""
NODE_RECONNECTS: Final = 14
"""A node without contact tries to reach a ResourceManager; order = node."""
RESOURCE_MANAGER_STARTS: Final = 15
"""A ResourceManager is there again."""
RECOVERY_DUE: Final = 16
"""A wait of a ResourceManager that recovers is over."""
MASTER_EXPIRES: Final = 17
"""order = application; the attempt whose master is silent."""
JOB_TRACKER_STARTS: Final = 18
"""A JobTracker is there again."""
NODE_MANAGER_STARTS: Final = 13
"""A node manager that was stopped starts again; order = node."""


class Clock(metaclass=State):
    """A heap of events and the time of the last one taken."""

    now_ms: int
    """Epoch ms."""
    position: Event
    """The last event taken, or the edge of an instant."""
    heap: list[Event] = []
    """Events to come; only `schedule` and `take` change it."""

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms
        self.position = (now_ms, -1)

    def schedule(self, event: Event) -> None:
        """Add an event; one before the present would turn time back and is refused.

        Raises:
            ValueError: The event is earlier than now.
        """
        if event[0] < self.now_ms:
            raise ValueError(f"event {event} is before {self.now_ms}")
        heappush(self.heap, event)

    def next_ms(self) -> int | None:
        """Return when the next event is due [epoch ms]; None when there is none."""
        return self.heap[0][0] if self.heap else None

    def take(self) -> Event:
        """Move to the next event and return it.

        Raises:
            IndexError: There is none.
        """
        event = heappop(self.heap)
        self.now_ms = event[0]
        self.position = event
        return event

    def pass_to(self, time_ms: int, *, ended: bool = True) -> None:
        """Let time pass to `time_ms` without an event.

        `time_ms` is not before now, and no event may be due earlier; `ended` says whether everything of that instant
        has happened, or nothing yet.
        """
        edge: Event = (time_ms, END_OF_INSTANT if ended else -1)
        if edge > self.position:
            self.now_ms = time_ms
            self.position = edge

    def next_beat_ms(self, phase_ms: int, interval_ms: int, priority: int, order: int) -> int:
        """Return the next instant of a rhythm that has not passed [epoch ms].

        `phase_ms` is any instant of the rhythm [epoch ms].
        """
        due = self.now_ms + (phase_ms - self.now_ms) % interval_ms
        return due if (due, priority, order) > self.position[:3] else due + interval_ms

    def last_beat_ms(self, phase_ms: int, interval_ms: int, priority: int, order: int) -> int:
        """Return the latest instant of a rhythm that has passed [epoch ms]; arguments as of `next_beat_ms`."""
        return self.next_beat_ms(phase_ms, interval_ms, priority, order) - interval_ms

    def drop(self, kinds: tuple[int, ...]) -> None:
        """Forget all events of these kinds; the heap stays the same list."""
        self.heap[:] = [event for event in self.heap if event[3] not in kinds]
        heapify(self.heap)
