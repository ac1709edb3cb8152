"""Why a Spark application is not given more, at the boundaries of each reason."""

from engine.control_plane.protocol import Event
from engine.control_plane.spark_events import (
    DriverSubmitted,
    ExecutorProfile,
    ExecutorsRequested,
    WorkerDecommissioned,
    WorkerRegistered,
)
from engine.observe.snapshot import ObstacleSummary
from tests.engine.observe.test_spark_snapshot import WORKER, application, refusal

SMALL = WorkerRegistered("s:1", "w0", 1, 256, "/r")


def _reason(*events: Event) -> ObstacleSummary:
    found = refusal(*events)
    assert found is not None
    return found


def test_a_worker_just_as_large_as_an_executor_is_large_enough() -> None:
    """In memory and in cores; what runs there is in the way, not its size."""
    exact = application(4096, 4, 4)

    assert _reason(WORKER, DriverSubmitted(1, 64), exact).code == "DOES_NOT_FIT"
    assert _reason(WORKER, application(4097, 4, 4)).code == "NODE_TOO_SMALL"
    assert _reason(WORKER, application(4096, 5, 5)).code == "NODE_TOO_SMALL"


def test_one_worker_that_is_large_enough_is_enough() -> None:
    assert _reason(SMALL, WORKER, DriverSubmitted(4, 64), application(512, 4, 2)).code == "DOES_NOT_FIT"


def test_the_worker_that_comes_nearest_is_named() -> None:
    """Both figures are those of one worker, and not of one that does not exist."""
    wide = WorkerRegistered("b:1", "w2", 8, 512, "/r")
    reason = _reason(SMALL, WORKER, wide, application(9999, 4, 2))

    assert "(the nearest has 4 cores and 4096 MB)" in reason.sentence


def test_workers_with_cores_and_without_memory_are_counted() -> None:
    reason = _reason(SMALL, WORKER, DriverSubmitted(2, 4000), application(512, 4, 2))

    assert reason.sentence.startswith("1 of 2 workers have the cores, none of them 512 MB")


def test_one_worker_with_room_makes_it_wait_for_an_event() -> None:
    """The Master looks only when something happens; a worker without room changes nothing about that."""
    other = WorkerRegistered("b:1", "w2", 4, 4096)
    reason = _reason(WORKER, SMALL, application(64, 4, 4), other, WorkerDecommissioned("a:1"))

    assert reason.code == "WAITS_FOR_EVENT"


def test_without_cores_the_most_that_are_free_are_named() -> None:
    reason = _reason(SMALL, WORKER, DriverSubmitted(2, 64), application(64, 4, 3))

    assert reason.sentence.startswith("no worker has 3 cores free (the most is 2)")


def test_a_maximum_of_exactly_one_executor_is_not_too_small() -> None:
    profiles = ExecutorsRequested(0, ((0, 0), (1, 0)), (ExecutorProfile(1, 1, 256),))

    assert _reason(WORKER, application(512, 2, 2, 0)).code == "NOTHING_ASKED"
    assert _reason(application(512, 1, 2), profiles).code == "NOTHING_ASKED"
