"""What a ResourceManager makes of a submission, and how an application's attempts are counted."""

from typing import Any

import pytest

from engine.control_plane.protocol import (
    NOTHING,
    ApplicationFinished,
    ApplicationMasterLost,
    ApplicationSubmitted,
    NodeLost,
    RecoveryTimer,
    ResourceManagerStarted,
    ResourceManagerStopped,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.model.cluster import NO_OFFERS
from engine.model.decision import ApplicationTransitioned
from engine.model.ledger import Application
from engine.model.resource import Resource
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update

AM = Resource(1024, 1)
STORED = {"yarn.resourcemanager.recovery.enabled": "true"}


def submitted(rm: ResourceManager, now_ms: int = START_MS, **keys: Any) -> Application:
    """A new application of Ann's."""
    answer = rm.handle(ApplicationSubmitted("ann", **keys), now_ms)
    assert answer.application is not None
    return rm.cluster.applications[answer.application]


def test_an_application_is_as_its_client_describes_it() -> None:
    """Field by field."""
    rm = resource_manager("capacity-3.4")

    one = submitted(
        rm,
        START_MS + 3,
        queue="root.default",
        am=AM,
        application=9,
        name="etl",
        type="SPARK",
        priority=0,
        tags=("a", "b"),
        keeps_containers=True,
        failures_validity_ms=77,
    )

    assert (one.number, one.user, one.am, one.submitted_ms, one.name) == (9, "ann", AM, START_MS + 3, "etl")
    assert (one.type, one.priority, one.priority_given, one.tags) == ("SPARK", 0, True, ("a", "b"))
    assert (one.keeps_containers, one.failures_validity_ms, one.partition) == (True, 77, "")
    assert (one.state, one.queue, one.attempts_made, one.waiting_since_ms) == (
        *("ACCEPTED", "root.default"),
        *(1, START_MS + 3),
    )


@pytest.mark.parametrize(("given", "priority"), [(None, 0), (0, 0), (4, 4)])
def test_a_priority_is_kept_as_given(given: int | None, priority: int) -> None:
    """And whether it was."""
    one = submitted(resource_manager(), priority=given)

    assert (one.priority, one.priority_given) == (priority, given is not None)


def test_an_application_that_names_nothing_has_the_defaults() -> None:
    """The queue of no name is the default one, which placement may change."""
    one = submitted(resource_manager("fifo"))

    assert (one.requested, one.name, one.type, one.tags, one.max_attempts) == ("default", "", "YARN", (), 2)
    assert (one.keeps_containers, one.failures_validity_ms, one.am) == (False, None, None)


@pytest.mark.parametrize(("attempts", "last"), [(1, True), (2, False), (None, False)])
def test_it_is_known_when_an_attempt_begins_whether_its_failure_is_the_last(attempts: int | None, last: bool) -> None:
    """By the failures that count then."""
    rm = resource_manager(nodes=0)
    one = submitted(rm, am=AM, max_attempts=attempts)
    assert one.may_be_last is last

    if not last:
        rm.handle(ApplicationMasterLost(one.number, 1), START_MS)
        assert (one.may_be_last, one.attempts_made) == (True, 2)


def test_failures_that_count_no_more_leave_further_attempts() -> None:
    """Of two attempts, when the first failed too long ago."""
    rm = resource_manager(nodes=0)
    one = submitted(rm, am=AM, failures_validity_ms=100)
    rm.handle(ApplicationMasterLost(1, 1), START_MS)
    rm.handle(ApplicationMasterLost(1, 2), START_MS + 100)

    assert (one.attempts_made, one.may_be_last, len(one.failed_ms)) == (3, True, 2)
    answer = rm.handle(ApplicationMasterLost(1, 3), START_MS + 199)
    detail = "AM of attempt 3 was silent for too long"
    assert answer.decisions == (ApplicationTransitioned(1, "FAILED", "root.ann", detail),)


@pytest.mark.parametrize(
    ("scheduler", "attempts", "state"),
    [("fair-2.7", 1, "ACCEPTED"), ("fair-3.4", 1, "FAILED"), ("fair-3.4", 2, "ACCEPTED")],
)
def test_one_attempt_is_all_in_3_x(scheduler: str, attempts: int, state: str) -> None:
    """Also where its master was lost with its node, which is no failure."""
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
    rm = resource_manager()
    number = submit(rm)
    ask(rm, number, 3)
    update(rm)
    heartbeat(rm)
    one = rm.cluster.applications[number]

    answer = rm.handle(ApplicationFinished(number, state, "because"), START_MS + 7)

    assert answer.decisions[-1] == ApplicationTransitioned(number, state, "root.ann", "because")
    assert (one.state, one.finished_ms, one.waiting_since_ms, one.diagnostics) == (state, START_MS + 7, None, "because")
    assert (rm.cluster.pending, rm.cluster.live, list(rm.cluster.finished)) == (0, 0, [one])


def test_it_answers_unless_it_is_stopped() -> None:
    """Whether it recovers or not."""
    rm = resource_manager(settings=STORED)
    answers = [rm.answers]
    for event in (ResourceManagerStopped(), ResourceManagerStarted()):
        rm.handle(event, START_MS)
        answers.append(rm.answers)

    assert answers == [True, False, True]


def test_while_it_is_stopped_no_offer_gives_anything() -> None:
    """Each of stop, start and timer may change the outcome of offers."""
    rm = resource_manager(settings=STORED)
    submit(rm)
    version = rm.version

    assert rm.handle(ResourceManagerStopped(), START_MS) is NOTHING
    assert (rm.cluster.offers_after_ms, rm.version) == (NO_OFFERS, version + 1)
    rm.handle(ResourceManagerStarted(), START_MS)
    assert rm.version > version + 1


@pytest.mark.parametrize(("after_ms", "offers_after_ms"), [(1000, START_MS + 1000), (1001, -1)])
def test_the_wait_for_nodes_is_over_after_its_last_instant(after_ms: int, offers_after_ms: int) -> None:
    """Every timer counts as a change."""
    wait = {"yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": "1000"}
    rm = resource_manager(settings=STORED | wait)
    submit(rm)
    rm.handle(ResourceManagerStopped(), START_MS)
    rm.handle(ResourceManagerStarted(), START_MS)
    version = rm.version

    assert rm.handle(RecoveryTimer(), START_MS + after_ms) is NOTHING

    assert (rm.cluster.offers_after_ms, rm.version) == (offers_after_ms, version + 1)
