r"""The edge through which the text of every command goes to a terminal, a file or a pipe.

Names, keys and titles come from files and may hold anything. What could move a cursor, fill a clipboard or turn the
order of letters round is written as `\u001b`: visible, and inside a JSON text the same character.
"""

import io
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, TextIO

_SIGNS: Final = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb"
)
_IN_TEXT: Final = re.compile(rf"[{_SIGNS}]|\r(?!\n)")

CONTROLS: Final = re.compile(rf"[{_SIGNS}\t\n\r]")
"""What may not stand in a line: whatever moves the cursor, gives the terminal an order or turns letters round."""


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


def is_dumb() -> bool:
    """Tell whether the terminal says that it only writes line after line: it has no screen, no colours, no way back."""
    return os.environ.get("TERM") in ("dumb", "unknown")


class StreamError(Exception):
    """The output, or the messages, of the program cannot be written: a disk is full, a stream is closed."""


class TerminalEdge(io.TextIOWrapper):
    """An output stream that writes control characters out.

    When it takes no more that is an `StreamError`, and only once: what is written later is dropped.
    """

    def write(self, text: str) -> int:
        """Write a text, made visible."""
        return self.write_controls(visible(text))

    def write_controls(self, text: str) -> int:
        """Write a text of ours with its control characters; what came from a file must be plain in it."""
        try:
            return super().write(text)
        except OSError as error:
            raise self._failed(error) from None

    def flush(self) -> None:
        """Write out what is buffered."""
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
    """Write a text of ours with its colours or its carriage returns."""
    if isinstance(stream, TerminalEdge):
        stream.write_controls(text)
    else:
        stream.write(text)


def guard_output() -> None:
    """Put the edge in front of the program's output and messages; what an encoding lacks is written out too.

    A stream that the program was started without is there then, and fails when it is used.
    """
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
    """Write out at the end what is buffered; output that is not taken is named and ends the program with 1."""
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
        raise SystemExit(1) from None


def _guarded(stream: TextIO) -> TextIO:
    """The stream behind an edge; one that is already behind one as it is."""
    if not isinstance(stream, io.TextIOWrapper) or isinstance(stream, TerminalEdge):
        return stream
    return TerminalEdge(
        stream.buffer, stream.encoding, errors="backslashreplace", newline="", line_buffering=stream.line_buffering
    )
