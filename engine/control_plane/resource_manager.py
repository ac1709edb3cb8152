"""YARN's ResourceManager: the front door to a scheduler.

It owns admission (numbers, normalisation, maximum allocation, placement), the life cycle of applications and their
attempts, and the order of things: an event is handled, what the parts posted to each other meanwhile is delivered,
then the next event comes.

Source: RMAppManager, ApplicationMasterService, RMAppImpl, RMAppAttemptImpl, ResourceTrackerService, Hadoop 2.7.2.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Self

from engine.control_plane import node_events
from engine.control_plane.allocation_expiry import EXPIRE_ALLOCATIONS, AllocationExpiry
from engine.control_plane.protocol import (
    NOTHING,
    AllocationsReloaded,
    Answer,
    ApplicationFinished,
    ApplicationMasterHeartbeat,
    ApplicationMasterRegistered,
    ApplicationMovedToQueue,
    ApplicationPriorityChanged,
    ApplicationSubmitted,
    ContainerKilled,
    Event,
    NodeHeartbeat,
    NodeJoined,
    NodeLost,
    NodeRegisteredAgain,
    NodeRelabelled,
    NodeResized,
    Pass,
    SettingsChanged,
)
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.control_plane.yarn_records import cleanups, fetch_masters, grant, name_partition, requests
from engine.errors import RefusedError
from engine.model.application import Application
from engine.model.cluster import Cluster
from engine.model.decision import ApplicationTransitioned, Completed, ContainerId, Decision, Killed
from engine.model.request import ANY, ResourceRequest
from engine.schedulers.containers import put_back
from engine.schedulers.fair.allocation import FairAllocation
from engine.schedulers.interface import YarnScheduler
from engine.schedulers.optional_operations import change_priority
from engine.schedulers.registry import SCHEDULERS
from engine.schedulers.settings import resource_manager_settings
from engine.state import REFERENCE, SHARED, Slots, fork

APPLICATION_ENDS = {"FINISHED": "FINISH", "FAILED": "FAIL", "KILLED": "KILL"}
"""Final state → the move in the application table."""


class ResourceManager:
    """A ResourceManager with one scheduler."""

    STATE: ClassVar[Slots] = {
        "allocation_expiry": REFERENCE,
        "cluster": REFERENCE,
        "follow_attempts": SHARED,
        "last_number": SHARED,
        "max_attempts": SHARED,
        "name": SHARED,
        "scheduler": REFERENCE,
    }
    __slots__ = STATE

    dimensions = ("memory_mb", "vcores")

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
        """Start it, without nodes.

        Args:
            settings: Hadoop keys of yarn-site.xml.
            allocations: The loaded allocation file; None for none.
            scheduler: A name of `schedulers.registry`.
            groups: User → groups, the primary one first.
            cluster_timestamp: When it started [epoch ms]; part of every id.
            now_ms: The clock.
            follow_attempts: Whether it fetches AM containers itself and retries failed attempts. Off, a caller does.

        Raises:
            ConfigError: Settings that cannot be read or contradict one another.
        """
        self.cluster = Cluster(cluster_timestamp)
        self.scheduler: YarnScheduler = SCHEDULERS[scheduler](self.cluster, settings, allocations, groups or {}, now_ms)
        self.name = scheduler
        self.follow_attempts = follow_attempts
        own = resource_manager_settings(settings)
        self.max_attempts = own.max_attempts
        self.allocation_expiry = AllocationExpiry(own.allocation_expiry_ms)
        self.last_number = 0

    @property
    def version(self) -> int:
        """Changes whenever anything a decision may depend on changes."""
        return self.cluster.version

    # ---------------------------------------------------------------- the protocol

    def handle(self, event: Event, now_ms: int) -> Answer:
        """Apply one event; a refusal is in the answer, nothing is half-done."""
        handler = self._HANDLERS.get(type(event))
        if handler is None:
            return Answer(rejected="UnsupportedOperationException", detail=f"YARN has no {type(event).__name__}")
        try:
            answer = handler(self, event, now_ms)
        except RefusedError as error:
            answer = Answer(rejected=error.kind, detail=str(error))
        if self.scheduler.posted:
            put_back(self.cluster, self.scheduler.posted)
        return answer

    def view(self) -> YarnClusterView:
        """What observers may ask of its cluster."""
        return YarnClusterView(self.scheduler)

    def passes(self) -> tuple[Pass, ...]:
        """The scheduler's background passes and, where it follows attempts, its own."""
        passes = tuple(Pass(name, interval_ms) for name, interval_ms in self.scheduler.passes())
        expiry = self.allocation_expiry
        own = Pass(EXPIRE_ALLOCATIONS, expiry.interval_ms, waits=not expiry.fetched_ms)
        return (*passes, own) if self.follow_attempts else passes

    def run_pass(self, name: str, now_ms: int) -> Answer:
        """Run one background pass."""
        if name == EXPIRE_ALLOCATIONS:
            decisions: list[Decision] = []
            for container in self.allocation_expiry.look(self.cluster, now_ms):
                decisions += self.scheduler.complete(container, "EXPIRE", now_ms)
        else:
            decisions = self.scheduler.run_pass(name, now_ms)
        if self.scheduler.posted:
            put_back(self.cluster, self.scheduler.posted)
        return self._answer(decisions, now_ms) if decisions else NOTHING

    def pass_rests(self, name: str) -> bool:
        """Whether this pass, just run, would change nothing again while the version stays."""
        if name == EXPIRE_ALLOCATIONS:
            return not self.allocation_expiry.fetched_ms
        return self.scheduler.pass_rests(name)

    def heartbeat_is_idle(self, node: str) -> bool:
        """Whether this node's heartbeat with nothing to report would change nothing."""
        return not self.scheduler.offers_on_heartbeat(False) or self.scheduler.is_idle(self.cluster.nodes[node])

    def is_quiet(self) -> bool:
        """Whether `heartbeat_is_idle` is known to hold for every node."""
        return not self.scheduler.offers_on_heartbeat(False) or self.scheduler.is_quiet()

    def fork(self) -> Self:
        """An independent copy; both go on alike."""
        return fork(self)

    # ---------------------------------------------------------------- nodes

    def _node_event(self, event: Event, now_ms: int) -> Answer:
        decisions = node_events.HANDLERS[type(event)](self.scheduler, event, now_ms)
        return self._answer(decisions, now_ms) if decisions else NOTHING

    def _node_heartbeat(self, event: NodeHeartbeat, now_ms: int) -> Answer:
        node = node_events.node_of(self.cluster, event.node)
        node.heartbeat_ms = now_ms
        decisions = self.scheduler.heartbeat(node, event.started, event.completed, now_ms)
        return self._answer(decisions, now_ms) if decisions else NOTHING

    # ---------------------------------------------------------------- applications

    def _submitted(self, event: ApplicationSubmitted, now_ms: int) -> Answer:
        """Admit an application: its number is used up even when it is refused.

        Source: RMAppManager#submitApplication, Hadoop 2.7.2.
        """
        number = event.application if event.application is not None else self.last_number + 1
        if number in self.cluster.applications:
            raise RefusedError("YarnException", f"application {number} is already there")
        self.last_number = max(self.last_number, number)
        am = event.am
        application = Application(number, event.user, event.queue or "default", am, now_ms)
        application.name, application.type, application.partition = event.name, event.type, event.partition
        application.tags = event.tags
        application.priority, application.priority_given = event.priority or 0, event.priority is not None
        try:
            self.scheduler.admit(application, now_ms)
        except RefusedError as error:
            return Answer(application=number, rejected=error.kind, detail=str(error))
        application.max_attempts = min(event.max_attempts or self.max_attempts, self.max_attempts)
        application.happen("SUBMIT")
        self.cluster.applications[number] = application
        try:
            self.scheduler.place(application, application.queue)
        except RefusedError as error:
            self._end(application, "FAIL", str(error), now_ms)
            return Answer(application=number, rejected=error.kind, detail=str(error))
        application.happen("ACCEPT")
        self._begin_attempt(application, now_ms)
        return Answer((ApplicationTransitioned(number, "ACCEPTED", application.queue),), application=number)

    def _begin_attempt(self, application: Application, now_ms: int) -> None:
        attempt = self.scheduler.add_attempt(application, now_ms)
        application.waiting_since_ms = now_ms
        if application.am is not None:
            am = application.am
            ask = ResourceRequest(0, ANY, am.memory_mb, am.vcores, 1, partition=application.partition)
            self.scheduler.allocate(attempt, [ask], (), (), (), now_ms)

    def _registered(self, event: ApplicationMasterRegistered, now_ms: int) -> Answer:
        application = self._live(event.application)
        application.happen("REGISTER")
        return Answer((ApplicationTransitioned(application.number, "RUNNING", application.queue),))

    def _master_heartbeat(self, event: ApplicationMasterHeartbeat, now_ms: int) -> Answer:
        """An AM's call: all checks first, so that a refused call changes nothing. Source: ApplicationMasterService."""
        application = self._live(event.application)
        attempt = application.attempt
        assert attempt is not None, "a live application has an attempt"
        asks = requests(event.asks)
        if application.partition:
            name_partition(asks, application.partition)
        if asks or event.releases or event.blacklist_add:
            self.check((application.number, attempt.number), asks, event.releases, event.blacklist_add, now_ms)
        containers, decisions = self.scheduler.allocate(
            attempt, asks, event.releases, event.blacklist_add, event.blacklist_remove, now_ms
        )
        if attempt.pending and application.waiting_since_ms is None:
            application.waiting_since_ms = now_ms
        if containers and attempt.master is None and not attempt.unmanaged:
            attempt.master, containers[0].is_am = containers[0].id[2], True
        answer = self._answer(decisions, now_ms) if decisions else NOTHING
        if containers:
            self.allocation_expiry.watch([container.id for container in containers], now_ms)
        return Answer(
            answer.decisions,
            tuple(grant(container) for container in containers),
            tuple(sorted(container.id for container in attempt.marked.values())) if attempt.marked else (),
            self.scheduler.headroom(attempt),
            answer.masters,
            answer.cleanups,
        )

    def check(
        self,
        attempt: tuple[int, int],
        asks: Sequence[ResourceRequest],
        releases: Sequence[ContainerId],
        blacklist_add: Sequence[str],
        now_ms: int,
    ) -> None:
        """What an AM's call has to pass before the scheduler sees it.

        `attempt` is (application number, attempt number).

        Raises:
            RefusedError: With the real exception's name.
        """
        self.scheduler.check_asks(asks, now_ms, self._queue_of(attempt[0]))
        if ANY in blacklist_add:
            raise RefusedError("InvalidResourceBlacklistRequestException", "* cannot be blacklisted")
        for container_id in releases:
            if container_id[:2] != attempt:
                raise RefusedError("InvalidContainerReleaseException", f"{container_id} is another attempt's container")

    def _finished(self, event: ApplicationFinished, now_ms: int) -> Answer:
        application = self._live(event.application)
        assert application.attempt is not None, "a live application has an attempt"
        decisions = self.scheduler.remove_attempt(application.attempt, now_ms)
        # The requests of its own unfetched containers are put back into nothing.
        put_back(self.cluster, self.scheduler.posted)
        decisions.append(self._end(application, APPLICATION_ENDS[event.state], event.detail, now_ms))
        return Answer(tuple(decisions), cleanups=cleanups(decisions))

    def _end(self, application: Application, happening: str, detail: str, now_ms: int) -> ApplicationTransitioned:
        application.happen(happening)
        application.finished_ms = now_ms
        application.waiting_since_ms = None
        if detail:
            application.diagnostics = detail
        self.scheduler.remove_application(application)
        self.cluster.retire(application)
        return ApplicationTransitioned(application.number, application.state, application.queue, detail)

    def _container_killed(self, event: ContainerKilled, now_ms: int) -> Answer:
        container = self.cluster.container(event.container)
        if container is None:
            raise RefusedError("ContainerNotFoundException", f"there is no live container {event.container}")
        return self._answer(self.scheduler.complete(container, "KILL", now_ms, "KILLED_BY_USER"), now_ms)

    def _moved(self, event: ApplicationMovedToQueue, now_ms: int) -> Answer:
        application = self.cluster.applications.get(event.application)
        if application is None:
            raise RefusedError("YarnException", f"there is no live application {event.application}")
        self.scheduler.move_to_queue(application, event.queue)
        return Answer((ApplicationTransitioned(application.number, application.state, application.queue),))

    def _priority_changed(self, event: ApplicationPriorityChanged, now_ms: int) -> Answer:
        change_priority(self.scheduler, self._live(event.application), event.priority)
        return NOTHING

    def _queue_of(self, number: int) -> str:
        """The queue of an application, also of one that has ended; empty when it is not known."""
        application = self.cluster.applications.get(number)
        if application is not None:
            return application.queue
        return next((ended.queue for ended in self.cluster.finished if ended.number == number), "")

    def _live(self, number: int) -> Application:
        application = self.cluster.applications.get(number)
        if application is None:
            raise RefusedError("ApplicationNotFoundException", f"there is no live application {number}")
        return application

    # ---------------------------------------------------------------- application masters

    def _answer(self, decisions: list[Decision], now_ms: int) -> Answer:
        """The answer to decisions made, after what follows from them for application masters."""
        if not self.follow_attempts:
            return Answer(tuple(decisions), (), (), None, (), cleanups(decisions))
        masters = fetch_masters(self.cluster, decisions)
        self.allocation_expiry.watch([master.container for master in masters], now_ms)
        for decision in list(decisions):
            if isinstance(decision, Completed | Killed):
                decisions += self._master_ended(decision, now_ms)
        return Answer(tuple(decisions), masters=masters, cleanups=cleanups(decisions))

    def _master_ended(self, decision: Completed | Killed, now_ms: int) -> list[Decision]:
        """An AM's container ended without the application's end: try again, or give up.

        Source: RMAppAttemptImpl, RMAppImpl#AttemptFailedTransition; a preempted or lost AM does not count as a failure.
        """
        number, attempt_number, container_number = decision.container
        application = self.cluster.applications.get(number)
        attempt = application.attempt if application is not None else None
        if application is None or attempt is None:
            return []
        if (attempt.number, attempt.master) != (attempt_number, container_number):
            return []
        cause = decision.cause if isinstance(decision, Killed) else f"exit status {decision.exit_status}"
        decisions = self.scheduler.remove_attempt(attempt, now_ms)
        put_back(self.cluster, self.scheduler.posted)
        if cause not in ("PREEMPTED", "LOST"):
            application.attempts_failed += 1
        detail = f"AM container of attempt {attempt_number} ended: {cause}"
        is_only_one = application.max_attempts == 1 and self.scheduler.one_attempt_is_all
        if is_only_one or application.attempts_failed >= application.max_attempts:
            return [*decisions, self._end(application, "FAIL", detail, now_ms)]
        application.happen("RETRY")
        application.diagnostics = detail
        self._begin_attempt(application, now_ms)
        return [*decisions, ApplicationTransitioned(number, application.state, application.queue, detail)]

    # ---------------------------------------------------------------- configuration

    def _settings_changed(self, event: SettingsChanged, now_ms: int) -> Answer:
        self.scheduler.change_settings(event.values)
        return NOTHING

    def _reloaded(self, event: AllocationsReloaded, now_ms: int) -> Answer:
        self.scheduler.reload(event.allocations, now_ms)
        return NOTHING

    _HANDLERS: ClassVar[Mapping[type[Event], Callable[..., Answer]]] = MappingProxyType(
        {
            NodeHeartbeat: _node_heartbeat,
            ApplicationMasterHeartbeat: _master_heartbeat,
            NodeJoined: _node_event,
            NodeLost: _node_event,
            NodeRegisteredAgain: _node_event,
            NodeRelabelled: _node_event,
            NodeResized: _node_event,
            ApplicationSubmitted: _submitted,
            ApplicationMasterRegistered: _registered,
            ApplicationFinished: _finished,
            ContainerKilled: _container_killed,
            ApplicationMovedToQueue: _moved,
            ApplicationPriorityChanged: _priority_changed,
            SettingsChanged: _settings_changed,
            AllocationsReloaded: _reloaded,
        }
    )
    """Event → what handles it, given the event and the time."""
