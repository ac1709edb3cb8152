"""What Fair 3.x orders and gives shares to: queues and application attempts, with what 2.7 does not know of them.

Source: FSQueue, FSLeafQueue, FSParentQueue, FSAppAttempt, Hadoop 3.4.1.
"""

import math
from collections.abc import Mapping
from typing import Self

from engine.model.application import Application
from engine.model.container import Container
from engine.model.decision import ContainerId
from engine.model.java_number import float32
from engine.model.node import Node
from engine.model.queue import Queue
from engine.model.resource import Resource
from engine.schedulers.fair.policies import Amount
from engine.schedulers.fair.schedulable import FairAttempt, FairLeaf, FairParent, FairQueue
from engine.schedulers.fair34.ordering import Ordering34
from engine.schedulers.fair34.policies import FAIR_34, Policy34
from engine.schedulers.fair34.resources import UNBOUNDED_34, UNLIMITED, Amount34


class Available:
    """What the root queue's metrics say is free; brought up to date at certain points, not with every container."""

    __slots__ = ("memory_mb", "vcores")

    def __init__(self) -> None:
        self.memory_mb = 0
        self.vcores = 0


_SLOTS = ("container_maximum", "is_dynamic", "is_preemptable", "maximum")


class FairLeaf34(FairLeaf):
    """A queue that holds applications."""

    __slots__ = (*_SLOTS, "available")
    wants_more = True

    def __init__(self, path: str, parent: FairParent | None, now_ms: int, available: Available) -> None:
        super().__init__(path, parent, now_ms)
        self.order = Ordering34()
        self.policy = FAIR_34
        self.maximum: Amount34 = UNLIMITED
        """As the file has it; `max_memory_mb` and `max_vcores` are what that is now."""
        self.container_maximum: Resource = UNBOUNDED_34
        self.is_dynamic = True
        """Whether it is not in the allocation file; then it goes when it is empty."""
        self.is_preemptable = True
        self.available = available

    def am_share_allows(self, memory_mb: int, vcores: int) -> bool:
        """Whether one more application master of this size keeps within the share, in both dimensions.

        A share of 0 counts as what the cluster has free. Source: FSLeafQueue#canRunAppAM, #computeMaxAMResource, 3.4.1.
        """
        part = self.max_am_share
        if abs(part + 1.0) < 0.0001:
            return True
        of_memory_mb = self.fair_memory_mb or min(self.available.memory_mb, self.max_memory_mb)
        of_vcores = self.fair_vcores or min(self.available.vcores, self.max_vcores)
        return self.am_memory_mb + memory_mb <= math.ceil(of_memory_mb * part) and self.am_vcores + vcores <= math.ceil(
            of_vcores * part
        )


class FairParent34(FairParent):
    """A queue with queues below."""

    __slots__ = (*_SLOTS, "child_maximum")
    wants_more = True

    def __init__(self, path: str, parent: FairParent | None) -> None:
        super().__init__(path, parent)
        self.order = Ordering34()
        self.policy = FAIR_34
        self.maximum: Amount34 = UNLIMITED
        self.container_maximum: Resource = UNBOUNDED_34
        self.is_dynamic = True
        self.is_preemptable = True
        self.child_maximum: Amount34 | None = None
        """`maxChildResources`: the maximum of queues below that are not in the file."""


FairQueue34 = FairLeaf34 | FairParent34


def is_empty(queue: FairQueue) -> bool:
    """Whether no application is in the queue or below."""
    return not any(leaf.order.members or leaf.parked for leaf in queue.leaves())


class FairAttempt34(FairAttempt):
    """An application attempt as the fair scheduler of 3.x sees it."""

    __slots__ = (
        "blacklist_changed",
        "blacklisted_nodes",
        "last_fair_share_ms",
        "min_starved_memory_mb",
        "min_starved_vcores",
        "next_check_ms",
        "preempts_master",
        "starved_memory_mb",
        "starved_vcores",
    )
    queue: FairLeaf34

    def __init__(
        self, application: Application, number: int, queue: FairLeaf34, cluster_timestamp: int, now_ms: int
    ) -> None:
        super().__init__(application, number, queue, cluster_timestamp, now_ms)
        self.forgets_priorities = True
        self.last_fair_share_ms = now_ms
        """When it last had the threshold part of its fair share, or all it wants."""
        self.starved_memory_mb = 0
        """By how much it is below that, once it is so for long enough."""
        self.starved_vcores = 0
        self.min_starved_memory_mb = 0
        """Its part of what its queue is below the minimum share."""
        self.min_starved_vcores = 0
        self.next_check_ms = 0
        """Before this its starvation is not looked at; the clock's zero at first, as in the real one."""
        self.preempts_master = True
        """Whether its AM's container may be taken back."""
        self.blacklist_changed = False
        """Whether `blacklisted_nodes` is out of date."""
        self.blacklisted_nodes: tuple[Node, ...] = ()
        """The nodes its blacklist named when headroom was last told."""

    @property
    def policy(self) -> Policy34:
        """That of its queue."""
        policy = self.queue.policy
        assert isinstance(policy, Policy34), "queues of 3.x have policies of 3.x"
        return policy

    @property
    def wants_more(self) -> bool:
        """Whether its demand, as of the last update, differs from its usage; else it is not looked at."""
        return self.demand_memory_mb != self.used_memory_mb or self.demand_vcores != self.used_vcores

    @property
    def is_waiting_for_first(self) -> bool:
        """Whether nothing counts as its AM yet."""
        return not self.am_running and not self.unmanaged

    def starvation(self) -> Amount:
        """By how much it is starved altogether."""
        return (
            self.starved_memory_mb + self.min_starved_memory_mb,
            self.starved_vcores + self.min_starved_vcores,
        )

    def is_starved(self, cluster: Amount) -> bool:
        """Whether it is below its fair share now, or its queue was below its minimum."""
        if self.min_starved_memory_mb or self.min_starved_vcores:
            return True
        usage = (self.used_memory_mb, self.used_vcores)
        return self.policy.below(usage, (self.fair_memory_mb, self.fair_vcores), cluster)

    def next_ask(self) -> Amount | None:
        """The size of the ask that comes first; None when nothing is asked. Source: #getNextPendingAsk."""
        for priority in self.priorities:
            anywhere = self.groups[priority].anywhere
            if anywhere is not None and anywhere.count > 0:
                return (anywhere.memory_mb, anywhere.vcores)
        return None

    def update_demand(self, size_based: bool) -> None:
        """Recompute demand: usage and what is asked anywhere. Source: FSAppAttempt#updateDemand, Hadoop 3.4.1."""
        memory_mb, vcores = self.used_memory_mb, self.used_vcores
        if self.pending:
            for group in self.groups.values():
                anywhere = group.anywhere
                if anywhere is not None and anywhere.count > 0:
                    memory_mb += anywhere.memory_mb * anywhere.count
                    vcores += anywhere.vcores * anywhere.count
        if (memory_mb == 0) != (self.demand_memory_mb == 0) and self.runnable:
            self.queue.order.touch(self)
        self.demand_memory_mb, self.demand_vcores = memory_mb, vcores
        if size_based:
            self.weight = float32(math.log1p(memory_mb) / math.log(2))
            if self.runnable:
                self.queue.order.touch(self)

    def copy(
        self,
        application: Application,
        queues: Mapping[str, Queue],
        nodes: Mapping[str, Node],
        containers: dict[ContainerId, Container],
    ) -> Self:
        """A copy in the copied queues; the caller puts it into its queue's order."""
        other = super().copy(application, queues, nodes, containers)
        for slot in FairAttempt34.__slots__:
            setattr(other, slot, getattr(self, slot))
        other.blacklisted_nodes = tuple(nodes.get(node.id, node) for node in self.blacklisted_nodes)
        return other
