"""A snapshot in which nodes that are being drained say so.

A ResourceManager of 2.7 does not know that a node is drained: it sees a node that shrinks to what runs on it. The
operator who drains it knows, so the screen does.
"""

from collections.abc import Collection, Sequence

from engine.observe.section import Section
from engine.observe.snapshot import (
    ApplicationRow,
    ContainerRow,
    NodeRow,
    QueueRow,
    ReservationRow,
    Snapshot,
    UserRow,
)
from engine.observe.spark_view import SparkSnapshot
from engine.run.views import snapshot_of
from engine.simulation.simulation import Simulation
from engine.simulation.spark_world import SparkWorld
from tui.session.background import Background


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
        rows = self._snapshot.nodes()
        if not isinstance(rows, Section):
            return rows
        state, node_id = rows.fields["state"], rows.fields["id"]

        def shown(node: object) -> str:
            is_draining = state(node) == "RUNNING" and node_id(node) in self._draining
            return "DECOMMISSIONING" if is_draining else str(state(node))

        return Section(rows.things, rows.make, {**rows.fields, "state": shown})

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


def shown(simulation: Simulation, beside: Background, *, has_drained: bool) -> Snapshot:
    """The picture of a simulated cluster, with what only its world knows.

    Args:
        simulation: The run, or a copy of its past.
        beside: Tells why applications wait and who frees reserved nodes, as far as that is known.
        has_drained: Whether a node ever began to be drained.
    """
    snapshot = snapshot_of(simulation.control_plane, simulation.now_ms, beside.whys, beside.releasing.known)
    world = simulation.world
    if isinstance(snapshot, SparkSnapshot) and isinstance(world, SparkWorld):
        return snapshot.told_by(world.busy_cores)
    draining = [node.id for node in world.nodes if node.draining] if has_drained else []
    return DrainingSnapshot(snapshot, draining) if draining else snapshot
