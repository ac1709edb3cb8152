"""Takes over applications as they stand: what they hold is charged, and no policy is asked whether it may be.

This is what a ResourceManager does with what nodes and masters bring back after its start (`recovery`), all at once,
and with reservations and the use of masters, which a real restart loses. So a simulation can begin as a cluster stands.

Source: AbstractYarnScheduler#recoverContainersOnNode, RMAppImpl.RMAppRecoveredTransition, Hadoop 2.7.2 and 3.4.1.
"""

from engine.control_plane.application_attempts import ApplicationAttempts
from engine.control_plane.node_events import node_of
from engine.control_plane.protocol import Answer, ApplicationRecovered, ReservationRecovered
from engine.errors import RefusedError
from engine.model.decision import ApplicationTransitioned
from engine.model.ledger import Application, Attempt
from engine.model.request import ANY, ResourceRequest
from engine.schedulers.optional_operations import move_to_queue
from engine.schedulers.recovery import charge_recovered, count_master, order_anew, reserve_recovered


def take_over(attempts: ApplicationAttempts, application: Application, event: ApplicationRecovered) -> Answer:
    """An application is there with all it holds; its master has still to register.

    Raises:
        RefusedError: No policy would have let it in, or a node is not there.
    """
    scheduler, cluster = attempts.scheduler, attempts.cluster
    nodes = {name: node_of(cluster, name) for name, _ in event.containers}
    requested = application.queue
    scheduler.admit(application, event.submitted_ms)
    application.happen("SUBMIT")
    scheduler.applications.place(application, requested)
    cluster.applications[application.number] = application
    application.happen("ACCEPT")
    application.attempts_made = event.attempt - 1
    if event.has_master:
        attempt = scheduler.add_attempt(application, event.submitted_ms)
    else:
        attempts.begin(application, event.submitted_ms)
        attempt = _attempt_of(application)
    _move(attempts, application, requested)
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
            count_master(scheduler, container)
        charge_recovered(scheduler, container)
    order_anew(scheduler, attempt)
    attempt.last_container_number = max(attempt.last_container_number, event.last_container)
    if event.has_master or event.waiting_since_ms is not None:
        application.waiting_since_ms = event.waiting_since_ms
    return Answer((ApplicationTransitioned(application.number, "ACCEPTED", application.queue, "recovered"),))


def _attempt_of(application: Application) -> Attempt:
    assert application.attempt is not None, "an attempt has begun"
    return application.attempt


def _move(attempts: ApplicationAttempts, application: Application, queue: str) -> None:
    """Put it where it is, should its placement rules mean another queue for it."""
    placed = application.queue
    if attempts.scheduler.queues is not None and placed != queue and not placed.endswith(f".{queue}"):
        move_to_queue(attempts.scheduler, application, queue)


def take_over_reservation(attempts: ApplicationAttempts, event: ReservationRecovered) -> Answer:
    """A node is reserved as it was, even for an application that no longer asks at this priority.

    Raises:
        RefusedError: The node is not there or reserved already.
    """
    application, node = attempts.live(event.application), node_of(attempts.cluster, event.node)
    attempt = _attempt_of(application)
    if attempt.group(event.priority).anywhere is None:
        nothing = ResourceRequest(event.priority, ANY, event.memory_mb, event.vcores, 0)
        attempts.cluster.update_requests(attempt, [nothing])
    if node.reserved is not None:
        raise RefusedError("InvalidReservation", f"{event.node} is reserved already")
    reserve_recovered(
        attempts.scheduler, attempt, node, event.priority, (event.memory_mb, event.vcores), event.since_ms
    )
    return Answer()
