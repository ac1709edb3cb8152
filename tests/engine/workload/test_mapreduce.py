"""A MapReduce job: locality, retries, recovery, and attempts that fail or hang."""

from typing import Any

import pytest

from engine.scenario import JobSpec, MapReduceSpec, Size, StageSpec, TezSpec
from engine.workload.master import HELD, REGISTERED, WAITING, Lifespan
from tests.engine.workload.cases import Counter

MAP, REDUCE, MAP_AGAIN = 20, 10, 5
"""Priorities of a MapReduce application master's asks."""
STARVED_MS = 300_000


def job(seed: int = 0, **fields: Any) -> Counter:
    """A registered job whose maps run 10 s and reduces 20 s; `fields` are those of its specification."""
    known = {"maps": 4, "map_duration_ms": (10_000, 10_000), "reduce_duration_ms": (20_000, 20_000)}
    return Counter(MapReduceSpec(type="mapreduce", user="ann", **(known | fields)), seed)


def test_maps_are_asked_for_near_their_blocks() -> None:
    counter = job(blocks=(("h1", "h2"), ("h2", "h3")))
    counter.call()

    assert counter.counts == {
        (MAP, "h1"): 2,
        (MAP, "h2"): 4,
        (MAP, "h3"): 2,
        (MAP, "/r1"): 4,
        (MAP, "/r2"): 2,
        (MAP, "*"): 4,
    }


def test_a_container_gets_a_map_of_its_host_then_of_its_rack_then_any() -> None:
    counter = job(maps=3, blocks=(("h3",), ("h2",), ("h1",)))
    counter.call()
    containers = [*counter.give(MAP, "h1"), *counter.give(MAP, "h1"), *counter.give(MAP, "h1")]
    counter.call()
    master: Any = counter.master

    assert [master.running[container][0] for container in containers] == [2, 1, 0]
    assert counter.wanted() == {}


def test_durations_given_are_dealt_out_in_turn() -> None:
    master: Any = job(maps=3, reduces=2, map_durations_ms=(5, 6), reduce_durations_ms=(7,)).master
    drawn: Any = job(maps=1, reduces=1, reduce_durations_ms=(7,)).master

    assert master.tasks.duration_ms == (5, 6, 5, 7, 7)
    assert drawn.tasks.duration_ms == (10_000, 7)


@pytest.mark.parametrize("cause", ["FAILED", "PREEMPTED", "LOST"])
def test_a_lost_map_is_asked_for_again_anywhere(cause: str) -> None:
    counter = job(maps=1, blocks=(("h1",),))
    counter.call()
    counter.end(counter.give(MAP)[0], cause)
    counter.call()

    assert counter.wanted() == {(MAP_AGAIN, "*"): 1}


def test_four_failures_of_one_task_fail_the_job() -> None:
    counter = job(maps=1)
    counter.call()
    counter.end(counter.give(MAP)[0], "PREEMPTED")
    counter.call()
    outcomes = []
    for _ in range(4):
        counter.end(counter.give(MAP_AGAIN)[0], "FAILED")
        call = counter.call()
        outcomes.append((call.outcome, call.detail))

    assert outcomes == [("", "")] * 3 + [("FAILED", "task 0 failed 4 times")]


def test_drawn_failures_end_half_way() -> None:
    """An attempt that is to fail runs half its time and ends badly; the share of them is the one written."""
    counter = job(maps=400, failures=0.25)
    counter.call()
    containers = counter.give(MAP, count=400)
    bad = [container for container in containers if counter.master.exit_status(container)]

    assert {counter.runs[container] for container in bad} == {5000}
    assert {counter.runs[container] for container in containers if container not in bad} == {10_000}
    assert 70 < len(bad) < 130


def test_completed_tasks_survive_the_master() -> None:
    counter = job(maps=4)
    counter.call()
    done, _ = counter.give(MAP, count=2)
    counter.end(done)
    counter.call()

    counter.master.move(WAITING)
    counter.master.begin_attempt(2)
    counter.master.stage = REGISTERED
    counter.master.registered(counter.now_ms)
    counter.counts.clear()
    counter.call()

    assert counter.counts == {(MAP, "*"): 3}


@pytest.mark.parametrize(("timeout_ms", "runs_ms"), [(600_000, 605_000), (20_000, 25_000), (0, HELD)])
def test_attempts_that_hang_fail_after_the_time_out(timeout_ms: int, runs_ms: int) -> None:
    """Counted from half-way, with a bad exit status; without a time-out they hang for ever."""
    span, seed = (10_000, 10_000), next(each for each in range(100) if hanging(each) == {0: 1})
    counter = job(seed, maps=1, map_duration_ms=span, hangs=0.5, task_timeout_ms=timeout_ms)
    [first] = counter.give(MAP)
    assert (counter.runs[first], counter.master.exit_status(first)) == (runs_ms, 1)
    counter.end(first, "FAILED")
    counter.call()

    [second] = counter.give(MAP_AGAIN)

    assert (counter.runs[second], counter.master.exit_status(second)) == (10_000, 0)


def hanging(seed: int) -> dict[int, int]:
    master: Any = job(seed, maps=1, hangs=0.5).master
    return dict(master.tasks.hanging)


@pytest.mark.parametrize(("now_ms", "wake_ms"), [(0, 1), (1, 1), (2, 2), (9, 9)])
def test_a_job_that_has_no_map_to_wait_for_calls_at_once(now_ms: int, wake_ms: int) -> None:
    counter = job(maps=0, reduces=1)
    counter.master.registered(now_ms)
    assert counter.master.wake_ms == wake_ms

    counter = job(maps=1)
    counter.master.registered(now_ms)
    assert counter.master.wake_ms == 0


# Reduces of a MapReduce job: when they are asked for, how long they run, and when one gives way to a map.


def test_reduces_wait_for_slow_start() -> None:
    """Half of the maps have to be done, then at most half of the reduces are asked for while maps wait."""
    counter = job(reduces=6, slow_start=0.5)
    counter.call()
    first, second, *_ = counter.give(MAP, count=3)
    counter.end(first)
    counter.call()
    before = (REDUCE, "*") in counter.counts

    counter.end(second)
    counter.call()

    assert (before, counter.counts[REDUCE, "*"]) == (False, 3)


def test_all_reduces_are_asked_for_once_every_map_has_a_container() -> None:
    counter = job(reduces=6, slow_start=0.5)
    counter.call()
    containers = counter.give(MAP, count=4)
    counter.end(containers[0])
    counter.end(containers[1])
    counter.call()

    assert counter.counts[REDUCE, "*"] == 6


def test_a_reduce_shuffles_until_the_last_map_has_ended() -> None:
    counter = job(maps=2, reduces=1, slow_start=0.0)
    counter.call()
    maps = counter.give(MAP, count=2)
    reduce = counter.give(REDUCE)[0]
    assert counter.runs[reduce] == HELD

    for container in maps:
        counter.end(container)
    call = counter.call()

    assert [(end.container, end.at_ms - counter.now_ms) for end in call.ends] == [(reduce, 20_000)]


def test_a_map_that_starves_behind_the_jobs_own_reduces_gets_one_of_their_places() -> None:
    counter = job(maps=2, reduces=2, slow_start=0.0)
    counter.call()
    first, _ = counter.give(MAP, count=2)
    reduces = counter.give(REDUCE, count=2)
    counter.end(first, "LOST")
    counter.call()
    assert counter.master.wake_ms > counter.now_ms

    call = counter.call(after_ms=STARVED_MS)

    assert call.releases == (reduces[1],)
    assert counter.wanted() == {(MAP_AGAIN, "*"): 1}

    counter.give(MAP_AGAIN)
    counter.call()
    assert counter.wanted() == {(REDUCE, "*"): 1}


@pytest.mark.parametrize(("completed", "due"), [(0, 0), (1, 0), (2, 2), (3, 3), (5, 5), (6, 5), (8, 5)])
def test_reduces_ramp_up_with_the_maps_that_are_done(completed: int, due: int) -> None:
    counter = job(maps=10, reduces=10, slow_start=0.2)
    counter.call()
    for container in counter.give(MAP, count=completed):
        counter.end(container)
    counter.call()

    assert counter.wanted().get((REDUCE, "*"), 0) == due


# Tez: containers that are used again, given back when idle, and a session that ends when no DAG comes.


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
