"""A round of a ResourceManager's answers as rows, field by field."""

from typing import Any

import msgspec

from engine.live.yarn_answers import (
    Amount,
    ApplicationInfo,
    ClusterInfo,
    MetricsInfo,
    NodeInfo,
    RequestInfo,
    SchedulerAnswer,
)
from engine.live.yarn_picture import Round, snapshot_of_round
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
    found = RequestInfo(
        priority=1, resource_name=place, capability=Amount(memory=memory, vcores=1), num_containers=count
    )
    return msgspec.structs.replace(found, **more)


def app(number: int, *requests: RequestInfo, state: str = "RUNNING", **more: Any) -> ApplicationInfo:
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
    return snapshot_of_round(round_of(nodes, apps, **more), 3, {"application_1_0001": 41_000})


def test_the_header_has_metrics_and_what_nodes_have_that_take_part() -> None:
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


def test_an_application_that_lives_has_what_it_holds_and_asks_for() -> None:
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


def test_reservations_that_follow_from_sums_stand_in_all_rows() -> None:
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
    nodes = [node("a"), node("b")]
    apps = [app(1, request(1)), app(2, request(1, 90)), app(3, request(1, 90)), app(4, state="FAILED")]
    found = picture(nodes, apps, containers_reserved=2, reserved_mb=170, reserved_virtual_cores=2)

    assert [row.reserved_by for row in found.nodes()] == ["application_1_0001", UNKNOWN]
    assert [row.reservations for row in found.applications()] == [1, UNKNOWN, UNKNOWN, 0]
