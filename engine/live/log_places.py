"""Opens a ResourceManager's log: a file, or a page of its server; both in pieces, rotated ones too."""

import asyncio
import html
import re
import time
from collections import deque
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple, Protocol
from urllib.parse import quote, unquote, urlsplit

import httpx

from engine.errors import ConfigError, SourceError
from engine.formats.regular_files import open_file
from engine.live.bounded_body import body_of, check_packing
from engine.live.failures import failure_words, status_words

MOST: Final = 16 * 1024 * 1024
"""Longest piece that is read at once [bytes]."""

MOST_FILES: Final = 20
"""Files of a log that are read: the one that is written now and those before it."""
MOST_A_MINUTE: Final = 120
"""Requests to a server within a minute; one a round is the rule."""
MINUTE_S: Final = 60.0
PIECE_S: Final = 30.0
"""How long a piece may take."""
EDGE: Final = 4096
LONGEST_LIST: Final = 4 * 1024 * 1024
"""The page that lists all logs [bytes]."""

_LINK: Final = re.compile(r'href="([^"?]{1,500})"', re.IGNORECASE)
_IS_LOG: Final = re.compile(r"resourcemanager.*\.log$|^rm\.log$")
_LENGTH: Final = re.compile(r"[0-9]{1,18}")
_RANGE: Final = re.compile(r"bytes (?:(\d{1,18})-\d{1,18}|\*)/(\d{1,18})")


class Piece(NamedTuple):
    """A part of a file."""

    data: bytes
    start: int
    """Where it begins [bytes]."""
    size: int
    """The size of the whole file."""
    modified_ms: int
    """When the file was written last [epoch ms]; 0 where nobody says."""


class LogPlace(Protocol):
    """A log and its rotated predecessors."""

    @property
    def name(self) -> str:
        """The file or its address, for people."""

    async def piece(self, age: int, start: int) -> Piece | None:
        """At most `MOST` bytes of one of its files; None where there is no such file.

        `age` 0 is the file that is written now, 1 the one before; a negative `start` counts from the end.

        Raises:
            SourceError: It cannot be read.
        """

    async def close(self) -> None:
        """Let connections go; another piece opens new ones."""


class LogFile:
    """A log on this machine; implements `LogPlace`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def name(self) -> str:
        """Its path."""
        return str(self._path)

    async def piece(self, age: int, start: int) -> Piece | None:
        """See `LogPlace`."""
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
        """There is no connection."""

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
    """A log that a server shows, as a ResourceManager does under `/logs`; implements `LogPlace`."""

    def __init__(
        self, url: str, connect: Callable[[], httpx.AsyncClient], steady: Callable[[], float] = time.monotonic
    ) -> None:
        """Ask nothing yet.

        Args:
            url: Of the log, or, with a slash at its end, of the page that lists it.
            connect: Makes a client; connections belong to the event loop they were opened in.
            steady: A clock that nobody sets [s].
        """
        self._url = url
        self._steady = steady
        self._asked_s: deque[float] = deque()
        """When requests were made, those of the last minute."""
        self._last = b""
        """The beginning of the piece before, by which a server is known that answers every name alike."""
        self._connect = connect
        self._client: httpx.AsyncClient | None = None

    @property
    def name(self) -> str:
        """Its address, without a password."""
        parts = urlsplit(self._url)
        return f"{parts.scheme}://{self._host}{parts.path}"

    @property
    def _host(self) -> str:
        return urlsplit(self._url).netloc.rpartition("@")[2]

    async def piece(self, age: int, start: int) -> Piece | None:
        """See `LogPlace`."""
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
            if age and found.data[:EDGE] == self._last:
                return None  # the same under every name
            self._last = found.data[:EDGE]
        return found

    def _count_request(self) -> None:
        """Be gentle.

        Raises:
            SourceError: There were as many requests in a minute as are allowed.
        """
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
        """The name of the ResourceManager's log on the page that lists all.

        Raises:
            SourceError: There is none, or there are several.
        """
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
            known = ", ".join(names or sorted({each for each in links if each})[:10]) or "nothing"
            raise SourceError(f"{self.name} lists {known}: name the ResourceManager's log, as {self.name}rm.log")
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
