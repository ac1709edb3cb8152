"""Pieces of a log: of a file here with those that were rotated, and of a server, with ranges or without."""

import os
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from engine.errors import SourceError
from engine.live import log_places
from engine.live.log_places import MOST_A_MINUTE, MOST_FILES, LogFile, LogPage, Piece

TEN = b"0123456789"
DATE = "Sat, 21 Nov 2026 00:21:40 GMT"
DATE_MS = 1_795_220_500_000
Answer = Callable[[httpx.Request], httpx.Response]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log of ten bytes."""
    found = tmp_path / "rm.log"
    found.write_bytes(TEN)
    os.utime(found, (1_700_000_000.5, 1_700_000_000.5))
    return found


@pytest.mark.parametrize(
    ("start", "data", "begin"),
    [
        (0, TEN, 0),
        (4, b"456789", 4),
        (9, b"9", 9),
        (10, b"", 10),
        (11, b"", 10),
        (-1, b"9", 9),
        (-10, TEN, 0),
        (-11, TEN, 0),
    ],
)
async def test_a_piece_of_a_file_begins_where_it_is_asked_for(path: Path, start: int, data: bytes, begin: int) -> None:
    """From its beginning or its end, within the file; with its size and when it was written last."""
    assert await LogFile(path).piece(0, start) == Piece(data, begin, 10, 1_700_000_000_500)


async def test_a_piece_is_of_a_bounded_length(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is another one."""
    monkeypatch.setattr(log_places, "MOST", 4)
    found = await LogFile(path).piece(0, 3)

    assert found is not None
    assert (found.data, found.size) == (b"3456", 10)


async def test_rotated_files_are_told_by_their_age(path: Path) -> None:
    """The youngest first, whatever they are called; packed ones and others are none."""
    ages = {"rm.log.1": 3, "rm.log.2026-11-21": 1, "rm.log.2": 2, "rm.log.gz": 0, "rm.log.3.bz2": 0, "rm.log.4.zip": 0}
    for name, age in {**ages, "other.log.1": 0, "rm.log2": 0}.items():
        other = path.with_name(name)
        other.write_text(name)
        os.utime(other, (1_000 - age, 1_000 - age))
    found = [await LogFile(path).piece(age, 0) for age in (1, 2, 3, 4)]

    assert [each and each.data.decode() for each in found] == ["rm.log.2026-11-21", "rm.log.2", "rm.log.1", None]
    assert LogFile(path).name == str(path)


async def test_a_log_that_is_no_file_is_said(path: Path) -> None:
    """A folder is none."""
    with pytest.raises(SourceError, match=str(path.parent)):
        await LogFile(path.parent).piece(0, 0)
    assert await LogFile(path.parent / "gone" / "rm.log").piece(1, 0) is None


def page_of(answer: Answer, url: str = "http://u:p@rm1:8088/logs/rm.log", **more: Callable[[], float]) -> LogPage:
    """A log that is answered so."""
    return LogPage(url, lambda: httpx.AsyncClient(transport=httpx.MockTransport(answer)), **more)


def ranged(status: int, content: bytes = b"", **headers: str) -> Answer:
    """Answers always so."""
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return lambda request: httpx.Response(status, content=content, headers={"Last-Modified": DATE, **named})


@pytest.mark.parametrize(("start", "span"), [(-7, "bytes=-7"), (0, "bytes=0-16777215"), (5, "bytes=5-16777220")])
async def test_a_server_is_asked_for_a_range(start: int, span: str) -> None:
    """Not packed; of the file before with its age at the end of the name."""
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(206, content=b"x", headers={"Content-Range": "bytes 3-3/9"})

    page = page_of(answer)
    await page.piece(0, start)
    await page.piece(2, start)

    assert [each.url.path for each in asked] == ["/logs/rm.log", "/logs/rm.log.2"]
    assert {(each.headers["range"], each.headers["accept-encoding"]) for each in asked} == {(span, "identity")}


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
    """One that knows no ranges sends all of it."""
    assert await page_of(answer).piece(0, start) == piece


@pytest.mark.parametrize("date", ["", "soon", "Fri, 31 Dec 9999 23:59:59 -9999"])
async def test_a_date_that_is_none_is_0(date: str) -> None:
    """Nobody says when it was written."""
    found = await page_of(lambda request: httpx.Response(200, content=b"x", headers={"Last-Modified": date})).piece(
        0, 0
    )

    assert found is not None
    assert found.modified_ms == 0


@pytest.mark.parametrize(("age", "is_said"), [(0, True), (1, False)])
async def test_a_file_that_is_not_there_is_said_unless_it_was_rotated(age: int, *, is_said: bool) -> None:
    """There may be no older one."""
    page = page_of(ranged(404))
    if is_said:
        with pytest.raises(SourceError, match="rm1:8088 answers 404"):
            await page.piece(age, 0)
    else:
        assert await page.piece(age, 0) is None


@pytest.mark.parametrize("span", ["", "bytes */9", "lines 3-4/9"])
async def test_a_part_without_its_place_is_none(span: str) -> None:
    """Nobody knows where it belongs."""
    with pytest.raises(SourceError, match="rm1:8088 answers 206"):
        await page_of(ranged(206, b"x", Content_Range=span)).piece(0, 3)


async def test_a_server_that_gives_the_same_under_every_name_has_one_file() -> None:
    """As of the ends of two of them; what begins otherwise is another file."""
    same = page_of(ranged(200, b"same"))
    assert [await same.piece(age, -4) is None for age in (0, 1)] == [False, True]

    named = page_of(lambda request: httpx.Response(200, content=request.url.path.encode()))
    assert [await named.piece(age, -99) is None for age in (0, 1, 2)] == [False, False, False]
    again = page_of(ranged(200, b"same"))
    assert [await again.piece(age, 0) is None for age in (0, 1)] == [False, False]


async def test_there_are_so_many_files_at_most() -> None:
    """Of older ones nobody is asked."""
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(404)

    assert await page_of(answer).piece(MOST_FILES - 1, 0) is None
    assert await page_of(answer).piece(MOST_FILES, 0) is None
    assert asked == [f"/logs/rm.log.{MOST_FILES - 1}"]


async def test_requests_of_the_last_minute_are_counted() -> None:
    """As many as are allowed, and one more a minute after the first."""
    now_s = 0.0
    page = page_of(ranged(200, b"x"), steady=lambda: now_s)
    for at in range(MOST_A_MINUTE):
        now_s = at / 10
        await page.piece(0, 0)
    now_s = 59.999
    with pytest.raises(SourceError, match=r"^rm1:8088 would be asked for its log more than 120 times a minute$"):
        await page.piece(0, 0)
    now_s = 60.0

    assert await page.piece(0, 0) is not None
    with pytest.raises(SourceError):
        await page.piece(0, 0)


LINK = '<A HREF="{0}">{0}</A>'


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["/logs/yarn-resourcemanager-h.log", "x.log"], "yarn-resourcemanager-h.log"),
        (["rm.log", "rm.log"], "rm.log"),
        (["my%20resourcemanager.log"], "my%20resourcemanager.log"),
        (["a&amp;resourcemanager.log"], "a&resourcemanager.log"),
    ],
)
async def test_the_log_is_found_by_its_name_once(names: list[str], found: str) -> None:
    """On the page that lists all; after that it is asked for at once."""
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.raw_path.decode().removeprefix("/logs/"))
        listing = "".join(LINK.format(name) for name in names)
        return httpx.Response(200, text=listing if request.url.path == "/logs/" else "line\n")

    page = page_of(answer, "http://rm1:8088/logs/")
    await page.piece(0, 0)
    await page.piece(1, 0)

    assert [each.replace("%26", "&") for each in asked] == ["", found, f"{found}.1"]
    assert page.name.startswith("http://rm1:8088/logs/")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "nothing"),
        (["b.txt", "a.txt", "a.txt", "/logs/"], "a.txt, b.txt"),
        (["rm.log", "x-resourcemanager.log"], "rm.log, x-resourcemanager.log"),
        ([f"{at:02d}" for at in range(11)], ", ".join(f"{at:02d}" for at in range(10))),
    ],
)
async def test_a_page_that_lists_none_or_several_is_said_with_what_it_lists(names: list[str], words: str) -> None:
    """Ten of them."""
    listing = "".join(LINK.format(name) for name in names)
    with pytest.raises(SourceError) as caught:
        await page_of(lambda request: httpx.Response(200, text=listing), "http://rm1:8088/logs/").piece(0, 0)

    assert str(caught.value) == (
        f"http://rm1:8088/logs/ lists {words}: name the ResourceManager's log, as http://rm1:8088/logs/rm.log"
    )


async def test_connections_are_let_go_and_opened_again() -> None:
    """By another piece."""
    opened: list[httpx.AsyncClient] = []

    def connect() -> httpx.AsyncClient:
        opened.append(httpx.AsyncClient(transport=httpx.MockTransport(ranged(200, b"x"))))
        return opened[-1]

    page = LogPage("http://rm1:8088/rm.log", connect)
    await page.close()
    await page.piece(0, 0)
    await page.piece(0, 0)
    await page.close()
    await page.piece(0, 0)

    assert [each.is_closed for each in opened] == [True, False]
