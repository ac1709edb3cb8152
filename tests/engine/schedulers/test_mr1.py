"""MapReduce 1: what observers are told of its fair scheduler, and what settings of its schedulers come to."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from engine.control_plane.job_tracker import JobTracker
from engine.errors import ConfigError
from engine.model.mr1.tracker import MAP
from engine.observe.snapshots import snapshot_of_simulation
from engine.scenario import Scenario
from engine.scenario.acts import RestartJobTracker, SetQueueSetting, SubmitApplication
from engine.schedulers.interface import Setting
from engine.schedulers.mr1.capacity import CapacityTaskScheduler
from engine.schedulers.obstacle_texts import Reason
from engine.settings.mapreduce1 import CAPACITY_TASKS
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from tests.engine.simulation.test_job_tracker_world import job, jobs_of, played, run_on

# What observers are told of MapReduce 1's fair scheduler: limits, how they are raised, what waits for time.

POOLS = """<allocations>
<pool name='gold'><minMaps>3</minMaps><maxMaps>4</maxMaps><maxReduces>2</maxReduces>
<maxRunningJobs>1</maxRunningJobs><weight>2.0</weight>
<minSharePreemptionTimeout>20</minSharePreemptionTimeout></pool>
<pool name='big'><minMaps>8</minMaps></pool>
<user name='bob'><maxRunningJobs>1</maxRunningJobs></user>
<userMaxJobsDefault>{user}</userMaxJobsDefault><poolMaxJobsDefault>{pool}</poolMaxJobsDefault>
<defaultMinSharePreemptionTimeout>10</defaultMinSharePreemptionTimeout>
<fairSharePreemptionTimeout>{fair}</fairSharePreemptionTimeout>
</allocations>"""
LONG = (600_000, 600_000)
SETTINGS = {
    "mapred.fairscheduler.locality.delay.node": 2_000,
    "mapred.fairscheduler.locality.delay.rack": 3_000,
    "mapred.fairscheduler.preemption.interval": 7_000,
}


def view(
    *jobs: dict[str, Any], user: int = 5, pool: int = 6, fair: int = 15, settings: Mapping[str, Any] = SETTINGS
) -> Any:
    """What observers are told, after 20 s."""
    scenario = Scenario.model_validate(
        {
            "scheduler": "mr1-fair",
            "settings": {**SETTINGS, **settings},
            "allocations": POOLS.format(user=user, pool=pool, fair=fair),
            "cluster": {"groups": [{"count": 4, "memory_mb": 8_192, "vcores": 8}]},
            "workload": [{**each, "map_duration_ms": LONG} for each in jobs],
        }
    )
    simulation = build_simulation(scenario)
    run_on(simulation, 20_000)
    return jobs_of(simulation).scheduler_view


@pytest.mark.parametrize(
    ("jobs", "limit", "setting", "subject"),
    [
        (
            [{"queue": "gold"}, {"queue": "gold"}],
            "pool gold has as many jobs as may run, 1",
            Setting("pool gold.maxRunningJobs", "1"),
            "gold",
        ),
        (
            [{"queue": "x"}, {"queue": "x"}],
            "pool x has as many jobs as may run, 1",
            Setting("poolMaxJobsDefault", "1"),
            "x",
        ),
        (
            [{"queue": "x", "user": "bob"}, {"queue": "y", "user": "bob"}],
            "user bob has as many jobs as may run, 1",
            Setting("user bob.maxRunningJobs", "1"),
            "bob",
        ),
        (
            [{"queue": "x", "user": "cy"}, {"queue": "y", "user": "cy"}],
            "user cy has as many jobs as may run, 1",
            Setting("userMaxJobsDefault", "1"),
            "cy",
        ),
    ],
)
def test_a_job_is_held_back_by_the_most_jobs_of_its_pool_or_user(
    jobs: list[dict[str, Any]], limit: str, setting: Setting, subject: str
) -> None:
    one = view(*(job(**each) for each in jobs), user=1 if subject == "cy" else 5, pool=1 if subject == "x" else 5)
    first, second = (one.scheduler.jobs[number].job for number in (1, 2))
    assert one.limit_of_jobs(first) is None
    for found in (one.limit_of_jobs(second), one.limit(second, MAP)):
        assert found == (Reason.QUEUE_NOT_RUNNING_IT, limit, setting, subject, "")

    one.loosen(setting.key)
    assert one.limit_of_jobs(second) is None


# What a job counts among those of its pool: weight, demand, what runs of it, how near its maps have to be.

BOOSTER = {
    "mapred.fairscheduler.weightadjuster": "org.apache.hadoop.mapred.NewJobWeightBooster",
    "mapred.newjobweightbooster.factor": "3",
    "mapred.newjobweightbooster.duration": "20000",
}


def info(settings: Mapping[str, Any] | None = None, **fields: Any) -> Any:
    """The scheduler's record of a job of so many maps that was submitted 20 s ago."""
    one = view(job(queue="x", maps=12, reduces=4, **fields), settings=settings or {})
    return one.scheduler.jobs[1]


@pytest.mark.parametrize(("age_ms", "weight"), [(0, 3.0), (19_999, 3.0), (20_000, 1.0), (90_000, 1.0)])
def test_a_new_job_weighs_more_for_a_while(age_ms: int, weight: float) -> None:
    found = info(BOOSTER)
    found.job.start_ms = found.job.cluster.now_ms - age_ms
    assert found.schedulables[MAP].weight() == weight
    plain = info()
    plain.job.start_ms = plain.job.cluster.now_ms
    assert plain.schedulables[MAP].weight() == 1.0


# Properties of MapReduce 1: what is refused, what a JobTracker and a job read, queues by the capacity scheduler.


OWN = "mapred.capacity-scheduler."
ALONE = {f"{OWN}queue.a.capacity": "100"}


def problems(values: dict[str, str]) -> list[tuple[str, str]]:
    """(key, message) of what the capacity scheduler's settings are refused for."""
    with pytest.raises(ConfigError) as refused:
        task_settings(values)
    return [(one.key.removeprefix(OWN), one.message) for one in refused.value.problems]


def task_settings(values: dict[str, str]) -> Any:
    """The settings of a JobTracker's capacity scheduler."""
    scheduler = JobTracker(values, scheduler="mr1-capacity").scheduler
    assert isinstance(scheduler, CapacityTaskScheduler)
    return scheduler.settings


def queue(values: dict[str, str]) -> tuple[object, ...]:
    found = task_settings({**ALONE, **{f"{OWN}{key}": text for key, text in values.items()}})
    return msgspec.structs.astuple(found.queues["a"])


def test_a_queue_has_the_defaults_of_all_queues() -> None:
    plain = queue({"maximum-system-jobs": "3000"})
    assert plain == (100.0, -1.0, 100, 1.0, False, 3000, 3000, 10, 200_000, 100_000)
    more = {
        "default-minimum-user-limit-percent": "25",
        "default-user-limit-factor": "2",
        "default-supports-priority": "true",
        "maximum-system-jobs": "10",
        "default-init-accept-jobs-factor": "3",
        "default-maximum-active-tasks-per-queue": "7",
        "default-maximum-active-tasks-per-user": "5",
    }
    assert queue(more) == (100.0, -1.0, 25, 2.0, True, 10, 3, 3, 7, 5)
    own = {
        "queue.a.minimum-user-limit-percent": "50",
        "queue.a.user-limit-factor": "0.5",
        "queue.a.supports-priority": "false",
        "queue.a.maximum-capacity": "100",
        "queue.a.maximum-initialized-active-tasks": "9",
        "queue.a.maximum-initialized-active-tasks-per-user": "8",
        "queue.a.init-accept-jobs-factor": "4",
    }
    assert queue({**more, **own}) == (100.0, 100.0, 50, 0.5, False, 10, 5, 4, 9, 8)


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
    assert list(task_settings(values).queues) == ["a", "b"]


@pytest.mark.parametrize(
    ("users", "user", "maps", "words"),
    [
        ((), "ann", 8, ""),
        ((), "ann", 9, "the job has 13 tasks, a user may have 12"),
        (("ann",), "ann", 8, ""),
        (("ann", "ann"), "ann", 8, "user ann has 2 jobs in queue default, which accepts no more"),
        (("ann", "ann", "bob"), "bob", 8, ""),
        (("ann", "ann", "bob", "bob"), "eve", 8, "queue default has 4 jobs and accepts no more"),
    ],
)
def test_a_queue_of_tasks_refuses_what_is_above_its_limits(
    users: tuple[str, ...], user: str, maps: int, words: str
) -> None:
    """Two jobs of it are initialized, one of a user; it accepts twice as many."""
    limits = {
        f"{OWN}maximum-system-jobs": 2,
        f"{OWN}default-minimum-user-limit-percent": 50,
        f"{OWN}default-init-accept-jobs-factor": 2,
        f"{OWN}default-maximum-active-tasks-per-user": 12,
    }
    simulation, _ = played("mr1-capacity", *(job(user=each) for each in users), job(at_ms=60_000), settings=limits)
    run_on(simulation, 1_000)
    answer = simulation.act(SubmitApplication(job(user=user, maps=maps)))

    assert (answer.rejected, answer.detail) == (("IOException", words) if words else ("", ""))


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


POOL_ELEMENTS = (
    *("minMaps", "minReduces", "maxMaps", "maxReduces", "maxRunningJobs"),
    *("weight", "minSharePreemptionTimeout", "schedulingMode"),
)


@pytest.mark.parametrize(
    ("scheduler", "names"), [("mr1-fifo", ()), ("mr1-fair", POOL_ELEMENTS), ("mr1-capacity", CAPACITY_TASKS.live)]
)
def test_a_view_lists_what_may_change(scheduler: str, names: tuple[str, ...]) -> None:
    simulation, _ = played(scheduler)

    assert simulation.control_plane.view().policy.settings() == tuple(f"queue.<path>.{name}" for name in names)


# The settings of MapReduce 1's CapacityTaskScheduler: what is refused.

LIVE_OWN = "mapred.capacity-scheduler.queue.a."
LIVE_ALONE = {f"{LIVE_OWN}capacity": "100"}


def test_an_empty_whole_number_is_unset_and_an_empty_number_is_refused() -> None:
    settings = task_settings({**LIVE_ALONE, "mapred.capacity-scheduler.maximum-tasks-per-heartbeat": ""})
    assert settings.tasks_per_heartbeat == 2**15 - 1
    with pytest.raises(ConfigError, match="user-limit-factor"):
        task_settings({**LIVE_ALONE, f"{LIVE_OWN}user-limit-factor": ""})


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
        task_settings({**LIVE_ALONE, key: text})
    for text in outside:
        with pytest.raises(ConfigError, match=f"is out of bounds: {bounds}"):
            task_settings({**LIVE_ALONE, key: text})
