"""Gives an instructor a seat in a drill: to see the trainee, inject acts, send messages, freeze the clock and go back.

All of it is in the record of the exercise, which is played again for the score.
"""

from collections.abc import Mapping
from typing import Final

from pydantic import ValidationError

from engine.instants import span
from engine.training.instructor_steps import SENDER
from engine.training.recorded_steps import written_steps
from tui.picture import DONE, ActResult, refused
from tui.session.acts import SessionActs
from tui.session.drill_play import DrillPlay
from tui.session_protocol import TraineeState

WHO: Final = "the instructor"
OVER: Final = "The drill is over."
_INSTRUCTOR: Final = "instructor"
"""The role of an instructor among the visitors of a session."""


class DrillSeat:
    """The seat beside a trainee; implements `session_protocol.SeatProtocol`."""

    def __init__(self, play: DrillPlay) -> None:
        self._play = play
        session = play.session
        self.acts = SessionActs(session.driver, session.presets, play.recorder.by_instructor)
        """Carries out the instructor's acts, which count as nobody's."""

    @property
    def parts(self) -> Mapping[str, object]:
        """The parts that an instructor may call."""
        return {"seat": self, "acts": self.acts, "clock": self._play.session.clock}

    def met(self, role: str, is_there: bool) -> None:
        """Tell the trainee who comes and goes; a clock goes on when whoever stopped it is gone."""
        driver = self._play.session.driver
        if role != _INSTRUCTOR:
            driver.notice("Somebody looks on." if is_there else "Somebody looks on no longer.", "information")
            return
        if not is_there and driver.state.frozen:
            self._freeze(on=False)
        words = "has taken the seat" if is_there else "is gone; the drill goes on"
        driver.notice(f"The instructor {words}.", "information")

    async def trainee(self) -> TraineeState:
        """Return what the trainee sees and has done."""
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
        """Return the trainee's main screen as text."""
        return self._play.screen_lines()

    async def send_message(self, sender: str, words: str) -> ActResult:
        """Show the trainee a message."""
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
        """Note something for the debrief."""
        if self._play.is_over:
            return refused(OVER)
        try:
            _ = self._play.note(do="note", words=words.strip())
        except ValidationError:
            return refused("A note has between 1 and 2000 characters.")
        return DONE

    async def freeze(self, *, on: bool) -> ActResult:
        """Stop the clock, or let it run."""
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
        self._play.note(do="freeze", on=on)

    async def backtrack(self, to_ms: int) -> ActResult:
        """Let the drill go on from an earlier instant."""
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
