"""The front of every YARN policy: nodes, attempts and calls of application masters come in here.

The policy is what differs. It decides in `offer`, and its rules say who is let in, how large a container is and what
follows when a node joins or leaves. A policy is given to the front with its rules, and extends nothing.

Source: AbstractYarnScheduler, Hadoop 2.7.2 and 3.4.1; AbstractYarnScheduler#recoverContainersOnNode, Hadoop 2.7.2 and
3.4.1.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from engine.errors import RefusedError
from engine.model.cluster import NO_OFFERS, Cluster, container_id_hash, hash_map_order
from engine.model.decision import Completed, ContainerId, Decision
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.request import ResourceRequest
from engine.schedulers.containers import LIVE, ReleaseRules, change_blacklist
from engine.schedulers.interface import (
    ApplicationRules,
    AskRules,
    BackgroundPasses,
    LabelRules,
    LiveQueues,
    NodeRules,
    Overcommitment,
    Policy,
    PriorityRules,
    RecoveryRules,
    RestingClocks,
    Updates,
)
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.state import State


class YarnScheduler(metaclass=State):
    """A scheduler with one policy."""

    policy: Policy[Any]
    cluster: Cluster
    release: ReleaseRules
    applications: ApplicationRules[Any]
    asks: AskRules[Any]
    port_in_node_name: bool
    offers_idle_heartbeats: bool
    offers_busy_heartbeats: bool
    queues: LiveQueues | None
    nodes: NodeRules | None
    background: BackgroundPasses | None
    updates: Updates | None
    clocks: RestingClocks | None
    overcommitment: Overcommitment | None
    recovery: RecoveryRules[Any] | None
    labels: LabelRules | None
    priorities: PriorityRules | None

    def __init__(
        self,
        policy: Policy[Any],
        applications: ApplicationRules[Any],
        asks: AskRules[Any],
        *,
        port_in_node_name: bool,
        offers_idle_heartbeats: bool = True,
        offers_busy_heartbeats: bool = True,
        queues: LiveQueues | None = None,
        nodes: NodeRules | None = None,
        background: BackgroundPasses | None = None,
        updates: Updates | None = None,
        clocks: RestingClocks | None = None,
        overcommitment: Overcommitment | None = None,
        recovery: RecoveryRules[Any] | None = None,
        labels: LabelRules | None = None,
        priorities: PriorityRules | None = None,
    ) -> None:
        """Put a policy behind the front; a rule that is None is one the policy does not have.

        Args:
            port_in_node_name: Whether requests name nodes with their ports.
            offers_idle_heartbeats: Whether a node is offered at a heartbeat that reports no completed container; if
                not, such a heartbeat changes nothing.
            offers_busy_heartbeats: Whether a node is offered at a heartbeat that reports one.
        """
        self.policy = policy
        self.cluster = policy.cluster
        self.release = policy.release
        self.applications = applications
        self.asks = asks
        self.port_in_node_name = port_in_node_name
        self.offers_idle_heartbeats = offers_idle_heartbeats
        self.offers_busy_heartbeats = offers_busy_heartbeats
        self.queues = queues
        self.nodes = nodes
        self.background = background
        self.updates = updates
        self.clocks = clocks
        self.overcommitment = overcommitment
        self.recovery = recovery
        self.labels = labels
        self.priorities = priorities

    # ---------------------------------------------------------------- nodes

    def add_node(self, host: str, port: int, rack: str, memory_mb: int, vcores: int, partition: str) -> Node:
        node = self.cluster.add_node(host, port, rack, memory_mb, vcores, partition, self.port_in_node_name)
        self.policy.maximum.node_joined(node)
        if self.nodes is not None:
            self.nodes.on_node_added(node)
        return node

    def remove_node(self, node: Node, happening: str, now_ms: int) -> list[Decision]:
        """A node leaves by a move of the node table: its containers are lost, its reservation is dropped."""
        cluster, complete = self.cluster, self.policy.complete
        cluster.change_total(-node.total_memory_mb, -node.total_vcores)
        decisions = self.nodes.before_node_removed(node) if self.nodes is not None else []
        for container in list(node.containers.values()):
            decisions += complete(container, "KILL", now_ms, "LOST")
            cluster.vacate(container)
        if node.reserved is not None:
            decisions += complete(node.reserved, "KILL", now_ms, "LOST")
        cluster.remove_node(node, happening)
        self.policy.maximum.nodes_changed(cluster.nodes.values())
        if self.nodes is not None:
            self.nodes.after_node_removed(node)
        return decisions

    def resize_node(self, node: Node, memory_mb: int, vcores: int) -> list[Decision]:
        """A node's total changes; what runs there goes on, a reservation may be dropped."""
        if self.nodes is not None:
            self.nodes.before_node_resized(node)
        self.cluster.change_total(memory_mb - node.total_memory_mb, vcores - node.total_vcores)
        node.resize(memory_mb, vcores)
        self.policy.maximum.nodes_changed(self.cluster.nodes.values())
        return self.nodes.after_node_resized(node) if self.nodes is not None else []

    def heartbeat(
        self, node: Node, started: Sequence[ContainerId], completed: Sequence[tuple[ContainerId, int]], now_ms: int
    ) -> list[Decision]:
        """Settle what a node reports, then offer it; one that is over-committed for too long loses containers."""
        if self.updates is not None:
            self.updates.catch_up(now_ms)
        decisions = self.apply_node_report(node, started, completed, now_ms) if started or completed else []
        timeouts = self.overcommitment
        too_many = timeouts.to_kill(node, now_ms) if timeouts is not None and timeouts.until_ms else ()
        if self.offers_busy_heartbeats if completed else self.offers_idle_heartbeats:
            decisions += self.policy.offer(node, now_ms)
        for container in too_many:
            decisions += self.policy.complete(container, "KILL", now_ms, "PREEMPTED")
        return decisions

    def apply_node_report(
        self, node: Node, started: Iterable[ContainerId], completed: Iterable[tuple[ContainerId, int]], now_ms: int
    ) -> list[Decision]:
        """Take over what a node reports: containers that run, and (id, exit status) of those that ended.

        Source: FairScheduler#nodeUpdate, Hadoop 2.7.2.
        """
        cluster, complete, placed = self.cluster, self.policy.complete, node.containers
        decisions: list[Decision] = []
        for container_id in started:
            container = placed.get(container_id)
            if container is not None and container.state == "ACQUIRED":
                container.transition("LAUNCH")
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

    def heartbeat_is_idle(self, node: Node) -> bool:
        """Tell whether a heartbeat with nothing to report would change nothing."""
        return not self.offers_idle_heartbeats or self.policy.is_idle(node)

    def all_nodes_idle(self) -> bool:
        """Tell whether `heartbeat_is_idle` is known to hold for every node."""
        return not self.offers_idle_heartbeats or self.policy.all_nodes_idle()

    # ---------------------------------------------------------------- applications and their masters

    def admit(self, application: Application, now_ms: int) -> None:
        """Check an application before it exists, and normalise its AM; raises `RefusedError`."""
        if self.updates is not None:
            self.updates.catch_up(now_ms)
        self.applications.admit(application, now_ms)

    def add_attempt(self, application: Application, now_ms: int, kept: Sequence[Container] = ()) -> Attempt:
        """Begin an attempt of an application that was placed."""
        number = application.attempts_made = application.attempts_made + 1
        attempt = self.applications.start_attempt(application, number, now_ms, kept)
        self.cluster.version += 1
        return attempt

    def remove_attempt(self, attempt: Attempt, now_ms: int) -> list[Decision]:
        """An attempt ends: its containers and reservations end with it, and it asks for nothing more.

        Containers end in the order of the class's map of ids, which the sums in float32 of CapacityScheduler 3.x depend
        on. `Differs:` an attempt that once held many more containers may end them in another order in Hadoop, whose map
        never shrinks. Source: #doneApplicationAttempt.
        """
        decisions: list[Decision] = []
        live, timestamp = list(attempt.live.values()), self.cluster.cluster_timestamp
        live = hash_map_order(live, [container_id_hash(timestamp, container.id) for container in live])
        for container in [*live, *attempt.reserved.values()]:
            decisions += self.policy.complete(container, "KILL", now_ms, "APPLICATION_ENDED")
        self.cluster.stop(attempt)
        self.applications.finish_attempt(attempt)
        return decisions

    def allocate(
        self,
        attempt: Attempt,
        asks: Sequence[ResourceRequest],
        releases: Iterable[ContainerId],
        blacklist_add: Sequence[str],
        blacklist_remove: Sequence[str],
        now_ms: int,
    ) -> tuple[list[Container], list[Decision]]:
        """One AM call, after its checks: the containers handed over, and what its releases ended."""
        cluster = self.cluster
        if self.updates is not None:
            self.updates.catch_up(now_ms)
        # Also where nothing is asked: the call reads the maximum allocation, and in 2.7 the first reading matters.
        self.asks.normalize_requests(attempt, asks, now_ms)
        decisions: list[Decision] = []
        for container_id in releases:
            container = cluster.container(container_id)
            if container is not None:
                decisions += self.policy.complete(container, "RELEASE", now_ms)
        if asks:
            cluster.update_requests(attempt, asks)
        changed = change_blacklist(cluster, attempt, blacklist_add, blacklist_remove)
        self.asks.after_allocate(attempt, asks, blacklist_changed=changed)
        return self.release.fetch(attempt), decisions

    # ---------------------------------------------------------------- passes

    def passes(self) -> tuple[tuple[str, int], ...]:
        """Names and intervals [ms] of the policy's background passes, in the order they run within an instant."""
        return self.background.passes() if self.background is not None else ()

    def run_pass(self, name: str, now_ms: int) -> list[Decision]:
        """Run a background pass; raises `NotImplementedError` for one that the policy does not have."""
        if self.background is None:
            raise NotImplementedError(name)
        return self.background.run_pass(name, now_ms)

    def pass_is_idle(self, name: str) -> bool:
        """Tell whether a pass, just run, is known to change nothing again while the version stays."""
        return self.background is not None and self.background.pass_is_idle(name)

    def longest_timer_ms(self) -> int:
        """Return the longest wait of passes for something that changes by time alone [ms], all waits in a row."""
        return self.background.longest_timer_ms() if self.background is not None else 0


# Operations that only some policies have; the others refuse them.


def change_priority(scheduler: YarnScheduler, application: Application, priority: int) -> None:
    """Change an application's priority. Raises RefusedError if the policy has none, or the user may not have this one.

    Differs: under a scheduler whose applications have no priority Hadoop takes a new priority without effect; here it
    is refused.
    """
    if scheduler.priorities is None:
        raise RefusedError("UnsupportedOperationException", f"applications of {scheduler.policy.name} have no priority")
    scheduler.priorities.change_priority(application, priority)


def relabel(scheduler: YarnScheduler, node: Node, partition: str, now_ms: int) -> list[Decision]:
    """Move a node to another partition. Raises RefusedError if the policy has no partitions, or not this one."""
    if scheduler.labels is None:
        raise RefusedError("UnsupportedOperationException", f"{scheduler.policy.name} has no node labels")
    return scheduler.labels.label_node(node, partition, now_ms)


def move_to_queue(scheduler: YarnScheduler, application: Application, queue: str) -> None:
    """Move an application to another queue.

    Raises RefusedError if the policy has no queues, or the application may not go there.
    """
    if scheduler.queues is None:
        message = f"{scheduler.policy.name} does not support moving applications between queues"
        raise RefusedError("YarnException", message)
    scheduler.queues.move_to_queue(application, queue)


def change_settings(scheduler: YarnScheduler, values: Mapping[str, str]) -> None:
    """Change settings while it runs, all or none. Raises RefusedError if one of them cannot change."""
    if scheduler.queues is None:
        message = f"{scheduler.policy.name} has no setting that can change while it runs: {', '.join(values)}"
        raise RefusedError("IllegalArgumentException", f"{message}; it takes a restart")
    scheduler.queues.change_settings(values)


def reload(scheduler: YarnScheduler, allocation: object, now_ms: int) -> None:
    """Take over a newly loaded allocation file. Raises RefusedError if the policy has none of this kind."""
    if scheduler.queues is None:
        raise RefusedError("UnsupportedOperationException", f"{scheduler.policy.name} has no allocation file")
    scheduler.queues.reload(allocation, now_ms)


# A restart of the ResourceManager as policies meet it.
#
# A policy lets its own figures follow, where it has some (`RecoveryRules`); the cluster's ledgers have the containers
# already. Recovery itself stands in an application's way before the policy is asked.


def charge_recovered(scheduler: YarnScheduler, container: Container) -> None:
    """Let the policy pay for a container that its node brought back."""
    if scheduler.recovery is not None:
        scheduler.recovery.charge(container)


def count_master(scheduler: YarnScheduler, container: Container) -> None:
    """Let the policy count a container as a master, as where it had given it itself."""
    attempt = container.attempt
    attempt.am_memory_mb, attempt.am_vcores = container.memory_mb, container.vcores
    if scheduler.recovery is not None:
        scheduler.recovery.count_master(container)


def reserve_recovered(
    scheduler: YarnScheduler, attempt: Attempt, node: Node, priority: int, size: tuple[int, int], since_ms: int
) -> None:
    """Hold a node as it was held before."""
    number = attempt.next_container_number()
    held = scheduler.cluster.reserve(attempt, node, priority, *size, number, since_ms)
    if scheduler.recovery is not None:
        scheduler.recovery.charge_reservation(held)
        scheduler.recovery.order_anew(attempt)


def order_anew(scheduler: YarnScheduler, attempt: Attempt) -> None:
    """Put an attempt and its queues where their use belongs among the others, where the policy keeps them in order."""
    if scheduler.recovery is not None:
        scheduler.recovery.order_anew(attempt)


NO_RESOURCE_MANAGER: Final = Obstacle(Reason.NO_RESOURCE_MANAGER)
MASTER_NOT_BACK: Final = Obstacle(Reason.MASTER_NOT_BACK)
RECOVERY_WAIT: Final = Obstacle(Reason.RECOVERY_WAIT)


def obstacle_before_nodes(scheduler: YarnScheduler, attempt: Attempt) -> Obstacle | None:
    """Return the obstacle that holds on every node: recovery first, then that of the policy in the queues."""
    closed_until_ms = scheduler.cluster.offers_after_ms
    if closed_until_ms == NO_OFFERS and attempt.pending:
        return NO_RESOURCE_MANAGER
    if attempt.recovered:
        return MASTER_NOT_BACK
    if closed_until_ms >= 0 and attempt.pending:
        return RECOVERY_WAIT
    return scheduler.policy.obstacle(attempt)
