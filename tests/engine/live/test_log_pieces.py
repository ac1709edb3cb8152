"""Pieces of a log: of a file here with those that were rotated, and of a server, with ranges or without."""

from collections.abc import Callable

import httpx
import pytest

from engine.live.followed_log import LogPage, Piece

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
