"""How a job ends: by its setup, its tasks, its cleanup, or because somebody ends it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from engine.model.mr1.attempt_reports import terminate, update_status
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job import PREP, JobCluster, JobInProgress
from engine.model.mr1.job_description import InputSplit, JobDescription, JobSettings
from engine.model.mr1.task_in_progress import TaskInProgress
from engine.model.mr1.task_search import ANY_LEVEL
from engine.model.mr1.tracker import (
    COMMIT_PENDING,
    FAILED,
    FAILED_UNCLEAN,
    KILLED,
    KILLED_UNCLEAN,
    MAP,
    REDUCE,
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


def task_of(
    kind: int = MAP, *, role: str = "", state: str = RUNNING, attempts: tuple[int, int] = (4, 4)
) -> TaskInProgress:
    """Task 7 of a job in a state."""
    job = job_of(cluster_of(), settings={"max_attempts": attempts})
    job.state = state
    return TaskInProgress(job, kind, 7, 2, role=role, hosts=["a", "b"], input_bytes=5)


def task_say(task: TaskInProgress, attempt: AttemptId, state: str, progress: float = 0.0, **more: Any) -> bool:
    """Report an attempt from a tracker on host `a`; whether its state changed."""
    report = TaskReport(attempt, state, progress, 2, 100, **more)
    return task.update_status(AttemptStatus(report, TRACKER))


def started(kind: int = MAP, **more: Any) -> TaskInProgress:
    """A task with one attempt that was reported as running."""
    task = task_of(kind, **more)
    task.launch(TRACKER)
    task_say(task, (1, kind, 7, 0), RUNNING)
    return task


def fail(job: JobInProgress, attempt: AttemptId, tracker: TaskTracker) -> None:
    say(job, attempt, tracker, FAILED)


def ended(kind: int = MAP, **changes: Any) -> JobInProgress:
    """A job without tasks whose cleanup succeeds 50 ms later."""
    cluster = cluster_of("a")
    job, tracker = running_job(cluster, 0), on(cluster, "a")
    launch = job.obtain_cleanup(tracker, kind)
    for slot, value in changes.items():
        setattr(job, slot, value)
    cluster.now_ms += 50
    succeed(job, launch, tracker)
    return job


@pytest.mark.parametrize(
    ("changes", "state"), [({}, SUCCEEDED), ({"is_failing": True}, FAILED), ({"is_killed": True}, KILLED)]
)
@pytest.mark.parametrize("kind", [MAP, REDUCE])
def test_a_job_ends_with_its_cleanup(kind: int, changes: dict[str, bool], state: str) -> None:
    """As it was to end; the cleanup task of the other kind of slot is not launched; its attempt is forgotten soon."""
    job = ended(kind, **changes)

    assert (job.state, job.finish_ms, job.progress, job.search.is_closed) == (state, NOW_MS + 50, [1.0, 1.0], True)
    assert (job.cleanup[kind].is_complete, job.cleanup[REDUCE - kind].is_failed) == (True, True)
    attempt = (1, kind, 0, 0)
    assert attempt in job.cluster.attempts.marked[on(job.cluster, "a").name]


@pytest.mark.parametrize(("state", "flags"), [(FAILED, (True, False)), (KILLED, (False, True))])
def test_a_job_is_ended_by_way_of_its_cleanup(state: str, flags: tuple[bool, bool]) -> None:
    """No task makes another attempt, and what waits to be cleaned up counts as clean."""
    cluster = cluster_of("a")
    job, tracker = running_job(cluster, 2, 1), on(cluster, "a")
    attempts = [map_on(job, tracker), map_on(job, tracker), reduce_on(job, tracker)][1:]
    for attempt in attempts:
        say(job, attempt, tracker, FAILED_UNCLEAN)

    terminate(job, state)

    assert (job.state, (job.is_failing, job.is_killed)) == (RUNNING, flags)
    assert (job.cleanup_waiting, [job.tasks[each[1]][each[2]].statuses[each].state for each in attempts]) == (
        [[], []],
        [FAILED, FAILED],
    )
    assert all(task.is_failed for task in (*job.tasks[MAP], *job.tasks[REDUCE]))
    assert [task.is_failed or task.is_complete for task in (*job.setup, *job.cleanup)] == [True, True, False, False]
    assert job.chores() == 1


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


@pytest.mark.parametrize("kind", [MAP, REDUCE])
def test_a_job_whose_cleanup_failed_for_good_has_failed(kind: int) -> None:
    cluster = cluster_of("a")
    job, tracker = running_job(cluster, 0, settings={"max_attempts": (2, 2)}), on(cluster, "a")

    fail(job, attempt_of(job.obtain_cleanup(tracker, kind)), tracker)
    assert (job.state, job.has_launched_cleanup) == (RUNNING, False)

    fail(job, attempt_of(job.obtain_cleanup(tracker, kind)), tracker)
    assert (job.state, job.cleanup[REDUCE - kind].is_failed) == (FAILED, True)


# Setup and cleanup of a job, and cleanup attempts after its attempts.


@pytest.mark.parametrize(
    ("finished", "failed", "is_due"),
    [
        ([2, 1], [0, 0], True),
        ([1, 1], [1, 0], True),
        ([1, 1], [0, 0], False),
        ([2, 0], [0, 0], False),
        ([2, 0], [0, 1], True),
    ],
)
def test_cleanup_is_due_when_all_tasks_have_ended(finished: list[int], failed: list[int], is_due: bool) -> None:
    cluster = cluster_of("a")
    job = running_job(cluster, 2, 1)
    job.finished, job.failed_tasks = finished, failed

    assert job.chores() == int(is_due)
    assert (job.obtain_cleanup(on(cluster, "a"), MAP) is not None) is is_due


def test_the_setup_task_goes_to_a_host_where_it_has_not_failed() -> None:
    """While there is one; it makes one attempt at a time; a flaky tracker gets none."""
    cluster = cluster_of("a", "b", "c", "d")
    job = job_of(cluster, settings={"max_attempts": (2, 2)})
    tracker = on(cluster, "a")
    say(job, job.obtain_setup(tracker, MAP).attempt, tracker, FAILED)  # type: ignore[union-attr]  # there is one

    assert (job.has_launched_setup, job.obtain_setup(tracker, MAP)) == (False, None)
    job.tracker_failures["b"] = 4
    assert job.obtain_setup(on(cluster, "b"), MAP) is None

    job.setup[MAP].failed_hosts = {"a", "b", "c", "d"}
    assert job.obtain_setup(tracker, MAP) == Launch((1, MAP, 2, 1), 1)
    job.has_launched_setup = False
    assert job.obtain_setup(on(cluster, "c"), MAP) is None


def unclean(*, kinds: int = 1) -> JobInProgress:
    """A job whose first map, and first reduce where there are two kinds, has an unclean attempt."""
    cluster = cluster_of("a", "b")
    job, tracker = running_job(cluster, 2, 2), on(cluster, "a")
    for attempt in (map_on(job, tracker), reduce_on(job, tracker))[:kinds]:
        say(job, attempt, tracker, FAILED_UNCLEAN)
    return job


@pytest.mark.parametrize(("slot", "value"), [("state", PREP), ("is_failing", True), ("is_killed", True)])
def test_only_a_job_that_runs_cleans_up_after_its_attempts(slot: str, value: object) -> None:
    job = unclean()
    setattr(job, slot, value)
    cluster = job.cluster

    assert job.obtain_task_cleanup(on(cluster, "b"), MAP) is None
    assert job.cleanup_waiting[MAP] == [(1, MAP, 0, 0)]
    assert job.chores() == int(slot != "state")


# A job's tasks and figures, and which tracker it serves.


@pytest.mark.parametrize(
    ("hosts", "maps", "configured", "wait"),
    [
        ("abcd", ["a", "b"], 1.0, 0.5),
        ("abcd", ["a", "a"], 1.0, 0.25),
        ("ab", ["a", "b", "c"], 1.0, 1.0),
        ("abcd", ["a", "b"], 0.75, 0.75),
        ("", ["a", "b"], 1.0, 1.0),
        ("abcd", [], 1.0, 1.0),
        ("abc", ["a"], 1.0, 0.3333333432674408),
    ],
)
def test_a_job_waits_for_locality_by_the_part_of_hosts_with_its_data(
    hosts: str, maps: list[str], configured: float, wait: float
) -> None:
    job = job_of(cluster_of(*hosts), maps, settings={"locality_wait": configured})

    assert job.locality_wait == wait


@pytest.mark.parametrize(
    ("slow_start", "maps", "after"), [(0.05, 20, 1), (0.05, 21, 2), (0.0, 20, 0), (1.0, 7, 7), (0.5, 7, 4)]
)
def test_reduces_start_after_a_part_of_the_maps(slow_start: float, maps: int, after: int) -> None:
    """Rounded up; failed maps have ended, too, and no more maps are waited for to estimate their output."""
    job = job_of(cluster_of(), maps, 1, settings={"slow_start": slow_start})
    assert job.reduces_after == after
    assert job.estimator.threshold == min(after, maps // 10)

    for finished in range(after + 1):
        job.finished[MAP], job.failed_tasks[MAP] = finished // 2, finished - finished // 2
        assert job.may_start_reduces() is (finished >= after)


@pytest.mark.parametrize(
    ("maps", "finished", "trackers", "wait", "opportunities", "may"),
    [
        (10, 0, 4, 1.0, 4, False),
        (10, 0, 4, 1.0, 5, True),
        (10, 8, 4, 1.0, 2, False),
        (10, 8, 4, 1.0, 3, True),
        (10, 0, 4, 0.5, 2, False),
        (10, 0, 4, 0.5, 3, True),
        (10, 10, 4, 1.0, 0, False),
    ],
)
def test_a_job_goes_off_its_racks_after_some_opportunities(
    maps: int, finished: int, trackers: int, wait: float, opportunities: int, may: bool
) -> None:
    """More than its part of the maps left, or of the trackers where these are fewer."""
    job = job_of(cluster_of(), maps)
    job.finished[MAP], job.locality_wait, job.opportunities = finished, wait, opportunities

    assert job.may_go_off_rack(trackers) is may


@pytest.mark.parametrize(
    ("maps", "trackers", "wait", "offers"), [(10, 4, 1.0, 5), (3, 4, 1.0, 4), (10, 5, 0.5, 3), (10, 4, 0.1, 1)]
)
def test_a_job_lets_so_many_offers_pass_at_most(maps: int, trackers: int, wait: float, offers: int) -> None:
    """One more than the part of its maps or of the trackers, whichever are fewer."""
    job = job_of(cluster_of(), maps)
    job.locality_wait = wait

    assert job.offers_before_off_rack(trackers) == offers


# What a job gives to a tracker that asks: maps and reduces.


def test_reduces_are_launched_once_enough_maps_have_ended() -> None:
    cluster = cluster_of("a")
    job = running_job(cluster, 2, 1, settings={"slow_start": 0.5})
    tracker = on(cluster, "a")
    assert job.obtain_reduce(tracker) is None

    say(job, map_on(job, tracker), tracker, SUCCEEDED)
    assert job.obtain_reduce(tracker) is not None


@pytest.mark.parametrize(("limit", "fails"), [(40, False), (39, True), (0, False), (-1, False), (1, True)])
def test_a_job_whose_reduces_would_read_too_much_fails(limit: int, fails: bool) -> None:
    """Two maps that write 40 bytes each, for two reduces; a limit below 1 is none."""
    cluster = cluster_of("a")
    job = running_job(cluster, 2, 2, settings={"reduce_input_limit": limit})
    job.estimator.completed, job.estimator.input_bytes, job.estimator.output_bytes = 2, 2, 80
    tracker = on(cluster, "a")

    launch = job.obtain_reduce(tracker)

    assert (launch is None, job.is_failing) == (fails, fails)
