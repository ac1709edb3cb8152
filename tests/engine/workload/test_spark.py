"""Spark on YARN: executors held to the end of the work."""

from typing import Any

import pytest
from pydantic import ValidationError

from engine.fork import fork
from engine.scenario import Size, SparkSpec, StageSpec
from engine.workload.master import HELD
from engine.workload.services import master_of
from engine.workload.spark import SparkOnYarnMaster
from tests.engine.workload.cases import TOPOLOGY, Counter


def spark(**fields: Any) -> Counter:
    """A registered application with three executors that works for 10 s."""
    known = {"executors": 3, "executor": Size(memory_mb=2048, vcores=2), "duration_ms": (10_000, 10_000)}
    return Counter(SparkSpec(type="spark", user="ann", **(known | fields)))


def test_executors_are_asked_for_at_once_and_held() -> None:
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
    counter = spark()
    counter.call()
    counter.end(counter.give(1, count=3)[1], "PREEMPTED")

    assert [ask.count for ask in counter.call().asks] == [1]


def test_work_for_ever_never_ends() -> None:
    counter = spark(duration_ms=None)
    counter.call()
    counter.give(1, count=3)

    assert (counter.master.wake_ms, counter.call(10**9).outcome) == (0, "")


def test_an_executor_too_many_is_not_used() -> None:
    counter = spark()
    counter.call()
    counter.give(1, count=3)

    assert counter.give(1)[0] not in counter.runs


def staged(*stages: StageSpec, **fields: Any) -> Counter:
    """A registered application whose work is stages; its executors have two cores each."""
    return spark(duration_ms=None, stages=stages, **fields)


def test_stages_run_on_the_executors_cores_one_after_the_other() -> None:
    """Six tasks of 10 s on four cores take two waves; the next stage begins then, between two calls."""
    counter = staged(StageSpec(tasks=6, duration_ms=(10_500, 10_500)), StageSpec(tasks=1), executors=2)
    counter.call()
    counter.give(1, count=2)
    began_ms = counter.now_ms

    ended_ms = None
    while ended_ms is None:
        if counter.call(1000).outcome == "FINISHED":
            ended_ms = counter.now_ms

    assert 31_000 <= ended_ms - began_ms < 32_000


def test_tasks_of_a_lost_executor_are_done_again() -> None:
    """On the executors that are left, and then on the one that replaces it."""
    counter = staged(StageSpec(tasks=4, duration_ms=(10_000, 10_000)), executors=2)
    counter.call()
    first, _ = counter.give(1, count=2)
    counter.call(5000)
    counter.end(first, "LOST")
    outcomes = [counter.call(5000).outcome for _ in range(3)]

    assert outcomes == ["", "", "FINISHED"]


def test_with_waits_no_task_begins_before_the_last_executor() -> None:
    counter = staged(StageSpec(tasks=2), executors=2, waits=True)
    counter.call()
    counter.give(1)
    idle = counter.master.wake_ms
    counter.give(1)

    assert (idle, counter.master.wake_ms > 0) == (0, True)


def test_tasks_that_never_end_keep_the_application_alive() -> None:
    counter = staged(StageSpec(tasks=2, duration_ms=None))
    counter.call()
    counter.give(1, count=3)

    assert (counter.master.wake_ms, counter.call(10**9).outcome) == (0, "")


def test_a_fork_works_on_by_itself() -> None:
    counter = staged(StageSpec(tasks=2, duration_ms=(10_000, 10_000)))
    counter.call()
    counter.give(1, count=3)
    twin = fork(counter.master)

    ended = twin.call(counter.now_ms + 20_000).outcome

    assert (ended, counter.master.call(counter.now_ms + 1000).outcome) == ("FINISHED", "")


def test_work_is_a_duration_or_stages_but_not_both() -> None:
    with pytest.raises(ValidationError, match="both a duration and stages"):
        SparkSpec(
            type="spark",
            user="ann",
            executors=1,
            executor=Size(memory_mb=1024, vcores=1),
            duration_ms=(1000, 1000),
            stages=(StageSpec(tasks=1),),
        )


def test_what_it_had_before_another_attempt_is_none_of_its_own() -> None:
    counter = spark(executors=1)
    counter.call()
    (old,) = counter.give(1)
    counter.master.begin_attempt(2)
    counter.counts = {}
    counter.master.registered(counter.now_ms)
    counter.call()
    counter.end(old, "LOST")
    counter.call()
    assert counter.wanted() == {(1, "*"): 1}

    counter.give(1)
    assert counter.call(9_999).outcome == ""
    assert counter.call(1).outcome == "FINISHED"


@pytest.mark.parametrize(("duration_ms", "ends_ms"), [(0, 1), (1, 1), (2, 2)])
def test_work_takes_at_least_a_moment(duration_ms: int, ends_ms: int) -> None:
    counter = spark(executors=1, duration_ms=(duration_ms, duration_ms))
    counter.call()
    counter.give(1)

    assert counter.master.wake_ms == counter.now_ms + ends_ms


def test_an_executor_is_lost_once() -> None:
    counter = spark()
    counter.call()
    lost, *_ = counter.give(1, count=3)
    for _ in range(2):
        counter.end(lost, "LOST")
        counter.call()

    assert counter.wanted() == {(1, "*"): 1}


def test_all_its_work_is_to_be_done_before_it_begins() -> None:
    spec = SparkSpec(
        type="spark",
        user="ann",
        executors=1,
        executor=Size(memory_mb=1),
        stages=(StageSpec(tasks=3, duration_ms=(1, 1)),),
    )

    master = master_of(spec, 1, 0, TOPOLOGY, 0)

    assert isinstance(master, SparkOnYarnMaster)
    assert (master.executors, master.tasks, master.stages.pending, master.stages.running) == ({}, [], 3, 0)
