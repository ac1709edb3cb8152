"""A tracker as its last heartbeat described it, its reservations, and the racks of hosts."""

import pytest

from engine.model.mr1.tracker import (
    COMMIT_PENDING,
    FAILED_UNCLEAN,
    MAP,
    REDUCE,
    RUNNING,
    Racks,
    TaskReport,
    TaskTracker,
    TrackerReport,
)


def running(kind: int, task: int, slots: int, state: str = RUNNING, *, in_cleanup: bool = False) -> TaskReport:
    return TaskReport((1, kind, task, 0), state, 0.0, slots, 0, in_cleanup=in_cleanup)


def test_slots_are_occupied_by_attempts_that_run_or_clean_up() -> None:
    """Maps and reduces are counted apart, attempts and their slots, too; one that waits to commit counts nowhere."""
    attempts = (
        *(running(MAP, 0, 2), running(MAP, 1, 1), running(MAP, 2, 4, COMMIT_PENDING)),
        *(running(REDUCE, 0, 3), running(REDUCE, 1, 1, FAILED_UNCLEAN, in_cleanup=True)),
        running(REDUCE, 2, 5, FAILED_UNCLEAN),
    )

    tracker = TaskTracker(TrackerReport("t", "h", (4, 2), attempts, available_bytes=77))

    assert (tracker.name, tracker.host, tracker.slots, tracker.available_bytes) == ("t", "h", (4, 2), 77)
    assert (tracker.running, tracker.occupied) == ((2, 2), (3, 4))
    assert (tracker.free(MAP), tracker.free(REDUCE)) == (1, -2)


def racks_of(*hosts: str) -> Racks:
    racks = Racks({"a": "/r1", "b": "/r1", "c": "/r2"})
    for host in hosts:
        racks.join(host)
    return racks


@pytest.mark.parametrize(
    ("host", "other", "distance"),
    [("a", "a", 0), ("a", "b", 1), ("a", "c", 2), ("x", "y", 1), ("never", "a", 2), ("a", "never", 2), ("no", "no", 0)],
)
def test_distance_is_that_of_hosts_and_racks(host: str, other: str, distance: int) -> None:
    assert racks_of("a", "b", "c", "x", "y").distance(host, other) == distance
