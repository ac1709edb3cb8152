"""Containers taken back on each node, and the applications they are for: the room is theirs first when it becomes free.

Source: FSSchedulerNode, Hadoop 3.4.1.
"""

from collections.abc import Iterable

from engine.model.decision import ContainerId
from engine.model.identity import container_id_hash, hash_map_order
from engine.model.ledger import Container, Node
from engine.schedulers.fair.order import Amount
from engine.schedulers.fair.schedulable import FairAttempt
from engine.schedulers.fair34.starvation import is_starved
from engine.state import State

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
