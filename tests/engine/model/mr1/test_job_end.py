"""How a job ends: by its setup, its tasks, its cleanup, or because somebody ends it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from engine.model.mr1.attempt_reports import update_status
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job import JobCluster, JobInProgress
from engine.model.mr1.task_in_progress import InputSplit, JobDescription, JobSettings, TaskInProgress
from engine.model.mr1.task_search import ANY_LEVEL
from engine.model.mr1.tracker import (
    COMMIT_PENDING,
    FAILED,
    FAILED_UNCLEAN,
    KILLED,
    KILLED_UNCLEAN,
    MAP,
    RUNNING,
    SUCCEEDED,
    AttemptId,
    AttemptStatus,
    JobTrackerSettings,
    Launch,
    TaskReport,
    TaskTracker,
    TrackerReport,
)

LIMITS = JobTrackerSettings(
    heartbeats_per_second=100,
    heartbeat_scaling=1.0,
    expiry_ms=600_000,
    blacklists=4,
    average_blacklists=0.5,
    fault_window_minutes=180,
    fault_bucket_minutes=15,
)
"""Those of a JobTracker that was told nothing."""

SETTINGS = JobSettings(
    max_attempts=(4, 4),
    max_tracker_failures=4,
    failure_percents=(0, 0),
    locality_wait=1.0,
    slow_start=0.0,
    reduce_input_limit=-1,
)
"""Those of a job that was told nothing, whose reduces may start at once."""

RACKS = {"a": "/r1", "b": "/r1", "c": "/r2", "d": "/r2"}

NOW_MS = 1_000_000


def cluster_of(*hosts: str, slots: tuple[int, int] = (2, 2), **limits: Any) -> MapReduceCluster:
    """A tracker on each host; hosts `a` and `b` are in rack `/r1`, `c` and `d` in `/r2`."""
    cluster = MapReduceCluster({}, replace(LIMITS, **limits), RACKS, NOW_MS)
    for host in hosts:
        joined(cluster, host, slots=slots)
    return cluster


def name_on(host: str) -> str:
    """The name of the tracker on a host."""
    return f"tracker_{host}:localhost/127.0.0.1:1"


def joined(cluster: MapReduceCluster, host: str, *, slots: tuple[int, int] = (2, 2), name: str = "") -> TaskTracker:
    """A tracker that has just reported for the first time."""
    report = TrackerReport(name or name_on(host), host, slots)
    cluster.update_tracker(report)
    cluster.racks.join(host)
    return cluster.trackers[report.tracker]


def on(cluster: JobCluster, host: str) -> TaskTracker:
    return cluster.trackers[name_on(host)]


def job_of(
    cluster: MapReduceCluster,
    maps: Sequence[InputSplit | str] | int = 1,
    reduces: int = 0,
    *,
    number: int = 1,
    speculates: tuple[bool, bool] = (False, False),
    settings: Mapping[str, Any] | None = None,
) -> JobInProgress:
    """A job that was submitted and initialized; a map may be given by its host."""
    named = [InputSplit()] * maps if isinstance(maps, int) else maps
    splits = tuple(InputSplit((one,)) if isinstance(one, str) else one for one in named)
    description = JobDescription("etl", "ann", splits, reduces, speculates=speculates)
    job = JobInProgress(number, description, replace(SETTINGS, **(settings or {})), cluster)
    cluster.add_job(job)
    job.initialize()
    return job


def running_job(cluster: MapReduceCluster, *args: Any, **options: Any) -> JobInProgress:
    """A job whose setup task has succeeded on the first tracker."""
    job = job_of(cluster, *args, **options)
    tracker = next(iter(cluster.trackers.values()))
    succeed(job, job.obtain_setup(tracker, MAP), tracker)
    return job


def attempt_of(launch: Launch | None) -> AttemptId:
    """The attempt of a launch that there has to be."""
    assert launch is not None
    return launch.attempt


def say(job: JobInProgress, attempt: AttemptId, tracker: TaskTracker, state: str, **more: Any) -> None:
    """A tracker reports an attempt; unless told otherwise it began when the job did and an ended one ends now."""
    kind, is_over = attempt[1], state not in ("RUNNING", "COMMIT_PENDING")
    finish_ms = job.cluster.now_ms if is_over else 0
    keys = {"progress": 0.0, "slots": job.slots_per_task[kind], "start_ms": job.start_ms, "finish_ms": finish_ms} | more
    report = TaskReport(attempt, state, **keys)
    update_status(job, job.cluster.attempts.tasks[attempt], AttemptStatus(report, tracker.name))


def succeed(job: JobInProgress, launch: Launch | None, tracker: TaskTracker, **more: Any) -> AttemptId:
    """An attempt that was launched is reported as running, then as succeeded."""
    attempt = attempt_of(launch)
    say(job, attempt, tracker, "RUNNING")
    say(job, attempt, tracker, SUCCEEDED, **more)
    return attempt


def map_on(job: JobInProgress, tracker: TaskTracker) -> AttemptId:
    """The next map, from anywhere, launched on a tracker and reported as running."""
    attempt = attempt_of(job.obtain_map(tracker, ANY_LEVEL))
    say(job, attempt, tracker, "RUNNING")
    return attempt


def reduce_on(job: JobInProgress, tracker: TaskTracker) -> AttemptId:
    """The next reduce, launched on a tracker and reported as running."""
    attempt = attempt_of(job.obtain_reduce(tracker))
    say(job, attempt, tracker, "RUNNING")
    return attempt


# A task of a job, with no cluster behind it.

FIRST: AttemptId = (1, MAP, 7, 0)
TRACKER = "tracker_a:1"
EVERY_STATE = (RUNNING, SUCCEEDED, FAILED, KILLED, COMMIT_PENDING, FAILED_UNCLEAN, KILLED_UNCLEAN)


def task_of() -> TaskInProgress:
    """Task 7 of a job that runs."""
    job = job_of(cluster_of(), settings={"max_attempts": (4, 4)})
    job.state = RUNNING
    return TaskInProgress(job, MAP, 7, 2, hosts=["a", "b"], input_bytes=5)


def task_say(task: TaskInProgress, attempt: AttemptId, state: str, progress: float = 0.0, **more: Any) -> bool:
    """Report an attempt from a tracker on host `a`; whether its state changed."""
    report = TaskReport(attempt, state, progress, 2, 100, **more)
    return task.update_status(AttemptStatus(report, TRACKER))


def fail(job: JobInProgress, attempt: AttemptId, tracker: TaskTracker) -> None:
    say(job, attempt, tracker, FAILED)


@pytest.mark.parametrize(("percent", "fails_at"), [(0, 1), (49, 2), (50, 3), (99, 4), (100, None)])
def test_more_failed_maps_than_allowed_fail_the_job(percent: int, fails_at: int | None) -> None:
    cluster = cluster_of("a")
    options = {"failure_percents": (percent, 0), "max_attempts": (1, 1), "max_tracker_failures": 99}
    job, tracker = running_job(cluster, 4, 0, settings=options), on(cluster, "a")
    for count in range(1, 5):
        fail(job, map_on(job, tracker), tracker)
        if fails_at is not None and count == fails_at:
            assert (job.is_failing, job.failed_tasks) == (True, [count, 0])
            return
        assert (job.is_failing, job.failed_tasks) == (False, [count, 0])
    assert fails_at is None


# A job's tasks and figures, and which tracker it serves.


@pytest.mark.parametrize(("hosts", "serves"), [("abcde", False), ("abcd", True)])
def test_a_tracker_on_which_it_failed_is_served_where_a_quarter_of_all_are_such(hosts: str, *, serves: bool) -> None:
    cluster = cluster_of(*hosts)
    job, tracker = running_job(cluster, 4, 0, settings={"max_tracker_failures": 1}), on(cluster, "a")
    assert job.serves(tracker)
    fail(job, map_on(job, tracker), tracker)

    assert (job.serves(tracker), job.serves(on(cluster, "b"))) == (serves, True)


@pytest.mark.parametrize(
    ("maps", "trackers", "wait", "offers"), [(10, 4, 1.0, 5), (3, 4, 1.0, 4), (10, 5, 0.5, 3), (10, 4, 0.1, 1)]
)
def test_a_job_lets_so_many_offers_pass_at_most(maps: int, trackers: int, wait: float, offers: int) -> None:
    """One more than the part of its maps or of the trackers, whichever are fewer."""
    job = job_of(cluster_of(), maps)
    job.locality_wait = wait

    assert job.offers_before_off_rack(trackers) == offers


# What a job gives to a tracker that asks: maps and reduces.


@pytest.mark.parametrize(("limit", "fails"), [(40, False), (39, True), (0, False), (-1, False), (1, True)])
def test_a_job_whose_reduces_would_read_too_much_fails(limit: int, fails: bool) -> None:
    """Two maps that write 40 bytes each, for two reduces; a limit below 1 is none."""
    cluster = cluster_of("a")
    job = running_job(cluster, 2, 2, settings={"reduce_input_limit": limit})
    job.estimator.completed, job.estimator.input_bytes, job.estimator.output_bytes = 2, 2, 80
    tracker = on(cluster, "a")

    launch = job.obtain_reduce(tracker)

    assert (launch is None, job.is_failing) == (fails, fails)
