"""A round of a ResourceManager's answers as rows, field by field."""

from typing import Any

import msgspec

from engine.live.yarn_answers import (
    ApplicationInfo,
    ClusterInfo,
    MetricsInfo,
    NodeInfo,
    SchedulerAnswer,
)
from engine.live.yarn_picture import Round, snapshot_of_round
from engine.observe.documents import FixedSnapshot
from engine.observe.snapshot import NodeRow

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
