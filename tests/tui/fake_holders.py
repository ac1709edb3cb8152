"""Who holds what in the frozen cluster: containers and users."""

from typing import Any

import msgspec

from engine.observe.snapshot import UNKNOWN, ContainerRow, UserRow
from tests.tui.fakes import BIG, HOSTS, NOW, TIMESTAMP, FakeSnapshot, frozen_cluster, node_id


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
