"""Containers taken back on each node, and the applications they are for: the room is theirs first when it becomes free.

Source: FSSchedulerNode, FSLeafQueue#updateStarvedApps, FSAppAttempt#fairShareStarvation, FSStarvedApps, Hadoop 3.4.1.
"""

from collections.abc import Iterable

from engine.model.cluster import container_id_hash, hash_map_order
from engine.model.decision import ContainerId
from engine.model.java_collections import JavaPriorityQueue
from engine.model.ledger import Container, Node
from engine.schedulers.fair.order import Amount
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf
from engine.schedulers.fair34.queue_manager import at_least, below
from engine.state import State

# Applications that are starved, by how much, and in which order they are helped.
#
# An application is starved of fair share when it has been below the threshold part of it, or of what it wants, for
# long enough; the first in the leaf's order that is not ends the look. A leaf's missing minimum share, less that, is
# given to its applications in the same order.

NOTHING: Amount = (0, 0)


def is_starved(attempt: FairAttempt, cluster: Amount) -> bool:
    """Tell whether an application is below its fair share now, or its queue was below its minimum."""
    if attempt.min_starved_memory_mb or attempt.min_starved_vcores:
        return True
    usage, share = (attempt.used_memory_mb, attempt.used_vcores), (attempt.fair_memory_mb, attempt.fair_vcores)
    return below(attempt.queue.policy, usage, share, cluster)


class StarvedApps(metaclass=State):
    """A queue of starved applications in the order of a Java PriorityQueue: smaller starvation first, more or less."""

    heap: JavaPriorityQueue[FairAttempt]

    def __init__(self) -> None:
        self.heap = JavaPriorityQueue()

    def add(self, attempt: FairAttempt) -> None:
        # Its place was found by its starvation when it came; it is not moved.
        if attempt not in self.heap.items:
            self.heap.add(attempt, _by_starvation)

    def take(self) -> FairAttempt | None:
        """Take out the next one; None when none is starved. Source: PriorityBlockingQueue#dequeue."""
        return self.heap.poll(_by_starvation) if self.heap.items else None


def _by_starvation(one: FairAttempt, other: FairAttempt) -> int:
    """One goes before another when its starvation fits into the other's; that is no total order."""
    mine, theirs = one.starvation, other.starvation
    return -1 if mine[0] <= theirs[0] and mine[1] <= theirs[1] else 1


def update_starved(leaf: FairLeaf, starved: StarvedApps, cluster: Amount, now_ms: int) -> bool:
    """Queue the starved applications of a leaf that nobody helps yet; whether any starvation changed."""
    attempts = [
        standing.member
        for standing in leaf.order.sort(leaf.policy)
        if standing.member.wants_more and now_ms >= standing.member.next_check_ms
    ]
    before = [(attempt.starvation, attempt.min_starved_memory_mb, attempt.min_starved_vcores) for attempt in attempts]
    of_fair_share = _starved_of_fair_share(attempts, starved, cluster, now_ms)
    missing = min_share_starvation(leaf, now_ms)
    missing = (max(missing[0] - of_fair_share[0], 0), max(missing[1] - of_fair_share[1], 0))
    _spread_min_share(attempts, starved, missing, cluster)
    return before != [
        (attempt.starvation, attempt.min_starved_memory_mb, attempt.min_starved_vcores) for attempt in attempts
    ]


def _starved_of_fair_share(attempts: list[FairAttempt], starved: StarvedApps, cluster: Amount, now_ms: int) -> Amount:
    memory_mb = vcores = 0
    for attempt in attempts:
        update_fair_share_starvation(attempt, cluster, now_ms)
        # The order is from the neediest on, so those after it are not starved either.
        if not attempt.starved_memory_mb and not attempt.starved_vcores:
            break
        starved.add(attempt)
        memory_mb += attempt.starved_memory_mb
        vcores += attempt.starved_vcores
    return (memory_mb, vcores)


def update_fair_share_starvation(attempt: FairAttempt, cluster: Amount, now_ms: int) -> None:
    """Note by how much an application is below the threshold part of its fair share."""
    leaf = attempt.queue
    due = (
        min(int(attempt.fair_memory_mb * leaf.threshold), attempt.demand_memory_mb),
        min(int(attempt.fair_vcores * leaf.threshold), attempt.demand_vcores),
    )
    usage = (attempt.used_memory_mb, attempt.used_vcores)
    is_below = below(leaf.policy, usage, due, cluster)
    # The clock starts at the last update at which it had what it is due.
    if not is_below:
        attempt.last_fair_share_ms = now_ms
    if not is_below or now_ms - attempt.last_fair_share_ms < leaf.fair_share_timeout_ms:
        attempt.starved_memory_mb = attempt.starved_vcores = 0
    else:
        attempt.starved_memory_mb = max(due[0] - usage[0], 0)
        attempt.starved_vcores = max(due[1] - usage[1], 0)


def min_share_starvation(leaf: FairLeaf, now_ms: int) -> Amount:
    """By how much a leaf has been below its minimum share for long enough."""
    memory_mb = max(min(leaf.min_memory_mb, leaf.demand_memory_mb) - leaf.used_memory_mb, 0)
    vcores = max(min(leaf.min_vcores, leaf.demand_vcores) - leaf.used_vcores, 0)
    if not memory_mb and not vcores:
        leaf.last_min_share_ms = now_ms
    if now_ms - leaf.last_min_share_ms < leaf.min_share_timeout_ms:
        return NOTHING
    return (memory_mb, vcores)


def _spread_min_share(attempts: list[FairAttempt], starved: StarvedApps, missing: Amount, cluster: Amount) -> None:
    """Hand out what a leaf lacks of its minimum; who wants more than is left gets the difference, as in Hadoop."""
    for attempt in attempts:
        if missing == NOTHING:
            attempt.min_starved_memory_mb = attempt.min_starved_vcores = 0
            continue
        part = (
            max(attempt.demand_memory_mb - attempt.used_memory_mb - attempt.starved_memory_mb, 0),
            max(attempt.demand_vcores - attempt.used_vcores - attempt.starved_vcores, 0),
        )
        if not at_least(attempt.queue.policy, missing, part, cluster):
            part = (max(part[0] - missing[0], 0), max(part[1] - missing[1], 0))
            missing = NOTHING
        else:
            missing = (max(missing[0] - part[0], 0), max(missing[1] - part[1], 0))
        attempt.min_starved_memory_mb, attempt.min_starved_vcores = part
        starved.add(attempt)


_SMALL = 12  # Up to here a HashMap keeps its first size, so that nothing need be remembered


class _Space(metaclass=State):
    marked: dict[ContainerId, Container] = {}  # Containers here that are to be killed
    most: int = 0  # The largest number of containers the node ever held, which sets the order of its hash map
    promised: dict[FairAttempt, Amount] = {}  # What is still theirs of what was taken back, in order of the first pick


class NodePromises(metaclass=State):
    """The parts of all nodes, by node id."""

    _spaces: dict[str, _Space] = {}
    count: int = 0  # How many promises there are on all nodes

    def placed(self, container: Container) -> None:
        """A container was placed: it makes good what was promised to its application here."""
        node = container.node
        held = len(node.containers)
        if held > _SMALL:
            space = self._spaces.get(node.id) or self._of(node)
            space.most = max(space.most, held)
        if not self.count:
            return
        space, attempt = self._of(node), container.attempt
        if isinstance(attempt, FairAttempt) and attempt in space.promised:
            memory_mb, vcores = space.promised[attempt]
            space.promised[attempt] = left = (
                max(memory_mb - container.memory_mb, 0),
                max(vcores - container.vcores, 0),
            )
            if left == (0, 0):
                self._drop(space, attempt)

    def released(self, container: Container) -> None:
        """A container has ended, whether or not its node knows."""
        space = self._spaces.get(container.node.id)
        if space is not None:
            space.marked.pop(container.id, None)

    def forget(self, node: Node) -> None:
        space = self._spaces.pop(node.id, None)
        if space is not None:
            self.count -= len(space.promised)

    def mark(self, containers: Iterable[Container], attempt: FairAttempt) -> None:
        memory_mb = vcores = 0
        space: _Space | None = None
        for container in containers:
            space = self._of(container.node)
            # Two starved applications may pick the same container; the room is promised to the first.
            if container.id not in space.marked:
                space.marked[container.id] = container
                memory_mb += container.memory_mb
                vcores += container.vcores
        if space is None or (memory_mb, vcores) == (0, 0):
            return
        before = space.promised.get(attempt)
        self.count += before is None
        former = before or (0, 0)
        space.promised[attempt] = (former[0] + memory_mb, former[1] + vcores)

    def is_marked(self, container: Container) -> bool:
        space = self._spaces.get(container.node.id)
        return space is not None and container.id in space.marked

    def taken_for(self, node: Node, attempt: FairAttempt) -> bool:
        return bool(self.count) and attempt in self._of(node).promised

    def any_on(self, node: Node) -> bool:
        return bool(self.count) and bool(self._of(node).promised)

    def total_promised(self, node: Node) -> Amount:
        promised = self._of(node).promised.values() if self.count else ()
        return (sum(memory_mb for memory_mb, _ in promised), sum(vcores for _, vcores in promised))

    def still_promised(self, node: Node, cluster: Amount) -> list[tuple[FairAttempt, Amount]]:
        """Who is promised what here; drops those that ended or starve no more. Source: #cleanupPreemptionList."""
        space = self._of(node)
        for attempt in list(space.promised):
            # A lack that is gone needs nothing.
            if attempt.stopped or not is_starved(attempt, cluster) or attempt.starvation == (0, 0):
                self._drop(space, attempt)
        return list(space.promised.items())

    def containers(self, node: Node, cluster_timestamp: int) -> list[Container]:
        """A node's containers as preemption looks at them: the others in reverse order of the hash map, AMs last."""
        space = self._spaces.get(node.id)
        ids = list(node.containers)
        hashes = [container_id_hash(cluster_timestamp, each) for each in ids]
        order = [node.containers[each] for each in hash_map_order(ids, hashes, space.most if space else None)]
        return [
            *(one for one in reversed(order) if not one.is_am),
            *(one for one in order if one.is_am),
        ]

    def _drop(self, space: _Space, attempt: FairAttempt) -> None:
        del space.promised[attempt]
        self.count -= 1

    def _of(self, node: Node) -> _Space:
        space = self._spaces.get(node.id)
        if space is None:
            space = self._spaces[node.id] = _Space()
        return space
