"""How many executors an application wants as its tasks wait, and which it gives back."""

from typing import Any

import pytest

from engine.scenario import DynamicAllocation, ExecutorTotal
from engine.workload.spark import NEVER, ExecutorAllocation, TaskCounts

NOW_MS = 100_000
SECOND_MS = 1_000


def allocation(pending: int = 0, slots: int = 1, **fields: Any) -> ExecutorAllocation:
    """One that began at 100 s with so many tasks waiting."""
    made = ExecutorAllocation(DynamicAllocation(**fields), slots)
    made.begin(TaskCounts(pending, 0), NOW_MS)
    return made


def totals(*pairs: tuple[int, int]) -> tuple[ExecutorTotal, ...]:
    return tuple(ExecutorTotal(at_ms=at_ms, executors=executors) for at_ms, executors in pairs)


@pytest.mark.parametrize(("initial", "least", "target"), [(0, 0, 0), (3, 0, 3), (3, 5, 5), (5, 3, 5)])
def test_the_first_target_is_the_initial_one_or_the_least(initial: int, least: int, target: int) -> None:
    assert allocation(initial=initial, least=least).target == target


@pytest.mark.parametrize(
    ("needed", "grown"), [(100, [0, 1, 3, 7, 15, 31, 63, 100, 100]), (3, [0, 1, 3, 3]), (4, [0, 1, 3, 4, 4])]
)
def test_the_target_doubles_its_growth_while_tasks_wait(needed: int, grown: list[int]) -> None:
    made, found = allocation(needed), []
    for second in range(len(grown)):
        made.adjust(TaskCounts(needed, 0), NOW_MS + second * SECOND_MS)
        found.append(made.target)

    assert found == grown


@pytest.mark.parametrize(("sustained_ms", "again_ms"), [(None, 1_000), (250, 250), (0, 1)])
def test_later_time_outs_may_be_shorter(sustained_ms: int | None, again_ms: int) -> None:
    made = allocation(9, sustained_ms=sustained_ms)

    made.adjust(TaskCounts(9, 0), NOW_MS + SECOND_MS)

    assert made.add_ms == NOW_MS + SECOND_MS + again_ms


@pytest.mark.parametrize(
    ("late_ms", "next_ms", "target"),
    [(0, 2_000, 1), (1, 2_000, 0), (999, 2_000, 0), (1_000, 3_000, 1), (1_001, 3_000, 0)],
)
def test_a_time_out_that_was_missed_is_had_at_the_next(late_ms: int, next_ms: int, target: int) -> None:
    made = allocation(9)
    made.add = 4 if late_ms else 1

    made.adjust(TaskCounts(9, 0), NOW_MS + SECOND_MS + late_ms)

    assert (made.target, made.add_ms) == (target, NOW_MS + next_ms)


@pytest.mark.parametrize(
    ("pending", "running", "slots", "ratio", "needed"),
    [(3, 0, 1, 1.0, 3), (2, 1, 2, 1.0, 2), (0, 5, 2, 1.0, 3), (4, 0, 1, 0.5, 2), (5, 0, 1, 0.5, 3), (5, 0, 2, 0.5, 2)],
)
def test_the_target_falls_to_what_tasks_need(pending: int, running: int, slots: int, ratio: float, needed: int) -> None:
    """At once, to the executors for those that run or wait, rounded up; growth begins anew."""
    made = allocation(slots=slots, ratio=ratio, initial=9)
    made.add = 8

    made.adjust(TaskCounts(pending, running), NOW_MS + 1)

    assert (made.target, made.add) == (needed, 1)


@pytest.mark.parametrize(
    ("target", "least", "live", "spare"), [(2, 0, 5, 3), (2, 4, 5, 1), (5, 0, 5, 0), (6, 0, 5, 0), (0, 0, 5, 5)]
)
def test_executors_beyond_target_and_least_are_spare(target: int, least: int, live: int, spare: int) -> None:
    made = allocation(least=least)
    made.target = target

    assert made.spare(live) == spare


def test_idle_executors_are_kept_for_their_time() -> None:
    """With cached blocks another one, or for ever; with shuffle data while the job runs, where nobody else has it."""
    idle = {1: NOW_MS, 2: NOW_MS + 5, 3: NOW_MS}
    made = allocation(idle_ms=60)
    assert made.idle_until(idle) == {1: NOW_MS + 60, 2: NOW_MS + 65, 3: NOW_MS + 60}
    assert made.idle_until(idle, cached=(1,), shuffled=(2,)) == {2: NOW_MS + 65, 3: NOW_MS + 60}

    made = allocation(idle_ms=60, cached_idle_ms=90, shuffle="tracking")
    assert made.idle_until(idle, cached=(1,), shuffled=(2,)) == {1: NOW_MS + 90, 3: NOW_MS + 60}

    made = allocation(idle_ms=60, shuffle="tracking", shuffle_timeout_ms=90)
    assert made.idle_until(idle, cached=(1,), shuffled=(1, 2)) == {1: NOW_MS + 90, 2: NOW_MS + 95, 3: NOW_MS + 60}
    assert made.idle_until(idle, shuffled=(1, 2), shuffling=(2,)) == {1: NOW_MS + 90, 3: NOW_MS + 60}


def test_a_logs_totals_are_the_target_until_the_last() -> None:
    """Each from its instant on; meanwhile idle executors beyond it go at once, and the least does not matter."""
    made = allocation(9, totals=totals((0, 4), (500, 2), (900, 7)), least=3, initial=1)
    assert (made.target, made.add_ms) == (4, NEVER)
    assert made.next_ms(TaskCounts(9, 0), {}, 0, NOW_MS) == NOW_MS + 500
    assert made.idle_until({1: NOW_MS + 3}, cached=(1,)) == {1: NOW_MS + 3}

    made.adjust(TaskCounts(9, 0), NOW_MS + 499)
    assert made.target == 4
    made.adjust(TaskCounts(9, 0), NOW_MS + 500)
    assert (made.target, made.spare(4)) == (2, 2)

    made.adjust(TaskCounts(9, 0), NOW_MS + 900)
    assert (made.target, made.add_ms) == (7, NOW_MS + 900 + SECOND_MS)
    assert (made.spare(9), made.idle_until({1: NOW_MS})) == (2, {1: NOW_MS + 60_000})
