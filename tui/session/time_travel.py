"""Moves somebody who looks at the past of a run, and keeps their place."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from engine.run.recorded_run import RecordedRun
from engine.simulation.record_log import NumberedRecord, RecordLog
from engine.simulation.simulation import Simulation
from tui.picture import Graphs, Track
from tui.session.destinations import destination

PIECE_S = 0.005
"""Duration of one search for events [s]."""
EVENTS_SHOWN: Final = 1000
"""Most events before the instant looked at that are found again."""
STRETCHES: Final = 8
"""Most stretches between copies of the run that are searched for them."""
NOT_HERE = "This is the past: B branches from here, esc goes back to the present."


def version_of(rows: Sequence[NumberedRecord]) -> int:
    """Return a key that differs between any two lists of records of the past, and from any of the present."""
    return ~(rows[-1].number << 20 | len(rows)) if rows else -1


class TimeTravel:
    """The place of somebody in the past; none while they look at the present."""

    def __init__(self, recorded: RecordedRun) -> None:
        """Look at the present of a run."""
        self.timeline, self.history = recorded.timeline, recorded.history
        scenario = recorded.run.scenario
        self._start, self._start_ms = scenario.start, scenario.start_ms
        self.simulation: Simulation | None = None
        """A copy of the run at that instant; None in the present."""
        self._rows: list[NumberedRecord] = []
        """Events up to the instant looked at that were found again, oldest first."""
        self._finding: Iterator[list[NumberedRecord]] | None = None
        """The search for events before them."""
        self._stretches = 0

    @property
    def now_ms(self) -> int:
        """The instant looked at [epoch ms]."""
        return self.timeline.now_ms if self.simulation is None else self.simulation.now_ms

    def track(self) -> Track:
        """Return the stretch from the begin of the past to the present, with its alerts and acts."""
        timeline = self.timeline
        acts = {position[0]: type(act).__name__ for position, act in timeline.live.acts}
        return Track(self._start_ms, timeline.first_ms, tuple(timeline.marks()), acts)

    def travel(self, where: str) -> str:
        """Go to an instant; return the refusal, or nothing.

        Args:
            where: `back`, `on`: to a record; `mark.back`, `mark.on`: to an alert or act; `second`: one on; `live`: to
                the present; else a time as people write it.
        """
        looked_ms = None if self.simulation is None else self.simulation.now_ms
        found = destination(where, self.timeline, looked_ms, self._start)
        return found.refusal or self._go(found.time_ms)

    def _go(self, time_ms: int | None) -> str:
        """Look at an instant; after the past comes the present."""
        is_past = time_ms is not None and time_ms < self.timeline.now_ms
        self.simulation, self._finding = None, None  # lets go of the copies before the next is made
        if not is_past or time_ms is None:
            self._rows = []
            return ""
        heard = RecordLog()
        self.simulation = self.timeline.at(time_ms, heard)
        self._rows = heard.rows
        self._finding, self._stretches = self.timeline.records_before(heard.begin_ms), 0
        return ""

    def records(self, latest: Sequence[NumberedRecord]) -> Sequence[NumberedRecord]:
        """Return the records up to the instant looked at, as far as they are known.

        `latest` are the latest records of the whole run, oldest first.
        """
        seen = latest[: bisect_right(latest, self.now_ms, key=lambda row: row.time_ms)]
        if self.simulation is None or len(seen) >= EVENTS_SHOWN or not self._rows:
            return seen
        return [*(row for row in self._rows if not seen or row.number < seen[0].number), *seen]

    @property
    def is_finding(self) -> bool:
        """True while more events before the instant looked at may be found."""
        return self._finding is not None

    def find_events(self, latest: Sequence[NumberedRecord], is_over: Callable[[], bool]) -> None:
        """Search further for events before the instant looked at.

        `latest` are of the whole run, oldest first; `is_over` is called after every piece of work; True ends it.
        """
        finding, self._finding = self._finding, None  # let go of should it fail
        while finding is not None:
            events = self.records(latest)
            is_enough = (
                len(events) >= EVENTS_SHOWN or (events and events[0].number == 0) or self._stretches >= STRETCHES
            )
            found = None if is_enough else next(finding, None)
            if found is None:
                return
            if found:
                self._stretches += 1
                self._rows = [*found, *self._rows]
            if is_over():
                self._finding = finding
                return

    def graphs(self) -> Graphs:
        """Return the graphs up to the instant looked at."""
        simulation = self.simulation or self.timeline.live
        reading = self.history.reading(simulation.control_plane, simulation.now_ms)
        return Graphs(self.history, reading, self._start_ms)

    def branch(self) -> Simulation:
        """Return the run that goes on from here instead; what came after is forgotten."""
        simulation = self.timeline.branch(self.now_ms)
        self.history.follow(simulation.control_plane, simulation.now_ms)
        self.simulation, self._finding, self._rows = None, None, []
        return simulation
