"""Keeps the place of somebody in a recorded past, and shows what is seen from there."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Final

import msgspec

from engine.explain.alert import standing_of
from engine.live.watched import Watched
from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.snapshot import Snapshot
from engine.recorded.polls_writer import Happened, PollsWriter
from engine.recorded.series import SnapshotSeries, start_of
from engine.simulation.records import Record
from tui.picture import Graphs, Picture, RunState, Track
from tui.session.destinations import PRESENT, destination
from tui.session.event_log import event_rows, with_alerts

SPEED: Final = 10.0
"""First speed."""


class SeriesPlace:
    """The place of somebody in a series."""

    def __init__(self, series: SnapshotSeries, end_words: str) -> None:
        """Stand at the end. `end_words` refuse a wish to go beyond the end."""
        self.series = series
        self.end_words = end_words
        self.time_ms: int | None = None
        """The instant looked at [epoch ms]; None at the end."""
        self.speed = SPEED
        self.is_playing = False
        self._drawn: tuple[int, FixedSnapshot] | None = None
        """The last snapshot, and its instant."""

    def travel(self, where: str) -> str:
        """Go to an instant and stand; return the refusal, or nothing."""
        self.is_playing = False
        found = destination(where, self.series, self.time_ms, start_of(self.series), end_words=self.end_words)
        if not found.refusal:
            self._go(found.time_ms)
        return found.refusal

    def advance(self, real_ms: float) -> None:
        """Play on for a stretch of wall time; at the end it stands."""
        if self.time_ms is not None:
            self._go(None if self.speed == inf else self.time_ms + round(real_ms * self.speed))
        self.is_playing = self.is_playing and self.time_ms is not None

    def _go(self, time_ms: int | None) -> None:
        self.time_ms = None if time_ms is None or time_ms >= self.series.now_ms else time_ms

    def snapshot(self) -> FixedSnapshot:
        """Return the cluster at the instant looked at.

        Raises:
            ConfigError: What was recorded there cannot be read.
        """
        time_ms = self.series.now_ms if self.time_ms is None else self.time_ms
        if self._drawn is None or self._drawn[0] != time_ms:
            self._drawn = time_ms, self.series.snapshot_at(time_ms)
        return self._drawn[1]

    def picture(self, state: RunState) -> Picture:
        """Return the picture of the instant looked at.

        Raises:
            ConfigError: What was recorded there cannot be read.
        """
        series, snapshot = self.series, self.snapshot()
        time_ms = series.now_ms if self.time_ms is None else self.time_ms
        alerts, start_ms = tuple(series.alerts), series.first_ms // 1000 * 1000
        records = series.records_until(time_ms)
        rows = with_alerts(records, alerts, time_ms)
        is_end = self.time_ms is None
        state = msgspec.structs.replace(
            state,
            paused=not self.is_playing,
            speed=self.speed,
            offset_ms=series.offset_ms,
            present_ms=None if is_end else series.now_ms,
            track=Track(start_ms, series.first_ms, tuple(series.marks())),
            standing=tuple(reversed(standing_of(alerts))) if is_end else (),
            alerts=alerts,
        )
        reading = series.history.cluster.at(time_ms) or (0,) * len(series.history.names)
        version = hash((time_ms, len(rows), records[-1].number if records else -1))
        return Picture(snapshot, state, event_rows(rows), version, Graphs(series.history, reading, start_ms))


Begin = Callable[[Snapshot], PollsWriter]
"""Begins to keep polls, of which the first is given."""


class PollKeeping:
    """Keeps polls, and what happens between them; a listener."""

    def __init__(self, begin: Begin) -> None:
        """Keep nothing before the first poll."""
        self._begin = begin
        self._writer: PollsWriter | None = None
        self._records: list[Record] = []
        self.place: SeriesPlace | None = None
        """The instant looked at; None before the first poll."""
        self.trouble = ""
        """The reason why polls are kept no longer; empty while they are."""

    @property
    def name(self) -> str:
        """Name of the run of the polls; empty where there is none."""
        return "" if self._writer is None else self._writer.name

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Remember records for the poll that shows them."""
        self._records += records

    def keep(self, snapshot: Snapshot, watched: Watched) -> bool:
        """Keep a poll; return True when that has just become impossible.

        Raises:
            ConfigError: Nothing can be kept there at all.
        """
        if self._writer is None:
            self._writer = self._begin(snapshot)
            self.place = SeriesPlace(self._writer.series, PRESENT)
        records, self._records = self._records, []
        queues = {queue.path: queue.used[0] for queue in snapshot.queues() if queue.is_leaf}
        alerts, watched.alarms.news = watched.alarms.news, []
        self._writer.take(snapshot, Happened(watched.reading, queues, records, alerts))
        before, self.trouble = self.trouble, self._writer.trouble
        return bool(self.trouble) and not before

    def finish(self) -> None:
        """End the run of the polls."""
        if self._writer is not None:
            self._writer.finish()
