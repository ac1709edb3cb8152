"""Rows and pictures of a small cluster of YARN; whatever matters to a test is given by name."""

from typing import Any

import msgspec

from engine.observe.documents import FixedSnapshot
from engine.observe.snapshot import (
    SECTIONS,
    UNKNOWN,
    Amounts,
    ApplicationRow,
    AskRow,
    CapacityQueueRow,
    Header,
    NodeRow,
    QueueRow,
    ReservationRow,
    Unknown,
)

NOW_MS = 1_000


def header(count: int | Unknown = 0, reserved: Amounts | Unknown = (0, 0), **changes: Any) -> Header:
    """So many nodes are reserved, for so much."""
    found = Header(
        time_ms=NOW_MS,
        scheduler="FairScheduler 2.7.2",
        dimensions=("memory", "vcores"),
        total=(0, 0),
        used=(0, 0),
        reserved=reserved,
        nodes=0,
        nodes_down=0,
        nodes_reserved=count,
        applications_running=0,
        applications_pending=0,
        containers=0,
        containers_pending=0,
        preemption=UNKNOWN,
        reservation_rule=UNKNOWN,
    )
    return msgspec.structs.replace(found, **changes)


def node(name: str, free: Amounts = (0, 0), total: Amounts = (100, 10), **changes: Any) -> NodeRow:
    """A node that has so much free."""
    found = NodeRow(
        id=f"{name}:1",
        host=name,
        rack="/r",
        state="RUNNING",
        partition="",
        total=total,
        used=(total[0] - free[0], total[1] - free[1]),
        free=free,
        containers=1,
        reserved_by=UNKNOWN,
        reserved=UNKNOWN,
        last_heartbeat_ms=0,
    )
    return msgspec.structs.replace(found, **changes)


def app(number: int, *asks: AskRow, **changes: Any) -> ApplicationRow:
    """An application that runs and asks for something."""
    found = ApplicationRow(
        id=f"application_1_{number:04d}",
        number=number,
        name="job",
        user="ann",
        queue="root.q",
        type="TEZ",
        state="RUNNING",
        submitted_ms=0,
        waiting_since_ms=0,
        finished_ms=None,
        used=(0, 0),
        containers=1,
        reserved=UNKNOWN,
        reservations=UNKNOWN,
        asks=asks,
        pending_containers=1,
        obstacle=None,
    )
    return msgspec.structs.replace(found, **changes)


def ask(*size: int, places: tuple[str, ...] = (), relax: bool = True) -> AskRow:
    return AskRow(1, 1, size, places, relax)


def queue(path: str, reserved: Amounts | Unknown = UNKNOWN, **changes: Any) -> QueueRow:
    """A leaf in which so much is reserved."""
    found = QueueRow(
        path=path,
        depth=1,
        is_leaf=True,
        policy="fair",
        used=(0, 0),
        max_share=None,
        reserved=reserved,
        applications_running=0,
        applications_pending=0,
        containers=0,
    )
    return msgspec.structs.replace(found, **changes)


def capacity_queue(path: str, **changes: Any) -> CapacityQueueRow:
    plain = msgspec.structs.asdict(queue(path))
    limits = {"guaranteed": (0, 0), "used_capacity": 0.0, "state": "RUNNING", "user_limit": None}
    return CapacityQueueRow(**{**plain, **limits, "am_used": None, "am_limit": None, "partitions": (), **changes})


def reservation(host: str, application: str, **changes: Any) -> ReservationRow:
    """A node `HOST:8041` that is held for an application."""
    found = ReservationRow(f"{host}:8041", application, "root.prod", (1536, 1), (1024, 1), (512, 0), 0)
    return msgspec.structs.replace(found, **changes)


def snapshot(whole: Header, **rows: list[Any]) -> FixedSnapshot:
    """A picture with these sections; others are empty."""
    names = ("queues", "nodes", "applications", "reservations", "users")
    sections = {name: SECTIONS[name] for name in names}
    return FixedSnapshot("yarn", whole, sections, {name: rows.get(name, []) for name in names}, dict.fromkeys(names, 1))
