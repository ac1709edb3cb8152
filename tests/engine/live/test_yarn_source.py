"""Asking ResourceManagers round by round, beside servers that fail in every way."""

import gzip
import json
import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SourceError
from engine.live.followed_log import EDGE, FollowedLog, LogFile, LogPage, LogTail, Piece
from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_answers import AnswerError, read_applications, read_info, read_metrics, read_nodes, read_scheduler
from engine.live.yarn_poll import Round
from engine.live.yarn_source import YarnSource
from tests.engine.live.recorded import (
    CLUSTER,
    FOLDER,
    RECORDINGS,
    START_S,
    FakeServer,
    answers_of,
    connected,
    rounds_of,
)


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


@pytest.mark.parametrize(
    ("response", "words"),
    [
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


async def test_answers_of_two_resource_managers_are_not_mixed() -> None:
    """As where another one takes over behind one address while it is asked; then all is asked again, also who ended."""
    server = FakeServer("2.7.2-fair-kill")
    source = source_of(server)

    def take_over(request: httpx.Request) -> None:
        server.started_on += request.url.path.endswith("/nodes")

    server.fails = take_over
    with pytest.raises(SourceError, match="answered as two ResourceManagers"):
        await source.poll()
    server.fails = lambda request: None
    _ = await source.poll()
    ended = [each for each in server.asked if "finishedTimeBegin=" in each]

    assert sum("/cluster/nodes" in each for each in server.asked) == 2
    assert ended == [ended[0]] * 2


async def test_nodes_that_joined_since_none_were_there_are_asked_for_at_once() -> None:
    """The cluster is as large as the metrics say, also where its nodes are not told again."""
    server = FakeServer()
    server.fails = lambda request: httpx.Response(200, text='{"nodes": null}') if "/nodes" in request.url.path else None
    source = source_of(server)
    totals = [(await source.poll()).header.total for _ in range(2)]
    metrics = server.rounds[0]["metrics"]["clusterMetrics"]

    assert totals == 2 * [(metrics["totalMB"], metrics["totalVirtualCores"])]
    assert sum("/cluster/nodes" in each for each in server.asked) == 2


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


@given(st.binary(max_size=200), st.integers(0, len(SAMPLE)))
def test_damaged_answers_are_refused_without_another_error(noise: bytes, cut: int) -> None:
    body = SAMPLE[:cut] + noise
    try:
        found = read_applications(body)
    except AnswerError:
        return
    assert {type(each).__name__ for each in found} <= {"ApplicationInfo"}


# The lines of a log that is written meanwhile: from its end, what is new, across rotations.


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
RESERVED_S = 22


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
