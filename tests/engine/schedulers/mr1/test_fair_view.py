"""What observers are told of MapReduce 1's fair scheduler: limits, how they are raised, what waits for time."""

from collections.abc import Mapping
from typing import Any

import pytest

from engine.model.mr1.job import JobInProgress
from engine.model.mr1.tracker import MAP
from engine.scenario import Scenario
from engine.schedulers.interface import Setting
from engine.schedulers.mr1.capacity_view import FairTaskView, Limit
from engine.schedulers.obstacle_texts import Reason
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
    return one.scheduler.jobs[number].job


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
    expected = Limit(Reason.QUEUE_NOT_RUNNING_IT, limit, setting, subject)
    assert one.limit_of_jobs(job_of(one, 1)) is None
    assert one.limit_of_jobs(job_of(one, 2)) == expected
    assert one.limit(job_of(one, 2), MAP) == expected

    one.loosen(setting.key)
    assert one.limit_of_jobs(job_of(one, 2)) is None
