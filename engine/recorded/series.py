"""The interface of a recorded past: a snapshot at any instant, the events before it, and places to go next."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from engine.explain.alert import Alert
from engine.instants import moment_at, zone_of
from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.history import History
from engine.simulation.record_log import NumberedRecord


class SnapshotSeries(Protocol):
    """The states of a cluster from one instant to another; instants are epoch ms.

    A series may grow at its end while it is looked at.
    """

    name: str
    """What the past is called, for people."""
    what: str
    """What it was taken from, in a word: `log` or `polls`."""
    offset_ms: int
    """East of Greenwich, to show times of day as the cluster's people saw them."""

    @property
    def history(self) -> History:
        """Return the history of the cluster, for graphs."""

    @property
    def first_ms(self) -> int:
        """The first instant that is known."""

    @property
    def now_ms(self) -> int:
        """The last instant that is known."""

    @property
    def alerts(self) -> Sequence[Alert]:
        """Everything that was found to be wrong, in order of time."""

    @property
    def notes(self) -> Sequence[str]:
        """Return what was assumed and what is not known, a sentence each."""

    def snapshot_at(self, time_ms: int) -> FixedSnapshot:
        """The cluster at an instant; what is before the first is taken for the first, likewise at the end.

        Raises:
            ConfigError: What was recorded there cannot be read.
        """

    def records_until(self, time_ms: int) -> Sequence[NumberedRecord]:
        """Return the records up to the end of an instant, oldest first; only the latest where there are very many."""

    def marks(self) -> Sequence[int]:
        """Instants worth going to, sorted."""

    def previous_record(self, time_ms: int) -> int | None:
        """The last instant before this one at which something changed; None when there is none."""

    def next_record(self, time_ms: int) -> int | None:
        """The first instant after this one at which something changed; None when there is none."""

    def previous_mark(self, time_ms: int) -> int | None:
        """The last mark before an instant; None when there is none."""

    def next_mark(self, time_ms: int) -> int | None:
        """The first mark after an instant; None when there is none."""


def start_of(series: SnapshotSeries) -> datetime:
    """The whole second a series begins in, as its people saw it: what times are counted from."""
    return moment_at(series.first_ms // 1000 * 1000, zone_of(series.offset_ms))


def before(times_ms: Sequence[int], time_ms: int) -> int | None:
    """The last of sorted instants that is before one; None when there is none."""
    place = bisect_left(times_ms, time_ms)
    return times_ms[place - 1] if place else None


def after(times_ms: Sequence[int], time_ms: int) -> int | None:
    """The first of sorted instants that is after one; None when there is none."""
    place = bisect_right(times_ms, time_ms)
    return times_ms[place] if place < len(times_ms) else None
