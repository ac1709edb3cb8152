"""`/scheduler` of FairScheduler.

Source: FairSchedulerQueueInfo, FairSchedulerLeafQueueInfo, Hadoop 2.7.2 and 3.4.1.

Source: FifoSchedulerInfo, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Final, NamedTuple

from engine.model.ledger import Attempt, Node
from engine.schedulers.fair.schedulable import FairLeaf, FairParent, FairQueue
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.schedulers.fair34.scheduler import FairScheduler34
from engine.serve.served import ServedCluster
from engine.serve.wire import (
    ANY_SIZE,
    TYPE,
    Document,
    Field,
    Repeated,
    Table,
    amount,
    constant,
    null_pointer,
    single,
    written,
)

POLICIES: Final = {"fifo": "FIFO", "drf": "DRF"}
"""Our name of a policy → what answers call it, where that is another one."""


class FairFacts(NamedTuple):
    """A queue, and what is not its own."""

    queue: FairQueue
    served: ServedCluster
    policy: FairScheduler27 | FairScheduler34

    def attempts(self) -> Iterator[Attempt]:
        """All attempts in it and below, running and held back."""
        for leaf in self.queue.leaves():
            yield from leaf.order.members
            yield from leaf.parked

    @property
    def total(self) -> tuple[int, int]:
        cluster = self.served.cluster
        return cluster.total_memory_mb, cluster.total_vcores


def _amount(read: Callable[[FairFacts], tuple[int, int]], *, as_configured: bool = False) -> Callable[..., Document]:
    def document(facts: FairFacts) -> Document:
        one = read(facts)
        sizes = facts.served.sizes if as_configured and not any(one) else ANY_SIZE
        return amount(facts.served.release, *one, sizes)

    return document


def _queue(name: str) -> Callable[[FairFacts], tuple[int, int]]:
    return attrgetter(f"queue.{name}_memory_mb", f"queue.{name}_vcores")


def _maximum(facts: FairFacts) -> tuple[int, int]:
    total = facts.total
    return min(facts.queue.max_memory_mb, total[0]), min(facts.queue.max_vcores, total[1])


def _am_used(facts: FairFacts) -> tuple[int, int]:
    queue = facts.queue
    return (queue.am_memory_mb, queue.am_vcores) if isinstance(queue, FairLeaf) else (0, 0)


def _am_most(facts: FairFacts) -> tuple[int, int]:
    return facts.policy.max_am_resource(facts.queue)


def _largest_container(facts: FairFacts) -> tuple[int, int]:
    most = facts.policy.container_maximum(facts.queue.path)
    return most.memory_mb, most.vcores


def _children(facts: FairFacts) -> object:
    """In 3.4.1 an object with a list; in 2.7.2 a list below the root, and further down the name again and again."""
    queue = facts.queue
    children = queue.order.members if isinstance(queue, FairParent) else ()
    under = [written(QUEUE, facts._replace(queue=each), facts.served.release) for each in children]
    if facts.served.release.is_34:
        return {"queue": under} if under else None
    if not under or queue.parent is None:
        return under or None
    return Repeated(under)


def _of_leaf(read: Callable[[FairLeaf], int]) -> Callable[[FairFacts], int | None]:
    return lambda facts: read(facts.queue) if isinstance(facts.queue, FairLeaf) else None


def _waiting(leaf: FairLeaf) -> int:
    """Applications that are held back or were given nothing yet. Source: FSLeafQueue#getNumPendingApps."""
    return len(leaf.parked) + sum(each.master is None and not each.live for each in leaf.order.members)


QUEUE: Final[Table[FairFacts]] = (
    Field(TYPE, lambda facts: "fairSchedulerLeafQueueInfo" if facts.queue.is_leaf else None),
    Field("maxApps", attrgetter("queue.max_apps")),
    Field("minResources", _amount(_queue("min"), as_configured=True)),
    Field("maxResources", _amount(_maximum)),
    Field("usedResources", _amount(_queue("used"))),
    Field("amUsedResources", _amount(_am_used), since_34=True),
    Field("amMaxResources", _amount(_am_most), since_34=True),
    Field("demandResources", _amount(_queue("demand")), since_34=True),
    Field("steadyFairResources", _amount(_queue("steady"))),
    Field("fairResources", _amount(_queue("fair"))),
    Field("clusterResources", _amount(attrgetter("total"))),
    Field("reservedResources", _amount(_queue("reserved")), since_34=True),
    Field("maxContainerAllocation", _amount(_largest_container), since_34=True),
    Field("pendingContainers", lambda facts: sum(each.pending for each in facts.attempts()), since_34=True),
    Field("allocatedContainers", lambda facts: sum(len(each.live) for each in facts.attempts()), since_34=True),
    Field("reservedContainers", lambda facts: sum(len(each.reserved) for each in facts.attempts()), since_34=True),
    Field("queueName", attrgetter("queue.path")),
    Field("schedulingPolicy", lambda facts: POLICIES.get(facts.queue.policy.name, facts.queue.policy.name)),
    Field("preemptable", lambda facts: facts.policy.is_preemptable(facts.queue.path), since_34=True),
    Field("childQueues", _children),
    Field("numPendingApps", _of_leaf(_waiting)),
    Field("numActiveApps", _of_leaf(lambda leaf: len(leaf.order.members) + len(leaf.parked) - _waiting(leaf))),
)


def fair_scheduler(served: ServedCluster) -> Document:
    """Write `schedulerInfo`."""
    policy = served.fair
    assert policy is not None, "a fair scheduler is asked"
    root = FairFacts(policy.tree.root, served, policy)
    return {TYPE: "fairScheduler", "rootQueue": written(QUEUE, root, served.release)}


# `/scheduler` of FifoScheduler.


def _sum(read: Callable[[Node], int]) -> Callable[[ServedCluster], int]:
    return lambda served: sum(read(node) for node in served.cluster.nodes.values())


FIFO: Final[Table[ServedCluster]] = (
    Field(TYPE, constant("fifoScheduler")),
    Field("capacity", constant(1.0)),
    Field("usedCapacity", lambda served: single(served.cluster.used_memory_mb / (served.cluster.total_memory_mb or 1))),
    Field("qstate", constant("RUNNING")),
    Field("minQueueMemoryCapacity", lambda served: served.sizes[0].memory_mb),
    Field("maxQueueMemoryCapacity", lambda served: served.sizes[1].memory_mb),
    Field("numNodes", lambda served: len(served.cluster.nodes)),
    Field("usedNodeCapacity", _sum(attrgetter("used_memory_mb"))),
    Field("availNodeCapacity", _sum(attrgetter("free_memory_mb"))),
    Field("totalNodeCapacity", _sum(attrgetter("total_memory_mb"))),
    Field("numContainers", _sum(lambda node: len(node.containers))),
)


def fifo_scheduler(served: ServedCluster) -> Document:
    """Write `schedulerInfo`.

    Raises RestError if a node is unhealthy: the real page asks the scheduler about it, which does not know it any more.
    """
    if any(node.state == "UNHEALTHY" for node in served.cluster.down.values()):
        raise null_pointer()
    return written(FIFO, served, served.release)
