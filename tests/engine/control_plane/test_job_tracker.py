"""A JobTracker's front door: which events it knows, how jobs are entered and ended, and what rests while it is idle."""

import pytest
from msgspec.structs import replace

from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.job_tracker_parts import AttemptContainers, container_of
from engine.control_plane.protocol import (
    ApplicationFinished,
    AttemptKilled,
    HeartbeatResponse,
    JobKilled,
    JobSubmitted,
    JobTrackerStarted,
    JobTrackerStopped,
    NodeLost,
)
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Decision, Killed
from engine.model.mr1.task_in_progress import InputSplit, JobDescription
from engine.model.mr1.tracker import CHORE, MAP, REDUCE, AttemptId, Launch
from tests.engine.control_plane.trackers import NOW_MS, Site, said

JOB = JobDescription("etl", "ann", (InputSplit(),) * 2, 1)


@pytest.mark.parametrize(("most", "refused"), [(2, True), (3, False), (0, False), (-1, False)])
def test_a_job_has_no_more_tasks_than_allowed(most: int, refused: bool) -> None:
    """Maps and reduces together; a limit below 1 is none. A refused job has used up its number."""
    jt = JobTracker({"mapred.jobtracker.maxtasks.per.job": str(most)})

    answer = jt.handle(JobSubmitted(JOB), 0)

    assert bool(answer.rejected) is refused
    assert (jt.next_job, list(jt.cluster.jobs)) == (2, [] if refused else [1])
    if refused:
        assert (answer.rejected, answer.detail) == ("IOException", f"the job has 3 tasks, the limit is {most}")


def test_a_killed_job_ends_at_once_when_it_has_no_tasks() -> None:
    site = Site("a")
    site.submit()
    site.job().is_initialized = False

    answer = site.handle(JobKilled(1))
    assert answer.decisions == (ApplicationTransitioned(1, "KILLED", "default"),)
    assert (site.jt.containers.idle_since_ms, site.jt.containers.unmet_since_ms, site.jt.scheduler.is_idle) == (
        *({}, {}),
        True,
    )
    for number in (1, 9):
        assert site.handle(JobKilled(number)).decisions == ()


def test_a_lost_node_is_a_lost_tracker() -> None:
    site = Site("a")
    site.running()
    site.beat("a")

    assert site.handle(NodeLost("a:1")).decisions == (Killed((1, 1, 0), "a:1", "LOST"),)
    assert site.jt.cluster.trackers == {}


# A tracker's heartbeat and its answer: what is to be started, ended and committed, and when to report again.

SETUP = (1, MAP, 2, 0)
"""The setup of a job of one map."""

FIRST, SECOND = (1, MAP, 0, 0), (1, MAP, 1, 0)


def test_a_tracker_makes_itself_known_with_its_first_heartbeat() -> None:
    """Answers are numbered; it was heard of now, and its host has joined its rack."""
    site = Site()

    assert site.beat("a", first=True) == HeartbeatResponse(response=1, interval_ms=300)
    assert site.beat("a") == HeartbeatResponse(response=2, interval_ms=300)
    assert (site.tracker("a").last_seen_ms, site.jt.cluster.racks.rack_of("a")) == (NOW_MS, "/r1")
    assert (site.jt.cluster.slots, site.jt.cluster.hosts) == ([2, 2], {"a": 1})


def test_a_tracker_nobody_knows_starts_over() -> None:
    site = Site()

    assert site.beat("a") == HeartbeatResponse(response=0, restarts=True)
    assert (site.jt.cluster.trackers, site.jt.cluster.slots) == ({}, [0, 0])


def test_an_answer_that_was_lost_is_sent_again() -> None:
    """The heartbeat that comes again is not taken over, and nothing is decided again."""
    site = Site("a")
    site.submit()
    answer = site.beat("a")
    site.responses["a"] = 1

    assert site.beat("a", said(SETUP, "SUCCEEDED")) == replace(answer, decisions=())
    assert site.job().state == "PREP"


def test_setup_goes_before_maps_and_reduces() -> None:
    """It is a chore in a map slot; its success lets the job run, and all that may run is launched."""
    site = Site("a")
    site.submit(1, 1)

    answer = site.beat("a")
    assert answer.launches == (Launch(SETUP, 1),)
    assert answer.decisions == (Allocated((1, 1, 8), "a:1", CHORE, 1, 0, "OFF_SWITCH"),)
    assert (list(site.jt.launching), answer.response, answer.interval_ms) == ([SETUP], 2, 300)

    answer = site.beat("a", said(SETUP, "SUCCEEDED"))
    assert answer.decisions == (
        Completed((1, 1, 8), "a:1", 0),
        ApplicationTransitioned(1, "RUNNING", "default"),
        Allocated((1, 1, 0), "a:1", MAP, 1, 0, "OFF_SWITCH"),
    )
    assert answer.launches == (Launch(FIRST, 1, level=2),)
    assert list(site.jt.launching) == [FIRST]


def test_reduces_follow_the_maps_they_wait_for() -> None:
    site = Site("a")
    site.running(1, 1)
    site.beat("a")

    answer = site.beat("a", said(FIRST, "SUCCEEDED"))

    assert answer.launches == (Launch((1, REDUCE, 0, 0), 1),)
    assert answer.decisions == (Completed((1, 1, 0), "a:1", 0), Allocated((1, 1, 2), "a:1", REDUCE, 0, 1, "OFF_SWITCH"))


def test_a_tracker_that_starts_anew_has_lost_what_it_ran() -> None:
    site = Site("a")
    site.running()
    site.beat("a")
    site.beat("a", said(FIRST))

    answer = site.beat("a", first=True)

    assert answer.decisions[0] == Killed((1, 1, 0), "a:1", "LOST")
    assert answer.launches == (Launch(FIRST, 1, is_cleanup=True),)
    assert answer.decisions[1:] == (Allocated((1, 1, 1), "a:1", CHORE, 1, 0, "OFF_SWITCH"),)


def test_a_tracker_is_told_what_to_end() -> None:
    site = Site("a")
    site.running()
    site.beat("a")
    site.beat("a", said(FIRST))
    site.handle(AttemptKilled(FIRST))

    for _ in range(2):
        assert site.beat("a", said(FIRST), asks=False).kills == (FIRST,)
    answer = site.beat("a", said(FIRST, "KILLED"), asks=False)
    assert (answer.kills, answer.decisions) == ((), (Killed((1, 1, 0), "a:1", "KILLED_BY_USER"),))


def test_a_tracker_is_told_once_which_jobs_have_ended() -> None:
    site = Site("a", "b")
    site.submit()
    site.job().is_initialized = False
    site.handle(JobKilled(1))

    assert site.beat("a", said((7, MAP, 0, 0)), said((5, MAP, 0, 0))).ended_jobs == (1, 5, 7)
    assert site.beat("a").ended_jobs == ()
    assert site.beat("b").ended_jobs == (1,)


def test_one_attempt_of_a_task_may_commit() -> None:
    site = Site("a")
    site.running(2)
    site.beat("a")

    answer = site.beat("a", said(FIRST, "COMMIT_PENDING"), said(SECOND))

    assert answer.commits == (FIRST,)


def test_a_reduce_that_cannot_fetch_makes_a_map_fail() -> None:
    site = Site("a")
    site.running(1, 1)
    site.beat("a")
    site.beat("a", said(FIRST, "SUCCEEDED"))
    task = site.job().tasks[MAP][0]
    for _ in range(2):
        site.beat("a", said((1, REDUCE, 0, 0), failed_fetches=(FIRST, SECOND)), asks=False)
        assert task.is_complete

    site.beat("a", said((1, REDUCE, 0, 0), failed_fetches=(FIRST,)), asks=False)
    assert not task.is_complete


def test_a_jobs_end_is_told_with_the_report_that_ends_it() -> None:
    site = Site("a")
    site.running(0)
    (cleanup,) = site.beat("a").launches

    answer = site.beat("a", said(cleanup.attempt, "SUCCEEDED"))

    assert answer.decisions[-1] == ApplicationTransitioned(1, "FINISHED", "default")
    assert (answer.ended_jobs, site.jt.is_idle) == ((1,), True)


@pytest.mark.parametrize("silence_ms", [599_999, 600_000, 600_001])
def test_an_attempt_that_is_not_reported_for_too_long_fails(silence_ms: int) -> None:
    site = Site("a")
    site.running(2)
    site.beat("a")
    site.now_ms += 10
    site.beat("a")
    assert site.jt.launching == {FIRST: NOW_MS, SECOND: NOW_MS + 10}

    answer = site.jt.run_pass("launches", NOW_MS + silence_ms)

    expired = silence_ms > 600_000
    assert answer.decisions == ((Killed((1, 1, 0), "a:1", "LAUNCH_EXPIRED"),) if expired else ())
    assert list(site.jt.launching) == ([SECOND] if expired else [FIRST, SECOND])
    assert site.job().failed_attempts == [int(expired), 0]


def test_a_killed_jobs_attempts_end_with_it() -> None:
    site = Site("a")
    site.running()
    site.beat("a")
    site.beat("a", said(FIRST))
    site.handle(ApplicationFinished(1, "KILLED"))

    answer = site.beat("a", said(FIRST))
    assert answer.kills == (FIRST,)
    (cleanup,) = answer.launches
    answer = site.beat("a", said(FIRST, "KILLED"), said(cleanup.attempt, "SUCCEEDED"))
    assert answer.decisions == (
        Killed((1, 1, 0), "a:1", "APPLICATION_ENDED"),
        Completed((1, 1, 4), "a:1", 0),
        ApplicationTransitioned(1, "KILLED", "default"),
    )


# A JobTracker that stops and starts again: nothing outlives it, or the jobs in its system directory.

LOST = "lost with the JobTracker: mapred.jobtracker.restart.recover is not true"


def restart(site: Site, down_ms: int = 5_000) -> tuple[Decision, ...]:
    """Stop it, and start it some time later; what is decided then."""
    site.handle(JobTrackerStopped())
    site.now_ms += down_ms
    return site.handle(JobTrackerStarted()).decisions


# Attempts as containers: their numbers, the names that users know, and how they begin and end.

ATTEMPT_FIRST: AttemptId = (1, MAP, 0, 0)


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
    launched(held, Launch(ATTEMPT_FIRST, 1, is_cleanup=in_cleanup))
    held.by_user = {(9, MAP, 0, 0)}

    told = list(held.reported([said(ATTEMPT_FIRST, state, in_cleanup=in_cleanup)], cluster))

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
    launched(held, Launch(ATTEMPT_FIRST, 1))
    held.by_user = {ATTEMPT_FIRST}
    setattr(site.job(), slot, {"state": "FAILED", "number": 1}.get(slot, True))

    assert list(held.reported([said(ATTEMPT_FIRST, "KILLED")], site.jt.cluster)) == [Killed((1, 1, 0), "a:1", cause)]
    assert held.by_user == set()
