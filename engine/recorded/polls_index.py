"""Indexes kept polls without their frames: instants, places in the file, graphs and alerts."""

from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from engine.explain.alert import Alert
from engine.live.alarms import MOST_ALERTS
from engine.observe.history import SERIES, History
from engine.recorded.polls_file import PlacedPoll


class Keyframe(NamedTuple):
    """The place of a keyframe."""

    time_ms: int
    part: int
    begin: int
    """The beginning of its line [bytes]."""


class PollsIndex:
    """Grows with each poll; takes eight bytes for one, and keeps the rest in bounds."""

    def __init__(self, dialect: str) -> None:
        """Know none; the dialect is that of their snapshots."""
        self.times_ms = array("q")
        """The instant of every poll, in order [epoch ms]."""
        self.keyframes: list[Keyframe] = []
        self.history = History()
        self.history.names = SERIES[dialect][0]
        self.alerts: deque[Alert] = deque(maxlen=MOST_ALERTS)
        self.records = 0
        """Records so far."""

    def add(self, part: int, placed: PlacedPoll) -> None:
        """A poll that is later than those before it."""
        poll = placed.poll
        self.times_ms.append(poll.time_ms)
        if poll.is_keyframe:
            self.keyframes.append(Keyframe(poll.time_ms, part, placed.begin))
        if poll.reading:
            self.history.cluster.note(poll.time_ms, poll.reading)
        for path, used_mb in poll.queues.items():
            self.history.note_queue(path, poll.time_ms, used_mb)
        self.alerts.extend(poll.alerts)
        self.records = poll.number + len(poll.records)

    def drop(self, part: int) -> None:
        """A part, the oldest one, is there no longer."""
        self.keyframes = [each for each in self.keyframes if each.part != part]
        first_ms = self.keyframes[0].time_ms if self.keyframes else None
        gone = len(self.times_ms) if first_ms is None else bisect_right(self.times_ms, first_ms - 1)
        self.times_ms = self.times_ms[gone:]

    def keyframe_before(self, time_ms: int) -> Keyframe:
        """The last keyframe at an instant [epoch ms] or before it; the first where there is none."""
        place = bisect_right(self.keyframes, time_ms, key=lambda each: each.time_ms)
        return self.keyframes[max(0, place - 1)]

    def parts_before(self, time_ms: int) -> Iterator[int]:
        """Parts that hold polls up to an instant [epoch ms], the latest first."""
        known = dict.fromkeys(each.part for each in reversed(self.keyframes) if each.time_ms <= time_ms)
        yield from known
