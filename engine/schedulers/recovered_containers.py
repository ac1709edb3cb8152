"""What each policy charges for a container of an earlier life of its ResourceManager, which a node has brought back.

The cluster's ledgers have it already. Source: Queue#recoverContainer, SchedulerApplicationAttempt#recoverContainer and
what extends them, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.model.container import Container
from engine.schedulers.capacity27.queue_walk import release
from engine.schedulers.capacity27.queues import Attempt27
from engine.schedulers.capacity27.scheduler import CapacityScheduler27
from engine.schedulers.capacity34.scheduler import CapacityScheduler34
from engine.schedulers.fair.schedulable import fair_attempt
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.schedulers.fair34.assignment import count_as_master
from engine.schedulers.fair34.scheduler import FairScheduler34
from engine.schedulers.fifo import FifoScheduler
from engine.schedulers.interface import YarnScheduler


def charge_recovered(scheduler: YarnScheduler, container: Container) -> None:
    """Let a policy's own figures follow."""
    _CHARGES[type(scheduler)](scheduler, container)


def _fifo(scheduler: FifoScheduler, container: Container) -> None:
    scheduler.update_headrooms()


def _fair_27(scheduler: FairScheduler27, container: Container) -> None:
    """Queues add up what their applications use; the AM share does not count a recovered master."""


def _fair_34(scheduler: FairScheduler34, container: Container) -> None:
    """The first container that is recovered counts as the master. Source: FSAppAttempt#recoverContainer, 3.4.1."""
    attempt = fair_attempt(container.attempt)
    if not (attempt.am_running or attempt.unmanaged):
        count_as_master(attempt, container)
    scheduler.queues.available.refresh(scheduler.cluster)


def _capacity_27(scheduler: CapacityScheduler27, container: Container) -> None:
    """Leaf, user and the queues above pay; none of these moves among its siblings. Source: LeafQueue, 2.7.2."""
    attempt = container.attempt
    assert isinstance(attempt, Attempt27), "attempts are the scheduler's own"
    amount = (container.memory_mb, container.vcores)
    release(scheduler.space, attempt, container.node.partition, amount, reorder=False)


def _capacity_34(scheduler: CapacityScheduler34, container: Container) -> None:
    scheduler.commit.recovered(container)


_CHARGES: Final[Mapping[type, Callable[[Any, Container], None]]] = {
    FifoScheduler: _fifo,
    FairScheduler27: _fair_27,
    FairScheduler34: _fair_34,
    CapacityScheduler27: _capacity_27,
    CapacityScheduler34: _capacity_34,
}
"""Policy → what it charges; Any: each function takes the policy it stands beside."""
