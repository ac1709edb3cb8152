"""The orders in which pools and jobs of MapReduce 1 are served, and their fair shares."""

import math
from collections.abc import Mapping
from math import log, log1p
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.mr1.job import JobInProgress
from engine.model.mr1.task_search import ANY_LEVEL, HOST_LEVEL, RACK_LEVEL
from engine.model.mr1.tracker import MAP, REDUCE
from engine.scenario import Scenario
from engine.schedulers.interface import Setting
from engine.schedulers.mr1.capacity_view import FairTaskView, JobObstacle
from engine.schedulers.mr1.fair_pools import JobInfo, compute_fair_shares, in_fair_order, in_fifo_order
from engine.schedulers.obstacle_texts import Reason
from engine.simulation.build import build_simulation
from tests.engine.simulation.test_job_tracker_world import job, jobs_of, run_on


class Member:
    """A pool as an order sees it."""

    def __init__(
        self,
        name: str,
        running: int = 0,
        minimum: int = 0,
        demand: int = 9,
        weight: float = 1.0,
        start_ms: int = 0,
        priority: int = 2,
    ) -> None:
        self.name, self.demand, self.fair_share = name, demand, 0.0
        self._running, self._minimum, self._weight = running, minimum, weight
        self._start_ms, self._priority = start_ms, priority

    def running(self) -> int:
        return self._running

    def min_share(self) -> int:
        return self._minimum

    def weight(self) -> float:
        return self._weight

    def rank(self) -> tuple[int, int, str]:
        return self._priority, self._start_ms, self.name


@pytest.mark.parametrize(
    ("members", "order"),
    [
        ([Member("a", 3), Member("b", 2)], "ba"),
        ([Member("a", 3, weight=3.0), Member("b", 2)], "ab"),
        ([Member("a", 1, minimum=1), Member("b", 5, minimum=6)], "ba"),
        ([Member("a", 1, minimum=2), Member("b", 5, minimum=6)], "ab"),
        ([Member("a", 5, minimum=6), Member("b", 1, minimum=2)], "ba"),
        ([Member("a", 2, minimum=9, demand=2), Member("b", 1, minimum=2)], "ba"),
        ([Member("a", 0, minimum=1), Member("b", 0, minimum=5)], "ab"),
        ([Member("a", 1, start_ms=2), Member("b", 1, start_ms=1)], "ba"),
        ([Member("b", 1), Member("a", 1)], "ab"),
        ([Member("a", 0), Member("b", 0, weight=0.0)], "ab"),
        ([Member("b", 0, weight=0.0), Member("a", 4), Member("c", 1, minimum=2)], "cab"),
        ([Member("a", 1, weight=0.0), Member("b", 8)], "ba"),
    ],
)
def test_those_below_their_minimum_come_first(members: list[Member], order: str) -> None:
    """By their part of it; then those with least in proportion to their weight; of equals by start and name."""
    assert "".join(each.name for each in in_fair_order(members)) == order


ROWS = st.tuples(
    st.integers(0, 5), st.integers(0, 5), st.integers(0, 6), st.sampled_from((0.5, 1.0, 2.0)), st.integers(0, 2)
)


@given(st.lists(ROWS, max_size=6))
def test_the_order_is_that_of_the_comparator(rows: list[tuple[int, int, int, float, int]]) -> None:
    members = [
        Member(f"m{place}", running, minimum, demand, weight, start_ms)
        for place, (running, minimum, demand, weight, start_ms) in enumerate(rows)
    ]

    def key(each: Member) -> tuple[bool, float, int, str]:
        minimum = min(each.min_share(), each.demand)
        is_needy = each.running() < minimum
        ratio = each.running() / max(minimum, 1) if is_needy else each.running() / each.weight()
        return not is_needy, ratio, each.rank()[1], each.name

    assert in_fair_order(members) == sorted(members, key=key)
    assert in_fifo_order(members) == sorted(members, key=lambda each: each.rank())


def test_fifo_goes_by_priority_start_and_name() -> None:
    members = [
        Member("d", priority=2, start_ms=1),
        Member("c", start_ms=5),
        Member("b", start_ms=5),
        Member("a", priority=3),
    ]
    assert "".join(each.name for each in in_fifo_order(members)) == "dbca"


@pytest.mark.parametrize(
    ("members", "slots", "shares"),
    [
        ([Member("a", demand=9), Member("b", demand=9)], 10, [5, 5]),
        ([Member("a", demand=2), Member("b", demand=9)], 10, [2, 8]),
        ([Member("a", demand=9, weight=3.0), Member("b", demand=9)], 8, [6, 2]),
        ([Member("a", demand=9, minimum=7), Member("b", demand=9)], 8, [7, 1]),
        ([Member("a", demand=4, minimum=7), Member("b", demand=9)], 8, [4, 4]),
        ([Member("a", demand=2), Member("b", demand=3)], 100, [2, 3]),
        ([Member("a", demand=9), Member("b", demand=0)], 4, [4, 0]),
        ([Member("a", demand=90), Member("b", demand=90)], 160, [80, 80]),
        ([], 4, []),
    ],
)
def test_shares_are_in_proportion_to_weights(members: list[Member], slots: int, shares: list[int]) -> None:
    """At least the minimum and at most the demand; all slots are shared out, or all demand is met."""
    compute_fair_shares(members, slots)
    assert [each.fair_share for each in members] == pytest.approx(shares, abs=1e-4)
    assert math.fsum(each.fair_share for each in members) <= max(slots, 0) + 1e-3


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
    expected = JobObstacle(Reason.QUEUE_NOT_RUNNING_IT, limit, setting, subject)
    assert one.limit_of_jobs(job_of(one, 1)) is None
    assert one.limit_of_jobs(job_of(one, 2)) == expected
    assert one.limit(job_of(one, 2), MAP) == expected

    one.loosen(setting.key)
    assert one.limit_of_jobs(job_of(one, 2)) is None


# What a job counts among those of its pool: weight, demand, what runs of it, how near its maps have to be.

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
