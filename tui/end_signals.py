"""The signals that end a program: ctrl-C, a request to end, and a terminal that went away."""

import signal
from asyncio import get_running_loop
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

END_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def heard() -> list[signal.Signals]:
    """Return the signals that this process hears; `nohup` and a shell's `&` have it ignore some."""
    return [number for number in END_SIGNALS if signal.getsignal(number) != signal.SIG_IGN]


def end_at_once() -> None:
    """Let them end the program without a word: as long as it is loading there is nothing to put in order."""
    for number in heard():
        signal.signal(number, signal.SIG_DFL)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let them end the program with 128 + n, in order: what was begun is put away on the way out."""
    try:
        with _handled(_exit):
            yield
    finally:
        end_at_once()


class Interruption:
    """Remembers the first signal that asks to end a run between two instants; the second ends the program."""

    def __init__(self) -> None:
        self.signal = 0

    def came(self) -> bool:
        """Tell whether one came."""
        return bool(self.signal)

    def note(self, number: int, frame: FrameType | None) -> None:
        """Take a signal."""
        self.signal = number
        signal.signal(number, _exit)


@contextmanager
def listening() -> Iterator[Interruption]:
    """Let them end a run between two instants, so that nothing is cut off half-written."""
    interruption = Interruption()
    with _handled(interruption.note):
        yield interruption


@contextmanager
def ending(end: Callable[[int], None]) -> Iterator[None]:
    """Let the first call `end` with its number in the running loop; the second ends the program at once.

    Not by the loop's own handlers: those lose a signal now and then while much is typed.
    """
    loop = get_running_loop()

    def call_soon(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(end, number)
        for each in heard():
            signal.signal(each, _exit)

    with _handled(call_soon):
        yield


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in heard()}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)


def _exit(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
