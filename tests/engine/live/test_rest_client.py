"""Asking one of several servers: how long answers take, whose clock goes how, who is asked next, how often."""

from collections.abc import Callable
from email.utils import formatdate

import httpx
import pytest

from engine.live.rest_client import (
    COST,
    HEAVY_MS,
    LIGHT_MS,
    MOST_PAUSE_MS,
    MOST_SKEW_S,
    PollPace,
    RestClient,
)

NOW_S = 1_795_220_500
Answer = Callable[[httpx.Request], httpx.Response]


class Server:
    """Answers; each answer takes as long as it is told to."""

    def __init__(self, answer: Answer = lambda request: httpx.Response(200, content=b"ok")) -> None:
        self.steady_s, self.takes_s = 5.0, [0.0]
        self.requests: list[httpx.Request] = []
        self.clients: list[httpx.AsyncClient] = []
        self._answer = answer

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        self.steady_s += self.takes_s.pop(0) if len(self.takes_s) > 1 else self.takes_s[0]
        return self._answer(request)

    def connect(self) -> httpx.AsyncClient:
        self.clients.append(httpx.AsyncClient(transport=httpx.MockTransport(self.handle)))
        return self.clients[-1]

    def client(self, *urls: str) -> RestClient:
        return RestClient(
            urls or ["http://rm1:8088/"],
            self.connect,
            wall=lambda: NOW_S + 0.5,
            steady=lambda: self.steady_s,
            cpu=lambda: 0.0,
        )


@pytest.mark.parametrize(
    ("interval_ms", "spent_ms", "pause_ms", "large_ms"),
    [
        (LIGHT_MS, 0, LIGHT_MS, HEAVY_MS),
        (LIGHT_MS, 105, LIGHT_MS, HEAVY_MS),
        (LIGHT_MS, 106, 106 * (COST - 1), HEAVY_MS),
        (LIGHT_MS, 251, 251 * (COST - 1), 251 * COST),
        (LIGHT_MS, 6_500, MOST_PAUSE_MS, MOST_PAUSE_MS),
        (60_000, 0, 60_000, 60_000),
    ],
)
def test_rounds_are_so_far_apart_that_the_server_has_little_work(
    interval_ms: int, spent_ms: int, pause_ms: int, large_ms: int
) -> None:
    pace = PollPace(interval_ms)

    assert (pace.pause_ms(spent_ms), pace.large_after_ms(spent_ms)) == (pause_ms, large_ms)


@pytest.mark.parametrize(
    ("ahead_s", "skew_ms"),
    [
        (2, 0),
        (3, 2_500),
        (-1, 0),
        (-2, -2_500),
        (MOST_SKEW_S, (MOST_SKEW_S * 2 - 1) * 500),
        (MOST_SKEW_S + 1, 0),
    ],
)
async def test_a_clock_differs_by_more_than_two_seconds_and_less_than_ten_years(ahead_s: int, skew_ms: int) -> None:
    date = formatdate(NOW_S + ahead_s, usegmt=True)
    client = Server(lambda request: httpx.Response(200, headers={"Date": date})).client()
    await client.read(bytes, "/")

    assert client.skew_ms == skew_ms


async def test_of_several_servers_each_is_asked_once_until_one_answers() -> None:
    server = Server(lambda request: httpx.Response(200 if request.url.host == "c" else 500))
    client = server.client("http://a:1", "http://u:p@b:2/", "http://c:3")
    first = client.where
    client.turn_to_next()
    second = client.where

    async def ask_round() -> bytes:
        return await client.read(bytes, "/x")

    assert (await client.of_active(ask_round), first, second) == (b"", "a:1", "b:2")
    assert (client.where, [request.url.host for request in server.requests]) == ("c:3", ["b", "c"])
    await client.of_active(ask_round)
    assert [request.url.host for request in server.requests] == ["b", "c", "c"]
