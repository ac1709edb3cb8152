"""Tez: containers that are used again, given back when idle, and a session that ends when no DAG comes."""

from typing import Any

import pytest

from engine.scenario import JobSpec, Size, StageSpec, TezSpec
from engine.workload.master import Lifespan
from tests.engine.workload.cases import Counter


def dag(tasks: int = 2, seconds: int = 10, at_ms: int = 0) -> JobSpec:
    return JobSpec(at_ms=at_ms, stages=(StageSpec(tasks=tasks, duration_ms=(seconds * 1000, seconds * 1000)),))


def tez(*dags: JobSpec, **fields: Any) -> Counter:
    """A registered application; what is idle goes after exactly 5 s."""
    known = {"container": Size(memory_mb=2048), "idle_release_ms": (5_000, 5_000)}
    return Counter(TezSpec(type="tez", user="ann", dags=dags or (dag(),), **(known | fields)))


def counts(counter: Counter, calls: int) -> list[int]:
    """The counts asked for in so many calls, one a second."""
    return [ask.count for _ in range(calls) for ask in counter.call().asks]


def released(counter: Counter, calls: int) -> list[tuple[int, int]]:
    """(second counted from here, containers released) of so many calls."""
    found = [(second, len(counter.call().releases)) for second in range(1, calls + 1)]
    return [(second, number) for second, number in found if number]


def test_a_container_takes_the_next_task_and_its_ask_is_withdrawn() -> None:
    counter = tez(dag(4))
    counter.call()
    counter.give(1, count=2)

    assert counts(counter, 10) == [0]
    assert counter.master.lifespan().jobs_done == 0
    counter.call(10_000)
    assert counter.master.lifespan().jobs_done == 1


def test_a_session_keeps_containers_between_dags() -> None:
    counter = tez(dag(3), held=1)
    counter.call()
    counter.give(1, count=3)

    assert released(counter, 60) == [(15, 2)]
    assert counter.master.lifespan() == Lifespan("session", 1, 1, counter.now_ms - 50_000, 1)


@pytest.mark.parametrize(("timeout_ms", "outcome"), [(20_000, "FINISHED"), (None, "")])
def test_a_session_ends_when_no_dag_came_for_its_time_out(timeout_ms: int | None, outcome: str) -> None:
    counter = tez(dag(1), session_timeout_ms=timeout_ms)
    counter.call()
    counter.give(1)
    counter.call(10_000)

    assert counter.call(19_000).outcome == ""
    assert counter.call(1_000).outcome == outcome


def test_without_a_session_it_ends_with_its_last_dag() -> None:
    counter = tez(dag(1), dag(1, at_ms=30_000), session=False)
    counter.call()
    counter.give(1)

    assert counter.call(12_000).outcome == ""
    counter.call(20_000)
    counter.give(1)
    assert counter.call(10_000).outcome == "FINISHED"
    assert counter.master.lifespan().kind == "job"


def test_a_lost_container_s_task_is_asked_for_again() -> None:
    counter = tez(dag(2))
    counter.call()
    counter.end(counter.give(1, count=2)[0], "LOST")

    assert counts(counter, 1) == [1]


def test_another_attempt_does_not_repeat_dags_that_ended() -> None:
    counter = tez(dag(1), dag(1, at_ms=15_000), idle_release_ms=None)
    counter.call()
    counter.give(1)
    counter.call(16_000)
    assert counter.master.lifespan().jobs_done == 1

    counter.master.restart()
    counter.master.registered(counter.now_ms)

    assert counter.master.lifespan().jobs_done == 1
    assert [ask.count for ask in counter.call().asks] == [1]


def test_containers_that_came_idle_first_go_first() -> None:
    """Each after its own time, drawn for it; those that are held are the last."""
    counter = tez(dag(2, seconds=10), idle_release_ms=(1_000, 90_000), held=1)
    counter.call()
    counter.give(1, count=2)
    counter.call(10_000)

    due = counter.master.wake_ms - counter.now_ms
    assert 1_000 <= due <= 90_000
    assert counter.call(due - 1).releases == ()
    assert len(counter.call(1).releases) == 1
