"""A trace file opened for reading: unpacked where it is gzipped, in lines or objects, with flat memory.

A gzipped file that is cut off is read as far as it goes and reported.
"""

import io
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, Self

from engine.formats.regular_files import open_file
from engine.formats.traces.json_objects import ObjectSplitter
from engine.formats.traces.report import ImportReport

HEAD: Final = 16 * 1024
"""How many bytes of a file are looked at to recognise it."""
LONGEST_LINE: Final = 16 * 1024 * 1024
"""Longest line that is read [bytes]; Spark writes lines of some 100 kB."""
GZIP: Final = b"\x1f\x8b"
_GZIP_BITS: Final = 31
"""For zlib: a gzip's header, and the largest window."""
TICK: Final = 1000
"""Lines between two looks at how far it is."""

Progressed = Callable[[int], None]
"""Takes how many bytes of the file have been read."""


def _ignored(_read: int) -> None:
    """Nobody looks."""


class TraceSource:
    """One file, open; a context manager that closes it."""

    def __init__(self, stream: BinaryIO, name: str, report: ImportReport, progressed: Progressed = _ignored) -> None:
        """A source that stands at the beginning of a stream.

        Args:
            stream: What is read, packed or not.
            name: What problems call the file.
            report: Takes the faults.
            progressed: Is called now and then.
        """
        self.name = name
        self.report = report
        self._progressed = progressed
        self.size = _size_of(stream)
        """Bytes of the file; 0 where nobody knows."""
        self._raw = io.BufferedReader(_Counted(stream))
        self.is_packed = self._raw.peek(2)[:2] == GZIP
        self._stream = io.BufferedReader(_Unpacked(self._raw), HEAD * 4) if self.is_packed else self._raw
        self._is_cut = False
        self.head = self._peeked()
        """The first bytes, unpacked."""

    @classmethod
    def of_file(cls, path: Path, report: ImportReport, progressed: Progressed = _ignored) -> Self:
        """A file that a user named; `-` is the standard input.

        Raises:
            ConfigError: It cannot be opened.
        """
        return cls(open_file(path), str(path), report, progressed)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._raw.close()

    def lines(self) -> Iterator[tuple[int, str]]:
        """(number, line without its end), blank lines left out; bytes that are no UTF-8 become `�`."""
        number = 0
        while line := self._read(lambda: self._stream.readline(LONGEST_LINE)):
            number += 1
            if number % TICK == 0:
                self._show_progress()
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                self.fault("this line is too long", number)
                self._skip_line()
                continue
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            if text.strip():
                yield number, text
        self._show_progress()

    def objects(self, depth: int = 1) -> Iterator[tuple[int, Any]]:
        """(line, JSON object), of those that begin so many braces deep."""
        return ObjectSplitter(self._chunk, self.fault, depth).objects()

    def fault(self, message: str, line: int) -> None:
        """Report an unreadable place."""
        self.report.fault(message, self.name, line)

    def _show_progress(self) -> None:
        counted = self._raw.raw
        assert isinstance(counted, _Counted)
        self._progressed(counted.count)

    def _chunk(self, size: int) -> bytes:
        self._show_progress()
        return self._read(lambda: self._stream.read1(size))

    def _skip_line(self) -> None:
        while (piece := self._read(lambda: self._stream.readline(LONGEST_LINE))) and not piece.endswith(b"\n"):
            pass

    def _peeked(self) -> bytes:
        return self._read(lambda: self._stream.peek(HEAD))[:HEAD]

    def _read(self, take: Callable[[], bytes]) -> bytes:
        """What is read; nothing where packed bytes are damaged or cut off."""
        try:
            return take()
        except (OSError, EOFError, zlib.error) as error:
            if not self._is_cut:
                self._is_cut = True
                what = "the packed file is damaged or cut off here" if self.is_packed else "cannot be read further"
                self.report.fault(f"{what}: {str(error).lower()}", self.name)
            return b""


def _size_of(stream: BinaryIO) -> int:
    try:
        return os.fstat(stream.fileno()).st_size
    except OSError:
        return 0


class _Counted(io.RawIOBase):
    """Bytes of a stream, counted as they are read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # Any: a buffer of whatever kind the caller has
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


class _Unpacked(io.RawIOBase):
    """The bytes of a gzip of one member or several, as far as they can be unpacked."""

    def __init__(self, packed: "io.BufferedReader[_Counted]") -> None:
        self._packed = packed
        self._engine = zlib.decompressobj(_GZIP_BITS)
        self._is_begun = False
        """Whether a member has begun that has not ended."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # Any: a buffer of whatever kind the caller has
        """Unpack some bytes.

        Raises:
            EOFError: The last member has no end.
            zlib.error: What comes next is no gzip.
        """
        while True:
            waiting = self._engine.unconsumed_tail or self._engine.unused_data or self._packed.read(HEAD)
            if self._engine.eof:
                waiting = waiting.lstrip(b"\0")
                if waiting:
                    self._engine = zlib.decompressobj(_GZIP_BITS)
                elif not self._packed.peek(1):
                    return 0
            if not waiting and not self._packed.peek(1):
                if self._is_begun:
                    self._is_begun = False
                    raise EOFError("it has no end")
                return 0
            data = self._engine.decompress(waiting, len(buffer))
            self._is_begun = not self._engine.eof
            if data:
                buffer[: len(data)] = data
                return len(data)
