"""A hand-made picture of a small cluster for measures to be taken of."""

from msgspec.structs import replace

from engine.observe.documents import FixedSnapshot
from engine.observe.snapshot import UNKNOWN, Amounts, ApplicationRow, NodeRow, QueueRow, Unknown
from tests.build import rows

DIMENSIONS = ("memory_mb", "vcores")


def application(number: int, state: str = "RUNNING", name: str = "", queue: str = "root.prod") -> ApplicationRow:
    return rows.app(
        number,
        id=f"application_7_{number:04d}",
        name=name,
        user="u",
        queue=queue,
        type="YARN",
        state=state,
        waiting_since_ms=None,
        used=(1024, 1),
        reserved=(0, 0),
        reservations=2,
        pending_containers=3,
    )


def picture(reserved: Amounts | Unknown = (3072, 2), total: Amounts = (8192, 8)) -> FixedSnapshot:
    """Two nodes, one held by application 12; two queues; of four applications one waits and one ended."""
    header = rows.header(
        UNKNOWN if isinstance(reserved, Unknown) else 2,
        reserved,
        time_ms=0,
        scheduler="fair-2.7",
        dimensions=DIMENSIONS,
        total=total,
        used=(4096, 2),
        nodes=2,
        applications_running=2,
        applications_pending=1,
        containers=4,
        containers_pending=3,
        preemption=False,
        reservation_rule="strict",
    )
    return rows.snapshot(
        header,
        queues=[_queue("root", 0), _queue("root.prod", 1)],
        nodes=[_node("n1", "application_7_0012"), _node("n2", None)],
        applications=[
            replace(application(12, name="weekly"), used=(1024, 3)),
            application(112, name="hourly"),
            application(3, "ACCEPTED", queue="root.dev"),
            application(2, "FINISHED", name="weekly"),
        ],
        reservations=[
            rows.reservation("n2", "application_7_0112"),
            rows.reservation("n1", "application_7_0012"),
        ],
    )


def _queue(path: str, depth: int) -> QueueRow:
    return rows.queue(
        path,
        (0, 0),
        depth=depth,
        is_leaf=depth == 1,
        weight=1.0,
        used=(2048, 4),
        demand=(3072, 3),
        fair_share=(4096, 4),
        min_share=(0, 0),
        applications_running=2,
        applications_pending=1,
        containers=2,
        starved_since_ms=None,
    )


def _node(host: str, reserved_by: str | None) -> NodeRow:
    return rows.node(
        host, (1024, 1), (4096, 4), id=f"{host}:8041", containers=3, reserved_by=reserved_by, reserved=None
    )
