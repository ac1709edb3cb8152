"""A snapshot in which nodes that are being drained say so.

A ResourceManager of 2.7 does not know that a node is drained: it sees a node that shrinks to what runs on it. The
operator who drains it knows, so the screen does.
"""

from collections.abc import Collection, Sequence

import msgspec

from engine.observe.snapshot import (
    ApplicationRow,
    ContainerRow,
    NodeRow,
    QueueRow,
    ReservationRow,
    Snapshot,
    UserRow,
)


class DrainingSnapshot:
    """Another snapshot, with the state of some nodes replaced."""

    def __init__(self, snapshot: Snapshot, nodes: Collection[str]) -> None:
        self.header = snapshot.header
        self._snapshot = snapshot
        self._draining = frozenset(nodes)

    def version(self, section: str) -> int:
        """As the snapshot's; the nodes that drain are part of it."""
        version = self._snapshot.version(section)
        return hash((version, self._draining)) if section == "nodes" else version

    def queues(self) -> Sequence[QueueRow]:
        """As the snapshot's."""
        return self._snapshot.queues()

    def nodes(self) -> Sequence[NodeRow]:
        """As the snapshot's, with draining nodes marked."""
        return [
            msgspec.structs.replace(row, state="DECOMMISSIONING")
            if row.id in self._draining and row.state == "RUNNING"
            else row
            for row in self._snapshot.nodes()
        ]

    def applications(self, *, why: bool = True) -> Sequence[ApplicationRow]:
        """As the snapshot's."""
        return self._snapshot.applications(why=why)

    def reservations(self) -> Sequence[ReservationRow]:
        """As the snapshot's."""
        return self._snapshot.reservations()

    def containers(self, *, application: str = "", node: str = "") -> Sequence[ContainerRow]:
        """As the snapshot's."""
        return self._snapshot.containers(application=application, node=node)

    def users(self) -> Sequence[UserRow]:
        """As the snapshot's."""
        return self._snapshot.users()
