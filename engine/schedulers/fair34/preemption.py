"""Taking containers back for starved applications: picked for their asks on one node, killed after a wait.

For each container an application asks for, the nodes the ask names are searched for a set of containers whose space,
with what is free, lets it fit; the first node that needs no AM wins, else the one with the fewest. Nothing is taken
from an application that would fall below its fair share.

Source: FSPreemptionThread, FSAppAttempt#canContainerBePreempted, #getStarvedResourceRequests,
VisitedResourceRequestTracker, FairScheduler#addNode, #removeNode, FSAppAttempt#recoverContainer,
FSLeafQueue#recoverContainer, ClusterNodeTracker, FSAppAttempt#getStarvedResourceRequests, Hadoop 3.4.1.
"""

from bisect import insort
from collections.abc import Callable
from math import floor
from typing import NamedTuple

from engine.model.cluster import Cluster
from engine.model.decision import Decision, Warned
from engine.model.identity import (
    ConcurrentHashOrder,
    application_id_hash,
    hash_map_order,
    node_id_hash,
    request_key_hash,
    string_hash,
)
from engine.model.java_values import float32
from engine.model.ledger import Container, Node
from engine.model.request import ANY, ResourceRequest
from engine.schedulers.fair.order import Amount
from engine.schedulers.fair.schedulable import FairAttempt, fair_attempt
from engine.schedulers.fair34.node_promises import NodePromises
from engine.schedulers.fair34.queue_manager import QueueManager34, below
from engine.schedulers.fair34.settings import FairSettings34
from engine.schedulers.fair34.starvation import StarvedApps, update_starved
from engine.state import State


class NodeIndex(metaclass=State):
    """Nodes of one cluster by what asks call them."""

    cluster: Cluster
    _ids: dict[str, None] = {}  # In the order they were put into the map; a resized node is put there anew
    _most: int = 0
    _order: tuple[str, ...] | None = None
    _by_name: dict[str, str] = {}
    _by_rack: dict[str, list[str]] = {}

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def add(self, node: Node) -> None:
        self._ids[node.id] = None
        self._most = max(self._most, len(self._ids))
        self._by_name[node.name] = node.id
        self._by_rack.setdefault(node.rack, []).append(node.id)
        self._order = None

    def remove(self, node: Node) -> None:
        del self._ids[node.id]
        self._by_name.pop(node.name, None)
        rack = self._by_rack[node.rack]
        rack.remove(node.id)
        if not rack:
            del self._by_rack[node.rack]
        self._order = None

    def named(self, name: str) -> list[Node]:
        """The nodes a resource name means: all in hash order, one host, or a rack in order of joining."""
        nodes = self.cluster.nodes
        if name == ANY:
            return [nodes[node_id] for node_id in self._hash_order()]
        if name in self._by_name:
            return [nodes[self._by_name[name]]]
        return [nodes[node_id] for node_id in self._by_rack.get(name, ())]

    def _hash_order(self) -> tuple[str, ...]:
        if self._order is None:
            ids = list(self._ids)
            nodes = [self.cluster.nodes[node_id] for node_id in ids]
            self._order = tuple(hash_map_order(ids, [node_id_hash(node.host, node.port) for node in nodes], self._most))
        return self._order


# Which of a starved application's asks containers are taken back for, and for how many.
#
# Asks are looked at in the order of Java's hash maps until the starvation is used up. Of one priority and size, only
# one level of locality counts on each rack: hosts or the rack, and neither once any node was looked at.


class StarvedAsk(NamedTuple):
    resource_name: str
    memory_mb: int
    vcores: int
    containers: int
    relax_locality: bool


class _Visited:
    """The nodes looked at for one priority and size."""

    __slots__ = ("anywhere", "racks", "racks_of_hosts")

    def __init__(self) -> None:
        self.anywhere = False
        self.racks: set[str] = set()
        self.racks_of_hosts: set[str] = set()

    def visit(self, name: str, nodes: NodeIndex) -> bool:
        """Tell whether an ask at this place is to be looked at; notes that it was."""
        if name == ANY:
            # The ask at `*` counts the same containers as those at hosts and racks: only one of the levels is looked
            # at.
            self.anywhere = self.anywhere or not (self.racks or self.racks_of_hosts)
            return self.anywhere
        found = nodes.named(name)
        if not found or self.anywhere:
            return False
        if len(found) == 1 and found[0].name == name:
            rack = found[0].rack
            if rack in self.racks:
                return False
            self.racks_of_hosts.add(rack)
            return True
        if name in self.racks_of_hosts:
            return False
        self.racks.add(name)
        return True


def starved_asks(attempt: FairAttempt, nodes: NodeIndex) -> list[StarvedAsk]:
    """The asks, each for at most as many containers as fit into what is left of the starvation, by memory."""
    memory_mb, vcores = attempt.starvation
    visited: dict[tuple[int, int, int], _Visited] = {}
    asks: list[StarvedAsk] = []
    for request in _in_hash_order(attempt):
        # More than the starvation is not taken back, whatever is asked.
        if memory_mb == 0 and vcores == 0:
            break
        size = (request.priority, request.memory_mb, request.vcores)
        if not visited.setdefault(size, _Visited()).visit(request.resource_name, nodes):
            continue
        fitting = _how_many(memory_mb, request.memory_mb)
        if fitting == 0:
            continue
        count, relax = request.count, request.relax_locality
        if fitting < count:
            # The copy Hadoop makes relaxes locality, whatever the original said.
            count, relax = fitting, True
        asks.append(StarvedAsk(request.resource_name, request.memory_mb, request.vcores, count, relax))
        memory_mb = max(memory_mb - request.memory_mb * count, 0)
        vcores = max(vcores - request.vcores * count, 0)
    return asks


def _how_many(memory_mb: int, size_mb: int) -> int:
    if size_mb:
        return floor(float32(float32(memory_mb) / float32(size_mb)))
    return 2**31 - 1 if memory_mb else 0


def _in_hash_order(attempt: FairAttempt) -> list[ResourceRequest]:
    priorities = ConcurrentHashOrder()
    for priority, group in attempt.groups.items():
        if any(request.count > 0 or name != ANY for name, request in group.by_name.items()):
            priorities.add(str(priority), request_key_hash(priority))
    requests: list[ResourceRequest] = []
    for priority_name in priorities.keys():  # noqa: SIM118  # no dict
        by_name = attempt.groups[int(priority_name)].by_name
        names = ConcurrentHashOrder()
        for name, request in by_name.items():
            if name != ANY or request.count > 0:
                names.add(name, string_hash(name))
        requests += [by_name[name] for name in names.keys()]  # noqa: SIM118  # no dict
    return requests


_MANY = 2**31 - 1


class DueKill(NamedTuple):
    at_ms: int
    containers: tuple[Container, ...]


class _Picked:
    __slots__ = ("by_application", "masters")

    def __init__(self) -> None:
        self.by_application: dict[int, list[Container]] = {}
        self.masters = 0

    def add(self, container: Container, most_masters: int) -> bool:
        """Pick one more; False where that takes as many AMs as a set found before."""
        if container.is_am:
            self.masters += 1
            if self.masters >= most_masters:
                return False
        self.by_application.setdefault(container.id[0], []).append(container)
        return True

    def of(self, application: int) -> Amount:
        picked = self.by_application.get(application, ())
        return (sum(one.memory_mb for one in picked), sum(one.vcores for one in picked))

    def containers(self, cluster_timestamp: int) -> list[Container]:
        numbers = list(self.by_application)
        order = hash_map_order(numbers, [application_id_hash(cluster_timestamp, number) for number in numbers])
        return [container for number in order for container in self.by_application[number]]


class Preemption34(metaclass=State):
    cluster: Cluster
    settings: FairSettings34
    queues: QueueManager34
    nodes: NodeIndex
    promises: NodePromises
    starved: StarvedApps
    kills: list[DueKill] = []  # By the time they are due, those of one time in order of picking
    looked_ms: int = -1  # When it was last looked for starved applications [epoch ms]

    def __init__(
        self,
        cluster: Cluster,
        settings: FairSettings34,
        queues: QueueManager34,
        nodes: NodeIndex,
        promises: NodePromises,
    ) -> None:
        self.cluster = cluster
        self.settings = settings
        self.queues = queues
        self.nodes = nodes
        self.promises = promises
        self.starved = StarvedApps()

    def update(self, now_ms: int) -> None:
        """Look for starved applications, if it is switched on and the cluster is busy enough."""
        for leaf in self.queues.tree.leaves:
            leaf.note_starved(now_ms)
        cluster = self.cluster
        used, total = (cluster.used_memory_mb, cluster.used_vcores), (cluster.total_memory_mb, cluster.total_vcores)
        if not (self.settings.preemption and self.settings.is_busy(used, total)):
            return
        self.looked_ms = now_ms
        changed = False
        for leaf in self.queues.tree.leaves:
            changed = update_starved(leaf, self.starved, total, now_ms) or changed
        if changed or self.starved.heap.items:
            self.cluster.version += 1

    def move_clocks_on(self, now_ms: int) -> None:
        """Note that whatever had its due at the last look still had it at a later instant [epoch ms]."""
        for leaf in self.queues.tree.leaves:
            if leaf.last_min_share_ms == self.looked_ms < now_ms:
                leaf.last_min_share_ms = now_ms
            for attempt in leaf.order.members:
                if attempt.last_fair_share_ms == self.looked_ms < now_ms:
                    attempt.last_fair_share_ms = now_ms

    def longest_timer_ms(self) -> int:
        """The longest timeout there is, then the wait before starvation is looked at again [ms]."""
        if not self.settings.preemption:
            return 0
        timeouts = (
            ms for leaf in self.queues.tree.leaves for ms in (leaf.min_share_timeout_ms, leaf.fair_share_timeout_ms)
        )
        return max((ms for ms in timeouts if ms < 2**62), default=0) + self.settings.next_check_ms

    def repeats(self, now_ms: int) -> bool:
        """Tell whether a starved application is looked at again later, though nothing could be preempted for it."""
        members = (attempt for leaf in self.queues.tree.leaves for attempt in leaf.order.members)
        return any(attempt.next_check_ms > now_ms for attempt in members)

    def run(self, now_ms: int) -> list[Decision]:
        decisions: list[Decision] = []
        while (attempt := self.starved.take()) is not None:
            picked = self._pick_for(attempt, now_ms)
            if picked:
                due = DueKill(now_ms + self.settings.wait_before_kill_ms, tuple(picked))
                insort(self.kills, due, key=lambda each: each.at_ms)
            decisions += [Warned(one.id, one.node.id, one.attempt.queue.path, one.memory_mb) for one in picked]
            # Until then the kills have come and the room is offered to it.
            attempt.next_check_ms = now_ms + self.settings.next_check_ms
            self.cluster.version += 1
        return decisions

    def kill_due(self, now_ms: int, kill: Callable[[Container], list[Decision]]) -> list[Decision]:
        decisions: list[Decision] = []
        while self.kills and self.kills[0].at_ms <= now_ms:
            for container in self.kills.pop(0).containers:
                decisions += kill(container)
        return decisions

    # ---------------------------------------------------------------- picking

    def _pick_for(self, attempt: FairAttempt, now_ms: int) -> list[Container]:
        picked: list[Container] = []
        for ask in starved_asks(attempt, self.nodes):
            named = self.nodes.named(ask.resource_name)
            for _ in range(ask.containers):
                best = self._best(ask, named)
                containers = best.containers(self.cluster.cluster_timestamp) if best is not None else []
                self.promises.mark(containers, attempt)
                for container in containers:
                    container.warned_ms = now_ms
                    container.attempt.marked.setdefault(container.number, container)
                picked += containers
        return picked

    def _best(self, ask: StarvedAsk, named: list[Node]) -> _Picked | None:
        """The set with the fewest AMs on the named nodes; on others where locality may be relaxed and it has any."""
        best = self._best_on(ask, named)
        # A master costs all of its application's work, so another node is worth a look.
        if best is None or not best.masters or not ask.relax_locality or ask.resource_name == ANY:
            return best
        names = {node.id for node in named}
        spare = self._best_on(ask, [node for node in self.nodes.named(ANY) if node.id not in names])
        return spare if spare is not None and spare.masters < best.masters else best

    def _best_on(self, ask: StarvedAsk, nodes: list[Node]) -> _Picked | None:
        best: _Picked | None = None
        most_masters = _MANY
        for node in nodes:
            picked = self._pick_on(ask, node, most_masters)
            if picked is None:
                continue
            best, most_masters = picked, picked.masters
            # No set can have fewer.
            if not most_masters:
                break
        return best

    def _pick_on(self, ask: StarvedAsk, node: Node, most_masters: int) -> _Picked | None:
        """Containers of one node with which the ask fits, or None; whether it fits is only asked after a container."""
        # Room that is reserved or promised is not the ask's, though it is free.
        held = node.reserved
        promised = self.promises.total_promised(node)
        memory_mb = max(node.free_memory_mb - promised[0] - (held.memory_mb if held is not None else 0), 0)
        vcores = max(node.free_vcores - promised[1] - (held.vcores if held is not None else 0), 0)
        picked = _Picked()
        for container in self.promises.containers(node, self.cluster.cluster_timestamp):
            application = self.cluster.applications.get(container.id[0])
            if application is None or application.attempt is None or self.promises.is_marked(container):
                continue
            if self._may_go(container, picked.of(container.id[0])):
                # Another node has a set with as few masters; this one cannot win any more.
                if not picked.add(container, most_masters):
                    return None
                memory_mb += container.memory_mb
                vcores += container.vcores
            if ask.memory_mb <= memory_mb and ask.vcores <= vcores:
                return picked
        return None

    def _may_go(self, container: Container, picked: Amount) -> bool:
        """Whether it keeps its fair share without this one and all chosen before. Source: #canContainerBePreempted."""
        attempt = fair_attempt(container.attempt)
        number = container.number
        # It has ended, or another starved application has it already.
        if attempt.live.get(number) is not container or number in attempt.marked:
            return False
        if container.is_am and not attempt.preempts_master:
            return False
        if not self.queues.limits[attempt.queue.path].is_preemptable:
            return False
        marked = attempt.marked.values()
        left = (
            attempt.used_memory_mb - sum(one.memory_mb for one in marked) - container.memory_mb - picked[0],
            attempt.used_vcores - sum(one.vcores for one in marked) - container.vcores - picked[1],
        )
        cluster = (self.cluster.total_memory_mb, self.cluster.total_vcores)
        return not below(attempt.queue.policy, left, (attempt.fair_memory_mb, attempt.fair_vcores), cluster)
