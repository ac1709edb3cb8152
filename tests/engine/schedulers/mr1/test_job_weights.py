"""What a job counts among those of its pool: weight, demand, what runs of it, how near its maps have to be."""

from collections.abc import Mapping
from math import log, log1p
from typing import Any

import pytest

from engine.model.mr1.task_search import ANY_LEVEL, HOST_LEVEL, RACK_LEVEL
from engine.model.mr1.tracker import MAP, REDUCE
from engine.schedulers.mr1.fair_pools import JobInfo
from tests.engine.schedulers.mr1.test_fair_order import view
from tests.engine.simulation.test_job_tracker_world import job

BOOSTER = {
    "mapred.fairscheduler.weightadjuster": "org.apache.hadoop.mapred.NewJobWeightBooster",
    "mapred.newjobweightbooster.factor": "3",
    "mapred.newjobweightbooster.duration": "20000",
}
BY_SIZE = {"mapred.fairscheduler.sizebasedweight": "true"}


def info(settings: Mapping[str, Any] | None = None, **fields: Any) -> JobInfo:
    """The scheduler's record of a job of so many maps that was submitted 20 s ago."""
    one = view(job(queue="x", maps=12, reduces=4, **fields), settings=settings or {})
    return one.scheduler.jobs[1]


@pytest.mark.parametrize(("priority", "weight"), [(None, 1.0), (9, 4.0)])
def test_a_job_weighs_by_its_priority(priority: int | None, weight: float) -> None:
    found = info(priority=priority)
    assert [each.weight() for each in found.schedulables] == [weight, weight]
    found.is_runnable = False
    assert [each.weight() for each in found.schedulables] == [1.0, 1.0]


@pytest.mark.parametrize(("place", "weight"), [(0, 4.0), (1, 2.0), (2, 1.0), (3, 0.5), (4, 0.25)])
def test_each_priority_has_its_factor(place: int, weight: float) -> None:
    found = info()
    found.job.priority = place
    assert found.schedulables[MAP].weight() == weight


def test_a_large_job_weighs_more_where_sizes_count() -> None:
    found = info(BY_SIZE)
    for each in found.schedulables:
        for demand in (0, 1, 7):
            each.demand = demand
            assert each.weight() == log1p(demand) / log(2)


@pytest.mark.parametrize(("age_ms", "weight"), [(0, 3.0), (19_999, 3.0), (20_000, 1.0), (90_000, 1.0)])
def test_a_new_job_weighs_more_for_a_while(age_ms: int, weight: float) -> None:
    found = info(BOOSTER)
    found.job.start_ms = found.job.cluster.now_ms - age_ms
    assert found.schedulables[MAP].weight() == weight
    plain = info()
    plain.job.start_ms = plain.job.cluster.now_ms
    assert plain.schedulables[MAP].weight() == 1.0


def test_a_job_may_run_while_it_is_there_and_set_up() -> None:
    found = info()
    one = found.schedulables[MAP]
    assert one.may_run()
    found.is_runnable = False
    assert not one.may_run()
    found.is_runnable, found.is_gone = True, True
    assert not one.may_run()
    found.is_gone, found.job.state = False, "PREP"
    assert not one.may_run()


def test_a_demand_is_of_tasks_that_have_not_ended() -> None:
    """Reduces count once enough maps have ended; a job that may not run wants nothing."""
    found = info()
    maps, reduces = found.schedulables
    running = found.job.running[MAP]
    assert (maps.running(), reduces.running(), running > 0) == (running, 0, True)
    for each in (maps, reduces):
        each.update_demand()
    assert (maps.demand >= 12, reduces.demand) == (True, 0)
    found.job.finished = [found.job.reduces_after, 0]
    reduces.update_demand()
    assert reduces.demand == 4
    found.is_runnable = False
    maps.update_demand()
    assert maps.demand == 0


@pytest.mark.parametrize(("level", "last"), [(0, HOST_LEVEL), (1, RACK_LEVEL), (2, ANY_LEVEL)])
def test_a_map_that_is_launched_ends_the_wait(level: int, last: int) -> None:
    """How far it was from its data is what the next one is compared with."""
    found = info()
    found.waited_ms = 77
    found.launched(level)
    assert (found.last_level, found.waited_ms) == (last, 0)


def test_ranks_are_those_of_jobs() -> None:
    found = info()
    for kind in (MAP, REDUCE):
        one = found.schedulables[kind]
        assert one.rank() == (found.job.priority, found.job.start_ms, "0001")
        assert one.min_share() == 0
