"""Properties of MapReduce 1: what is refused, what a JobTracker and a job read, queues by the capacity scheduler."""

import pytest

from engine.errors import ConfigError
from engine.schedulers.mr1.capacity_settings import (
    CapacityTaskSettings,
    TaskQueueSettings,
    capacity_task_settings,
    queue_names,
)

OWN = "mapred.capacity-scheduler."
ALONE = {f"{OWN}queue.a.capacity": "100"}


def problems(values: dict[str, str]) -> list[tuple[str, str]]:
    """(key, message) of what the capacity scheduler's settings are refused for."""
    with pytest.raises(ConfigError) as refused:
        capacity_task_settings(values)
    return [(one.key.removeprefix(OWN), one.message) for one in refused.value.problems]


def queue(values: dict[str, str]) -> TaskQueueSettings:
    return capacity_task_settings({**ALONE, **{f"{OWN}{key}": text for key, text in values.items()}}).queues["a"]


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
    assert queue_names(values) == names


def test_a_queue_has_the_defaults_of_all_queues() -> None:
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
    found = problems({**ALONE, **{f"{OWN}{each}": text for each, text in changes.items()}})
    assert any(each == key and message in words for each, words in found)


@pytest.mark.parametrize("total", ["100", "100.9"])
def test_capacities_add_up_to_a_hundred_and_a_part(total: str) -> None:
    half = str(float(total) - 50)
    values = {f"{OWN}queue.a.capacity": "50", f"{OWN}queue.b.capacity": half}
    found = capacity_task_settings(values)
    assert isinstance(found, CapacityTaskSettings)
    assert list(found.queues) == ["a", "b"]
