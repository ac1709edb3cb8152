"""Why applications wait, a little at a time."""

from engine.control_plane.protocol import ApplicationMasterHeartbeat, Ask, Event
from engine.control_plane.spark_events import (
    WorkerDecommissioned,
    WorkerRegistered,
)
from engine.observe.obstacles import alike
from engine.observe.snapshot import ObstacleSummary
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update
from tests.engine.observe.test_spark_snapshot import WORKER, application, refusal


def test_applications_that_ask_alike_share_an_answer() -> None:
    """Of one user in one queue; how many containers each wants makes no difference, nor what is wanted no more."""
    rm = resource_manager()
    one, more, done = (submit(rm, "root.a") for _ in range(3))
    ask(rm, one, 1)
    ask(rm, more, 2)
    ask(rm, done, 1)
    ask(rm, done, 3, 2048, priority=2)
    ask(rm, done, 0, 2048, priority=2)
    keys = [alike(attempt_of(rm, number)) for number in (one, more, done)]

    assert None not in keys
    assert keys == [keys[0]] * 3


def test_who_has_places_reservations_or_a_blacklist_is_like_nobody() -> None:
    rm = resource_manager(nodes=1, memory_mb=4096)
    ask(rm, submit(rm, "root.filler"), 1, 4096)
    update(rm)
    heartbeat(rm)
    holds, choosy, picky, plain = (submit(rm, f"root.{name}") for name in ("holds", "choosy", "picky", "plain"))
    ask(rm, holds, 1)
    update(rm)
    heartbeat(rm)
    rm.handle(ApplicationMasterHeartbeat(choosy, (Ask(1, "*", 1024, 1, 1),), blacklist_add=("n1",)), START_MS)
    rm.handle(ApplicationMasterHeartbeat(picky, (Ask(1, "n9", 1024, 1, 1), Ask(1, "*", 1024, 1, 1))), START_MS)
    ask(rm, plain, 1)

    assert len(attempt_of(rm, holds).reserved) == 1
    assert [alike(attempt_of(rm, number)) is None for number in (holds, choosy, picky, plain)] == [
        True,
        True,
        True,
        False,
    ]


# The sentence that says why an application waits, where several nodes stand in the way.


# Why a Spark application is not given more, at the boundaries of each reason.

SMALL = WorkerRegistered("s:1", "w0", 1, 256, "/r")


def _reason(*events: Event) -> ObstacleSummary:
    found = refusal(*events)
    assert found is not None
    return found


def test_one_worker_with_room_makes_it_wait_for_an_event() -> None:
    """The Master looks only when something happens; a worker without room changes nothing about that."""
    other = WorkerRegistered("b:1", "w2", 4, 4096)
    reason = _reason(WORKER, SMALL, application(64, 4, 4), other, WorkerDecommissioned("a:1"))

    assert reason.code == "WAITS_FOR_EVENT"
