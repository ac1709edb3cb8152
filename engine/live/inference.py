"""Why applications of a live cluster wait, as far as the answers of its server let one conclude.

The model's own words are used. A limit of a queue that the server says is over is known; what stands in the way on
nodes is inferred: the server does not say how it counts, and on most releases not who reserved a node.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Final

import msgspec

from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.obstacle_summary import NodeTally
from engine.observe.snapshot import Amounts, ApplicationRow, AskRow, NodeRow, ObstacleSummary, Snapshot, Unknown
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.obstacle_texts import sentence_of

COUNTS_VCORES: Final = "FairScheduler"
"""The scheduler that never gives more vcores than a node has; the others may count memory alone."""

HAS_PARTITIONS: Final = "CapacityScheduler"

SAID: Final = "the ResourceManager says: "
"""How a sentence of the server begins."""


def with_obstacles(snapshot: FixedSnapshot) -> FixedSnapshot:
    """The same snapshot, in which applications that wait have an obstacle."""
    scene = _Scene(snapshot)
    rows = [scene.explained(row) for row in snapshot.applications()]
    return snapshot.with_rows("applications", rows)


def holders_of(snapshot: Snapshot) -> tuple[str, ...]:
    """Applications that hold reservations: those the server names, else those whose ask no node has room for.

    The latter is inferred. None where nothing is reserved, or nothing is known of it.
    """
    reserved = snapshot.header.nodes_reserved
    if isinstance(reserved, Unknown) or not reserved:
        return ()
    named = {row.application: None for row in snapshot.reservations()}
    rows = [row for row in snapshot.applications(why=False) if row.state not in FINAL_APPLICATION_STATES]
    if not named:
        named = {row.id: None for row in rows if isinstance(row.reserved, tuple) and any(row.reserved)}
    if not named:
        nodes = [node for node in snapshot.nodes() if node.state == "RUNNING"]
        named = {row.id: None for row in rows if _fits_totals_only(row, nodes)}
    return tuple(named)


def _fits_totals_only(row: ApplicationRow, nodes: Sequence[NodeRow]) -> bool:
    """Whether some ask fits a node's size, and no node has that much free."""
    asks = () if isinstance(row.asks, Unknown) else row.asks
    return any(
        any(node.total[0] >= ask.size[0] for node in nodes) and all(node.free[0] < ask.size[0] for node in nodes)
        for ask in asks
    )


class _Scene:
    """What sentences about the applications of one snapshot need."""

    def __init__(self, snapshot: FixedSnapshot) -> None:
        header = snapshot.header
        self._nodes = [node for node in snapshot.nodes() if node.state == "RUNNING"]
        self._queues = {queue.path: queue for queue in snapshot.queues()}
        self._has_partitions = header.scheduler.startswith(HAS_PARTITIONS)
        self._parts = 2 if header.scheduler.startswith(COUNTS_VCORES) else 1
        self._are_all_reserved = header.nodes_reserved == header.nodes and header.nodes > 0
        holders = holders_of(snapshot)
        self._holder = holders[0] if len(holders) == 1 else ""
        self._holders = {*holders, *(node.reserved_by for node in self._nodes)}
        self._by_size: dict[tuple[Amounts, str], ObstacleSummary] = {}
        """Of asks that were looked at: many applications ask for the same size."""

    def explained(self, row: ApplicationRow) -> ApplicationRow:
        obstacle = self._obstacle(row)
        return row if obstacle is None else msgspec.structs.replace(row, obstacle=obstacle)

    def _obstacle(self, row: ApplicationRow) -> ObstacleSummary | None:
        """Of the first ask in order of priority; the server's own words where it has any."""
        if row.state in FINAL_APPLICATION_STATES or isinstance(row.asks, Unknown) or not row.asks:
            return None
        if row.state == "ACCEPTED" and row.diagnostics.strip():
            return ObstacleSummary(Reason.OTHER_FIRST.name, SAID + first_sentence(row.diagnostics))
        full = self._over_maximum(row.queue, row.asks[0])
        if full is not None:
            return ObstacleSummary(full.reason.name, sentence_of(full), "inferred")
        if not self._nodes:
            return ObstacleSummary(Reason.NO_NODE.name, "there is no node")
        return self._on_nodes(row.asks[0].size, row.id if row.id in self._holders else "")

    def _on_nodes(self, size: Amounts, asker: str) -> ObstacleSummary:
        """What stands in the way of an ask of this size on all nodes; `asker` is empty for one that holds nothing."""
        found = self._by_size.get((size, asker))
        if found is None:
            tally = NodeTally()
            for node in self._nodes:
                tally.add(node.host, self._on_node(asker, size, node))
            found = self._by_size[size, asker] = tally.sum_up("inferred")
        return found

    def _over_maximum(self, path: str, ask: AskRow) -> Obstacle | None:
        """The first queue, from the leaf up, whose maximum the ask would exceed."""
        while path:
            queue = self._queues.get(path)
            most = None if queue is None else queue.max_share
            if queue is not None and isinstance(most, tuple) and queue.used[0] + ask.size[0] > most[0]:
                numbers = (queue.used[0], most[0], queue.used[1], most[1], *ask.size)
                return Obstacle(Reason.QUEUE_OVER_MAXIMUM, numbers, path)
            path = path.rpartition(".")[0]
        return None

    def _on_node(self, asker: str, size: Amounts, node: NodeRow) -> Obstacle | None:
        holder = node.reserved_by if isinstance(node.reserved_by, str) else ""
        if not holder and self._are_all_reserved:
            holder = self._holder
        if self._has_partitions and node.partition:
            return Obstacle(Reason.NOT_IN_PARTITION)
        if not _fits(size, node.total, self._parts):
            return Obstacle(Reason.NODE_TOO_SMALL, _numbers(size, node.total, self._parts))
        if not _fits(size, node.free, self._parts):
            return Obstacle(Reason.DOES_NOT_FIT, _numbers(size, node.free, self._parts))
        if holder and holder != asker:
            return Obstacle(Reason.NODE_RESERVED, (0, node.free[0]), holder)
        return None


def first_sentence(words: str) -> str:
    """The first sentence of a server's diagnostics, without the date in brackets that 3.x begins with."""
    text = " ".join(words.split())
    if text.startswith("["):
        text = text.partition("]")[2].strip() or text
    return text.partition(". ")[0].partition(" Details :")[0].rstrip(". ")


def _fits(wanted: Amounts, there: Amounts, parts: int) -> bool:
    return all(want <= have for want, have in zip(wanted[:parts], there[:parts], strict=True))


def _numbers(wanted: Amounts, there: Amounts, parts: int) -> tuple[int, ...]:
    """Wanted and there, dimension by dimension, as obstacles have them."""
    return tuple(chain.from_iterable(zip(wanted[:parts], there[:parts], strict=True)))
