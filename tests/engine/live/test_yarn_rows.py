"""A round of a ResourceManager's answers as rows, field by field."""

from typing import Any

import msgspec
import pytest

from engine.live.yarn_answers import (
    Amount,
    ApplicationInfo,
    ClusterInfo,
    MetricsInfo,
    NodeInfo,
    RequestInfo,
    RestAnswer,
    SchedulerAnswer,
)
from engine.live.yarn_picture import Holding, Round, asks_of, snapshot_of_round
from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.snapshot import UNKNOWN, ApplicationRow, AskRow, Header, NodeRow, ReservationRow

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
    """A node that has so much in use and so much free."""
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


def request(count: int, memory: int = 80, place: str = "*", **more: Any) -> RequestInfo:
    """A request at a place."""
    found = RequestInfo(
        priority=1, resource_name=place, capability=Amount(memory=memory, vcores=1), num_containers=count
    )
    return msgspec.structs.replace(found, **more)


def app(number: int, *requests: RequestInfo, state: str = "RUNNING", **more: Any) -> ApplicationInfo:
    """An application that asks for something."""
    found = ApplicationInfo(
        id=f"application_1_{number:04d}",
        user="ann",
        name="job",
        queue="a",
        state=state,
        application_type="TEZ",
        started_time=40_000,
        finished_time=0,
        resource_requests=requests,
    )
    return msgspec.structs.replace(found, **more)


def round_of(nodes: list[NodeInfo], apps: list[ApplicationInfo], **more: Any) -> Round:
    """A round of FIFO, whose queues need no answer; changes of its metrics among the others."""
    metrics = msgspec.structs.replace(
        METRICS, **{name: more.pop(name) for name in list(more) if name in METRICS.__struct_fields__}
    )
    info = ClusterInfo(started_on=1, resource_manager_version="2.7.2")
    scheduler = SchedulerAnswer("fifoScheduler", msgspec.Raw(b"{}"))
    return Round(NOW_MS, info, metrics, scheduler, nodes, apps)._replace(**more)


def picture(nodes: list[NodeInfo], apps: list[ApplicationInfo], **more: Any) -> FixedSnapshot:
    """Such a round as a snapshot."""
    return snapshot_of_round(round_of(nodes, apps, **more), 3, {"application_1_0001": 41_000})


def test_a_field_is_called_as_servers_call_it() -> None:
    """Each part but the first with a capital; a few are written otherwise."""

    class Answer(RestAnswer, frozen=True, kw_only=True):
        reserved_mb: int
        vcores: int
        used_am_resource: int
        queue_name: int

    names = {"reservedMB": 1, "vCores": 2, "usedAMResource": 3, "queueName": 4}
    assert msgspec.to_builtins(Answer(reserved_mb=1, vcores=2, used_am_resource=3, queue_name=4)) == names


def test_the_header_has_metrics_and_what_nodes_have_that_take_part() -> None:
    """Decommissioning ones do; applications are counted from their states."""
    nodes = [node("a"), node("b", state="DECOMMISSIONING"), node("c", state="LOST"), node("d", state="UNHEALTHY")]
    apps = [app(1), app(2, state="ACCEPTED"), app(3, state="NEW"), app(4, state="FINISHED")]
    found = picture(nodes, apps, master_start_ms=6, pages_ms=49_999)

    assert found.header == Header(
        time_ms=NOW_MS,
        scheduler="FifoScheduler 2.7.2",
        dimensions=("memory_mb", "vcores"),
        total=(200, 16),
        used=(2, 5),
        reserved=(1, 4),
        nodes=2,
        nodes_down=2,
        nodes_reserved=0,
        applications_running=1,
        applications_pending=2,
        containers=7,
        containers_pending=9,
        preemption=UNKNOWN,
        reservation_rule=UNKNOWN,
        pages_ms=49_999,
        master_start_ms=6,
    )
    assert {found.version(name) for name in found.sections} == {3}


def test_where_nodes_have_labels_what_is_used_is_counted_from_rows() -> None:
    """The metrics are of the default partition alone; of applications only those that live."""
    nodes = [node("a", node_labels="gpu"), node("b", (5, 1)), node("c", state="LOST")]
    apps = [app(1, running_containers=2), app(2, running_containers=3), app(3, state="KILLED", running_containers=9)]
    header = picture(nodes, apps).header

    assert (header.used, header.containers) == ((35, 4), 5)
    lost = picture([node("a"), node("c", state="LOST", node_labels=("gpu",))], apps).header
    assert (lost.used, lost.containers) == ((2, 5), 7)


def test_a_node_has_what_it_uses_and_what_it_has_free() -> None:
    """Together that is its size."""
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


def test_an_application_that_lives_has_what_it_holds_and_asks_for() -> None:
    """-1 is nothing; what a release does not say is unknown."""
    one = app(1, request(2), request(3, 90, priority=0), diagnostics="d", allocated_mb=11, allocated_vcores=12)
    found = picture([], [msgspec.structs.replace(one, running_containers=4), app(2, state="ACCEPTED")]).applications()

    assert found[0] == ApplicationRow(
        id="application_1_0001",
        number=1,
        name="job",
        user="ann",
        queue="a",
        type="TEZ",
        state="RUNNING",
        submitted_ms=40_000,
        waiting_since_ms=41_000,
        finished_ms=None,
        used=(11, 12),
        containers=4,
        reserved=UNKNOWN,
        reservations=UNKNOWN,
        asks=(AskRow(0, 3, (90, 1), (), True), AskRow(1, 2, (80, 1), (), True)),
        pending_containers=5,
        obstacle=None,
        diagnostics="d",
        memory_seconds=UNKNOWN,
        progress=UNKNOWN,
    )
    assert (found[1].used, found[1].containers, found[1].waiting_since_ms) == ((0, 0), 0, None)


@pytest.mark.parametrize(
    ("more", "reserved"),
    [
        ({"reserved_mb": 5, "reserved_vcores": 2}, (5, 2)),
        ({"reserved_mb": -1, "reserved_vcores": -1}, (0, 0)),
        ({"reserved_mb": 5}, UNKNOWN),
        ({"reserved_vcores": 5}, UNKNOWN),
        ({"reserved_mb": 5, "reserved_vcores": 2, "state": "FINISHED"}, (0, 0)),
    ],
)
def test_what_an_application_has_reserved_is_known_where_both_amounts_are_said(more: Any, reserved: Any) -> None:
    """One that ended has nothing."""
    assert picture([], [app(1, **more)]).applications()[0].reserved == reserved


def test_an_application_that_ended_asks_for_nothing() -> None:
    """Whatever its requests say; progress and what it was given are kept."""
    one = app(1, request(2), state="KILLED", finished_time=45_000, memory_seconds=6, progress=50.5)
    row = picture([], [one]).applications()[0]

    assert (row.asks, row.pending_containers, row.waiting_since_ms, row.reservations) == ((), 0, None, 0)
    assert (row.finished_ms, row.memory_seconds, row.progress) == (45_000, 6, 50.5)


def test_applications_come_by_number_then_ended_ones_latest_first() -> None:
    """Numbers, not texts."""
    apps = [
        app(1, state="FAILED", finished_time=1),
        app(10_000),
        app(2, state="KILLED", finished_time=2),
        app(9_999, id="application_1_9999"),
    ]

    assert [row.number for row in picture([], apps).applications()] == [9_999, 10_000, 2, 1]


def test_asks_of_one_priority_are_told_apart_by_their_id() -> None:
    """As 3.x has several at one; who does not relax locality is said so."""
    found = asks_of(
        [
            request(1, 10, allocation_request_id=2),
            request(2, 20, allocation_request_id=1, relax_locality=False),
            request(1, 20, "n1", allocation_request_id=1),
            request(3, 30, "n2", allocation_request_id=3),
        ]
    )

    assert list(found) == [AskRow(1, 2, (20, 1), ("n1",), False), AskRow(1, 1, (10, 1), (), True)]


def test_an_amount_has_vcores_by_either_name() -> None:
    """None where neither is said; 0 is said."""
    amounts = [Amount(memory=1, vcores=0, virtual_cores=5), Amount(memory=1, virtual_cores=5), Amount(memory=1)]

    assert [each.pair for each in amounts] == [(1, 0), (1, 5), (1, 0)]


ASKER = app(1, request(1, 75), request(1, 80, priority=2), request(0, 99, "x"))


def test_a_reservation_of_the_log_is_for_the_largest_ask() -> None:
    """Those of applications or nodes that are not there, and of who asks for nothing, are left out."""
    answers = round_of([node("a"), node("b")], [ASKER, app(2)], containers_reserved=2)
    names = [("a:1", 1), ("c:1", 1), ("b:1", 2), ("b:1", 3)]
    held = [Holding(where, f"application_1_{number:04d}", 44_000) for where, number in names]
    found = snapshot_of_round(answers, 1, {}, held)

    assert list(found.reservations()) == [
        ReservationRow("a:1", "application_1_0001", "a", (80, 1), (70, 5), (10, 0), 44_000)
    ]
    assert [(row.reserved_by, row.reserved) for row in found.nodes()] == [
        ("application_1_0001", UNKNOWN),
        ("application_1_0003", UNKNOWN),
    ]


@pytest.mark.parametrize(("counted", "by"), [(0, None), (1, None), (2, UNKNOWN)])
def test_a_node_that_the_log_does_not_name_is_free_where_it_names_as_many_as_are_counted(counted: int, by: Any) -> None:
    """Else nobody knows."""
    answers = round_of([node("a"), node("b")], [ASKER], containers_reserved=counted)
    found = snapshot_of_round(answers, 1, {}, [Holding("a:1", "application_1_0001", 0)]).nodes()

    assert (found[1].reserved_by, found[1].reserved) == (by, by)


def test_reservations_that_follow_from_sums_stand_in_all_rows() -> None:
    """And those sections are marked; since when is not known."""
    nodes = [node("a", free=(70, 5)), node("b", free=(71, 5)), node("c", free=(90, 9))]
    sums = {"containers_reserved": 2, "reserved_mb": 160, "reserved_virtual_cores": 2}
    found = picture(nodes, [app(1, request(1)), app(2), app(3, state="KILLED")], **sums)
    name = "application_1_0001"

    assert found.header.inferred == ("nodes", "applications", "reservations")
    assert [(row.reserved_by, row.reserved) for row in found.nodes()] == [
        (name, (80, 1)),
        (name, (80, 1)),
        (None, None),
    ]
    assert [row.reservations for row in found.applications()] == [2, 0, 0]
    assert list(found.reservations()) == [
        ReservationRow("a:1", name, "a", (80, 1), (70, 5), (10, 0), UNKNOWN),
        ReservationRow("b:1", name, "a", (80, 1), (71, 5), (9, 0), UNKNOWN),
    ]


def test_where_only_some_reservations_follow_the_rest_is_unknown() -> None:
    """One of the other two has the other node; the nodes are alike, so that nobody knows which."""
    nodes = [node("a"), node("b")]
    apps = [app(1, request(1)), app(2, request(1, 90)), app(3, request(1, 90)), app(4, state="FAILED")]
    found = picture(nodes, apps, containers_reserved=2, reserved_mb=170, reserved_virtual_cores=2)

    assert [row.reserved_by for row in found.nodes()] == [UNKNOWN, UNKNOWN]
    assert [(row.node, row.application) for row in found.reservations()] == [("", "application_1_0001")]
    assert [row.reservations for row in found.applications()] == [1, UNKNOWN, UNKNOWN, 0]


@pytest.mark.parametrize("more", [{"reserved_mb": 81}, {"pages_ms": 49_999}])
def test_where_nothing_follows_rows_are_as_they_were(more: dict[str, int]) -> None:
    """By sums that no ask explains, and by pages of another round."""
    sums = {"containers_reserved": 1, "reserved_mb": 80, "reserved_virtual_cores": 1, **more}
    found = picture([node("a")], [app(1, request(1))], **sums)

    assert (found.header.inferred, list(found.reservations())) == ((), [])
    assert [row.reserved_by for row in found.nodes()] == [UNKNOWN]


def test_rows_of_the_round_before_are_taken_but_for_queues_and_the_header() -> None:
    """With their versions; applications may have another obstacle, so that theirs is new."""
    sums = {"containers_reserved": 1, "reserved_mb": 80, "reserved_virtual_cores": 1}
    nodes, apps = [node("a")], [app(1, request(1))]
    before = picture(nodes, apps, **sums)
    before = before.with_section(before.header, "containers", [], 3)
    answers = round_of(nodes, apps, **sums, allocated_mb=77, time_ms=NOW_MS + 5, pages_ms=NOW_MS)
    found = snapshot_of_round(answers, 4, {}, None, before)

    assert (found.header.used, found.header.inferred) == ((77, 5), before.header.inferred)
    for name in ("nodes", "applications", "reservations", "users"):
        assert getattr(found, name)() is getattr(before, name)()
    assert {name: found.version(name) for name in found.sections} == {
        "queues": 4,
        "nodes": 3,
        "applications": 4,
        "reservations": 3,
        "users": 3,
        "containers": 3,
    }
