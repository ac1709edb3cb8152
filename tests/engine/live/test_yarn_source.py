"""Asking ResourceManagers round by round, beside servers that fail in every way."""

import json
import ssl
from collections.abc import Callable
from itertools import pairwise

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SourceError
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_answers import AnswerError, read_applications, read_info, read_metrics, read_nodes, read_scheduler
from engine.live.yarn_source import YarnSource
from tests.engine.live.recorded import CLUSTER, RECORDINGS, FakeServer, answers_of, connected


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


# Answers of ResourceManagers as values.

READERS = {
    f"{CLUSTER}/info": read_info,
    f"{CLUSTER}/metrics": read_metrics,
    f"{CLUSTER}/nodes": read_nodes,
    f"{CLUSTER}/apps": read_applications,
    f"{CLUSTER}/scheduler": read_scheduler,
}
ALL = [each for recording in RECORDINGS for each in answers_of(recording) if each.path in READERS]
SAMPLE = next(each.body for each in ALL if each.path.endswith("/apps"))


@pytest.mark.parametrize("recording", RECORDINGS)
def test_every_recorded_answer_is_read(recording: str) -> None:
    for each in answers_of(recording):
        if each.path not in READERS:
            continue
        if each.status == 200:
            assert READERS[each.path](each.body) is not None
        else:
            with pytest.raises(AnswerError):
                READERS[each.path](each.body)


def test_a_priority_and_vcores_are_read_as_both_releases_write_them() -> None:
    old = {"priority": {"priority": 20}, "capability": {"memory": 1, "virtualCores": 2}}
    new = {"priority": 20, "capability": {"memory": 1, "vCores": 2}}
    rest = {"resourceName": "*", "numContainers": 1}
    base = {**json.loads(SAMPLE)["apps"]["app"][0], "resourceRequests": [{**old, **rest}, {**new, **rest}]}
    found = read_applications(json.dumps({"apps": {"app": [base]}}).encode())[0].requests

    assert [(each.level, each.capability.pair) for each in found] == [(20, (1, 2)), (20, (1, 2))]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "an empty answer"),
        (b"<!DOCTYPE html><html>", "an HTML page instead of JSON, as of a login"),
        (b"<?xml version='1.0'?>", "XML instead of JSON"),
        (b"[1, 2", "something else than was asked for"),
    ],
)
def test_an_answer_that_is_none_is_called_what_it_is(body: bytes, words: str) -> None:
    with pytest.raises(AnswerError, match=words):
        read_metrics(body)


@given(st.binary(max_size=200), st.integers(0, len(SAMPLE)))
def test_damaged_answers_are_refused_without_another_error(noise: bytes, cut: int) -> None:
    body = SAMPLE[:cut] + noise
    try:
        found = read_applications(body)
    except AnswerError:
        return
    assert {type(each).__name__ for each in found} <= {"ApplicationInfo"}
