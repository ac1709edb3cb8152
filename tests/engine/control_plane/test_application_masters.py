"""Calls of application masters: they register, ask, give back, are silent, and have done their work."""

import pytest

from engine.control_plane.applications import check, requests
from engine.control_plane.protocol import (
    Answer,
    ApplicationFinished,
    ApplicationMasterHeartbeat,
    ApplicationMasterLost,
    ApplicationMasterRegistered,
    ApplicationSubmitted,
    Ask,
    Grant,
    NodeHeartbeat,
    ResourceManagerStarted,
    ResourceManagerStopped,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import RefusedError
from engine.model.decision import ApplicationTransitioned
from engine.model.request import Resource
from tests.build import START_MS, ask, attempt_of, fetch, heartbeat, resource_manager, submit, update

MASTER = (1, 1, 1)


def running(
    rm: ResourceManager, workers: int = 0, *, keeps_containers: bool = False, max_attempts: int | None = None
) -> None:
    """Application 1, whose master runs on n1, with so many containers of 1 GB that run there, too."""
    submission = ApplicationSubmitted(
        "ann", None, Resource(1024, 1), keeps_containers=keeps_containers, max_attempts=max_attempts
    )
    rm.handle(submission, START_MS)
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
    running(rm, 2)
    attempt = attempt_of(rm, 1)
    attempt.marked = {number: attempt.live[number] for number in (3, 2)}

    for _ in range(2):
        assert fetch(rm, 1).to_be_preempted == ((1, 1, 2), (1, 1, 3))


def test_a_master_may_give_back_only_containers_of_its_own_attempt() -> None:
    for keeps, rejected in ((False, "InvalidContainerReleaseException"), (True, "")):
        rm = resource_manager(nodes=1)
        running(rm, keeps_containers=keeps)

        answer = rm.handle(ApplicationMasterHeartbeat(1, releases=((1, 2, 9),)), START_MS)

        assert answer.rejected == rejected
        assert answer.detail == ("" if keeps else "(1, 2, 9) is another attempt's container")


def test_any_node_cannot_be_blacklisted() -> None:
    rm = resource_manager(nodes=1)
    running(rm)

    answer = rm.handle(ApplicationMasterHeartbeat(1, blacklist_add=("n1", "*")), START_MS)
    assert answer.detail == "* cannot be blacklisted"
    assert attempt_of(rm, 1).blacklist == set()

    rm.handle(ApplicationMasterHeartbeat(1, blacklist_add=("n1",)), START_MS)
    assert attempt_of(rm, 1).blacklist == {"n1"}


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
    running(rm, 1)
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
    running(rm, 2, keeps_containers=True)

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
    running(rm)

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
    running(rm)
    rm.handle(ResourceManagerStopped(), START_MS)
    rm.handle(ResourceManagerStarted(), START_MS)

    answer = ask(rm, 1, 3)
    assert (answer.rejected, answer.detail) == ("ApplicationMasterNotRegisteredException", "it has to register again")
    assert attempt_of(rm, 1).pending == 0

    rm.handle(ApplicationMasterRegistered(1), START_MS)
    assert ask(rm, 1, 3).rejected == ""
