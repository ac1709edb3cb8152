"""A job's tasks and figures, and which tracker it serves."""

from typing import Any

import pytest

from engine.model.mr1.attempt import FAILED, KILLED, MAP, REDUCE, RUNNING, SUCCEEDED
from engine.model.mr1.job_description import PRIORITIES, InputSplit, JobDescription
from engine.model.mr1.job_in_progress import PREP, JobInProgress
from engine.model.mr1.task_in_progress import CLEANUP, SETUP
from tests.engine.model.mr1.build import NOW_MS, SETTINGS, cluster_of, job_of, on


def test_a_job_begins_with_nothing() -> None:
    """It is as old as now; its tasks are made when it is initialized."""
    cluster = cluster_of()
    description = JobDescription("etl", "ann", (InputSplit(),), 2, priority="HIGH", speculates=(True, False))

    job = JobInProgress(7, description, SETTINGS, cluster)

    assert (job.number, job.start_ms, job.now_ms, job.state) == (7, NOW_MS, NOW_MS, PREP)
    assert (job.priority, job.speculates, job.is_ended, job.is_initialized) == (1, (True, False), False, False)
    assert (job.tasks, job.cleanup_waiting, job.reserved) == ([[], []], [[], []], [{}, {}])
    assert (job.wanted(MAP), job.wanted(REDUCE), job.setup, job.cleanup) == (1, 2, [], [])
    assert PRIORITIES == ("VERY_HIGH", "HIGH", "NORMAL", "LOW", "VERY_LOW")


@pytest.mark.parametrize(
    ("state", "is_ended"), [(PREP, False), (RUNNING, False), (SUCCEEDED, True), (FAILED, True), (KILLED, True)]
)
def test_a_job_has_ended_in_three_states(state: str, is_ended: bool) -> None:
    """It makes no tasks then."""
    job = JobInProgress(1, JobDescription("etl", "ann", (InputSplit(),)), SETTINGS, cluster_of())
    job.state = state

    job.initialize()

    assert (job.is_ended, job.is_initialized, len(job.tasks[MAP])) == (is_ended, not is_ended, int(not is_ended))


def test_tasks_are_numbered_by_kind_cleanup_and_setup_last() -> None:
    """Of these there is one of each kind of slot, of one slot each."""
    job = JobInProgress(
        1, JobDescription("etl", "ann", (InputSplit(("a",), 5), InputSplit()), 1), SETTINGS, cluster_of()
    )
    job.slots_per_task = [2, 3]
    job.initialize()

    made = [
        [(task.kind, task.number, task.slots, task.role, task.hosts, task.input_bytes) for task in tasks]
        for tasks in (*job.tasks, job.cleanup, job.setup)
    ]
    assert made == [
        [(MAP, 0, 2, "", ("a",), 5), (MAP, 1, 2, "", (), 0)],
        [(REDUCE, 0, 3, "", (), 0)],
        [(MAP, 2, 1, CLEANUP, (), 0), (REDUCE, 1, 1, CLEANUP, (), 0)],
        [(MAP, 3, 1, SETUP, (), 0), (REDUCE, 2, 1, SETUP, (), 0)],
    ]


def test_a_job_is_initialized_once() -> None:
    """Its tasks stay the same."""
    job = job_of(cluster_of(), 2)
    tasks = job.tasks

    job.initialize()

    assert job.tasks is tasks


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
    """A float32, at most the whole; unless another part is configured."""
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


def test_pending_tasks_neither_run_nor_have_ended() -> None:
    """Of two attempts of one task one is no task."""
    job = job_of(cluster_of(), 20, 30)
    job.running, job.finished, job.failed_tasks, job.speculative = [7, 9], [2, 3], [1, 4], [3, 2]

    assert (job.pending(MAP), job.pending(REDUCE)) == (20 - 7 - 2 - 1 + 3, 30 - 9 - 3 - 4 + 2)


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


@pytest.mark.parametrize(
    ("failures", "flaky", "size", "tolerated"),
    [(3, 0, 4, True), (4, 0, 4, False), (4, 1, 4, True), (4, 1, 5, False), (0, 0, 4, True), (4, 0, 0, True)],
)
def test_a_job_shuns_flaky_trackers_while_few_are(failures: int, flaky: int, size: int, tolerated: bool) -> None:
    """4 failures make one flaky; from a quarter of the cluster on they are served as well."""
    cluster = cluster_of("a")
    job = job_of(cluster)
    job.tracker_failures, job.flaky_trackers, job.cluster_size = {"a": failures}, flaky, size

    assert job.tolerates(on(cluster, "a")) is tolerated


def test_a_job_goes_by_the_size_the_cluster_has_now() -> None:
    """Blacklisted trackers are no part of it."""
    cluster = cluster_of("a", "b", "c")
    cluster.faulty.set_health("c", is_healthy=False)
    job = job_of(cluster)
    job.tracker_failures = {"a": 4}

    assert job.serves(on(cluster, "b"))
    assert not job.serves(on(cluster, "a"))
    assert job.cluster_size == 2


def test_flaky_hosts_are_those_with_too_many_failures() -> None:
    """In order of their names."""
    job = job_of(cluster_of())
    job.tracker_failures = {"c": 4, "a": 5, "b": 3}

    assert job.flaky_hosts() == ["a", "c"]


@pytest.mark.parametrize(("hosts", "distance"), [(("c", "a"), 0), (("c", "b"), 1), (("c", "d"), 2), ((), 2)])
def test_a_tracker_is_as_far_from_a_map_as_from_its_nearest_data(hosts: tuple[str, ...], distance: int) -> None:
    """Of a map without data it is far."""
    cluster = cluster_of("a", "b", "c", "d")
    job = job_of(cluster, [InputSplit(hosts)])

    assert job.distance(job.tasks[MAP][0], on(cluster, "a")) == distance


def failing(count: int, *, flaky: int = 0, **settings: Any) -> JobInProgress:
    """A job that has noted so many failures on host `a` of a cluster of 8."""
    cluster = cluster_of("a")
    job = job_of(cluster, settings=settings)
    job.cluster_size, job.flaky_trackers = 8, flaky
    tracker = on(cluster, "a")
    tracker.reserve(MAP, job, 2)
    for _ in range(count):
        job.note_tracker_failure("a", tracker)
    return job


@pytest.mark.parametrize(
    ("count", "flaky", "failures", "turned", "reserved"),
    [(3, 0, 3, 0, True), (4, 0, 4, 1, False), (5, 0, 5, 1, False), (4, 1, 4, 2, False), (4, 2, 0, 2, True)],
)
def test_a_host_turns_flaky_with_its_last_allowed_failure(
    count: int, flaky: int, failures: int, turned: int, reserved: bool
) -> None:
    """Once; it keeps no slots for the job then; while a quarter of the cluster is flaky nothing is noted."""
    job = failing(count, flaky=flaky)

    assert (job.tracker_failures.get("a", 0), job.flaky_trackers) == (failures, turned)
    assert bool(job.reserved[MAP]) is reserved


def test_a_host_whose_tracker_is_gone_turns_flaky_as_well() -> None:
    """There is nothing to give up."""
    job = failing(3)

    job.note_tracker_failure("a", None)

    assert (job.flaky_trackers, bool(job.reserved[MAP])) == (1, True)


def test_slots_kept_free_for_a_job_are_counted_by_their_time() -> None:
    """When their number changes and when they are given up; given up again they count nothing."""
    cluster = cluster_of()
    job = job_of(cluster)

    job.reserve("t", REDUCE, 2)
    cluster.now_ms += 10
    job.reserve("t", REDUCE, 2)
    assert (job.reserved[REDUCE], job.fallow_slot_ms) == ({"t": (NOW_MS, 2)}, [0, 0])

    cluster.now_ms += 10
    job.reserve("t", REDUCE, 3)
    assert (job.reserved[REDUCE], job.fallow_slot_ms) == ({"t": (NOW_MS + 20, 3)}, [0, 40])

    cluster.now_ms += 5
    for _ in range(2):
        job.unreserve("t", REDUCE)
    assert (job.reserved, job.fallow_slot_ms) == ([{}, {}], [0, 55])
