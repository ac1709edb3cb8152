"""Spark on YARN: executors held to the end of the work."""

from typing import Any

import pytest

from engine.scenario import Size, SparkSpec
from engine.workload.master import HELD
from tests.engine.workload.cases import Counter


def spark(**fields: Any) -> Counter:
    """A registered application with three executors that works for 10 s."""
    known = {"executors": 3, "executor": Size(memory_mb=2048, vcores=2), "duration_ms": (10_000, 10_000)}
    return Counter(SparkSpec(type="spark", user="ann", **(known | fields)))


def test_executors_are_asked_for_at_once_and_held() -> None:
    """One ask, and no executor ends by itself."""
    counter = spark()
    asks = counter.call().asks

    assert [(ask.priority, ask.memory_mb, ask.vcores, ask.count) for ask in asks] == [(1, 2048, 2, 3)]
    assert {counter.runs[container] for container in counter.give(1, count=3)} == {HELD}


@pytest.mark.parametrize(("waits", "begins_with"), [(False, 1), (True, 3)])
def test_work_begins_with_the_first_or_the_last_executor(*, waits: bool, begins_with: int) -> None:
    """Time counts from then, and the end comes at the first call after it."""
    counter = spark(waits=waits)
    counter.call()
    began = []
    for _ in range(3):
        counter.give(1)
        began.append(counter.master.wake_ms > 0)
    counter.master.call(counter.now_ms)

    assert began.index(True) + 1 == begins_with
    assert [counter.call(3000).outcome for _ in range(4)][-1] == "FINISHED"


def test_lost_executors_are_asked_for_again() -> None:
    """Work goes on meanwhile."""
    counter = spark()
    counter.call()
    counter.end(counter.give(1, count=3)[1], "PREEMPTED")

    assert [ask.count for ask in counter.call().asks] == [1]


def test_work_for_ever_never_ends() -> None:
    """Without a duration only a kill ends it."""
    counter = spark(duration_ms=None)
    counter.call()
    counter.give(1, count=3)

    assert (counter.master.wake_ms, counter.call(10**9).outcome) == (0, "")


def test_an_executor_too_many_is_not_used() -> None:
    """It never has more than it wanted."""
    counter = spark()
    counter.call()
    counter.give(1, count=3)

    assert counter.give(1)[0] not in counter.runs
