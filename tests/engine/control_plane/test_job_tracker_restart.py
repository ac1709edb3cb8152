"""A JobTracker that stops and starts again: nothing outlives it, or the jobs in its system directory."""

import pytest

from engine.control_plane.job_tracker_events import JobSubmitted, JobTrackerStarted, JobTrackerStopped
from engine.control_plane.protocol import NodeHeartbeat
from engine.errors import InvariantError
from engine.model.decision import ApplicationTransitioned, Decision, Killed
from engine.model.mr1.attempt import MAP
from engine.model.mr1.job_description import InputSplit, JobDescription
from tests.engine.control_plane.trackers import NOW_MS, Site

RECOVERS = {"mapred_jobtracker_restart_recover": "true"}
LOST = "lost with the JobTracker: mapred.jobtracker.restart.recover is not true"


def restart(site: Site, down_ms: int = 5_000) -> tuple[Decision, ...]:
    """Stop it, and start it some time later; what is decided then."""
    site.handle(JobTrackerStopped())
    site.now_ms += down_ms
    return site.handle(JobTrackerStarted()).decisions


def test_while_it_is_down_nobody_answers() -> None:
    """What it believed can be looked at; there are no passes; events without meaning have none now either."""
    site = Site("a")
    site.submit()
    site.handle(JobTrackerStopped())
    site.now_ms += 5

    answer = site.handle(JobSubmitted(JobDescription("etl", "ann")))
    assert (answer.rejected, answer.detail) == ("ConnectException", "no JobTracker answers")
    assert (site.jt.answers, site.jt.passes(), list(site.jt.cluster.jobs)) == (False, (), [1])
    assert (site.jt.recovery.state, site.jt.recovery.since_ms, site.jt.cluster.now_ms) == ("DOWN", NOW_MS, NOW_MS)
    assert site.handle(NodeHeartbeat("a:1")).rejected == ""


def test_a_jobtracker_is_started_once() -> None:
    """While one answers another is refused."""
    site = Site()

    answer = site.handle(JobTrackerStarted())

    assert (answer.rejected, answer.detail) == ("IllegalStateException", "a JobTracker is there already")


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


def test_a_stored_job_that_is_refused_is_lost() -> None:
    """With the reason: the limit was set lower meanwhile."""
    site = Site(**RECOVERS)
    site.submit(2)
    site.jt.cluster.settings = {**site.jt.cluster.settings, "mapred.jobtracker.maxtasks.per.job": "1"}

    (decision,) = restart(site)

    detail = "cannot be recovered: the job has 2 tasks, the limit is 1"
    assert decision == ApplicationTransitioned(1, "FAILED", "default", detail)


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
    """At its last instant; they go on being missing until the next stop."""
    site = Site("a")
    restart(site)

    site.jt.run_pass("launches", site.now_ms + silence_ms)

    assert (site.jt.recovery.state, list(site.jt.recovery.missing)) == (state, ["tracker_a:1"])


def test_a_jobtracker_without_trackers_has_recovered_at_once() -> None:
    """There is nobody to wait for."""
    site = Site()
    restart(site)

    assert (site.jt.recovery.state, site.jt.recovery.trackers_known) == ("ACTIVE", 0)


def test_a_second_stop_adds_to_those_that_are_missing() -> None:
    """Unless it had recovered meanwhile."""
    site = Site("a", "b")
    restart(site)
    site.beat("a", first=True)
    restart(site)
    assert (list(site.jt.recovery.missing), site.jt.recovery.trackers_known) == (["tracker_b:1", "tracker_a:1"], 2)

    site.jt.run_pass("launches", site.now_ms + 600_000)
    site.now_ms += 600_000
    site.beat("c", first=True)
    restart(site)
    assert list(site.jt.recovery.missing) == ["tracker_c:1"]


def test_it_cannot_stop_twice() -> None:
    """Whoever has that happen has made a mistake."""
    site = Site()
    site.handle(JobTrackerStopped())

    assert site.handle(JobTrackerStopped()).rejected == "ConnectException"
    with pytest.raises(InvariantError, match="nothing in state DOWN can STOP"):
        site.jt.recovery.stop((), 0)


def test_attempts_that_ran_are_forgotten_by_the_new_jobtracker() -> None:
    """A job that is recovered begins with its setup."""
    site = Site("a", **RECOVERS)
    site.running()
    site.beat("a")

    restart(site)

    assert (site.jt.launching, site.jt.responses, site.jt.to_drop) == ({}, {}, {})
    assert [launch.attempt for launch in site.beat("a", first=True).launches] == [(1, MAP, 2, 0)]
