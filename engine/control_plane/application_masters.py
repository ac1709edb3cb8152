"""Handles the calls of application masters to a ResourceManager: register, allocate, unregister, and silence.

Source: ApplicationMasterService, AMLivelinessMonitor, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from engine.control_plane.application_attempts import ApplicationAttempts
from engine.control_plane.protocol import (
    NOTHING,
    Answer,
    ApplicationMasterHeartbeat,
    ApplicationMasterLost,
    ApplicationMasterRegistered,
    ApplicationMasterUnregistered,
)
from engine.control_plane.yarn_records import grant, name_partition, requests
from engine.errors import RefusedError
from engine.model.cluster import Cluster
from engine.model.decision import ApplicationTransitioned, ContainerId
from engine.model.request import ANY, ResourceRequest
from engine.schedulers.yarn_scheduler import YarnScheduler


def _registered(attempts: ApplicationAttempts, event: ApplicationMasterRegistered, now_ms: int) -> Answer:
    application = attempts.live(event.application)
    if application.attempt is None:
        raise RefusedError("InvalidApplicationMasterRequestException", "its attempt is not known any more")
    application.happen("REGISTER")
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
    """Check an AM's call before the scheduler sees it.

    `attempt` is (application number, attempt number).

    Raises:
        RefusedError: With the real exception's name.
    """
    scheduler.asks.check(asks, now_ms, _queue_of(scheduler.cluster, attempt[0]))
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
    """A silent master's attempt has failed, and what it holds ends."""
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
