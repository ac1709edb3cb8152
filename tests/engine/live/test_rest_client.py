"""Asking one of several servers: how long answers take, whose clock goes how, who is asked next, how often."""

from collections.abc import Callable
from email.utils import formatdate

import httpx
import pytest

from engine.errors import SourceError
from engine.live.json_answers import AnswerError
from engine.live.rest_client import (
    COST,
    HEAVY_MS,
    LIGHT_MS,
    MOST_PAUSE_MS,
    MOST_SKEW_S,
    MOST_WORDS,
    PollPace,
    RestClient,
    aside,
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
        """Let the next time pass, and answer."""
        self.requests.append(request)
        self.steady_s += self.takes_s.pop(0) if len(self.takes_s) > 1 else self.takes_s[0]
        return self._answer(request)

    def connect(self) -> httpx.AsyncClient:
        """A client that reaches it."""
        self.clients.append(httpx.AsyncClient(transport=httpx.MockTransport(self.handle)))
        return self.clients[-1]

    def client(self, *urls: str) -> RestClient:
        """Asks it."""
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
    """At most one part in twenty, unless that takes half a minute, and never more often than is wished."""
    pace = PollPace(interval_ms)

    assert (pace.pause_ms(spent_ms), pace.large_after_ms(spent_ms)) == (pause_ms, large_ms)


@pytest.mark.parametrize(("took_ms", "words"), [(2_000, ""), (2_061, "a round takes 2.1s, its interval is 2s")])
def test_a_round_is_late_that_takes_longer_than_the_interval(took_ms: int, words: str) -> None:
    """By a millisecond."""
    assert PollPace(2_000).late_words(took_ms) == words
    assert PollPace(2_000).late_words(2_001) != ""


@pytest.mark.parametrize("is_long", [True, False])
async def test_work_aside_is_done_all_the_same(*, is_long: bool) -> None:
    """In a thread, or at once."""
    assert await aside(is_long, lambda: 7) == 7


async def test_answers_of_a_round_are_measured_together_and_anew_in_the_next() -> None:
    """The slowest, and all of them [ms]; before the first there is nothing."""
    server = Server()
    client = server.client()
    before = client.took_ms, client.spent_ms

    async def ask_round() -> tuple[int, int]:
        await client.ask("GET", "/a")
        await client.ask("GET", "/b")
        return client.took_ms, client.spent_ms

    server.takes_s = [0.25, 0.125, 0.5, 0.25]

    assert before == (0, 0)
    assert [await client.of_active(ask_round) for _ in range(2)] == [(250, 375), (500, 750)]


async def test_the_clocks_are_of_this_machine_and_of_the_server() -> None:
    """In milliseconds; the server's as its last answer says."""
    server = Server(lambda request: httpx.Response(200, headers={"Date": formatdate(NOW_S + 10, usegmt=True)}))
    client = server.client()
    before = client.local_ms, client.server_ms, client.steady_ms, client.skew_ms
    await client.read(bytes, "/")

    assert before == (NOW_S * 1000 + 500, NOW_S * 1000 + 500, 5_000, 0)
    assert (client.local_ms, client.server_ms) == (NOW_S * 1000 + 500, NOW_S * 1000 + 10_000)


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
    """Dates of answers have whole seconds; this machine's clock is half a second on."""
    date = formatdate(NOW_S + ahead_s, usegmt=True)
    client = Server(lambda request: httpx.Response(200, headers={"Date": date})).client()
    await client.read(bytes, "/")

    assert client.skew_ms == skew_ms


async def test_of_several_servers_each_is_asked_once_until_one_answers() -> None:
    """Who answers is asked first from then on; a password is not shown."""
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


async def test_the_server_after_the_last_is_the_first() -> None:
    """And problems that are the same are said once."""
    client = Server(lambda request: httpx.Response(302)).client("http://a:1", "http://b:1", "http://a:1")

    async def ask_round() -> bytes:
        return await client.read(bytes, "/x")

    with pytest.raises(SourceError, match=r"^a:1 is on standby; b:1 is on standby$") as caught:
        await client.of_active(ask_round)
    assert (caught.value.is_standby, client.where) == (True, "a:1")


@pytest.mark.parametrize(("before", "is_standby"), [(182, True), (183, False)])
async def test_a_standby_of_2_7_says_so_at_the_beginning(before: int, *, is_standby: bool) -> None:
    """Within the first two hundred bytes, of which its words take eighteen."""
    body = b" " * before + b"This is standby RM. Redirecting"
    client = Server(lambda request: httpx.Response(200, content=body)).client()

    if is_standby:
        with pytest.raises(SourceError, match=r"^rm1:8088 is on standby$"):
            await client.ask("GET", "/")
    else:
        assert (await client.ask("GET", "/")).body == body


async def test_a_request_has_its_headers_and_its_content() -> None:
    """JSON where something is sent; the answer is given whatever its status."""
    server = Server(lambda request: httpx.Response(404, content=b"gone", headers={"X": "y"}))
    client = server.client()
    reply = await client.ask("PUT", "/x?y=z", b"{}", {"Authorization": "Bearer t"})
    await client.ask("GET", "/x")
    put, get = server.requests

    assert (reply.status, reply.body, reply.headers["x"]) == (404, b"gone", "y")
    assert (put.method, str(put.url), put.content) == ("PUT", "http://rm1:8088/x?y=z", b"{}")
    assert (put.headers["content-type"], put.headers["authorization"]) == ("application/json", "Bearer t")
    assert (get.headers["accept"], get.headers["accept-encoding"]) == ("application/json", "gzip")
    assert "content-type" not in get.headers


@pytest.mark.parametrize(("most", "is_taken"), [(2, True), (1, False)])
async def test_an_answer_is_as_long_as_its_page_may_be(most: int, *, is_taken: bool) -> None:
    """Beside the bound of the whole round."""
    client = Server().client()
    if is_taken:
        assert await client.read(bytes, "/", most) == b"ok"
    else:
        with pytest.raises(SourceError, match="answers more than 0 MB"):
            await client.read(bytes, "/", most)


def refuse(error: Exception) -> Callable[[bytes], bytes]:
    """Reads nothing."""

    def read(body: bytes) -> bytes:
        raise error

    return read


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (AnswerError("XML instead of JSON"), "rm1:8088 answers XML instead of JSON"),
        (KeyError("x"), "rm1:8088 answers what makes no picture (KeyError: 'x')"),
        (ZeroDivisionError("y" * 300), f"rm1:8088 answers what makes no picture (ZeroDivisionError: {'y' * 181})"),
    ],
)
async def test_what_makes_no_picture_is_said_in_a_sentence(error: Exception, words: str) -> None:
    """Of two hundred characters at most; what answered so is on standby no more than anybody."""
    client = Server().client()

    async def ask_round() -> bytes:
        return await client.read(refuse(error), "/")

    assert len(f"ZeroDivisionError: {'y' * 181}") == MOST_WORDS
    with pytest.raises(SourceError) as caught:
        await client.of_active(ask_round)
    assert (str(caught.value), caught.value.is_standby) == (words, False)


async def test_a_client_is_opened_when_it_is_needed_and_closed_once() -> None:
    """Another request opens another one; nothing is closed that is not open."""
    server = Server()
    client = server.client()
    await client.close()
    opened = len(server.clients)
    await client.ask("GET", "/")
    await client.ask("GET", "/")
    await client.close()
    await client.ask("GET", "/")

    assert opened == 0
    assert [each.is_closed for each in server.clients] == [True, False]
