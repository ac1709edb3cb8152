"""The plan of one Spark application step by step: who gets the next cores, and why each of the others does not."""

import pytest

from engine.model.java_number import INT_MAX
from engine.schedulers.spark.assignment import Want, assign
from engine.schedulers.spark.plan_steps import ExecutorPlan, PlanStep, WorkerSlot, WorkerStatus

OPEN, DONE = WorkerStatus.OPEN, WorkerStatus.CORES_ASSIGNED
NO_CORES, NO_MEMORY, LIMIT = WorkerStatus.NO_CORES, WorkerStatus.NO_MEMORY, WorkerStatus.EXECUTOR_LIMIT


def want(cores: int, each: int | None = 2, memory_mb: int = 1024, executors: int = INT_MAX) -> Want:
    """So many cores in executors of two, with 1 GB, however many."""
    return Want(cores_left=cores, executor_cores=each, memory_mb=memory_mb, executors_left=executors)


def standings(wanted: Want, *slots: tuple[int, int]) -> list[WorkerStatus]:
    """Of workers with so many cores and so much memory free, at the beginning."""
    plan = ExecutorPlan([WorkerSlot(f"w{number}", *slot) for number, slot in enumerate(slots, 1)], wanted, True)
    return list(plan.standings())


@pytest.mark.parametrize(
    ("wanted", "slot", "status"),
    [
        (want(2), (2, 1024), OPEN),
        (want(1), (2, 1024), DONE),
        (want(0), (2, 1024), DONE),
        (want(2), (2, 1023), NO_MEMORY),
        (want(1, None), (1, 1024), OPEN),
        (want(1, None), (1, 1023), NO_MEMORY),
        (want(2, executors=0), (2, 1024), LIMIT),
        (want(2, executors=1), (2, 1024), OPEN),
    ],
)
def test_a_worker_is_open_where_one_more_helping_fits(
    wanted: Want, slot: tuple[int, int], status: WorkerStatus
) -> None:
    """In cores, in memory, and in executors."""
    assert standings(wanted, slot) == [status]


def test_what_a_worker_lacks_is_told_of_each() -> None:
    """Cores before memory; no plan has more cores than there are."""
    assert standings(want(9), (2, 1024), (1, 1024), (2, 0), (1, 0)) == [OPEN, NO_CORES, NO_MEMORY, NO_CORES]
    assert ExecutorPlan([WorkerSlot("w1", 3, 1024), WorkerSlot("w2", 4, 1024)], want(9), True).cores_left == 7
    assert ExecutorPlan([WorkerSlot("w1", 3, 1024), WorkerSlot("w2", 4, 1024)], want(6), True).cores_left == 6


TWO = (WorkerSlot("w1", 4, 2048), WorkerSlot("w2", 2, 1024))


def test_each_step_gives_one_helping_and_tells_what_is_left() -> None:
    """Spread out, workers take turns; each helping of a fixed size is an executor."""
    plan = ExecutorPlan(TWO, want(6), spread_out=True)
    full = WorkerSlot("w2", 0, 0, 2, 1)
    assert list(plan.steps()) == [
        PlanStep(1, 1, 0, (WorkerSlot("w1", 2, 1024, 2, 1), TWO[1]), (OPEN, OPEN), 4),
        PlanStep(2, 1, 1, (WorkerSlot("w1", 2, 1024, 2, 1), full), (OPEN, NO_CORES), 2),
        PlanStep(3, 2, 0, (WorkerSlot("w1", 0, 0, 4, 2), full), (DONE, DONE), 0),
    ]
    assert (plan.cores_left, plan.slots) == (0, (WorkerSlot("w1", 0, 0, 4, 2), full))


def test_one_executor_takes_all_cores_where_it_has_no_size() -> None:
    """A core a helping; its memory is taken once; packed, a worker is filled first."""
    plan = ExecutorPlan(TWO, want(3, None), spread_out=True)
    steps = [(step.round, step.position, step.cores_left, step.slots[step.position]) for step in plan.steps()]
    assert steps == [
        (1, 0, 2, WorkerSlot("w1", 3, 1024, 1, 1)),
        (1, 1, 1, WorkerSlot("w2", 1, 0, 1, 1)),
        (2, 0, 0, WorkerSlot("w1", 2, 1024, 2, 1)),
    ]
    packed = [(step.round, step.position) for step in ExecutorPlan(TWO, want(5, None), spread_out=False).steps()]
    assert packed == [(1, 0)] * 4 + [(1, 1)]


@pytest.mark.parametrize(("executors", "given"), [(0, []), (1, [0]), (2, [0, 1]), (3, [0, 1, 0]), (4, [0, 1, 0])])
def test_no_more_executors_than_asked_for(executors: int, given: list[int]) -> None:
    """Of all workers together; there is room for three."""
    plan = ExecutorPlan(TWO, want(9, executors=executors), spread_out=True)
    assert [step.position for step in plan.steps()] == given


@pytest.mark.parametrize("spread_out", [True, False])
@pytest.mark.parametrize("each", [None, 1, 2, 3])
@pytest.mark.parametrize("cores", [0, 1, 4, 7, 99])
@pytest.mark.parametrize("executors", [0, 1, 3, INT_MAX])
def test_a_plan_ends_where_the_rule_at_once_ends(
    spread_out: bool, each: int | None, cores: int, executors: int
) -> None:
    """The steps are the same rule told slowly."""
    slots = [WorkerSlot("w1", 5, 4096), WorkerSlot("w2", 3, 1024), WorkerSlot("w3", 8, 2048)]
    wanted = want(cores, each, executors=executors)
    plan = ExecutorPlan(slots, wanted, spread_out)
    for _ in plan.steps():
        pass
    at_once = assign([one.cores_free for one in slots], [one.memory_free_mb for one in slots], wanted, spread_out)
    assert [slot.assigned_cores for slot in plan.slots] == list(at_once)
