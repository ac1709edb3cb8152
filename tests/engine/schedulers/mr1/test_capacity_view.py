"""What observers are told of MapReduce 1's capacity scheduler: which limit holds a job, and how it is raised."""

from typing import Any

import pytest

from engine.model.mr1.attempt import MAP
from engine.model.mr1.job_in_progress import JobInProgress
from engine.scenario import Scenario
from engine.schedulers.activity import Reason
from engine.schedulers.mr1.capacity_view import CapacityTaskView
from engine.schedulers.mr1.task_scheduler_view import Limit
from engine.schedulers.scheduler_view import Setting
from engine.simulation.build import build_simulation
from tests.engine.simulation.test_job_tracker_world import job, jobs_of, run_on

PREFIX = "mapred.capacity-scheduler."
SETTINGS = {f"{PREFIX}queue.default.capacity": 50, f"{PREFIX}queue.a.capacity": 50}
LONG = (600_000, 600_000)


def view(*jobs: dict[str, Any], **settings: Any) -> CapacityTaskView:
    more = {f"{PREFIX}{key.replace('__', '.').replace('_', '-')}": value for key, value in settings.items()}
    scenario = Scenario.model_validate(
        {
            "scheduler": "mr1-capacity",
            "settings": {**SETTINGS, **more},
            "cluster": {"groups": [{"count": 4, "memory_mb": 8_192, "vcores": 8}]},
            "workload": [{"queue": "a", **each, "map_duration_ms": LONG} for each in jobs],
        }
    )
    simulation = build_simulation(scenario)
    run_on(simulation, 30_000)
    found = jobs_of(simulation).scheduler_view
    assert isinstance(found, CapacityTaskView)
    return found


def job_of(one: CapacityTaskView, number: int) -> JobInProgress:
    return one.scheduler.cluster.jobs[number]


@pytest.mark.parametrize(
    ("settings", "key", "value"),
    [
        ({"queue__a__user_limit_factor": "1"}, "queue.a.user-limit-factor", "1"),
        ({"default_user_limit_factor": "1"}, "default-user-limit-factor", "1"),
        ({}, "default-user-limit-factor", "1"),
    ],
)
def test_a_user_at_its_limit_gets_no_more(settings: dict[str, Any], key: str, value: str) -> None:
    one = view(job(maps=9, reduces=0), **settings)
    held = one.scheduler.queues["a"].usage[MAP].of_user["ann"]
    found = one.limit(job_of(one, 1), MAP)
    assert found is not None
    assert found.reason is Reason.USER_OVER_LIMIT
    assert found.sentence == f"user ann has {held} map slots of queue a, the limit is 4"
    assert (found.setting, found.subject) == (Setting(f"{PREFIX}{key}", value), "ann")


@pytest.mark.parametrize(
    ("settings", "user", "sentence", "key", "value"),
    [
        (
            {"queue__a__maximum_initialized_active_tasks": "8"},
            "bob",
            "queue a has as many tasks of jobs as may be initialized",
            "queue.a.maximum-initialized-active-tasks",
            "8",
        ),
        (
            {"queue__a__maximum_initialized_active_tasks_per_user": "8"},
            "ann",
            "user ann has as many tasks of jobs as may be initialized",
            "queue.a.maximum-initialized-active-tasks-per-user",
            "8",
        ),
        (
            {"maximum_system_jobs": "2"},
            "bob",
            "queue a has as many jobs as may be initialized",
            "maximum-system-jobs",
            "2",
        ),
    ],
)
def test_a_job_that_waits_to_be_initialized_says_for_what(
    settings: dict[str, Any], user: str, sentence: str, key: str, value: str
) -> None:
    one = view(job(maps=8, reduces=0), job(maps=8, reduces=0, user=user), **settings)
    assert one.limit_of_jobs(job_of(one, 1)) is None
    assert one.limit_of_jobs(job_of(one, 2)) == Limit(
        Reason.QUEUE_NOT_RUNNING_IT, sentence, Setting(f"{PREFIX}{key}", value), sentence.split()[1]
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("maximum-capacity", 100.0),
        ("minimum-user-limit-percent", 100),
        ("user-limit-factor", 10.0**6),
        ("maximum-initialized-active-tasks", 10**6),
    ],
)
def test_what_is_loosened_limits_nothing(key: str, value: float) -> None:
    one = view(job(), queue__a__maximum_capacity=60, queue__a__minimum_user_limit_percent="25")
    one.loosen(f"{PREFIX}queue.a.{key}")
    settings = one.scheduler.queues["a"].settings
    found = {
        "maximum-capacity": settings.maximum,
        "minimum-user-limit-percent": settings.user_limit,
        "user-limit-factor": settings.user_limit_factor,
        "maximum-initialized-active-tasks": settings.max_active_tasks,
    }
    assert found[key] == value
