"""Rounds of answers as snapshots, beside what the servers' own metrics say."""

import json
from collections.abc import Sequence
from typing import Any, Final

import httpx
import msgspec
import pytest

from engine.errors import EngineError, RefusedError, SourceError
from engine.live.rest_client import RestClient
from engine.live.watch_metrics import with_since
from engine.live.yarn_answers import (
    Amount,
    AnswerError,
    ApplicationInfo,
    ClusterInfo,
    MetricsInfo,
    NodeInfo,
    RequestInfo,
    SchedulerAnswer,
)
from engine.live.yarn_picture import ObservedReservation, Round, asks_of, snapshot_of_round
from engine.live.yarn_queues import ClusterFacts, queue_rows
from engine.live.yarn_source import YarnActs
from engine.observe.documents import FixedSnapshot
from engine.observe.snapshot import UNKNOWN, AskRow, CapacityQueueRow, NodeRow, QueueRow
from engine.scenario.acts import (
    Act,
    DrainNode,
    KillApplication,
    MoveApplication,
    ReturnNode,
    SetPreemption,
    SetPriority,
    SetQueueSetting,
    SetReservationRule,
    SetSetting,
)
from tests.engine.live.recorded import CLUSTER, SERIES, answers_of, rounds_of, snapshot_of
from tui.session.live_acts import NOT_BY_REST, LiveActs

ROUNDS = {series: rounds_of(series) for series in SERIES}


@pytest.mark.parametrize("series", SERIES)
def test_the_header_says_what_the_metrics_say(series: str) -> None:
    for answers in ROUNDS[series]:
        header, metrics = snapshot_of(answers).header, answers.metrics
        assert (header.nodes, header.nodes_reserved, header.containers_pending, header.reserved) == (
            metrics.active_nodes,
            metrics.containers_reserved,
            metrics.containers_pending,
            (metrics.reserved_mb, metrics.reserved_virtual_cores),
        )


def test_memory_of_the_nodes_is_the_clusters() -> None:
    for answers in ROUNDS["2.7.2-fair-onset"]:
        header, metrics = snapshot_of(answers).header, answers.metrics
        assert (header.used, header.total) == (
            (metrics.allocated_mb, metrics.allocated_virtual_cores),
            (metrics.total_mb, metrics.total_virtual_cores),
        )


@pytest.mark.parametrize("series", SERIES)
def test_queues_come_in_tree_order_and_children_add_up(series: str) -> None:
    """A parent stands before its children, and runs and waits what they do together."""
    queues = snapshot_of(ROUNDS[series][-1]).queues()
    for queue in queues:
        under = [each for each in queues if each.path.rpartition(".")[0] == queue.path]
        assert [each.depth for each in under] == [queue.depth + 1] * len(under)
        if under:
            assert _counts([queue]) == _counts(under)
            assert queues.index(queue) < min(queues.index(each) for each in under)


def _counts(rows: Sequence[QueueRow]) -> tuple[int, int]:
    return sum(row.applications_running for row in rows), sum(row.applications_pending for row in rows)


def test_what_a_release_does_not_say_is_unknown() -> None:
    answers = ROUNDS["2.7.2-fair-kill"][0]
    snapshot = snapshot_of(answers._replace(pages_ms=answers.time_ms - 1))
    queue, node, application = snapshot.queues()[1], snapshot.nodes()[0], snapshot.applications()[0]

    assert {queue.demand, queue.reserved, queue.weight, node.reserved_by, node.reserved} == {UNKNOWN}
    assert {application.reserved, application.reservations} == {UNKNOWN}


def test_a_newer_release_says_more() -> None:
    snapshot = snapshot_of(ROUNDS["3.4.1-fair-busy"][-1])
    queue, application = snapshot.queues()[0], snapshot.applications()[0]

    assert UNKNOWN not in {queue.demand, queue.reserved, application.reserved}


def test_queues_of_the_capacity_scheduler_have_their_capacities() -> None:
    """In percent they come, as parts of one they go; partitions of both labels."""
    rows = [row for row in snapshot_of(ROUNDS["3.4.1-capacity-busy"][0]).queues() if isinstance(row, CapacityQueueRow)]
    dev = next(row for row in rows if row.path == "root.dev")

    assert [use.label for use in dev.partitions] == ["", "gpu"]
    assert (dev.partitions[0].capacity, dev.partitions[1].maximum) == pytest.approx((0.3, 1.0), abs=1e-6)
    assert (dev.guaranteed, dev.max_share) == (dev.partitions[0].guaranteed, dev.partitions[0].limit)


def test_an_application_that_ended_asks_for_nothing_and_has_no_negative_amount() -> None:
    rows = [row for row in snapshot_of(ROUNDS["3.4.1-fair-busy"][-1]).applications() if row.finished_ms is not None]

    assert rows
    assert {(row.pending_containers, row.asks) for row in rows} == {(0, ())}
    assert min(min(*row.used, row.containers) for row in rows) == 0


def test_live_applications_stand_before_those_that_ended() -> None:
    rows = snapshot_of(ROUNDS["3.4.1-fair-busy"][-1]).applications()
    live = [row.number for row in rows if row.finished_ms is None]
    over = [row.finished_ms for row in rows if row.finished_ms is not None]

    assert [row.finished_ms is None for row in rows] == [True] * len(live) + [False] * len(over)
    assert live == sorted(live)
    assert over == sorted(over, key=lambda each: -(each or 0))


def request(place: str, count: int, priority: int = 1) -> RequestInfo:
    capability = Amount(memory=1024, vcores=1)
    return RequestInfo(priority=priority, resource_name=place, capability=capability, num_containers=count)


def test_the_request_for_anywhere_counts_and_the_others_are_places() -> None:
    found = list(asks_of([request("n1", 2), request("*", 3), request("/r1", 3), request("n2", 0)]))

    assert found == [AskRow(1, 3, (1024, 1), ("n1", "/r1"))]


def test_requests_are_in_order_of_priority_without_those_for_nothing() -> None:
    found = list(asks_of([request("*", 1, 20), request("*", 0, 5), request("*", 2, 10)]))

    assert [(each.priority, each.count) for each in found] == [(10, 2), (20, 1)]


def test_one_that_waits_for_its_master_waits_since_it_was_submitted() -> None:
    answers = ROUNDS["2.7.2-fair-kill"][0]
    pending = {
        each.id: each.started_time
        for each in answers.applications
        if each.state == "ACCEPTED" and any(True for _ in asks_of(each.requests))
    }
    since = with_since(answers, {})

    assert pending
    assert {one: since[one] for one in pending} == pending
    assert {at for one, at in since.items() if one not in pending} == {answers.time_ms}


def test_since_when_one_waits_is_kept_until_it_asks_for_nothing() -> None:
    answers = ROUNDS["2.7.2-fair-kill"][0]
    before = with_since(answers, {})
    later = answers._replace(time_ms=answers.time_ms + 5000)
    satisfied = later._replace(
        applications=[msgspec.structs.replace(each, resource_requests=None) for each in later.applications]
    )

    assert (with_since(later, before), with_since(satisfied, before)) == (before, {})


def holding(answers: Round) -> ObservedReservation:
    """The first node, held by an application that asks for something."""
    asking = next(each for each in answers.applications if any(True for _ in asks_of(each.requests)))
    return ObservedReservation(answers.nodes[0].id, asking.id, answers.time_ms - 1000)


def test_reservations_of_the_log_stand_on_their_nodes() -> None:
    answers = ROUNDS["2.7.2-fair-kill"][0]
    held = holding(answers)
    snapshot = snapshot_of_round(answers, 1, {}, [held])
    row, nodes = snapshot.reservations()[0], {each.id: each.reserved_by for each in snapshot.nodes()}

    assert (row.node, row.application, row.since_ms) == held
    assert isinstance(row.size, tuple)
    assert row.short_by == tuple(max(want - free, 0) for want, free in zip(row.size, row.free, strict=True))
    assert {one for one, by in nodes.items() if by == held.application} == {held.node}


@pytest.mark.parametrize(("counted", "holder"), [(0, None), (1, None), (2, UNKNOWN)])
def test_where_the_log_says_less_than_the_server_counts_other_nodes_are_unknown(counted: int, holder: object) -> None:
    """Reservations that were made before the log begins may stand on any of them."""
    answers = ROUNDS["2.7.2-fair-kill"][0]
    answers = answers._replace(metrics=msgspec.structs.replace(answers.metrics, containers_reserved=counted))
    nodes = snapshot_of_round(answers, 1, {}, [holding(answers)]).nodes()

    assert nodes[1].reserved_by == holder


# Acts on a running cluster through its ResourceManager, and what it answers instead.

APPLICATION = json.loads(next(each.body for each in answers_of("2.7.2-fair") if each.path == f"{CLUSTER}/apps"))
ONE = APPLICATION["apps"]["app"][0]
NAME: str = ONE["id"]


def remote(exception: str, message: str = "") -> dict[str, Any]:
    return {"RemoteException": {"exception": exception, **({"message": message} if message else {})}}


class PutServer:
    """A ResourceManager of one application; it answers a PUT with what it is given."""

    def __init__(self, state: str = "RUNNING", status: int = 202, body: Any = None, queue: str = "root.adhoc") -> None:
        self.state, self.status, self.body, self.queue = state, status, body, queue
        self.changed: list[tuple[str, Any]] = []
        """Paths with their query, and what was put there."""

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.method == "PUT":
            path = request.url.raw_path.decode().removeprefix(f"{CLUSTER}/apps/")
            self.changed.append((path, json.loads(request.content)))
            return httpx.Response(self.status, json=self.body)
        if request.url.path != f"{CLUSTER}/apps/{NAME}":
            words = f"java.lang.Exception: app with id: {request.url.path.rpartition('/')[2]} not found"
            return httpx.Response(404, json=remote("NotFoundException", words))
        return httpx.Response(200, json={"app": {**ONE, "state": self.state, "queue": self.queue}})

    def acts(self, user: str = "") -> YarnActs:
        client = RestClient(["http://rm1:8088"], lambda: httpx.AsyncClient(transport=httpx.MockTransport(self.answer)))
        return YarnActs(client, user)


async def test_an_act_is_put_by_id() -> None:
    server = PutServer()
    acts = server.acts()
    await acts.kill(NAME)
    await acts.move(NAME, "root.etl")
    await acts.set_priority(NAME, 7)

    assert server.changed == [
        (f"{NAME}/state", {"state": "KILLED"}),
        (f"{NAME}/queue", {"queue": "root.etl"}),
        (f"{NAME}/priority", {"priority": 7}),
    ]


async def test_a_server_that_says_the_last_part_of_queues_is_told_that() -> None:
    server = PutServer(queue="adhoc")
    await server.acts().move(NAME, "root.a.etl")

    assert server.changed == [(f"{NAME}/queue", {"queue": "etl"})]


async def test_who_acts_is_said_where_a_name_is_believed() -> None:
    server = PutServer()
    await server.acts("mina & co").kill(NAME)

    assert server.changed[0][0] == f"{NAME}/state?user.name=mina%20%26%20co"


@pytest.mark.parametrize("state", ["FINISHED", "FAILED", "KILLED"])
async def test_what_has_ended_meanwhile_is_left_alone(state: str) -> None:
    server = PutServer(state)
    with pytest.raises(RefusedError, match=f"has ended meanwhile \\({state}\\)"):
        await server.acts().kill(NAME)

    assert server.changed == []


async def test_what_is_not_there_is_refused_in_the_servers_words() -> None:
    with pytest.raises(RefusedError, match="app with id: application_1_0001 not found"):
        await PutServer().acts().kill("application_1_0001")


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (403, None, "rm1:8088 forbids it"),
        (401, None, "wants a login"),
        (400, remote("BadRequestException", "only KILLED"), "answers 400: BadRequestException: only KILLED"),
        (500, remote("UndeclaredThrowableException"), "answers 500: UndeclaredThrowableException"),
    ],
)
async def test_a_refusal_is_in_the_servers_words(status: int, body: Any, words: str) -> None:
    with pytest.raises(RefusedError, match=words):
        await PutServer(status=status, body=body).acts().move(NAME, "root.nowhere")


async def test_a_server_that_is_gone_is_said() -> None:
    acts = YarnActs(RestClient(["http://rm1:8088"], lambda: httpx.AsyncClient(transport=httpx.MockTransport(gone))))
    with pytest.raises(SourceError, match="cannot be reached") as caught:
        await acts.kill(NAME)

    assert not isinstance(caught.value, RefusedError)
    assert isinstance(caught.value, EngineError)


def gone(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("Connection refused")


@pytest.mark.parametrize(
    ("act", "what"),
    [
        (KillApplication(NAME), "state"),
        (MoveApplication(NAME, "root.etl"), "queue"),
        (SetPriority(NAME, 1), "priority"),
    ],
)
async def test_acts_that_a_server_knows_are_done(act: Act, what: str) -> None:
    server = PutServer()
    result = await LiveActs(server.acts()).do(act)

    assert (result.refusal, [path for path, _ in server.changed]) == ("", [f"{NAME}/{what}"])


async def test_everything_else_is_refused_without_asking_the_server() -> None:
    server = PutServer()
    acts = LiveActs(server.acts())
    results = [
        await acts.do(DrainNode("n1")),
        await acts.submit({}),
        await acts.do(SetPreemption(on=True)),
        await acts.do(SetReservationRule("off")),
        await acts.do(SetSetting("spark.deploy.spreadOutApps", "true")),
        await acts.do(SetQueueSetting("root", "weight", "1")),
        await acts.do(ReturnNode("n1")),
    ]
    preview = await acts.try_(SetQueueSetting("root", "weight", "1"))

    assert {preview.refusal, *(each.refusal for each in results)} == {NOT_BY_REST}
    assert server.changed == []


async def test_a_refusal_is_an_answer_on_the_screen() -> None:
    result = await LiveActs(PutServer(status=403).acts()).do(KillApplication(NAME))

    assert result.problems == ("rm1:8088 forbids it (403)",)


# Queues of a scheduler's answer as rows.

NOTHING: Final = ClusterFacts((0, 0), (), {})


def _queue(name: str, below: str = "") -> str:
    amounts = ", ".join(f'"{part}Resources": {{"memory": 1, "vCores": 1}}' for part in ("min", "max", "used", "fair"))
    whole = f'"queueName": "{name}", {amounts}, "clusterResources": {{"memory": 2, "vCores": 2}}'
    return f"{{{whole}, {below}}}" if below else f"{{{whole}}}"


def _paths(below: str) -> list[tuple[str, int, bool]]:
    body = f'{{"rootQueue": {_queue("root", below)}}}'
    rows = queue_rows(SchedulerAnswer("fairScheduler", msgspec.Raw(body.encode())), NOTHING)
    return [(row.path, row.depth, row.is_leaf) for row in rows]


@pytest.mark.parametrize(
    "below",
    [
        f'"childQueues": {_queue("root.a.x")}, "childQueues": {_queue("root.a.y")}',
        f'"childQueues": [{_queue("root.a.y")}, {_queue("root.a.x")}]',
        f'"childQueues": {{"queue": [{_queue("root.a.x")}, {_queue("root.a.y")}]}}',
    ],
    ids=["repeated", "list", "object"],
)
def test_every_form_of_children_is_read(below: str) -> None:
    """2.7.2 repeats the name below any queue but the root; 3.x puts a list in an object."""
    assert _paths(f'"childQueues": [{_queue("root.a", below)}, {_queue("root.b")}]') == [
        ("root", 0, False),
        ("root.a", 1, False),
        ("root.a.x", 2, True),
        ("root.a.y", 2, True),
        ("root.b", 1, True),
    ]


def test_an_only_child_is_no_list() -> None:
    assert _paths(f'"childQueues": {_queue("root.default")}') == [("root", 0, False), ("root.default", 1, True)]


@pytest.mark.parametrize("below", ['"childQueues": 3', '"childQueues": [null]', '"childQueues": {"queue": {}}', "["])
def test_what_is_no_queue_is_refused(below: str) -> None:
    with pytest.raises(AnswerError):
        _paths(below)


def _fair_row(queue: str, reserved: dict[str, tuple[int, int]] | None = None) -> QueueRow:
    answer = SchedulerAnswer("fairScheduler", msgspec.Raw(f'{{"rootQueue": {queue}}}'.encode()))
    return queue_rows(answer, ClusterFacts((9, 9), (), reserved or {}))[0]


def _amounts(**values: tuple[int, int]) -> str:
    return ", ".join(f'"{name}": {{"memory": {each[0]}, "vCores": {each[1]}}}' for name, each in values.items())


LEAST: Final = {
    "minResources": (1, 2),
    "maxResources": (90, 80),
    "usedResources": (3, 4),
    "fairResources": (5, 6),
    "clusterResources": (90, 81),
}


def test_a_fair_queue_of_2_7_has_what_it_says_and_what_others_say_is_reserved_in_it() -> None:
    row = QueueRow(
        path="root.a",
        depth=0,
        is_leaf=True,
        policy="drf",
        used=(3, 4),
        demand=UNKNOWN,
        fair_share=(5, 6),
        steady_share=UNKNOWN,
        min_share=(1, 2),
        max_share=(90, 80),
        reserved=(7, 8),
        applications_running=0,
        applications_pending=0,
        containers=0,
    )
    queue = f'{{"queueName": "root.a", "schedulingPolicy": "drf", {_amounts(**LEAST)}}}'

    assert _fair_row(queue, {"root.a": (7, 8)}) == row
    assert _fair_row(queue, {"root.b": (7, 8)}) == msgspec.structs.replace(row, reserved=UNKNOWN)


def test_a_fair_queue_of_3_x_says_more() -> None:
    more = {"steadyFairResources": (11, 12), "demandResources": (13, 14), "reservedResources": (0, 0)}
    row = _fair_row(f'{{"queueName": "root.a", {_amounts(**LEAST, **more)}}}', {"root.a": (7, 8)})

    assert (row.steady_share, row.demand, row.reserved) == ((11, 12), (13, 14), (0, 0))


def test_a_maximum_of_the_whole_cluster_is_none() -> None:
    """A server cuts a maximum down to that; less in one dimension is a limit."""
    whole = {**LEAST, "maxResources": (90, 81)}

    assert _fair_row(f'{{"queueName": "root.a", {_amounts(**whole)}}}').max_share is None
    assert _fair_row(f'{{"queueName": "root.a", {_amounts(**LEAST)}}}').max_share == (90, 80)


# A round of a ResourceManager's answers as rows, field by field.

NOW_MS = 50_000
METRICS = MetricsInfo(
    reserved_mb=1,
    allocated_mb=2,
    total_mb=3,
    reserved_virtual_cores=4,
    allocated_virtual_cores=5,
    total_virtual_cores=6,
    containers_allocated=7,
    containers_reserved=0,
    containers_pending=9,
    active_nodes=10,
)


def node(name: str, used: tuple[int, int] = (30, 3), free: tuple[int, int] = (70, 5), **more: Any) -> NodeInfo:
    found = NodeInfo(
        id=f"{name}:1",
        node_host_name=name,
        rack="/r",
        state="RUNNING",
        last_health_update=49_000,
        num_containers=2,
        used_memory_mb=used[0],
        avail_memory_mb=free[0],
        used_virtual_cores=used[1],
        available_virtual_cores=free[1],
    )
    return msgspec.structs.replace(found, **more)


def round_of(nodes: list[NodeInfo], apps: list[ApplicationInfo], **more: Any) -> Round:
    metrics = msgspec.structs.replace(
        METRICS, **{name: more.pop(name) for name in list(more) if name in METRICS.__struct_fields__}
    )
    info = ClusterInfo(started_on=1, resource_manager_version="2.7.2")
    scheduler = SchedulerAnswer("fifoScheduler", msgspec.Raw(b"{}"))
    return Round(NOW_MS, info, metrics, scheduler, nodes, apps)._replace(**more)


def picture(nodes: list[NodeInfo], apps: list[ApplicationInfo], **more: Any) -> FixedSnapshot:
    return snapshot_of_round(round_of(nodes, apps, **more), 3, {"application_1_0001": 41_000})


def test_a_node_has_what_it_uses_and_what_it_has_free() -> None:
    found = picture([node("a", node_labels=("gpu",)), node("b")], []).nodes()
    row = NodeRow(
        id="a:1",
        host="a",
        rack="/r",
        state="RUNNING",
        partition="gpu",
        total=(100, 8),
        used=(30, 3),
        free=(70, 5),
        containers=2,
        reserved_by=None,
        reserved=None,
        last_heartbeat_ms=49_000,
    )

    assert (found[0], found[1].partition) == (row, "")
