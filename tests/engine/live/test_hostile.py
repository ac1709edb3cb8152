"""A server that means harm: answers without end, packed without end, of the wrong kind, under every name."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from engine.errors import SourceError
from engine.live import followed_log as log_places
from engine.live import rest_client
from engine.live.followed_log import MOST_A_MINUTE, FollowedLog, LogPage, LogTail
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import YarnSource
from tests.engine.live.recorded import FakeServer, connected

Answer = Callable[[httpx.Request], httpx.Response]


class Parts(httpx.AsyncByteStream):
    """A body in parts."""

    def __init__(self, part: bytes, times: int, pause_s: float = 0.0) -> None:
        self.part, self.times, self.pause_s = part, times, pause_s

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for _ in range(self.times):
            await asyncio.sleep(self.pause_s)
            yield self.part


def client_of(answer: Answer) -> RestClient:
    return RestClient(["http://rm1:8088"], lambda: httpx.AsyncClient(transport=httpx.MockTransport(answer)))


async def test_an_answer_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest_client, "ANSWER_S", 0.02)
    client = client_of(lambda request: httpx.Response(200, stream=Parts(b" ", 10_000, 0.001)))

    with pytest.raises(SourceError, match="rm1:8088 does not end its answer within"):
        await client.ask("GET", "/")


async def test_a_round_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest_client, "ROUND_S", 0.02)
    client = client_of(lambda request: httpx.Response(200))

    async def ask_round() -> None:
        while True:
            await client.ask("GET", "/")
            await asyncio.sleep(0)

    with pytest.raises(SourceError, match="all of a round within"):
        await client.of_active(ask_round)


@pytest.mark.parametrize(("more", "is_taken"), [(0, True), (1, False)])
async def test_the_bound_counts_what_is_unpacked_in_all_answers_of_a_round(
    monkeypatch: pytest.MonkeyPatch, more: int, *, is_taken: bool
) -> None:
    monkeypatch.setattr(rest_client, "LARGEST", 1000)
    bodies = [gzip.compress(b" " * 400), gzip.compress(b" " * (600 + more))] * 2
    client = client_of(
        lambda request: httpx.Response(200, headers={"Content-Encoding": "gzip"}, stream=Parts(bodies.pop(0), 1))
    )

    async def ask_round() -> list[int]:
        return [await client.read(len, "/") for _ in range(2)]

    for _ in range(2):
        if is_taken:
            assert await client.of_active(ask_round) == [400, 600]
        else:
            with pytest.raises(SourceError, match="answers more than 0 MB"):
                await client.of_active(ask_round)


@pytest.mark.parametrize(
    ("page", "name", "value", "words"),
    [
        ("/scheduler", "maxResources", 7, "maxResources"),
        ("/apps", "id", "application", "id"),
        ("/apps", "startedTime", 10**18, "startedTime"),
        ("/apps", "allocatedMB", 2**45 + 1, "allocatedMB"),
        ("/apps", "allocatedMB", 10**30, "allocatedMB"),
        ("/nodes", "usedMemoryMB", [], "usedMemoryMB"),
        ("/nodes", "lastHealthUpdate", 32_503_680_000_001, "lastHealthUpdate"),
        ("/metrics", "totalMB", 1e308, "totalMB"),
        ("/info", "startedOn", "yesterday", "startedOn"),
    ],
)
async def test_a_field_that_cannot_be_read_is_named_and_the_next_round_is_asked(
    page: str, name: str, value: object, words: str
) -> None:
    server = FakeServer("2.7.2-fair-kill")
    is_bad = True

    def changed(request: httpx.Request) -> httpx.Response | None:
        if not is_bad or page not in request.url.path:
            return None
        server.fails = lambda request: None
        body = json.loads(server.answer(request).content)
        server.fails = changed
        return httpx.Response(200, json=_with(body, name, value))

    server.fails = changed
    source = YarnSource(RestClient(["http://rm1:8088"], connected(server)), PollPace())

    with pytest.raises(SourceError, match=words):
        await source.poll()
    is_bad = False
    assert (await source.poll()).header.nodes == 12


def _with(value: Any, name: str, new: object) -> Any:
    """A document with another value of a field, wherever that stands."""
    if isinstance(value, dict):
        return {key: new if key == name else _with(each, name, new) for key, each in value.items()}
    return [_with(each, name, new) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("status", "content"), [(200, b""), (200, b"the same\n"), (416, b"")])
async def test_a_log_server_that_answers_every_name_alike_is_recognised(status: int, content: bytes) -> None:
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(status, content=content)

    tail = LogTail(page_of(answer))
    await tail.from_end(1024**2)

    assert len(asked) <= 2
    assert tail.is_whole


async def test_a_log_server_is_asked_gently() -> None:
    """Whatever it answers: a size that is never reached, a byte at a time."""
    asked, now_s = [], 0.0

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers["range"])
        start = int(request.headers["range"].removeprefix("bytes=").partition("-")[0] or 0)
        return httpx.Response(206, content=b"\n", headers={"Content-Range": f"bytes {start}-{start}/{10**18 - 1}"})

    page = LogPage("http://rm1/rm.log", lambda: httpx.AsyncClient(transport=httpx.MockTransport(answer)), lambda: now_s)
    with pytest.raises(SourceError, match=f"more than {MOST_A_MINUTE} times a minute"):
        await LogTail(page).from_end(1024**2)
    assert len(asked) == MOST_A_MINUTE
    now_s = 60.0
    with pytest.raises(SourceError, match="times a minute"):
        await LogTail(page).from_end(1024**2)
    assert len(asked) == 2 * MOST_A_MINUTE


async def test_a_piece_of_a_log_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_places, "PIECE_S", 0.02)
    page = page_of(lambda request: httpx.Response(200, stream=Parts(b"x", 10_000, 0.001)))

    with pytest.raises(SourceError, match="does not end its answer within"):
        await page.piece(0, -100)


async def test_a_log_that_cannot_be_read_costs_its_own_rows_only() -> None:
    log = FollowedLog(page_of(lambda request: httpx.Response(206, headers={"Content-Range": "bytes 5-4/3"})))
    source = YarnSource(RestClient(["http://rm1:8088"], connected(FakeServer("2.7.2-fair-kill"))), PollPace(), log)

    assert (await source.poll()).header.nodes == 12


def page_of(answer: Answer) -> LogPage:
    return LogPage("http://rm1/rm.log", lambda: httpx.AsyncClient(transport=httpx.MockTransport(answer)))
