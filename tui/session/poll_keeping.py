"""Keeps every poll of a live cluster on disk, and goes back to it while the cluster is watched."""

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

    def keep(self, snapshot: Snapshot, watched: Watched, alarms: Sequence[Alarm]) -> bool:
        """Keep a poll; return True when that has just become impossible.

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
        """End the run of the polls."""
        if self._writer is not None:
            self._writer.finish()
