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
from engine.model.request import Resource
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


@pytest.mark.parametrize(
    ("requested", "queue"), [("root.etl", "root.etl"), ("root.ann", "root.ann"), ("ann", "root.ann")]
)
def test_an_application_is_in_the_queue_it_was_in(requested: str, queue: str) -> None:
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
