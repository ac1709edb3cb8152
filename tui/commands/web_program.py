"""The program of a visitor: a process on a pseudo-terminal, confined in memory, time and what it may write."""

import asyncio
import fcntl
import os
import re
import resource
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

LEAST_SIZE, MOST_SIZE = (20, 8), (400, 150)
"""Columns and lines of the smallest and the largest terminal."""
PIECE: Final = 65536
NICENESS: Final = 5
REPAINT_S: Final = 0.1
"""How long the terminal has another height, which makes the program draw everything anew."""
ENDS_WITHIN_S: Final = 2.0
"""How long is waited after each signal that ends it."""
LOOK_S: Final = 0.05
KEPT: Final = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "KRB5CCNAME", "KRB5_CONFIG", "http_proxy",
    "https_proxy", "no_proxy",
})  # fmt: skip
"""Variables of the environment that the program gets, beside those that begin as here."""
KEPT_BEGINNINGS: Final = ("LC_", "XDG_", "SCHEDLAB_")

_MODE: Final = re.compile(rb"\x1b\[\?(\d+)([hl])")
_LONGEST_MODE: Final = 16


class Confines(NamedTuple):
    """The limits of a process."""

    memory_mb: int
    cpu_s: int
    """Time of a processor, in sum [s]."""
    file_bytes: int
    """The largest file it may write."""


def environment_of(own: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    """The environment of a program: what it needs of ours, the terminal, and more."""
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
        self, command: Sequence[str], environment: Mapping[str, str], size: tuple[int, int], confines: Confines
    ) -> None:
        """Start it.

        Raises:
            OSError: No process or no terminal is to be had.
        """
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
        self._modes: dict[bytes, bytes] = {}
        """Number of each private mode of the terminal that was switched → `h` or `l`, in the order of the last."""
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
        """Give its terminal another size; does nothing after its end."""
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


def _confine(confines: Confines) -> None:
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
