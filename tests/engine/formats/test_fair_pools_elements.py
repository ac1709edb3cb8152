"""Elements of the allocation file of MapReduce 1, one by one."""

import pytest

from engine.errors import ConfigError
from engine.formats.fair_placement import REFUSED, LoadedPools, read_pools
from engine.schedulers.mr1.fair_allocations import NO_MAXIMUM, PoolAllocation, PoolAllocations

POOL = PoolAllocation()


def loaded(inside: str) -> LoadedPools:
    return read_pools(f"<allocations>{inside}</allocations>", "f.xml")


@pytest.mark.parametrize(
    ("inside", "found"),
    [
        ("", POOL),
        ("<minMaps> 1 </minMaps>", PoolAllocation(minimum=(1, 0))),
        ("<minReduces>2</minReduces>", PoolAllocation(minimum=(0, 2))),
        ("<maxMaps>3</maxMaps>", PoolAllocation(maximum=(3, NO_MAXIMUM))),
        ("<maxReduces>0</maxReduces>", PoolAllocation(maximum=(NO_MAXIMUM, 0))),
        ("<maxRunningJobs>0</maxRunningJobs>", PoolAllocation(max_running_jobs=0)),
        ("<weight>0.5</weight>", PoolAllocation(weight=0.5)),
        ("<schedulingMode>fair</schedulingMode>", PoolAllocation(mode="fair")),
        ("<minSharePreemptionTimeout>5</minSharePreemptionTimeout>", PoolAllocation(min_share_timeout_ms=5000)),
        ("<maxMaps>3</maxMaps><maxMaps>4</maxMaps>", PoolAllocation(maximum=(4, NO_MAXIMUM))),
    ],
)
def test_an_element_of_a_pool_is_one_field(inside: str, found: PoolAllocation) -> None:
    assert loaded(f"<pool name='a'>{inside}</pool>") == LoadedPools(PoolAllocations(pools={"a": found}), ())


@pytest.mark.parametrize(
    ("inside", "found"),
    [
        ("<pool><minMaps>1</minMaps></pool>", PoolAllocations(pools={"": PoolAllocation(minimum=(1, 0))})),
        ("<user name='ann'><maxRunningJobs>0</maxRunningJobs></user>", PoolAllocations(user_max_jobs={"ann": 0})),
        ("<user><maxRunningJobs>3</maxRunningJobs></user>", PoolAllocations(user_max_jobs={"": 3})),
        ("<user name='ann'/>", PoolAllocations()),
        ("<userMaxJobsDefault>1</userMaxJobsDefault>", PoolAllocations(user_max_jobs_default=1)),
        ("<poolMaxJobsDefault>2</poolMaxJobsDefault>", PoolAllocations(pool_max_jobs_default=2)),
        (
            "<fairSharePreemptionTimeout>3</fairSharePreemptionTimeout>",
            PoolAllocations(fair_share_timeout_ms=3000),
        ),
        (
            "<defaultMinSharePreemptionTimeout>4</defaultMinSharePreemptionTimeout>",
            PoolAllocations(min_share_timeout_ms=4000),
        ),
        ("<defaultPoolSchedulingMode>FIFO</defaultPoolSchedulingMode>", PoolAllocations(default_mode="fifo")),
    ],
)
def test_an_element_of_the_file_is_one_field(inside: str, found: PoolAllocations) -> None:
    assert loaded(inside) == LoadedPools(found, ())


def test_a_value_that_is_none_is_refused_with_its_place() -> None:
    inside = "<pool name='a'><weight>x</weight></pool>\n<user name='b'><maxRunningJobs>y</maxRunningJobs></user>\n"
    with pytest.raises(ConfigError) as refused:
        loaded(f"{inside}<poolMaxJobsDefault/>")

    assert [(one.file, one.line, one.key) for one in refused.value.problems] == [
        ("f.xml", 1, "weight"),
        ("f.xml", 2, "maxRunningJobs"),
        ("f.xml", 3, "poolMaxJobsDefault"),
    ]
    assert refused.value.kind == REFUSED
