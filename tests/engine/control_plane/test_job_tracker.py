"""A JobTracker's front door: which events it knows, how jobs are entered and ended, and what rests while it is idle."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.job_tracker_parts import container_of
from engine.control_plane.protocol import (
    Answer,
    ApplicationFinished,
    ContainerKilled,
    Event,
    HeartbeatResponse,
    JobSubmitted,
    NodeLost,
    TrackerHeartbeat,
)
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.task_in_progress import InputSplit, JobDescription
from engine.model.mr1.tracker import CHORE, MAP, REDUCE, AttemptId, Launch, TaskReport, TaskTracker, TrackerReport

NOW_MS = 1_000_000
RACKS = {"a": "/r1", "b": "/r1", "c": "/r2"}


class Site:
    """A JobTracker with trackers `tracker_a:1` … of two slots of each kind, and the last answer of each."""

    def __init__(self, *hosts: str, scheduler: str = "mr1-fifo", **settings: object) -> None:
        texts = {key.replace("_", "."): str(value) for key, value in settings.items()}
        self.jt = JobTracker(texts, scheduler=scheduler, racks=RACKS, now_ms=NOW_MS)
        self.now_ms = NOW_MS
        self.responses: dict[str, int] = {}
        for host in hosts:
            self.beat(host, first=True, asks=False)

    def handle(self, event: Event) -> Answer:
        return self.jt.handle(event, self.now_ms)

    def beat(
        self, host: str, *attempts: TaskReport, first: bool = False, asks: bool = True, **more: Any
    ) -> HeartbeatResponse:
        report = TrackerReport(f"tracker_{host}:1", host, (2, 2), attempts, **more)
        last = 0 if first else self.responses.get(host, 0)
        answer = self.handle(TrackerHeartbeat(report, first, asks, last))
        assert isinstance(answer, HeartbeatResponse)
        self.responses[host] = answer.response
        return answer

    def submit(self, maps: int = 1, reduces: int = 0, **more: Any) -> int:
        """A job of maps without a place; its number."""
        answer = self.handle(JobSubmitted(JobDescription("etl", "ann", (InputSplit(),) * maps, reduces, **more)))
        assert not answer.rejected, answer.detail
        assert answer.application is not None
        return answer.application

    def running(self, maps: int = 1, reduces: int = 0, **more: Any) -> int:
        """A job whose setup has succeeded on host `a`."""
        number = self.submit(maps, reduces, **more)
        (launch,) = self.beat("a").launches
        self.beat("a", said(launch.attempt, "SUCCEEDED"), asks=False)
        return number

    def job(self, number: int = 1) -> JobInProgress:
        return self.jt.cluster.jobs[number]

    def tracker(self, host: str) -> TaskTracker:
        return self.jt.cluster.trackers[f"tracker_{host}:1"]


def said(attempt: AttemptId, state: str = "RUNNING", **more: Any) -> TaskReport:
    """What a tracker says of an attempt that began when the test did."""
    finish_ms = 0 if state in ("RUNNING", "COMMIT_PENDING") else NOW_MS
    keys = {"progress": 0.0, "slots": 1, "start_ms": NOW_MS, "finish_ms": finish_ms} | more
    return TaskReport(attempt, state, **keys)


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

    answer = site.handle(ApplicationFinished(1))
    assert answer.decisions == (ApplicationTransitioned(1, "KILLED", "default"),)
    assert (site.jt.containers.unmet_since_ms, site.jt.scheduler.is_idle) == ({}, True)
    for number in (1, 9):
        assert site.handle(ApplicationFinished(number)).decisions == ()


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
    site.handle(ContainerKilled(container_of(FIRST)))

    for _ in range(2):
        assert site.beat("a", said(FIRST), asks=False).kills == (FIRST,)
    answer = site.beat("a", said(FIRST, "KILLED"), asks=False)
    assert (answer.kills, answer.decisions) == ((), (Killed((1, 1, 0), "a:1", "KILLED_BY_USER"),))


def test_a_tracker_is_told_once_which_jobs_have_ended() -> None:
    site = Site("a", "b")
    site.submit()
    site.job().is_initialized = False
    site.handle(ApplicationFinished(1))

    assert site.beat("a", said((7, MAP, 0, 0)), said((5, MAP, 0, 0))).ended_jobs == (1, 5, 7)
    assert site.beat("a").ended_jobs == ()
    assert site.beat("b").ended_jobs == (1,)


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

    assert answer.decisions[-1] == ApplicationTransitioned(1, "SUCCEEDED", "default")
    assert (answer.ended_jobs, site.jt.is_idle) == ((1,), True)


@pytest.mark.parametrize("silence_ms", [599_999, 600_000, 600_001])
def test_an_attempt_that_is_not_reported_for_too_long_fails(silence_ms: int) -> None:
    site = Site("a")
    site.running(2)
    site.beat("a")
    site.now_ms += 10
    site.beat("a")
    assert site.jt.launching == {FIRST: NOW_MS, SECOND: NOW_MS + 10}
    looks = [jt.passes()[-1] for jt in (site.jt, Site(mapred_tasktracker_expiry_interval=2).jt)]
    assert [each.interval_ms for each in looks] == [200_000, 1]

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


# Attempts as containers: their numbers, the names that users know, and how they begin and end.


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
