"""Rounds of answers as snapshots, beside what the servers' own metrics say."""

import json
from collections.abc import Sequence
from typing import Any, Final

import httpx
import msgspec
import pytest

from engine.errors import RefusedError
from engine.live.rest_client import RestClient
from engine.live.watch_metrics import with_since
from engine.live.yarn_answers import SchedulerAnswer
from engine.live.yarn_poll import ObservedReservation, Round, asks_of, snapshot_of_round
from engine.live.yarn_queues import queue_rows
from engine.live.yarn_source import YarnActs
from engine.observe.snapshot import UNKNOWN, CapacityQueueRow, QueueRow, Unknown
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
from tests.engine.live.recorded import CLUSTER, SERIES, answers_of, round_of, rounds_of, snapshot_of
from tui.session.live_pictures import NOT_BY_REST, LiveActs

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


@pytest.mark.parametrize("series", SERIES)
def test_queues_come_in_tree_order_and_children_add_up(series: str) -> None:
    """A parent stands before its children, and runs and waits what they do together."""
    snapshot = snapshot_of(ROUNDS[series][-1])
    queues, header = snapshot.queues(), snapshot.header
    assert _counts(queues[:1]) == (header.applications_running, header.applications_pending)
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


def test_an_application_that_ended_asks_for_nothing_and_has_no_negative_amount() -> None:
    rows = [row for row in snapshot_of(ROUNDS["3.4.1-fair-busy"][-1]).applications() if row.finished_ms is not None]

    assert rows
    assert {(row.pending_containers, row.asks) for row in rows} == {(0, ())}
    assert min(min(*row.used, row.containers) for row in rows) == 0


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


# Queues of a scheduler's answer as rows.


def _queue(name: str, below: str = "") -> str:
    amounts = ", ".join(f'"{part}Resources": {{"memory": 1, "vCores": 1}}' for part in ("min", "max", "used", "fair"))
    whole = f'"queueName": "{name}", {amounts}, "clusterResources": {{"memory": 2, "vCores": 2}}'
    return f"{{{whole}, {below}}}" if below else f"{{{whole}}}"


def _paths(below: str) -> list[tuple[str, int, bool]]:
    body = f'{{"rootQueue": {_queue("root", below)}}}'
    rows = queue_rows(SchedulerAnswer("fairScheduler", msgspec.Raw(body.encode())), (0, 0), {})
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


def _fair_row(queue: str, reserved: dict[str, tuple[int, int]] | None = None) -> QueueRow:
    answer = SchedulerAnswer("fairScheduler", msgspec.Raw(f'{{"rootQueue": {queue}}}'.encode()))
    return queue_rows(answer, (9, 9), reserved or {})[0]


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
    )
    queue = f'{{"queueName": "root.a", "schedulingPolicy": "drf", {_amounts(**LEAST)}}}'

    assert _fair_row(queue, {"root.a": (7, 8)}) == row
    assert _fair_row(queue, {"root.b": (7, 8)}) == msgspec.structs.replace(row, reserved=UNKNOWN)


# A round of a ResourceManager's answers as rows, field by field.


def test_queues_of_the_capacity_scheduler_have_reserved_what_the_cluster_has() -> None:
    snapshot = snapshot_of(ROUNDS["3.4.1-capacity-busy"][-1])
    reserved = [row.reserved for row in snapshot.queues() if row.is_leaf and not isinstance(row.reserved, Unknown)]

    assert tuple(map(sum, zip(*reserved, strict=True))) == snapshot.header.reserved == (13_312, 6)


def test_what_the_root_uses_of_each_partition_is_the_sum_of_its_queues() -> None:
    """A server does not say it of the root."""
    rows = [row for row in snapshot_of(round_of("3.4.1-capacity")).queues() if isinstance(row, CapacityQueueRow)]
    sums: dict[str, tuple[int, int]] = {}
    for part in (part for row in rows if row.depth == 1 for part in row.partitions):
        before = sums.get(part.label, (0, 0))
        sums[part.label] = before[0] + part.used[0], before[1] + part.used[1]

    assert {part.label: part.used for part in rows[0].partitions} == sums
    assert sums[""] > (0, 0)
