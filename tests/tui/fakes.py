"""A snapshot built by hand: the frozen cluster, without an engine."""

from collections.abc import Sequence
from typing import Any

import msgspec

from engine.model.decision import Allocated, ApplicationTransitioned, Killed, Reserved
from engine.observe.snapshot import (
    SECTIONS,
    UNKNOWN,
    ApplicationRow,
    AskRow,
    ContainerRow,
    ExecutorRow,
    Header,
    NodeHolder,
    NodeRow,
    ObstacleSummary,
    QueueRow,
    Release,
    ReservationRow,
    UserRow,
)
from tui.protocol.picture import EventRow
from tui.session.alert_monitor import event_row

NOW = 1510362060000
"""2017-11-11 09:01:00 at +08:00."""
TIMESTAMP = 1507795051888
HOSTS = tuple(f"10.120.117.{n}" for n in (84, 85, 86, *range(100, 109)))
BIG = f"application_{TIMESTAMP}_183354"
OTHER = f"application_{TIMESTAMP}_183342"


def node_id(host: str) -> str:
    return f"{host}:45454"


class FakeSnapshot:
    """A snapshot of rows given by hand; counts how often each section is built."""

    dialect = "yarn"
    sections = SECTIONS

    def __init__(self, header: Header, version: int = 1, **sections: Sequence[Any]) -> None:
        self.header = header
        self._version = version
        self._sections = sections
        self.built: list[str] = []
        self.asked: list[dict[str, str]] = []

    def having(self, **sections: Sequence[Any]) -> "FakeSnapshot":
        """The same with other rows in some sections."""
        return FakeSnapshot(self.header, self._version, **{**self._sections, **sections})

    def version(self, section: str) -> int:
        return self._version

    def _rows(self, section: str) -> Sequence[Any]:
        self.built.append(section)
        return self._sections.get(section, ())

    def queues(self) -> Sequence[QueueRow]:
        return self._rows("queues")

    def nodes(self) -> Sequence[NodeRow]:
        return self._rows("nodes")

    def applications(self, *, why: bool = True) -> Sequence[ApplicationRow]:
        return self._rows("applications")

    def reservations(self) -> Sequence[ReservationRow]:
        return self._rows("reservations")

    def containers(self, *, application: str = "", node: str = "") -> Sequence[ContainerRow]:
        """Of the containers given those of an application or a node; remembers for which it was asked."""
        self.asked.append({name: one for name, one in (("application", application), ("node", node)) if one})
        rows = self._rows("containers")
        return [row for row in rows if application in {"", row.application} and node in {"", row.node}]

    def executors(self) -> Sequence[ExecutorRow]:
        return self._rows("executors")

    def users(self) -> Sequence[UserRow]:
        return self._rows("users")


def header(**changes: Any) -> Header:
    frozen = Header(
        time_ms=NOW,
        scheduler="fair-2.7",
        dimensions=("memory_mb", "vcores"),
        total=(1228800, 384),
        used=(737280, 180),
        reserved=(751616, 12),
        nodes=12,
        nodes_down=0,
        nodes_reserved=12,
        applications_running=12,
        applications_pending=3,
        containers=180,
        containers_pending=27,
        preemption=False,
        reservation_rule="strict",
    )
    return msgspec.structs.replace(frozen, **changes)


def node_row(host: str, **changes: Any) -> NodeRow:
    """A node that is 60 % full and reserved."""
    row = NodeRow(
        id=node_id(host),
        host=host,
        rack="/default-rack",
        state="RUNNING",
        partition="",
        total=(102400, 32),
        used=(61440, 15),
        free=(40960, 17),
        containers=15,
        reserved_by=BIG,
        reserved=(64000, 1),
        last_heartbeat_ms=NOW - 400,
    )
    return msgspec.structs.replace(row, **changes)


def application_row(number: int, **changes: Any) -> ApplicationRow:
    """A running holder that waits for one more container."""
    row = ApplicationRow(
        id=f"application_{TIMESTAMP}_{number:04d}",
        number=number,
        name=f"etl-{number}",
        user="etl",
        queue="root.etl",
        type="SPARK",
        state="RUNNING",
        submitted_ms=NOW - 1_800_000,
        waiting_since_ms=NOW - 30_000,
        finished_ms=None,
        used=(61440, 15),
        containers=15,
        reserved=(0, 0),
        reservations=0,
        asks=(AskRow(1, 1, (4096, 1)),),
        pending_containers=1,
        obstacle=ObstacleSummary(
            "NODE_RESERVED", "every node is reserved by another application: 11 by 183354, 1 by 183342"
        ),
    )
    return msgspec.structs.replace(row, **changes)


def queue_row(path: str, **changes: Any) -> QueueRow:
    """A leaf queue with a fair share of a third."""
    row = QueueRow(
        path=path,
        depth=path.count("."),
        is_leaf=True,
        policy="fair",
        weight=1.0,
        used=(245760, 60),
        demand=(409600, 100),
        fair_share=(409600, 128),
        steady_share=(409600, 128),
        min_share=(102400, 32),
        max_share=(819200, 256),
        reserved=(0, 0),
        applications_running=4,
        applications_pending=1,
        containers=60,
        starved_since_ms=None,
    )
    return msgspec.structs.replace(row, **changes)


def holder(number: int, **changes: Any) -> NodeHolder:
    """An application that keeps a node and waits."""
    row = NodeHolder(f"application_{TIMESTAMP}_{number:04d}", 4, (16384, 4), waits=True)
    return msgspec.structs.replace(row, **changes)


def reservation_row(host: str, **changes: Any) -> ReservationRow:
    """A node held for the big application, 23040 MB short."""
    row = ReservationRow(
        node=node_id(host),
        application=BIG,
        queue="root.report",
        size=(64000, 1),
        free=(40960, 17),
        short_by=(23040, 0),
        since_ms=NOW - 30_000,
        released=Release("never", by=(holder(183330), holder(183331)), from_ms=NOW),
    )
    return msgspec.structs.replace(row, **changes)


def frozen_cluster(version: int = 1, **header_changes: Any) -> FakeSnapshot:
    """Twelve nodes, all reserved, 60 % of memory used, nothing moves."""
    queues = (
        queue_row(
            "root",
            is_leaf=False,
            used=(737280, 180),
            fair_share=(1228800, 384),
            max_share=None,
            min_share=(0, 0),
            applications_running=12,
        ),
        queue_row("root.etl", used=(491520, 120), applications_running=12),
        queue_row("root.report", used=(0, 0), starved_since_ms=NOW - 45_000, applications_running=0),
        queue_row("root.adhoc", applications_running=0),
    )
    big = application_row(
        183354,
        name="weekly-pyspark",
        user="mining",
        queue="root.report",
        state="ACCEPTED",
        used=(0, 0),
        containers=0,
        reserved=(704000, 11),
        reservations=11,
        asks=(AskRow(0, 1, (64000, 1)),),
        obstacle=ObstacleSummary("DOES_NOT_FIT", "no node has 62.5G free: the best, 10.120.117.100, has 40G"),
    )
    holders = tuple(application_row(183330 + i) for i in range(12))
    waiting = (
        application_row(183360, state="ACCEPTED", used=(0, 0), containers=0, name="日报-daily", user="报表"),
        application_row(183361, state="ACCEPTED", used=(0, 0), containers=0),
    )
    ended = (
        application_row(
            183301, state="KILLED", finished_ms=NOW - 60_000, waiting_since_ms=None, obstacle=None, asks=(),
            used=(0, 0), containers=0, diagnostics="Application killed by user.",
        ),
    )  # fmt: skip
    nodes = tuple(node_row(host, reserved_by=OTHER if host.endswith(".100") else BIG) for host in HOSTS)
    ends = Release("ends", NOW + 40 * 60_000, (holder(183340),), NOW)
    reservations = tuple(
        reservation_row(host, application=OTHER, released=ends, since_ms=NOW - 20_000)
        if host.endswith(".100")
        else reservation_row(host)
        for host in HOSTS
    )
    return FakeSnapshot(
        header(**header_changes),
        version,
        queues=queues,
        nodes=nodes,
        applications=(*holders, big, *waiting, *ended),
        reservations=reservations,
    )


def some_events() -> list[EventRow]:
    records: list[object] = [
        ApplicationTransitioned(183354, "ACCEPTED", "root.report"),
        *(Reserved((183354, 1, 1), node_id(host), 0, 64000, 1) for host in HOSTS[:3]),
        Allocated((183342, 1, 16), node_id(HOSTS[3]), 1, 4096, 1, "NODE_LOCAL"),
        Killed((183301, 1, 2), node_id(HOSTS[4]), "KILLED_BY_USER"),
    ]
    return [event_row(i, NOW - 30_000 + 343 * i, record) for i, record in enumerate(records)]


# Who holds what in the frozen cluster: containers and users.


def container_row(number: int, host: str, **changes: Any) -> ContainerRow:
    """A running container of the first holder."""
    row = ContainerRow(
        id=f"container_{TIMESTAMP}_183330_01_{number:06d}",
        application=f"application_{TIMESTAMP}_183330",
        node=node_id(host),
        queue="root.etl",
        user="etl",
        priority=1,
        size=(4096, 1),
        state="RUNNING",
        since_ms=NOW - 60_000 * number,
        is_am=number == 1,
        marked_ms=None,
    )
    return msgspec.structs.replace(row, **changes)


def user_row(user: str, **changes: Any) -> UserRow:
    """A user with most of the cluster."""
    row = UserRow(
        user=user,
        queues=("root.etl",),
        applications_running=12,
        applications_pending=1,
        containers=180,
        used=(737280, 180),
        reserved=(0, 0),
        pending_containers=13,
        pending=(53248, 13),
        share=0.6,
    )
    return msgspec.structs.replace(row, **changes)


def containers() -> tuple[ContainerRow, ...]:
    """Eight of the first holder on three nodes, one to be preempted; one reservation of the big application."""
    return (
        *(container_row(number, HOSTS[number % 3]) for number in range(1, 8)),
        container_row(8, HOSTS[0], state="RUNNING", marked_ms=NOW - 5_000),
        container_row(
            1, HOSTS[0], id=f"container_{TIMESTAMP}_183354_01_000002", application=BIG, queue="root.report",
            user="mining", size=(64000, 1), state="RESERVED", is_am=False,
        ),
    )  # fmt: skip


def users() -> tuple[UserRow, ...]:
    """Who holds, who reserves, and one of whom little is known."""
    return (
        user_row("etl"),
        user_row(
            "mining", queues=("root.report",), applications_running=0, containers=0, used=(0, 0),
            reserved=(704000, 11), pending_containers=1, pending=(64000, 1), share=0.0,
        ),
        user_row("报表", applications_running=0, containers=0, used=(0, 0), pending_containers=UNKNOWN, share=0.0),
    )  # fmt: skip


def held_cluster() -> FakeSnapshot:
    """The frozen cluster with its containers and users."""
    return frozen_cluster().having(containers=containers(), users=users())
