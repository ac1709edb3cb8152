"""YARN's ResourceManager: the front door to a scheduler.

It owns admission (numbers, normalisation, maximum allocation, placement), the life cycle of applications and their
attempts, and the order of things: an event is handled, what the parts posted to each other meanwhile is delivered,
then the next event comes.

Source: RMAppManager, ApplicationMasterService, RMAppImpl, RMAppAttemptImpl, ResourceTrackerService, Hadoop 2.7.2;
AbstractYarnScheduler#recoverContainersOnNode, RMAppImpl.RMAppRecoveredTransition, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final

from engine.control_plane import applications as application_masters
from engine.control_plane import protocol
from engine.control_plane.applications import EXPIRE_ALLOCATIONS, AllocationExpiry, ApplicationAttempts, cleanups
from engine.control_plane.protocol import NOTHING, Answer, Event, Pass
from engine.control_plane.recovery import Recovery, recover_containers
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.errors import RefusedError
from engine.model.cluster import NO_OFFERS, Cluster
from engine.model.decision import ApplicationTransitioned, Decision
from engine.model.ledger import Application, Node
from engine.model.request import ANY, YARN_DIMENSIONS, ResourceRequest
from engine.schedulers.fair.settings import FairAllocation
from engine.schedulers.interface import SchedulerStart
from engine.schedulers.registry import SCHEDULERS
from engine.schedulers.settings import resource_manager_settings
from engine.schedulers.yarn_scheduler import YarnScheduler
from engine.state import Owned, Shared, State

NODE_LEAVES: Final = {"LOST": "EXPIRE", "UNHEALTHY": "SICKEN", "DECOMMISSIONED": "DECOMMISSION"}
"""State a node is reported in → its move in the node table."""


def node_of(cluster: Cluster, name: str) -> Node:
    """A node that is up. Raises RefusedError if there is none of this name."""
    node = cluster.nodes.get(name)
    if node is None:
        raise RefusedError("NodeNotFoundException", f"there is no node {name}")
    return node


def _joined(
    scheduler: YarnScheduler, event: protocol.NodeJoined | protocol.NodeRegisteredAgain, now_ms: int
) -> list[Decision]:
    if event.node in scheduler.cluster.nodes:
        raise RefusedError("IllegalStateException", f"node {event.node} is already there")
    host, _, port = event.node.rpartition(":")
    node = scheduler.add_node(host, int(port), event.rack, event.memory_mb, event.vcores, event.partition)
    node.heartbeat_ms = now_ms
    return []


def registered_again(scheduler: YarnScheduler, event: protocol.NodeRegisteredAgain, now_ms: int) -> list[Decision]:
    """A node that runs nothing is removed and added at once. Source: RMNodeImpl.ReconnectNodeTransition."""
    node = scheduler.cluster.nodes.get(event.node)
    if node is None:
        return _joined(scheduler, event, now_ms)
    node.heartbeat_ms = now_ms
    started = [each.container for each in event.containers if each.exit_status is None]
    if started:
        ended = [(each.container, each.exit_status) for each in event.containers if each.exit_status is not None]
        return scheduler.apply_node_report(node, started, ended, now_ms)
    decisions = scheduler.remove_node(node, "REBOOT", now_ms)
    return decisions + _joined(scheduler, event, now_ms)


def _lost(scheduler: YarnScheduler, event: protocol.NodeLost, now_ms: int) -> list[Decision]:
    return scheduler.remove_node(node_of(scheduler.cluster, event.node), NODE_LEAVES[event.state], now_ms)


def _resized(scheduler: YarnScheduler, event: protocol.NodeResized, now_ms: int) -> list[Decision]:
    node = node_of(scheduler.cluster, event.node)
    if (event.memory_mb, event.vcores) == (node.total_memory_mb, node.total_vcores):
        return []
    return scheduler.resize_node(node, event.memory_mb, event.vcores)


_NODE_HANDLERS: Final[Mapping[type, Callable[[YarnScheduler, Any, int], list[Decision]]]] = {
    protocol.NodeJoined: _joined,
    protocol.NodeLost: _lost,
    protocol.NodeRelabelled: lambda scheduler, event, now_ms: scheduler.policy.label_node(
        node_of(scheduler.cluster, event.node), event.partition, now_ms
    ),
    protocol.NodeResized: _resized,
}
"""Event → what it does to the scheduler; Any: each function takes the event it stands beside."""


# The configuration a ResourceManager starts its scheduler with, now and after a restart.
#
# A change at run time is also written to the files, so the next start reads it, too.


class Configuration(metaclass=State):
    """Settings, allocations and groups, and what changed since."""

    name: str  # The scheduler's name, as in `schedulers.registry`
    settings: dict[str, str]
    allocations: Shared[FairAllocation | None]
    groups: dict[str, tuple[str, ...]]
    changes: Owned[list[object]] = []  # Keys and values of changed settings, and loaded allocations, in their order

    def __init__(
        self,
        name: str,
        settings: Mapping[str, str],
        allocations: FairAllocation | None,
        groups: Mapping[str, Sequence[str]],
    ) -> None:
        self.name = name
        self.settings = dict(settings)
        self.allocations = allocations
        self.groups = {user: tuple(names) for user, names in groups.items()}

    def scheduler(self, cluster: Cluster, now_ms: int) -> YarnScheduler:
        """A new scheduler over an empty cluster, with all changes so far. Raises ConfigError."""
        made = SCHEDULERS[self.name](SchedulerStart(cluster, self.settings, self.allocations, self.groups, now_ms))
        for change in self.changes:
            with suppress(RefusedError):  # one that only a queue of that moment could take is forgotten
                if isinstance(change, tuple):
                    made.policy.change_settings(dict(change))
                else:
                    made.policy.reload(change, now_ms)
        return made


# Takes over applications as they stand: what they hold is charged, and no policy is asked whether it may be.
#
# This is what a ResourceManager does with what nodes and masters bring back after its start (`recovery`), all at once,
# and with reservations and the use of masters, which a real restart loses. So a simulation can begin as a cluster
# stands.


def take_over(attempts: ApplicationAttempts, application: Application, event: protocol.ApplicationRecovered) -> Answer:
    """An application is there with all it holds, but its master has to register. Raises RefusedError."""
    scheduler, policy, cluster = attempts.scheduler, attempts.scheduler.policy, attempts.cluster
    nodes = {name: node_of(cluster, name) for name, _ in event.containers}
    requested = application.queue
    scheduler.admit(application, event.submitted_ms)
    application.transition("SUBMIT")
    scheduler.policy.place(application, requested)
    cluster.applications[application.number] = application
    application.transition("ACCEPT")
    application.attempts_made = event.attempt - 1
    if event.has_master:
        attempt = scheduler.add_attempt(application, event.submitted_ms)
    else:
        attempt = attempts.begin(application, event.submitted_ms)
    placed = application.queue
    if policy.kind != "fifo" and placed != requested and not placed.endswith(f".{requested}"):
        policy.move_to_queue(application, requested)
    for name, known in event.containers:
        container = cluster.recover(
            attempt,
            (application.number, attempt.number, known.container[2]),
            nodes[name],
            known.priority,
            known.memory_mb,
            known.vcores,
            known.created_ms,
        )
        if attempt.waits_for_master:
            attempt.master, container.is_am = known.container[2], True
            attempt.am_memory_mb, attempt.am_vcores = container.memory_mb, container.vcores
            policy.count_master(container)
        policy.charge_recovered(container)
    policy.order_anew(attempt)
    attempt.last_container_number = max(attempt.last_container_number, event.last_container)
    if event.has_master or event.waiting_since_ms is not None:
        application.waiting_since_ms = event.waiting_since_ms
    taken = ApplicationTransitioned(application.number, "ACCEPTED", application.queue, "recovered")
    return Answer((taken,), application=application.number)


def take_over_reservation(attempts: ApplicationAttempts, event: protocol.ReservationRecovered) -> Answer:
    """A node is reserved as it was, also where nothing is asked. Raises RefusedError if it cannot be."""
    attempt, node = attempts.live(event.application).attempt, node_of(attempts.cluster, event.node)
    assert attempt is not None, "an attempt has begun"
    if attempt.group(event.priority).anywhere is None:
        nothing = ResourceRequest(event.priority, ANY, event.memory_mb, event.vcores, 0)
        attempts.cluster.update_requests(attempt, [nothing])
    if node.reserved is not None:
        raise RefusedError("InvalidReservation", f"{event.node} is reserved already")
    policy, number = attempts.scheduler.policy, attempt.next_container_number()
    size = event.memory_mb, event.vcores
    policy.charge_reservation(attempts.cluster.reserve(attempt, node, event.priority, *size, number, event.since_ms))
    policy.order_anew(attempt)
    return Answer()


# ruff: noqa: SLF001 -- the table of handlers names methods of the class above it


class ResourceManager(metaclass=State):
    name: str
    configuration: Configuration
    follow_attempts: bool
    max_attempts: int
    recovery: Recovery
    allocation_expiry: AllocationExpiry
    cluster: Cluster
    last_number: int = 0
    attempts: ApplicationAttempts
    scheduler: YarnScheduler

    dimensions = YARN_DIMENSIONS

    def __init__(
        self,
        settings: Mapping[str, str],
        allocations: FairAllocation | None,
        *,
        scheduler: str,
        groups: Mapping[str, Sequence[str]] | None = None,
        cluster_timestamp: int,
        now_ms: int,
        follow_attempts: bool = True,
    ) -> None:
        """Start it, without nodes. Raises ConfigError for settings that cannot be read or contradict one another.

        Args:
            scheduler: A name of `schedulers.registry`.
            groups: User → groups, the primary one first.
            cluster_timestamp: When it started [epoch ms]; part of every id.
            follow_attempts: Whether it fetches AM containers itself and retries failed attempts. Off, a caller does.
        """
        self.name = scheduler
        self.configuration = Configuration(scheduler, settings, allocations, groups or {})
        self.follow_attempts = follow_attempts
        own = resource_manager_settings(settings, is_34=scheduler.endswith("-3.4"))
        self.max_attempts = own.max_attempts
        self.recovery = Recovery(own.recovery, now_ms)
        self.allocation_expiry = AllocationExpiry(own.allocation_expiry_ms)
        self.cluster = Cluster(cluster_timestamp)
        self._begin_life(now_ms)

    def _begin_life(self, now_ms: int) -> None:
        self.allocation_expiry.fetched_ms = {}
        self.scheduler = self.configuration.scheduler(self.cluster, now_ms)
        self.attempts = ApplicationAttempts(
            self.cluster, self.scheduler, self.allocation_expiry, self.recovery, follow=self.follow_attempts
        )

    @property
    def answers(self) -> bool:
        return self.recovery.answers

    @property
    def version(self) -> int:
        return self.cluster.version

    # ---------------------------------------------------------------- the protocol

    def handle(self, event: Event, now_ms: int) -> Answer:
        handler = _HANDLERS.get(type(event))
        if handler is None:
            return Answer(rejected="UnsupportedOperationException", detail=f"YARN has no {type(event).__name__}")
        # A server that is down hears only the order to start.
        if not self.recovery.answers and type(event) is not protocol.ResourceManagerStarted:
            return Answer(rejected="ConnectException", detail="no ResourceManager answers")
        try:
            answer = handler(self, event, now_ms)
        except RefusedError as error:
            answer = Answer(rejected=error.kind, detail=str(error))
        # What the parts posted to each other meanwhile comes before the next event.
        if self.scheduler.release.posted:
            self.scheduler.release.put_back(now_ms)
        return answer

    def view(self) -> YarnClusterView:
        return YarnClusterView(self.scheduler, self.recovery)

    def passes(self) -> tuple[Pass, ...]:
        if not self.recovery.answers:
            return ()
        passes = tuple(Pass(name, interval_ms) for name, interval_ms in self.scheduler.policy.passes())
        expiry = self.allocation_expiry
        own = Pass(EXPIRE_ALLOCATIONS, expiry.interval_ms, waits=not expiry.fetched_ms)
        return (*passes, own) if self.follow_attempts else passes

    def run_pass(self, name: str, now_ms: int) -> Answer:
        if name == EXPIRE_ALLOCATIONS:
            decisions: list[Decision] = []
            for container in self.allocation_expiry.look(self.cluster, now_ms):
                decisions += self.scheduler.policy.complete(container, "EXPIRE", now_ms)
        else:
            decisions = self.scheduler.policy.run_pass(name, now_ms)
        if self.scheduler.release.posted:
            self.scheduler.release.put_back(now_ms)
        return self.attempts.answer(decisions, now_ms) if decisions else NOTHING

    def pass_is_idle(self, name: str) -> bool:
        if name == EXPIRE_ALLOCATIONS:
            return not self.allocation_expiry.fetched_ms
        return self.scheduler.policy.pass_is_idle(name)

    def resume_pass(self, name: str, last_ms: int) -> None:
        self.scheduler.policy.resume_pass(name, last_ms)

    def heartbeat_is_idle(self, node: str) -> bool:
        scheduler = self.scheduler
        return not scheduler.offers_idle_heartbeats or scheduler.policy.is_idle(self.cluster.nodes[node])

    def all_nodes_idle(self) -> bool:
        return not self.scheduler.offers_idle_heartbeats or self.scheduler.policy.all_nodes_idle()

    def knows_label(self, label: str) -> bool:
        return self.scheduler.policy.knows_label(label)

    # ---------------------------------------------------------------- nodes

    def _node_event(self, event: Event, now_ms: int) -> Answer:
        decisions = _NODE_HANDLERS[type(event)](self.scheduler, event, now_ms)
        if self.recovery.state == "RECOVERING" and isinstance(event, protocol.NodeJoined):
            self.recovery.missing.pop(event.node, None)
            self.recovery.look(now_ms)
        return self.attempts.answer(decisions, now_ms) if decisions else NOTHING

    def _node_registered_again(self, event: protocol.NodeRegisteredAgain, now_ms: int) -> Answer:
        """A node that this life does not know brings its containers; its answer kills containers without an owner."""
        is_known = event.node in self.cluster.nodes
        decisions = registered_again(self.scheduler, event, now_ms)
        if not is_known:
            node = self.cluster.nodes[event.node]
            decisions += recover_containers(self.recovery, self.scheduler, node, event.containers)
        self.recovery.missing.pop(event.node, None)
        self.recovery.look(now_ms)
        return self.attempts.answer(decisions, now_ms)

    def _node_heartbeat(self, event: protocol.NodeHeartbeat, now_ms: int) -> Answer:
        node = node_of(self.cluster, event.node)
        node.heartbeat_ms = now_ms
        decisions = self.scheduler.heartbeat(node, event.started, event.completed, now_ms)
        return self.attempts.answer(decisions, now_ms) if decisions else NOTHING

    # ---------------------------------------------------------------- applications

    def _submitted(self, event: protocol.ApplicationSubmitted, now_ms: int) -> Answer:
        """Admit an application, or use its number up. Source: RMAppManager#submitApplication."""
        application = self._new_application(event, now_ms)
        number = application.number
        try:
            self.scheduler.admit(application, now_ms)
        except RefusedError as error:
            return Answer(application=number, rejected=error.kind, detail=str(error))
        application.transition("SUBMIT")
        self.cluster.applications[number] = application
        try:
            self.scheduler.policy.place(application, application.queue)
        except RefusedError as error:
            self.attempts.end(application, "FAIL", str(error), now_ms)
            return Answer(application=number, rejected=error.kind, detail=str(error))
        application.transition("ACCEPT")
        self.attempts.begin(application, now_ms)
        return Answer((ApplicationTransitioned(number, "ACCEPTED", application.queue),), application=number)

    def _new_application(self, event: protocol.ApplicationSubmitted, submitted_ms: int) -> Application:
        """An application as its client describes it. Raises RefusedError if its number is taken."""
        number = event.application if event.application is not None else self.last_number + 1
        if number in self.cluster.applications:
            raise RefusedError("YarnException", f"application {number} is already there")
        # An explicit number may be lower than those given already.
        self.last_number = max(self.last_number, number)
        application = Application(number, event.user, event.queue or "default", event.am, submitted_ms)
        application.name, application.type, application.partition = event.name, event.type, event.partition
        application.tags = event.tags
        application.keeps_containers = event.keeps_containers
        application.failures_validity_ms = event.failures_validity_ms
        application.priority, application.priority_given = event.priority or 0, event.priority is not None
        application.max_attempts = min(event.max_attempts or self.max_attempts, self.max_attempts)
        return application

    def _application_recovered(self, event: protocol.ApplicationRecovered, now_ms: int) -> Answer:
        application = self._new_application(event.submission, event.submitted_ms)
        return take_over(self.attempts, application, event)

    def _master_event(self, event: Event, now_ms: int) -> Answer:
        return application_masters.HANDLERS[type(event)](self.attempts, event, now_ms)

    def _finished(self, event: protocol.ApplicationFinished, now_ms: int) -> Answer:
        application = self.attempts.live(event.application)
        decisions = self.attempts.finish(application, event.state, event.detail, now_ms)
        return Answer(tuple(decisions), cleanups=cleanups(decisions))

    def _container_killed(self, event: protocol.ContainerKilled, now_ms: int) -> Answer:
        container = self.cluster.container(event.container)
        if container is None:
            raise RefusedError("ContainerNotFoundException", f"there is no live container {event.container}")
        return self.attempts.answer(self.scheduler.policy.complete(container, "KILL", now_ms, "KILLED_BY_USER"), now_ms)

    def _moved(self, event: protocol.ApplicationMovedToQueue, now_ms: int) -> Answer:
        application = self.cluster.applications.get(event.application)
        if application is None:
            raise RefusedError("YarnException", f"there is no live application {event.application}")
        self.scheduler.policy.move_to_queue(application, event.queue)
        application.moved_to = event.queue
        return Answer((ApplicationTransitioned(application.number, application.state, application.queue),))

    def _priority_changed(self, event: protocol.ApplicationPriorityChanged, now_ms: int) -> Answer:
        self.scheduler.policy.change_priority(self.attempts.live(event.application), event.priority)
        return NOTHING

    # ---------------------------------------------------------------- restart

    def _stopped(self, event: protocol.ResourceManagerStopped, now_ms: int) -> Answer:
        """Stop; its last state stays readable, and nothing is decided."""
        self.recovery.stop(self.cluster.nodes, now_ms)
        self.cluster.offers_after_ms = NO_OFFERS
        self.cluster.version += 1
        return NOTHING

    def _started(self, event: protocol.ResourceManagerStarted, now_ms: int) -> Answer:
        """Load the store: applications wait for their masters, and for nodes. Source: ResourceManager#recover.

        Differs: ids keep the first cluster timestamp, and numbers of applications go on; the real ones begin again
        at 1 under a new timestamp, which orders them behind the old ones, too.
        """
        if self.recovery.answers:
            raise RefusedError("IllegalStateException", "a ResourceManager is there already")
        former, recovery = self.cluster, self.recovery
        self.cluster = Cluster(former.cluster_timestamp)
        self.cluster.version = former.version + 1
        held_any = False
        if recovery.settings.enabled:
            self.cluster.finished = former.finished
            held_any = bool(former.applications or former.finished)
        recovery.start(held_any, now_ms)
        self.cluster.offers_after_ms = recovery.waits_until_ms
        recorder = self.scheduler.policy.recorder
        self._begin_life(now_ms)
        self.scheduler.policy.recorder = recorder
        return self.attempts.answer(self.attempts.recover_all(former, now_ms), now_ms)

    def _recovery_timer(self, event: protocol.RecoveryTimer, now_ms: int) -> Answer:
        self.recovery.look(now_ms)
        if now_ms > self.cluster.offers_after_ms:
            self.cluster.offers_after_ms = -1
        self.cluster.version += 1
        return NOTHING

    # ---------------------------------------------------------------- configuration

    def _settings_changed(self, event: protocol.SettingsChanged, now_ms: int) -> Answer:
        self.scheduler.policy.change_settings(event.values)
        self.configuration.changes.append(tuple(event.values.items()))
        return NOTHING

    def _reloaded(self, event: protocol.AllocationsReloaded, now_ms: int) -> Answer:
        self.scheduler.policy.reload(event.allocations, now_ms)
        self.configuration.changes.append(event.allocations)
        return NOTHING


_HANDLERS: Final[Mapping[type[Event], Callable[..., Answer]]] = MappingProxyType(
    {
        **dict.fromkeys(_NODE_HANDLERS, ResourceManager._node_event),
        **dict.fromkeys(application_masters.HANDLERS, ResourceManager._master_event),
        protocol.NodeHeartbeat: ResourceManager._node_heartbeat,
        protocol.NodeRegisteredAgain: ResourceManager._node_registered_again,
        protocol.ApplicationSubmitted: ResourceManager._submitted,
        protocol.ApplicationRecovered: ResourceManager._application_recovered,
        protocol.ReservationRecovered: lambda rm, event, now_ms: take_over_reservation(rm.attempts, event),
        protocol.ApplicationFinished: ResourceManager._finished,
        protocol.ContainerKilled: ResourceManager._container_killed,
        protocol.ApplicationMovedToQueue: ResourceManager._moved,
        protocol.ApplicationPriorityChanged: ResourceManager._priority_changed,
        protocol.SettingsChanged: ResourceManager._settings_changed,
        protocol.AllocationsReloaded: ResourceManager._reloaded,
        protocol.ResourceManagerStopped: ResourceManager._stopped,
        protocol.ResourceManagerStarted: ResourceManager._started,
        protocol.RecoveryTimer: ResourceManager._recovery_timer,
    }
)
"""Event → what handles it, given the event and the time."""
