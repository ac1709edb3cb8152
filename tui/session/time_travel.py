"""Moves a viewer of the past of a run, and keeps their place."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from math import inf
from typing import Final, NamedTuple, Protocol

from engine.errors import ConfigError
from engine.run.player import Run
from engine.run.run_store import RecordedRun
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import NumberedRecord, RecordLog
from engine.units import UnitError, parse_duration, parse_instant, parse_instant_option
from tui.protocol.picture import Graphs, Track
from tui.session.alert_monitor import EventLog

PRESENT: Final = "This is the present; [ and { go into the past."
FIRST: Final = "The recorded past begins here."
PLAY: Final = "play"  # The wish to play on to a time
RECORDED: Final = "What was recorded is not played on; space moves through it at its speed."


class Past(Protocol):
    """A past; instants are epoch ms."""

    @property
    def first_ms(self) -> int:
        """Its begin."""

    @property
    def now_ms(self) -> int:
        """Its end."""

    def previous_record(self, time_ms: int) -> int | None:
        """Return the last instant before this one at which something happened."""

    def next_record(self, time_ms: int) -> int | None:
        """Return the first instant after this one at which something happened."""

    def previous_mark(self, time_ms: int) -> int | None:
        """Return the last instant before this one that a mark leads to; of an act, the one before it."""

    def next_mark(self, time_ms: int) -> int | None:
        """Return the first instant after this one that a mark leads to; of an act, the one before it."""


class Destination(NamedTuple):
    time_ms: int | None = None  # The instant [epoch ms]; None is the present
    refusal: str = ""  # The reason of a refusal, in words; empty where there is a target


def destination(
    where: str, past: Past, looked_ms: int | None, start: datetime, *, end_words: str = PRESENT
) -> Destination:
    """Find the target of a wish; `where` is as of `TimeTravel.travel`, `looked_ms` is None at the present.

    Times count from the `start` of the run; `play` and a time is refused, as only a simulation plays on. A wish to go
    beyond the end is refused with the `end_words`.
    """
    if where == "live":
        return Destination()
    if where.split(maxsplit=1)[:1] == [PLAY]:
        return Destination(refusal=RECORDED)
    if looked_ms is None and where in {"on", "mark.on", "second"}:
        return Destination(refusal=end_words)
    now_ms = past.now_ms if looked_ms is None else looked_ms
    if where in {"back", "mark.back"}:
        found = past.previous_record(now_ms) if where == "back" else past.previous_mark(now_ms)
        return Destination(found) if found is not None else Destination(refusal=FIRST)
    if where in {"on", "mark.on"}:
        return Destination(past.next_record(now_ms) if where == "on" else past.next_mark(now_ms))
    return Destination(now_ms + 1000) if where == "second" else _read(where, past, start)


def goal_of(words: str, now_ms: int, start: datetime, end_ms: int) -> int:
    """The instant to play on to [epoch ms], by default the end; a `UnitError` where words are no time to come."""
    if not words:
        return end_ms
    if words.startswith("+"):
        return now_ms + parse_duration(words[1:])
    goal_ms = round(start.timestamp() * 1000) + parse_instant(words, start)
    if goal_ms <= now_ms:
        raise UnitError(f"{words} has passed; goto looks at it")
    return goal_ms


def _read(words: str, past: Past, start: datetime) -> Destination:
    try:
        time_ms = round(start.timestamp() * 1000) + parse_instant(words.strip(), start)
    except UnitError as error:
        return Destination(refusal=str(error))
    if time_ms > past.now_ms:
        try:
            _ = parse_instant_option(words.strip(), start, "")
        except ConfigError as error:  # a time of day before the start
            return Destination(refusal=f"{error}.")
        return Destination(refusal=f"{words} has not come yet.")
    if time_ms < past.first_ms:
        return Destination(refusal=FIRST)
    return Destination(time_ms)


SLICE_S: Final = 0.006  # Longest duration of one slice of work [s]
REST_S: Final = 0.02  # The longest wait between two slices while the clock runs [s]
CHUNK: Final = 64  # Events between two looks at the wall clock


class ScriptPace:
    """Moves a run at a speed, in slices, and by single steps; it stops before each step of the script."""

    def __init__(self, run: Run, log: EventLog, *, speed: float, paused: bool, wall: Callable[[], float]) -> None:
        """Stand until the first slice; `speed` is simulated seconds per second, `inf` is flat out."""
        self._run, self._log, self._wall = run, log, wall
        self.end_ms = run.scenario.start_ms + run.until_ms  # End of the run [epoch ms]
        self._stops = sorted({run.scenario.start_ms + step.at_ms for step in run.scenario.script})
        self._decisions: int | None = None  # Number of decisions when the search for the next began
        self._goal_ms: int | None = None  # The instant that is played to [epoch ms]; None while there is none
        self.set(speed, paused=paused)

    @property
    def is_seeking(self) -> bool:
        return self._decisions is not None or self._goal_ms is not None

    def set(self, speed: float, *, paused: bool) -> None:
        self._speed, self._paused = speed, paused
        self.anchor()

    def anchor(self) -> None:
        self._begin_s, self._begin_ms = self._wall(), self._run.simulation.now_ms

    def slice(self) -> float:
        """Work for a slice; return how long to rest then [s]."""
        if self._decisions is not None:
            self._seek_on(self._decisions)
            return 0.0
        if self._paused or self._run.ended:
            return REST_S
        is_behind = not self._play_to(self._due_ms())
        simulation = self._run.simulation
        if self._goal_ms is not None and simulation.now_ms >= self._goal_ms:
            self.stop_seeking()
        elif simulation.now_ms >= self._until_ms():
            self._cross()
        if self._speed == inf:
            return REST_S if simulation.next_event_ms() is None else 0.0
        if is_behind:
            self.anchor()
        return 0.0 if is_behind else REST_S

    def play_to(self, goal_ms: int) -> None:
        """Play as fast as it can to an instant [epoch ms] and stand, in the slices to come."""
        self._goal_ms = min(goal_ms, self.end_ms)
        self.set(inf, paused=False)

    def seek(self) -> None:
        self._decisions = self._log.decisions

    def stop_seeking(self) -> None:
        self._decisions = None
        if self._goal_ms is not None:
            self._goal_ms = None
            self.set(self._speed, paused=True)

    def step_second(self) -> None:
        self._run.advance((self._run.now_ms // 1000 + 1) * 1000)

    def step_event(self) -> None:
        stop, due = self._next_stop(), self._run.simulation.next_event_ms()
        if due is None or due >= (self.end_ms if stop is None else stop):
            self._cross()
        else:
            self._run.simulation.step()

    def _seek_on(self, decisions: int) -> None:
        deadline = self._wall() + SLICE_S
        while self._decisions is not None and self._wall() < deadline:
            self.step_event()
            if self._log.decisions != decisions or self._run.ended:
                self._decisions = None

    def _due_ms(self) -> int:
        if self._speed == inf:
            return self._until_ms()
        return min(self._begin_ms + int((self._wall() - self._begin_s) * 1000 * self._speed), self._until_ms())

    def _play_to(self, due_ms: int) -> bool:
        simulation, deadline = self._run.simulation, self._wall() + SLICE_S
        while simulation.run_events(CHUNK, due_ms):
            if self._wall() >= deadline:
                return False
        simulation.run_until(due_ms)
        return True

    def _cross(self) -> None:
        stop = self._next_stop()
        self._run.advance(self._run.until_ms if stop is None else stop - self._run.scenario.start_ms)

    def _next_stop(self) -> int | None:
        now_ms = self._run.simulation.now_ms
        return next((stop for stop in self._stops if now_ms < stop <= self.end_ms), None)

    def _until_ms(self) -> int:
        stop = self._next_stop()
        until_ms = self.end_ms if stop is None else stop - 1
        return until_ms if self._goal_ms is None else min(until_ms, self._goal_ms)


PIECE_S = 0.005  # Duration of one search for events [s]
EVENTS_SHOWN: Final = 1000  # Most events before the instant looked at that are found again
STRETCHES: Final = 8  # Most stretches between copies of the run that are searched for them
NOT_HERE = "This is the past: B branches from here, esc goes back to the present."


class TimeTravel:
    """A viewer's place in the past; none while they look at the present."""

    def __init__(self, recorded: RecordedRun) -> None:
        self.timeline, self.history = recorded.timeline, recorded.history
        scenario = recorded.run.scenario
        self._start, self._start_ms = scenario.start, scenario.start_ms
        self._scripted = frozenset(scenario.start_ms + step.at_ms for step in scenario.script)
        self.simulation: Simulation | None = None  # A copy of the run at that instant; None in the present
        self._rows: list[NumberedRecord] = []  # Events up to the instant looked at that were found again, oldest first
        self._finding: Iterator[list[NumberedRecord]] | None = None  # The search for events before them
        self._stretches = 0

    @property
    def now_ms(self) -> int:
        return self.timeline.now_ms if self.simulation is None else self.simulation.now_ms

    def track(self) -> Track:
        timeline = self.timeline
        acts = {position[0]: type(act).__name__ for position, act in timeline.live.acts}
        return Track(self._start_ms, timeline.first_ms, tuple(timeline.marks()), acts, self._scripted)

    def travel(self, where: str) -> str:
        """Go to an instant; return the refusal, or nothing.

        `where` is `back`, `on`: to a record; `mark.back`, `mark.on`: to an alert or act; `second`: one on; `live`: to
        the present; else a time as people write it.
        """
        looked_ms = None if self.simulation is None else self.simulation.now_ms
        found = destination(where, self.timeline, looked_ms, self._start)
        return found.refusal or self._go(found.time_ms)

    def _go(self, time_ms: int | None) -> str:
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
        """The records up to the instant looked at, as far as known; `latest` are those of the run, oldest first."""
        seen = latest[: bisect_right(latest, self.now_ms, key=lambda row: row.time_ms)]
        if self.simulation is None or len(seen) >= EVENTS_SHOWN or not self._rows:
            return seen
        return [*(row for row in self._rows if not seen or row.number < seen[0].number), *seen]

    @property
    def is_finding(self) -> bool:
        return self._finding is not None

    def find_events(self, latest: Sequence[NumberedRecord], is_over: Callable[[], bool]) -> None:
        """Search further for events before the instant looked at, until `is_over`; `latest` are as of `records`."""
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
        simulation = self.simulation or self.timeline.live
        reading = self.history.reading(simulation.control_plane, simulation.now_ms)
        return Graphs(self.history, reading, self._start_ms)

    def branch(self) -> Simulation:
        simulation = self.timeline.branch(self.now_ms)
        self.history.follow(simulation.control_plane, simulation.now_ms)
        self.simulation, self._finding, self._rows = None, None, []
        return simulation
