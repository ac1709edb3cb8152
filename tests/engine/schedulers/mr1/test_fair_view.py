"""What observers are told of MapReduce 1's fair scheduler: limits, how they are raised, what waits for time."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from engine.model.mr1.attempt import MAP, REDUCE
from engine.model.mr1.job_in_progress import JobInProgress
from engine.model.mr1.task_search import ANY_LEVEL, HOST_LEVEL, RACK_LEVEL
from engine.scenario import Scenario
from engine.schedulers.activity import Reason
from engine.schedulers.mr1.fair_allocations import NO_MAXIMUM
from engine.schedulers.mr1.fair_view import FairTaskView
from engine.schedulers.mr1.task_scheduler_view import Limit
from engine.schedulers.scheduler_view import Setting
from engine.simulation.build import build_simulation
from tests.engine.simulation.test_job_tracker_world import job, jobs_of, run_on

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
) -> FairTaskView:
    """The view of four trackers of two map and two reduce slots after 20 s."""
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
    found = jobs_of(simulation).scheduler_view
    assert isinstance(found, FairTaskView)
    return found


def job_of(one: FairTaskView, number: int) -> JobInProgress:
    """A job by its number."""
    return one.scheduler.jobs[number].job


def test_a_pool_at_its_maximum_takes_no_more() -> None:
    """Of the kind it limits; what decides is its element in the file."""
    one = view(job(queue="gold", maps=9, reduces=0))
    sentence = "pool gold runs 4 maps, its maximum is 4"
    assert one.limit(job_of(one, 1), MAP) == Limit(
        Reason.QUEUE_OVER_MAXIMUM, sentence, Setting("pool gold.maxMaps", "4"), "gold"
    )
    assert one.limit(job_of(one, 1), REDUCE) is None
    assert one.queue_of(job_of(one, 1)) == "gold"


def test_a_pool_below_its_minimum_has_no_room() -> None:
    """Others hold the slots; nothing in the file decides that."""
    one = view(job(queue="x", maps=8, reduces=0), job(queue="big", maps=8, reduces=0, at_ms=8_000))
    held = one.scheduler.map_pools["big"].running()
    assert held < 8
    assert one.limit(job_of(one, 2), MAP) == Limit(
        Reason.DOES_NOT_FIT, f"pool big runs {held} maps, below its minimum of 8", None, "big"
    )
    assert one.limit(job_of(one, 1), MAP) is None


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
    """That of its own, or the default; raised it holds nobody back."""
    one = view(*(job(**each) for each in jobs), user=1 if subject == "cy" else 5, pool=1 if subject == "x" else 5)
    expected = Limit(Reason.QUEUE_NOT_RUNNING_IT, limit, setting, subject)
    assert one.limit_of_jobs(job_of(one, 1)) is None
    assert one.limit_of_jobs(job_of(one, 2)) == expected
    assert one.limit(job_of(one, 2), MAP) == expected

    one.loosen(setting.key)
    assert one.limit_of_jobs(job_of(one, 2)) is None


def test_loosening_changes_one_thing_alone() -> None:
    """In the file in force, and in one that is still to be read."""
    one = view(job(queue="gold"), user=1, pool=1)
    before = one.allocation()
    one.scheduler.file = (9, before)
    for key, changed in (
        ("userMaxJobsDefault", replace(before, user_max_jobs_default=NO_MAXIMUM)),
        ("poolMaxJobsDefault", replace(before, pool_max_jobs_default=NO_MAXIMUM)),
        ("user bob.maxRunningJobs", replace(before, user_max_jobs={"bob": NO_MAXIMUM})),
        ("user cy.maxRunningJobs", replace(before, user_max_jobs={"bob": 1, "cy": NO_MAXIMUM})),
    ):
        one.scheduler.allocations, one.scheduler.file = before, (9, before)
        one.loosen(key)
        assert one.allocation() == changed
        assert one.scheduler.file == (9, changed)
    one.scheduler.allocations, one.scheduler.file = before, None
    one.loosen("pool gold.maxMaps")
    assert one.allocation().pool("gold") == replace(before.pool("gold"), maximum=(NO_MAXIMUM, 2))
    assert one.scheduler.file is None


@pytest.mark.parametrize(
    ("settings", "fair", "timers_ms"),
    [
        ({}, 15, 2_000 + 3_000 + 7_000 + 20_000),
        ({}, 25, 2_000 + 3_000 + 7_000 + 25_000),
        (
            {
                "mapred.fairscheduler.weightadjuster": "org.apache.hadoop.mapred.NewJobWeightBooster",
                "mapred.newjobweightbooster.duration": "90000",
            },
            15,
            2_000 + 3_000 + 7_000 + 20_000 + 90_000,
        ),
    ],
)
def test_timers_may_go_off_one_after_another(settings: dict[str, Any], fair: int, timers_ms: int) -> None:
    """Both delays, preemption's interval, its longest timeout, and the time for which a new job weighs more."""
    assert view(job(queue="gold"), fair=fair, settings=settings).longest_timer_ms() == timers_ms


def test_pools_are_rows_by_name() -> None:
    """With their minimum, maximum and weight; a pool without a maximum has none."""
    one = view(job(queue="gold", maps=9, reduces=0), job(queue="x", maps=1, reduces=0))
    jobs = {"gold": [job_of(one, 1)], "x": [job_of(one, 2)]}
    rows = {row.path: row for row in one.queues(jobs, {1: 4, 2: 1})}
    gold, x = rows["gold"], rows["x"]
    assert list(rows) == sorted(rows)
    assert (gold.weight, gold.min_share, gold.max_share, gold.used, gold.containers) == (2.0, (3, 0), (4, 2), (4, 0), 4)
    assert (gold.demand, gold.policy, gold.is_leaf, gold.depth) == ((4, 0), "fair", True, 0)
    assert (x.weight, x.min_share, x.max_share, x.used, x.containers) == (1.0, (0, 0), None, (1, 0), 1)
    assert (x.applications_running, x.applications_pending, x.starved_since_ms) == (1, 0, None)
    assert rows["default"].containers == 0
    assert one.delay_offers(4, []) == 0


@pytest.mark.parametrize(
    ("last_level", "waited_ms", "told_ms"),
    [
        (HOST_LEVEL, 0, 0),
        (HOST_LEVEL, 4_999, 4_999),
        (HOST_LEVEL, 5_000, None),
        (RACK_LEVEL, 2_999, 2_999),
        (RACK_LEVEL, 3_000, None),
        (ANY_LEVEL, 0, None),
    ],
)
def test_a_job_waits_for_a_map_near_its_data_while_a_delay_holds(
    last_level: int, waited_ms: int, told_ms: int | None
) -> None:
    """Both delays one after the other from a map on its host on, that of racks from one in its rack on."""
    one = view(job(queue="x", maps=40, reduces=0), fair=900, settings={"mapred.fairscheduler.preemption": "true"})
    info = one.scheduler.jobs[1]
    info.last_level, info.waited_ms = last_level, waited_ms
    assert one.waited_ms(info.job) == told_ms


def test_a_job_that_is_gone_waits_for_nothing() -> None:
    """It is in no pool any more."""
    one = view(job(queue="x", maps=40, reduces=0))
    gone = one.scheduler.jobs.pop(1).job
    assert one.waited_ms(gone) is None
