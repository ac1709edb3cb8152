r"""The edge through which the text of every command goes to a terminal, a file or a pipe.

Names, keys and titles come from files and may hold anything. What could move a cursor, fill a clipboard or turn the
order of letters round is written as `\u001b`: visible, and inside a JSON text the same character.
"""

import io
import re
import sys
from collections.abc import Iterable
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


class TerminalEdge(io.TextIOWrapper):
    """An output stream that writes control characters out."""

    def write(self, text: str) -> int:
        """Write a text, made visible."""
        return super().write(visible(text))

    def write_controls(self, text: str) -> int:
        """Write a text of ours with its control characters; what came from a file must be plain in it."""
        return super().write(text)


def write_controls(stream: TextIO, text: str) -> None:
    """Write a text of ours with its colours or its carriage returns."""
    if isinstance(stream, TerminalEdge):
        stream.write_controls(text)
    else:
        stream.write(text)


def guard_output() -> None:
    """Put the edge in front of the program's output and messages; what an encoding lacks is written out too."""
    sys.stdout, sys.stderr = _guarded(sys.stdout), _guarded(sys.stderr)


def _guarded(stream: TextIO) -> TextIO:
    """The stream behind an edge; a stream that is closed, or already behind one, as it is."""
    if not isinstance(stream, io.TextIOWrapper) or isinstance(stream, TerminalEdge):
        return stream
    return TerminalEdge(
        stream.buffer, stream.encoding, errors="backslashreplace", newline="", line_buffering=stream.line_buffering
    )
