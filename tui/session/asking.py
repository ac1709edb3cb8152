"""Works on a question on the event loop, a few milliseconds at a time with a real rest between, as the clock is driven.

Nothing is done while nobody looks: the work goes on only between `start` and `stop`.
"""

import asyncio
import gc
import time
import weakref
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

from engine.errors import EngineError
from tui import crash
from tui.answers import WhyAnswer, WhySubject
from tui.session.reasoning import Reasoning, Scene

SLICE_S: Final = 0.004
"""How long is worked at a time [s]."""
REST_S: Final = 0.002
"""What belongs to keys and frames between two slices [s]."""
TOLD_S: Final = 0.1
"""The least time between two signs of progress [s]."""


class OpenQuestion:
    """Answers one question about a run; implements `answers.Asking`."""

    def __init__(
        self,
        reasoning: Reasoning,
        *,
        wall: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Find out what is known at once."""
        self.reasoning = reasoning
        self._wall, self._sleep = wall, sleep
        self._changed: Callable[[], object] | None = None
        self._task: asyncio.Task[None] | None = None
        self._told_at = wall()
        self._work: Iterator[None] = reasoning.work()
        self._failure = ""
        self.done = False
        """Whether there is nothing left to do."""
        self._guarded(self._piece)

    @property
    def answer(self) -> WhyAnswer:
        """What is known so far."""
        answer = self.reasoning.answer
        return answer._replace(failure=self._failure, doing="") if self._failure else answer

    def start(self, changed: Callable[[], object]) -> None:
        """Work on."""
        self._changed = changed
        if self._task is None and not self.done:
            self._task = asyncio.get_running_loop().create_task(self._drive())

    def stop(self) -> None:
        """Leave off."""
        self._changed = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def close(self) -> None:
        """Leave off; the copies it worked on are cycles, and large ones: they go when nobody holds on to this."""
        self.stop()
        self._work = iter(())
        _ = asyncio.get_running_loop().call_soon(gc.collect, 1)

    def try_remedies(self) -> str:
        """Try them when the rest is done."""
        refusal = self.reasoning.ask_remedies()
        if not refusal and self.done and not self._failure:
            self._work = self.reasoning.work()
            self.done = False
            if self._changed is not None:
                self.start(self._changed)
        return refusal

    async def _drive(self) -> None:
        while not self.done:
            await self._sleep(REST_S)
            self.slice()
        self._task = None

    def slice(self) -> None:
        """Work for a slice of wall time."""
        begin, before = self._wall(), self.reasoning.answer
        while not self.done and self._wall() - begin < SLICE_S:
            self._guarded(self._piece)
        after = self.reasoning.answer
        is_told = after.document is not before.document or self.done
        if self._changed is not None and (is_told or begin - self._told_at >= TOLD_S):
            self._told_at = begin
            self._changed()

    def _piece(self) -> None:
        if next(self._work, self) is self:
            self.done = True

    def _guarded(self, work: Callable[[], None]) -> None:
        """Whatever the engine raises ends the work and is told in words."""
        try:
            work()
        except EngineError as error:
            self._failure, self.done = " ".join(str(error).split()), True
        except Exception as error:  # noqa: BLE001  # the last line of defence: a screen never shows a traceback
            self._failure, self.done = " ".join(crash.report(error).split()), True


class Questions:
    """Asks about a run; a question shares what the one before found out, while somebody looks at that."""

    def __init__(self, wall: Callable[[], float], sleep: Callable[[float], Awaitable[None]]) -> None:
        self._wall, self._sleep = wall, sleep
        self._last: weakref.ref[Reasoning] | None = None

    def ask(self, scene: Scene, subject: WhySubject) -> OpenQuestion:
        """Ask; nothing is changed by it."""
        before = self._last() if self._last is not None else None
        reasoning = Reasoning(scene, subject, before.basis if before is not None else None)
        self._last = weakref.ref(reasoning)
        return OpenQuestion(reasoning, wall=self._wall, sleep=self._sleep)
