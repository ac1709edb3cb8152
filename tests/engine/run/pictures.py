"""A hand-made picture of a small cluster for measures to be taken of."""

from collections.abc import Sequence

from msgspec.structs import replace

from engine.observe.snapshot import (
    SECTIONS,
    UNKNOWN,
    Amounts,
    ApplicationRow,
    ContainerRow,
    ExecutorRow,
    Header,
    NodeRow,
    QueueRow,
    ReservationRow,
    Unknown,
    UserRow,
)

DIMENSIONS = ("memory_mb", "vcores")


def application(number: int, state: str = "RUNNING", name: str = "", queue: str = "root.prod") -> ApplicationRow:
    return ApplicationRow(
        id=f"application_7_{number:04d}",
        number=number,
        name=name,
        user="u",
        queue=queue,
        type="YARN",
        state=state,
        submitted_ms=0,
        waiting_since_ms=None,
        finished_ms=None,
        used=(1024, 1),
        containers=1,
        reserved=(0, 0),
        reservations=2,
        asks=(),
        pending_containers=3,
        obstacle=None,
    )


class Picture:
    """Two nodes, two queues, four applications, two reservations."""

    dialect = "yarn"
    sections = SECTIONS

    def __init__(self, reserved: Amounts | Unknown = (3072, 2), total: Amounts = (8192, 8)) -> None:
        self.header = Header(
            time_ms=0,
            scheduler="fair-2.7",
            dimensions=DIMENSIONS,
            total=total,
            used=(4096, 2),
            reserved=reserved,
            nodes=2,
            nodes_down=0,
            nodes_reserved=UNKNOWN if isinstance(reserved, Unknown) else 2,
            applications_running=2,
            applications_pending=1,
            containers=4,
            containers_pending=3,
            preemption=False,
            reservation_rule="strict",
        )

    def version(self, section: str) -> int:
        return 0

    def queues(self) -> Sequence[QueueRow]:
        return [_queue("root", 0), _queue("root.prod", 1)]

    def nodes(self) -> Sequence[NodeRow]:
        """One held by application 12, one free."""
        return [_node("n1", "application_7_0012"), _node("n2", None)]

    def applications(self, *, why: bool = True) -> Sequence[ApplicationRow]:
        """Two live, one waiting, one ended of the same name."""
        return [
            replace(application(12, name="weekly"), used=(1024, 3)),
            application(112, name="hourly"),
            application(3, "ACCEPTED", queue="root.dev"),
            application(2, "FINISHED", name="weekly"),
        ]

    def reservations(self) -> Sequence[ReservationRow]:
        """One of application 12, one of 112."""
        return [_reservation("n2", 112), _reservation("n1", 12)]

    def containers(self, *, application: str = "", node: str = "") -> Sequence[ContainerRow]:
        return ()

    def executors(self) -> Sequence[ExecutorRow]:
        return ()

    def users(self) -> Sequence[UserRow]:
        return ()


def _queue(path: str, depth: int) -> QueueRow:
    return QueueRow(
        path=path,
        depth=depth,
        is_leaf=depth == 1,
        policy="fair",
        weight=1.0,
        used=(2048, 4),
        demand=(3072, 3),
        fair_share=(4096, 4),
        steady_share=UNKNOWN,
        min_share=(0, 0),
        max_share=None,
        reserved=(0, 0),
        applications_running=2,
        applications_pending=1,
        containers=2,
        starved_since_ms=None,
    )


def _node(host: str, reserved_by: str | None) -> NodeRow:
    return NodeRow(
        id=f"{host}:8041",
        host=host,
        rack="/r",
        state="RUNNING",
        partition="",
        total=(4096, 4),
        used=(3072, 3),
        free=(1024, 1),
        containers=3,
        reserved_by=reserved_by,
        reserved=None,
        last_heartbeat_ms=0,
    )


def _reservation(host: str, number: int) -> ReservationRow:
    return ReservationRow(
        node=f"{host}:8041",
        application=f"application_7_{number:04d}",
        queue="root.prod",
        size=(1536, 1),
        free=(1024, 1),
        short_by=(512, 0),
        since_ms=0,
    )
