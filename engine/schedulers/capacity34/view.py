"""Answers observers of the CapacityScheduler of 3.4.1: its queues as rows, its settings, its order."""

from engine.model.ledger import Attempt
from engine.schedulers.capacity.properties import DecidingProperties, factor_decides, keys
from engine.schedulers.capacity.view import CapacityQueueRow, CapacityShortfall, CommonCapacityView, PartitionUse
from engine.schedulers.capacity34.order import FifoOrder
from engine.schedulers.capacity34.queue import CapacityAttempt, CapacityQueue
from engine.schedulers.capacity34.tree import CapacityTree
from engine.schedulers.interface import UNKNOWN, PolicyView, Setting, Shortfall
from engine.schedulers.obstacle_texts import Obstacle
from engine.settings.capacity import CAPACITY_34


class CapacityView34(CommonCapacityView, PolicyView):
    """Implements `PolicyView`; figures are of the default partition."""

    counts_priorities = True

    def __init__(self, tree: CapacityTree, *, preempts: bool) -> None:
        properties = DecidingProperties(tree.properties.values, CAPACITY_34)
        super().__init__(tree.root, not tree.space.by_memory, properties, preempts)
        self._root = tree.root
        self._names = tree.names
        self._space = tree.space

    def queues(self) -> list[CapacityQueueRow]:
        return self._rows(self._root, 0)

    def used_memory_mb(self, path: str) -> int:
        queue = self._names.by_path.get(path)
        return queue.used_memory_mb if queue is not None else 0

    def settings(self) -> tuple[str, ...]:
        return keys(CAPACITY_34)

    def delay_offers(self) -> int:
        """One for each container wanted or, with a delay for racks, that delay; never more than there are nodes."""
        offers = [
            (attempt.pending if leaf.settings.rack_delay < 0 else leaf.settings.node_delay + leaf.settings.rack_delay)
            for queue in self._root.leaves()
            if (leaf := queue.leaf) is not None
            for attempt in leaf.order
            if attempt.pending
        ]
        return min(max(offers), self._space.nodes) + 1 if offers else 0

    def is_first_come(self, attempt: Attempt) -> bool:
        queue = self._names.by_path.get(attempt.queue.path)
        return queue is not None and queue.leaf is not None and isinstance(queue.leaf.order, FifoOrder)

    def parked(self) -> set[int]:
        leaves = (queue.leaf for queue in self._root.leaves())
        return {attempt.application.number for leaf in leaves if leaf is not None for attempt in leaf.parked}

    def shortfall(self, attempt: Attempt, now_ms: int) -> Shortfall | None:
        assert isinstance(attempt, CapacityAttempt), "attempts of this scheduler"
        leaf = attempt.queue.leaf
        beside = () if leaf is None else tuple(leaf.order)
        return CapacityShortfall(self.queues(), self._properties, preempts=self._preempts).of(attempt, beside)

    def setting_behind(self, attempt: Attempt, obstacle: Obstacle) -> Setting | None:
        assert isinstance(attempt, CapacityAttempt), "attempts of this scheduler"
        queue, limit_mb = attempt.queue, obstacle.numbers[1] if len(obstacle.numbers) > 1 else 0
        factor = queue.leaf.settings.user_limit_factor if queue.leaf is not None else 1.0
        by_factor = factor_decides(limit_mb, queue.share("").effective_minimum[0], factor)
        return self._properties.behind(attempt, obstacle, factor_decides=by_factor)

    def _rows(self, queue: CapacityQueue, depth: int) -> list[CapacityQueueRow]:
        rows = [self._row(queue, depth)]
        for child in sorted(queue.children, key=lambda each: each.path):
            rows += self._rows(child, depth + 1)
        return rows

    def _row(self, queue: CapacityQueue, depth: int) -> CapacityQueueRow:
        share, leaf = queue.share(""), queue.leaf
        leaves = [each.leaf for each in queue.leaves() if each.leaf is not None]
        attempts = [attempt for each in leaves for attempt in each.attempts.values()]
        running = sum(attempt.application.state == "RUNNING" for attempt in attempts)
        return CapacityQueueRow(
            path=queue.path,
            depth=depth,
            is_leaf=leaf is not None,
            policy=queue.ordering if leaf is None else leaf.settings.order,
            weight=share.weight if share.weight >= 0 else UNKNOWN,
            used=share.used,
            max_share=self.counted(share.effective_maximum),
            reserved=(queue.reserved_memory_mb, queue.reserved_vcores),
            applications_running=running,
            applications_pending=len(attempts) - running,
            containers=sum(len(attempt.live) for attempt in attempts),
            guaranteed=self.counted(share.effective_minimum),
            used_capacity=share.used_of_guarantee(self._space.total(""), self._space.calculator),
            state=queue.state,
            user_limit=None if leaf is None else self.counted(leaf.users.compute("", True, True, queue, self._space)),
            am_used=None if leaf is None else share.am_used,
            am_limit=None if leaf is None else self.counted(share.am_limit),
            partitions=tuple(self._partition(queue, label) for label in sorted(queue.shares)),
        )

    def _partition(self, queue: CapacityQueue, label: str) -> PartitionUse:
        share = queue.shares[label]
        absolute = share.absolute if queue.parent is not None else 1.0
        least, most = self.counted(share.effective_minimum), self.counted(share.effective_maximum)
        return PartitionUse(label, absolute, share.absolute_maximum, least, most, share.used)
