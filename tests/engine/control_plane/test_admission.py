"""What a ResourceManager makes of a submission, and how an application's attempts are counted."""

from typing import Any

import pytest

from engine.control_plane.protocol import (
    ApplicationFinished,
    ApplicationMasterLost,
    ApplicationSubmitted,
    NodeLost,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.model.decision import ApplicationTransitioned
from engine.model.ledger import Application
from engine.model.request import Resource
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update

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
    detail = "AM of attempt 3 was silent for too long"
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
