"""Ends containers, by the rules of each release.

2.7 frees a node's space as soon as a container has ended for the scheduler, and puts the requests of a container that
its AM never fetched back before the next event. In 3.x a container that its node reported as running keeps the node's
space until the node reports its end, and requests are put back at once.

Source: AbstractYarnScheduler, SchedulerNode, Hadoop 2.7.2 and 3.4.1.
"""

from typing import Final, Protocol

from engine.model.cluster import Cluster
from engine.model.decision import Decision, Killed, Unreserved
from engine.model.ledger import Attempt, Container, Node
from engine.state import State

LIVE: Final = ("ALLOCATED", "ACQUIRED", "RUNNING")
"""States of a container that its application pays for."""

CAUSE_OF_END: Final = {"RELEASE": "RELEASED", "EXPIRE": "EXPIRED", "KILL": "KILLED_BY_USER"}
"""How a decision names the end of a container when its caller gives no cause."""


class Complete(Protocol):
    """A policy's way to end a container, by a move of the container table."""

    def __call__(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        """The decisions; none for a container that ended by itself."""


class Release27(metaclass=State):
    """Hadoop 2.7.2."""

    cluster: Cluster
    posted: list[Container] = []
    """Containers whose requests are to be put back before the next event."""

    one_attempt_is_all = False
    """Whether an application with one attempt fails with it even where that would not count, as of a preempted AM.

    Source: RMAppImpl.AttemptFailedTransition, Hadoop 3.4.1; 2.7.2 tries again.
    """
    forgets_priorities = False
    """As of `Attempt`; a release that does ends the start-up period by the clock alone."""
    frees_again = False
    """Whether FIFO subtracts a container that ended before from its used total again.

    Source: FifoScheduler#completedContainerInternal, 3.4.1.
    """
    floors_vcores = False
    """Whether FIFO's headroom never has less than 0 vcores, as it never has less than 0 MB."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def put_back(self) -> None:
        """Put back the requests of posted containers, in order; none is posted then."""
        while self.posted:
            container = self.posted.pop(0)
            self.cluster.recover_requests(container.attempt, container.recoverable)

    def end(self, container: Container, happening: str, now_ms: int, cause: str) -> list[Decision]:
        """End a container or reservation, by a move of the container table.

        Its requests are posted where its AM never fetched it.
        """
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
        """Hand the attempt's new containers to its AM."""
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

    def put_back(self) -> None:
        """Nothing waits: requests are put back at once."""

    def end(self, container: Container, happening: str, now_ms: int, cause: str) -> list[Decision]:
        """End a container or reservation; one that has ended before only has its requests put back again.

        Source: AbstractYarnScheduler#completedContainer, SchedulerNode#releaseContainer, Hadoop 3.4.1.
        """
        cluster = self.cluster
        if container.state == "RESERVED":
            return [unreserve(cluster, container.node)]
        decisions: list[Decision] = []
        if is_live(container):
            runs_on_node = container.state == "RUNNING"
            cluster.end(container, happening, now_ms)
            if happening == "FINISH" or not runs_on_node:
                cluster.vacate(container)
            if happening != "FINISH":
                decisions.append(Killed(container.id, container.node.id, cause or CAUSE_OF_END[happening]))
        if container.recoverable:
            cluster.recover_requests(container.attempt, container.recoverable)
        return decisions

    def fetch(self, attempt: Attempt) -> list[Container]:
        """The blacklist that held before the AM was there was the system's, and goes with the AM's own container."""
        containers = self.cluster.fetch(attempt)
        if containers and attempt.blacklist and attempt.waits_for_master:
            attempt.blacklist = set()
        return containers


ReleaseRules = Release27 | Release34
"""What differs by release for every policy."""


def is_live(container: Container) -> bool:
    """Tell whether the container's attempt still pays for it."""
    return container.attempt.live.get(container.number) is container


def unreserve(cluster: Cluster, node: Node) -> Unreserved:
    """Drop a node's reservation."""
    container = cluster.unreserve(node)
    return Unreserved(container.id, node.id, container.priority, container.memory_mb, container.vcores)
