"""Pieces of a log: of a file here with those that were rotated, and of a server, with ranges or without."""

from collections.abc import Callable

import httpx
import pytest

from engine.errors import SourceError
from engine.live.log_places import LogPage, Piece

TEN = b"0123456789"
DATE = "Sat, 21 Nov 2026 00:21:40 GMT"
DATE_MS = 1_795_220_500_000
Answer = Callable[[httpx.Request], httpx.Response]


def page_of(answer: Answer, url: str = "http://u:p@rm1:8088/logs/rm.log", **more: Callable[[], float]) -> LogPage:
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
    assert await page_of(answer).piece(0, start) == piece


@pytest.mark.parametrize("date", ["", "soon", "Fri, 31 Dec 9999 23:59:59 -9999"])
async def test_a_date_that_is_none_is_0(date: str) -> None:
    found = await page_of(lambda request: httpx.Response(200, content=b"x", headers={"Last-Modified": date})).piece(
        0, 0
    )

    assert found is not None
    assert found.modified_ms == 0


@pytest.mark.parametrize(("age", "is_said"), [(0, True), (1, False)])
async def test_a_file_that_is_not_there_is_said_unless_it_was_rotated(age: int, *, is_said: bool) -> None:
    page = page_of(ranged(404))
    if is_said:
        with pytest.raises(SourceError, match="rm1:8088 answers 404"):
            await page.piece(age, 0)
    else:
        assert await page.piece(age, 0) is None


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
