"""Asking one of several servers: how long answers take, whose clock goes how, who is asked next, how often."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable
from email.utils import formatdate
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.control_plane.cluster_view import ClusterModes
from engine.errors import SourceError
from engine.live.followed_log import MOST_A_MINUTE, FollowedLog, LogPage, LogTail
from engine.live.rest_client import COST, HEAVY_MS, LIGHT_MS, MOST_PAUSE_MS, MOST_SKEW_S, PollPace, RestClient, body_of
from engine.live.yarn_answers import (
    AnswerError,
    Instant,
    Large,
    Whole,
    modes_of,
    read,
    read_activities,
    read_objects,
    read_queue_reservations,
    read_settings,
)
from engine.live.yarn_source import YarnSource
from engine.observe.snapshot import UNKNOWN
from tests.engine.live.recorded import FOLDER, FakeServer, connected, lines_of
from tests.gates.answers.__main__ import check
from tests.gates.answers.reading import NOT_ASKED, READ, REFUSED, outcome

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
    [(2, 0), (3, 2_500), (-1, 0), (-2, -2_500), (MOST_SKEW_S, (MOST_SKEW_S * 2 - 1) * 500), (MOST_SKEW_S + 1, 0)],
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


# Bodies of answers up to a bound, plain and packed.

MEGABYTE = 1024**2


class Parts(httpx.AsyncByteStream):
    """A body in parts."""

    def __init__(self, *parts: bytes) -> None:
        self.parts, self.given = parts, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            self.given += 1
            yield part


def response(stream: Parts, packing: str = "") -> httpx.Response:
    return httpx.Response(200, headers={"Content-Encoding": packing} if packing else {}, stream=stream)


@pytest.mark.parametrize("packing", ["gzip", "x-gzip", "GZIP"])
async def test_a_packed_body_is_unpacked_part_by_part(packing: str) -> None:
    packed = gzip.compress(b"hello " * 100)
    parts = Parts(*(packed[at : at + 7] for at in range(0, len(packed), 7)))

    assert await body_of(response(parts, packing), "rm1:8088", 600) == b"hello " * 100


async def test_a_body_that_is_longer_is_given_up_at_once() -> None:
    parts = Parts(b"a" * 2 * MEGABYTE, b"b", b"c")
    with pytest.raises(SourceError, match=r"^rm1:8088 answers more than 2 MB$"):
        await body_of(response(parts), "rm1:8088", 2 * MEGABYTE)
    assert parts.given == 2


async def test_a_body_that_is_damaged_is_refused() -> None:
    with pytest.raises(SourceError, match=r"^rm1:8088 answers what cannot be unpacked$"):
        await body_of(response(Parts(b"plain"), "gzip"), "rm1:8088", 100)


# Bounds of JSON answers, their forms, and what is said of those that are not understood.

READERS: tuple[Callable[[bytes], int], ...] = (lambda body: read(body, int), lambda body: read_objects(body, int, dict))


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [(Whole, -(2**45), 2**45), (Large, -(2**63), 2**63 - 1), (Instant, -1, 32_503_680_000_000)],
)
def test_a_number_is_taken_up_to_its_bounds(kind: type[int], least: int, most: int) -> None:
    assert (read(str(least).encode(), kind), read(str(most).encode(), kind)) == (least, most)
    for beyond in (least - 1, most + 1):
        with pytest.raises(AnswerError):
            read(str(beyond).encode(), kind)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"  ", "an empty answer ("),
        (b" <?xml version", "XML instead of JSON ("),
        (b"<html>", "an HTML page instead of JSON, as of a login ("),
        (b"nothing " * 20, f"something else than was asked for: {('nothing ' * 10).strip()!r} ("),
        (b"\xff", "something else than was asked for: '\N{REPLACEMENT CHARACTER}' ("),
    ],
)
def test_what_is_not_understood_is_said_and_quoted_from_its_beginning(body: bytes, words: str) -> None:
    for reader in READERS:
        with pytest.raises(AnswerError) as caught:
            reader(body)
        assert str(caught.value).startswith(words)


# Pages beside the REST interface proper: settings, beans of queues, what a scheduler recorded.

PAGES = list(lines_of("useful-pages"))


def page(recording: str, words: str) -> bytes:
    found = next(each for each in PAGES if each["recording"] == recording and words in each["name"])
    return json.dumps(found["body"]).encode()


def test_a_scheduler_that_records_says_which_nodes_passed_an_application_by() -> None:
    found = read_activities(page("3.4.1-capacity", "application_0018_maxTime=20--2nd"))

    assert [node for node, _ in found.passed] == [f"node{number:02d}:45454" for number in (13, 10, 9, 7, 16)]
    assert {words for _, words in found.passed} == {"Queue hits max-capacity limit"}


@pytest.mark.parametrize(
    ("recording", "words", "diagnostic"),
    [
        ("3.4.1-capacity", "0018_maxTime=20--1st", "waiting for display"),
        ("3.4.1-fair", "0001", "Not Capacity Scheduler"),
    ],
)
def test_a_scheduler_that_has_recorded_nothing_says_why(recording: str, words: str, diagnostic: str) -> None:
    found = read_activities(page(recording, words))

    assert (found.diagnostic, found.passed) == (diagnostic, ())


PRESERVING = {"yarn.resourcemanager.recovery.enabled": "true"}
RECOVERY = {**PRESERVING, "yarn.resourcemanager.work-preserving-recovery.enabled": "False "}


@pytest.mark.parametrize(
    ("settings", "scheduler", "modes"),
    [
        ({}, "FairScheduler", (UNKNOWN, UNKNOWN, UNKNOWN)),
        ({"yarn.scheduler.fair.preemption": "true"}, "FairScheduler", (True, "strict", "nothing")),
        ({"yarn.scheduler.fair.preemption": "true"}, "CapacityScheduler", (False, "", "nothing")),
        ({"yarn.resourcemanager.scheduler.monitor.enable": "true"}, "CapacityScheduler", (True, "", "nothing")),
        ({"yarn.resourcemanager.scheduler.monitor.enable": "true"}, "FifoScheduler", (False, "", "nothing")),
        (RECOVERY, "FifoScheduler", (False, "", "applications")),
        (PRESERVING, "FairScheduler", (False, "strict", "containers")),
        ({**RECOVERY, **dict.fromkeys(RECOVERY, "True ")}, "FifoScheduler", (False, "", "containers")),
    ],
)
def test_modes_follow_from_the_settings_of_the_scheduler(
    settings: dict[str, str], scheduler: str, modes: tuple[Any, str, str]
) -> None:
    """A node is reserved by the rule of its release."""
    preemption, rule, keeps = modes
    of_34 = "limited" if rule == "strict" else rule
    of_27 = ClusterModes(preemption, rule, UNKNOWN, keeps)

    assert modes_of(settings, scheduler, "2.7.2") == of_27
    assert modes_of(settings, scheduler, "3.4.1") == of_27._replace(reservation_rule=of_34)


@pytest.mark.parametrize("read", [read_settings, read_queue_reservations, read_activities])
def test_a_page_that_is_something_else_is_refused(read: Any) -> None:
    with pytest.raises(AnswerError):
        read(b"<html>")


# One page of every kind that real servers of both releases and a Spark Master answered, read as a watch reads them.

RECORDED_PAGES_PAGES = list(lines_of("pages"))


@pytest.mark.parametrize("found", [READ, REFUSED])
def test_every_page_is_read_or_refused_as_it_should_be(found: str) -> None:
    """An answer is a value; an error, XML and HTML are refused in words."""
    pages = [page for page in RECORDED_PAGES_PAGES if page["outcome"] == found]
    outcomes = {page["name"]: outcome(page["name"], page["text"].encode(), page["status"]) for page in pages}

    assert len(pages) > 40
    assert {name: words for name, (came, words) in outcomes.items() if came != found} == {}
    assert [name for name, (_, words) in outcomes.items() if found == REFUSED and not words] == []


def test_series_and_logs_are_read_line_by_line(tmp_path: Path) -> None:
    """Of a folder as it was recorded; what no server answered is passed over."""
    series = (FOLDER / "2.7.2-fair-onset.jsonl.gz").read_bytes()
    (tmp_path / "series-onset.jsonl.gz").write_bytes(series)
    (tmp_path / "rm-info.log.gz").write_bytes((FOLDER / "2.7.2-fair-rm.log.gz").read_bytes())
    (tmp_path / "index.json").write_text(json.dumps([{"file": None}]), encoding="utf-8")

    assert outcome("series-onset.jsonl.gz", series) == (READ, "36 rounds, 0 without an answer")
    assert check(tmp_path) == {READ: 2, NOT_ASKED: 1}


# A server that means harm: answers without end, packed without end, of the wrong kind, under every name.


class SlowParts(httpx.AsyncByteStream):
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
    monkeypatch.setattr("engine.live.rest_client.ANSWER_S", 0.02)
    client = client_of(lambda request: httpx.Response(200, stream=SlowParts(b" ", 10_000, 0.001)))

    with pytest.raises(SourceError, match="rm1:8088 does not end its answer within"):
        await client.ask("GET", "/")


async def test_a_round_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.live.rest_client.ROUND_S", 0.02)
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
    monkeypatch.setattr("engine.live.rest_client.LARGEST", 1000)
    bodies = [gzip.compress(b" " * 400), gzip.compress(b" " * (600 + more))] * 2
    client = client_of(
        lambda request: httpx.Response(200, headers={"Content-Encoding": "gzip"}, stream=SlowParts(bodies.pop(0), 1))
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
    monkeypatch.setattr("engine.live.followed_log.PIECE_S", 0.02)
    page = page_of(lambda request: httpx.Response(200, stream=SlowParts(b"x", 10_000, 0.001)))

    with pytest.raises(SourceError, match="does not end its answer within"):
        await page.piece(0, -100)


async def test_a_log_that_cannot_be_read_costs_its_own_rows_only() -> None:
    log = FollowedLog(page_of(lambda request: httpx.Response(206, headers={"Content-Range": "bytes 5-4/3"})))
    source = YarnSource(RestClient(["http://rm1:8088"], connected(FakeServer("2.7.2-fair-kill"))), PollPace(), log)

    assert (await source.poll()).header.nodes == 12


def page_of(answer: Answer) -> LogPage:
    return LogPage("http://rm1/rm.log", lambda: httpx.AsyncClient(transport=httpx.MockTransport(answer)))
