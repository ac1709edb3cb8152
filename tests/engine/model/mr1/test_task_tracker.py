"""A tracker as its last heartbeat described it, its reservations, and the racks of hosts."""

import pytest

from engine.model.mr1.attempt import COMMIT_PENDING, FAILED_UNCLEAN, MAP, REDUCE, RUNNING, TaskReport
from engine.model.mr1.task_tracker import UNLIMITED, Racks, TaskTracker, TrackerReport, host_of


def running(kind: int, task: int, slots: int, state: str = RUNNING, *, in_cleanup: bool = False) -> TaskReport:
    """A report of an attempt of job 1."""
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


def test_a_heartbeat_replaces_the_one_before() -> None:
    """Nothing of it stays but the name."""
    tracker = TaskTracker(TrackerReport("t", "h", (4, 2), (running(MAP, 0, 2),), available_bytes=77))

    tracker.take(TrackerReport("t", "other", (1, 3)))

    assert (tracker.name, tracker.host, tracker.slots, tracker.available_bytes) == ("t", "other", (1, 3), UNLIMITED)
    assert (tracker.running, tracker.occupied) == ((0, 0), (0, 0))
    assert UNLIMITED == 2**63 - 1


class Owner:
    """A job that keeps what trackers tell it."""

    number = 1

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []

    def reserve(self, tracker: str, kind: int, slots: int) -> None:
        """Note it."""
        self.told.append((tracker, kind, slots))

    def unreserve(self, tracker: str, kind: int) -> None:
        """Note it."""
        self.told.append((tracker, kind))


def test_free_slots_are_kept_for_one_job_of_each_kind() -> None:
    """The job is told; giving up what is not kept tells nobody."""
    tracker, owner, other = TaskTracker(TrackerReport("t", "h", (1, 1))), Owner(), Owner()

    tracker.reserve(MAP, owner, 2)
    tracker.reserve(REDUCE, other, 3)
    assert tracker.reserved_for == [owner, other]

    tracker.unreserve(MAP)
    tracker.unreserve(MAP)
    assert tracker.reserved_for == [None, other]
    assert owner.told == [("t", MAP, 2), ("t", MAP)]

    tracker.unreserve_all()
    assert tracker.reserved_for == [None, None]
    assert other.told == [("t", REDUCE, 3), ("t", REDUCE)]


def test_all_reservations_are_given_up_at_once() -> None:
    """Both kinds."""
    tracker, owner = TaskTracker(TrackerReport("t", "h", (1, 1))), Owner()
    tracker.reserve(MAP, owner, 2)
    tracker.reserve(REDUCE, owner, 2)

    tracker.unreserve_all()

    assert tracker.reserved_for == [None, None]
    assert owner.told[2:] == [("t", MAP), ("t", REDUCE)]


def racks_of(*hosts: str) -> Racks:
    """Hosts that joined in turn."""
    racks = Racks({"a": "/r1", "b": "/r1", "c": "/r2"})
    for host in hosts:
        racks.join(host)
    return racks


def test_racks_join_with_their_first_host() -> None:
    """In that order, each once; a host nobody knows is in the default rack."""
    racks = racks_of("c", "a", "x", "b", "a")

    assert list(racks.joined) == ["/r2", "/r1", "/default-rack"]
    assert [racks.rack_of(host) for host in "abcx"] == ["/r1", "/r1", "/r2", "/default-rack"]
    assert racks.places("b") == ("/r1/b", "/r1")


@pytest.mark.parametrize(
    ("host", "other", "distance"),
    [("a", "a", 0), ("a", "b", 1), ("a", "c", 2), ("x", "y", 1), ("never", "a", 2), ("a", "never", 2), ("no", "no", 0)],
)
def test_distance_is_that_of_hosts_and_racks(host: str, other: str, distance: int) -> None:
    """One that never joined is near to nobody but itself."""
    assert racks_of("a", "b", "c", "x", "y").distance(host, other) == distance


@pytest.mark.parametrize(
    ("tracker", "host"), [("tracker_a:localhost/127.0.0.1:4", "a"), ("tracker_b", "b"), ("c:9", "c"), ("d", "d")]
)
def test_a_trackers_name_begins_with_its_host(tracker: str, host: str) -> None:
    """Up to the first colon, without the word in front."""
    assert host_of(tracker) == host
