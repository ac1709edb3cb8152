"""A JobTracker's front door: which events it knows, how jobs are entered and ended, and what rests while it is idle."""

from collections.abc import Callable

import pytest

from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.job_tracker_events import (
    AttemptKilled,
    HeartbeatResponse,
    JobKilled,
    JobPriorityChanged,
    JobSubmitted,
)
from engine.control_plane.job_tracker_requests import REQUESTS, priority_named
from engine.control_plane.protocol import (
    NOTHING,
    AllocationsReloaded,
    ApplicationFinished,
    ApplicationMasterRegistered,
    ApplicationPriorityChanged,
    ContainerKilled,
    NodeHeartbeat,
    NodeJoined,
    NodeLost,
    NodeRegisteredAgain,
    Pass,
    SettingsChanged,
)
from engine.errors import ConfigError
from engine.model.decision import ApplicationTransitioned, Killed
from engine.model.mr1.attempt import MAP
from engine.model.mr1.job_description import InputSplit, JobDescription
from engine.schedulers.mr1.fair_allocations import PoolAllocations
from tests.engine.control_plane.trackers import NOW_MS, RACKS, Site, said

FIRST = (1, MAP, 0, 0)
JOB = JobDescription("etl", "ann", (InputSplit(),) * 2, 1)


def test_it_begins_without_trackers_and_jobs() -> None:
    """Amounts are map slots and reduce slots; unknown settings are refused."""
    jt = JobTracker({"mapred.heartbeats.in.second": "7"}, scheduler="mr1-fair", now_ms=NOW_MS)

    assert (jt.name, jt.dimensions, jt.version, jt.answers) == ("mr1-fair", ("map_slots", "reduce_slots"), 0, True)
    assert (jt.cluster.now_ms, jt.cluster.heartbeats_per_second, jt.cluster.racks.racks) == (NOW_MS, 7, {})
    assert (jt.recovery.since_ms, jt.recovery.expiry_ms, jt.next_job) == (NOW_MS, 600_000, 1)
    with pytest.raises(ConfigError):
        JobTracker({"mapred.heartbeats.in.second": "many"})


def test_each_event_is_counted_and_has_its_time() -> None:
    """One without meaning is not; one of another control plane is refused."""
    jt = JobTracker({})
    assert jt.handle(NodeHeartbeat("a:1"), 5) is NOTHING
    assert (jt.version, jt.cluster.now_ms) == (0, 0)

    answer = jt.handle(ApplicationMasterRegistered(1), 5)
    assert answer.rejected == "UnsupportedOperationException"
    assert answer.detail == "a JobTracker knows no ApplicationMasterRegistered"
    assert jt.version == 0

    jt.handle(JobSubmitted(JOB), 9)
    assert (jt.version, jt.cluster.now_ms) == (1, 9)
    jt.run_pass("launches", 11)
    assert (jt.version, jt.cluster.now_ms) == (2, 11)


def test_a_submitted_job_is_accepted() -> None:
    """Its state is told in the words of all control planes; it waits since then."""
    site = Site("a")

    answer = site.handle(JobSubmitted(JOB))

    assert answer.application == 1
    assert answer.decisions == (ApplicationTransitioned(1, "ACCEPTED", "default"),)
    assert (site.job().start_ms, site.jt.cluster.live) == (NOW_MS, {1: site.job()})
    assert site.jt.containers.idle_since_ms == {1: NOW_MS}
    assert site.jt.containers.unmet_since_ms == {1: NOW_MS}


def test_jobs_get_the_next_number_unless_they_bring_one() -> None:
    """The next is beyond all."""
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


def test_a_job_its_queue_does_not_take_fails() -> None:
    """It is told with the number it got; one of a queue that is not there was never entered."""
    limits = {
        "mapred_capacity-scheduler_queue_default_capacity": 100,
        "mapred_capacity-scheduler_maximum-system-jobs": 1,
    }
    site = Site(scheduler="mr1-capacity", **limits)

    answer = site.handle(JobSubmitted(JobDescription("etl", "ann", queue="nowhere")))
    assert (answer.application, bool(answer.rejected), site.jt.cluster.jobs) == (None, True, {})

    answers = [site.handle(JobSubmitted(JOB)) for _ in range(40)]
    refused = next(each for each in answers if each.rejected)
    assert refused.application is not None
    assert refused.decisions == (
        ApplicationTransitioned(refused.application, "ACCEPTED", "default"),
        ApplicationTransitioned(refused.application, "FAILED", "default"),
    )
    assert site.job(refused.application).state == "FAILED"
    assert refused.application not in site.jt.containers.idle_since_ms


def test_a_killed_job_ends_at_once_when_it_has_no_tasks() -> None:
    """One that has ended, or that nobody knows, stays as it is."""
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


def test_only_a_live_job_can_be_finished() -> None:
    """By a user; it is killed whatever state is named."""
    site = Site("a")
    site.submit()

    assert site.handle(ApplicationFinished(1, "KILLED")).rejected == ""
    assert site.job().is_killed
    answer = site.handle(ApplicationFinished(2))
    assert (answer.rejected, answer.detail) == ("JobNotFound", "there is no live job 2")


def test_only_what_runs_can_be_ended() -> None:
    """Once; the end of a container is that of its attempt."""
    site = Site("a")
    site.running()
    site.beat("a")
    assert site.handle(AttemptKilled(FIRST)).rejected == "NotRunning"

    site.beat("a", said(FIRST))
    assert site.handle(ContainerKilled((1, 1, 0))) == NOTHING
    assert site.job().tasks[MAP][0].to_kill == {FIRST: False}
    answer = site.handle(AttemptKilled(FIRST, counts=True))
    assert (answer.rejected, answer.detail) == (
        "NotRunning",
        "the attempt does not run, or its end was asked for already",
    )
    assert site.handle(AttemptKilled((1, MAP, 5, 0))).rejected == "NotRunning"


@pytest.mark.parametrize(
    ("number", "name"),
    [(0, "VERY_LOW"), (1, "LOW"), (2, "NORMAL"), (3, "HIGH"), (4, "VERY_HIGH"), (5, "VERY_HIGH"), (99, "VERY_HIGH")],
)
def test_a_priority_of_a_number_is_the_higher_the_sooner(number: int, name: str) -> None:
    """Beyond the highest there is nothing more."""
    assert priority_named(number) == name


def test_a_jobs_priority_changes_its_place() -> None:
    """By name or by number; nobody's changes nothing."""
    site = Site("a")
    site.submit()
    site.submit()

    site.handle(JobPriorityChanged(2, "HIGH"))
    assert (site.job(2).priority, site.job(1).priority) == (1, 2)
    site.handle(ApplicationPriorityChanged(1, 4))
    assert site.job(1).priority == 0
    assert [launch.attempt[0] for launch in site.beat("a").launches] == [1]
    assert site.handle(JobPriorityChanged(9, "HIGH")) == NOTHING


def test_a_node_that_joins_has_a_rack_when_its_tracker_comes() -> None:
    """Whether for the first time or again; those that are known stay where they are."""
    site = Site()
    racks = site.jt.cluster.racks.racks

    assert site.handle(NodeJoined("x:1", "/r9", 1, 1)) is NOTHING
    site.handle(NodeRegisteredAgain("y:1", "/r8", 1, 1))

    assert site.jt.cluster.racks.racks == {**RACKS, "x": "/r9", "y": "/r8"}
    assert racks == RACKS


def test_a_lost_node_is_a_lost_tracker() -> None:
    """By its address."""
    site = Site("a")
    site.running()
    site.beat("a")

    assert site.handle(NodeLost("a:1")).decisions == (Killed((1, 1, 0), "a:1", "LOST"),)
    assert site.jt.cluster.trackers == {}


def test_only_the_fair_scheduler_has_a_file_of_pools() -> None:
    """FIFO reads nothing while it runs."""
    fifo = Site()
    answer = fifo.handle(AllocationsReloaded(PoolAllocations()))
    assert answer.rejected == "UnsupportedOperationException"
    assert fifo.handle(SettingsChanged({"x": "1"})).rejected == "UnsupportedOperationException"

    assert Site(scheduler="mr1-fair").handle(AllocationsReloaded(PoolAllocations())) is NOTHING


def test_a_queues_setting_changes_while_it_runs() -> None:
    """Nothing is decided by it."""
    site = Site(scheduler="mr1-capacity", **{"mapred_capacity-scheduler_queue_default_capacity": 100})

    assert site.handle(SettingsChanged({"queue.default.capacity": "100"})) is NOTHING
    assert REQUESTS[NodeHeartbeat](site.jt, NodeHeartbeat("a:1")) is NOTHING


def test_launches_are_looked_at_three_times_in_the_expiry_interval() -> None:
    """At least 1 ms apart, after the scheduler's own passes."""
    assert JobTracker({}).passes() == (Pass("launches", 200_000),)
    assert JobTracker({"mapred.tasktracker.expiry.interval": "2"}).passes() == (Pass("launches", 1),)
    assert JobTracker({"mapred.tasktracker.expiry.interval": "0"}).passes() == (Pass("launches", 1),)
    assert [each.name for each in JobTracker({}, scheduler="mr1-fair").passes()] == ["update", "launches"]


def test_nothing_of_it_rests_and_no_heartbeat_of_a_node_means_anything() -> None:
    """Trackers send their own."""
    jt = JobTracker({})

    assert (jt.pass_rests("update"), jt.heartbeat_is_idle("a:1"), jt.is_quiet()) == (False, True, True)


BUSY: dict[str, Callable[[Site], object]] = {
    "a job lives": lambda site: site.submit(),
    "a tracker is to hear of an end": lambda site: site.jt.cluster.jobs_to_end.update({"tracker_a:1": {9: None}}),
    "an attempt is to be reported": lambda site: site.jt.launching.update({FIRST: 0}),
    "an attempt is to be dropped": lambda site: site.jt.to_drop.update({"tracker_a:1": {FIRST: None}}),
    "a host is sick": lambda site: site.beat("a", is_healthy=False),
    "a tracker is missing": lambda site: setattr(site.jt.recovery, "state", "RECOVERING"),
}


@pytest.mark.parametrize("why", BUSY)
def test_it_is_idle_unless_something_is_waited_for(why: str) -> None:
    """Any one thing is enough."""
    site = Site("a")
    assert site.jt.is_idle

    BUSY[why](site)

    assert not site.jt.is_idle


def test_a_tracker_was_told_nothing_when_its_answer_says_nothing() -> None:
    """Of that number, and when it runs nothing itself."""
    site = Site("a", "b")
    assert site.beat("a") == HeartbeatResponse(response=2, interval_ms=300)

    assert [site.jt.told_nothing("tracker_a:1", response) for response in (1, 2, 3)] == [False, True, False]
    assert not site.jt.told_nothing("tracker_x:1", 2)

    site.beat("a", said((1, MAP, 0, 0)))
    assert not site.jt.told_nothing("tracker_a:1", 3)


def test_what_an_idle_tracker_sends_may_be_skipped() -> None:
    """As if it had been sent, the last one then."""
    site = Site("a")
    version = site.jt.version

    site.jt.heartbeats_skipped("tracker_a:1", 5, NOW_MS + 1500)

    assert (site.jt.version, site.jt.cluster.now_ms) == (version + 5, NOW_MS + 1500)
    assert (site.tracker("a").last_seen_ms, site.jt.responses["tracker_a:1"].response) == (NOW_MS + 1500, 6)
    site.responses["a"] = 6
    assert site.beat("a").response == 7


@pytest.mark.parametrize("name", ["launches", "update"])
def test_passes_of_an_idle_jobtracker_may_be_skipped(name: str) -> None:
    """The last one runs; each is counted."""
    site = Site("a", scheduler="mr1-fair")
    site.jt.recovery.state, site.jt.recovery.gives_up_ms = "RECOVERING", 0
    version = site.jt.version

    site.jt.passes_skipped(name, 4, NOW_MS + 40)

    assert (site.jt.version, site.jt.cluster.now_ms) == (version + 4, NOW_MS + 40)
    assert site.jt.recovery.state == ("ACTIVE" if name == "launches" else "RECOVERING")
