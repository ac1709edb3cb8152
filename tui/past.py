"""Looking at the past of a run: where one stands in it, and how one moves."""

from bisect import bisect_right
from collections.abc import Sequence

from engine.observe.history import History
from engine.run.player import Run
from engine.scenario import Scenario
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import Timeline
from engine.units import UnitError, parse_moment
from tui.picture import EventRow, Graphs, Track

PRESENT = "This is the present; [ and { go into the past."
FIRST = "This is where the past begins."
NOT_HERE = "This is the past: B branches from here, esc goes back to the present."


def begun(run: Run) -> "Past":
    """The past of a run that begins here."""
    history = History()
    history.follow(run.simulation.control_plane, run.simulation.now_ms)
    run.simulation.listeners.append(history)
    return Past(Timeline(run.simulation), history, run.scenario)


class Past:
    """The place somebody looks at; none while they look at the present."""

    def __init__(self, timeline: Timeline, history: History, scenario: Scenario) -> None:
        """Look at the present.

        Args:
            timeline: The run's.
            history: A listener of the run that follows it.
            scenario: What is played; its start is what times are read against.
        """
        self.timeline, self.history = timeline, history
        self._start, self._start_ms = scenario.start, scenario.start_ms
        self.simulation: Simulation | None = None
        """A copy of the run as it was; None in the present."""

    @property
    def now_ms(self) -> int:
        """The instant looked at [epoch ms]."""
        return self.timeline.now_ms if self.simulation is None else self.simulation.now_ms

    def track(self) -> Track:
        """The way from where the past begins to the present, with alerts and acts on it."""
        return Track(self._start_ms, self.timeline.first_ms, tuple(self.timeline.marks()))

    def travel(self, where: str) -> str:
        """Go somewhere; in words why not, or nothing.

        Args:
            where: `back`, `on`: by recorded step; `mark.back`, `mark.on`: by alert or act; `second`: one on; `live`:
                to the present; else a time as people write it.
        """
        if where == "live":
            self.simulation = None
            return ""
        if self.simulation is None and where in {"on", "mark.on", "second"}:
            return PRESENT
        timeline, now_ms = self.timeline, self.now_ms
        if where in {"back", "mark.back"}:
            found = timeline.previous_record(now_ms) if where == "back" else timeline.previous_mark(now_ms)
            return self._go(found) if found is not None else FIRST
        if where in {"on", "mark.on"}:
            return self._go(timeline.next_record(now_ms) if where == "on" else timeline.next_mark(now_ms))
        return self._go(now_ms + 1000) if where == "second" else self._read(where)

    def _read(self, words: str) -> str:
        try:
            time_ms = self._start_ms + parse_moment(words.strip(), self._start)
        except UnitError as error:
            return str(error)
        if time_ms > self.timeline.now_ms:
            return f"{words} has not come yet."
        if time_ms < self.timeline.first_ms:
            return FIRST
        return self._go(time_ms)

    def _go(self, time_ms: int | None) -> str:
        """Look at an instant; beyond the past there is the present."""
        is_past = time_ms is not None and time_ms < self.timeline.now_ms
        self.simulation = None  # lets go of the copy before the next is made
        self.simulation = self.timeline.at(time_ms) if is_past and time_ms is not None else None
        return ""

    def seen(self, rows: Sequence[EventRow]) -> Sequence[EventRow]:
        """Those of the events that had happened by then."""
        return rows[: bisect_right(rows, self.now_ms, key=lambda row: row.time_ms)]

    def graphs(self) -> Graphs:
        """What the cluster was up to the instant looked at, with the marks of the whole run."""
        simulation = self.simulation or self.timeline.live
        reading = self.history.reading(simulation.control_plane, simulation.now_ms)
        return Graphs(self.history, reading, self._start_ms, tuple(self.timeline.marks()))

    def branch(self) -> Simulation:
        """The run that goes on from here instead; what came after is forgotten."""
        simulation = self.timeline.branch(self.now_ms)
        self.history.follow(simulation.control_plane, simulation.now_ms)
        self.simulation = None
        return simulation
