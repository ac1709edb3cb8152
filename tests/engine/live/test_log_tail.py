"""The lines of a log that is written meanwhile: from its end, what is new, across rotations."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from engine.errors import SourceError
from engine.live.followed_log import EDGE, FollowedLog, LogFile, LogPage, LogTail, Piece
from engine.live.yarn_picture import Round
from tests.engine.live.recorded import FOLDER, START_S, rounds_of


class Log:
    """A log on disk that is written and rotated by hand."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "rm.log"
        self.path.write_bytes(b"")
        self.tail = LogTail(LogFile(self.path))
        self._count = 0

    def write(self, lines: int, end: str = "\n") -> list[str]:
        first, self._count = self._count, self._count + lines
        found = [f"line {number:05d} of the log" for number in range(first, self._count)]
        with self.path.open("a", encoding="utf-8") as file:
            file.write("".join(f"{each}\n" for each in found[:-1]) + found[-1] + end)
        return found

    def rotate(self) -> None:
        """As log4j does: the file gets another name, and a new one is begun."""
        self.path.rename(self.path.with_name("rm.log.1"))
        self.path.write_bytes(b"")


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


async def test_what_is_new_comes_once_and_in_order(log: Log) -> None:
    first = log.write(10)
    assert list(await log.tail.from_end(10_000)) == first
    second = log.write(5)

    assert list(await log.tail.fresh() or ()) == second
    assert list(await log.tail.fresh() or ()) == []


async def test_a_line_that_is_not_written_whole_waits_for_its_end(log: Log) -> None:
    log.write(3)
    await log.tail.from_end(10_000)
    half = log.write(1, end="")
    assert list(await log.tail.fresh() or ()) == []
    whole = log.write(1)

    assert list(await log.tail.fresh() or ()) == [half[0] + whole[0]]


@pytest.mark.parametrize(
    ("back", "count", "is_whole"), [(25, 0, False), (50, 1, False), (99, 3, False), (101, 4, True)]
)
async def test_the_end_of_a_log_begins_with_a_whole_line(log: Log, back: int, count: int, is_whole: bool) -> None:
    """Lines have 25 bytes; what stands before the first end of a line is left out, except at the very beginning."""
    lines = [each + "-" for each in log.write(4)]
    log.path.write_text("\n".join(lines).ljust(100, "\n")[:100], encoding="utf-8")
    found = list(await log.tail.from_end(back))

    assert (len([each for each in found if each]), log.tail.is_whole) == (count, is_whole)


async def test_lines_before_and_after_a_rotation_are_read(log: Log) -> None:
    log.write(10)
    await log.tail.from_end(10_000)
    old = log.write(5)
    log.rotate()
    new = log.write(5)

    assert list(await log.tail.fresh() or ()) == old + new


async def test_a_log_that_was_rotated_twice_is_begun_anew(log: Log) -> None:
    log.write(EDGE)
    await log.tail.from_end(10_000)
    log.rotate()
    log.write(EDGE)
    log.rotate()
    log.write(EDGE)

    assert await log.tail.fresh() is None


# Reservations of nodes as a recorded ResourceManager's log says them, beside what its metrics count.

LINES = gzip.decompress((FOLDER / "2.7.2-fair-rm.log.gz").read_bytes()).splitlines(keepends=True)
FROZEN = rounds_of("2.7.2-fair-kill")[0]
BEGIN_S = START_S + 6
"""When the nodes were up, which seconds are counted from [epoch s]."""
RESERVED_S, KILL_S = 22, 71


def lines_until(second: float) -> bytes:
    minutes, seconds = divmod(int(46 + second), 60)
    last = f"2026-11-21 00:{21 + minutes:02d}:{seconds:02d},999".encode()
    return b"".join(line for line in LINES if line[:23] <= last)


class PlayedLog:
    """A log that is written by hand, at a time zone."""

    def __init__(self, folder: Path, east_h: int = 0) -> None:
        self.path = folder / "rm.log"
        self._east_s = east_h * 3600
        self.log = FollowedLog(LogFile(self.path))

    def write(self, data: bytes, second: float) -> None:
        """Have the log hold this, written last at a second."""
        self.path.write_bytes(data)
        written_s = BEGIN_S + second - self._east_s
        os.utime(self.path, (written_s, written_s))

    async def held(self, answers: Round) -> dict[str, str]:
        """Node → the end of the id of who holds it."""
        return {each.node: each.application[-5:] for each in await self.log.holdings(answers)}


@pytest.mark.parametrize("east_h", [0, 9, -5])
async def test_since_when_a_node_is_held_does_not_depend_on_the_time_zone(tmp_path: Path, east_h: int) -> None:
    """The log has local times; when it was written last says how far they are off."""
    played = PlayedLog(tmp_path, east_h)
    played.write(lines_until(66), 66)
    since = [each.since_ms / 1000 - BEGIN_S for each in await played.log.holdings(FROZEN)]

    assert sum(abs(each + east_h * 3600 - RESERVED_S) < 1.5 for each in since) == 11


# Logs that a server shows: pieces, the page that lists them, what is answered instead.

LOG_PLACES_LINES = b"".join(f"line {number}\n".encode() for number in range(100))

OLD_LIST = '<TR><TD><A HREF="/logs/{0}">{0}&nbsp;</TD><TD ALIGN=right>50 bytes&nbsp;</TD></TR>'
"""As Jetty 6 of Hadoop 2.7 lists files."""
NEW_LIST = '<a href="?C=N&O=D">Name</a><td class="name"><a href="/logs/{0}">{0}&nbsp;</a></td>'
"""As Jetty 9 of Hadoop 3.4 lists files."""

Answer = Callable[[httpx.Request], httpx.Response]


class LogServer:
    """Shows one log, and one that was rotated."""

    def __init__(self, listing: str = "", *, knows_ranges: bool = True) -> None:
        self.files = {"/logs/hadoop-resourcemanager-a.log": LOG_PLACES_LINES}
        self.listing = listing
        self.knows_ranges = knows_ranges

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/logs/":
            return httpx.Response(200, text=self.listing)
        data = self.files.get(request.url.path)
        if data is None:
            return httpx.Response(404)
        if not self.knows_ranges:
            return httpx.Response(200, content=data)
        first, _, last = request.headers["range"].removeprefix("bytes=").partition("-")
        start = int(first) if first else max(0, len(data) - int(last))
        if start >= len(data):
            return httpx.Response(416, headers={"Content-Range": f"bytes */{len(data)}"})
        part = data[start : int(last) + 1 if first else None]
        span = f"bytes {start}-{start + len(part) - 1}/{len(data)}"
        date = "Sat, 21 Nov 2026 00:21:40 GMT"
        return httpx.Response(206, content=part, headers={"Content-Range": span, "Last-Modified": date})


def page_of(answer: Answer, url: str = "http://rm1:8088/logs/") -> LogPage:
    return LogPage(url, lambda: httpx.AsyncClient(transport=httpx.MockTransport(answer)))


@pytest.mark.parametrize("form", [OLD_LIST, NEW_LIST])
async def test_the_log_is_found_on_the_page_that_lists_all(form: str) -> None:
    names = ["apps.tsv", "hadoop-resourcemanager-a.log", "hadoop-resourcemanager-a.out"]
    server = LogServer("".join(form.format(name) for name in names))
    tail = LogTail(page_of(server.answer))

    assert list(await tail.from_end(18))[-1:] == ["line 99"]
    assert tail.modified_ms == 1_795_220_500_000


@pytest.mark.parametrize("knows_ranges", [True, False])
async def test_what_is_new_is_read_with_ranges_and_without(*, knows_ranges: bool) -> None:
    server = LogServer(knows_ranges=knows_ranges)
    tail = LogTail(page_of(server.answer, "http://rm1:8088/logs/hadoop-resourcemanager-a.log"))
    await tail.from_end(100)
    server.files["/logs/hadoop-resourcemanager-a.log"] += b"more\n"

    assert list(await tail.fresh() or ()) == ["more"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda request: httpx.Response(200, text=OLD_LIST.format("a.log")), "lists a.log: name the ResourceManager"),
        (lambda request: httpx.Response(404), "answers 404"),
        (lambda request: httpx.Response(401), "wants a login"),
    ],
)
async def test_a_page_without_the_log_is_said(answer: Answer, words: str) -> None:
    with pytest.raises(SourceError, match=words):
        await page_of(answer).piece(0, -10)


@pytest.mark.parametrize("status", [404, 401, 500])
async def test_a_log_that_a_server_does_not_show_is_said(status: int) -> None:
    with pytest.raises(SourceError, match=str(status)):
        await page_of(lambda request: httpx.Response(status), "http://rm1:8088/logs/rm.log").piece(0, -10)


@pytest.mark.parametrize("url", ["http://rm1:8088/logs/", "http://rm1:8088/logs/rm.log"])
async def test_a_server_that_cannot_be_reached_is_said(url: str) -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("Connection refused")

    with pytest.raises(SourceError, match="rm1:8088 cannot be reached: connection refused"):
        await page_of(fail, url).piece(0, -10)


# Pieces of a log: of a file here with those that were rotated, and of a server, with ranges or without.

TEN = b"0123456789"
DATE = "Sat, 21 Nov 2026 00:21:40 GMT"
DATE_MS = 1_795_220_500_000


def page_of_log_pieces(
    answer: Answer, url: str = "http://u:p@rm1:8088/logs/rm.log", **more: Callable[[], float]
) -> LogPage:
    return LogPage(url, lambda: httpx.AsyncClient(transport=httpx.MockTransport(answer)), **more)


def ranged(status: int, content: bytes = b"", **headers: str) -> Answer:
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return lambda request: httpx.Response(status, content=content, headers={"Last-Modified": DATE, **named})


@pytest.mark.parametrize(
    ("answer", "start", "piece"),
    [
        (ranged(206, b"34", Content_Range="bytes 3-4/9"), 3, Piece(b"34", 3, 9, DATE_MS)),
        (ranged(416, b"", Content_Range="bytes */9"), 12, Piece(b"", 9, 9, DATE_MS)),
        (ranged(416), 12, Piece(b"", 0, 0, DATE_MS)),
        (ranged(200, TEN), 0, Piece(TEN, 0, 10, DATE_MS)),
        (ranged(200, TEN), 8, Piece(b"89", 8, 10, DATE_MS)),
        (ranged(200, TEN), 12, Piece(b"", 10, 10, DATE_MS)),
        (ranged(200, TEN), -2, Piece(b"89", 8, 10, DATE_MS)),
        (ranged(200, TEN), -12, Piece(TEN, 0, 10, DATE_MS)),
    ],
)
async def test_a_piece_of_a_server_is_what_its_headers_say(answer: Answer, start: int, piece: Piece) -> None:
    assert await page_of_log_pieces(answer).piece(0, start) == piece
