"""Properties of MapReduce 1: what is refused, what a JobTracker and a job read, queues by the capacity scheduler."""

import pytest

from engine.errors import ConfigError
from engine.model.mr1.job_description import JobSettings
from engine.schedulers.mr1.capacity_settings import (
    CapacityTaskSettings,
    TaskQueueSettings,
    capacity_task_settings,
    queue_names,
)
from engine.schedulers.mr1.settings import check_settings, job_settings, job_tracker_settings

OWN = "mapred.capacity-scheduler."
ALONE = {f"{OWN}queue.a.capacity": "100"}


def problems(values: dict[str, str]) -> list[tuple[str, str]]:
    """(key, message) of what the capacity scheduler's settings are refused for."""
    with pytest.raises(ConfigError) as refused:
        capacity_task_settings(values)
    return [(one.key.removeprefix(OWN), one.message) for one in refused.value.problems]


def queue(values: dict[str, str]) -> TaskQueueSettings:
    """The only queue."""
    return capacity_task_settings({**ALONE, **{f"{OWN}{key}": text for key, text in values.items()}}).queues["a"]


def test_properties_that_nobody_reads_are_refused() -> None:
    """With a value that cannot be; those of queues are looked at by the capacity scheduler alone."""
    check_settings({"mapred.map.max.attempts": "5", f"{OWN}queue.a.capacity": "7"}, "mr1-fifo")
    with pytest.raises(ConfigError) as refused:
        check_settings({"mapred.map.max.attempt": "5", "mapred.reduce.max.attempts": "x"}, "mr1-fifo")
    first, second = refused.value.problems
    assert (first.message, first.key, first.hint) == (
        "not a property that is read here",
        "mapred.map.max.attempt",
        "did you mean mapred.map.max.attempts?",
    )
    assert second.key == "mapred.reduce.max.attempts"
    with pytest.raises(ConfigError, match="add up to 7"):
        check_settings({f"{OWN}queue.a.capacity": "7"}, "mr1-capacity")


def test_a_job_has_the_defaults_unless_it_says_otherwise() -> None:
    """Each of maps and reduces for itself."""
    assert job_settings({}).max_attempts == (4, 4)
    found = job_settings(
        {
            "mapred.map.max.attempts": "5",
            "mapred.reduce.max.attempts": "6",
            "mapred.max.map.failures.percent": "7",
            "mapred.max.reduce.failures.percent": "8",
            "mapred.reduce.slowstart.completed.maps": "0.25",
        }
    )
    assert isinstance(found, JobSettings)
    assert (found.max_attempts, found.failure_percents, found.slow_start) == ((5, 6), (7, 8), 0.25)
    assert job_settings({}).slow_start == 0.05


def test_a_job_tracker_has_the_defaults_unless_it_says_otherwise() -> None:
    """A hundred heartbeats a second, and ten minutes until a tracker is lost."""
    found = job_tracker_settings({})
    assert (found.heartbeats_per_second, found.expiry_ms) == (100, 600_000)
    assert job_tracker_settings({"mapred.heartbeats.in.second": "7"}).heartbeats_per_second == 7


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ({"mapred.queue.names": " b, a ,"}, ["b", "a"]),
        ({f"{OWN}queue.b.capacity": "1", f"{OWN}queue.a.capacity": "1"}, ["a", "b"]),
        ({f"{OWN}queue.b.maximum-capacity": "1"}, []),
        ({"mapred.queue.names": "b", **ALONE}, ["b"]),
    ],
)
def test_queues_are_those_named_or_those_with_a_capacity(values: dict[str, str], names: list[str]) -> None:
    """By their letters where none are named."""
    assert queue_names(values) == names


def test_a_queue_has_the_defaults_of_all_queues() -> None:
    """Jobs by its capacity; of one user by the limit of a user."""
    plain = queue({"maximum-system-jobs": "3000"})
    assert plain == TaskQueueSettings(100.0, -1.0, 100, 1.0, False, 3000, 3000, 10, 200_000, 100_000)
    more = {
        "default-minimum-user-limit-percent": "25",
        "default-user-limit-factor": "2",
        "default-supports-priority": "true",
        "maximum-system-jobs": "10",
        "default-init-accept-jobs-factor": "3",
        "default-maximum-active-tasks-per-queue": "7",
        "default-maximum-active-tasks-per-user": "5",
    }
    assert queue(more) == TaskQueueSettings(100.0, -1.0, 25, 2.0, True, 10, 3, 3, 7, 5)
    own = {
        "queue.a.minimum-user-limit-percent": "50",
        "queue.a.user-limit-factor": "0.5",
        "queue.a.supports-priority": "false",
        "queue.a.maximum-capacity": "100",
        "queue.a.maximum-initialized-active-tasks": "9",
        "queue.a.maximum-initialized-active-tasks-per-user": "8",
        "queue.a.init-accept-jobs-factor": "4",
    }
    assert queue({**more, **own}) == TaskQueueSettings(100.0, 100.0, 50, 0.5, False, 10, 5, 4, 9, 8)


def test_jobs_of_a_queue_are_rounded_up() -> None:
    """A third of ten are four; a quarter of these is one."""
    values = {
        f"{OWN}queue.a.capacity": "33",
        f"{OWN}queue.b.capacity": "67",
        f"{OWN}maximum-system-jobs": "10",
        f"{OWN}queue.a.minimum-user-limit-percent": "25",
    }
    found = capacity_task_settings(values).queues["a"]
    assert (found.max_initialized, found.max_initialized_of_user) == (4, 1)


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ({"queue.a.capacity": "99"}, "queue", "the capacities of the queues add up to 99, not to 100"),
        ({"queue.a.capacity": "101"}, "queue.a.capacity", "101 is out of bounds"),
        ({"queue.b.capacity": "1"}, "queue", "the capacities of the queues add up to 101, not to 100"),
        ({"queue.a.maximum-capacity": "99"}, "queue.a.maximum-capacity", "99 is below the queue's capacity 100"),
        ({"queue.a.user-limit-factor": "x"}, "queue.a.user-limit-factor", "x"),
        ({"init-worker-threads": "0"}, "init-worker-threads", "0 is out of bounds"),
    ],
)
def test_each_problem_names_its_key(changes: dict[str, str], key: str, message: str) -> None:
    """All of them at once."""
    found = problems({**ALONE, **{f"{OWN}{each}": text for each, text in changes.items()}})
    assert any(each == key and message in words for each, words in found)


def test_a_named_queue_needs_a_capacity() -> None:
    """It is told of the queue."""
    found = problems({**ALONE, "mapred.queue.names": "a,b"})
    assert ("queue.b.capacity", "queue b has no capacity") in found


@pytest.mark.parametrize("total", ["100", "100.9"])
def test_capacities_add_up_to_a_hundred_and_a_part(total: str) -> None:
    """Less than one more is cut off."""
    half = str(float(total) - 50)
    values = {f"{OWN}queue.a.capacity": "50", f"{OWN}queue.b.capacity": half}
    found = capacity_task_settings(values)
    assert isinstance(found, CapacityTaskSettings)
    assert list(found.queues) == ["a", "b"]


def test_memory_of_slots_counts_where_all_of_it_is_set() -> None:
    """One that is missing switches it off."""
    memory = {
        "mapred.cluster.map.memory.mb": "1024",
        "mapred.cluster.reduce.memory.mb": "2048",
        "mapred.cluster.max.map.memory.mb": "4096",
        "mapred.cluster.max.reduce.memory.mb": "4096",
    }
    assert capacity_task_settings({**ALONE, **memory}).slot_mb == (1024, 2048)
    for key in memory:
        less = {each: text for each, text in memory.items() if each != key}
        assert capacity_task_settings({**ALONE, **less}).slot_mb == (-1, -1)
