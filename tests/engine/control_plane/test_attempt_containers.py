"""Attempts as containers: their numbers, the names that users know, and how they begin and end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control_plane.attempt_containers import (
    AttemptContainers,
    LiveAttempt,
    attempt_of,
    container_named,
    container_of,
    is_cleanup,
    size_of,
)
from engine.control_plane.job_tracker import JobTracker
from engine.model.decision import Allocated, Completed, Decision, Killed
from engine.model.mr1.attempt import CHORE, MAP, REDUCE, AttemptId, Launch
from tests.engine.control_plane.trackers import NOW_MS, Site, said

ATTEMPTS = st.tuples(st.integers(1, 9999), st.sampled_from((MAP, REDUCE)), st.integers(0, 40_000), st.integers(0, 99))
FIRST: AttemptId = (1, MAP, 0, 0)


@given(ATTEMPTS, st.booleans())
def test_a_name_leads_back_to_its_container(attempt: AttemptId, cleans: bool) -> None:
    """Of an attempt and of its cleanup attempt; remedies find what they would end by it."""
    container = container_of(attempt, is_cleanup=cleans)

    assert container_named(JobTracker({}).view().container_id(container)) == container
    assert (attempt_of(container), is_cleanup(container)) == (attempt, cleans)


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


def test_a_size_is_the_slots_of_its_kind() -> None:
    assert (size_of(MAP, 3), size_of(REDUCE, 2)) == ((3, 0), (0, 2))


def launched(held: AttemptContainers, *launches: Launch, chores: bool = False) -> list[Decision]:
    return list(held.launched(launches, "a:1", 7, are_chores=chores))


def test_launched_attempts_are_allocated_by_their_distance() -> None:
    """Their job waits for nothing any more; chores have a priority of their own."""
    held = AttemptContainers()
    held.job_added(1, 3)
    launches = [Launch((1, MAP, number, 0), 2, level=number) for number in range(3)]

    assert launched(held, *launches, Launch((1, REDUCE, 0, 0), 1)) == [
        Allocated((1, 1, 0), "a:1", MAP, 2, 0, "NODE_LOCAL"),
        Allocated((1, 1, 4), "a:1", MAP, 2, 0, "RACK_LOCAL"),
        Allocated((1, 1, 8), "a:1", MAP, 2, 0, "OFF_SWITCH"),
        Allocated((1, 1, 2), "a:1", REDUCE, 0, 1, "OFF_SWITCH"),
    ]
    cleanup = Launch((1, MAP, 0, 0), 1, is_cleanup=True)
    assert launched(held, cleanup, chores=True) == [Allocated((1, 1, 1), "a:1", CHORE, 1, 0, "OFF_SWITCH")]
    assert (held.held, held.idle_since_ms) == ({1: 5}, {})
    assert held.live[1, 1, 4] == LiveAttempt("a:1", MAP, 2, 7)


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


def test_an_attempt_nobody_needs_is_released() -> None:
    site = Site("a")
    site.running()
    (launch,) = site.beat("a").launches
    held = AttemptContainers()
    launched(held, launch, Launch((9, MAP, 0, 0), 1))
    site.job().tasks[MAP][0].is_complete = True

    told = list(held.reported([said(FIRST, "KILLED"), said((9, MAP, 0, 0), "KILLED")], site.jt.cluster))

    assert [each.cause for each in told if isinstance(each, Killed)] == ["RELEASED", "APPLICATION_ENDED"]


def test_a_job_is_idle_since_its_last_attempt_ended() -> None:
    site = Site("a")
    held, cluster = AttemptContainers(), site.jt.cluster
    site.running()
    launched(held, *[Launch((job, MAP, number, 0), 1) for job in (1, 9) for number in range(2)])
    cluster.now_ms += 5

    list(held.reported([said(FIRST, "FAILED")], cluster))
    assert (held.held, held.idle_since_ms) == ({1: 1, 9: 2}, {})

    list(held.lost("b:1", cluster))
    told = list(held.lost("a:1", cluster))
    assert told == [Killed((job, 1, code), "a:1", "LOST") for job, code in ((1, 4), (9, 0), (9, 4))]
    assert (held.held, held.idle_since_ms, held.live) == ({}, {1: NOW_MS + 5}, {})

    held.job_ended(1)
    held.job_ended(9)
    assert held.idle_since_ms == {}


def test_an_attempt_and_its_cleanup_expire_together() -> None:
    held, cluster = AttemptContainers(), Site().jt.cluster
    launched(held, Launch(FIRST, 1, is_cleanup=True))
    assert list(held.expired(FIRST, cluster)) == [Killed((1, 1, 1), "a:1", "LAUNCH_EXPIRED")]

    launched(held, Launch(FIRST, 1))
    assert list(held.expired(FIRST, cluster)) == [Killed((1, 1, 0), "a:1", "LAUNCH_EXPIRED")]
    assert list(held.expired(FIRST, cluster)) == []


def test_a_job_is_unmet_since_it_had_a_task_to_launch() -> None:
    """Of the jobs that decisions are about; later decisions change nothing while it has."""
    site = Site("a")
    site.submit()
    held, cluster = AttemptContainers(), site.jt.cluster
    decisions = [Completed((1, 1, 0), "a:1", 0), Completed((9, 1, 0), "a:1", 0)]

    held.note_pending(decisions, cluster, lambda job: 1)
    cluster.now_ms += 5
    held.note_pending(decisions, cluster, lambda job: 1)
    held.note_pending([], cluster, lambda job: 0)
    assert held.unmet_since_ms == {1: NOW_MS}

    held.note_pending(decisions, cluster, lambda job: 0)
    assert held.unmet_since_ms == {}
