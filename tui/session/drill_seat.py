"""Gives an instructor a seat in a drill: to see the trainee, inject acts, send messages, freeze the clock and go back.

All of it is in the record of the exercise, which is played again for the score.
"""

import time
from collections.abc import Callable, Mapping
from typing import Final

import msgspec
from pydantic import ValidationError

from engine.training.steps import SENDER, written_steps
from engine.units import span
from tui.protocol.picture import DONE, ActResult, RunState, SessionState, refused
from tui.protocol.session import Connection, PicturesOfSession, TraineeState
from tui.session.drill import DrillPlay
from tui.session.series import SessionClock
from tui.session.session import SessionActs
from tui.session.time_travel import PLAY

WHO: Final = "the instructor"
OVER: Final = "The drill is over."
_INSTRUCTOR: Final = "instructor"  # The role of an instructor among the visitors of a session


class InstructorSession:
    """The seat beside a trainee; implements `protocol.session.InstructorProtocol`."""

    def __init__(self, play: DrillPlay) -> None:
        self._play = play
        session = play.session
        self.acts = SessionActs(session.driver, session.presets, play.recorder.by_instructor)
        """Carries out the instructor's acts, which do not count as the trainee's."""

    @property
    def parts(self) -> Mapping[str, object]:
        return {"seat": self, "acts": self.acts, "clock": self._play.session.clock}

    def met(self, role: str, is_there: bool) -> None:
        """Tell the trainee which visitors come and go; a clock goes on when the one that stopped it is gone."""
        driver = self._play.session.driver
        if role != _INSTRUCTOR:
            driver.notice(
                "Another screen looks on." if is_there else "The other screen looks on no longer.", "information"
            )
            return
        if not is_there and driver.state.frozen:
            self._freeze(on=False)
        words = "has taken the seat" if is_there else "is gone; the drill goes on"
        driver.notice(f"The instructor {words}.", "information")

    async def trainee(self) -> TraineeState:
        play = self._play
        return TraineeState(
            at_ms=play.now_ms,
            left_ms=play.left_ms,
            has_begun=play.has_begun,
            is_over=play.is_over,
            frozen=bool(play.session.driver.state.frozen),
            screen=play.screen(),
            answers=play.answers,
            hints=play.hints,
            steps=written_steps(play.recorder.steps),
            unread=len(play.unread),
        )

    async def screen_lines(self) -> tuple[str, ...]:
        return self._play.screen_lines()

    async def send_message(self, sender: str, words: str) -> ActResult:
        play = self._play
        if play.is_over:
            return refused(OVER)
        try:
            message = play.receive(sender.strip() or SENDER, words.strip())
        except ValidationError:
            return refused("A message has between 1 and 2000 characters.")
        play.session.driver.notice(f"Message from {message.sender}: {message.words}", "warning")
        return DONE

    async def note(self, words: str) -> ActResult:
        if self._play.is_over:
            return refused(OVER)
        try:
            _ = self._play.add(do="note", words=words.strip())
        except ValidationError:
            return refused("A note has between 1 and 2000 characters.")
        return DONE

    async def freeze(self, *, on: bool) -> ActResult:
        if self._play.is_over:
            return refused(OVER)
        if on != bool(self._play.session.driver.state.frozen):
            self._freeze(on=on)
            words = "has stopped the clock" if on else "lets the clock run"
            self._play.session.driver.notice(f"The instructor {words}.", "warning")
        return DONE

    def _freeze(self, *, on: bool) -> None:
        driver = self._play.session.driver
        driver.pace.stop_seeking()
        driver.set(frozen=WHO if on else "")
        self._play.add(do="freeze", on=on)

    async def backtrack(self, to_ms: int) -> ActResult:
        play, driver = self._play, self._play.session.driver
        if play.is_over:
            return refused(OVER)
        if not 0 <= to_ms < play.now_ms:
            return refused(f"Between +0m00s and +{span(play.now_ms)} there is something to go back to.")
        was_paused = driver.state.paused
        if refusal := await play.go_back(to_ms):
            return refused(refusal)
        driver.set(paused=was_paused)
        driver.notice(f"The instructor went back to +{span(to_ms)}; the drill goes on from there.", "warning")
        return DONE


ONE_WAY: Final = "An exam goes one way: there is no past and no other speed."
AHEAD: Final = "An exam is not played ahead: its clock runs by itself, at one speed."
PAUSED: Final = "Paused: this costs 1 point each 10 s; p goes on."


class ExamClock:
    """Implements `protocol.session.ClockProtocol`: it stands in no dialog, and only `p` stops it, which costs."""

    def __init__(self, play: DrillPlay, wall: Callable[[], float] = time.monotonic) -> None:
        """`wall` is the clock [s] by which a pause is measured."""
        self._play, self._wall = play, wall
        self._clock: SessionClock = play.session.clock
        self._since_s: float | None = None
        play.before_end = self.end_pause

    def end_pause(self) -> None:
        if self._since_s is not None:
            _ = self._play.add(do="pause", lasted_ms=round((self._wall() - self._since_s) * 1000))
            self._since_s = None

    async def toggle_pause(self) -> None:
        driver = self._play.session.driver
        was_paused = driver.state.paused
        await self._clock.toggle_pause()
        if driver.state.paused and not was_paused:
            self._since_s = self._wall()
            driver.notice(PAUSED, "warning")
        elif was_paused and not driver.state.paused:
            self.end_pause()

    async def suspend(self, *, held: bool) -> None:
        """Go on while a dialog is open."""

    async def step(self, unit: str) -> None:
        self._refuse(AHEAD)

    async def travel(self, where: str) -> ActResult:
        return refused(AHEAD if where.split(maxsplit=1)[:1] == [PLAY] else ONE_WAY)

    async def branch(self) -> ActResult:
        return refused(ONE_WAY)

    async def redo(self) -> ActResult:
        return refused(ONE_WAY)

    async def change_speed(self, direction: int) -> None:
        self._refuse()

    async def set_speed(self, speed: float) -> None:
        self._refuse()

    def _refuse(self, words: str = ONE_WAY) -> None:
        self._play.session.driver.notice(words, "warning")


class ExamPictures(PicturesOfSession):
    """The drill's pictures, as they are reported in the exam."""

    def __init__(self, play: DrillPlay) -> None:
        super().__init__(play.session.pictures)
        self._play = play

    async def picture(self) -> SessionState:
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
        run = msgspec.structs.replace(run, name=self._play.drill.title)
        track = run.track
        if track is None:
            return run
        pages = (self._play.drill.begins_ms + page.at_ms for page in self._play.messages)
        return msgspec.structs.replace(
            run, track=msgspec.structs.replace(track, marks=tuple(sorted({*track.marks, *pages})))
        )


class ExamSession:
    """Implements `protocol.session.Connection` of an exam: its clock goes one way, and nothing can be asked."""

    def __init__(self, play: DrillPlay) -> None:
        session = play.session
        self.pictures = ExamPictures(play)
        self.clock = ExamClock(play)
        self.acts, self.questions = session.acts, None


def session_of(play: DrillPlay) -> Connection:
    return ExamSession(play) if play.drill.is_exam else play.session
