"""What Fair 2.7 orders and gives shares to: queues and application attempts.

Usage lives in the model; here are weights, limits, demand and shares, inline, and the ordering key of each. Whoever
changes a usage marks the keys up the tree as changed, so that no key is ever computed inside a comparison.

Source: FSQueue, FSLeafQueue, FSParentQueue, FSAppAttempt, Schedulable, Hadoop 2.7.2.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Self

from engine.model.application import Application, Attempt
from engine.model.container import Container
from engine.model.decision import ContainerId
from engine.model.identity import application_name
from engine.model.java_number import INT_MAX, float32, int32
from engine.model.node import Node
from engine.model.queue import Queue
from engine.schedulers.fair.ordering import Ordering
from engine.schedulers.fair.policies import FAIR, Key, SharePolicy

NEVER_MS = 2**63 - 1
"""A timeout that never runs out. Source: Long#MAX_VALUE."""


class FairQueue(Queue):
    """A queue of the fair scheduler; a leaf or a parent."""

    __slots__ = (
        "changed",
        "demand_memory_mb",
        "demand_vcores",
        "fair_memory_mb",
        "fair_share_timeout_ms",
        "fair_vcores",
        "follows_cluster",
        "key",
        "max_am_share",
        "max_apps",
        "max_memory_mb",
        "max_vcores",
        "min_memory_mb",
        "min_share_timeout_ms",
        "min_vcores",
        "policy",
        "steady_memory_mb",
        "steady_vcores",
        "threshold",
        "tie",
        "weight",
    )
    parent: "FairParent | None"
    is_leaf = False

    def __init__(self, path: str, parent: "FairParent | None") -> None:
        super().__init__(path, parent)
        self.policy: SharePolicy = FAIR
        self.weight = 1.0
        self.min_memory_mb = 0
        self.min_vcores = 0
        self.max_memory_mb = INT_MAX
        self.max_vcores = INT_MAX
        self.max_apps = INT_MAX
        self.max_am_share = 0.5
        self.min_share_timeout_ms = NEVER_MS
        self.fair_share_timeout_ms = NEVER_MS
        self.threshold = 0.5
        """Below which part of its fair share it is starved."""
        self.demand_memory_mb = 0
        """As of the last update pass; so are the shares."""
        self.demand_vcores = 0
        self.fair_memory_mb = 0
        self.fair_vcores = 0
        self.steady_memory_mb = 0
        self.steady_vcores = 0
        self.follows_cluster = False
        """Root only: once an update pass ran, its share is the cluster's total itself."""
        self.key: Key = ()
        self.changed = True
        self.tie: Key = (0, path.encode("utf-16-be", "surrogatepass"))
        """Decides between equals: start time (queues 0), then name, which Java compares by UTF-16 unit."""

    @property
    def runnable_count(self) -> int:
        """How many applications may run in it and below."""
        raise NotImplementedError

    def leaves(self) -> "Iterator[FairLeaf]":
        """Every leaf below, or itself."""
        raise NotImplementedError

    def within_maximum(self, memory_mb: int = 0, vcores: int = 0) -> bool:
        """Whether usage, with something added, does not exceed this queue's maximum."""
        return self.used_memory_mb + memory_mb <= self.max_memory_mb and self.used_vcores + vcores <= self.max_vcores

    def copy_settings(self, other: "FairQueue") -> None:
        """Copy everything but parent, members and ordering state into a new queue."""
        for slot in _COPIED_SLOTS:
            setattr(other, slot, getattr(self, slot))


_COPIED_SLOTS = (
    *(slot for slot in FairQueue.__slots__ if slot not in ("key", "changed", "tie")),
    "reserved_memory_mb",
    "reserved_vcores",
    "used_memory_mb",
    "used_vcores",
)


class FairParent(FairQueue):
    """A queue with queues below."""

    __slots__ = ("_runnable_count", "order")

    def __init__(self, path: str, parent: "FairParent | None") -> None:
        super().__init__(path, parent)
        self.order: Ordering[FairQueue] = Ordering()
        """Its children."""
        self._runnable_count = 0

    @property
    def runnable_count(self) -> int:
        """How many applications run below; counted as they come and go."""
        return self._runnable_count

    def count_runnable(self, by: int) -> None:
        """One application more (1) or less (-1) may run below."""
        self._runnable_count += by

    def leaves(self) -> "Iterator[FairLeaf]":
        """Every leaf below, children in their present order."""
        for child in self.order.members:
            yield from child.leaves()


class FairLeaf(FairQueue):
    """A queue that holds applications."""

    __slots__ = ("am_memory_mb", "am_vcores", "last_fair_share_ms", "last_min_share_ms", "order", "parked")
    is_leaf = True

    def __init__(self, path: str, parent: FairParent | None, now_ms: int) -> None:
        super().__init__(path, parent)
        self.order: Ordering[FairAttempt] = Ordering()
        """Its runnable attempts."""
        self.parked: list[FairAttempt] = []
        """Attempts that a limit on running applications holds back, in order of arrival."""
        self.am_memory_mb = 0
        """What its application masters use."""
        self.am_vcores = 0
        self.last_min_share_ms = now_ms
        """When it last had its min share (or did not want it)."""
        self.last_fair_share_ms = now_ms
        """When it last had its fair-share threshold."""

    @property
    def runnable_count(self) -> int:
        """How many of its applications may run."""
        return len(self.order.members)

    def leaves(self) -> "Iterator[FairLeaf]":
        """Itself."""
        yield self

    def within_maximum_up(self, memory_mb: int, vcores: int) -> bool:
        """Whether so much more would exceed no maximum up to the root. Source: FairScheduler#fitsInMaxShare."""
        queue: FairQueue | None = self
        while queue is not None:
            if not queue.within_maximum(memory_mb, vcores):
                return False
            queue = queue.parent
        return True

    def am_share_allows(self, memory_mb: int, vcores: int) -> bool:
        """Whether one more application master of this size keeps within the share. Source: FSLeafQueue#canRunAppAM."""
        if abs(self.max_am_share + 1.0) < 0.0001:
            return True
        return not self.policy.over_am_limit(
            (self.am_memory_mb + memory_mb, self.am_vcores + vcores),
            (int(self.fair_memory_mb * self.max_am_share), int(self.fair_vcores * self.max_am_share)),
        )


class FairAttempt(Attempt):
    """An application attempt as the fair scheduler sees it."""

    __slots__ = (
        "changed",
        "demand_memory_mb",
        "demand_vcores",
        "fair_memory_mb",
        "fair_vcores",
        "key",
        "name",
        "orphaned",
        "runnable",
        "tie",
        "weight",
    )
    queue: FairLeaf
    min_memory_mb = 0
    min_vcores = 0

    def __init__(
        self, application: Application, number: int, queue: FairLeaf, cluster_timestamp: int, now_ms: int
    ) -> None:
        super().__init__(application, number, queue, now_ms)
        self.name = application_name(cluster_timestamp, application.number)
        self.tie: Key = (now_ms, self.name)
        self.runnable = False
        self.orphaned = False
        """Whether a failed move left it in no queue: it lives on, but nothing is placed for it and no queue pays."""
        self.weight = 1.0
        """Changes only with size-based weight."""
        self.demand_memory_mb = 0
        self.demand_vcores = 0
        self.fair_memory_mb = 0
        self.fair_vcores = 0
        self.key: Key = ()
        self.changed = True

    @property
    def is_charged_to_queue(self) -> bool:
        """Whether its queues count what it uses: not once a failed move has orphaned it."""
        return not self.orphaned

    def charge(self, memory_mb: int, vcores: int) -> None:
        """Add to what the attempt and its queues use, and mark their ordering keys as changed."""
        self.used_memory_mb += memory_mb
        self.used_vcores += vcores
        if self.orphaned:
            return
        leaf = self.queue
        if not self.changed and self.runnable:
            leaf.order.touch(self)
        queue: FairQueue = leaf
        parent = leaf.parent
        while parent is not None:
            queue.used_memory_mb += memory_mb
            queue.used_vcores += vcores
            if not queue.changed:
                parent.order.touch(queue)
            queue = parent
            parent = queue.parent
        queue.used_memory_mb += memory_mb
        queue.used_vcores += vcores

    def update_demand(self, size_based: bool) -> None:
        """Recompute demand: usage and all asks, each counted at host, rack and `*`.

        Source: FSAppAttempt#updateDemand, Hadoop 2.7.2.
        """
        self.demand_memory_mb = int32(self.used_memory_mb + self.asked_memory_mb)
        self.demand_vcores = int32(self.used_vcores + self.asked_vcores)
        if size_based:
            # Differs: a demand that has overflowed below 0 has no logarithm; the real one goes on with NaN for ever.
            self.weight = float32(math.log1p(max(self.demand_memory_mb, 0)) / math.log(2))
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
        for slot in FairAttempt.__slots__:
            setattr(other, slot, getattr(self, slot))
        return other
