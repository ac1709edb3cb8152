"""The program of a visitor: a process on a pseudo-terminal, confined in memory, time and what it may write."""

import asyncio
import fcntl
import os
import re
import resource
import secrets
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, Protocol

LEAST_SIZE, MOST_SIZE = (20, 8), (400, 150)  # Columns and lines of the smallest and the largest terminal
PIECE: Final = 65536
NICENESS: Final = 5
REPAINT_S: Final = 0.1  # How long the terminal has another height, which makes the program draw everything anew
ENDS_WITHIN_S: Final = 2.0  # How long is waited after each signal that ends it
LOOK_S: Final = 0.05
KEPT: Final = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "KRB5CCNAME", "KRB5_CONFIG", "http_proxy",
    "https_proxy", "no_proxy",
})  # fmt: skip
"""Variables of the environment that the program gets, beside those that begin as here."""
KEPT_BEGINNINGS: Final = ("LC_", "XDG_", "SCHEDLAB_")

_MODE: Final = re.compile(rb"\x1b\[\?(\d+)([hl])")
_LONGEST_MODE: Final = 16


class ProcessLimits(NamedTuple):
    memory_mb: int
    cpu_s: int  # Time of a processor, in sum [s]
    file_bytes: int  # The largest file it may write


def environment_of(own: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    kept = {name: text for name, text in own.items() if name in KEPT or name.startswith(KEPT_BEGINNINGS)}
    return {**kept, "TERM": "xterm-256color", "COLORTERM": "truecolor", **more}


def bounded(columns: int, lines: int) -> tuple[int, int]:
    """The size nearest to one that is allowed.

    >>> bounded(9999, 1)
    (400, 8)
    """
    return (max(LEAST_SIZE[0], min(MOST_SIZE[0], columns)), max(LEAST_SIZE[1], min(MOST_SIZE[1], lines)))


class PtyProgram:
    """A process on a pseudo-terminal of ours; needs a running loop."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], size: tuple[int, int], confines: ProcessLimits
    ) -> None:
        """Start it; an `OSError` where no process or no terminal is to be had."""
        self._master, terminal = os.openpty()
        self._is_closed = False
        self.resize(*size)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=terminal,
                stdout=terminal,
                stderr=terminal,
                env=dict(environment),
                start_new_session=True,
                preexec_fn=partial(_confine, confines),  # noqa: PLW1509 -- before any thread is begun
            )
        except OSError:
            os.close(self._master)
            raise
        finally:
            os.close(terminal)
        os.set_blocking(self._master, False)
        self._modes: dict[bytes, bytes] = {}  # Private mode of the terminal that was switched → `h` or `l`
        self._tail = b""

    async def read(self) -> bytes:
        """Wait for what it draws next; empty when it has ended."""
        await self._readable()
        try:
            data = os.read(self._master, PIECE)
        except OSError:  # the other side is closed
            return b""
        for number, switch in _MODE.findall(self._tail + data):
            self._modes.pop(number, None)
            self._modes[number] = switch
        self._tail = data[-_LONGEST_MODE:]
        return data

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        loop.add_reader(self._master, ready.set_result, None)
        try:
            await ready
        finally:
            loop.remove_reader(self._master)

    def type(self, keys: str) -> None:
        """Hand it keys; what it does not take is lost."""
        try:
            _ = os.write(self._master, keys.encode(errors="ignore"))
        except OSError:
            return

    def resize(self, columns: int, lines: int) -> None:
        if self._is_closed:
            return
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)

    def repaint(self, columns: int, lines: int) -> bytes:
        """Have it draw everything for a terminal that is new; what that needs first."""
        self.resize(columns, lines - 1)
        _ = asyncio.get_running_loop().call_later(REPAINT_S, self.resize, columns, lines)
        return b"".join(b"\x1b[?%b%b" % mode for mode in self._modes.items())

    async def end(self) -> None:
        """End it, at last by force; its output ends then."""
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGKILL):
            if await self._is_gone_within(0.0):
                return
            os.killpg(self._process.pid, number)
            _ = await self._is_gone_within(ENDS_WITHIN_S)

    async def ended(self) -> int:
        """Put away what is left when its output has ended; its exit code, -n when signal n ended it."""
        if not await self._is_gone_within(ENDS_WITHIN_S):
            await self.end()
        self._is_closed = True
        os.close(self._master)
        return self._process.wait()

    async def _is_gone_within(self, seconds: float) -> bool:
        until_s = asyncio.get_running_loop().time() + seconds
        while self._process.poll() is None:
            if asyncio.get_running_loop().time() >= until_s:
                return False
            await asyncio.sleep(LOOK_S)
        return True


def _confine(confines: ProcessLimits) -> None:
    """In the new process: take the terminal as its own, and lower what it may use."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    _ = os.nice(NICENESS)
    limits = {resource.RLIMIT_CPU: confines.cpu_s, resource.RLIMIT_FSIZE: confines.file_bytes, resource.RLIMIT_CORE: 0}
    if sys.platform == "linux":  # elsewhere the space of addresses is no measure of memory
        limits[resource.RLIMIT_AS] = confines.memory_mb * 1024 * 1024
    for which, most in limits.items():
        hard = resource.getrlimit(which)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (least, least))


# The visitors of `--web` and the program of each: kept for a while when its page goes away.

GRACE_S: Final = 120.0  # How long a program waits for its page to come back
RATE: Final = 200.0  # Messages of a page that are taken in a second; those beyond it wait
BURST: Final = 400.0
WATCH_S: Final = 1.0  # Between two looks for programs away or idle for too long
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
    visitors: int
    idle_s: float  # How long nothing needs to be typed
    confines: ProcessLimits


class Visit:
    def __init__(self, program: PtyProgram, viewer: Viewer, wall: Callable[[], float]) -> None:
        self.id = secrets.token_urlsafe(16)  # Known to its page alone
        self.program = program
        self.viewer: Viewer | None = viewer  # None while the page is away
        self._wall = wall
        self.heard_s = self.left_s = self._filled_s = wall()  # When something was typed last; when the page went away
        self._tokens = BURST
        self.farewell = ""  # Why it was ended; empty where it ends by itself

    async def pace(self) -> None:
        now_s = self._wall()
        self._tokens = min(BURST, self._tokens + (now_s - self._filled_s) * RATE) - 1
        self._filled_s = now_s
        if self._tokens < 0:
            await asyncio.sleep(-self._tokens / RATE)

    def take(self, message: object) -> bool:
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
    def __init__(
        self,
        start: Callable[[tuple[int, int], ProcessLimits], PtyProgram],
        limits: VisitLimits,
        wall: Callable[[], float],
    ) -> None:
        """Begin with none. `start` starts a program in a terminal of a size; `wall` is the wall clock [s]."""
        self._start, self._limits, self._wall = start, limits, wall
        self._visits: dict[str, Visit] = {}
        self._pumps: set[asyncio.Task[None]] = set()

    async def come(self, run: str, size: tuple[int, int], viewer: Viewer) -> Visit | None:
        """The program of a `run` that a page showed before, else a new one; None, and words, where there is no room."""
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
        if len(self._visits) >= self._limits.visitors:
            away = [visit for visit in self._visits.values() if visit.viewer is None]
            if not away:
                return False
            await self._dismiss(min(away, key=lambda one: one.left_s), "")
        return True

    async def _pump(self, visit: Visit) -> None:
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
        """End programs that were idle or away for too long, for ever."""
        while True:
            await asyncio.sleep(WATCH_S)
            await self.look()

    async def look(self) -> None:
        now_s, idle_s = self._wall(), self._limits.idle_s
        for visit in list(self._visits.values()):
            if visit.viewer is None and now_s - visit.left_s >= GRACE_S:
                await self._dismiss(visit, "")
            elif now_s - visit.heard_s >= idle_s:
                await self._dismiss(visit, f"Nothing was typed for {idle_s / 60:g} minutes; the program was ended.")

    async def close(self) -> None:
        for visit in list(self._visits.values()):
            await self._dismiss(visit, "The server has ended.")
        if self._pumps:
            _ = await asyncio.wait(self._pumps, timeout=ENDS_WITHIN_S)


def _last_words(code: int) -> str:
    if code == _CPU_SPENT:
        return "The program has used all the time of a processor that it may."
    return "The program has ended." if code == 0 else f"The program has ended with code {code}."
