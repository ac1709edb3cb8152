"""Finds what stands in the way of a live cluster's applications, in queues and on nodes, and how sure that is.

The model's own words are used. `known` is what the server or its log says, or follows from its numbers whatever the
scheduler counts; `inferred` what follows only if the scheduler counts as the model does; `unknown` what nobody says.
"""

from collections.abc import Collection, Iterator
from copy import copy
from itertools import chain
from typing import Final, NamedTuple

from engine.model.lifecycle import still_live
from engine.model.queue import upwards
from engine.observe.snapshot import (
    Amounts,
    ApplicationRow,
    AskRow,
    CapacityQueueRow,
    NodeRow,
    QueueRow,
    Snapshot,
    Unknown,
    summed,
)
from engine.schedulers.activity import Obstacle, Reason
from engine.schedulers.obstacle_texts import part_of, short_id

COUNTS_VCORES: Final = "FairScheduler"
"""The scheduler that never gives more vcores than a node has; the others may count memory alone."""

HAS_PARTITIONS: Final = "CapacityScheduler"

OTHERS: Final = "others"
"""Stands for the holder of a reserved node, where nobody says for whom."""

KNOWN, INFERRED, UNSAID = "known", "inferred", "unknown"
"""How sure a reason is."""


class Marked(NamedTuple):
    """An obstacle, and how sure it is."""

    obstacle: Obstacle
    certainty: str


class LiveScene:
    """The nodes and queues of one snapshot, as obstacles are looked for in them."""

    def __init__(self, snapshot: Snapshot) -> None:
        header = snapshot.header
        self.nodes = [node for node in snapshot.nodes() if node.state == "RUNNING"]
        """Nodes that may be given something."""
        self._hosts = frozenset(node.host for node in self.nodes)
        self._holders_are = INFERRED if "nodes" in header.inferred else KNOWN
        self._queues = {queue.path: queue for queue in snapshot.queues()}
        self._has_partitions = header.scheduler.startswith(HAS_PARTITIONS)
        self._total = header.total
        self._parts = 2 if header.scheduler.startswith(COUNTS_VCORES) else 1
        self.are_some_reserved = header.nodes_reserved != 0
        """Whether the server counts reservations."""
        self._are_all_reserved = header.nodes_reserved == header.nodes and header.nodes > 0
        holders, named = holders_of(snapshot), len(snapshot.reservations())
        self._only_holder = holders[0] if len(holders) == 1 and named in {0, header.nodes_reserved} else ""
        self._are_some_named = named > 0
        self.holders = frozenset({*holders, *(node.reserved_by for node in self.nodes)})
        """Applications that hold nodes, as far as they can be concluded."""
        self._users: dict[tuple[str, str], int] = {}
        """(queue, user) → memory that the user has there [MB]."""
        self._wanted: dict[str, int] = {}
        """Application that holds nodes → memory of its largest ask, which it holds them for [MB]."""
        for row in snapshot.applications(why=False):
            key = row.queue, row.user
            self._users[key] = self._users.get(key, 0) + row.used[0]
            if row.id in self.holders and isinstance(row.asks, tuple):
                self._wanted[row.id] = max((ask.size[0] for ask in row.asks), default=0)

    def at(self, node: str) -> "LiveScene":
        """The same with one node alone."""
        found = copy(self)
        found.nodes = [each for each in self.nodes if each.id == node]
        return found

    def in_queues(self, row: ApplicationRow, ask: AskRow) -> Iterator[Marked]:
        """Limits that an ask would exceed, from the leaf up; all of them are inferred."""
        leaf = self._queues.get(row.queue)
        for path in upwards(row.queue):
            queue = self._queues.get(path)
            counts_reserved = isinstance(queue, CapacityQueueRow) and row.id in self.holders  # its own, as used
            if queue is not None and not counts_reserved:
                yield from self._over_maximum(queue, ask)
        if isinstance(leaf, CapacityQueueRow):
            yield from self._over_limits(leaf, row, ask)

    def on_node(self, asker: str, ask: AskRow, node: NodeRow) -> Marked | None:
        """Return what a node says to an ask; None where it has room.

        `asker` is the id of the application where it may hold the node itself, else empty; the node is one of `nodes`.
        """
        size = ask.size
        places = insisted_on(ask, self._hosts)
        if places and not places & {node.host, node.rack, node.id}:
            return Marked(Obstacle(Reason.LOCALITY_NOT_RELAXED), KNOWN)
        if self._has_partitions and node.partition:
            return Marked(Obstacle(Reason.NOT_IN_PARTITION), INFERRED)
        if not self._fits(size, node.total):
            return Marked(Obstacle(Reason.NODE_TOO_SMALL, self._numbers(size, node.total)), KNOWN)
        if not self._fits(size, node.free):
            return Marked(Obstacle(Reason.DOES_NOT_FIT, self._numbers(size, node.free)), KNOWN)
        return self._held(asker, node)

    def of_unknown_ask(self, asker: str) -> tuple[Marked, str]:
        """Return the obstacle of an application's ask of an unknown size, and it in a sentence."""
        if not self._are_all_reserved or asker in self.holders:
            return Marked(Obstacle(Reason.OTHER_FIRST), UNSAID), "what it asks for is not known"
        count, holder = len(self.nodes), self._only_holder
        by = f" for {short_id(holder)}" if holder else ""
        words = f"{part_of(count, count)} {'is' if count == 1 else 'are'} reserved{by}"
        return Marked(Obstacle(Reason.NODE_RESERVED, (), holder), INFERRED), words

    def _held(self, asker: str, node: NodeRow) -> Marked | None:
        holder = node.reserved_by
        if isinstance(holder, str):
            return None if holder == asker else Marked(self._reserved(node, holder), self._holders_are)
        if self._are_all_reserved and self._only_holder:
            return None if self._only_holder == asker else Marked(self._reserved(node, self._only_holder), INFERRED)
        is_unsaid = self._are_some_named and isinstance(holder, Unknown)
        if self._are_all_reserved and is_unsaid and not asker:
            return Marked(Obstacle(Reason.NODE_RESERVED, (), OTHERS), INFERRED)
        return None

    def _reserved(self, node: NodeRow, holder: str) -> Obstacle:
        return Obstacle(Reason.NODE_RESERVED, (self._wanted.get(holder, 0), node.free[0]), holder)

    def _over_maximum(self, queue: QueueRow, ask: AskRow) -> Iterator[Marked]:
        partitions = queue.partitions if isinstance(queue, CapacityQueueRow) else ()
        default = next((each for each in partitions if not each.label), None)
        used, most = (queue.used, queue.max_share) if default is None else (default.used, default.limit)
        is_limit = isinstance(most, tuple) and not self._fits(self._total, most)  # one of that size limits nothing now
        if isinstance(most, tuple) and is_limit and not self._fits(summed((used, ask.size)), most):
            numbers = tuple(each[unit] for unit in (0, 1) for each in (used, most, ask.size))
            yield Marked(Obstacle(Reason.QUEUE_OVER_MAXIMUM, numbers, queue.path), INFERRED)

    def _over_limits(self, queue: CapacityQueueRow, row: ApplicationRow, ask: AskRow) -> Iterator[Marked]:
        used, limit = queue.am_used, queue.am_limit
        if row.state == "ACCEPTED" and used and limit and used[0] + ask.size[0] > limit[0]:
            numbers = (used[0], limit[0], ask.size[0], used[1], limit[1], ask.size[1])
            yield Marked(Obstacle(Reason.AM_SHARE_EXHAUSTED, numbers, queue.path), INFERRED)
        most, has_mb = queue.user_limit, self._users[row.queue, row.user]
        if isinstance(most, tuple) and most[0] and has_mb > most[0]:  # a server says 0 until it has computed a limit
            yield Marked(Obstacle(Reason.USER_OVER_LIMIT, (has_mb, most[0]), row.user), INFERRED)

    def _fits(self, wanted: Amounts, there: Amounts) -> bool:
        return all(want <= have for want, have in zip(wanted[: self._parts], there[: self._parts], strict=True))

    def _numbers(self, wanted: Amounts, there: Amounts) -> tuple[int, ...]:
        """Wanted and there, dimension by dimension, as obstacles have them."""
        return tuple(chain.from_iterable(zip(wanted[: self._parts], there[: self._parts], strict=True)))


def insisted_on(ask: AskRow, hosts: Collection[str]) -> set[str]:
    """Places one of which an ask wants, and no other: hosts where it names any, else racks; empty where any will do.

    Beside a host that a client insists on it asks for the host's rack, too, without relaxing locality there.
    Source: AMRMClientImpl.addContainerRequest.
    """
    if ask.relax_locality:
        return set()
    return {place for place in ask.places if place in hosts} or set(ask.places)


def holders_of(snapshot: Snapshot) -> tuple[str, ...]:
    """Applications that hold reservations: those the server or its log names, else those that no node has room for.

    The latter are inferred. None where nothing is reserved, or nothing is known of it.
    """
    reserved = snapshot.header.nodes_reserved
    if isinstance(reserved, Unknown) or not reserved:
        return ()
    named = {row.application: None for row in snapshot.reservations()}
    rows = still_live(snapshot.applications(why=False))
    if not named:
        named = {row.id: None for row in rows if isinstance(row.reserved, tuple) and any(row.reserved)}
    if not named:
        nodes = [node for node in snapshot.nodes() if node.state == "RUNNING"]
        named = {row.id: None for row in rows if _fits_totals_only(row, nodes)}
    return tuple(named)


def _fits_totals_only(row: ApplicationRow, nodes: list[NodeRow]) -> bool:
    """Tell whether some ask fits a node's size, and no node has that much free."""
    return any(
        any(node.total[0] >= ask.size[0] for node in nodes) and all(node.free[0] < ask.size[0] for node in nodes)
        for ask in row.listed_asks
    )
