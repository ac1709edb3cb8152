"""Answers questions on the event loop, a few milliseconds at a time with a real rest between."""

import asyncio
import gc
import weakref
from collections.abc import Awaitable, Callable, Iterator
from itertools import count
from typing import Final

import msgspec

from engine.errors import EngineError
from tui import crash
from tui.answers import OpenQuestion, WhyAnswer, WhySubject
from tui.picture import ActResult, refused
from tui.session.reasoning import Reasoning, Scene

SLICE_S: Final = 0.004
"""How long is worked at a time [s]."""
REST_S: Final = 0.002
"""What belongs to keys and frames between two slices [s]."""
PROGRESS_S: Final = 0.1
"""The least time between two signs of progress [s]."""


class QuestionWork:
    """The work on one question."""

    def __init__(self, reasoning: Reasoning, wall: Callable[[], float]) -> None:
        """Find out what is known at once."""
        self.reasoning = reasoning
        self._wall = wall
        self._progress_at = wall()
        self._work: Iterator[None] = reasoning.work()
        self._failure = ""
        self.done = False
        """Whether there is nothing left to do."""
        self._piece()

    @property
    def answer(self) -> WhyAnswer:
        """The answer as far as it is known."""
        answer = self.reasoning.answer
        return msgspec.structs.replace(answer, failure=self._failure, doing="") if self._failure else answer

    def slice(self) -> bool:
        """Work for a slice of wall time; whether there is something new."""
        begin, before = self._wall(), self.reasoning.answer
        while not self.done and self._wall() - begin < SLICE_S:
            self._piece()
        is_news = self.done or _found(self.reasoning.answer) != _found(before)
        if is_news or begin - self._progress_at >= PROGRESS_S:
            self._progress_at = begin
            return True
        return False

    def try_remedies(self) -> str:
        """Try them when the rest is done; in words why not, or nothing."""
        return self._go_on(self.reasoning.ask_remedies())

    def try_remedy(self, number: int) -> str:
        """Find out what follows one when the rest is done; in words why not, or nothing."""
        return self._go_on(self.reasoning.ask_aftermath(number))

    def _go_on(self, refusal: str) -> str:
        if not refusal and self.done and not self._failure:
            self._work = self.reasoning.work()
            self.done = False
        return refusal

    def _piece(self) -> None:
        """Do a piece; an error ends the work and becomes the `failure` of the answer."""
        try:
            self.done = next(self._work, self) is self
        except EngineError as error:
            self._failure, self.done = " ".join(str(error).split()), True
        except Exception as error:  # noqa: BLE001  # the last line of defence: a screen never shows a traceback
            self._failure, self.done = " ".join(crash.report(error).split()), True


class SessionQuestions:
    """The questions of one session; implements `session_protocol.QuestionsProtocol`.

    A question shares what the one before found out, while that one is open.
    """

    def __init__(
        self, scene: Callable[[], Scene], wall: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        """Ask nothing yet; `scene` is where questions are asked."""
        self._scene, self._wall, self._sleep = scene, wall, sleep
        self._numbers = count(1)
        self._open: dict[int, QuestionWork] = {}
        self._last: weakref.ref[Reasoning] | None = None

    @property
    def is_working(self) -> bool:
        """True while an open question is not answered in full."""
        return not all(work.done for work in self._open.values())

    async def ask(self, subject: WhySubject) -> OpenQuestion:
        """Begin at the instant looked at."""
        before = self._last() if self._last is not None else None
        reasoning = Reasoning(self._scene(), subject, before.basis if before is not None else None)
        self._last = weakref.ref(reasoning)
        number = next(self._numbers)
        work = self._open[number] = QuestionWork(reasoning, self._wall)
        return OpenQuestion(number, work.answer)

    async def more(self, question: int) -> WhyAnswer:
        """Work in slices until there is something new."""
        work = self._open[question]
        while not work.done:
            await self._sleep(REST_S)
            if work.slice():
                break
        return work.answer

    async def try_remedies(self, question: int) -> ActResult:
        """Have them tried."""
        return refused(self._open[question].try_remedies())

    async def try_remedy(self, question: int, number: int) -> ActResult:
        """Have one tried."""
        return refused(self._open[question].try_remedy(number))

    async def close(self, question: int) -> None:
        """Let go; the copies it worked on are cycles, and large ones."""
        _ = self._open.pop(question, None)
        _ = asyncio.get_running_loop().call_soon(gc.collect, 1)


def _found(answer: WhyAnswer) -> tuple[int, int, int, int]:
    """Return a value that tells whether more was found: reports are replaced, never changed."""
    return id(answer.why), id(answer.place), id(answer.aftermath), id(answer.plan)
