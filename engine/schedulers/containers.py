"""Ends containers, by the rules of each release.

2.7 frees a node's space as soon as a container has ended for the scheduler, and puts the requests of a container that
its AM never fetched back before the next event. In 3.x a container that its node reported as running keeps the node's
space until the node reports its end, and requests are put back at once.

Source: AbstractYarnScheduler, SchedulerNode, FifoScheduler, FairScheduler#allocate, FifoScheduler#allocate,
AppSchedulingInfo, Hadoop 2.7.2 and 3.4.1; SchedulerUtils, Resources#normalize, DefaultResourceCalculator,
DominantResourceCalculator, AbstractYarnScheduler#updateMaximumAllocation, Hadoop 2.7.2.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from engine.errors import RefusedError
from engine.model.cluster import Cluster
from engine.model.decision import Decision, Killed, Unreserved
from engine.model.java_values import INT_MAX
from engine.model.ledger import Attempt, Container, Node
from engine.model.request import Resource, ResourceRequest
from engine.settings.site import MAXIMUM_MB, MAXIMUM_VCORES, NODE_MEMORY, NODE_VCORES
from engine.state import State

# Normalisation and the maximum allocation: how large a container an application may get.


_SIDES: Final = (("memory", "mb", MAXIMUM_MB, NODE_MEMORY), ("vcores", "vcores", MAXIMUM_VCORES, NODE_VCORES))
_UNBOUNDED: Final = Resource(INT_MAX, INT_MAX)


def round_up(value: int, step: int) -> int:
    """The next multiple of `step`; a step of 0 gives 0, as in 2.7."""
    return -(-value // step) * step if step else 0


def normalise(ask: Resource, minimum: Resource, maximum: Resource, step: Resource) -> Resource:
    """An ask in memory and vcores, raised to the minimum, rounded up and capped.

    >>> normalise(Resource(1500, 1), Resource(1024, 1), Resource(8192, 32), Resource(512, 1))
    Resource(memory_mb=1536, vcores=1)
    """
    return Resource(
        min(round_up(max(ask.memory_mb, minimum.memory_mb), step.memory_mb), maximum.memory_mb),
        min(round_up(max(ask.vcores, minimum.vcores), step.vcores), maximum.vcores),
    )


def normalise_memory(ask: Resource, minimum: Resource, maximum: Resource, step: Resource) -> Resource:
    """An ask normalised by memory alone: 1 vcore, 0 without memory. Source: DefaultResourceCalculator#normalize."""
    memory_mb = min(round_up(max(ask.memory_mb, minimum.memory_mb), step.memory_mb), maximum.memory_mb)
    return Resource(memory_mb, 1 if memory_mb > 0 else 0)


def validate(
    ask: Resource, maximum: Resource, configured: Resource, own: Resource = _UNBOUNDED, key: str = "{}"
) -> None:
    """Refuse an ask that is negative or above the maximum.

    The maximum is the least of what is configured, of the largest node and of the queue's `own`, whose key is `key`
    with `mb` or `vcores` in it.

    Raises RefusedError with `InvalidResourceRequestException`, naming the larger side and what sets its maximum.
    """
    sides = zip(_SIDES, ask, maximum, configured, own, strict=True)
    for (name, unit, whole_key, node_key), value, most, whole, of_queue in sides:
        if not 0 <= value <= most:
            decider = whole_key if most >= whole else f"{node_key} of the largest node"
            decider = key.format(unit) if most >= of_queue < whole else decider
            words = f"{value} {name} asked for, but the maximum allocation is {most} ({decider})"
            raise RefusedError("InvalidResourceRequestException", words)


class MaximumAllocation(metaclass=State):
    """The largest container there may be: the configured one, but no larger than the biggest node.

    `lags` is whether the first question after the start-up period still gets the configured value, as in 2.7.2; in
    3.x the period ends by the clock alone.
    """

    configured: Resource
    effective: Resource
    _biggest: tuple[int, int] | None = None  # The largest memory and the largest vcores of any node; None without nodes
    _ready_ms: int
    _lags: bool
    _configured_only: bool = True

    def __init__(self, configured: Resource, ready_ms: int, lags: bool) -> None:
        self.configured = configured
        self.effective = configured
        self._ready_ms = ready_ms
        self._lags = lags

    def node_joined(self, node: Node) -> None:
        memory_mb, vcores = self._biggest or (node.total_memory_mb, node.total_vcores)
        self._set_biggest((max(memory_mb, node.total_memory_mb), max(vcores, node.total_vcores)))

    def nodes_changed(self, nodes: Iterable[Node]) -> None:
        totals = [(node.total_memory_mb, node.total_vcores) for node in nodes]
        if totals:
            self._set_biggest((max(memory_mb for memory_mb, _ in totals), max(vcores for _, vcores in totals)))
        else:
            self._biggest, self.effective = None, self.configured

    def _set_biggest(self, biggest: tuple[int, int]) -> None:
        self._biggest = biggest
        self.effective = Resource(min(self.configured.memory_mb, biggest[0]), min(self.configured.vcores, biggest[1]))

    def ask(self, now_ms: int) -> Resource:
        """The maximum at this moment; asking has the real one's side effect."""
        if not self._configured_only:
            return self.effective
        if now_ms > self._ready_ms:
            self._configured_only = False
            return self.configured if self._lags else self.effective
        return self.configured

    def configure(self, configured: Resource, nodes: Iterable[Node]) -> None:
        self.configured = configured
        self.nodes_changed(nodes)


LIVE: Final = ("ALLOCATED", "ACQUIRED", "RUNNING")  # States of a container that its application pays for

CAUSE_OF_END: Final = {"RELEASE": "RELEASED", "EXPIRE": "EXPIRED", "KILL": "KILLED_BY_USER"}
"""How a decision names the end of a container when its caller gives no cause."""


class Release27(metaclass=State):
    cluster: Cluster
    posted: list[Container] = []  # Containers whose requests are to be put back before the next event

    one_attempt_is_all = False
    """Whether an application with one attempt fails with it even where that would not count, as of a preempted AM.

    Source: RMAppImpl.AttemptFailedTransition, Hadoop 3.4.1; 2.7.2 tries again.
    """
    forgets_priorities = False  # As of `Attempt`; a release that does ends the start-up period by the clock alone
    frees_again = False
    """Whether FIFO subtracts a container that ended before again. Source: FifoScheduler#completedContainerInternal."""
    floors_vcores = False  # Whether FIFO's headroom never has less than 0 vcores, as it never has less than 0 MB

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def put_back(self, now_ms: int) -> None:
        """Put back the requests of posted containers, in order; none is posted then."""
        while self.posted:
            container = self.posted.pop(0)
            self.cluster.recover_requests(container.attempt, container.recoverable, now_ms)

    def end(self, container: Container, happening: str, now_ms: int, cause: str) -> list[Decision]:
        """End a container or reservation; what its AM never fetched has its requests posted."""
        cluster = self.cluster
        if container.state == "RESERVED":
            return [unreserve(cluster, container.node)]
        if cluster.end(container, happening, now_ms):
            self.posted.append(container)
        cluster.vacate(container)
        if happening == "FINISH":
            return []
        return [Killed(container.id, container.node.id, cause or CAUSE_OF_END[happening])]

    def fetch(self, attempt: Attempt) -> list[Container]:
        return self.cluster.fetch(attempt)


class Release34(metaclass=State):
    """Hadoop 3.4.1; what it has means the same as in `Release27`."""

    cluster: Cluster

    one_attempt_is_all = True
    forgets_priorities = True
    frees_again = True
    floors_vcores = True
    posted = ()

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def put_back(self, now_ms: int) -> None:
        """Nothing waits: requests are put back at once."""

    def end(self, container: Container, happening: str, now_ms: int, cause: str) -> list[Decision]:
        """End a container or reservation; one that has ended before only has its requests put back again.

        Source: AbstractYarnScheduler#completedContainer, SchedulerNode#releaseContainer, Hadoop 3.4.1.
        """
        cluster = self.cluster
        if container.state == "RESERVED":
            return [unreserve(cluster, container.node)]
        decisions: list[Decision] = []
        if container.attempt.pays_for(container):
            runs_on_node = container.state == "RUNNING"
            cluster.end(container, happening, now_ms)
            if happening == "FINISH" or not runs_on_node:
                cluster.vacate(container)
            if happening != "FINISH":
                decisions.append(Killed(container.id, container.node.id, cause or CAUSE_OF_END[happening]))
        if container.recoverable:
            cluster.recover_requests(container.attempt, container.recoverable, now_ms)
        return decisions

    def fetch(self, attempt: Attempt) -> list[Container]:
        """The blacklist that held before the AM was there was the system's, and goes with the AM's own container."""
        containers = self.cluster.fetch(attempt)
        if containers and attempt.blacklist and attempt.waits_for_master:
            attempt.blacklist = set()
        return containers


ReleaseRules = Release27 | Release34  # What differs by release for every policy


def unreserve(cluster: Cluster, node: Node) -> Unreserved:
    container = cluster.unreserve(node)
    return Unreserved(container.id, node.id, container.priority, container.memory_mb, container.vcores)


# Rules of policies with one queue and containers sized by memory.


def check_asks(asks: Iterable[ResourceRequest], maximum: Resource, *limits: Any) -> None:
    """Refuse asks above a maximum, as `validate`; raises `RefusedError`."""
    for ask in asks:
        validate(Resource(ask.memory_mb, ask.vcores), maximum, *limits)


def resize(asks: Iterable[ResourceRequest], size_of: Callable[[Resource], Resource]) -> None:
    """Give asks their normalised sizes, in place; each size is normalised once."""
    sizes: dict[tuple[int, int], Resource] = {}
    for ask in asks:
        asked = (ask.memory_mb, ask.vcores)
        size = sizes.get(asked)
        if size is None:
            size = sizes[asked] = size_of(Resource(*asked))
        ask.memory_mb, ask.vcores = size.memory_mb, size.vcores


def change_blacklist(cluster: Cluster, attempt: Attempt, add: Sequence[str], remove: Sequence[str]) -> bool:
    """Change the blacklist that holds for the attempt now; whether adding or removing changed it."""
    if not add and not remove:
        return False
    before = set(attempt.blacklist)
    attempt.blacklist.update(add)
    changed = attempt.blacklist != before
    before = set(attempt.blacklist)
    attempt.blacklist.difference_update(remove)
    cluster.version += 1
    return changed or attempt.blacklist != before
