"""The attempts of a ResourceManager's applications: they begin, end, are followed by another, and are recovered.

Source: ContainerAllocationExpirer, AbstractLivelinessMonitor, RMContainerImpl.AcquiredTransition, Hadoop 2.7.2 and
3.4.1: a container is watched from the call that fetched it, and looked at every third of the interval. One that was
allocated and never fetched is not watched: it ends with its attempt, when its silent master expires.

Source: RMAppImpl, RMAppAttemptImpl, RMAppManager, ApplicationMasterService, AMLivelinessMonitor, Hadoop 2.7.2 and
3.4.1.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from engine.control_plane.protocol import (
    NOTHING,
    Answer,
    ApplicationMasterHeartbeat,
    ApplicationMasterLost,
    ApplicationMasterRegistered,
    ApplicationMasterUnregistered,
    Ask,
    Cleanup,
    Grant,
)
from engine.control_plane.recovery import EXIT_KILLED_BY_RM, Recovery, recovered
from engine.errors import RefusedError
from engine.model.cluster import Cluster
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, ContainerId, Decision, Killed
from engine.model.ledger import Application, Attempt, Container
from engine.model.request import ANY, ResourceRequest
from engine.schedulers.yarn_scheduler import YarnScheduler
from engine.settings.site import MAX_ATTEMPTS, RECOVERY
from engine.state import State
from engine.units import plural

# Between the protocol's records and the model's objects, for YARN.


def requests(asks: Sequence[Ask]) -> list[ResourceRequest]:
    """Asks as the model keeps them; new objects, since a scheduler normalises in place."""
    return [_request(ask) for ask in asks]


def _request(ask: Ask) -> ResourceRequest:
    return ResourceRequest(
        ask.priority,
        ask.resource_name,
        ask.memory_mb,
        ask.vcores,
        ask.count,
        ask.relax_locality,
        ask.partition,
        ask.allocation_id,
    )


def name_partition(asks: Sequence[ResourceRequest], partition: str) -> None:
    """Name the application's partition in asks for anywhere that name none. Source: DefaultAMSProcessor, 3.4.1."""
    for ask in asks:
        if ask.resource_name == ANY and not ask.partition:
            ask.partition = partition


def grant(container: Container) -> Grant:
    size = container.memory_mb, container.vcores
    return Grant(container.id, container.node.id, container.priority, *size, container.created_ms)


def cleanups(decisions: Sequence[Decision]) -> tuple[Cleanup, ...]:
    killed = [decision for decision in decisions if type(decision) is Killed]
    return tuple([Cleanup(each.node, each.container) for each in killed if each.cause != "LOST"]) if killed else ()


def fetch_masters(cluster: Cluster, decisions: Sequence[Decision]) -> tuple[Grant, ...]:
    """Fetch the AM containers among new allocations. Source: RMAppAttemptImpl#AMContainerAllocatedTransition."""
    masters: list[Grant] = []
    for decision in decisions:
        if type(decision) is not Allocated:
            continue
        application = cluster.applications.get(decision.container[0])
        attempt = application.attempt if application is not None else None
        if attempt is None or attempt.unmanaged or attempt.master is not None:
            continue
        for container in cluster.fetch(attempt):
            attempt.master, container.is_am = container.id[2], True
            masters.append(grant(container))
    return tuple(masters)


EXPIRE_ALLOCATIONS: Final = "expire_allocations"  # The name of the pass that looks


class AllocationExpiry(metaclass=State):
    """Keeps the instant each container was fetched at, until the container runs."""

    expiry_ms: int
    fetched_ms: dict[ContainerId, int] = {}
    """Containers fetched since the last look, and those that did not run then; in order of fetching."""

    def __init__(self, expiry_ms: int) -> None:
        self.expiry_ms = expiry_ms

    @property
    def interval_ms(self) -> int:
        return max(self.expiry_ms // 3, 1)

    def watch(self, containers: Iterable[ContainerId], now_ms: int) -> None:
        for container in containers:
            self.fetched_ms[container] = now_ms

    def look(self, cluster: Cluster, now_ms: int) -> list[Container]:
        """The containers to take back: fetched longer ago than the interval, strictly, and not running."""
        waiting = {
            name: container
            for name in self.fetched_ms
            if (container := cluster.container(name)) is not None and container.state == "ACQUIRED"
        }
        overdue = [one for name, one in waiting.items() if now_ms > self.fetched_ms[name] + self.expiry_ms]
        late = {one.id for one in overdue}
        self.fetched_ms = {name: self.fetched_ms[name] for name in waiting if name not in late}
        return overdue


APPLICATION_ENDS: Final = {"FINISHED": "FINISH", "FAILED": "FAIL", "KILLED": "KILL"}
"""Final state → the move in the application table."""

UNCOUNTED: Final = ("PREEMPTED", "LOST", f"exit status {EXIT_KILLED_BY_RM}")
"""Ends of an AM's container that are no failure of the application. Source: RMAppAttemptImpl, ContainerExitStatus."""


class ApplicationAttempts(metaclass=State):
    """Begins, follows and ends application attempts, for one life of a ResourceManager."""

    cluster: Cluster
    scheduler: YarnScheduler
    allocation_expiry: AllocationExpiry
    recovery: Recovery
    follow: bool  # Whether AM containers are fetched here and failed attempts are tried again

    def __init__(
        self, cluster: Cluster, scheduler: YarnScheduler, expiry: AllocationExpiry, recovery: Recovery, *, follow: bool
    ) -> None:
        self.cluster = cluster
        self.scheduler = scheduler
        self.allocation_expiry = expiry
        self.recovery = recovery
        self.follow = follow

    def answer(self, decisions: list[Decision], now_ms: int) -> Answer:
        if not self.follow:
            return Answer(tuple(decisions), (), (), None, (), cleanups(decisions))
        masters = fetch_masters(self.cluster, decisions)
        self.allocation_expiry.watch([master.container for master in masters], now_ms)
        for decision in list(decisions):
            if isinstance(decision, Completed | Killed):
                decisions += self._container_ended(decision, now_ms)
        return Answer(tuple(decisions), masters=masters, cleanups=cleanups(decisions))

    def live(self, number: int) -> Application:
        """An application that has not ended. Raises RefusedError if there is none of this number."""
        application = self.cluster.applications.get(number)
        if application is None:
            raise RefusedError("ApplicationNotFoundException", f"there is no live application {number}")
        return application

    def begin(self, application: Application, now_ms: int, kept: Sequence[Container] = ()) -> Attempt:
        """An attempt begins, with what outlived the one before; the container of its master is asked for."""
        attempt = self.scheduler.add_attempt(application, now_ms, kept)
        # Known before the attempt ends, as its containers are kept only where another may follow.
        application.may_be_last = application.max_attempts == application.failures(now_ms) + 1
        # Ids of containers begin at the epoch of this life, so that those of former lives stay apart.
        attempt.last_container_number = self.recovery.last_container_number
        application.waiting_since_ms = now_ms
        if application.am is not None:
            am = application.am
            ask = ResourceRequest(0, ANY, am.memory_mb, am.vcores, 1, partition=application.partition)
            self.scheduler.allocate(attempt, [ask], (), (), (), now_ms)
        return attempt

    def end(self, application: Application, happening: str, detail: str, now_ms: int) -> ApplicationTransitioned:
        # One that is refused has entered no queue. Source: CapacityScheduler#doneApplication, 3.4.1.
        is_in_queue = application.state != "SUBMITTED"
        application.transition(happening)
        application.finished_ms = now_ms
        application.waiting_since_ms = None
        if detail:
            application.diagnostics = detail
        if is_in_queue:
            self.scheduler.policy.drop_application(application)
        self.cluster.retire(application)
        self.recovery.master_known(application.number)
        return ApplicationTransitioned(application.number, application.state, application.queue, detail)

    def finish(self, application: Application, state: str, detail: str, now_ms: int) -> list[Decision]:
        decisions: list[Decision] = []
        if application.attempt is not None:
            decisions = self.scheduler.remove_attempt(application.attempt, now_ms)
        # The requests of its own unfetched containers are put back into nothing.
        self.scheduler.release.put_back(now_ms)
        return [*decisions, self.end(application, APPLICATION_ENDS[state], detail, now_ms)]

    def _container_ended(self, decision: Completed | Killed, now_ms: int) -> list[Decision]:
        number, attempt_number, container_number = decision.container
        application = self.cluster.applications.get(number)
        if application is None:
            return []
        if isinstance(decision, Completed):
            application.preempted = 0
        elif decision.cause == "PREEMPTED":
            application.preempted_since_ms = application.preempted_since_ms if application.preempted else now_ms
            application.preempted += 1
        attempt = application.attempt
        master = attempt.master if attempt is not None else self.recovery.lost_masters.get(number)
        # Not the master of the attempt that lives.
        if (application.attempts_made, master) != (attempt_number, container_number):
            return []
        # Its master had said goodbye: that its container ends is no failure.
        if application.unregistered is not None:
            return self.finish(application, *application.unregistered, now_ms)
        cause = decision.cause if isinstance(decision, Killed) else f"exit status {decision.exit_status}"
        return self.over(
            application, cause not in UNCOUNTED, f"AM container of attempt {attempt_number} ended: {cause}", now_ms
        )

    def over(self, application: Application, is_counted: bool, detail: str, now_ms: int) -> list[Decision]:
        """The attempt that lives is over: try again, or give up. An unmanaged application has one attempt.

        Source: RMAppImpl.AttemptFailedTransition; a preempted or lost AM does not count as a failure.
        """
        decisions: list[Decision] = []
        application.failed_ms += (now_ms,) if is_counted else ()
        is_only_one = application.max_attempts == 1 and self.scheduler.release.one_attempt_is_all
        # An unmanaged application has nothing that could be started again.
        is_last = application.am is None or is_only_one or application.failures(now_ms) >= application.max_attempts
        kept: list[Container] = []
        if application.attempt is not None:
            # Source: RMAppAttemptImpl, which asks whether another attempt may follow when this one begins.
            if not is_last and application.keeps_containers and not (is_counted and application.may_be_last):
                kept = application.attempt.part_with_running()
            decisions = self.scheduler.remove_attempt(application.attempt, now_ms)
            self.scheduler.release.put_back(now_ms)
        self.recovery.master_known(application.number)
        if is_last and application.am is not None:
            most = plural(application.max_attempts, "failed attempt")
            detail = f"{detail}; it is given up after {most} ({MAX_ATTEMPTS}, or fewer by its own maximum)"
        if is_last:
            return [*decisions, self.end(application, "FAIL", detail, now_ms)]
        application.transition("RETRY")
        application.diagnostics = detail
        self.begin(application, now_ms, kept)
        return [*decisions, ApplicationTransitioned(application.number, application.state, application.queue, detail)]

    # ---------------------------------------------------------------- recovery

    def recover_all(self, former: Cluster, now_ms: int) -> list[Decision]:
        """All live applications of the former life come back from the store, or without one are lost."""
        applications = former.applications
        if self.recovery.settings.enabled:
            return [self._recover(applications[number], now_ms) for number in sorted(applications)]
        detail = f"the ResourceManager started without its state ({RECOVERY} is not true)"
        return [ApplicationTransitioned(each.number, "FAILED", each.queue, detail) for each in applications.values()]

    def _recover(self, former: Application, now_ms: int) -> Decision:
        """An application comes back from the store, without its containers, and waits for its master.

        Source: RMAppManager#recover, RMAppImpl.RMAppRecoveredTransition. Differs: after a restart the memory and
        vcore seconds of an application count from 0; a real ResourceManager adds those of its earlier attempts.
        """
        application, lived, scheduler = recovered(former), former.attempt, self.scheduler
        master = lived.master if lived is not None else None
        # An attempt is stored once its master's container has been allocated, or where it needs none.
        has_attempt = lived is None or lived.unmanaged or master is not None
        application.transition("SUBMIT")
        self.cluster.applications[application.number] = application
        try:
            scheduler.admit(application, now_ms)
            scheduler.policy.place(application, application.queue)
        except RefusedError as error:
            return self.end(application, "FAIL", f"cannot be recovered: {error}", now_ms)
        application.transition("ACCEPT")
        if not has_attempt:
            self.begin(application, now_ms)
        elif self.recovery.settings.preserves_work:
            attempt = scheduler.add_attempt(application, now_ms)
            application.may_be_last = application.max_attempts == application.failures(now_ms) + 1
            attempt.last_container_number = self.recovery.last_container_number
            attempt.master = master
            attempt.recovered = True
        else:
            application.attempts_made = former.attempts_made
            if master is not None:
                self.recovery.lost_masters[application.number] = master
        if has_attempt:
            self.recovery.unregistered[application.number] = former.attempts_made
            application.waiting_since_ms = None
        # It came back in the queue its client named, and where the store has moves (3.x) is moved once more.
        if self.recovery.settings.stores_moves and former.moved_to and application.attempt is not None:
            scheduler.policy.move_to_queue(application, former.moved_to)
        return ApplicationTransitioned(application.number, application.state, application.queue, "recovered")


# Handles the calls of application masters to a ResourceManager: register, allocate, unregister, and silence.


def _registered(attempts: ApplicationAttempts, event: ApplicationMasterRegistered, now_ms: int) -> Answer:
    application = attempts.live(event.application)
    if application.attempt is None:
        raise RefusedError("InvalidApplicationMasterRequestException", "its attempt is not known any more")
    application.transition("REGISTER")
    application.attempt.recovered = False
    attempts.recovery.master_known(application.number)
    attempts.recovery.look(now_ms)
    attempt, kept = application.attempt, application.keeps_containers
    previous = [grant(each) for each in attempt.live.values() if kept and each.number != attempt.master]
    return Answer((ApplicationTransitioned(application.number, "RUNNING", application.queue),), tuple(previous))


def _called(attempts: ApplicationAttempts, event: ApplicationMasterHeartbeat, now_ms: int) -> Answer:
    """All checks first, so that a refused call changes nothing."""
    application, scheduler = attempts.live(event.application), attempts.scheduler
    attempt = application.attempt
    if attempt is None:
        raise RefusedError("ApplicationAttemptNotFoundException", "its attempt is not known any more")
    if application.number in attempts.recovery.unregistered:
        raise RefusedError("ApplicationMasterNotRegisteredException", "it has to register again")
    asks = requests(event.asks)
    if application.partition:
        name_partition(asks, application.partition)
    if asks or event.releases or event.blacklist_add:
        releases = () if application.keeps_containers else event.releases
        check(scheduler, (application.number, attempt.number), asks, releases, event.blacklist_add, now_ms)
    containers, decisions = scheduler.allocate(
        attempt, asks, event.releases, event.blacklist_add, event.blacklist_remove, now_ms
    )
    if not attempt.pending:
        application.waiting_since_ms = None
    elif application.waiting_since_ms is None:
        application.waiting_since_ms = now_ms
    if containers and attempt.master is None and not attempt.unmanaged:
        attempt.master, containers[0].is_am = containers[0].id[2], True
    answer = attempts.answer(decisions, now_ms) if decisions else NOTHING
    if containers:
        attempts.allocation_expiry.watch([container.id for container in containers], now_ms)
    return Answer(
        answer.decisions,
        tuple(grant(container) for container in containers),
        tuple(sorted(container.id for container in attempt.marked.values())) if attempt.marked else (),
        scheduler.policy.headroom(attempt),
        answer.masters,
        answer.cleanups,
    )


def check(
    scheduler: YarnScheduler,
    attempt: tuple[int, int],
    asks: Sequence[ResourceRequest],
    releases: Sequence[ContainerId],
    blacklist_add: Sequence[str],
    now_ms: int,
) -> None:
    """Check the call of a master, of (application, attempt), before the scheduler sees it; raises RefusedError."""
    scheduler.policy.check(asks, now_ms, _queue_of(scheduler.cluster, attempt[0]))
    if ANY in blacklist_add:
        raise RefusedError("InvalidResourceBlacklistRequestException", "* cannot be blacklisted")
    for container_id in releases:
        if container_id[:2] != attempt:
            raise RefusedError("InvalidContainerReleaseException", f"{container_id} is another attempt's container")


def _queue_of(cluster: Cluster, number: int) -> str:
    """The queue of an application, also of one that has ended; empty when it is not known."""
    application = cluster.applications.get(number)
    if application is not None:
        return application.queue
    return next((ended.queue for ended in cluster.finished if ended.number == number), "")


def _lost(attempts: ApplicationAttempts, event: ApplicationMasterLost, now_ms: int) -> Answer:
    application = attempts.live(event.application)
    if application.attempts_made != event.attempt:
        raise RefusedError("ApplicationAttemptNotFoundException", f"attempt {event.attempt} is not the one that lives")
    detail = f"AM of attempt {event.attempt} was silent for too long"
    return attempts.answer(attempts.over(application, True, detail, now_ms), now_ms)


def _unregistered(attempts: ApplicationAttempts, event: ApplicationMasterUnregistered, now_ms: int) -> Answer:
    """Its application is FINISHING: nothing it holds is given back before its own container has ended.

    Source: ApplicationMasterService#finishApplicationMaster, RMAppAttemptImpl (FINISHING).
    """
    attempts.live(event.application).unregistered = (event.state, event.detail)
    return NOTHING


HANDLERS: Final[Mapping[type, Callable[[ApplicationAttempts, Any, int], Answer]]] = {
    ApplicationMasterRegistered: _registered,
    ApplicationMasterHeartbeat: _called,
    ApplicationMasterLost: _lost,
    ApplicationMasterUnregistered: _unregistered,
}
"""Event → what handles it; Any: each function takes the event it stands beside."""
