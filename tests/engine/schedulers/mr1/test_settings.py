"""Properties of MapReduce 1: what is refused, what a JobTracker and a job read, queues by the capacity scheduler."""

from typing import Any

import pytest

from engine.errors import ConfigError
from engine.observe.snapshots import snapshot_of_simulation
from engine.scenario.acts import RestartJobTracker, SetQueueSetting
from engine.schedulers.mr1.capacity import CapacityTaskScheduler
from engine.schedulers.mr1.capacity_settings import (
    CapacityTaskSettings,
    TaskQueueSettings,
    capacity_task_settings,
    queue_names,
)
from engine.schedulers.mr1.fair_allocations import PoolAllocations
from engine.schedulers.mr1.settings import POOL_ELEMENTS, with_pool_settings
from engine.settings.mapreduce1 import CAPACITY_TASKS
from engine.simulation.simulation import Simulation
from tests.engine.simulation.test_job_tracker_world import jobs_of, played, run_on

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


# Settings of pools and queues that change while a JobTracker runs.

TWO: dict[str, Any] = {
    "mapred.capacity-scheduler.queue.default.capacity": 40,
    "mapred.capacity-scheduler.queue.a.capacity": 60,
    "mapred.capacity-scheduler.queue.a.supports-priority": "true",
}


def queues(simulation: Simulation) -> CapacityTaskScheduler:
    scheduler = jobs_of(simulation).scheduler
    assert isinstance(scheduler, CapacityTaskScheduler)
    return scheduler


@pytest.mark.parametrize(
    ("element", "text", "field", "value"),
    [
        ("minMaps", "3", "minimum", (3, 0)),
        ("minReduces", "3", "minimum", (0, 3)),
        ("maxMaps", "5", "maximum", (5, 2**31 - 1)),
        ("maxReduces", "5", "maximum", (2**31 - 1, 5)),
        ("maxRunningJobs", "2", "max_running_jobs", 2),
        ("weight", "2.5", "weight", 2.5),
        ("minSharePreemptionTimeout", "30", "min_share_timeout_ms", 30_000),
        ("schedulingMode", "FIFO", "mode", "fifo"),
    ],
)
def test_each_element_of_a_pool_is_replaced_alone(element: str, text: str, field: str, value: object) -> None:
    """Also of a pool that the file does not name; all other fields stay."""
    pool = with_pool_settings(PoolAllocations(), {f"queue.a.b.{element}": text}).pool("a.b")

    plain = PoolAllocations().pool("a.b")
    assert {name for name in pool.__struct_fields__ if getattr(pool, name) != getattr(plain, name)} == {field}
    assert getattr(pool, field) == value


def test_a_pool_changes_when_its_file_is_read_again() -> None:
    simulation, _ = played("mr1-fair")
    run_on(simulation, 20_000)
    assert not simulation.act(SetQueueSetting("default", "minMaps", "3")).rejected
    run_on(simulation, 5_000)
    before = {row.path: row.min_share for row in snapshot_of_simulation(simulation).queues()}
    run_on(simulation, 10_500)
    after = {row.path: row.min_share for row in snapshot_of_simulation(simulation).queues()}

    assert (before["default"], after["default"]) == ((0, 0), (3, 0))


def test_two_changes_in_a_row_are_both_in_the_file() -> None:
    """Though the first one was not read yet; a new JobTracker reads the file as it is."""
    simulation, _ = played("mr1-fair")
    simulation.act(SetQueueSetting("default", "minMaps", "3"))
    simulation.act(SetQueueSetting("default", "minReduces", "2"))
    simulation.act(RestartJobTracker(1_000))
    run_on(simulation, 3_000)

    [row] = [each for each in snapshot_of_simulation(simulation).queues() if each.path == "default"]
    assert row.min_share == (3, 2)


def test_queues_are_refreshed_together() -> None:
    """Capacities that add up to 100 change at once and survive a restart; whether priorities count stays."""
    simulation, _ = played("mr1-capacity", settings=TWO)
    run_on(simulation, 5_000)
    answer = simulation.act(SetQueueSetting("a", "capacity", "25 default=75"))
    changed = {name: queue.settings.capacity for name, queue in queues(simulation).queues.items()}
    supports = queues(simulation).queues["a"].settings.supports_priority
    simulation.act(RestartJobTracker(1_000))
    run_on(simulation, 3_000)

    assert not answer.rejected
    assert changed == {"a": 25.0, "default": 75.0}
    assert supports
    assert {name: queue.settings.capacity for name, queue in queues(simulation).queues.items()} == changed


@pytest.mark.parametrize(
    ("scheduler", "queue", "key", "value", "rejected"),
    [
        ("mr1-fifo", "jobs", "weight", "2", "UnsupportedOperationException"),
        ("mr1-fair", "default", "weigth", "2", "IllegalArgumentException"),
        ("mr1-fair", "default", "weight", "much", "IllegalArgumentException"),
        ("mr1-capacity", "a", "capacity", "25", "IOException"),
        ("mr1-capacity", "a", "capacity", "20 default=70 b=10", "IOException"),
        ("mr1-capacity", "a", "supports-priority", "false", "IllegalArgumentException"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    scheduler: str, queue: str, key: str, value: str, rejected: str
) -> None:
    """An unknown key, a value that is none, capacities that do not add up, a queue that is not there."""
    simulation, _ = played(scheduler, settings=TWO if scheduler == "mr1-capacity" else None)
    run_on(simulation, 5_000)
    before = snapshot_of_simulation(simulation).queues()
    answer = simulation.act(SetQueueSetting(queue, key, value))

    assert answer.rejected == rejected
    assert snapshot_of_simulation(simulation).queues() == before


@pytest.mark.parametrize(
    ("scheduler", "names"),
    [("mr1-fifo", ()), ("mr1-fair", tuple(POOL_ELEMENTS)), ("mr1-capacity", CAPACITY_TASKS.live)],
)
def test_a_view_lists_what_may_change(scheduler: str, names: tuple[str, ...]) -> None:
    simulation, _ = played(scheduler)

    assert simulation.control_plane.view().policy.settings() == tuple(f"queue.<path>.{name}" for name in names)


# The settings of MapReduce 1's CapacityTaskScheduler: what is refused.

LIVE_OWN = "mapred.capacity-scheduler.queue.a."
LIVE_ALONE = {f"{LIVE_OWN}capacity": "100"}


def test_an_empty_whole_number_is_unset_and_an_empty_number_is_refused() -> None:
    settings = capacity_task_settings({**LIVE_ALONE, "mapred.capacity-scheduler.maximum-tasks-per-heartbeat": ""})
    assert settings.tasks_per_heartbeat == 2**15 - 1
    with pytest.raises(ConfigError, match="user-limit-factor"):
        capacity_task_settings({**LIVE_ALONE, f"{LIVE_OWN}user-limit-factor": ""})


@pytest.mark.parametrize(
    ("key", "inside", "outside", "bounds"),
    [
        (f"{LIVE_OWN}minimum-user-limit-percent", ("1", "100"), ("0", "101"), "1 to 100"),
        (f"{LIVE_OWN}init-accept-jobs-factor", ("1",), ("0",), "at least 1"),
        (f"{LIVE_OWN}maximum-capacity", ("100",), ("100.5",), "at most 100"),
    ],
)
def test_a_value_out_of_bounds_is_refused(
    key: str, inside: tuple[str, ...], outside: tuple[str, ...], bounds: str
) -> None:
    for text in inside:
        capacity_task_settings({**LIVE_ALONE, key: text})
    for text in outside:
        with pytest.raises(ConfigError, match=f"is out of bounds: {bounds}"):
            capacity_task_settings({**LIVE_ALONE, key: text})
