"""The YARN policies and the task schedulers of a JobTracker there are, by the names scenarios use."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.model.mr1.cluster import MapReduceCluster
from engine.schedulers.capacity27.scheduler import capacity_scheduler_27
from engine.schedulers.capacity34.scheduler import capacity_scheduler_34
from engine.schedulers.fair27.scheduler import fair_scheduler_27
from engine.schedulers.fair34.scheduler import fair_scheduler_34
from engine.schedulers.fifo import fifo_27, fifo_34
from engine.schedulers.interface import SchedulerStart
from engine.schedulers.mr1.capacity import CapacityTaskScheduler
from engine.schedulers.mr1.capacity_view import CapacityTaskView, FairTaskView, FifoTaskView, TaskSchedulerView
from engine.schedulers.mr1.fair import FairTaskScheduler
from engine.schedulers.mr1.fifo import FifoTaskScheduler
from engine.schedulers.mr1.interface import TaskScheduler
from engine.schedulers.mr1.settings import PoolAllocations
from engine.schedulers.yarn_scheduler import YarnScheduler
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.fair import FAIR_27, FAIR_34
from engine.settings.site import YARN_34


def _fifo(cluster: MapReduceCluster, allocations: PoolAllocations) -> tuple[TaskScheduler, TaskSchedulerView]:
    return FifoTaskScheduler(cluster), FifoTaskView()


def _fair(cluster: MapReduceCluster, allocations: PoolAllocations) -> tuple[TaskScheduler, TaskSchedulerView]:
    scheduler = FairTaskScheduler(cluster, allocations)
    return scheduler, FairTaskView(scheduler)


def _capacity(cluster: MapReduceCluster, allocations: PoolAllocations) -> tuple[TaskScheduler, TaskSchedulerView]:
    scheduler = CapacityTaskScheduler(cluster)
    return scheduler, CapacityTaskView(scheduler)


SCHEDULERS: Final[Mapping[str, Callable[[SchedulerStart], YarnScheduler]]] = {
    "fifo": fifo_27,
    YARN_34.name: fifo_34,
    CAPACITY_27.name: capacity_scheduler_27,
    FAIR_27.name: fair_scheduler_27,
    FAIR_34.name: fair_scheduler_34,
    CAPACITY_34.name: capacity_scheduler_34,
}
"""Name → makes the policy of a ResourceManager."""

TASK_SCHEDULERS: Final[
    Mapping[str, Callable[[MapReduceCluster, PoolAllocations], tuple[TaskScheduler, TaskSchedulerView]]]
] = {"mr1-fifo": _fifo, "mr1-fair": _fair, "mr1-capacity": _capacity}
"""Name → makes the scheduler and its view, given the cluster and the fair scheduler's pools."""
