"""Logs that a server shows: pieces, the page that lists them, what is answered instead."""

from collections.abc import Callable

import httpx
import pytest

from engine.errors import SourceError
from engine.live.followed_log import LogPage, LogTail

LINES = b"".join(f"line {number}\n".encode() for number in range(100))

OLD_LIST = '<TR><TD><A HREF="/logs/{0}">{0}&nbsp;</TD><TD ALIGN=right>50 bytes&nbsp;</TD></TR>'
"""As Jetty 6 of Hadoop 2.7 lists files."""
NEW_LIST = '<a href="?C=N&O=D">Name</a><td class="name"><a href="/logs/{0}">{0}&nbsp;</a></td>'
"""As Jetty 9 of Hadoop 3.4 lists files."""

Answer = Callable[[httpx.Request], httpx.Response]


class LogServer:
    """Shows one log, and one that was rotated."""

    def __init__(self, listing: str = "", *, knows_ranges: bool = True) -> None:
        self.files = {"/logs/hadoop-resourcemanager-a.log": LINES}
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


async def test_a_rotation_on_a_server_is_followed() -> None:
    server, name = LogServer(), "/logs/hadoop-resourcemanager-a.log"
    tail = LogTail(page_of(server.answer, f"http://rm1:8088{name}"))
    await tail.from_end(100)
    server.files = {f"{name}.1": LINES + b"old\n", name: b"new\n"}

    assert list(await tail.fresh() or ()) == ["old", "new"]


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


def test_a_password_in_an_address_is_not_shown() -> None:
    assert page_of(LogServer().answer, "http://ann:secret@rm1:8088/logs/rm.log").name == "http://rm1:8088/logs/rm.log"
