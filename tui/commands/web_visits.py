"""The visitors of `schedlab web` and the program of each: kept for a while when its page goes away."""

import asyncio
import secrets
import signal
from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from tui.commands.web_program import ENDS_WITHIN_S, Confines, PtyProgram, bounded

GRACE_S: Final = 120.0
"""How long a program waits for its page to come back."""
RATE: Final = 200.0
"""Messages of a page that are taken in a second; those beyond it wait."""
BURST: Final = 400.0
WATCH_S: Final = 1.0
"""Between two looks at who has been away or idle for too long."""
_CPU_SPENT: Final = -signal.SIGXCPU


class Viewer(Protocol):
    """A page that shows a program."""

    async def show(self, data: bytes) -> None:
        """Show what the program draws; does nothing where the page has gone away."""

    async def say(self, kind: str, words: str) -> None:
        """Tell the page something."""

    async def leave(self) -> None:
        """Let the page go."""


class VisitLimits(NamedTuple):
    """The limits of all visitors, and of each."""

    visitors: int
    idle_s: float
    """How long nothing needs to be typed."""
    confines: Confines


class Visit:
    """One program, and the page that shows it."""

    def __init__(self, program: PtyProgram, viewer: Viewer, wall: Callable[[], float]) -> None:
        self.id = secrets.token_urlsafe(16)
        """Known to its page alone."""
        self.program = program
        self.viewer: Viewer | None = viewer
        """None while the page is away."""
        self._wall = wall
        self.heard_s = self.left_s = self._filled_s = wall()
        """When something was typed last; when the page went away."""
        self._tokens = BURST
        self.farewell = ""
        """Why it was ended; empty where it ends by itself."""

    async def pace(self) -> None:
        """Wait until another message of the page may be taken."""
        now_s = self._wall()
        self._tokens = min(BURST, self._tokens + (now_s - self._filled_s) * RATE) - 1
        self._filled_s = now_s
        if self._tokens < 0:
            await asyncio.sleep(-self._tokens / RATE)

    def take(self, message: object) -> bool:
        """Do what a message of the page says; False where it says nothing that is known."""
        match message:
            case ["keys", str(keys)]:
                self.heard_s = self._wall()
                self.program.type(keys)
            case ["size", int(columns), int(lines)]:
                self.program.resize(*bounded(columns, lines))
            case _:
                return False
        return True

    def left(self, viewer: Viewer) -> None:
        """The page is gone, unless another one shows the program by now."""
        if self.viewer is viewer:
            self.viewer, self.left_s = None, self._wall()


class Visits:
    """All programs that are there."""

    def __init__(
        self, start: Callable[[tuple[int, int], Confines], PtyProgram], limits: VisitLimits, wall: Callable[[], float]
    ) -> None:
        """Begin with none. `start` starts a program in a terminal of a size; `wall` is the wall clock [s]."""
        self._start, self._limits, self._wall = start, limits, wall
        self._visits: dict[str, Visit] = {}
        self._pumps: set[asyncio.Task[None]] = set()

    async def come(self, run: str, size: tuple[int, int], viewer: Viewer) -> Visit | None:
        """The program that a page showed before, else a new one; None where there is no room, which the page is told.

        `run` is what the page was told of its program, empty for none; `size` is the columns and lines of the page.
        """
        size = bounded(*size)
        visit = self._visits.get(run)
        if visit is not None:
            before, visit.viewer = visit.viewer, None
            if before is not None:
                await before.say("refused", "Another window shows this program now.")
                await before.leave()
            await viewer.say("run", visit.id)
            await viewer.show(visit.program.repaint(*size))
            visit.viewer = viewer
            return visit
        if not await self._make_room():
            await viewer.say("refused", f"There is no room: {self._limits.visitors} others are here. Try later.")
            return None
        try:
            program = self._start(size, self._limits.confines)
        except OSError as error:
            await viewer.say("refused", f"The program cannot be started: {error.strerror or error}.")
            return None
        visit = Visit(program, viewer, self._wall)
        self._visits[visit.id] = visit
        await viewer.say("run", visit.id)
        pump = asyncio.get_running_loop().create_task(self._pump(visit))
        self._pumps.add(pump)
        pump.add_done_callback(self._pumps.discard)
        return visit

    async def _make_room(self) -> bool:
        """Tell whether one more may come; whose page has been away longest has to leave."""
        if len(self._visits) >= self._limits.visitors:
            away = [visit for visit in self._visits.values() if visit.viewer is None]
            if not away:
                return False
            await self._dismiss(min(away, key=lambda one: one.left_s), "")
        return True

    async def _pump(self, visit: Visit) -> None:
        """Show what the program draws until it ends."""
        while data := await visit.program.read():
            if (viewer := visit.viewer) is not None:
                await viewer.show(data)
        code = await visit.program.ended()
        self._visits.pop(visit.id, None)
        if (viewer := visit.viewer) is not None:
            await viewer.say("ended", visit.farewell or _last_words(code))
            await viewer.leave()

    async def _dismiss(self, visit: Visit, words: str) -> None:
        visit.farewell = words
        self._visits.pop(visit.id, None)
        await visit.program.end()

    async def watch(self) -> None:
        """End who has been idle or away for too long, for ever."""
        while True:
            await asyncio.sleep(WATCH_S)
            await self.look()

    async def look(self) -> None:
        """End who has been idle or away for too long."""
        now_s, idle_s = self._wall(), self._limits.idle_s
        for visit in list(self._visits.values()):
            if visit.viewer is None and now_s - visit.left_s >= GRACE_S:
                await self._dismiss(visit, "")
            elif now_s - visit.heard_s >= idle_s:
                await self._dismiss(visit, f"Nothing was typed for {idle_s / 60:g} minutes; the program was ended.")

    async def close(self) -> None:
        """End all."""
        for visit in list(self._visits.values()):
            await self._dismiss(visit, "The server has ended.")
        if self._pumps:
            _ = await asyncio.wait(self._pumps, timeout=ENDS_WITHIN_S)


def _last_words(code: int) -> str:
    if code == _CPU_SPENT:
        return "The program has used all the time of a processor that it may."
    return "The program has ended." if code == 0 else f"The program has ended with code {code}."
