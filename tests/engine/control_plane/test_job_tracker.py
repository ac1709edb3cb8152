"""A JobTracker's front door: which events it knows, how jobs are entered and ended, and what rests while it is idle."""

import pytest

from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.job_tracker_events import (
    JobKilled,
    JobSubmitted,
)
from engine.control_plane.protocol import (
    NodeLost,
    Pass,
)
from engine.model.decision import ApplicationTransitioned, Killed
from engine.model.mr1.job_description import InputSplit, JobDescription
from tests.engine.control_plane.trackers import Site

JOB = JobDescription("etl", "ann", (InputSplit(),) * 2, 1)


def test_jobs_get_the_next_number_unless_they_bring_one() -> None:
    jt = JobTracker({})

    numbers = [jt.handle(JobSubmitted(JOB, number), 0).application for number in (None, 5, 3, None)]

    assert numbers == [1, 5, 3, 6]


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


def test_launches_are_looked_at_three_times_in_the_expiry_interval() -> None:
    assert JobTracker({}).passes() == (Pass("launches", 200_000),)
    assert JobTracker({"mapred.tasktracker.expiry.interval": "2"}).passes() == (Pass("launches", 1),)
    assert JobTracker({"mapred.tasktracker.expiry.interval": "0"}).passes() == (Pass("launches", 1),)
    assert [each.name for each in JobTracker({}, scheduler="mr1-fair").passes()] == ["update", "launches"]
