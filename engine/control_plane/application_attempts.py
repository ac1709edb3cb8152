"""The attempts of a ResourceManager's applications: they begin, end, are followed by another, and are recovered.

Source: RMAppImpl, RMAppAttemptImpl, RMAppManager, Hadoop 2.7.2 and 3.4.1.

Source: ContainerAllocationExpirer, AbstractLivelinessMonitor, RMContainerImpl.AcquiredTransition, Hadoop 2.7.2 and
3.4.1: a container is watched from the call that fetched it, and looked at every third of the interval. One that was
allocated and never fetched is not watched: it ends with its attempt, when its silent master expires.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from engine.control_plane.protocol import Answer
from engine.control_plane.recovery import EXIT_KILLED_BY_RM, Recovery, StoredApplication
from engine.control_plane.yarn_records import cleanups, fetch_masters
from engine.errors import RefusedError
from engine.model.cluster import Cluster
from engine.model.decision import ApplicationTransitioned, Completed, ContainerId, Decision, Killed
from engine.model.ledger import Application, Container
from engine.model.request import ANY, ResourceRequest
from engine.schedulers.optional_operations import move_to_queue
from engine.schedulers.yarn_scheduler import YarnScheduler
from engine.settings.site import RECOVERY
from engine.state import State

EXPIRE_ALLOCATIONS: Final = "expire_allocations"
"""The name of the pass that looks."""


class AllocationExpiry(metaclass=State):
    """Keeps the instant each container was fetched at, until the container runs."""

    expiry_ms: int
    fetched_ms: dict[ContainerId, int] = {}
    """Containers fetched since the last look, and those that did not run then; in order of fetching."""

    def __init__(self, expiry_ms: int) -> None:
        self.expiry_ms = expiry_ms

    @property
    def interval_ms(self) -> int:
        """Return the interval at which it looks [ms]."""
        return max(self.expiry_ms // 3, 1)

    def watch(self, containers: Iterable[ContainerId], now_ms: int) -> None:
        """Containers were fetched."""
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
    follow: bool
    """Whether AM containers are fetched here and failed attempts are tried again."""

    def __init__(
        self, cluster: Cluster, scheduler: YarnScheduler, expiry: AllocationExpiry, recovery: Recovery, *, follow: bool
    ) -> None:
        self.cluster = cluster
        self.scheduler = scheduler
        self.allocation_expiry = expiry
        self.recovery = recovery
        self.follow = follow

    def answer(self, decisions: list[Decision], now_ms: int) -> Answer:
        """The answer to decisions made, after what follows from them for application masters."""
        if not self.follow:
            return Answer(tuple(decisions), (), (), None, (), cleanups(decisions))
        masters = fetch_masters(self.cluster, decisions)
        self.allocation_expiry.watch([master.container for master in masters], now_ms)
        for decision in list(decisions):
            if isinstance(decision, Completed | Killed):
                decisions += self._container_ended(decision, now_ms)
        return Answer(tuple(decisions), masters=masters, cleanups=cleanups(decisions))

    def live(self, number: int) -> Application:
        """An application that has not ended.

        Raises:
            RefusedError: There is none of this number.
        """
        application = self.cluster.applications.get(number)
        if application is None:
            raise RefusedError("ApplicationNotFoundException", f"there is no live application {number}")
        return application

    def begin(self, application: Application, now_ms: int, kept: Sequence[Container] = ()) -> None:
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

    def end(self, application: Application, happening: str, detail: str, now_ms: int) -> ApplicationTransitioned:
        """An application ends, by a move of the application table."""
        application.happen(happening)
        application.finished_ms = now_ms
        application.waiting_since_ms = None
        if detail:
            application.diagnostics = detail
        self.scheduler.applications.forget(application)
        self.cluster.retire(application)
        self.recovery.master_known(application.number)
        return ApplicationTransitioned(application.number, application.state, application.queue, detail)

    def finish(self, application: Application, state: str, detail: str, now_ms: int) -> list[Decision]:
        """An application ends in a final state, with the attempt that lives."""
        decisions: list[Decision] = []
        if application.attempt is not None:
            decisions = self.scheduler.remove_attempt(application.attempt, now_ms)
        # The requests of its own unfetched containers are put back into nothing.
        self.scheduler.release.put_back()
        return [*decisions, self.end(application, APPLICATION_ENDS[state], detail, now_ms)]

    def _container_ended(self, decision: Completed | Killed, now_ms: int) -> list[Decision]:
        """An AM's container ended without the application's end: the attempt is over."""
        number, attempt_number, container_number = decision.container
        application = self.cluster.applications.get(number)
        if application is None:
            return []
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
            if not is_last and _keeps(application, is_counted):
                kept = application.attempt.part_with_running()
            decisions = self.scheduler.remove_attempt(application.attempt, now_ms)
            self.scheduler.release.put_back()
        self.recovery.master_known(application.number)
        if is_last:
            return [*decisions, self.end(application, "FAIL", detail, now_ms)]
        application.happen("RETRY")
        application.diagnostics = detail
        self.begin(application, now_ms, kept)
        return [*decisions, ApplicationTransitioned(application.number, application.state, application.queue, detail)]

    # ---------------------------------------------------------------- recovery

    def recover_all(self, former: Cluster, now_ms: int) -> list[Decision]:
        """All stored applications come back; those of the former life that are not stored are unknown from now on."""
        stored, self.recovery.stored = self.recovery.stored, ()
        decisions = [self._recover(each, now_ms) for each in stored]
        kept = {each.number for each in stored}
        why = "" if self.recovery.settings.enabled else f" ({RECOVERY} is not true)"
        detail = f"the ResourceManager started without its state{why}"
        lost = [each for number, each in former.applications.items() if number not in kept]
        return [*decisions, *(ApplicationTransitioned(each.number, "FAILED", each.queue, detail) for each in lost)]

    def _recover(self, stored: StoredApplication, now_ms: int) -> Decision:
        """An application comes back from the store, without its containers, and waits for its master.

        Source: RMAppManager#recover, RMAppImpl.RMAppRecoveredTransition. Differs: after a restart the memory and
        vcore seconds of an application count from 0; a real ResourceManager adds those of its earlier attempts.
        """
        application = stored.application()
        scheduler = self.scheduler
        application.happen("SUBMIT")
        self.cluster.applications[application.number] = application
        try:
            scheduler.admit(application, now_ms)
            scheduler.applications.place(application, application.queue)
        except RefusedError as error:
            return self.end(application, "FAIL", f"cannot be recovered: {error}", now_ms)
        application.happen("ACCEPT")
        if not stored.has_attempt:
            self.begin(application, now_ms)
        elif self.recovery.settings.preserves_work:
            attempt = scheduler.add_attempt(application, now_ms)
            application.may_be_last = application.max_attempts == application.failures(now_ms) + 1
            attempt.last_container_number = self.recovery.last_container_number
            attempt.master = stored.master
            attempt.recovered = True
        else:
            application.attempts_made = stored.attempts_made
            if stored.master is not None:
                self.recovery.lost_masters[application.number] = stored.master
        if stored.has_attempt:
            self.recovery.unregistered[application.number] = stored.attempts_made
            application.waiting_since_ms = None
        # It came back in the queue its client named, and is moved once more.
        if stored.moved_to and application.attempt is not None:
            move_to_queue(scheduler, application, stored.moved_to)
        return ApplicationTransitioned(application.number, application.state, application.queue, "recovered")


def _keeps(application: Application, is_counted: bool) -> bool:
    """Tell whether containers outlive a failed attempt that another follows. Source: RMAppAttemptImpl."""
    return application.keeps_containers and application.am is not None and not (is_counted and application.may_be_last)
