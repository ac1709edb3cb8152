"""A JobTracker that stops and starts again: nothing outlives it, or the jobs in its system directory."""

import pytest

from engine.control_plane.job_tracker_events import JobSubmitted, JobTrackerStarted, JobTrackerStopped
from engine.model.decision import ApplicationTransitioned, Decision, Killed
from engine.model.mr1.job_description import InputSplit, JobDescription
from tests.engine.control_plane.trackers import NOW_MS, Site

RECOVERS = {"mapred_jobtracker_restart_recover": "true"}
LOST = "lost with the JobTracker: mapred.jobtracker.restart.recover is not true"


def restart(site: Site, down_ms: int = 5_000) -> tuple[Decision, ...]:
    """Stop it, and start it some time later; what is decided then."""
    site.handle(JobTrackerStopped())
    site.now_ms += down_ms
    return site.handle(JobTrackerStarted()).decisions


def test_everything_is_lost_with_it() -> None:
    """Its attempts are nobody's, jobs fail, and trackers have to start over; numbers of jobs go on."""
    site = Site("a")
    site.running()
    site.beat("a")
    site.submit()

    assert restart(site) == (
        Killed((1, 1, 0), "a:1", "ORPHANED"),
        ApplicationTransitioned(1, "FAILED", "default", LOST),
        ApplicationTransitioned(2, "FAILED", "default", LOST),
    )
    assert (site.jt.cluster.jobs, site.jt.cluster.trackers, site.jt.containers.live) == ({}, {}, {})
    assert site.beat("a").restarts
    assert site.submit() == 3


def test_stored_jobs_begin_again() -> None:
    """In order of their numbers, with the priority they were submitted with; one that does not want to is lost."""
    site = Site("a", **RECOVERS)
    stays = {"mapreduce.job.restart.recover": "false"}
    site.handle(JobSubmitted(JobDescription("etl", "ann", (InputSplit(),)), 7))
    site.handle(JobSubmitted(JobDescription("b", "ann", settings=stays), 5))
    site.handle(JobSubmitted(JobDescription("c", "ann", priority="LOW"), 3))
    site.job(3).priority = 0

    assert restart(site) == (
        ApplicationTransitioned(3, "ACCEPTED", "default"),
        ApplicationTransitioned(
            5, "FAILED", "default", "lost with the JobTracker: mapreduce.job.restart.recover is not true"
        ),
        ApplicationTransitioned(7, "ACCEPTED", "default"),
    )
    assert (list(site.jt.cluster.live), site.job(3).priority) == ([3, 7], 3)
    assert (site.job(7).start_ms, site.jt.next_job) == (NOW_MS + 5_000, 8)


def test_it_recovers_until_every_tracker_is_back() -> None:
    """Those it knew when it stopped are missing; a new one is none of them."""
    site = Site("a", "b")
    restart(site)
    recovery = site.jt.recovery
    assert (recovery.state, recovery.since_ms, recovery.trackers_known) == ("RECOVERING", NOW_MS + 5_000, 2)
    assert list(recovery.missing) == ["tracker_a:1", "tracker_b:1"]

    site.beat("c", first=True)
    site.beat("a", first=True)
    assert (recovery.state, list(recovery.missing)) == ("RECOVERING", ["tracker_b:1"])

    site.now_ms += 7
    site.beat("b", first=True)
    assert (recovery.state, recovery.since_ms, recovery.missing) == ("ACTIVE", NOW_MS + 5_007, {})


@pytest.mark.parametrize(("silence_ms", "state"), [(599_999, "RECOVERING"), (600_000, "ACTIVE")])
def test_trackers_are_given_up_after_the_expiry_interval(silence_ms: int, state: str) -> None:
    site = Site("a")
    restart(site)

    site.jt.run_pass("launches", site.now_ms + silence_ms)

    assert (site.jt.recovery.state, list(site.jt.recovery.missing)) == (state, ["tracker_a:1"])
