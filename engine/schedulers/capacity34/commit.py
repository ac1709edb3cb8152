"""Carries out what a walk found, after asking once more whether user and queues may; else nothing happens.

Source: FiCaSchedulerApp#accept, #apply, AbstractLeafQueue#accept, #apply, #completedContainer, AbstractCSQueue#accept,
AbstractParentQueue#apply, PreemptionManager, PreemptableQueue, FiCaSchedulerNode, Hadoop 3.4.1.
"""

from engine.model.cluster import Cluster
from engine.model.decision import Allocated, ContainerId, Decision, Reserved, Unreserved
from engine.model.identity import container_id_hash, hash_map_order
from engine.model.ledger import Container, Node
from engine.model.request import LOCALITY_NAMES, AskGroup
from engine.schedulers.capacity.space import NOTHING, Amount, minus, plus
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.capacities import charge_path
from engine.schedulers.capacity34.evaluation import EvaluationContext, NodeVerdict, full_queue
from engine.schedulers.capacity34.queue import CapacityAttempt, CapacityQueue, Leaf, capacity_attempt
from engine.schedulers.containers import Release34
from engine.state import State

# Containers selected for preemption for so long that anybody may kill them to take their place.


class LazyKills(metaclass=State):
    """Knows them by node; each queue has those in and below it in `killable`."""

    cluster: Cluster
    by_node: dict[str, dict[ContainerId, Container]] = {}

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def all(self) -> list[Container]:
        return [each for node in self.cluster.nodes.values() if node.id in self.by_node for each in self.on(node)]

    def on(self, node: Node) -> tuple[Container, ...]:
        """Return those on a node, in the order of the class's map; an ended one stays until the node reports it."""
        known = self.by_node.get(node.id)
        if not known:
            return ()
        here = [each for each in known.values() if node.containers.get(each.id) is each]
        if len(here) < len(known):
            self.by_node[node.id] = {each.id: each for each in here}
        timestamp = self.cluster.cluster_timestamp
        return tuple(hash_map_order(here, [container_id_hash(timestamp, each.id) for each in here]))

    def room_on(self, node: Node) -> Amount:
        """Return the free amount of a node, with what the killed containers use there."""
        free = (node.free_memory_mb, node.free_vcores)
        if self.by_node and node.id in self.by_node:
            for each in self.on(node):
                free = plus(free, (each.memory_mb, each.vcores))
        return free

    def add(self, container: Container) -> None:
        """Let a container run until another takes its place. Source: CapacityScheduler#markContainerForKillable."""
        if not container.attempt.pays_for(container):
            return
        node = container.node
        self.by_node.setdefault(node.id, {})[container.id] = container
        for queue in _path(container):
            queue.killable.setdefault(node.partition, {})[container.id] = container
        self.cluster.version += 1

    def forget(self, container: Container) -> None:
        for queue in _path(container):
            queue.killable.get(container.node.partition, {}).pop(container.id, None)


def _path(container: Container) -> list[CapacityQueue]:
    attempt = capacity_attempt(container.attempt)
    return [attempt.queue, *attempt.queue.ancestors()]


def accepts(question: EvaluationContext, verdict: NodeVerdict) -> bool:
    """Tell whether user and queues may still have it; the user's limit is as it was when the walk asked."""
    space = question.space
    user = question.leaf.users.by_name.get(question.attempt.user)
    if user is None:
        return False
    used, freed = user.used_in(question.node.partition), verdict.freed
    without = (used[0] - freed[0], used[1] - freed[1])
    return not space.exceeds(without, question.limits.user_limit) and queue_in_the_way(question, verdict) is None


def queue_in_the_way(question: EvaluationContext, verdict: NodeVerdict) -> CapacityQueue | None:
    """The lowest queue that an allocation would take over its maximum; None when there is none."""
    request = verdict.request
    assert request is not None, "an allocation or reservation has an ask"
    freed = verdict.freed
    return full_queue(question, (request.memory_mb - freed[0], request.vcores - freed[1]))


class Commit(metaclass=State):
    """Changes cluster, queues and users; what it decides is appended to `decisions`."""

    cluster: Cluster
    release: Release34
    space: PartitionResources
    decisions: list[Decision] = []
    lazy: LazyKills

    def __init__(self, cluster: Cluster, space: PartitionResources, release: Release34) -> None:
        self.cluster = cluster
        self.release = release
        self.space = space
        self.lazy = LazyKills(cluster)

    # ---------------------------------------------------------------- allocations and reservations

    def allocate(
        self, question: EvaluationContext, group: AskGroup, verdict: NodeVerdict, held: Container | None, now_ms: int
    ) -> bool:
        """Give a container, or fulfil a reservation; whether it was accepted."""
        request, attempt, node = verdict.request, question.attempt, question.node
        assert request is not None, "an allocation has an ask"
        # Some have been killed for another already. Source: FiCaSchedulerApp#anyContainerInFinalState.
        if verdict.kill and not all(each.attempt.pays_for(each) for each in verdict.kill):
            return False
        if held is None and (node.reserved is not None or not accepts(question, verdict)):
            return False
        number = held.id[2] if held is not None else attempt.next_container_number()
        size = held if held is not None else request
        partition = request.partition
        if held is not None:
            self._unreserve(held, "START")
        container = self.cluster.allocate(attempt, group, request, size, node, verdict.locality, number, now_ms)
        container.partition = partition
        attempt.use(node.partition, (request.memory_mb, request.vcores))
        for container_to_kill in verdict.kill:
            self.kill(container_to_kill, now_ms)
        if verdict.give_up is not None:
            self.drop(verdict.give_up)
        if held is None:
            self._charge(question.leaf, attempt, container, now_ms)
        self.decisions.append(
            Allocated(
                container.id,
                node.id,
                request.priority,
                container.memory_mb,
                container.vcores,
                LOCALITY_NAMES[verdict.locality],
            )
        )
        return True

    def reserve(self, question: EvaluationContext, group: AskGroup, verdict: NodeVerdict, now_ms: int) -> bool:
        """Reserve a node; whether it was accepted."""
        request, attempt, node = verdict.request, question.attempt, question.node
        assert request is not None, "a reservation has an ask"
        if node.reserved is not None or not accepts(question, verdict):
            return False
        size = (request.memory_mb, request.vcores)
        number = attempt.next_container_number()
        held = self.cluster.reserve(attempt, node, group.priority, *size, number, now_ms)
        held.partition = request.partition
        self._hold(attempt, held)
        self._charge(question.leaf, attempt, held, now_ms)
        self.decisions.append(Reserved(held.id, node.id, group.priority, *size))
        return True

    def charge_reservation(self, held: Container) -> None:
        """Attempt, queues and user pay for a reservation of an earlier life; its partition is that of its node."""
        attempt, label = capacity_attempt(held.attempt), held.node.partition
        held.partition = label
        self._hold(attempt, held)
        if attempt.queue.leaf is not None:
            self.charge_to(attempt.queue.leaf, attempt, held, label, 1)

    def _hold(self, attempt: CapacityAttempt, held: Container) -> None:
        """A reservation counts in its attempt and as reserved in its queues. Source: FiCaSchedulerApp#reserve."""
        label, size = held.node.partition, (held.memory_mb, held.vcores)
        attempt.hold(held, 1)
        attempt.re_reservations.pop(held.priority, None)
        self._count_reserved(attempt.queue, label, size)

    def charge(self, container: Container) -> None:
        """Attempt, queues and user pay for a container of an earlier life. Source: AbstractLeafQueue#recoverContainer.

        Differs: a container that outlives a restart counts in the partition of its node; in Hadoop in that of its ask.
        """
        attempt, label = capacity_attempt(container.attempt), container.node.partition
        container.partition = label
        attempt.use(label, (container.memory_mb, container.vcores))
        if attempt.queue.leaf is not None:
            self.charge_to(attempt.queue.leaf, attempt, container, label, 1)

    def _charge(self, leaf: Leaf, attempt: CapacityAttempt, container: Container, now_ms: int) -> None:
        """Queues and user pay. Source: AbstractLeafQueue#allocateResource, AbstractParentQueue#allocateResource."""
        label = container.node.partition
        self.charge_to(leaf, attempt, container, label, 1)
        leaf.order.usage_changed(attempt)
        for queue in leaf.queue.ancestors() if self.lazy.by_node else ():
            if queue.killable:
                self._enforce_maximum(queue, label, now_ms)

    def _enforce_maximum(self, queue: CapacityQueue, label: str, now_ms: int) -> None:
        """Kill what may be killed while a parent is above its maximum. Source: #killContainersToEnforceMax…."""
        share, compare = queue.share(label), self.space.calculator.compare
        if share.effective_maximum == NOTHING:
            if share.absolute_maximum >= share.absolute_used(self.space.total(label), self.space.calculator):
                return
        elif compare(self.space.cluster, share.effective_maximum, share.used) >= 0:
            return
        for _, container in sorted(queue.killable.get(label, {}).items()):
            if compare(self.space.total(label), share.used, share.effective_maximum) <= 0:
                return
            self.kill(container, now_ms)

    def kill(self, container: Container, now_ms: int) -> None:
        """Kill a container that anybody may kill; what it answered is not asked for again."""
        container.recoverable = ()
        self.decisions += self.end(container, "KILL", now_ms, "PREEMPTED")

    @staticmethod
    def mark(container: Container) -> None:
        """Mark a container for preemption; its AM learns of it at its next call."""
        attempt = capacity_attempt(container.attempt)
        if attempt.pays_for(container):
            attempt.new_marks[container.number] = container

    def end(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        attempt = container.attempt
        if attempt.pays_for(container):
            assert isinstance(attempt, CapacityAttempt), "attempts of this scheduler"
            label = container.node.partition
            attempt.use(label, (-container.memory_mb, -container.vcores))
            if attempt.new_marks:
                attempt.new_marks.pop(container.number, None)
            if attempt.queue.leaf is not None:
                attempt.queue.leaf.order.usage_changed(attempt)
                self.charge_to(attempt.queue.leaf, attempt, container, label, -1)
            if self.lazy.by_node:
                self.lazy.forget(container)
        return self.release.end(container, happening, now_ms, cause)

    def charge_to(self, leaf: Leaf, attempt: CapacityAttempt, container: Container, label: str, sign: int) -> None:
        """A leaf pays for a container (1) or no more (-1); its order of applications is told by who calls."""
        size = (sign * container.memory_mb, sign * container.vcores)
        charge_path(leaf.queue, label, size, self.space)
        leaf.users.charge(attempt.user, label, size, self.space)
        if label and sign > 0 and not container.partition:
            leaf.foreign.setdefault(label, []).append(container)
        elif label and sign < 0 and container in leaf.foreign.get(label, ()):
            leaf.foreign[label].remove(container)

    def move_charge(self, attempt: CapacityAttempt, source: CapacityQueue, target: CapacityQueue) -> None:
        """Charge the live containers and reservations of an attempt to another leaf."""
        for leaf, sign in ((source, -1), (target, 1)):
            for queue in (leaf, *leaf.ancestors()):
                queue.used_memory_mb += sign * attempt.used_memory_mb
                queue.used_vcores += sign * attempt.used_vcores
            leaf.reserve(sign * attempt.reserved_memory_mb, sign * attempt.reserved_vcores)
            reserved = attempt.reserved_in.get("", NOTHING)
            self._count_in_metrics(leaf, (sign * reserved[0], sign * reserved[1]))

    def move_usage(self, leaf: Leaf, attempt: CapacityAttempt, size: Amount, before: str, after: str) -> None:
        """A container's node has changed its partition. Source: AbstractLeafQueue#decUsedResource, #incUsedResource."""
        less = minus(NOTHING, size)
        for label, amount in ((before, less), (after, size)):
            leaf.users.charge(attempt.user, label, amount, self.space)
            charge_path(leaf.queue, label, amount, self.space)

    def move_master(self, leaf: Leaf, attempt: CapacityAttempt, size: Amount, before: str, after: str) -> None:
        user = leaf.users.by_name.get(attempt.user)
        if user is None:
            return
        for label, amount in ((before, minus(NOTHING, size)), (after, size)):
            share = leaf.queue.share(label)
            share.am_used = plus(share.am_used, amount)
            user.am_used[label] = plus(user.am_used.get(label, NOTHING), amount)

    # ---------------------------------------------------------------- reservations end

    def _unreserve(self, held: Container, happening: str) -> None:
        """Source: FiCaSchedulerApp#unreserve."""
        attempt, node = capacity_attempt(held.attempt), held.node
        size = (-held.memory_mb, -held.vcores)
        self.cluster.unreserve(node, happening)
        attempt.re_reservations.pop(held.priority, None)
        attempt.hold(held, -1)
        self._count_reserved(attempt.queue, node.partition, size)

    def _count_reserved(self, leaf: CapacityQueue, label: str, size: Amount) -> None:
        if not label:
            self._count_in_metrics(leaf, size)
        for queue in (leaf, *leaf.ancestors()):
            share = queue.share(label)
            share.reserved = plus(share.reserved, size)

    def _count_in_metrics(self, leaf: CapacityQueue, size: Amount) -> None:
        for queue in (leaf, *leaf.ancestors()):
            queue.metrics_reserved = plus(queue.metrics_reserved, size)

    def unreserve(self, node: Node) -> Unreserved:
        assert node.reserved is not None, "nothing is reserved here"
        self.decisions = []
        return self.drop(node.reserved)

    def drop(self, held: Container) -> Unreserved:
        attempt = capacity_attempt(held.attempt)
        leaf = attempt.queue.leaf
        self._unreserve(held, "KILL")
        if leaf is not None:
            leaf.order.usage_changed(attempt)
            self.charge_to(leaf, attempt, held, held.node.partition, -1)
        dropped = Unreserved(held.id, held.node.id, held.priority, held.memory_mb, held.vcores)
        self.decisions.append(dropped)
        return dropped
