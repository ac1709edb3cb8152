"""The ResourceManager's own part: admission, application masters, attempts, nodes that come and go."""

from typing import Any

import pytest

from engine.control_plane.applications import EXPIRE_ALLOCATIONS, check, requests
from engine.control_plane.protocol import (
    AllocationsReloaded,
    Answer,
    ApplicationFinished,
    ApplicationMasterHeartbeat,
    ApplicationMasterLost,
    ApplicationMasterRegistered,
    ApplicationMovedToQueue,
    ApplicationPriorityChanged,
    ApplicationSubmitted,
    Ask,
    Cleanup,
    ContainerKilled,
    Event,
    Grant,
    NodeHeartbeat,
    NodeJoined,
    NodeLost,
    NodeRelabelled,
    NodeResized,
    ResourceManagerStarted,
    ResourceManagerStopped,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import RefusedError
from engine.model.decision import ApplicationTransitioned, Killed
from engine.model.ledger import Application
from engine.model.request import Resource
from tests.build import SCHEDULERS, START_MS, ask, attempt_of, fetch, heartbeat, resource_manager, submit, update


def holding(count: int, scheduler: str = "fair-2.7", **more: Any) -> tuple[ResourceManager, int]:
    """A cluster on whose first node an application is given up to so many containers, and its number."""
    rm = resource_manager(scheduler, **more)
    number = submit(rm)
    ask(rm, number, count)
    update(rm)
    heartbeat(rm)
    return rm, number


def test_the_am_container_is_fetched_by_the_resource_manager_itself() -> None:
    """The answer names it for its node to launch; the AM never sees it among its grants."""
    rm = resource_manager()
    number = submit(rm, am_mb=1024)
    update(rm)

    answer = heartbeat(rm)

    assert [(grant.container, grant.node) for grant in answer.masters] == [((number, 1, 1), "n1:1")]
    assert attempt_of(rm, number).master == 1
    assert fetch(rm, number).granted == ()


def test_a_registered_application_runs_and_a_finished_one_leaves_nothing() -> None:
    """Its containers end, their nodes are told to stop them, and it is remembered."""
    rm = resource_manager()
    make_running(rm)
    state = rm.cluster.applications[1].state

    answer = rm.handle(ApplicationFinished(1), START_MS + 5000)

    assert state == "RUNNING"
    assert answer.cleanups == (Cleanup("n1:1", MASTER),)
    assert ApplicationTransitioned(1, "FINISHED", "root.ann") in answer.decisions
    assert rm.cluster.live == 0
    assert rm.cluster.finished[0].memory_mb_ms == 1024 * 5000


def test_a_failed_am_is_tried_once_more_and_then_the_application_fails() -> None:
    rm = resource_manager()
    make_running(rm)

    rm.handle(NodeHeartbeat("n1:1", completed=((MASTER, 1),)), START_MS)
    update(rm)
    second = heartbeat(rm, 2)
    states = [rm.cluster.applications[1].state]
    rm.handle(NodeHeartbeat("n2:1", completed=((second.masters[0].container, 1),)), START_MS)

    assert states == ["ACCEPTED"]
    assert second.masters[0].container == (1, 2, 1)
    assert rm.cluster.finished[0].state == "FAILED"
    assert "attempt 2 ended: exit status 1" in rm.cluster.finished[0].diagnostics


def test_an_unmanaged_application_is_not_tried_again() -> None:
    rm = resource_manager()
    number = submit(rm)
    rm.handle(ApplicationMasterRegistered(number), START_MS)

    answer = rm.handle(ApplicationMasterLost(number, 1), START_MS)

    assert [each.state for each in answer.decisions if isinstance(each, ApplicationTransitioned)] == ["FAILED"]
    assert rm.cluster.live == 0


def test_an_am_lost_with_its_node_does_not_count_as_a_failure() -> None:
    rm = resource_manager(nodes=4)
    number = submit(rm, am_mb=1024)
    for node in (1, 2, 3):
        update(rm)
        heartbeat(rm, node)
        rm.handle(NodeLost(f"n{node}:1"), START_MS)

    assert len(rm.cluster.applications[number].failed_ms) == 0
    assert attempt_of(rm, number).number == 4


def test_killing_one_container_tells_its_node() -> None:
    rm, number = holding(1)

    answer = rm.handle(ContainerKilled((number, 1, 1)), START_MS)

    assert answer.decisions == (Killed((number, 1, 1), "n1:1", "KILLED_BY_USER"),)
    assert answer.cleanups == (Cleanup("n1:1", (number, 1, 1)),)


def test_what_was_not_yet_fetched_is_asked_again_when_its_node_is_lost() -> None:
    rm, number = holding(1, nodes=2)

    rm.handle(NodeLost("n1:1"), START_MS)

    assert attempt_of(rm, number).pending == 1


def test_a_moved_application_tells_its_new_queue() -> None:
    """It stays in its state, and where it was moved to is remembered as named."""
    rm = resource_manager(queues='<queue name="a"/>')
    number = submit(rm)

    answer = rm.handle(ApplicationMovedToQueue(number, "a"), START_MS)

    application = rm.cluster.applications[number]
    assert answer == Answer((ApplicationTransitioned(number, "ACCEPTED", "root.a"),))
    assert (application.queue, application.moved_to, attempt_of(rm, number).queue.path) == ("root.a", "a", "root.a")


def test_an_application_the_placement_rejects_is_remembered_as_failed() -> None:
    rm = resource_manager(queues='<queuePlacementPolicy><rule name="reject"/></queuePlacementPolicy>')

    answer = rm.handle(ApplicationSubmitted("ann"), START_MS)

    assert answer.rejected == "APP_REJECTED"
    assert [(one.state, one.diagnostics) for one in rm.cluster.finished] == [
        ("FAILED", "rejected by the queue placement policy (queuePlacementPolicy); it names no queue")
    ]


def test_a_refused_event_names_the_real_exception_and_changes_nothing() -> None:
    rm = resource_manager()
    number = submit(rm)
    refused: dict[str, Event] = {
        "NodeNotFoundException": NodeHeartbeat("n9:1"),
        "ApplicationNotFoundException": ApplicationFinished(99),
        "ContainerNotFoundException": ContainerKilled((number, 1, 1)),
        "YarnException": ApplicationMovedToQueue(number, "root.nowhere"),
        "IllegalStateException": NodeJoined("n1:1", "/r1", 1, 1),
        "UnsupportedOperationException": AllocationsReloaded("no allocation"),
        "InvalidResourceRequestException": ApplicationMasterHeartbeat(number, (Ask(1, "*", 99999, 1, 1),)),
        "InvalidContainerReleaseException": ApplicationMasterHeartbeat(number, releases=((99, 1, 1),)),
        "InvalidResourceBlacklistRequestException": ApplicationMasterHeartbeat(number, blacklist_add=("*",)),
    }
    version = rm.version

    answers = {name: rm.handle(event, START_MS).rejected for name, event in refused.items()}

    assert answers == {name: name for name in refused}
    assert rm.version == version


def test_unknown_nodes_and_applications_are_refused_for_every_event() -> None:
    rm = resource_manager()
    number = submit(rm)

    rejected = [
        rm.handle(event, START_MS).rejected
        for event in (
            NodeLost("n9:1"),
            NodeResized("n9:1", 1, 1),
            ApplicationMovedToQueue(99, "root.a"),
            ApplicationSubmitted("ann", application=number),
            Event(),
        )
    ]

    assert rejected == [
        "NodeNotFoundException",
        "NodeNotFoundException",
        "YarnException",
        "YarnException",
        "UnsupportedOperationException",
    ]


def test_released_containers_end_and_their_nodes_are_told() -> None:
    rm, number = holding(1)
    fetch(rm, number)

    answer = rm.handle(ApplicationMasterHeartbeat(number, releases=((number, 1, 1), (number, 1, 77))), START_MS)

    assert answer.decisions == (Killed((number, 1, 1), "n1:1", "RELEASED"),)
    assert rm.cluster.live == 0


@pytest.mark.parametrize(("asked", "given"), [(None, 3), (1, 1), (3, 3), (4, 3)])
def test_an_application_gets_no_more_attempts_than_the_resource_manager_allows(asked: int | None, given: int) -> None:
    """Its own maximum holds up to the global one, which holds where it names none. Source: RMAppImpl#<init>."""
    rm = resource_manager(settings={"yarn.resourcemanager.am.max-attempts": "3"})
    rm.handle(ApplicationSubmitted("ann", None, Resource(1024, 1), 7, max_attempts=asked), START_MS)

    assert rm.cluster.applications[7].max_attempts == given


def test_an_application_waits_since_its_first_unmet_ask() -> None:
    """A later call or a further ask does not reset the instant; once everything was given, the next ask does."""
    rm = resource_manager(nodes=1, memory_mb=2048)
    number = submit(rm)
    since = []

    def call(now_ms: int, count: int | None = None) -> None:
        asks = () if count is None else (Ask(1, "*", 1024, 1, count),)
        rm.handle(ApplicationMasterHeartbeat(number, asks), START_MS + now_ms)
        since.append(rm.cluster.applications[number].waiting_since_ms)

    call(1000, 1)
    update(rm)
    heartbeat(rm)
    call(2000)
    call(3000, 2)
    call(4000)
    call(5000, 3)

    assert since == [START_MS, None, START_MS + 3000, START_MS + 3000, START_MS + 3000]


def test_whoever_withdraws_its_ask_waits_no_more() -> None:
    """An ask after that has waited since it was made, not since the one that was withdrawn."""
    rm = resource_manager(nodes=1, memory_mb=1024)
    number, since = submit(rm), []
    for now_ms, count in ((1000, 1), (2000, 0), (9000, 1)):
        rm.handle(ApplicationMasterHeartbeat(number, (Ask(1, "*", 1024, 1, count),)), START_MS + now_ms)
        since.append(rm.cluster.applications[number].waiting_since_ms)

    assert since == [START_MS, None, START_MS + 9000]


# Nodes that register again, are relabelled, resized and lost.


def running(scheduler: str = "fair-2.7") -> ResourceManager:
    rm = resource_manager(scheduler, nodes=1)
    submit(rm)
    ask(rm, 1, 2)
    update(rm)
    for _ in range(2):
        heartbeat(rm)
    fetch(rm, 1)
    return rm


@pytest.mark.parametrize("state", ["LOST", "UNHEALTHY", "DECOMMISSIONED"])
def test_a_node_leaves_in_the_state_it_is_reported_in(state: str) -> None:
    rm = running()

    answer = rm.handle(NodeLost("n1:1", state), START_MS)

    assert rm.cluster.down["n1:1"].state == state
    assert [each.cause for each in answer.decisions if isinstance(each, Killed)] == ["LOST", "LOST"]
    assert answer.cleanups == ()


@pytest.mark.parametrize("scheduler", ["fifo", "fair-2.7"])
def test_what_a_policy_does_not_have_is_refused(scheduler: str) -> None:
    rm = resource_manager(scheduler)
    submit(rm)

    refused = [
        rm.handle(event, START_MS).rejected
        for event in (NodeRelabelled("n1:1", "gpu"), ApplicationPriorityChanged(1, 5))
    ]

    assert refused == ["UnsupportedOperationException"] * 2


# What a ResourceManager makes of a submission, and how an application's attempts are counted.

AM = Resource(1024, 1)


def submitted(rm: ResourceManager, now_ms: int = START_MS, **keys: Any) -> Application:
    answer = rm.handle(ApplicationSubmitted("ann", **keys), now_ms)
    assert answer.application is not None
    return rm.cluster.applications[answer.application]


@pytest.mark.parametrize(("attempts", "last"), [(1, True), (2, False), (None, False)])
def test_it_is_known_when_an_attempt_begins_whether_its_failure_is_the_last(attempts: int | None, last: bool) -> None:
    rm = resource_manager(nodes=0)
    one = submitted(rm, am=AM, max_attempts=attempts)
    assert one.may_be_last is last

    if not last:
        rm.handle(ApplicationMasterLost(one.number, 1), START_MS)
        assert (one.may_be_last, one.attempts_made) == (True, 2)


def test_failures_that_count_no_more_leave_further_attempts() -> None:
    rm = resource_manager(nodes=0)
    one = submitted(rm, am=AM, failures_validity_ms=100)
    rm.handle(ApplicationMasterLost(1, 1), START_MS)
    rm.handle(ApplicationMasterLost(1, 2), START_MS + 100)

    assert (one.attempts_made, one.may_be_last, len(one.failed_ms)) == (3, True, 2)
    answer = rm.handle(ApplicationMasterLost(1, 3), START_MS + 199)
    limit = "2 failed attempts (yarn.resourcemanager.am.max-attempts, or fewer by its own maximum)"
    detail = f"AM of attempt 3 was silent for too long; it is given up after {limit}"
    assert answer.decisions == (ApplicationTransitioned(1, "FAILED", "root.ann", detail),)


@pytest.mark.parametrize(
    ("scheduler", "attempts", "state"),
    [("fair-2.7", 1, "ACCEPTED"), ("fair-3.4", 1, "FAILED"), ("fair-3.4", 2, "ACCEPTED")],
)
def test_one_attempt_is_all_in_3_x(scheduler: str, attempts: int, state: str) -> None:
    rm = resource_manager(scheduler)
    one = submitted(rm, am=AM, max_attempts=attempts)
    update(rm)
    heartbeat(rm)
    assert attempt_of(rm, one.number).master == 1

    rm.handle(NodeLost("n1:1"), START_MS)

    assert (one.state, one.failed_ms) == (state, ())


@pytest.mark.parametrize("state", ["FINISHED", "FAILED", "KILLED"])
def test_an_application_ends_as_it_is_told(state: str) -> None:
    """With the detail, now; what it had not fetched is asked for no more."""
    rm, number = holding(3)
    one = rm.cluster.applications[number]

    answer = rm.handle(ApplicationFinished(number, state, "because"), START_MS + 7)

    assert answer.decisions[-1] == ApplicationTransitioned(number, state, "root.ann", "because")
    assert (one.state, one.finished_ms, one.waiting_since_ms, one.diagnostics) == (state, START_MS + 7, None, "because")
    assert (rm.cluster.pending, rm.cluster.live, list(rm.cluster.finished)) == (0, 0, [one])


# Containers that were fetched and never ran are taken back.

EXPIRY_MS = 600_000


def cluster(scheduler: str = "fair-2.7", expiry_ms: int = EXPIRY_MS) -> tuple[ResourceManager, int]:
    """A ResourceManager with one node, and an application that has been allocated one container."""
    key = "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms"
    rm, number = holding(1, scheduler, nodes=1, settings={key: str(expiry_ms)})
    assert rm.cluster.live == 1
    return rm, number


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_fetched_container_expires_only_after_the_interval(scheduler: str) -> None:
    """At the interval itself it still waits; a millisecond later it is taken back and its space is free."""
    rm, number = cluster(scheduler)
    fetch(rm, number)

    at_the_interval = rm.run_pass(EXPIRE_ALLOCATIONS, START_MS + EXPIRY_MS)
    later = rm.run_pass(EXPIRE_ALLOCATIONS, START_MS + EXPIRY_MS + 1)

    assert at_the_interval.decisions == ()
    assert later.decisions == (Killed((number, 1, 1), "n1:1", "EXPIRED"),)
    assert [order.container for order in later.cleanups] == [(number, 1, 1)]
    assert (rm.cluster.live, rm.cluster.used_memory_mb) == (0, 0)


def test_a_container_that_runs_is_no_longer_watched() -> None:
    rm, number = cluster()
    fetch(rm, number)
    rm.handle(NodeHeartbeat("n1:1", ((number, 1, 1),)), START_MS + 1000)

    answer = rm.run_pass(EXPIRE_ALLOCATIONS, START_MS + 10 * EXPIRY_MS)

    assert (answer.decisions, rm.cluster.live) == ((), 1)
    assert rm.pass_is_idle(EXPIRE_ALLOCATIONS)


# Calls of application masters: they register, ask, give back, are silent, and have done their work.


MASTER = (1, 1, 1)


def make_running(rm: ResourceManager, workers: int = 0, *, keeps_containers: bool = False) -> None:
    """Application 1, whose master runs on n1, with so many containers of 1 GB that run there, too."""
    rm.handle(ApplicationSubmitted("ann", None, Resource(1024, 1), keeps_containers=keeps_containers), START_MS)
    update(rm)
    heartbeat(rm)
    rm.handle(NodeHeartbeat("n1:1", (MASTER,)), START_MS)
    rm.handle(ApplicationMasterRegistered(1), START_MS)
    ask(rm, 1, workers)
    update(rm)
    for _ in range(workers):
        heartbeat(rm)
    granted = tuple(grant.container for grant in fetch(rm, 1).granted)
    rm.handle(NodeHeartbeat("n1:1", granted), START_MS)
    assert rm.cluster.live == 1 + workers


def master_ends(rm: ResourceManager, status: int = 0) -> Answer:
    return rm.handle(NodeHeartbeat("n1:1", (), ((MASTER, status),)), START_MS + 50)


def test_a_master_is_granted_what_it_fetches_once() -> None:
    """With node, size and the instant of its allocation; nothing of it is announced for preemption."""
    rm = resource_manager(nodes=1)
    number = submit(rm)
    ask(rm, number, 1, 2048, 3, priority=5)
    update(rm)
    heartbeat(rm, now_ms=START_MS + 9)

    answer = fetch(rm, number)

    assert answer.granted == (Grant((1, 1, 1), "n1:1", 5, 2048, 3, START_MS + 9),)
    assert (answer.to_be_preempted, answer.decisions, answer.masters, answer.cleanups) == ((), (), (), ())
    assert answer.headroom is not None
    assert fetch(rm, number).granted == ()


def test_containers_marked_for_preemption_are_announced_in_order() -> None:
    rm = resource_manager(nodes=1)
    make_running(rm, 2)
    attempt = attempt_of(rm, 1)
    attempt.marked = {number: attempt.live[number] for number in (3, 2)}

    for _ in range(2):
        assert fetch(rm, 1).to_be_preempted == ((1, 1, 2), (1, 1, 3))


def test_a_master_may_give_back_only_containers_of_its_own_attempt() -> None:
    for keeps, rejected in ((False, "InvalidContainerReleaseException"), (True, "")):
        rm = resource_manager(nodes=1)
        make_running(rm, keeps_containers=keeps)

        answer = rm.handle(ApplicationMasterHeartbeat(1, releases=((1, 2, 9),)), START_MS)

        assert answer.rejected == rejected
        assert answer.detail == ("" if keeps else "(1, 2, 9) is another attempt's container")


@pytest.mark.parametrize(("number", "refused"), [(1, True), (2, True), (3, False)])
def test_asks_are_bounded_by_the_queue_of_the_application(number: int, refused: bool) -> None:
    """Also where that has ended; of one nobody knows only the cluster's own bounds are known."""
    key = "yarn.scheduler.capacity.root.default.maximum-allocation-mb"
    rm = resource_manager("capacity-3.4", settings={key: "2048"})
    for _ in range(2):
        submit(rm, "root.default")
    rm.handle(ApplicationFinished(1), START_MS)
    asks = requests([Ask(1, "*", 4096, 1, 1)])

    if not refused:
        check(rm.scheduler, (number, 1), asks, (), (), START_MS)
        return
    with pytest.raises(RefusedError, match="4096"):
        check(rm.scheduler, (number, 1), asks, (), (), START_MS)


@pytest.mark.parametrize(("status", "failures"), [(1, 1), (0, 1), (-106, 0)])
def test_the_end_of_a_masters_container_is_the_end_of_its_attempt(status: int, failures: int) -> None:
    """Another one begins; it is a failure but where the node killed it to resync."""
    rm = resource_manager(nodes=1)
    make_running(rm, 1)
    application = rm.cluster.applications[1]

    answer = master_ends(rm, status)

    detail = f"AM container of attempt 1 ended: exit status {status}"
    assert answer.decisions[-1] == ApplicationTransitioned(1, "ACCEPTED", "root.ann", detail)
    assert (application.attempts_made, len(application.failed_ms)) == (2, failures)
    assert (application.diagnostics, application.waiting_since_ms) == (detail, START_MS + 50)
    assert (attempt_of(rm, 1).number, attempt_of(rm, 1).pending, attempt_of(rm, 1).live) == (2, 1, {})


def test_running_containers_outlive_a_failed_attempt_where_the_application_keeps_them() -> None:
    """The next master is told of them when it registers, and not of its own."""
    rm = resource_manager(nodes=1)
    make_running(rm, 2, keeps_containers=True)

    master_ends(rm, 1)
    assert [one.id for one in attempt_of(rm, 1).live.values()] == [(1, 1, 2), (1, 1, 3)]

    update(rm)
    heartbeat(rm)
    answer = rm.handle(ApplicationMasterRegistered(1), START_MS + 60)
    assert [grant.container for grant in answer.granted] == [(1, 1, 2), (1, 1, 3)]
    assert answer.decisions == (ApplicationTransitioned(1, "RUNNING", "root.ann"),)
    assert attempt_of(rm, 1).master == 1


def test_a_silent_master_loses_its_attempt() -> None:
    rm = resource_manager(nodes=1)
    make_running(rm)

    answer = rm.handle(ApplicationMasterLost(1, 2), START_MS)
    assert (answer.rejected, answer.detail) == (
        "ApplicationAttemptNotFoundException",
        "attempt 2 is not the one that lives",
    )

    answer = rm.handle(ApplicationMasterLost(1, 1), START_MS)
    detail = "AM of attempt 1 was silent for too long"
    assert answer.decisions[-1] == ApplicationTransitioned(1, "ACCEPTED", "root.ann", detail)
    assert rm.cluster.applications[1].failed_ms == (START_MS,)


def test_a_recovered_master_has_to_register_before_it_calls() -> None:
    rm = resource_manager(nodes=1, settings={"yarn.resourcemanager.recovery.enabled": "true"})
    make_running(rm)
    rm.handle(ResourceManagerStopped(), START_MS)
    rm.handle(ResourceManagerStarted(), START_MS)

    answer = ask(rm, 1, 3)
    assert (answer.rejected, answer.detail) == ("ApplicationMasterNotRegisteredException", "it has to register again")
    assert attempt_of(rm, 1).pending == 0

    rm.handle(ApplicationMasterRegistered(1), START_MS)
    assert ask(rm, 1, 3).rejected == ""
