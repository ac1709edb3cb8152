"""Holds the simulated time and the heap of events to come.

Time is epoch ms and never goes back. `position` is the last event that was taken, so "later than now" is a comparison
of tuples also within one instant.
"""

from heapq import heapify, heappop, heappush

from engine.simulation.events import END_OF_INSTANT, Event
from engine.state import State


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

        Args:
            time_ms: Epoch ms; not before now, and no event may be due earlier.
            ended: Whether everything of that instant has happened, or nothing yet.
        """
        edge: Event = (time_ms, END_OF_INSTANT if ended else -1)
        if edge > self.position:
            self.now_ms = time_ms
            self.position = edge

    def next_beat_ms(self, phase_ms: int, interval_ms: int, priority: int, order: int) -> int:
        """Return the next instant of a rhythm that has not passed [epoch ms].

        Args:
            phase_ms: Any instant of the rhythm [epoch ms].
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
