"""What a ResourceManager is asked in each round, and what of its answers is kept."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from engine.errors import SourceError
from engine.live import yarn_source
from engine.live.followed_log import FollowedLog
from engine.live.log_places import Piece
from engine.live.rest_client import HEAVY_MS, PollPace, RestClient
from engine.live.yarn_source import HISTORY_MS, SPARED, YarnSource
from tests.engine.live.recorded import START_S, FakeServer, connected

Answer = Callable[[httpx.Request], httpx.Response | None]
LIVE = "states=NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"


def source_of(server: FakeServer, log: FollowedLog | None = None) -> YarnSource:
    """Asks a server, whose clock is this machine's."""
    client = RestClient(
        [f"http://{server.host}"], connected(server), wall=lambda: server.now_s, steady=lambda: server.now_s
    )
    return YarnSource(client, PollPace(), log)


def bodies(**by_path: Any) -> Answer:
    """Answers some pages so: a body, or a status."""

    def answer(request: httpx.Request) -> httpx.Response | None:
        body = by_path.get(request.url.path.rpartition("/")[2])
        return (
            httpx.Response(body) if isinstance(body, int) else None if body is None else httpx.Response(200, json=body)
        )

    return answer


def info(version: str, started: int = START_S * 1000) -> dict[str, Any]:
    """As `/info`."""
    return {"clusterInfo": {"startedOn": started, "resourceManagerVersion": version}}


@pytest.mark.parametrize(("version", "spared"), [("2.7.2", False), ("3.4.1", True), ("3", False)])
async def test_3_x_is_asked_to_leave_out_what_nobody_needs(version: str, *, spared: bool) -> None:
    """Of applications that ended also what they asked for; an hour back, two hundred at most."""
    server = FakeServer()
    server.fails = bodies(info=info(version))
    source = source_of(server)
    await source.poll()
    live, ended = (each for each in server.asked if each.startswith("/ws/v1/cluster/apps"))
    begin = int(server.now_s * 1000) - HISTORY_MS

    assert live == f"/ws/v1/cluster/apps?{LIVE}{SPARED if spared else ''}"
    assert ended == (
        f"/ws/v1/cluster/apps?states=FINISHED,FAILED,KILLED&finishedTimeBegin={begin}&limit=200"
        f"{SPARED + ',resourceRequests' if spared else ''}"
    )


async def test_settings_are_asked_once_and_after_a_restart() -> None:
    """They are the modes of the cluster; a server may refuse them."""
    server = FakeServer()
    conf = {"properties": [{"key": "yarn.scheduler.fair.preemption", "value": "true"}]}
    server.fails = bodies(conf=conf)
    source = source_of(server)
    modes = [(await source.poll()).header.preemption, (await source.poll()).header.preemption]
    server.started_on += 1
    server.fails = bodies(conf=404)
    modes.append((await source.poll()).header.preemption)

    assert modes[:2] == [True, True]
    assert not isinstance(modes[2], bool)
    assert sum(each.startswith("/conf?format=json") for each in server.asked) == 2


async def test_a_standby_is_one_also_where_a_page_is_only_wanted() -> None:
    """It became so between two questions."""
    server = FakeServer()
    server.fails = lambda request: httpx.Response(302) if request.url.path == "/conf" else None

    with pytest.raises(SourceError) as caught:
        await source_of(server).poll()
    assert caught.value.is_standby


BEANS = {"beans": [{"name": "Hadoop:service=ResourceManager,name=QueueMetrics,q0=root", "ReservedMB": 7}]}


@pytest.mark.parametrize("says", [False, True])
async def test_what_is_reserved_in_queues_is_asked_for_where_the_scheduler_does_not_say(*, says: bool) -> None:
    """As FairScheduler of 2.7; where that page is refused it is unknown."""
    server = FakeServer()
    server.fails = bodies(jmx=BEANS)
    for each in server.rounds if says else ():
        each["scheduler"]["scheduler"]["schedulerInfo"]["rootQueue"]["reservedResources"] = {"memory": 9, "vCores": 1}
    reserved = (await source_of(server).poll()).queues()[0].reserved

    assert reserved == ((9, 1) if says else (7, 0))
    assert any(each.startswith("/jmx") for each in server.asked) != says


async def test_other_schedulers_are_not_asked_for_beans() -> None:
    """They say it, or have none."""
    server = FakeServer()
    server.fails = bodies(scheduler={"scheduler": {"schedulerInfo": {"type": "fifoScheduler"}}})
    await source_of(server).poll()

    assert not [each for each in server.asked if each.startswith("/jmx")]


async def test_large_pages_come_at_their_time_and_after_a_restart() -> None:
    """By a clock that nobody sets."""
    server = FakeServer()
    clock = [10.0]
    client = RestClient(["http://rm1:8088"], connected(server), steady=lambda: clock[0])
    source = YarnSource(client, PollPace())
    asked = []
    for now_s, started in ((10.0, 0), (14.999, 0), (15.0, 0), (15.001, 1)):
        clock[0], server.started_on = now_s, START_S * 1000 + started
        server.asked.clear()
        await source.poll()
        asked.append(any(each.endswith("/nodes") for each in server.asked))

    assert (asked, HEAVY_MS) == ([True, False, True, True], 5_000)


async def test_versions_go_on_with_every_round() -> None:
    """So that what changes is drawn anew."""
    source = source_of(FakeServer())

    assert [(await source.poll()).version("queues") for _ in range(3)] == [1, 2, 3]


async def test_starts_of_masters_are_watched_from_round_to_round() -> None:
    """Three began to run, then two were seen starting for five seconds."""
    server = FakeServer()
    source = source_of(server)
    rows = server.rounds[0]["apps"]["apps"]["app"]
    assert len(rows) >= 3
    for at, each in enumerate(rows):
        each.update(state="ACCEPTED", runningContainers=int(at == 0))
    assert (await source.poll()).header.master_start_ms is None
    server.place = 5
    server.rounds[5]["apps"]["apps"]["app"] = [{**each, "state": "RUNNING"} for each in rows[:3]]
    await source.poll()
    server.place = 10
    server.rounds[10]["apps"]["apps"]["app"] = [
        {**each, "state": "ACCEPTED", "runningContainers": 1} for each in rows[:3]
    ]

    assert (await source.poll()).header.master_start_ms == 3 * 5_000 // 3


class Lines:
    """A log of some lines; implements `LogPlace`."""

    name = "rm.log"

    def __init__(self, data: bytes = b"", error: Exception | None = None) -> None:
        self.data, self.error, self.is_closed = data, error, False

    async def piece(self, age: int, start: int) -> Piece | None:
        """Of the one file there is."""
        if self.error is not None:
            raise self.error
        begin = max(0, len(self.data) + start) if start < 0 else start
        return None if age else Piece(self.data[begin:], begin, len(self.data), 0)

    async def close(self) -> None:
        """Take note."""
        self.is_closed = True


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (SourceError("gone"), "the log cannot be read: gone"),
        (ValueError("x" * 300), f"the log cannot be read: {'x' * 176}"),
    ],
)
async def test_why_the_log_cannot_be_read_is_noted_until_it_can(error: Exception, words: str) -> None:
    """In two hundred characters at most; the round is drawn as without one."""
    lines = Lines(error=error)
    source = source_of(FakeServer("2.7.2-fair-kill"), FollowedLog(lines))
    before = source.notes
    inferred = (await source.poll()).header.inferred
    noted = source.notes
    lines.error = None
    await source.poll()

    assert (before, noted, source.notes) == ((), (words,), ())
    assert "reservations" in inferred
    await source.close()
    assert lines.is_closed


async def test_without_a_log_rows_are_kept_while_something_is_reserved() -> None:
    """With one they are made anew when its number changes."""
    counts = []
    for log in (None, FollowedLog(Lines())):
        server = FakeServer()
        source = source_of(server, log)
        versions = []
        for count in (5, 6, 0, 0):
            server.rounds[0]["metrics"]["clusterMetrics"]["containersReserved"] = count
            versions.append((await source.poll()).version("nodes"))
        counts.append(versions)

    assert counts == [[1, 1, 3, 3], [1, 2, 3, 3]]


@pytest.mark.parametrize(("more", "aside"), [(0, False), (-1, True)])
async def test_of_a_large_cluster_no_containers_are_inferred(
    monkeypatch: pytest.MonkeyPatch, more: int, *, aside: bool
) -> None:
    """By nodes and applications together, those that ended among them."""
    server = FakeServer("2.7.2-fair-kill")
    page = server.rounds[0]
    count = len(page["nodes"]["nodes"]["node"]) + len(page["apps"]["apps"]["app"])
    monkeypatch.setattr(yarn_source, "MANY", count + more)

    assert ("containers" not in (await source_of(server).poll()).sections) == aside


async def test_sizes_of_inferred_containers_are_multiples_of_the_servers_smallest() -> None:
    """As its settings say; where they do not, of Hadoop's default."""
    server = FakeServer("2.7.2-fair-kill")
    key = "yarn.scheduler.minimum-allocation-mb"
    found = []
    for conf in ({"properties": [{"key": key, "value": "2000"}]}, {"properties": [{"key": key, "value": "1024"}]}, 404):
        server.fails = bodies(conf=conf)
        found.append([row.size for row in (await source_of(server).poll()).containers()])

    assert found[0] != found[1] == found[2]


async def test_scheduling_and_activities_are_asked_by_their_own_paths() -> None:
    """Both say what the server does not."""
    server = FakeServer()
    properties = {"properties": [{"key": "yarn.scheduler.fair.x", "value": "1"}, {"key": "other", "value": "2"}]}
    server.fails = bodies(conf=properties, application_1_1={"appActivities": {"diagnostic": "none yet"}})
    source = source_of(server)

    assert await source.scheduling() == {"yarn.scheduler.fair.x": "1"}
    assert (await source.activities("application_1_1")).diagnostic == "none yet"
    assert server.asked[-1] == ("/ws/v1/cluster/scheduler/app-activities/application_1_1?maxTime=20&groupBy=diagnostic")


async def test_a_scheduler_that_fails_otherwise_is_a_failure() -> None:
    """Only the NullPointerException is FifoScheduler's."""
    server = FakeServer()
    answer = {"RemoteException": {"exception": "IllegalStateException"}}
    server.fails = lambda request: (
        httpx.Response(500, content=json.dumps(answer).encode()) if request.url.path.endswith("/scheduler") else None
    )

    with pytest.raises(SourceError, match="answers 500: IllegalStateException"):
        await source_of(server).poll()


async def test_ended_applications_are_known_once_the_newest_first() -> None:
    """Two hundred of them."""
    server = FakeServer()
    sample = server.rounds[0]["apps"]["apps"]["app"][0]

    def ended(first: int, count: int) -> Any:
        rows = [{**sample, "id": f"application_1_{n}", "state": "FINISHED", "finishedTime": n}
                for n in range(first, first + count)]  # fmt: skip
        return {"apps": {"app": rows}}

    found: list[Any] = [ended(1, 150), ended(100, 120)]

    def answer(request: httpx.Request) -> httpx.Response | None:
        return httpx.Response(200, json=found.pop(0)) if b"finishedTimeBegin" in request.url.query else None

    server.fails = answer
    source = source_of(server)
    await source.poll()
    server.place = 5
    rows = [row for row in (await source.poll()).applications() if row.finished_ms is not None]

    assert [row.number for row in rows] == [*range(219, 99, -1), *range(80, 0, -1)]
