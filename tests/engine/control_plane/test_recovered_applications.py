"""Applications taken over as they stand: what they hold is charged, and no policy is asked."""

from typing import Any

import pytest

from engine.control_plane.protocol import (
    Answer,
    ApplicationMasterRegistered,
    ApplicationRecovered,
    ApplicationSubmitted,
    NodeContainer,
    ReservationRecovered,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.model.decision import ApplicationTransitioned
from engine.model.resource import Resource
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, update
from tests.engine.model.invariants import check

AM = Resource(1024, 1)
BEGAN_MS = START_MS - 90_000
MASTER = ("n1:1", NodeContainer((7, 2, 1), 0, 1024, 1, BEGAN_MS + 5))
WORKER = ("n2:1", NodeContainer((7, 2, 3), 4, 2048, 2, BEGAN_MS + 9))
EVERY_SCHEDULER = pytest.mark.parametrize(
    "scheduler", ["fifo", "fifo-3.4", "fair-2.7", "fair-3.4", "capacity-2.7", "capacity-3.4"]
)


def recovered(
    rm: ResourceManager,
    *,
    queue: str = "",
    am: Resource | None = AM,
    containers: tuple[tuple[str, NodeContainer], ...] = (MASTER, WORKER),
    has_master: bool = True,
    waiting_since_ms: int | None = None,
    **more: Any,
) -> Answer:
    """Application 7 of Ann as it stands in its second attempt; it has used up five container numbers."""
    queue = queue or ("default" if rm.name == "capacity-2.7" else "root.default")
    submission = ApplicationSubmitted("ann", queue, am, 7, "etl", **more)
    event = ApplicationRecovered(submission, BEGAN_MS, 2, has_master, waiting_since_ms, containers, 5)
    return rm.handle(event, START_MS)


@EVERY_SCHEDULER
def test_an_application_is_there_with_all_it_holds(scheduler: str) -> None:
    """It is accepted, its master known as such, and everything is charged and placed."""
    rm = resource_manager(scheduler)

    answer = recovered(rm)

    application, attempt = rm.cluster.applications[7], attempt_of(rm, 7)
    assert answer.decisions == (ApplicationTransitioned(7, "ACCEPTED", application.queue, "recovered"),)
    assert (application.state, application.submitted_ms, application.attempts_made) == ("ACCEPTED", BEGAN_MS, 2)
    assert (application.name, application.waiting_since_ms) == ("etl", None)
    assert (attempt.number, attempt.master, attempt.last_container_number, attempt.pending) == (2, 1, 5, 0)
    assert (attempt.am_memory_mb, attempt.am_vcores) == (1024, 1)
    found = [
        (one.id, one.node.id, one.priority, one.memory_mb, one.vcores, one.created_ms, one.is_am, one.state)
        for one in attempt.live.values()
    ]
    assert found == [
        ((7, 2, 1), "n1:1", 0, 1024, 1, BEGAN_MS + 5, True, "RUNNING"),
        ((7, 2, 3), "n2:1", 4, 2048, 2, BEGAN_MS + 9, False, "RUNNING"),
    ]
    assert (rm.cluster.used_memory_mb, rm.cluster.live, rm.last_number) == (3072, 2, 7)
    check(rm.cluster)

    assert rm.handle(ApplicationMasterRegistered(7), START_MS).rejected == ""
    ask(rm, 7, 1)
    update(rm)
    heartbeat(rm, 3)
    assert [one.id for one in attempt.newly_allocated] == [(7, 2, 6)]


@EVERY_SCHEDULER
def test_an_unmanaged_application_has_no_master_in_the_cluster(scheduler: str) -> None:
    """Its first container is one like the others."""
    rm = resource_manager(scheduler)

    recovered(rm, am=None, containers=(WORKER,), waiting_since_ms=START_MS - 7)

    (container,) = attempt_of(rm, 7).live.values()
    assert (container.is_am, attempt_of(rm, 7).master) == (False, None)
    assert rm.cluster.applications[7].waiting_since_ms == START_MS - 7


@pytest.mark.parametrize(("since_ms", "expected"), [(None, BEGAN_MS), (START_MS - 7, START_MS - 7)])
def test_an_application_without_a_master_asks_for_one(since_ms: int | None, expected: int) -> None:
    """It waits as long as is said, or since its submission."""
    rm = resource_manager()

    recovered(rm, has_master=False, containers=(), waiting_since_ms=since_ms)

    attempt = attempt_of(rm, 7)
    assert (attempt.number, attempt.pending, attempt.master) == (2, 1, None)
    assert rm.cluster.applications[7].waiting_since_ms == expected


@pytest.mark.parametrize(
    ("node", "number", "rejected"),
    [("n9:1", 7, "NodeNotFoundException"), ("n1:1", 7, ""), ("n1:1", 8, "YarnException")],
)
def test_an_application_on_a_node_that_is_not_there_is_refused(node: str, number: int, rejected: str) -> None:
    """Nothing is half-done; one of a number that is taken is refused as well."""
    rm = resource_manager()
    rm.handle(ApplicationSubmitted("ann", application=8), START_MS)
    event = ApplicationRecovered(
        ApplicationSubmitted("ann", application=number), BEGAN_MS, 1, True, None, ((node, WORKER[1]),)
    )

    assert rm.handle(event, START_MS).rejected == rejected
    assert list(rm.cluster.applications) == [8, *[7] * (not rejected)]
    assert rm.cluster.live == int(not rejected)


@pytest.mark.parametrize(
    ("requested", "queue"), [("root.etl", "root.etl"), ("root.ann", "root.ann"), ("ann", "root.ann")]
)
def test_an_application_is_in_the_queue_it_was_in(requested: str, queue: str) -> None:
    """Although its placement rule means the user's own."""
    rules = '<queue name="etl"/><queue name="ann"/><queuePlacementPolicy><rule name="user"/></queuePlacementPolicy>'
    rm = resource_manager(queues=rules)

    recovered(rm, queue=requested)

    assert (rm.cluster.applications[7].queue, attempt_of(rm, 7).queue.path) == (queue, queue)
    check(rm.cluster)


@EVERY_SCHEDULER
def test_a_node_is_reserved_as_it_was(scheduler: str) -> None:
    """Under the next container number, since then; the application asks for nothing more by it."""
    rm = resource_manager(scheduler)
    recovered(rm)

    answer = rm.handle(ReservationRecovered(7, "n3:1", 4, 8192, 2, START_MS - 3), START_MS)

    held = rm.cluster.nodes["n3:1"].reserved
    assert (answer, held is not None) == (Answer(), True)
    assert held is not None
    assert (held.id, held.priority, held.memory_mb, held.vcores) == ((7, 2, 6), 4, 8192, 2)
    assert (held.created_ms, held.attempt) == (START_MS - 3, attempt_of(rm, 7))
    assert attempt_of(rm, 7).pending == 0
    check(rm.cluster)


def test_an_ask_of_nothing_stands_for_a_reservation() -> None:
    """Of its size; in 3.x an ask of nothing is forgotten at once."""
    rm = resource_manager()
    recovered(rm)
    rm.handle(ReservationRecovered(7, "n3:1", 4, 8192, 2, START_MS - 3), START_MS)

    anywhere = attempt_of(rm, 7).groups[4].anywhere
    assert anywhere is not None
    assert (anywhere.memory_mb, anywhere.vcores, anywhere.count) == (8192, 2, 0)


def test_a_reservation_leaves_what_is_asked_at_its_priority() -> None:
    """Its count stays."""
    rm = resource_manager()
    recovered(rm)
    rm.handle(ApplicationMasterRegistered(7), START_MS)
    ask(rm, 7, 3, 8192, 2, priority=4)

    rm.handle(ReservationRecovered(7, "n3:1", 4, 8192, 2, START_MS), START_MS)

    assert attempt_of(rm, 7).pending == 3


def test_a_node_is_reserved_once() -> None:
    """It has to be there, and so has the application."""
    rm = resource_manager()
    recovered(rm)
    events = [
        ReservationRecovered(number, node, 4, 8192, 2, START_MS)
        for number, node in ((7, "n3:1"), (7, "n3:1"), (7, "n9:1"), (9, "n1:1"))
    ]

    answers = [rm.handle(event, START_MS) for event in events]

    assert [each.rejected for each in answers] == [
        *("", "InvalidReservation"),
        *("NodeNotFoundException", "ApplicationNotFoundException"),
    ]
    assert answers[1].detail == "n3:1 is reserved already"
    assert rm.cluster.reservations == 1
