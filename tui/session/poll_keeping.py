"""Keeps every poll of a live cluster on disk, and lets one go back to it while the cluster is watched."""

from collections.abc import Callable, Sequence

from engine.live.alarm_rules import Alarm
from engine.live.watched import Watched, alert_of
from engine.observe.snapshot import Snapshot
from engine.recorded.polls_writer import Happened, PollsWriter
from engine.simulation.records import Record
from tui.session.destinations import PRESENT
from tui.session.series_place import SeriesPlace

Begin = Callable[[Snapshot], PollsWriter]
"""Begins to keep polls, of which the first is given."""


class PollKeeping:
    """A listener of what happens between polls; keeps it with them."""

    def __init__(self, begin: Begin) -> None:
        """Keep nothing before the first poll."""
        self._begin = begin
        self._writer: PollsWriter | None = None
        self._records: list[Record] = []
        self.place: SeriesPlace | None = None
        """Where somebody looks; None before the first poll."""
        self.trouble = ""
        """Why polls are kept no longer; empty as long as they are."""

    @property
    def name(self) -> str:
        """The run they are kept as; empty where none is."""
        return "" if self._writer is None else self._writer.name

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Remember what happened, for the poll that shows it."""
        self._records += records

    def keep(self, snapshot: Snapshot, watched: Watched, alarms: Sequence[Alarm]) -> bool:
        """Keep a poll that was taken; whether that has just become impossible.

        Raises:
            ConfigError: Nothing can be kept there at all.
        """
        if self._writer is None:
            self._writer = self._begin(snapshot)
            self.place = SeriesPlace(self._writer.series, PRESENT)
        records, self._records = self._records, []
        queues = {queue.path: queue.used[0] for queue in snapshot.queues() if queue.is_leaf}
        self._writer.take(snapshot, Happened(watched.reading, queues, records, [alert_of(each) for each in alarms]))
        before, self.trouble = self.trouble, self._writer.trouble
        return bool(self.trouble) and not before

    def finish(self) -> None:
        """The watch has ended."""
        if self._writer is not None:
            self._writer.finish()
