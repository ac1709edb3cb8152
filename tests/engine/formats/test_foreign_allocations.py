"""Allocation files of Spark and of MapReduce 1."""

import pytest

from engine.formats.fair_files import read_fair_scheduler


def warnings(body: str, era: str = "2.7") -> list[str]:
    """What is said of a body, which begins on line 2."""
    loaded = read_fair_scheduler(f"<allocations>\n{body}\n</allocations>", file="f", era=era)
    return [str(each) for each in loaded.warnings]


def pools(*fields: str) -> str:
    return "\n".join(f'<pool name="p{number}">{inside}</pool>' for number, inside in enumerate(fields))


@pytest.mark.parametrize("era", ["2.7", "3.4"])
def test_a_file_of_spark_has_one_warning(era: str) -> None:
    pool = "<schedulingMode>FAIR</schedulingMode><weight>1</weight><minShare>2</minShare>"
    assert warnings(pools(pool, pool), era) == [
        "f:1: allocations: this is a file of Spark's fair pools, not of YARN: its 2 pools would become queues "
        "(ignored: minShare (2); read: schedulingMode, weight)"
    ]


def test_a_file_of_mapreduce_1_has_one_warning() -> None:
    body = (
        pools("<minMaps>1</minMaps><maxRunningJobs>2</maxRunningJobs>") + "\n<poolMaxJobsDefault>3</poolMaxJobsDefault>"
    )
    assert warnings(body) == [
        "f:1: allocations: this is a file of MapReduce 1's fair scheduler, not of YARN: its pool would become queues "
        "(ignored: minMaps, maxRunningJobs, poolMaxJobsDefault)"
    ]
