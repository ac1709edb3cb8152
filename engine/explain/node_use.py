"""Lists the containers of nodes: blocks of memory by application, for a picture before and after an act."""

from typing import Final

import msgspec

from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import snapshot_of
from engine.simulation.simulation import Simulation

NODES: Final = 24
"""Number of nodes in the answer."""


class NodeBlock(msgspec.Struct, frozen=True, array_like=True):
    """A container, or an executor."""

    queue: str
    """Empty for an executor."""
    application: str
    memory_mb: int


class NodeUse(msgspec.Struct, frozen=True):
    """One node."""

    node: str
    total_mb: int
    free_mb: int
    is_reserved: bool
    blocks: tuple[NodeBlock, ...]
    """By queue, application, container."""


def nodes_of(simulation: Simulation) -> tuple[NodeUse, ...]:
    """Return the use of the first `NODES` nodes now."""
    snapshot = snapshot_of(simulation.control_plane, simulation.now_ms)
    found = []
    for row in snapshot.nodes()[:NODES]:
        blocks = _containers(snapshot, row.id) or _executors(snapshot, row.id)
        found.append(NodeUse(row.id, row.total[0], row.free[0], isinstance(row.reserved_by, str), tuple(blocks)))
    return tuple(found)


def _containers(snapshot: Snapshot, node: str) -> list[NodeBlock]:
    held = [each for each in snapshot.containers(node=node) if each.state != "RESERVED"]
    held.sort(key=lambda each: (each.queue, each.application, each.id))
    return [NodeBlock(each.queue, each.application, each.size[0]) for each in held]


def _executors(snapshot: Snapshot, worker: str) -> list[NodeBlock]:
    held = [each for each in snapshot.executors() if each.worker == worker]
    held.sort(key=lambda each: (each.application, each.executor))
    return [NodeBlock("", str(each.application), each.memory_mb) for each in held]
