"""The amounts to share: the cluster, its partitions, and how amounts of them are compared.

Differs: asynchronous scheduling begins a round at a random node in Hadoop, decides in several threads, and throws
away what does not fit any more. Here rounds come one after another, each begins one node after the former, and what
is decided takes effect at once; several threads only make rounds come more often. With multi-node placement the class
goes from partition to partition, here still from node to node, each of which stands for its partition.

Source: o.a.h.yarn.util.resource.Resources, Hadoop 3.4.1; CapacityScheduler#schedule, AsyncScheduleThread,
AsyncSchedulingConfiguration, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable, Sequence
from typing import Final

from engine.model.cluster import Cluster
from engine.model.decision import Decision
from engine.model.java_values import truncate_long
from engine.model.ledger import Attempt, Node
from engine.schedulers.capacity.properties import Properties
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.settings.capacity import SKIP_MULTIPLIER
from engine.settings.capacity_scheduler import ASYNCHRONOUS, ASYNCHRONOUS_INTERVAL, ASYNCHRONOUS_THREADS
from engine.settings.site import HEARTBEAT_INTERVAL
from engine.state import State

# Asynchronous scheduling: nodes are offered by threads in rounds of their own, not at their heartbeats.

SCHEDULE: Final = "schedule"  # The pass that does one round

NEVER_SKIPPED_MS: Final = 2**62


class AsynchronousRounds(metaclass=State):
    """The rounds of one scheduler; without the setting there are none."""

    cluster: Cluster
    enabled: bool
    interval_ms: int  # Between two rounds
    visits_all_again: bool
    """Whether a round, having gone from its start to the end, visits all nodes and not only those before it."""
    silence_ms: int  # For how long a node may be silent before it is passed by
    start: int = 0  # Which node the next round begins at, in the order in which they joined
    rests: bool = False  # Whether another round would come to nothing while nothing changes

    def __init__(self, cluster: Cluster, properties: Properties, *, has_threads: bool) -> None:
        """Read the settings; with `has_threads`, as in 3.4.1, several threads decide and skip nodes that are silent."""
        self.cluster = cluster
        self.enabled = properties.everywhere(ASYNCHRONOUS)
        # 3.4.1 reads the numbers only where they are used, so that others are not refused.
        is_read = self.enabled or not has_threads
        usual_ms = properties.table.default(ASYNCHRONOUS_INTERVAL)
        interval_ms = properties.everywhere(ASYNCHRONOUS_INTERVAL) if is_read else usual_ms
        threads = properties.everywhere(ASYNCHRONOUS_THREADS) if self.enabled and has_threads else 1
        self.interval_ms = max(interval_ms // max(threads, 1), 1)
        self.visits_all_again = not has_threads
        heartbeat_ms = properties.everywhere(HEARTBEAT_INTERVAL)
        self.silence_ms = properties.everywhere(SKIP_MULTIPLIER) * heartbeat_ms if has_threads else NEVER_SKIPPED_MS

    def passes(self) -> tuple[tuple[str, int], ...]:
        return ((SCHEDULE, self.interval_ms),) if self.enabled else ()

    def round(
        self, offer: Callable[[Node, int], list[Decision]], is_idle: Callable[[Node], bool], now_ms: int
    ) -> list[Decision]:
        nodes = list(self.cluster.nodes.values())
        self.rests = all(is_idle(node) for node in nodes)
        if self.rests:
            return []
        start = self.start % len(nodes)
        self.start = start + 1
        decisions: list[Decision] = []
        for node in (*nodes[start:], *(nodes if self.visits_all_again else nodes[: start + 1])):
            if now_ms - node.heartbeat_ms <= self.silence_ms and not is_idle(node):
                decisions += offer(node, now_ms)
        return decisions


Amount = tuple[int, int]  # (memory [MB], vcores)
NOTHING: Final[Amount] = (0, 0)  # Source: Resources#none


def plus(left: Amount, right: Amount) -> Amount:
    return (left[0] + right[0], left[1] + right[1])


def minus(left: Amount, right: Amount) -> Amount:
    """The difference; may be negative."""
    return (left[0] - right[0], left[1] - right[1])


def minus_at_most(left: Amount, right: Amount) -> Amount:
    """The difference, each side at least 0. Source: Resources#subtractNonNegative."""
    return (max(left[0] - right[0], 0), max(left[1] - right[1], 0))


def smaller_of_each(left: Amount, right: Amount) -> Amount:
    """The smaller memory and the smaller vcores. Source: Resources#componentwiseMin."""
    return (min(left[0], right[0]), min(left[1], right[1]))


def non_negative(amount: Amount) -> Amount:
    """Each side, at least 0. Source: Resources#componentwiseMax with Resources.none()."""
    return (max(amount[0], 0), max(amount[1], 0))


def times(amount: Amount, factor: float) -> Amount:
    """The product, rounded towards zero. Source: Resources#multiply, #multiplyAndRoundDown."""
    return (truncate_long(amount[0] * factor), truncate_long(amount[1] * factor))


def fits_all(small: Amount, big: Amount) -> bool:
    """Tell whether both sides fit into `big`, whatever the calculator. Source: Resources#fitsIn(Resource, Resource)."""
    return small[0] <= big[0] and small[1] <= big[1]


class ClusterSpace(metaclass=State):
    """Totals by partition, and the smallest container; each release adds its calculator."""

    by_memory: bool  # Whether vcores limit nothing
    minimum: Amount  # The smallest container, which is the step everything is rounded to
    cluster: Amount = NOTHING  # The total of all nodes
    totals: dict[str, Amount] = {}  # The total of each partition
    changes: int = 0  # Grows with each change of a total

    def __init__(self, by_memory: bool, minimum: Amount) -> None:
        self.by_memory = by_memory
        self.minimum = minimum

    def total(self, label: str) -> Amount:
        return self.totals.get(label, NOTHING)

    def add_to(self, label: str, amount: Amount) -> None:
        self.totals[label] = plus(self.total(label), amount)
        self.changes += 1

    def numbers(self, *amounts: Amount) -> tuple[int, ...]:
        """The numbers of an obstacle: the memories of some amounts and, where vcores count, their vcores."""
        memories = tuple(amount[0] for amount in amounts)
        if self.by_memory:
            return memories
        return (*memories, *(amount[1] for amount in amounts))


def first_size(attempt: Attempt) -> Amount | None:
    """The size of the first ask of an attempt that is still open; None when none is."""
    asked = (attempt.groups[priority].anywhere for priority in attempt.priorities)
    return next(((each.memory_mb, each.vcores) for each in asked if each is not None and each.count > 0), None)


# Limits of queues and users in a partition as obstacles; one of nothing is no limit that is used up.


_OF_PARTITION: Final = (Reason.QUEUE_OVER_MAXIMUM, Reason.USER_OVER_LIMIT, Reason.NO_CAPACITY)


def limit_obstacle(reason: Reason, numbers: Sequence[int], subject: str, label: str) -> Obstacle:
    """An obstacle with the partition of its limit; `NO_CAPACITY` of a queue whose maximum there is nothing.

    `numbers` are those of `OBSTACLE_TEXTS`: of a queue's maximum what is used, the maximum, what is wanted.

    >>> limit_obstacle(Reason.QUEUE_OVER_MAXIMUM, (0, 0, 1024), "root", "gpu").reason.name
    'NO_CAPACITY'
    """
    if label and reason is Reason.QUEUE_OVER_MAXIMUM and not any(numbers[1::3]):
        return Obstacle(Reason.NO_CAPACITY, (), subject, label)
    return Obstacle(reason, tuple(numbers), subject, label if reason in _OF_PARTITION else "")
