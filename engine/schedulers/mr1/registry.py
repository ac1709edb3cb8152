"""The schedulers of a JobTracker by name: the one place that knows all three."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from engine.model.mr1.cluster import MapReduceCluster
from engine.schedulers.mr1.capacity import CapacityTaskScheduler
from engine.schedulers.mr1.fair import FairTaskScheduler
from engine.schedulers.mr1.fair_allocations import PoolAllocations
from engine.schedulers.mr1.fifo import FifoTaskScheduler
from engine.schedulers.mr1.interface import TaskScheduler


def _fifo(cluster: MapReduceCluster, allocations: PoolAllocations | None) -> TaskScheduler:
    """JobQueueTaskScheduler, the default."""
    return FifoTaskScheduler(cluster)


def _fair(cluster: MapReduceCluster, allocations: PoolAllocations | None) -> TaskScheduler:
    """FairScheduler; without a file there is only the default pool."""
    return FairTaskScheduler(cluster, allocations or PoolAllocations())


def _capacity(cluster: MapReduceCluster, allocations: PoolAllocations | None) -> TaskScheduler:
    """CapacityTaskScheduler; its queues are among the properties."""
    return CapacityTaskScheduler(cluster)


TASK_SCHEDULERS: Final[Mapping[str, Callable[[MapReduceCluster, PoolAllocations | None], TaskScheduler]]] = (
    MappingProxyType({"mr1-fifo": _fifo, "mr1-fair": _fair, "mr1-capacity": _capacity})
)
"""Name → what makes it, given the cluster and the fair scheduler's pools."""
