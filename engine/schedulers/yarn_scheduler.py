"""The front of every YARN policy: nodes, attempts and calls of application masters come in here.

The policy is what differs. It decides in `offer`, and says which applications are let in, how large a container is and
what follows when a node joins or leaves.

Source: AbstractYarnScheduler, AbstractYarnScheduler#recoverContainersOnNode, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, Generic

from typing_extensions import TypeVar

from engine.errors import RefusedError
from engine.model.cluster import NO_OFFERS, Cluster
from engine.model.decision import Completed, ContainerId, Decision
from engine.model.identity import container_id_hash, hash_map_order
from engine.model.java_collections import JavaPriorityQueue, Keyed, by_key
from engine.model.ledger import Application, Attempt, Container, Node
from engine.model.request import Resource, ResourceRequest
from engine.schedulers.containers import (
    LIVE,
    MaximumAllocation,
    ReleaseRules,
    change_blacklist,
    check_asks,
    normalise_memory,
    resize,
    validate,
)
from engine.schedulers.interface import PolicyView
from engine.schedulers.obstacle_texts import Obstacle, Reason, Recorder
from engine.state import Dropped, State

AnyAttempt = TypeVar("AnyAttempt", bound=Attempt[Any], default=Any)
"""The attempts of one policy, which its own `start_attempt` made; no other ones are handed to it."""


class Policy(Generic[AnyAttempt], metaclass=State):
    """Decides which application gets a node.

    A policy overrides what it has. One that overrides nothing of the rest sizes containers by memory, and has no
    passes, no node labels, no priorities and nothing that changes while it runs.
    """

    name: str  # As scenarios call it
    kind: str  # The real scheduler in whose form a server answers: `fair`, `capacity` or `fifo`, which has one queue
    cluster: Cluster
    minimum: Resource
    maximum: MaximumAllocation
    release: ReleaseRules  # The differences by release that hold for every policy
    recorder: Dropped[Recorder | None] = None  # Hears of obstacles; None costs nothing

    probes_by_size: ClassVar[bool] = True
    """Whether `obstacle_on` looks only at the sizes of an unreserved node, for an attempt of no place."""

    def __init__(
        self,
        name: str,
        kind: str,
        cluster: Cluster,
        minimum: Resource,
        maximum: MaximumAllocation,
        release: ReleaseRules,
    ) -> None:
        self.name = name
        self.kind = kind
        self.cluster = cluster
        self.minimum = minimum
        self.maximum = maximum
        self.release = release

    # ---------------------------------------------------------------- offers

    def offer(self, node: Node, now_ms: int) -> list[Decision]:
        """Offer a node; decide and apply."""
        raise NotImplementedError

    def is_idle(self, node: Node) -> bool:
        """Tell whether an offer of this node would change nothing."""
        return node.idle_version == self.cluster.version

    def all_nodes_idle(self) -> bool:
        """Tell whether `is_idle` is known to hold for every node."""
        return False

    def complete(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        """A container or reservation ends, by a move of the container table; no decision for one that ended itself."""
        return self.release.end(container, happening, now_ms, cause)

    def overcommitted(self, node: Node, now_ms: int) -> Sequence[Container]:
        """The containers to end on a node that has shrunk, once its timeout is over."""
        return ()

    # ---------------------------------------------------------------- questions, which change nothing

    def headroom(self, attempt: AnyAttempt) -> Resource:
        raise NotImplementedError

    def obstacle(self, attempt: AnyAttempt) -> Obstacle | None:
        """Return the attempt's obstacle that holds on every node; None when there is none."""
        raise NotImplementedError

    def obstacle_on(self, attempt: AnyAttempt, node: Node, now_ms: int) -> Obstacle | None:
        """Return the attempt's obstacle on a node, where `obstacle` found nothing."""
        raise NotImplementedError

    def view(self) -> PolicyView:
        raise NotImplementedError

    # ---------------------------------------------------------------- applications

    def admit(self, application: Application, now_ms: int) -> None:
        """Check an application before it exists, and normalise its AM; raises `RefusedError`. Source: RMAppManager."""
        if application.am is not None:
            validate(application.am, self.maximum.ask(now_ms), self.maximum.configured)
            maximum = self.maximum.ask(now_ms)
            application.am = normalise_memory(application.am, self.minimum, maximum, self.minimum)

    def place(self, application: Application, requested: str) -> None:
        """Find the application's queue and set it; raises `RefusedError` when there is none for it."""
        raise NotImplementedError

    def start_attempt(
        self, application: Application, number: int, now_ms: int, kept: Sequence[Container]
    ) -> AnyAttempt:
        """Begin an attempt of an application that was placed; `kept` outlived the attempt before."""
        raise NotImplementedError

    def finish_attempt(self, attempt: AnyAttempt) -> None:
        """An attempt has ended, and all it held."""

    def drop_application(self, application: Application) -> None:
        """An application has ended, or was refused after its admission."""

    # ---------------------------------------------------------------- what application masters ask for

    def check(self, asks: Iterable[ResourceRequest], now_ms: int, queue: str) -> None:
        """Refuse asks above the maximum, which 3.x may have per queue; raises `RefusedError` before any change."""
        check_asks(asks, self.maximum.ask(now_ms), self.maximum.configured)

    def normalize_requests(self, attempt: AnyAttempt, asks: Sequence[ResourceRequest], now_ms: int) -> None:
        """Give the asks of a call their normalised sizes, before anything of it takes effect."""
        maximum = self.maximum.ask(now_ms)
        resize(asks, lambda asked: normalise_memory(asked, self.minimum, maximum, self.minimum))

    def after_allocate(self, attempt: AnyAttempt, asks: Sequence[ResourceRequest], *, blacklist_changed: bool) -> None:
        """A call has taken effect, and its containers are about to be fetched."""

    # ---------------------------------------------------------------- nodes

    def on_node_added(self, node: Node) -> None:
        """A node has joined."""

    def before_node_removed(self, node: Node) -> list[Decision]:
        """The cluster's total is without the node; its containers still run."""
        return []

    def after_node_removed(self, node: Node) -> None:
        """A node is gone, and what ran there has ended."""

    def before_node_resized(self, node: Node) -> None:
        """A node's total is about to change."""

    def after_node_resized(self, node: Node) -> list[Decision]:
        """A node's total has changed; its reservation may be dropped."""
        return []

    def knows_label(self, label: str) -> bool:
        """Tell whether the cluster has a node label; the empty one stands for none."""
        return not label

    def label_node(self, node: Node, partition: str, now_ms: int) -> list[Decision]:
        """A node moves to another partition; raises `RefusedError` for one that the cluster does not have."""
        raise RefusedError("UnsupportedOperationException", f"{self.name} has no node labels")

    # ---------------------------------------------------------------- passes beside the heartbeats

    def passes(self) -> tuple[tuple[str, int], ...]:
        """Names and intervals [ms], in the order they run within an instant."""
        return ()

    def run_pass(self, name: str, now_ms: int) -> list[Decision]:
        """Run a pass; raises `NotImplementedError` for one that the policy does not have."""
        raise NotImplementedError(name)

    def pass_is_idle(self, name: str) -> bool:
        """Tell whether a pass, just run, is known to change nothing again while the version stays."""
        return False

    def resume_pass(self, name: str, last_ms: int) -> None:
        """A pass that rested goes on: move clocks on as if it had run until then [epoch ms]."""

    def longest_timer_ms(self) -> int:
        """Return the longest wait of its passes for something that changes by time alone [ms], all waits in a row."""
        return 0

    def repeats(self, now_ms: int) -> bool:
        """Tell whether passes go through the same again and again without a decision: when each runs matters."""
        return False

    def catch_up(self, now_ms: int) -> None:
        """Make an update that comes before the next event, if one is due."""

    # ---------------------------------------------------------------- what an earlier life left

    def charge_recovered(self, container: Container) -> None:
        """A container that its node brought back is paid for; the cluster's ledgers have it already.

        Source: Queue#recoverContainer and what implements it, SchedulerApplicationAttempt#recoverContainer.
        """

    def count_master(self, container: Container) -> None:
        """Count a container as a master, as where the policy had given it itself.

        The real classes do so for what they give only; a Capacity Scheduler counts a master when its attempt begins.
        """

    def charge_reservation(self, held: Container) -> None:
        """A reservation is paid for."""

    def order_anew(self, attempt: AnyAttempt) -> None:
        """Put an attempt and its queues where their use belongs among the others."""

    # ---------------------------------------------------------------- what changes while it runs

    def move_to_queue(self, application: Application, queue: str) -> None:
        """Move an application; raises `RefusedError` where it may not."""
        raise RefusedError("YarnException", f"{self.name} does not support moving applications between queues")

    def change_priority(self, application: Application, priority: int) -> None:
        """Change an application's priority; raises `RefusedError` where its user may not have it.

        Differs: under a scheduler whose applications have no priority Hadoop takes a new priority without effect; here
        it is refused.
        """
        raise RefusedError("UnsupportedOperationException", f"applications of {self.name} have no priority")

    def change_settings(self, values: Mapping[str, str]) -> None:
        """Change settings, all or, with a `RefusedError` where one of them cannot change, none."""
        message = f"{self.name} has no setting that can change while it runs: {', '.join(values)}"
        raise RefusedError("IllegalArgumentException", f"{message}; it takes a restart")

    def reload(self, allocation: object, now_ms: int) -> None:
        """Take over a newly loaded allocation file; raises `RefusedError` where the policy has none of this kind."""
        raise RefusedError("UnsupportedOperationException", f"{self.name} has no allocation file")


class YarnScheduler(metaclass=State):
    policy: Policy
    cluster: Cluster
    release: ReleaseRules
    port_in_node_name: bool
    offers_idle_heartbeats: bool
    offers_busy_heartbeats: bool

    def __init__(
        self,
        policy: Policy,
        *,
        port_in_node_name: bool,
        offers_idle_heartbeats: bool = True,
        offers_busy_heartbeats: bool = True,
    ) -> None:
        """Put a policy behind the front.

        Args:
            port_in_node_name: Whether requests name nodes with their ports.
            offers_idle_heartbeats: Whether a node is offered at a heartbeat that reports no completed container; if
                not, such a heartbeat changes nothing.
            offers_busy_heartbeats: Whether a node is offered at a heartbeat that reports one.
        """
        self.policy = policy
        self.cluster = policy.cluster
        self.release = policy.release
        self.port_in_node_name = port_in_node_name
        self.offers_idle_heartbeats = offers_idle_heartbeats
        self.offers_busy_heartbeats = offers_busy_heartbeats

    # ---------------------------------------------------------------- nodes

    def add_node(self, host: str, port: int, rack: str, memory_mb: int, vcores: int, partition: str) -> Node:
        """A node joins; a label that the cluster has not is dropped. Source: #updateNodeLabelsFromNMReport."""
        label = partition if self.policy.knows_label(partition) else ""
        node = self.cluster.add_node(host, port, rack, memory_mb, vcores, label, self.port_in_node_name)
        self.policy.maximum.node_joined(node)
        self.policy.on_node_added(node)
        return node

    def remove_node(self, node: Node, happening: str, now_ms: int) -> list[Decision]:
        """A node leaves by a move of the node table: its containers are lost, its reservation is dropped."""
        cluster, complete = self.cluster, self.policy.complete
        cluster.change_total(-node.total_memory_mb, -node.total_vcores)
        decisions = self.policy.before_node_removed(node)
        for container in list(node.containers.values()):
            decisions += complete(container, "KILL", now_ms, "LOST")
            cluster.vacate(container)
        if node.reserved is not None:
            decisions += complete(node.reserved, "KILL", now_ms, "LOST")
        cluster.remove_node(node, happening)
        self.policy.maximum.nodes_changed(cluster.nodes.values())
        self.policy.after_node_removed(node)
        return decisions

    def resize_node(self, node: Node, memory_mb: int, vcores: int) -> list[Decision]:
        self.policy.before_node_resized(node)
        self.cluster.resize_node(node, memory_mb, vcores)
        self.policy.maximum.nodes_changed(self.cluster.nodes.values())
        return self.policy.after_node_resized(node)

    def heartbeat(
        self, node: Node, started: Sequence[ContainerId], completed: Sequence[tuple[ContainerId, int]], now_ms: int
    ) -> list[Decision]:
        """Settle what a node reports, then offer it; one that is over-committed for too long loses containers."""
        self.policy.catch_up(now_ms)
        decisions = self.apply_node_report(node, started, completed, now_ms) if started or completed else []
        too_many = self.policy.overcommitted(node, now_ms)
        if self.offers_busy_heartbeats if completed else self.offers_idle_heartbeats:
            decisions += self.policy.offer(node, now_ms)
        for container in too_many:
            decisions += self.policy.complete(container, "KILL", now_ms, "PREEMPTED")
        return decisions

    def apply_node_report(
        self, node: Node, started: Iterable[ContainerId], completed: Iterable[tuple[ContainerId, int]], now_ms: int
    ) -> list[Decision]:
        """Take over what a node reports: ids that run, and (id, exit status) of what ended. Source: #nodeUpdate."""
        cluster, complete, placed = self.cluster, self.policy.complete, node.placed
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

    # ---------------------------------------------------------------- applications and their masters

    def admit(self, application: Application, now_ms: int) -> None:
        """Check an application before it exists, and normalise its AM; raises `RefusedError`."""
        self.policy.catch_up(now_ms)
        self.policy.admit(application, now_ms)

    def add_attempt(self, application: Application, now_ms: int, kept: Sequence[Container] = ()) -> Attempt:
        number = application.attempts_made = application.attempts_made + 1
        attempt: Attempt = self.policy.start_attempt(application, number, now_ms, kept)
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
        self.policy.finish_attempt(attempt)
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
        self.policy.catch_up(now_ms)
        # Also where nothing is asked: the call reads the maximum allocation, and in 2.7 the first reading matters.
        self.policy.normalize_requests(attempt, asks, now_ms)
        decisions: list[Decision] = []
        for container_id in releases:
            container = cluster.container(container_id)
            if container is not None:
                decisions += self.policy.complete(container, "RELEASE", now_ms)
        if asks:
            cluster.update_requests(attempt, asks)
        changed = change_blacklist(cluster, attempt, blacklist_add, blacklist_remove)
        self.policy.after_allocate(attempt, asks, blacklist_changed=changed)
        return self.release.fetch(attempt), decisions


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


_NEVER_MS: Final = 2**63 - 1


def by_start(lists: Sequence[Sequence[AnyAttempt]]) -> Iterator[AnyAttempt]:
    """Merge lists of parked attempts by start time; of equals the one that Java's PriorityQueue has on top.

    Source: MaxRunningAppsEnforcer.MultiListStartTimeIterator, Hadoop 2.7.2 and 3.4.1.
    """
    queue = JavaPriorityQueue[Keyed]()
    places = [0] * len(lists)
    for index, attempts in enumerate(lists):
        queue.add((attempts[0].started_ms if attempts else _NEVER_MS, index), by_key)
    while queue.items and queue.items[0][0] != _NEVER_MS:
        _, index = queue.poll(by_key)
        attempts, place = lists[index], places[index]
        yield attempts[place]
        places[index] = place = place + 1
        queue.add((attempts[place].started_ms if place < len(attempts) else _NEVER_MS, index), by_key)
