"""How containers end and nodes leave, in each release; functions on the cluster, shared by all YARN policies.

2.7 frees a node's space as soon as a container has ended for the scheduler, and puts the requests of a container that
its AM never fetched back before the next event. In 3.x a container that its node reported as running keeps the node's
space until the node reports its end, and requests are put back at once.

Where a function ends containers it is given the scheduler's own `complete`, so that a policy hears of each.

Source: AbstractYarnScheduler, SchedulerNode, ClusterNodeTracker, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from engine.model.cluster import Cluster
from engine.model.decision import Completed, ContainerId, Decision, Killed, Unreserved
from engine.model.ledger import Attempt, Container, Node
from engine.schedulers.calculator import MaximumAllocation

LIVE = ("ALLOCATED", "ACQUIRED", "RUNNING")
"""States of a container that its application pays for."""

CAUSE_OF_END = {"RELEASE": "RELEASED", "EXPIRE": "EXPIRED", "KILL": "KILLED_BY_USER"}
"""How a decision names the end of a container when its caller gives no cause."""


class Complete(Protocol):
    """A scheduler's way to end a container, by a move of the container table."""

    def __call__(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        """The decisions; none for a container that ended by itself."""


def complete_27(
    cluster: Cluster, posted: list[Container], container: Container, happening: str, now_ms: int, cause: str
) -> list[Decision]:
    """End a container or reservation as in 2.7; what is to be put back is appended to `posted`."""
    if container.state == "RESERVED":
        return [unreserve(cluster, container.node)]
    if cluster.end(container, happening, now_ms):
        posted.append(container)
    cluster.vacate(container)
    if happening == "FINISH":
        return []
    return [Killed(container.id, container.node.id, cause or CAUSE_OF_END[happening])]


def complete_34(cluster: Cluster, container: Container, happening: str, now_ms: int, cause: str) -> list[Decision]:
    """End a container or reservation as in 3.x; one that has ended before only has its requests put back again.

    Source: AbstractYarnScheduler#completedContainer, SchedulerNode#releaseContainer, Hadoop 3.4.1.
    """
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


def is_live(container: Container) -> bool:
    """Whether the container's attempt still pays for it."""
    return container.attempt.live.get(container.number) is container


def put_back(cluster: Cluster, posted: list[Container]) -> None:
    """Put back the requests of posted containers, and empty the list."""
    while posted:
        container = posted.pop(0)
        cluster.recover_requests(container.attempt, container.recoverable)


def unreserve(cluster: Cluster, node: Node) -> Unreserved:
    """Drop a node's reservation."""
    container = cluster.unreserve(node)
    return Unreserved(container.id, node.id, container.priority, container.memory_mb, container.vcores)


def settle(
    cluster: Cluster,
    complete: Complete,
    node: Node,
    started: Iterable[ContainerId],
    completed: Iterable[tuple[ContainerId, int]],
    now_ms: int,
) -> list[Decision]:
    """Take over what a node's heartbeat reports: containers that run, and (id, exit status) of those that ended.

    Source: FairScheduler#nodeUpdate, Hadoop 2.7.2.
    """
    decisions: list[Decision] = []
    placed = node.containers
    for container_id in started:
        container = placed.get(container_id)
        if container is not None and container.state == "ACQUIRED":
            container.happen("LAUNCH")
            cluster.version += 1
    for container_id, exit_status in completed:
        container = placed.get(container_id)
        if container is None or container.state not in LIVE:
            container = cluster.container(container_id)
        if container is not None:
            complete(container, "FINISH", now_ms)
            decisions.append(Completed(container_id, node.id, exit_status))
        elif (ended := placed.get(container_id)) is not None:
            cluster.vacate(ended)
    return decisions


def release(cluster: Cluster, complete: Complete, ids: Iterable[ContainerId], now_ms: int) -> list[Decision]:
    """End the live ones of the containers an AM gives back."""
    decisions: list[Decision] = []
    for container_id in ids:
        container = cluster.container(container_id)
        if container is not None:
            decisions += complete(container, "RELEASE", now_ms)
    return decisions


def end_attempt(cluster: Cluster, complete: Complete, attempt: Attempt, now_ms: int) -> list[Decision]:
    """An attempt ends: its containers and reservations end with it, and it asks for nothing more."""
    decisions: list[Decision] = []
    ending: Sequence[Container] = [*attempt.live.values(), *attempt.reserved.values()]
    for container in ending:
        decisions += complete(container, "KILL", now_ms, "APPLICATION_ENDED")
    cluster.stop(attempt)
    return decisions


def remove_node(
    cluster: Cluster, maximum: MaximumAllocation, complete: Complete, node: Node, happening: str, now_ms: int
) -> list[Decision]:
    """A node leaves by a move of the node table: its containers are lost, its reservation is dropped."""
    cluster.change_total(-node.total_memory_mb, -node.total_vcores)
    decisions = _end_on_node(cluster, complete, node, now_ms)
    cluster.remove_node(node, happening)
    maximum.nodes_changed(cluster.nodes.values())
    return decisions


def resize_node(cluster: Cluster, maximum: MaximumAllocation, node: Node, memory_mb: int, vcores: int) -> None:
    """A node's total changes; what runs there goes on."""
    cluster.change_total(memory_mb - node.total_memory_mb, vcores - node.total_vcores)
    node.resize(memory_mb, vcores)
    maximum.nodes_changed(cluster.nodes.values())


def _end_on_node(cluster: Cluster, complete: Complete, node: Node, now_ms: int) -> list[Decision]:
    """A node is lost: its containers end, its reservation is dropped."""
    decisions: list[Decision] = []
    for container in list(node.containers.values()):
        decisions += complete(container, "KILL", now_ms, "LOST")
        cluster.vacate(container)
    if node.reserved is not None:
        decisions.append(unreserve(cluster, node))
    return decisions
