"""The lines of a log that is written meanwhile: from its end, then what is new, across rotations."""

from collections.abc import Iterator
from io import BytesIO
from typing import Final

from engine.live.log_places import LogPlace, Piece

EDGE: Final = 64
"""How much of what was read last shows whether a file is still the same one [bytes]."""
MOST_NEW: Final = 32 * 1024 * 1024
"""How much that is new is read at once; the rest is read the next time [bytes]."""
LONGEST_LINE: Final = 1024 * 1024
"""A line that is longer is cut [bytes]."""


class LogTail:
    """Reads a log in order, never a line twice."""

    def __init__(self, place: LogPlace) -> None:
        """Read nothing yet."""
        self._place = place
        self._at = 0
        """How far the file that is written now was read [bytes]."""
        self._edge = b""
        """The last bytes before that."""
        self._rest = b""
        """The beginning of a line whose end is not written yet."""
        self.is_whole = False
        """Whether `from_end` came to the beginning of the oldest file."""
        self.modified_ms = 0
        """When the log was written last [epoch ms]; 0 where nobody says."""

    async def from_end(self, back: int) -> Iterator[str]:
        """Begin anew: the last lines, of at least so many bytes where there are so many.

        Raises:
            SourceError: The log cannot be read.
        """
        parts: list[bytes] = []
        left, age, self.is_whole = back, 0, False
        while left > 0:
            found = await self._last(age, left)
            if found is None or not found[0]:
                self.is_whole = True
                break
            data, size = found
            parts.insert(0, data)
            if age == 0:
                self._at, self._edge = size, data[-EDGE:]
            left -= len(data)
            age += 1
        data = b"".join(parts)
        self._rest = b""
        return self._lines(data, 0 if self.is_whole else (data.find(b"\n") + 1 or len(data)))

    async def fresh(self) -> Iterator[str] | None:
        """Lines that were written since; None where the thread is lost, and it has to begin anew.

        Raises:
            SourceError: The log cannot be read.
        """
        data = await self._rest_of(0)
        if data is None:
            before = await self._rest_of(1)
            if before is None:
                return None
            self._at, self._edge = 0, b""
            data = before + (await self._rest_of(0) or b"")
        return self._lines(data)

    async def _last(self, age: int, back: int) -> tuple[bytes, int] | None:
        """The last bytes of a file, and how far they reach; None where there is no such file."""
        piece = await self._place.piece(age, -back)
        if piece is None:
            return None
        found, end, size = BytesIO(), piece.start + len(piece.data), piece.size
        found.write(piece.data)
        if age == 0:
            self.modified_ms = piece.modified_ms
        while piece.data and end < size and found.tell() < back:
            more = await self._place.piece(age, end)
            if more is None:
                break
            piece = more
            found.write(piece.data)
            end += len(piece.data)
        return found.getvalue(), end

    async def _rest_of(self, age: int) -> bytes | None:
        """Return what a file has beyond the point that was reached; None where it is not the file that was read."""
        parts: list[bytes] = []
        while True:
            piece = await self._place.piece(age, self._at - len(self._edge))
            if piece is None or not self._goes_on(piece):
                return b"".join(parts) if parts else None
            data = piece.data[len(self._edge) :]
            self.modified_ms = piece.modified_ms
            parts.append(data)
            self._at += len(data)
            self._edge = (self._edge + data)[-EDGE:]
            if not data or self._at >= piece.size or sum(map(len, parts)) >= MOST_NEW:
                return b"".join(parts)

    def _goes_on(self, piece: Piece) -> bool:
        return piece.start == self._at - len(self._edge) and piece.data.startswith(self._edge)

    def _lines(self, data: bytes, begin: int = 0) -> Iterator[str]:
        """Whole lines from a place on; they are made one by one, so that what is large is held once."""
        if self._rest:
            data, begin = self._rest + data[begin:], 0
        end = max(begin, data.rfind(b"\n") + 1)
        self._rest = data[end : end + LONGEST_LINE]
        return _lines_of(data, begin, end)


def _lines_of(data: bytes, begin: int, end: int) -> Iterator[str]:
    while begin < end:
        stop = data.index(b"\n", begin)
        yield data[begin : min(stop, begin + LONGEST_LINE)].decode("utf-8", "replace")
        begin = stop + 1
