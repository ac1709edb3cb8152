"""Asking ResourceManagers round by round, beside servers that fail in every way."""

import ssl
from collections.abc import Callable
from itertools import pairwise

import httpx
import pytest

from engine.errors import SourceError
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import YarnSource
from tests.engine.live.recorded import FakeServer, connected


def source_of(*servers: FakeServer, interval_ms: int = 2000) -> YarnSource:
    """Asks these servers; the clock of this machine is the first one's."""
    urls = [f"http://{server.host}" for server in servers]

    def now() -> float:
        return servers[0].now_s

    client = RestClient(urls, connected(*servers), wall=now, steady=now)
    return YarnSource(client, PollPace(interval_ms))


async def test_a_round_is_the_cluster_of_that_moment() -> None:
    server = FakeServer()
    snapshot = await source_of(server).poll()
    metrics = server.rounds[0]["metrics"]["clusterMetrics"]

    assert (snapshot.header.used[0], snapshot.header.nodes) == (metrics["allocatedMB"], metrics["activeNodes"])
    assert snapshot.header.scheduler == "FairScheduler 2.7.2"


async def test_large_pages_are_asked_every_five_seconds() -> None:
    server = FakeServer()
    source = source_of(server)
    for place in (0, 2, 4, 5):
        server.place = place
        await source.poll()
    counts = {path: sum(f"/cluster{path}" in each for each in server.asked) for path in ("/metrics", "/nodes")}

    assert counts == {"/metrics": 4, "/nodes": 2}


async def test_rows_of_pages_that_were_not_asked_again_are_kept() -> None:
    """With their version, so that nobody draws them anew; new pages have new rows."""
    server = FakeServer()
    source = source_of(server)
    snapshots = []
    for place in (0, 2, 5):
        server.place = place
        snapshots.append(await source.poll())
    first, light, heavy = snapshots

    assert (light.nodes(), light.users()) == (first.nodes(), first.users())
    assert [each.version("nodes") == first.version("nodes") for each in (light, heavy)] == [True, False]
    assert light.version("queues") > first.version("queues")
    assert light.header.time_ms > first.header.time_ms
    assert heavy.nodes() != first.nodes()


@pytest.mark.parametrize(("reserved", "is_new"), [(6, False), (0, True)])
async def test_rows_are_made_anew_when_nothing_is_reserved_any_more(reserved: int, is_new: bool) -> None:  # a case
    server = FakeServer()
    source = source_of(server)
    for place in (0, 2):
        server.rounds[place]["metrics"]["clusterMetrics"]["containersReserved"] = 5
    first = await source.poll()
    server.rounds[2]["metrics"]["clusterMetrics"]["containersReserved"] = reserved
    server.place = 2
    light = await source.poll()

    assert (light.version("nodes") > first.version("nodes")) == is_new
    assert (first.header.pages_ms, light.header.pages_ms) == (None, first.header.time_ms)


async def test_applications_that_ended_are_asked_since_the_last_time_and_kept() -> None:
    server = FakeServer("2.7.2-fair-kill")
    source = source_of(server)
    numbers = []
    for place in (0, 6, 12, 18):
        server.place = place
        snapshot = await source.poll()
        numbers.append({row.number for row in snapshot.applications() if row.finished_ms is not None})
    begins = [each.partition("finishedTimeBegin=")[2] for each in server.asked if "finishedTimeBegin" in each]

    assert all(before <= after for before, after in pairwise(numbers))
    assert 10 in numbers[-1]
    assert [before < after for before, after in pairwise(begins[1:])] == [True, True]


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (httpx.ConnectError("Connection refused"), "rm1:8088 cannot be reached: connection refused"),
        (
            httpx.ConnectError("[Errno -2] Name or service not known"),
            "rm1:8088 cannot be reached: name or service not known",
        ),
        (httpx.ConnectTimeout("slow"), "rm1:8088 cannot be reached: no connection in time"),
        (httpx.ReadTimeout("slow"), "rm1:8088 does not answer in time"),
        (httpx.RemoteProtocolError("cut"), "rm1:8088 broke off its answer"),
        (httpx.ReadError("cut"), "rm1:8088 broke off its answer"),
    ],
)
async def test_a_server_that_does_not_answer_is_said_in_a_sentence(failure: Exception, words: str) -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise failure

    server = FakeServer()
    server.fails = fail
    with pytest.raises(SourceError) as caught:
        await source_of(server).poll()

    assert str(caught.value) == words


async def test_a_certificate_that_is_not_trusted_names_the_option() -> None:
    failure = httpx.ConnectError("failed")
    failure.__cause__ = ssl.SSLCertVerificationError("unknown authority")

    def fail(request: httpx.Request) -> httpx.Response:
        raise failure

    server = FakeServer()
    server.fails = fail
    with pytest.raises(SourceError, match=r"certificate is not trusted .*--ca FILE"):
        await source_of(server).poll()


@pytest.mark.parametrize(
    ("response", "words"),
    [
        (httpx.Response(401), "wants a login"),
        (httpx.Response(403), "forbids it"),
        (httpx.Response(500, json={"RemoteException": {"exception": "X", "message": "a\n b"}}), "answers 500: X: a b"),
        (httpx.Response(503, text="<html>"), "answers 503$"),
        (httpx.Response(200, text="<html><form>"), "an HTML page instead of JSON"),
        (httpx.Response(200, text='{"clusterInfo": {}}'), "something else than was asked for"),
    ],
)
async def test_an_answer_that_is_none_is_said_in_a_sentence(response: httpx.Response, words: str) -> None:
    server = FakeServer()
    server.fails = lambda request: response
    with pytest.raises(SourceError, match=words):
        await source_of(server).poll()


def redirected(request: httpx.Request) -> httpx.Response:
    return httpx.Response(307, headers={"Location": "http://rm2:8088/"}, text="This is standby RM.")


def in_words(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, text="This is standby RM. Redirecting to the current active RM: http://rm2:8088/")


@pytest.mark.parametrize("standby", [redirected, in_words, None])
async def test_of_a_pair_the_active_one_is_followed(standby: Callable[[httpx.Request], httpx.Response] | None) -> None:
    first, second = FakeServer(), FakeServer(host="rm2:8088")
    first.ha_state = "STANDBY"
    if standby is not None:
        first.fails = standby
    source = source_of(first, second)
    await source.poll()
    asked = len(first.asked)
    await source.poll()

    assert (source.client.where, len(first.asked)) == ("rm2:8088", asked)


async def test_a_pair_without_an_active_one_is_on_standby() -> None:
    first, second = FakeServer(), FakeServer(host="rm2:8088")
    first.ha_state = second.ha_state = "STANDBY"
    with pytest.raises(SourceError, match="rm1:8088 is on standby; rm2:8088 is on standby") as caught:
        await source_of(first, second).poll()

    assert caught.value.is_standby


async def test_a_pair_of_which_one_is_gone_and_one_on_standby_is_no_standby() -> None:
    first, second = FakeServer(), FakeServer(host="rm2:8088")
    second.ha_state = "STANDBY"
    urls = [f"http://{each.host}" for each in (first, second)]
    with pytest.raises(SourceError) as caught:
        await YarnSource(RestClient(urls, connected(second), wall=lambda: first.now_s), PollPace()).poll()

    assert not caught.value.is_standby


async def test_a_restart_asks_for_everything_again() -> None:
    server = FakeServer("2.7.2-fair-kill")
    source = source_of(server)
    await source.poll()
    server.place, server.started_on = 1, server.started_on + 1
    snapshot = await source.poll()
    waits = {row.waiting_since_ms for row in snapshot.applications() if row.state == "RUNNING" and row.asks}

    assert sum("/cluster/nodes" in each for each in server.asked) == 2
    assert waits == {snapshot.header.time_ms}


@pytest.mark.parametrize(("ahead_s", "skew_ms"), [(0, 0), (2, 0), (3, 3000), (-3600, -3_600_000)])
async def test_a_clock_that_differs_is_followed(ahead_s: int, skew_ms: int) -> None:
    server = FakeServer()
    server.ahead_s = ahead_s
    source = source_of(server)
    await source.poll()
    snapshot = await source.poll()

    assert snapshot.header.time_ms == server.now_s * 1000 + skew_ms


async def test_a_scheduler_that_fails_by_a_sick_node_is_the_fifo_one() -> None:
    def fail(request: httpx.Request) -> httpx.Response | None:
        body = {"RemoteException": {"exception": "NullPointerException"}}
        return httpx.Response(500, json=body) if request.url.path.endswith("/scheduler") else None

    server = FakeServer()
    server.fails = fail
    snapshot = await source_of(server).poll()

    assert [row.path for row in snapshot.queues()] == ["default"]


async def test_a_client_that_was_closed_is_opened_again() -> None:
    server = FakeServer()
    source = source_of(server)
    await source.poll()
    await source.close()

    assert (await source.poll()).header.nodes == 12


async def test_a_clock_that_is_set_makes_nothing_slower() -> None:
    """Somebody sets this machine's clock while it asks: the wait stays, and large pages come at their time."""
    server, ahead_s = FakeServer(), [0.0]
    client = RestClient(
        [f"http://{server.host}"],
        connected(server),
        wall=lambda: server.now_s + ahead_s[0],
        steady=lambda: server.now_s,
    )
    source = YarnSource(client, PollPace(2000))

    def set_clock(request: httpx.Request) -> None:
        ahead_s[0] = -7_200.0

    server.fails = set_clock
    await source.poll()
    assert source.client.spent_ms == 0

    server.place += 6
    server.asked.clear()
    await source.poll()
    assert "/ws/v1/cluster/nodes" in server.asked


async def test_ends_are_asked_for_since_a_little_before_the_last_question() -> None:
    """By as much as two clocks may differ unnoticed: what is found twice is known once."""
    server = FakeServer()
    source = source_of(server)
    await source.poll()
    asked_ms = int(server.now_s * 1000)
    server.place += 6
    server.asked.clear()
    await source.poll()

    assert any(f"finishedTimeBegin={asked_ms - 2_000}" in path for path in server.asked)


@pytest.mark.parametrize(("took_s", "words"), [(2, ""), (2.001, "a round takes 2.0s, its interval is 2s")])
async def test_a_round_that_takes_longer_than_its_interval_says_so(took_s: float, words: str) -> None:
    """Of those that ask for every page: the next, which asks for little, changes nothing."""
    server = FakeServer()
    steady = iter([0.0, *[took_s] * 100])
    client = RestClient(["http://rm1:8088"], connected(server), steady=lambda: next(steady))
    source = YarnSource(client, PollPace(2_000))

    await source.poll()
    first = source.late
    await source.poll()

    assert (first, source.late) == (words, words)


async def test_applications_of_a_replaced_server_are_not_added_to_the_new_ones() -> None:
    """One that recovered tells itself of those that ended; another never heard of them."""
    server = FakeServer("2.7.2-fair-kill")
    source = source_of(server)
    ended = []
    for place, started_on in ((0, server.started_on), (18, server.started_on), (0, server.started_on + 1)):
        server.place, server.started_on = place, started_on
        snapshot = await source.poll()
        ended.append([row.number for row in snapshot.applications() if row.finished_ms is not None])

    assert [10 in each for each in ended] == [False, True, False]
