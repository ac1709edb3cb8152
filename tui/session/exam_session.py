"""The session of an exam: its clock goes one way at one speed, and its pictures show symptoms as they are reported."""

import time
from collections.abc import Callable
from typing import Final

import msgspec

from engine.observe.spark_plans import PlanTables
from tui.picture import ActResult, Definition, Picture, RunState, refused
from tui.session.clock import SessionClock
from tui.session.drill_play import DrillPlay
from tui.session_protocol import Connection, Post

ONE_WAY: Final = "An exam goes one way: there is no past and no other speed."
PAUSED: Final = "Paused: this costs 1 point each 10 s; p goes on."


class ExamClock:
    """Implements `session_protocol.ClockProtocol`: it stands in no dialog, and only `p` stops it, which costs."""

    def __init__(self, play: DrillPlay, wall: Callable[[], float] = time.monotonic) -> None:
        """`wall` is the clock [s] by which a pause is measured."""
        self._play, self._wall = play, wall
        self._clock: SessionClock = play.session.clock
        self._since_s: float | None = None
        play.before_end = self.end_pause

    def end_pause(self) -> None:
        """Record the pause that stands, if any."""
        if self._since_s is not None:
            _ = self._play.note(do="pause", lasted_ms=round((self._wall() - self._since_s) * 1000))
            self._since_s = None

    async def toggle_pause(self) -> None:
        """Stop the clock, or let it run."""
        driver = self._play.session.driver
        was_paused = driver.state.paused
        await self._clock.toggle_pause()
        if driver.state.paused and not was_paused:
            self._since_s = self._wall()
            driver.notice(PAUSED, "warning")
        elif was_paused and not driver.state.paused:
            self.end_pause()

    async def hold(self, *, held: bool) -> None:
        """Go on while a dialog is open."""

    async def step(self, unit: str) -> None:
        """Refuse."""
        self._refuse()

    async def travel(self, where: str) -> ActResult:
        """Refuse."""
        return refused(ONE_WAY)

    async def branch(self) -> ActResult:
        """Refuse."""
        return refused(ONE_WAY)

    async def change_speed(self, direction: int) -> None:
        """Refuse."""
        self._refuse()

    async def set_speed(self, speed: float) -> None:
        """Refuse."""
        self._refuse()

    def _refuse(self) -> None:
        self._play.session.driver.notice(ONE_WAY, "warning")


class ExamPictures:
    """Implements `session_protocol.PicturesProtocol`: the drill's pictures, as they are reported in the exam."""

    def __init__(self, play: DrillPlay) -> None:
        self._play, self._pictures = play, play.session.pictures

    async def start(self, post: Post) -> None:
        """Begin to post."""
        await self._pictures.start(post)

    async def close(self) -> None:
        """End."""
        await self._pictures.close()

    async def picture(self) -> Picture:
        """The picture as it is reported; after the exam, as it is."""
        found, play = await self._pictures.picture(), self._play
        if play.debrief is not None:
            return found
        exam = play.drill.drill.exam
        return msgspec.structs.replace(
            found,
            snapshot=exam.reported(found.snapshot, play.now_ms),
            run=self._marked(found.run),
            graphs=found.graphs if exam.has_graphs(play.now_ms) else None,
        )

    def _marked(self, run: RunState) -> RunState:
        """Called as the drill is; with a mark on the pulse for each page."""
        run = msgspec.structs.replace(run, name=self._play.drill.title)
        track = run.track
        if track is None:
            return run
        pages = (self._play.drill.begins_ms + page.at_ms for page in self._play.messages)
        return msgspec.structs.replace(
            run, track=msgspec.structs.replace(track, marks=tuple(sorted({*track.marks, *pages})))
        )

    async def drawn(self, took_s: float) -> None:
        """A picture was drawn."""
        await self._pictures.drawn(took_s)

    async def definition(self, kind: str, name: str) -> Definition | None:
        """The definition of a queue, a node or an application."""
        return await self._pictures.definition(kind, name)

    async def plans(self) -> tuple[PlanTables, ...]:
        """Plans of Spark's Master."""
        return await self._pictures.plans()


class ExamSession:
    """Implements `session_protocol.Connection`; nothing can be asked."""

    def __init__(self, play: DrillPlay) -> None:
        session = play.session
        self.pictures = ExamPictures(play)
        self.clock = ExamClock(play)
        self.acts, self.questions = session.acts, None


def session_of(play: DrillPlay) -> Connection:
    """The session that a drill is played in."""
    return ExamSession(play) if play.drill.is_exam else play.session
