"""The members the fair scheduler orders and gives shares to, in both releases: queues and application attempts.

Usage lives in the model; here are weights, limits, demand and shares, inline, and the ordering key of each. A change of
usage marks the keys up the tree as changed, so that no key is ever computed inside a comparison. What only one release
keeps is said to be so; what the releases do with it stands in `fair27` and `fair34`.

Source: FSQueue, FSLeafQueue, FSParentQueue, FSAppAttempt, Schedulable, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Iterator

from engine.model.identity import application_name
from engine.model.java_values import INT_MAX
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.request import Queue, Resource, ResourceRequest
from engine.schedulers.fair.order import Amount, Key, MemberOrder, MemberSortKey, SharePolicy

NEVER_MS = 2**63 - 1  # A timeout that never runs out. Source: Long#MAX_VALUE.


class FairQueue(Queue["FairParent"]):
    policy: SharePolicy
    weight: float = 1.0
    min_memory_mb: int = 0
    min_vcores: int = 0
    max_memory_mb: int = INT_MAX
    max_vcores: int = INT_MAX
    max_apps: int = INT_MAX
    max_am_share: float = 0.5
    min_share_timeout_ms: int
    fair_share_timeout_ms: int
    threshold: float = 0.5  # Below which part of its fair share it is starved
    demand_memory_mb: int = 0  # As of the last update pass; so are the shares
    demand_vcores: int = 0
    fair_memory_mb: int = 0
    fair_vcores: int = 0
    steady_memory_mb: int = 0
    steady_vcores: int = 0
    follows_cluster: bool = False  # Root in 2.7: once an update pass ran, its share is the cluster's total itself
    standing: "QueueStanding"  # In its parent's order
    tie: Key  # Decides between equals: start time (queues 0), then name, which Java compares by UTF-16 unit

    is_leaf = False

    def __init__(self, path: str, parent: "FairParent | None", policy: SharePolicy) -> None:
        super().__init__(path, parent)
        self.policy = policy
        self.standing = QueueStanding(self)
        self.min_share_timeout_ms = NEVER_MS
        self.fair_share_timeout_ms = NEVER_MS
        self.tie = (0, path.encode("utf-16-be", "surrogatepass"))

    @property
    def runnable_count(self) -> int:
        raise NotImplementedError

    def leaves(self) -> "Iterator[FairLeaf]":
        raise NotImplementedError

    def within_maximum(self, memory_mb: int, vcores: int) -> bool:
        return self.used_memory_mb + memory_mb <= self.max_memory_mb and self.used_vcores + vcores <= self.max_vcores


class QueueStanding(MemberSortKey[FairQueue]):
    def key_now(self, policy: SharePolicy) -> Key:
        queue = self.member
        used = (queue.used_memory_mb, queue.used_vcores)
        minimum = (queue.min_memory_mb, queue.min_vcores)
        return policy.key(used, queue.demand_memory_mb, minimum, queue.weight, queue.tie)


class FairParent(FairQueue):
    order: MemberOrder[FairQueue]  # Its children
    _runnable_count: int = 0

    def __init__(self, path: str, parent: "FairParent | None", policy: SharePolicy, *, keeps_arrival: bool) -> None:
        super().__init__(path, parent, policy)
        self.order = MemberOrder(keeps_arrival=keeps_arrival)

    @property
    def runnable_count(self) -> int:
        return self._runnable_count

    def count_runnable(self, by: int) -> None:
        self._runnable_count += by

    def leaves(self) -> "Iterator[FairLeaf]":
        for child in self.order.members:
            yield from child.leaves()


class FairLeaf(FairQueue):
    order: "MemberOrder[FairAttempt]"  # Its runnable attempts
    parked: "list[FairAttempt]" = []  # Attempts that a limit on running applications holds back, in order of arrival
    am_memory_mb: int = 0  # What its application masters use
    am_vcores: int = 0
    last_min_share_ms: int  # When it last had its min share (or did not want it)
    last_fair_share_ms: int  # When it last had its fair-share threshold; only in 2.7, in 3.x applications have this
    starved_ms: int | None = None  # Since which update it is starved; only in 3.x, whose other clocks may stand

    is_leaf = True

    def __init__(
        self, path: str, parent: FairParent | None, policy: SharePolicy, now_ms: int, *, keeps_arrival: bool
    ) -> None:
        super().__init__(path, parent, policy)
        self.order = MemberOrder(keeps_arrival=keeps_arrival)
        self.last_min_share_ms = now_ms
        self.last_fair_share_ms = now_ms

    @property
    def is_empty(self) -> bool:
        return not self.order.members and not self.parked

    @property
    def runnable_count(self) -> int:
        return len(self.order.members)

    def leaves(self) -> "Iterator[FairLeaf]":
        yield self

    @property
    def starves_of_min_share(self) -> bool:
        """Tell whether it uses less memory than its min share, or than it demands if that is less."""
        return self.used_memory_mb < min(self.min_memory_mb, self.demand_memory_mb)

    @property
    def starves_of_fair_share(self) -> bool:
        """Tell whether it uses less memory than the threshold part of its fair share, or than its demand if less."""
        return self.used_memory_mb < min(int(self.fair_memory_mb * self.threshold), self.demand_memory_mb)

    def note_starved(self, now_ms: int) -> None:
        if not (self.starves_of_min_share or self.starves_of_fair_share):
            self.starved_ms = None
        elif self.starved_ms is None:
            self.starved_ms = now_ms

    def headroom(self, memory_mb: int, vcores: int) -> Resource:
        available = Resource(
            min(memory_mb, self.max_memory_mb - self.used_memory_mb), min(vcores, self.max_vcores - self.used_vcores)
        )
        share, usage = (self.fair_memory_mb, self.fair_vcores), (self.used_memory_mb, self.used_vcores)
        return self.policy.headroom(share, usage, available)

    def exceeded_by(self, memory_mb: int, vcores: int) -> FairQueue | None:
        """The lowest queue, up to the root, that so much more would take over its maximum. Source: #fitsInMaxShare."""
        queue: FairQueue | None = self
        while (
            queue is not None
            and queue.used_memory_mb + memory_mb <= queue.max_memory_mb
            and queue.used_vcores + vcores <= queue.max_vcores
        ):
            queue = queue.parent
        return queue


class FairAttempt(Attempt[FairLeaf]):
    name: str
    tie: Key
    runnable: bool = False
    orphaned: bool = False
    """Whether a failed move of 2.7 left it in no queue: it lives on, gets nothing, and no queue pays."""
    weight: float = 1.0  # Changes only with size-based weight
    demand_memory_mb: int = 0
    demand_vcores: int = 0
    fair_memory_mb: int = 0
    fair_vcores: int = 0
    standing: "AttemptStanding"  # In its leaf's order
    last_fair_share_ms: int  # When it last had the threshold part of its fair share, or all it wants
    starved_memory_mb: int = 0  # By how much it is below that, once it is so for long enough
    starved_vcores: int = 0
    min_starved_memory_mb: int = 0  # Its part of what its queue is below the minimum share
    min_starved_vcores: int = 0
    next_check_ms: int = 0  # Before this its starvation is not looked at; the clock's zero at first, as in the real one
    preempts_master: bool = True  # Whether its AM's container may be taken back
    blacklist_changed: bool = False  # Whether `blacklisted_nodes` is out of date
    blacklisted_nodes: tuple[Node, ...] = ()  # The nodes its blacklist named when its headroom was last computed

    def __init__(
        self,
        application: Application,
        number: int,
        queue: FairLeaf,
        cluster_timestamp: int,
        now_ms: int,
        *,
        forgets_priorities: bool,
    ) -> None:
        super().__init__(application, number, queue, now_ms, forgets_priorities=forgets_priorities)
        self.name = application_name(cluster_timestamp, application.number)
        self.tie = (now_ms, self.name)
        self.standing = AttemptStanding(self)
        # What follows is only kept in 3.x.
        self.last_fair_share_ms = now_ms

    @property
    def wants_more(self) -> bool:
        """Tell whether its demand, as of the last update, differs from its usage; else 3.x does not look at it."""
        return self.demand_memory_mb != self.used_memory_mb or self.demand_vcores != self.used_vcores

    @property
    def starvation(self) -> Amount:
        """By how much it is starved altogether, of its fair share and of its queue's minimum."""
        return (
            self.starved_memory_mb + self.min_starved_memory_mb,
            self.starved_vcores + self.min_starved_vcores,
        )

    def charge(self, memory_mb: int, vcores: int) -> None:
        self.used_memory_mb += memory_mb
        self.used_vcores += vcores
        if self.orphaned:
            return
        leaf = self.queue
        if not self.standing.changed and self.runnable:
            leaf.order.touch(self.standing)
        queue: FairQueue = leaf
        parent = leaf.parent
        while parent is not None:
            queue.used_memory_mb += memory_mb
            queue.used_vcores += vcores
            if not queue.standing.changed:
                parent.order.touch(queue.standing)
            queue = parent
            parent = queue.parent
        queue.used_memory_mb += memory_mb
        queue.used_vcores += vcores


class AttemptStanding(MemberSortKey[FairAttempt]):
    def key_now(self, policy: SharePolicy) -> Key:
        attempt = self.member
        used = (attempt.used_memory_mb, attempt.used_vcores)
        return policy.key(used, attempt.demand_memory_mb, (0, 0), attempt.weight, attempt.tie)

    def wants_more(self) -> bool:
        return self.member.wants_more


def fair_attempt(attempt: Attempt) -> FairAttempt:
    """An attempt of a fair scheduler as such; its attempts are all its own."""
    assert isinstance(attempt, FairAttempt), "the fair scheduler's attempts are its own"
    return attempt


def count_as_master(attempt: FairAttempt, size: ResourceRequest | Container) -> None:
    leaf = attempt.queue
    attempt.am_memory_mb, attempt.am_vcores = size.memory_mb, size.vcores
    leaf.am_memory_mb += size.memory_mb
    leaf.am_vcores += size.vcores
    attempt.am_running = True


def count_recovered_master(container: Container) -> None:
    """Count a container as its attempt's master; nothing where one counts already."""
    attempt = fair_attempt(container.attempt)
    if not attempt.am_running:
        count_as_master(attempt, container)
