"""The preemption pass: select, mark what is selected first, end what has been selected for too long.

Source: ProportionalCapacityPreemptionPolicy, Hadoop 3.4.1.
"""

from functools import partial
from typing import NamedTuple

from engine.model.cluster import Cluster
from engine.model.decision import ContainerId, Decision, Reserved, Unreserved, Warned
from engine.model.identity import hash_map_order, node_id_hash
from engine.model.ledger import Container, Node
from engine.schedulers.capacity.space import times
from engine.schedulers.capacity34.commit import Commit
from engine.schedulers.capacity34.preemption.priority_victims import PriorityVictims
from engine.schedulers.capacity34.preemption.queue_victims import QueueVictims
from engine.schedulers.capacity34.preemption.queues import QueueShares
from engine.schedulers.capacity34.preemption.reservation_victims import ReservationVictims
from engine.schedulers.capacity34.preemption.selection import Picked, Selection
from engine.schedulers.capacity34.preemption.settings import PreemptionSettings
from engine.schedulers.capacity34.preemption.within_victims import WithinVictims
from engine.schedulers.capacity34.queue import CapacityQueue
from engine.schedulers.capacity34.settings import CapacitySettings
from engine.schedulers.capacity34.space import Space
from engine.schedulers.containers import is_live
from engine.state import State


class Tick(NamedTuple):
    """The results of one run of the pass, in the order they are to be carried out."""

    moved: list[Decision]
    """Reservations that went to another node; that is done already."""
    dropped: list[Container]
    """Reservations."""
    marked: list[Container]
    killed: list[Container]


class Preemption(metaclass=State):
    """The policy; `since` is its memory."""

    cluster: Cluster
    space: Space
    settings: PreemptionSettings
    since: dict[ContainerId, int] = {}
    """When each selected container was first selected, by its id."""

    def __init__(self, cluster: Cluster, space: Space, settings: PreemptionSettings) -> None:
        self.cluster = cluster
        self.space = space
        self.settings = settings

    def run(self, root: CapacityQueue, general: CapacitySettings, commit: Commit, now_ms: int) -> list[Decision]:
        """Run the pass and carry out what it comes to."""
        lazy = commit.lazy
        tick = self.tick(root, general, lazy.all() if general.is_lazy else [], now_ms)
        # A move of the same tick may have taken a reservation elsewhere.
        dropped = [commit.unreserve(held.node) for held in tick.dropped if held.node.reserved is held]
        decisions: list[Decision] = [*tick.moved, *dropped]
        for container in tick.marked:
            commit.mark(container)
            decisions.append(Warned(container.id, container.node.id, container.attempt.queue.path, container.memory_mb))
        for container in tick.killed:
            if not general.is_lazy:
                decisions += commit.end(container, "KILL", now_ms, "PREEMPTED")
            # A lazy scheduler lets it run until somebody takes its place.
            elif is_live(container):
                lazy.add(container)
                self.cluster.version += 1
        return decisions

    def tick(self, root: CapacityQueue, general: CapacitySettings, killable: list[Container], now_ms: int) -> Tick:
        """Select by all rules; moves of reservations are done at once."""
        settings, space, cluster = self.settings, self.space, self.cluster
        labels = (space.exclusive or {}) if general.labels_enabled else {}
        shares = QueueShares(root, labels, space)
        allowed = times(space.cluster, settings.per_round)
        selection = Selection(allowed, space, cluster.cluster_timestamp, frozenset(killable))
        moved: list[Decision] = []
        picked: list[tuple[Picked, int]] = []
        if settings.by_priority:
            by_priority = PriorityVictims(shares, selection, space, settings, partial(self._move, moved))
            picked.append((by_priority.select(self._nodes(), now_ms), settings.wait_ms))
        if settings.by_reservation:
            for_reservations = ReservationVictims(shares, selection, space, settings)
            picked.append((for_reservations.select(self._nodes()), settings.wait_ms))
        # Guarantees come before balance: what is beyond them is evened out with what may still go.
        of_queues = QueueVictims(shares, selection, space, settings)
        picked.append((of_queues.select(reserved=settings.counts_reserved, beyond=False), settings.wait_ms))
        if settings.balances:
            of_queues = QueueVictims(shares, selection, space, settings)
            wait_ms = settings.balance_wait_ms if settings.balance_wait_ms > 0 else settings.wait_ms
            picked.append((of_queues.select(reserved=False, beyond=True), wait_ms))
        if settings.within_queues:
            picked.append((WithinVictims(shares, selection, space, settings).select(), settings.wait_ms))
        if settings.observe_only:
            return Tick(moved, [], [], [])
        return self._sort_out(Tick(moved, list(selection.dropped), [], []), selection, picked, now_ms)

    def _sort_out(self, tick: Tick, selection: Selection, picked: list[tuple[Picked, int]], now_ms: int) -> Tick:
        """Tell who is marked and who is ended. Source: #preemptOrkillSelectedContainerAfterWait."""
        for containers, wait_ms in picked:
            for container in selection.in_order(containers):
                since_ms = self.since.get(container.id)
                if since_ms is None:
                    tick.marked.append(container)
                    self.since[container.id] = now_ms
                elif since_ms + wait_ms <= now_ms:
                    tick.killed.append(container)
                    del self.since[container.id]
        # Who has not been selected for so long begins anew when it is selected again.
        oldest_ms = now_ms - 2 * self.settings.wait_ms
        self.since = {each: since_ms for each, since_ms in self.since.items() if since_ms >= oldest_ms}
        return tick

    def _nodes(self) -> list[Node]:
        """In the order of the class's map."""
        nodes = list(self.cluster.nodes.values())
        return hash_map_order(nodes, [node_id_hash(node.host, node.port) for node in nodes])

    def _move(self, moved: list[Decision], held: Container, node: Node) -> bool:
        """Move a reservation to a node without one. Source: FiCaSchedulerApp#moveReservation."""
        source, attempt = held.node, held.attempt
        if source.partition != node.partition or node.reserved is not None or source.reserved is not held:
            return False
        node.reserved, source.reserved = held, None
        held.node = node
        for kind, where in (Unreserved, source), (Reserved, node):
            moved.append(kind(held.id, where.id, held.priority, held.memory_mb, held.vcores))
        del attempt.reserved[source.id]
        attempt.reserved[node.id] = held
        self.cluster.version += 1
        return True
