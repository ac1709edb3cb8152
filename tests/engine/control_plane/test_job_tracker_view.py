"""What observers are told of a JobTracker's cluster."""

import pytest

from engine.control_plane.cluster_view import ApplicationSummary, ClusterFigures, ClusterModes, RecoveryFigures
from engine.control_plane.job_tracker_events import JobKilled, JobTrackerStarted, JobTrackerStopped
from engine.model.mr1.attempt import MAP, REDUCE
from engine.schedulers.scheduler_view import UNKNOWN
from tests.engine.control_plane.trackers import NOW_MS, Site, said

FIRST = (1, MAP, 0, 0)


def test_figures_count_slots_jobs_and_attempts() -> None:
    """Those of a sick tracker are down; free slots that are kept for a job are reserved."""
    site = Site("a", "b", "c")
    site.running(3, 1)
    site.beat("a")
    site.beat("a", said(FIRST), asks=False)
    site.beat("c", is_healthy=False)
    site.tracker("a").reserve(MAP, site.job(), 2)
    site.tracker("b").reserve(MAP, site.job(), 2)
    site.tracker("b").reserve(REDUCE, site.job(), 2)
    site.submit()

    assert site.jt.view().figures() == ClusterFigures(
        total=(4, 4),
        used=(1, 0),
        reserved=(3, 2),
        nodes=2,
        nodes_down=1,
        nodes_reserved=3,
        applications=2,
        containers=1,
        containers_pending=3,
    )


def test_a_job_waits_for_its_setup_then_for_maps_then_for_reduces() -> None:
    """Reduces count once its slow start is past, chores always."""
    site = Site("a")
    site.submit(2, 3)
    view, job = site.jt.view(), site.job()
    assert view.pending(job) == 1

    site.beat("a")
    assert view.pending(job) == 0
    site.beat("a", said((1, MAP, 3, 0), "SUCCEEDED"), asks=False)
    assert view.pending(job) == 2

    site.beat("a")
    site.beat("a", said(FIRST, "SUCCEEDED"), asks=False)
    assert view.pending(job) == 1 + 3
    job.cleanup_waiting[MAP] = [FIRST]
    assert view.pending(job) == 1 + 1 + 3
    job.running[MAP] = 9
    assert view.pending(job) == 1 + 3
    job.running[REDUCE] = 9
    assert view.pending(job) == 1


@pytest.mark.parametrize("slot", ["is_killed", "is_failing"])
def test_a_job_that_is_being_ended_waits_for_its_cleanup_alone(slot: str) -> None:
    """Its tasks are wanted no more."""
    site = Site("a")
    site.running(5, 5)
    setattr(site.job(), slot, True)

    assert site.jt.view().pending(site.job()) == 1


def test_a_job_without_an_attempt_waits() -> None:
    """It says since when; one whose chore runs asks for nothing."""
    site = Site("a")
    site.running(2)
    site.now_ms += 10
    site.submit()
    view = site.jt.view()
    site.beat("a", asks=False)

    assert view.applications() == [
        ApplicationSummary(1, "etl", "ann", "jobs", NOW_MS, NOW_MS, True, False, NOW_MS),
        ApplicationSummary(2, "etl", "ann", "jobs", NOW_MS + 10, NOW_MS + 10, True, False, NOW_MS + 10),
    ]
    assert (view.somebody_waits(), view.numbers_running()) == (True, [1])

    assert site.beat("a").launches[0].attempt == (2, MAP, 2, 0)
    assert view.application(1) == view.applications()[0]
    assert view.application(2) == ApplicationSummary(2, "etl", "ann", "jobs", NOW_MS + 10, None, False, False, None)
    assert view.application(9) is None


def test_nobody_waits_whose_tasks_all_run() -> None:
    """Nothing is said of since when."""
    site = Site("a")
    site.running()
    site.beat("a")

    view = site.jt.view()

    assert view.applications() == [ApplicationSummary(1, "etl", "ann", "jobs", NOW_MS, None, False, True, None)]
    assert not view.somebody_waits()


def test_a_job_without_a_task_to_launch_does_not_wait() -> None:
    """Though it has no attempt."""
    site = Site("a")
    site.submit()
    assert site.jt.view().somebody_waits()

    site.job().has_launched_setup = True
    assert not site.jt.view().somebody_waits()


def test_ended_jobs_are_told_by_number_and_submission() -> None:
    """They are live no more."""
    site = Site("a")
    site.submit()
    site.now_ms += 5
    site.submit()
    site.job(2).is_initialized = False
    site.handle(JobKilled(2))
    view = site.jt.view()

    assert list(view.ended()) == [(2, NOW_MS + 5)]
    assert [row.number for row in view.applications()] == [1]


def test_names_are_those_users_know() -> None:
    """With at least four digits."""
    view = Site().jt.view()

    assert [view.application_id(number) for number in (7, 12345)] == ["job_0007", "job_12345"]
    assert view.policy.queue_name("pool") == "pool"


def test_nothing_is_reserved_or_refused_as_containers_are() -> None:
    """Slots have no memory, and nobody waits by a timer under FIFO but for lagging tasks."""
    view = Site("a").jt.view()

    assert (view.kind, view.records_refusals, view.reservations()) == ("mr1", False, [])
    assert (view.delay_offers(0), view.longest_timer_ms()) == (0, 60_000 + 10 * 300)
    assert (view.policy.settings(), view.policy.allocation()) == ((), None)


def test_the_passes_of_a_scheduler_count_as_timers() -> None:
    """The longest of them, beside its own."""
    fair, view = Site(scheduler="mr1-fair"), Site().jt.view()

    passes_ms = max(interval_ms for _, interval_ms in fair.jt.scheduler.passes)
    own_ms = fair.jt.view().task_scheduler.longest_timer_ms()

    assert passes_ms > 0
    assert fair.jt.view().longest_timer_ms() == view.longest_timer_ms() + passes_ms + own_ms


@pytest.mark.parametrize(
    ("maps", "reduces", "fits"), [(2, 2, True), (3, 0, False), (0, 3, False), (0, 0, True), (2, 3, False)]
)
def test_a_task_fits_some_tracker_or_none(maps: int, reduces: int, *, fits: bool) -> None:
    """By the slots of one; without trackers nobody can say."""
    assert Site("a", "b").jt.view().has_room_ever(maps, reduces) is fits
    assert Site().jt.view().has_room_ever(maps, reduces)


def test_the_queue_has_the_live_jobs() -> None:
    """Those that run and those that do not, with what they hold."""
    site = Site("a")
    site.running(2)
    site.beat("a")
    site.submit()

    (row,) = site.jt.view().policy.queues()

    assert (row.path, row.used, row.applications_running, row.applications_pending) == ("jobs", (1, 0), 1, 1)
    assert row.containers == 1


@pytest.mark.parametrize(("recovers", "keeps"), [("true", "applications"), ("false", "nothing")])
def test_modes_say_what_outlives_a_restart(recovers: str, keeps: str) -> None:
    """FIFO has no preemption, and nothing is spread out."""
    site = Site(mapred_jobtracker_restart_recover=recovers)

    assert site.jt.view().modes() == ClusterModes(UNKNOWN, "", UNKNOWN, keeps)


def test_recovery_is_told_until_every_tracker_is_back() -> None:
    """Who answers, since when, and how many trackers of those that were known are back."""
    site = Site("a", "b")
    assert site.jt.view().recovery() is None

    site.handle(JobTrackerStopped())
    assert not site.jt.view().answers
    assert site.jt.view().recovery() == RecoveryFigures(True, NOW_MS, 0, 2, 0, -1)

    site.now_ms += 5
    site.handle(JobTrackerStarted())
    site.beat("a", first=True)
    assert site.jt.view().answers
    assert site.jt.view().recovery() == RecoveryFigures(False, NOW_MS + 5, 1, 2, 0, -1)

    site.beat("b", first=True)
    assert site.jt.view().recovery() is None


def test_a_copy_may_be_taken_apart() -> None:
    """Then its jobs are gone."""
    site = Site("a")
    site.submit()

    site.jt.view().take_apart()

    assert (site.jt.cluster.jobs, site.jt.cluster.live) == ({}, {})
