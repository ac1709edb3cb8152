"""Spark's standalone Master as a source: recorded answers as snapshots, rounds, workers, standbys."""

import json
from typing import Any

import httpx
import msgspec
import pytest

from engine.errors import SourceError
from engine.live.live_why import why_application
from engine.live.rest_client import HEAVY_MS, PollPace, RestClient
from engine.live.spark import (
    AT_ONCE,
    MasterInfo,
    SparkRound,
    SparkSource,
    is_spark_master,
    read_executors,
    read_master,
    snapshot_of_master,
)
from tests.engine.live.recorded import FakeServer, connected, lines_of

PAGES: dict[str, Any] = {each["name"]: each["body"] for each in lines_of("spark-answers")}
MASTERS = [name for name in PAGES if name.endswith("master")]
NOW_MS = 1_795_222_222_000
TOO_LARGE = 2


def master_of(name: str = "busy_master", **changes: Any) -> MasterInfo:
    return msgspec.structs.replace(read_master(json.dumps(PAGES[name]).encode()), **changes)


def snapshot_of(master: MasterInfo, executors: dict[str, tuple[str, ...]] | None = None) -> Any:
    return snapshot_of_master(SparkRound(NOW_MS, master, executors or {}), 1)


@pytest.mark.parametrize("name", MASTERS)
def test_a_snapshot_adds_up_to_what_the_master_says(name: str) -> None:
    page, header = PAGES[name], snapshot_of(master_of(name)).header

    assert header.total == (page["memory"], page["cores"])
    assert header.used == (page["memoryused"], page["coresused"])
    assert (header.nodes, header.nodes_down) == (page["aliveworkers"], len(page["workers"]) - page["aliveworkers"])
    assert header.applications_running == sum(each["state"] == "RUNNING" for each in page["activeapps"])
    drivers = sum(each["state"] in {"SUBMITTED", "RELAUNCHING"} for each in page["activedrivers"])
    assert header.applications_pending == drivers + len(page["activeapps"]) - header.applications_running


def test_executors_are_those_that_workers_name() -> None:
    worker = PAGES["busy_worker1"]["id"]
    snapshot = snapshot_of(master_of(), {worker: read_executors(json.dumps(PAGES["busy_worker1"]).encode())})
    counts = {row.name: (row.containers, row.used) for row in snapshot.applications()}

    assert snapshot.header.containers == 2
    assert counts == {"hourly": (1, (512, 4)), "report": (1, (512, 6)), "toolarge": (0, (0, 0))}
    assert [row.containers for row in snapshot.nodes() if row.total == (10240, 10)] == [2]


def waiting(memory_mb: int, **changes: Any) -> tuple[str, str]:
    """(code, certainty) of an application that waits for an executor of a size."""
    master = master_of(**changes)
    apps = [
        msgspec.structs.replace(each, memoryperexecutor=memory_mb) if each.state == "WAITING" else each
        for each in master.activeapps
    ]
    rows = snapshot_of(msgspec.structs.replace(master, activeapps=tuple(apps))).applications()
    found = next(row.obstacle for row in rows if row.state == "WAITING")
    return found.code, found.certainty


def workers_with(**changes: int) -> Any:
    return tuple(msgspec.structs.replace(each, **changes) for each in master_of().workers)


@pytest.mark.parametrize(
    ("memory_mb", "changes", "found"),
    [
        (10240, {}, ("DOES_NOT_FIT", "known")),
        (10241, {}, ("NODE_TOO_SMALL", "known")),
        (9216, {}, ("WAITS_FOR_EVENT", "inferred")),
        (9217, {}, ("DOES_NOT_FIT", "known")),
        (512, {"workers": ()}, ("NO_WORKER", "known")),
        (215, {"workers": workers_with(cores=4, coresused=4)}, ("DOES_NOT_FIT", "known")),
        (215, {"workers": workers_with(cores=4, coresused=3)}, ("WAITS_FOR_EVENT", "inferred")),
    ],
)
def test_one_that_waits_is_explained_by_memory_and_free_cores(
    memory_mb: int, changes: dict[str, Any], found: tuple[str, str]
) -> None:
    assert waiting(memory_mb, **changes) == found


def test_why_answers_with_the_reason_of_the_row() -> None:
    found = why_application(snapshot_of(master_of()), TOO_LARGE)

    words = "no worker is large enough for 900000 MB and 1 core (the largest has 10240 MB)"
    assert [(each.code, each.certainty, each.sentence) for each in found.reasons] == [
        ("NODE_TOO_SMALL", "known", words)
    ]
    assert found.verdict == "live"


class FakeMaster:
    """A Master and its workers, as recorded."""

    def __init__(self, status: str = "ALIVE") -> None:
        self.status, self.asked = status, [""]
        self.now_s = NOW_MS / 1000
        self.page = PAGES["busy_master"]

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url.netloc.decode())
        if request.url.port == 8080:
            return httpx.Response(200, json={**self.page, "status": self.status})
        return httpx.Response(200, json=PAGES["busy_worker1"]) if request.url.port == 17201 else httpx.Response(503)

    def connect(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(self.answer))

    @property
    def client(self) -> RestClient:
        return RestClient(["http://spark1:8080"], self.connect, wall=lambda: self.now_s, steady=lambda: self.now_s)

    @property
    def source(self) -> SparkSource:
        return SparkSource(self.client, self.connect, PollPace())


async def test_workers_are_asked_for_executors_every_five_seconds() -> None:
    master = FakeMaster()
    source = master.source
    counts = []
    for now_s in (0.0, HEAVY_MS / 1000 - 0.001, HEAVY_MS / 1000):
        master.now_s = NOW_MS / 1000 + now_s
        counts.append(((await source.poll()).header.containers, len(master.asked)))

    assert counts == [(2, 7), (2, 8), (2, 14)]


async def test_many_workers_are_asked_in_turn() -> None:
    master = FakeMaster()
    worker = master.page["workers"][0]
    many = [{**worker, "id": f"worker-{n}", "webuiaddress": f"http://w:{30000 + n}"} for n in range(AT_ONCE + 3)]
    master.page = {**master.page, "workers": many}
    source = master.source
    for _ in range(3):
        await source.poll()
        master.now_s += HEAVY_MS / 1000
    asked = [name for name in master.asked if name.startswith("w:")]

    assert len(set(asked)) == AT_ONCE + 3
    assert asked[: AT_ONCE + 3] == list(dict.fromkeys(asked))


async def test_a_master_on_standby_is_called_so() -> None:
    with pytest.raises(SourceError, match=r"spark1:8080 is on standby \(RECOVERING\)") as caught:
        await FakeMaster("RECOVERING").source.poll()

    assert caught.value.is_standby


async def test_what_answers_is_found_out() -> None:
    yarn = FakeServer()
    found = [
        await is_spark_master(FakeMaster().client),
        await is_spark_master(RestClient([f"http://{yarn.host}"], connected(yarn))),
        await is_spark_master(RestClient(["http://nobody:1"], connected(yarn))),
    ]

    assert found == [True, False, False]


@pytest.mark.parametrize(("took_ms", "words"), [(2_000, ""), (2_001, "a round takes 2.0s, its interval is 2s")])
async def test_a_round_that_takes_longer_than_its_interval_says_so(took_ms: int, words: str) -> None:
    master = FakeMaster()
    master.now_s = 1_000.0
    source = SparkSource(
        RestClient(["http://spark1:8080"], master.connect, steady=lambda: master.now_s), master.connect, PollPace(2_000)
    )
    before = source.late
    answer = master.answer

    def slow(request: httpx.Request) -> httpx.Response:
        if request.url.port == 17201:
            master.now_s += took_ms / 1000
        return answer(request)

    master.answer = slow  # type: ignore[method-assign]  # it answers late
    await source.poll()

    assert (before, source.late) == ("", words)


@pytest.mark.parametrize("status", ["STANDBY", "RECOVERING", "COMPLETING_RECOVERY"])
async def test_a_master_that_does_not_lead_is_on_standby(status: str) -> None:
    leader = FakeMaster()
    other = FakeMaster(status)

    def answer(request: httpx.Request) -> httpx.Response:
        return (other if request.url.host == "spark2" else leader).answer(request)

    def connect() -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(answer))

    client = RestClient(["http://spark2:8080", "http://spark1:8080"], connect)
    assert (await SparkSource(client, connect, PollPace()).poll()).header.nodes == leader.page["aliveworkers"]
    assert client.where == "spark1:8080"


async def test_of_several_servers_any_may_be_the_master() -> None:
    master = FakeMaster()

    def answer(request: httpx.Request) -> httpx.Response:
        return master.answer(request) if request.url.host == "spark1" else httpx.Response(404)

    client = RestClient(
        ["http://other:8080", "http://spark1:8080"], lambda: httpx.AsyncClient(transport=httpx.MockTransport(answer))
    )

    assert await is_spark_master(client)
    assert client.where == "spark1:8080"
