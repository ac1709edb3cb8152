"""Drives the clock of a recorded past: plays it at a speed, steps through it, goes to a time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from math import inf
from typing import Final

from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.spark_plans import PlanTables
from engine.recorded.series import SnapshotSeries, start_of
from tui import crash
from tui.picture import ActResult, Definition, Notice, Picture, PictureChanged, RunState, refused
from tui.session.clock import next_speed
from tui.session.live_questions import LiveQuestions
from tui.session.series_place import SeriesPlace
from tui.session_protocol import Post, TwinProtocol

TICK_S: Final = 0.1
"""Time between two pictures while it is played [s]."""
NO_BRANCH: Final = "A recording cannot continue from here: only a simulation can."


class SeriesClock:
    """Moves a place; implements `session_protocol.ClockProtocol`."""

    def __init__(
        self,
        place: SeriesPlace,
        *,
        wall: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Stand. `wall` is the wall clock [s]; `sleep` waits a time [s]."""
        self._place = place
        self._wall, self._sleep = wall, sleep
        self._held = False
        self._post: Post | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self, post: Post) -> None:
        """Begin to post."""
        self._post = post

    async def close(self) -> None:
        """Stop for good."""
        self._post, self._place.is_playing = None, False
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def toggle_pause(self) -> None:
        """Play on from the instant looked at, or stand."""
        place = self._place
        if place.time_ms is None:
            self._notice(place.end_words, "warning")
            return
        place.is_playing = not place.is_playing
        if place.is_playing and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._play())
            self._task.add_done_callback(self._ended)
        self._changed()

    async def hold(self, *, held: bool) -> None:
        """Stand while a dialog is open."""
        self._held = held

    async def step(self, unit: str) -> None:
        """Go on to the next second, else to the next instant at which something happened."""
        if words := self._place.travel("second" if unit == "second" else "on"):
            self._notice(words, "warning")
        self._changed()

    async def travel(self, where: str) -> ActResult:
        """Go through time, and stand."""
        words = self._place.travel(where)
        self._changed()
        return refused(words)

    async def branch(self) -> ActResult:
        """Refuse: a recorded past cannot go on; a simulation is built from `snapshot_at`."""
        return refused(NO_BRANCH)

    async def change_speed(self, direction: int) -> None:
        """Take the next speed, or the one before."""
        await self.set_speed(next_speed(self._place.speed, direction))

    async def set_speed(self, speed: float) -> None:
        """Play at a speed; 0 goes to the end at once."""
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
        """Say so when playing ended by a mistake of ours."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._notice(crash.report(error), "error")

    def _changed(self) -> None:
        if self._post is not None:
            self._post(PictureChanged())

    def _notice(self, words: str, severity: str) -> None:
        if self._post is not None:
            self._post(Notice(words, severity))


END: Final = "Nothing was recorded after this; [ and { go into the past."


class SeriesPictures:
    """Implements `session_protocol.PicturesProtocol`."""

    def __init__(self, place: SeriesPlace, clock: SeriesClock) -> None:
        """Look at a place of a series, which a clock moves."""
        self._place, self._clock = place, clock
        self._state = RunState(place.series.name, recorded=place.series.what)

    async def start(self, post: Post) -> None:
        """Begin to post; what was inferred is said first."""
        self._clock.start(post)
        post(PictureChanged())
        for note in self._place.series.notes:
            post(Notice(note))

    async def close(self) -> None:
        """Stop playing."""
        await self._clock.close()

    async def picture(self) -> Picture:
        """Return the picture of the instant looked at."""
        return self._place.picture(self._state)

    def snapshot_at(self, time_ms: int | None = None) -> FixedSnapshot:
        """Return the cluster at an instant [epoch ms], to build a simulation from; None is the one looked at."""
        return self._place.snapshot() if time_ms is None else self._place.series.snapshot_at(time_ms)

    async def drawn(self, took_s: float) -> None:
        """Do nothing."""

    async def definition(self, kind: str, name: str) -> Definition | None:
        """Return None: how something was configured was not recorded."""
        return None

    async def plans(self) -> tuple[PlanTables, ...]:
        """Return none: plans are not recorded."""
        return ()


class SeriesConnection:
    """A recorded past as screens see it; implements `session_protocol.Connection`. It cannot be changed."""

    acts = None
    twin: TwinProtocol | None = None
    """Makes a simulation that goes on from the instant looked at."""

    def __init__(self, series: SnapshotSeries) -> None:
        """Stand at its end."""
        self.place = SeriesPlace(series, END)
        self.clock = SeriesClock(self.place)
        self.pictures = SeriesPictures(self.place, self.clock)
        self.questions = LiveQuestions(None, self.place.snapshot, zone=start_of(series).tzinfo)
