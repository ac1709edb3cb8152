"""Attempts as containers: their numbers, the names that users know, and how they begin and end."""

import pytest

from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.job_tracker_parts import AttemptContainers, container_of
from engine.model.decision import Completed, Decision, Killed
from engine.model.mr1.tracker import MAP, REDUCE, AttemptId, Launch
from tests.engine.control_plane.trackers import Site, said

FIRST: AttemptId = (1, MAP, 0, 0)


@pytest.mark.parametrize(
    ("attempt", "cleans", "container", "name"),
    [
        ((1, MAP, 0, 0), False, (1, 1, 0), "attempt_0001_m_000000_0"),
        ((1, MAP, 0, 0), True, (1, 1, 1), "attempt_0001_m_000000_0c"),
        ((1, REDUCE, 0, 2), False, (1, 3, 2), "attempt_0001_r_000000_2"),
        ((12, REDUCE, 5, 0), True, (12, 1, 23), "attempt_0012_r_000005_0c"),
    ],
)
def test_containers_count_tasks_kinds_and_cleanups(
    attempt: AttemptId, cleans: bool, container: tuple[int, int, int], name: str
) -> None:
    assert container_of(attempt, is_cleanup=cleans) == container
    assert JobTracker({}).view().container_id(container) == name


def launched(held: AttemptContainers, *launches: Launch, chores: bool = False) -> list[Decision]:
    return list(held.launched(launches, "a:1", 7, are_chores=chores))


@pytest.mark.parametrize(
    ("state", "in_cleanup", "decision"),
    [
        ("RUNNING", False, None),
        ("COMMIT_PENDING", False, None),
        ("SUCCEEDED", False, Completed((1, 1, 0), "a:1", 0)),
        ("FAILED", False, Completed((1, 1, 0), "a:1", 1)),
        ("FAILED_UNCLEAN", False, Completed((1, 1, 0), "a:1", 1)),
        ("KILLED", False, Killed((1, 1, 0), "a:1", "PREEMPTED")),
        ("KILLED_UNCLEAN", False, Killed((1, 1, 0), "a:1", "PREEMPTED")),
        ("KILLED_UNCLEAN", True, None),
        ("FAILED", True, Completed((1, 1, 1), "a:1", 0)),
        ("KILLED", True, Completed((1, 1, 1), "a:1", 0)),
    ],
)
def test_what_a_tracker_says_ended_is_a_container_no_longer(
    state: str, in_cleanup: bool, decision: Decision | None
) -> None:
    """A cleanup attempt completes whatever it says of its attempt; while it cleans it goes on."""
    site = Site("a")
    site.running()
    held, cluster = AttemptContainers(), site.jt.cluster
    launched(held, Launch(FIRST, 1, is_cleanup=in_cleanup))
    held.by_user = {(9, MAP, 0, 0)}

    told = list(held.reported([said(FIRST, state, in_cleanup=in_cleanup)], cluster))

    assert told == ([] if decision is None else [decision])
    assert len(held.live) == int(decision is None)
    assert list(held.reported([said((8, MAP, 0, 0), state)], cluster)) == []


@pytest.mark.parametrize(
    ("slot", "cause"),
    [
        ("state", "APPLICATION_ENDED"),
        ("is_killed", "APPLICATION_ENDED"),
        ("is_failing", "APPLICATION_ENDED"),
        ("number", "KILLED_BY_USER"),
    ],
)
def test_a_killed_attempt_has_the_cause_that_is_nearest(slot: str, cause: str) -> None:
    site = Site("a")
    site.running()
    held = AttemptContainers()
    launched(held, Launch(FIRST, 1))
    held.by_user = {FIRST}
    setattr(site.job(), slot, {"state": "FAILED", "number": 1}.get(slot, True))

    assert list(held.reported([said(FIRST, "KILLED")], site.jt.cluster)) == [Killed((1, 1, 0), "a:1", cause)]
    assert held.by_user == set()
