"""Drives the clock of a recorded past: plays it at a speed, steps through it, goes to a time."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from math import inf
from typing import Final

import msgspec

from engine.explain.alert import IF_RUNS_ON, standing_of
from engine.live.watch_metrics import WatchedCluster
from engine.observe.documents import FixedSnapshot
from engine.observe.snapshot import Snapshot
from engine.recorded.log_series import SnapshotSeries, start_of
from engine.recorded.polls_writer import PollEvents, PollsWriter
from engine.scenario.acts import Act
from engine.simulation.records import Record
from engine.units import UnitError
from tui.protocol.picture import DONE, ActResult, Graphs, Notice, RunState, SessionChanged, SessionState, Track, refused
from tui.protocol.session import Post, SessionStateProtocol, TwinProtocol, cancel_all, nowhere
from tui.session.advice import LiveQuestions
from tui.session.alert_monitor import event_rows, with_alerts
from tui.session.driving import RunDriver, settle_again
from tui.session.time_travel import NOT_HERE, PLAY, PRESENT, destination, goal_of
from tui.terminal import edges as crash
from tui.terminal.format import TIMES, clock

SPEEDS: Final = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, inf)
"""The speeds that + and - go through; the last is as fast as possible."""


def _next_speed(now: float, direction: int) -> float:
    if direction > 0:
        return next((one for one in SPEEDS if one > now), SPEEDS[-1])
    return next((one for one in reversed(SPEEDS) if one < now), SPEEDS[0])


NOTHING_LEFT: Final = "Nothing was undone."
MOVED_ON: Final = "The run went on since: what was undone cannot be brought back."


class SessionClock:
    """The clock of one run; implements `protocol.session.ClockProtocol`."""

    def __init__(self, driver: RunDriver) -> None:
        self._driver = driver
        self._left: tuple[int, int, list[tuple[tuple[int, ...], Act]]] | None = None
        """Where the run went on from an earlier instant, where it stood then [epoch ms], and its acts between."""
        self._had = 0  # Number of acts of the run when that was left

    async def toggle_pause(self) -> None:
        if self._is_past() or self._is_over() or self._is_frozen():
            return
        was_seeking = self._driver.pace.is_seeking
        self._driver.pace.stop_seeking()
        self._driver.set(paused=was_seeking or not self._driver.state.paused)

    def _is_over(self) -> bool:
        driver, state = self._driver, self._driver.state
        if state.ended or state.failure:
            ended = f"The scenario ended at {clock(driver.run.simulation.now_ms, state.offset_ms)}."
            driver.notice(state.failure or ended, "warning")
        return state.ended or bool(state.failure)

    def _is_past(self) -> bool:
        if self._driver.travel.simulation is not None:
            self._driver.notice(NOT_HERE, "warning")
        return self._driver.travel.simulation is not None

    def _is_frozen(self) -> bool:
        frozen = self._driver.state.frozen
        if frozen:
            self._driver.notice(f"Clock paused: {frozen} stopped it.", "warning")
        return bool(frozen)

    async def suspend(self, *, held: bool) -> None:
        self._driver.suspend(held=held)

    async def change_speed(self, direction: int) -> None:
        self._driver.set(speed=_next_speed(self._driver.state.speed, direction))

    async def set_speed(self, speed: float) -> None:
        self._driver.set(speed=speed or inf)
        if self._driver.is_clock_stopped():
            words = f"{TIMES}{speed:g}" if speed else "as fast as possible"
            self._driver.notice(f"Clock paused; its speed is now {words}.", "information")

    async def step(self, unit: str) -> None:
        if self._driver.travel.simulation is not None:
            _ = self._travel("second" if unit == "second" else "on")
        elif not self._is_over() and not self._is_frozen():
            self._step(unit)

    def _step(self, unit: str) -> None:
        driver, pace = self._driver, self._driver.pace
        pace.stop_seeking()
        driver.set(paused=True)
        if unit == "decision":
            pace.seek()
        else:
            _ = driver.guarded(pace.step_second if unit == "second" else pace.step_event)
        driver.set()

    async def travel(self, where: str) -> ActResult:
        if where == "on" and self._driver.travel.simulation is None:
            await self.step("decision")
            return DONE
        wish, _, words = where.partition(" ")
        return refused(self._play_to(words.strip()) if wish == PLAY else self._travel(where))

    def _play_to(self, words: str) -> str:
        driver, simulation = self._driver, self._driver.run.simulation
        if self._is_past() or self._is_over() or self._is_frozen():
            return ""
        try:
            goal_ms = goal_of(words, simulation.now_ms, driver.run.scenario.start, driver.pace.end_ms)
        except UnitError as error:
            return str(error)
        driver.pace.stop_seeking()
        driver.set(paused=True)
        driver.pace.play_to(goal_ms)
        driver.set()
        return ""

    def _travel(self, where: str) -> str:
        driver, words = self._driver, [""]
        driver.pace.stop_seeking()
        driver.set(paused=True)
        _ = driver.guarded(lambda: words.append(driver.travel.travel(where)))
        driver.changed()
        driver.wake()
        return words[-1]

    async def branch(self) -> ActResult:
        driver = self._driver
        if driver.travel.simulation is None:
            return refused(PRESENT)
        here_ms, live = driver.travel.now_ms, driver.run.simulation
        if words := driver.keeping.branch(live.now_ms, here_ms):
            return refused(words)
        self._left = here_ms, live.now_ms, [each for each in live.acts if each[0][0] > here_ms]
        driver.branch(driver.travel.branch())
        self._had = len(driver.run.simulation.acts)
        settle_again()
        return DONE

    async def redo(self) -> ActResult:
        """Play again what the run had come to; what was done since is left in its turn."""
        driver, left = self._driver, self._left
        if left is None:
            return refused(NOTHING_LEFT)
        since_ms, until_ms, acts = left
        if driver.run.simulation.now_ms != since_ms or len(driver.run.simulation.acts) != self._had:
            return refused(MOVED_ON)
        self._left = None

        def play() -> None:
            timeline = driver.travel.timeline
            timeline.follow(acts, until_ms)
            driver.go_on(timeline.live)

        _ = driver.guarded(play)
        driver.keeping.sync()
        driver.set(paused=True)
        return DONE


SPEED: Final = 10.0  # First speed


class SeriesPlace:
    """The place of somebody in a recorded past, and what is seen from there."""

    def __init__(self, series: SnapshotSeries, end_words: str) -> None:
        """Stand at the end. `end_words` refuse a wish to go beyond the end."""
        self.series = series
        self.end_words = end_words
        self.time_ms: int | None = None  # The instant looked at [epoch ms]; None at the end
        self.speed = SPEED
        self.is_playing = False
        self._drawn: tuple[int, FixedSnapshot] | None = None  # The last snapshot, and its instant

    def travel(self, where: str) -> str:
        self.is_playing = False
        found = destination(where, self.series, self.time_ms, start_of(self.series), end_words=self.end_words)
        if not found.refusal:
            self._go(found.time_ms)
        return found.refusal

    def advance(self, real_ms: float) -> None:
        if self.time_ms is not None:
            self._go(None if self.speed == inf else self.time_ms + round(real_ms * self.speed))
        self.is_playing = self.is_playing and self.time_ms is not None

    def _go(self, time_ms: int | None) -> None:
        self.time_ms = None if time_ms is None or time_ms >= self.series.now_ms else time_ms

    def snapshot(self) -> FixedSnapshot:
        """The cluster at the instant looked at; a `ConfigError` where what was recorded there cannot be read."""
        time_ms = self.series.now_ms if self.time_ms is None else self.time_ms
        if self._drawn is None or self._drawn[0] != time_ms:
            self._drawn = time_ms, self.series.snapshot_at(time_ms)
        return self._drawn[1]

    def picture(self, state: RunState) -> SessionState:
        """The picture of the instant looked at; a `ConfigError` as of `snapshot`."""
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
        return SessionState(snapshot, state, event_rows(rows), version, Graphs(series.history, reading, start_ms))


Begin = Callable[[Snapshot], PollsWriter]  # Begins to keep polls, of which the first is given


class PollKeeping:
    """Keeps polls, and what happens between them; a listener."""

    def __init__(self, begin: Begin) -> None:
        self._begin = begin
        self._writer: PollsWriter | None = None
        self._records: list[Record] = []
        self.place: SeriesPlace | None = None  # The instant looked at; None before the first poll
        self.trouble = ""  # The reason why polls are kept no longer; empty while they are

    @property
    def name(self) -> str:
        return "" if self._writer is None else self._writer.name

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._records += records

    def keep(self, snapshot: Snapshot, watched: WatchedCluster) -> bool:
        """Keep a poll; True when that has just become impossible, a `ConfigError` where it is so from the start."""
        if self._writer is None:
            self._writer = self._begin(snapshot)
            self.place = SeriesPlace(self._writer.series, PRESENT)
        records, self._records = self._records, []
        queues = {queue.path: queue.used[0] for queue in snapshot.queues() if queue.is_leaf}
        alerts, watched.alarms.news = watched.alarms.news, []
        self._writer.take(snapshot, PollEvents(watched.reading, queues, records, alerts))
        before, self.trouble = self.trouble, self._writer.trouble
        return bool(self.trouble) and not before

    def finish(self) -> None:
        if self._writer is not None:
            self._writer.finish()


TICK_S: Final = 0.1  # Time between two pictures while it is played [s]
NO_BRANCH: Final = "A recording cannot continue from here: only a simulation can."


Sleep = Callable[[float], Awaitable[None]]


class SeriesClock:
    """Moves a place; implements `protocol.session.ClockProtocol`."""

    def __init__(
        self, place: SeriesPlace, wall: Callable[[], float] = time.monotonic, sleep: Sleep = asyncio.sleep
    ) -> None:
        """Stand. `wall` is the wall clock [s]; `sleep` waits a time [s]."""
        self._place, self._wall, self._sleep = place, wall, sleep
        self._held = False
        self._post: Post = nowhere
        self._task: asyncio.Task[None] | None = None

    def start(self, post: Post) -> None:
        self._post = post

    async def close(self) -> None:
        self._post, self._place.is_playing = nowhere, False
        await cancel_all(self._task)

    async def toggle_pause(self) -> None:
        place = self._place
        if place.time_ms is None:
            self._notice(place.end_words, "warning")
            return
        place.is_playing = not place.is_playing
        if place.is_playing and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._play())
            self._task.add_done_callback(self._ended)
        self._changed()

    async def suspend(self, *, held: bool) -> None:
        self._held = held

    async def step(self, unit: str) -> None:
        if words := self._place.travel("second" if unit == "second" else "on"):
            self._notice(words, "warning")
        self._changed()

    async def travel(self, where: str) -> ActResult:
        words = self._place.travel(where)
        self._changed()
        return refused(words)

    async def redo(self) -> ActResult:
        return refused(NO_BRANCH)

    async def branch(self) -> ActResult:
        """Refuse: a recorded past cannot go on; a simulation is built from the instant looked at."""
        return refused(NO_BRANCH)

    async def change_speed(self, direction: int) -> None:
        await self.set_speed(_next_speed(self._place.speed, direction))

    async def set_speed(self, speed: float) -> None:
        self._place.speed = speed or inf
        self._changed()

    async def _play(self) -> None:
        before_s = self._wall()
        while self._place.is_playing:
            await self._sleep(TICK_S)
            now_s = self._wall()
            if not self._held and self._place.is_playing:
                self._place.advance((now_s - before_s) * 1000)
                self._changed()
            before_s = now_s

    def _ended(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._notice(crash.report(error), "error")

    def _changed(self) -> None:
        self._post(SessionChanged())

    def _notice(self, words: str, severity: str) -> None:
        self._post(Notice(words, severity))


END: Final = "Nothing was recorded after this; [ and { go into the past."


class SeriesPictures(SessionStateProtocol):
    """The pictures of a recorded past; how something was configured was not recorded, nor plans."""

    def __init__(self, place: SeriesPlace, clock: SeriesClock) -> None:
        self._place, self._clock = place, clock
        what = place.series.what
        self._state = RunState(place.series.name, recorded=what, condition="" if what == "log" else IF_RUNS_ON)

    async def start(self, post: Post) -> None:
        """Begin to post; what was inferred is said first."""
        self._clock.start(post)
        post(SessionChanged())
        for note in self._place.series.notes:
            post(Notice(note))

    async def close(self) -> None:
        await self._clock.close()

    async def picture(self) -> SessionState:
        return self._place.picture(self._state)


class SeriesConnection:
    """A recorded past as screens see it; implements `protocol.session.Connection`. It cannot be changed."""

    acts = None
    twin: TwinProtocol | None = None  # Makes a simulation that goes on from the instant looked at

    def __init__(
        self, series: SnapshotSeries, wall: Callable[[], float] = time.monotonic, sleep: Sleep = asyncio.sleep
    ) -> None:
        """Show it; `wall` and `sleep` are those of `SeriesClock`."""
        self.place = SeriesPlace(series, END)
        self.clock = SeriesClock(self.place, wall, sleep)
        self.pictures = SeriesPictures(self.place, self.clock)
        self.questions = LiveQuestions(None, self.place.snapshot, zone=start_of(series).tzinfo)
