r"""The edge through which the text of every command goes to a terminal, a file or a pipe.

Names, keys and titles come from files and may hold anything. What could move a cursor, fill a clipboard or turn the
order of letters round is written as `\u001b`: visible, and inside a JSON text the same character.
"""

import io
import os
import re
import signal
import sys
import traceback
from asyncio import get_running_loop
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from types import FrameType
from typing import Final, TextIO

import platformdirs

_SIGNS: Final = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb"
)
_IN_TEXT: Final = re.compile(rf"[{_SIGNS}]|\r(?!\n)")

CONTROLS: Final = re.compile(rf"[{_SIGNS}\t\n\r]")  # What moves the cursor, orders, or turns letters round


def visible(text: str) -> str:
    r"""A text in which control characters, other than tabs and line ends, are written out.

    >>> visible("a\x1b[31m\n")
    'a\\u001b[31m\n'
    """
    return text if text.isprintable() else _IN_TEXT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def visible_line(text: str) -> str:
    r"""A text in one line: tabs and line ends are spaces.

    >>> visible_line("a\n\x9bb")
    'a \\u009bb'
    """
    return text if text.isprintable() else CONTROLS.sub(_written_out, text)


def visible_lines(lines: Iterable[str]) -> str:
    r"""Lines of which none can make another one, each with its end.

    >>> visible_lines(["a", "b\nc"])
    'a\nb c\n'
    """
    return "".join(f"{visible_line(line)}\n" for line in lines)


def _written_out(found: re.Match[str]) -> str:
    return " " if found[0] in "\t\n\r" else f"\\u{ord(found[0]):04x}"


def has_colours() -> bool:
    """True where stdout is a terminal that shows colours, and they are not turned off."""
    return sys.stdout.isatty() and not is_dumb() and not os.environ.get("NO_COLOR")


def is_dumb() -> bool:
    """Tell whether the terminal says that it only writes line after line: it has no screen, no colours, no way back."""
    return os.environ.get("TERM") in ("dumb", "unknown")


class StreamError(Exception):
    """The output, or the messages, of the program cannot be written: a disk is full, a stream is closed."""


class TerminalEdge(io.TextIOWrapper):
    """An output stream that writes control characters out; after the first `StreamError` all is dropped."""

    def write(self, text: str) -> int:
        return self.write_controls(visible(text))

    def write_controls(self, text: str) -> int:
        """Write a text of ours with its control characters; what came from a file must be plain in it."""
        try:
            return super().write(text)
        except OSError as error:
            raise self._failed(error) from None

    def write_bytes(self, answer: bytes) -> None:
        self.flush()
        try:
            self.buffer.write(answer)
        except OSError as error:
            raise self._failed(error) from None

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            raise self._failed(error) from None

    def _failed(self, error: OSError) -> Exception:
        if isinstance(error, BrokenPipeError):
            return error
        number = self.fileno()
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
        name = {1: "output", 2: "error"}.get(number, str(number))
        return StreamError(f"standard {name} cannot be written: {(error.strerror or str(error)).lower()}")


def write_controls(stream: TextIO, text: str) -> None:
    if isinstance(stream, TerminalEdge):
        stream.write_controls(text)
    else:
        stream.write(text)


def write_bytes(stream: TextIO, answer: bytes) -> None:
    """Write an answer that is no text behind what was written before."""
    if isinstance(stream, TerminalEdge):
        stream.write_bytes(answer)
    else:
        stream.flush()
        stream.buffer.write(answer)


def guard_output() -> None:
    """Put the edge in front of the program's output and messages; what an encoding lacks is written out too."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:  # the lowest free number is taken; opened the wrong way round, nothing can be done with it
            os.open(os.devnull, os.O_RDONLY if number else os.O_WRONLY)
    sys.stdin = sys.stdin or io.TextIOWrapper(io.FileIO(0, closefd=False))
    sys.stdout = _edge(io.FileIO(1, "w", closefd=False)) if sys.stdout is None else _guarded(sys.stdout)
    sys.stderr = _edge(io.FileIO(2, "w", closefd=False)) if sys.stderr is None else _guarded(sys.stderr)


def _edge(file: io.FileIO) -> TerminalEdge:
    return TerminalEdge(io.BufferedWriter(file), "utf-8", errors="backslashreplace", newline="")


@contextmanager
def checked_output() -> Iterator[None]:
    """Write out at the end what is buffered; output that is not taken is named and ends the program with 2."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
    except StreamError as error:
        with suppress(StreamError):
            sys.stderr.write(f"schedlab: {error}\n")
            sys.stderr.flush()
        raise SystemExit(2) from None


def _guarded(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper) or isinstance(stream, TerminalEdge):
        return stream
    return TerminalEdge(
        stream.buffer, stream.encoding, errors="backslashreplace", newline="", line_buffering=stream.line_buffering
    )


# The signals that end a program: ctrl-C, a request to end, and a terminal that went away.

OUR_MISTAKE: Final = 70  # Exit code of a mistake of ours. Source: sysexits.h, EX_SOFTWARE.

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

    @property
    def code(self) -> int:
        return 128 + self.signal if self.signal else 0

    def came(self) -> bool:
        return bool(self.signal)

    def note(self, number: int, frame: FrameType | None) -> None:
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


AGAIN_S: Final = 0.02  # After how long a signal that came where an exception would be lost is looked at again

LOSING: Final = ("<frozen importlib", "<frozen abc")
"""Where an exception is swallowed, or taken for a mistake of a module: while one is loaded, and where compiled code of
pydantic asks whether something is an instance."""


def _exit(number: int, frame: FrameType | None) -> None:
    if _is_losing(frame):
        again = Timer(AGAIN_S, os.kill, (os.getpid(), number))
        again.daemon = True
        again.start()
        return
    raise SystemExit(128 + number)


def _is_losing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith(LOSING):
            return True
        frame = frame.f_back
    return False


# Handles an error of the program itself: the details go to a file, the user gets one sentence that names it.


def folder() -> Path:
    return Path(platformdirs.user_state_dir("schedlab"))


def report(error: BaseException) -> str:
    """Write the details of an error to a file; the sentence to show instead of them."""
    words = visible_line(f"schedlab met a mistake of its own: {type(error).__name__}: {error}".splitlines()[0])
    details = "".join(traceback.format_exception(error))
    path = folder() / "crash.txt"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(details)
    except OSError:
        return words
    return f"{words}\nThe details are in {path}; please report it with them."
