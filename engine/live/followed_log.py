"""Follows a ResourceManager's log: the holders of reserved nodes, which releases before 2.8 say nowhere else.

It is read from its end, as far back as it takes to find the reservations that the server counts; then what is new.
"""

import asyncio
import html
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from email.utils import parsedate_to_datetime
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote, unquote, urlsplit

import httpx

from engine.errors import ConfigError, SourceError
from engine.formats.regular_files import open_file
from engine.formats.traces.rm_log import take
from engine.formats.traces.rm_log_reader import QUARTER_MS, TimelineReader
from engine.formats.traces.rm_timeline import LineParser
from engine.live.rest_client import body_of, check_packing, failure_words, status_words
from engine.live.yarn_poll import ObservedReservation, Round

# Opens a ResourceManager's log: a file, or a page of its server; both in pieces, rotated ones too.

MOST: Final = 16 * 1024 * 1024  # Longest piece that is read at once [bytes]
MOST_FILES: Final = 20  # Files of a log that are read: the one that is written now and those before it
MOST_A_MINUTE: Final = 120  # Requests to a server within a minute; one a round is the rule
MINUTE_S: Final = 60.0
PIECE_S: Final = 30.0  # How long a piece may take
LOG_PLACES_EDGE: Final = 4096
LONGEST_LIST: Final = 4 * 1024 * 1024  # The page that lists all logs [bytes]

_LINK: Final = re.compile(r'href="([^"?]{1,500})"', re.IGNORECASE)
_IS_LOG: Final = re.compile(r"resourcemanager.*\.log$|^rm\.log$")
_LENGTH: Final = re.compile(r"[0-9]{1,18}")
_RANGE: Final = re.compile(r"bytes (?:(\d{1,18})-\d{1,18}|\*)/(\d{1,18})")


class Piece(NamedTuple):
    data: bytes
    start: int  # Where it begins [bytes]
    size: int  # The size of the whole file
    modified_ms: int  # When the file was written last [epoch ms]; 0 where nobody says


class LogFile:
    """A log on this machine, and its rotated predecessors."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def piece(self, age: int, start: int) -> Piece | None:
        """At most `MOST` bytes of one of its files; None where there is no such file.

        `age` 0 is the file that is written now, 1 the one before; a negative `start` counts from the end. Raises
        SourceError if it cannot be read.
        """
        path = self._path if age == 0 else self._rotated(age)
        if path is None:
            return None
        try:
            with open_file(path) as file:
                size = file.seek(0, 2)
                begin = file.seek(min(size, start) if start >= 0 else max(0, size + start))
                return Piece(file.read(MOST), begin, size, int(path.stat().st_mtime * 1000))
        except ConfigError as error:
            raise SourceError(str(error)) from error
        except OSError as error:
            raise SourceError(f"{path} cannot be read: {error.strerror or error}") from error

    async def close(self) -> None:
        pass  # each piece opens the file anew

    def _rotated(self, age: int) -> Path | None:
        """The file that was rotated so long ago: `rm.log.1`, `rm.log.2026-11-21`; the youngest has age 1."""
        try:
            found = [each for each in self._path.parent.iterdir() if each.name.startswith(f"{self._path.name}.")]
            plain = [each for each in found if not each.name.endswith((".gz", ".bz2", ".zip"))]
            plain.sort(key=lambda each: -each.stat().st_mtime_ns)
        except OSError:
            return None
        return plain[age - 1] if age <= len(plain) else None


class LogPage:
    """A log that a server shows, as a ResourceManager does under `/logs`, in pieces as of a `LogFile`."""

    def __init__(
        self, url: str, connect: Callable[[], httpx.AsyncClient], steady: Callable[[], float] = time.monotonic
    ) -> None:
        """Ask nothing yet. A `url` with a slash at its end is the page that lists the log; `steady` nobody sets."""
        self._url = url
        self._steady = steady
        self._asked_s: deque[float] = deque()  # when requests were made, those of the last minute
        self._last = b""  # the beginning of the piece before, by which a server is known that answers every name alike
        self._connect = connect
        self._client: httpx.AsyncClient | None = None

    @property
    def _host(self) -> str:
        return urlsplit(self._url).netloc.rpartition("@")[2]

    async def piece(self, age: int, start: int) -> Piece | None:
        if age >= MOST_FILES:
            return None
        try:
            async with asyncio.timeout(PIECE_S):
                return await self._piece(age, start)
        except TimeoutError:
            raise SourceError(f"{self._host} does not end its answer within {PIECE_S:g} s") from None

    async def _piece(self, age: int, start: int) -> Piece | None:
        client = self._client = self._client or self._connect()
        if self._url.endswith("/"):
            self._url += quote(await self._listed(client))
        self._count_request()
        url = self._url if age == 0 else f"{self._url}.{age}"
        span = f"bytes={start}" if start < 0 else f"bytes={start}-{start + MOST - 1}"
        headers = {"Range": span, "Accept-Encoding": "identity"}
        try:
            async with client.stream("GET", url, headers=headers) as response:
                found = await self._read(response, age, start)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SourceError(failure_words(self._host, error)) from error
        if found is not None and start < 0:
            if age and found.data[:LOG_PLACES_EDGE] == self._last:
                return None  # the same under every name
            self._last = found.data[:LOG_PLACES_EDGE]
        return found

    def _count_request(self) -> None:
        """Be gentle. Raises SourceError if there were as many requests in a minute as are allowed."""
        now_s = self._steady()
        while self._asked_s and self._asked_s[0] <= now_s - MINUTE_S:
            self._asked_s.popleft()
        if len(self._asked_s) >= MOST_A_MINUTE:
            raise SourceError(f"{self._host} would be asked for its log more than {MOST_A_MINUTE} times a minute")
        self._asked_s.append(now_s)

    async def close(self) -> None:
        """Let connections go; another piece opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _read(self, response: httpx.Response, age: int, start: int) -> Piece | None:
        check_packing(response, self._host)
        status, modified_ms = response.status_code, _modified_ms(response)
        if status == httpx.codes.NOT_FOUND and age:
            return None
        found = _RANGE.match(response.headers.get("content-range", ""))
        if status == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            size = int(found[2]) if found else 0
            return Piece(b"", size, size, modified_ms)
        if status == httpx.codes.PARTIAL_CONTENT and found and found[1]:
            data = await _bytes(response, 0)
            return Piece(data, int(found[1]), int(found[2]), modified_ms)
        if status != httpx.codes.OK:
            raise SourceError(status_words(self._host, status, b""))
        length = response.headers.get("content-length", "0")  # this server knows no ranges
        size = int(length) if _LENGTH.fullmatch(length) else 0
        begin = min(size, start) if start >= 0 else max(0, size + start)
        return Piece(await _bytes(response, begin), begin, size, modified_ms)

    async def _listed(self, client: httpx.AsyncClient) -> str:
        # Raises SourceError if the page lists no log of a ResourceManager, or several
        self._count_request()
        try:
            async with client.stream("GET", self._url) as response:
                body = await body_of(response, self._host, LONGEST_LIST)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SourceError(failure_words(self._host, error)) from error
        if response.status_code != httpx.codes.OK:
            raise SourceError(status_words(self._host, response.status_code, b""))
        links = [
            unquote(html.unescape(each)).rpartition("/")[2] for each in _LINK.findall(body.decode("utf-8", "replace"))
        ]
        names = sorted({each for each in links if _IS_LOG.search(each)})
        if len(names) != 1:
            where = f"{urlsplit(self._url).scheme}://{self._host}{urlsplit(self._url).path}"
            known = ", ".join(names or sorted({each for each in links if each})[:10]) or "nothing"
            raise SourceError(f"{where} lists {known}: name the ResourceManager's log, as {where}rm.log")
        return names[0]


async def _bytes(response: httpx.Response, skip: int) -> bytes:
    """At most `MOST` bytes of an answer, after those that are skipped."""
    passed, found = 0, BytesIO()
    async for part in response.aiter_bytes():
        found.write(part[max(0, skip - passed) :][: MOST - found.tell()])
        passed += len(part)
        if found.tell() == MOST:
            break
    return found.getvalue()


def _modified_ms(response: httpx.Response) -> int:
    try:
        return int(parsedate_to_datetime(response.headers.get("last-modified", "")).timestamp() * 1000)
    except (TypeError, ValueError, OverflowError):
        return 0


# The lines of a log that is written meanwhile: from its end, then what is new, across rotations.

EDGE: Final = 64  # How much of what was read last shows whether a file is still the same one [bytes]
MOST_NEW: Final = 32 * 1024 * 1024  # How much that is new is read at once; the rest is read the next time [bytes]
LONGEST_LINE: Final = 1024 * 1024  # A line that is longer is cut [bytes]


LogPlace = LogFile | LogPage


class LogTail:
    """Reads a log in order, never a line twice."""

    def __init__(self, place: LogPlace) -> None:
        self._place = place
        self._at = 0  # how far the file that is written now was read [bytes]
        self._edge = b""  # the last bytes before that
        self._rest = b""  # the beginning of a line whose end is not written yet
        self.is_whole = False  # whether `from_end` came to the beginning of the oldest file
        self.modified_ms = 0  # when the log was written last [epoch ms]; 0 where nobody says

    async def from_end(self, back: int) -> Iterator[str]:
        """Begin anew: the last lines, of so many bytes at least. Raises SourceError if the log cannot be read."""
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
        """Lines since; None where the thread is lost: begin anew. Raises SourceError if the log cannot be read."""
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
            begin = self._at - len(self._edge)
            piece = await self._place.piece(age, begin)
            if piece is None or piece.start != begin or not piece.data.startswith(self._edge):
                return b"".join(parts) if parts else None
            data = piece.data[len(self._edge) :]
            self.modified_ms = piece.modified_ms
            parts.append(data)
            self._at += len(data)
            self._edge = (self._edge + data)[-EDGE:]
            if not data or self._at >= piece.size or sum(map(len, parts)) >= MOST_NEW:
                return b"".join(parts)

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


FIRST_BACK: Final = 1024 * 1024  # How much is read at first [bytes]
LONGEST_BACK: Final = 48 * 1024 * 1024  # How much is read at most to find reservations
FURTHER: Final = 8  # How many times as much is read where that was not enough
AT_ONCE: Final = 2_000  # Lines that are read in one piece of work


class FollowedLog:
    """The present state as a log states it."""

    def __init__(self, place: LogPlace) -> None:
        self._place = place
        self._tail = LogTail(place)
        self._parser = LineParser()
        self._reader: TimelineReader | None = None

    async def holdings(self, answers: Round) -> list[ObservedReservation]:
        """Reservations that stand now, by node, with the ids of `answers`. Raises SourceError if it cannot be read."""
        reader = await self._read_on() or await self._begin(answers.metrics.containers_reserved)
        reader.forget_ended()
        last_ms, modified_ms = reader.timeline.end_ms, self._tail.modified_ms
        ahead_ms = last_ms - modified_ms if last_ms and modified_ms else 0  # of a log whose clock is east of Greenwich
        shift_ms = -round(ahead_ms / QUARTER_MS) * QUARTER_MS
        hosts = {each.node_host_name: each.id for each in answers.nodes}
        found = []
        for each in reader.timeline.reservations:
            node = each.node or ""
            found.append(
                ObservedReservation(hosts.get(node.partition(":")[0], node), each.application, each.since_ms + shift_ms)
            )
        return sorted(each for each in found if each.node)

    async def close(self) -> None:
        await self._place.close()

    async def _read_on(self) -> TimelineReader | None:
        """With what is new; None where it has to be begun anew."""
        reader = self._reader
        lines = None if reader is None else await self._tail.fresh()
        if reader is None or lines is None:
            return None
        await self._take(reader, lines)
        return reader

    async def _begin(self, reserved: int) -> TimelineReader:
        """Read backwards until as many nodes are held as the server counts."""
        back = FIRST_BACK
        while True:
            reader = TimelineReader()
            await self._take(reader, await self._tail.from_end(back))
            reader.forget_ended()
            self._reader = reader
            if len(reader.timeline.reservations) >= reserved or self._tail.is_whole or back >= LONGEST_BACK:
                return reader
            back = min(back * FURTHER, LONGEST_BACK)

    async def _take(self, reader: TimelineReader, lines: Iterable[str]) -> None:
        for number, text in enumerate(lines, 1):
            line = self._parser.line(text)
            if line is not None:
                take(reader, line)
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
