"""Recordings of a terminal: asciicast v2, a line of JSON for the head and one for each piece of output.

Source: docs.asciinema.org, asciicast file format, version 2.

Left out is what asks the terminal for an answer, switches how keys and the mouse are sent, fills a clipboard or names a
window: a recording of it would do that to whoever plays it.
"""

import io
import json
import re
import time
from collections.abc import Callable, Iterator
from math import isfinite
from pathlib import Path
from typing import Any, Final, NamedTuple

from engine.errors import ConfigError, OutputError, Problem
from engine.formats.regular_files import open_file
from engine.observe.new_file import NewFile
from engine.units import is_number

LONGEST: Final = 4096
"""Longest sequence that is waited for [characters]."""

_SEQUENCE: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # a control sequence
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # a string: title, clipboard, colours, images
    r"|\x1b[ -/]*[0-~]"
    r"|[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
_DRAWS: Final = re.compile(
    r"\x1b\[[0-9:;]*[@-HJ-MPSTXZ`abdefmrsu]"
    r"|\x1b\[\?(?:7|25|47|1047|1048|1049|2026)[hl]"
    r"|\x1b[78DEM]|\x1b\([0B]"
)
"""Moves, erasure, colours, the other screen, the cursor, frames that are shown at once, line drawing."""
_UNFINISHED: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)\Z")

RESTORED: Final = "\x1b[0m\x1b[r\x1b[?7h\x1b[?25h\x1b[?2026l\x1b[?1049l"
"""Leaves the other screen, with cursor, margins and colours as they were."""


class DrawingOnly:
    """Takes what a program writes to a terminal, in pieces, and gives what draws."""

    def __init__(self) -> None:
        self._rest = ""

    def feed(self, text: str) -> str:
        r"""Return what draws in a piece; a sequence that is not at its end waits for the next one.

        >>> DrawingOnly().feed("\x1b[1mbold\x1b]52;c;eA==\x07\x1b[?1000h\x1b[6n\x07 end")
        '\x1b[1mbold end'
        """
        text = self._rest + text
        unfinished = _UNFINISHED.search(text, max(0, len(text) - LONGEST))
        whole = text if unfinished is None else text[: unfinished.start()]
        self._rest = text[len(whole) :]
        return _SEQUENCE.sub(lambda found: found[0] if _DRAWS.fullmatch(found[0]) else "", whole)


VERSION: Final = 2
MEGABYTE: Final = 1_000_000
LARGEST: Final = 256 * MEGABYTE
"""Largest file that is played [bytes]."""
WIDEST, HIGHEST = 2000, 1000
"""The largest terminal that is believed [cells]."""
OUTPUT, RESIZE = "o", "r"


class CastPiece(NamedTuple):
    """The bytes written to the terminal at once."""

    at_s: float
    """Since the beginning."""
    output: str


class Cast(NamedTuple):
    """A recording."""

    width: int
    height: int
    """The largest size the terminal had [cells]."""
    idle_s: float | None
    """Longest pause that its maker wants; None for no limit."""
    pieces: tuple[CastPiece, ...]


class CastWriter:
    """Writes down what a program draws, up to a size."""

    def __init__(
        self,
        file: NewFile,
        title: str,
        size: Callable[[], tuple[int, int]],
        most_bytes: int,
        wall: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin with the first output.

        Args:
            file: It takes its name then.
            title: Of the head.
            size: Columns and lines of the terminal now.
            most_bytes: Size of the file at most; what would make it larger is left out, with all that follows.
            wall: The wall clock [s].
        """
        self._file, self._title, self._size, self._wall = file, title, size, wall
        self._most_bytes = most_bytes
        self._only = DrawingOnly()
        self._begin_s = 0.0
        self._shown_size: tuple[int, int] | None = None
        self.length_s = 0.0
        """Time of the last piece."""
        self.written = 0
        """Bytes so far."""
        self.ended = ""
        """Why it ended before the program did; empty while it goes on."""

    def write(self, data: str) -> None:
        """Take a piece of output."""
        drawn = "" if self.ended else self._only.feed(data)
        if not drawn:
            return
        size = self._size()
        if self._shown_size is None:
            self._begin_s = self._wall()
            head = {"version": VERSION, "width": size[0], "height": size[1], "timestamp": int(time.time())}
            self._put({**head, "title": self._title, "env": {"TERM": "xterm-256color"}})
        elif size != self._shown_size:
            self._event(RESIZE, f"{size[0]}x{size[1]}")
        self._shown_size = size
        self._event(OUTPUT, drawn)

    def _event(self, code: str, data: str) -> None:
        at_s = self._wall() - self._begin_s
        if self._put([round(at_s, 6), code, data]):
            self.length_s = at_s

    def _put(self, value: object) -> bool:
        line = json.dumps(value, ensure_ascii=False).encode(errors="replace") + b"\n"
        if not self.ended and self.written + len(line) > self._most_bytes:
            self.ended = f"it has {self._most_bytes / MEGABYTE:g} MB, and may not be larger"
        if self.ended:
            return False
        try:
            self._file.write(line)
            self._file.take_name()
        except (OutputError, ConfigError) as error:
            self.ended = " ".join(str(error).split())
            return False
        self.written += len(line)
        return True


def read_cast(path: Path) -> Cast:
    """Read a recording whole.

    Raises:
        ConfigError: It cannot be read, or a line of it is none of asciicast v2.
    """
    name = str(path)
    with open_file(path) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ConfigError([Problem(f"is larger than {LARGEST // MEGABYTE} MB", name)])
    lines = ((number, line) for number, line in enumerate(io.BytesIO(data), 1) if line.strip())
    number, first = next(lines, (1, b""))
    head = _parsed(first, name, number)
    width, height, idle_s = _head(head, name)
    pieces: list[CastPiece] = []
    for code, piece in _events(lines, name):
        if code == RESIZE:
            columns, _, rows = piece.output.partition("x")
            if _is_size(columns, rows):
                width, height = max(width, int(columns)), max(height, int(rows))
        else:
            pieces.append(piece)
    return Cast(width, height, idle_s, tuple(pieces))


def _head(head: object, name: str) -> tuple[int, int, float | None]:
    if not isinstance(head, dict) or "version" not in head:
        raise ConfigError([Problem("is no asciicast: its first line has no version", name, 1)])
    if head["version"] != VERSION:
        words = f"is asciicast version {str(head['version'])[:20]}; version {VERSION} is read"
        raise ConfigError([Problem(words, name, 1, "version", hint="asciinema convert makes it")])
    width, height, idle_s = head.get("width"), head.get("height"), head.get("idle_time_limit")
    if not _is_size(width, height):
        raise ConfigError([Problem("has no size of a terminal", name, 1, "width, height")])
    return int(str(width)), int(str(height)), float(str(idle_s)) if _is_time(idle_s) else None


def _events(lines: Iterator[tuple[int, bytes]], name: str) -> Iterator[tuple[str, CastPiece]]:
    """Output and changes of size; other kinds of events are passed over.

    Raises:
        ConfigError: A line is no event, or goes back in time.
    """
    before_s = 0.0
    for number, line in lines:
        match _parsed(line, name, number):
            case [int() | float() as at_s, str(code), str(data)] if _is_time(at_s):
                if at_s < before_s:
                    raise ConfigError([Problem(f"goes back in time, from {before_s:g} s to {at_s:g} s", name, number)])
                before_s = float(at_s)
                if code in (OUTPUT, RESIZE):
                    yield code, CastPiece(before_s, data)
            case _:
                raise ConfigError([Problem("is no event, which is [seconds, kind, text]", name, number)])


def _parsed(line: bytes, name: str, number: int) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise ConfigError([Problem("is no JSON", name, number)]) from None


def _is_time(value: object) -> bool:
    return is_number(value) and isfinite(value) and value >= 0


def _is_size(width: object, height: object) -> bool:
    sizes = [str(width), str(height)]
    if not all(each.isascii() and each.isdigit() and len(each) < 5 for each in sizes):
        return False
    return 0 < int(sizes[0]) <= WIDEST and 0 < int(sizes[1]) <= HIGHEST
