"""Answers observers of the CapacityScheduler of 2.7.2: its queues as rows, and the settings behind obstacles."""

from collections.abc import Mapping
from operator import attrgetter

from engine.model.ledger import Attempt
from engine.schedulers.capacity.properties import DecidingProperties, factor_decides, keys
from engine.schedulers.capacity.view import CapacityQueueRow, CapacityShortfall, CommonCapacityView, PartitionUse
from engine.schedulers.capacity27.admission import QueueTree27
from engine.schedulers.capacity27.calculators import PartitionResources27
from engine.schedulers.capacity27.configuration import NO_LABEL
from engine.schedulers.capacity27.evaluation import (
    am_limit,
    capacity_in,
    guaranteed,
    parts_of,
    used_capacity,
    user_limit,
)
from engine.schedulers.capacity27.queues import Attempt27, CapacityQueue27, leaf_of
from engine.schedulers.interface import PolicyView, Setting, Shortfall
from engine.schedulers.obstacle_texts import Obstacle
from engine.settings.capacity import CAPACITY_27


class CapacityView27(CommonCapacityView, PolicyView):
    def __init__(
        self,
        space: PartitionResources27,
        tree: QueueTree27,
        values: Mapping[str, str],
        *,
        locality_delay: int,
        preempts: bool,
    ) -> None:
        properties = DecidingProperties(values, CAPACITY_27)
        super().__init__(tree.root, not space.by_memory, properties, preempts)
        self._space = space
        self._tree = tree
        self._locality_delay = locality_delay

    def queues(self) -> list[CapacityQueueRow]:
        return self._rows(self._tree.root, 0)

    def used_memory_mb(self, path: str) -> int:
        return next((queue.used(NO_LABEL)[0] for queue in self._tree.queues() if queue.path == path), 0)

    def settings(self) -> tuple[str, ...]:
        return keys(CAPACITY_27)

    def queue_name(self, path: str) -> str:
        """The last part of the path: 2.7.2 knows no other name."""
        return path.rpartition(".")[2]

    def delay_offers(self) -> int:
        """One for each container an application wants, at most; racks of its choice open after the delay."""
        wanted = [
            attempt.pending for queue in self._tree.queues() if queue.leaf for attempt in queue.leaf.attempts.values()
        ]
        return max(*wanted, self._locality_delay, 0) + 1 if wanted else 0

    def shortfall(self, attempt: Attempt, now_ms: int) -> Shortfall | None:
        assert isinstance(attempt, Attempt27), "attempts are the scheduler's own"
        beside = leaf_of(attempt)[1].attempts.values()
        return CapacityShortfall(self.queues(), self._properties, preempts=self._preempts).of(attempt, beside)

    def setting_behind(self, attempt: Attempt, obstacle: Obstacle) -> Setting | None:
        assert isinstance(attempt, Attempt27), "attempts are the scheduler's own"
        queue, leaf = leaf_of(attempt)
        limit_mb = obstacle.numbers[1] if len(obstacle.numbers) > 1 else 0
        factor = leaf.configuration.user_limit_factor
        by_factor = factor_decides(limit_mb, guaranteed(self._space, queue)[0], factor)
        return self._properties.behind(attempt, obstacle, factor_decides=by_factor)

    def _rows(self, queue: CapacityQueue27, depth: int) -> list[CapacityQueueRow]:
        under = [self._rows(child, depth + 1) for child in sorted(queue.children or (), key=attrgetter("path"))]
        return [self._row(queue, depth, [rows[0] for rows in under]), *(row for rows in under for row in rows)]

    def _row(self, queue: CapacityQueue27, depth: int, under: list[CapacityQueueRow]) -> CapacityQueueRow:
        space, leaf = self._space, queue.leaf
        attempts = [] if leaf is None else list(leaf.attempts.values())
        running = sum(attempt.application.state == "RUNNING" for attempt in attempts)
        containers = [row.containers for row in under if isinstance(row.containers, int)]
        return CapacityQueueRow(
            path=queue.path,
            depth=depth,
            is_leaf=leaf is not None,
            policy="fifo" if leaf is not None else "utilization",
            used=queue.used(NO_LABEL),
            max_share=self.counted(parts_of(space, queue, NO_LABEL).maximum),
            reserved=(queue.reserved_memory_mb, queue.reserved_vcores),
            applications_running=running + sum(row.applications_running for row in under),
            applications_pending=len(attempts) - running + sum(row.applications_pending for row in under),
            containers=sum(len(attempt.live) for attempt in attempts) + sum(containers),
            guaranteed=self.counted(parts_of(space, queue, NO_LABEL).capacity),
            used_capacity=used_capacity(space, queue),
            state="RUNNING" if queue.configuration.is_running else "STOPPED",
            user_limit=None if leaf is None else self.counted(user_limit(space, queue, leaf, space.minimum, NO_LABEL)),
            am_used=leaf.am_used if leaf is not None else None,
            am_limit=None if leaf is None else self.counted(am_limit(space, queue, leaf)),
            partitions=self._partitions(queue),
        )

    def _partitions(self, queue: CapacityQueue27) -> tuple[PartitionUse, ...]:
        return tuple(
            PartitionUse(
                label,
                capacity_in(queue, label).absolute,
                capacity_in(queue, label).absolute_maximum,
                self.counted(parts_of(self._space, queue, label).capacity),
                self.counted(parts_of(self._space, queue, label).maximum),
                queue.used(label),
            )
            for label in sorted(queue.configuration.capacities)
        )
