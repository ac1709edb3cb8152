"""How many cores each worker gives: the closed form, the single steps, and the laws both keep."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.java_number import INT_MAX
from engine.schedulers.spark.assignment import Want, assign
from engine.schedulers.spark.plan_steps import ExecutorPlan, WorkerSlot, WorkerStatus

WORKERS = st.lists(st.tuples(st.integers(0, 16), st.sampled_from([64, 215, 512, 1024, 2048, 4096])), max_size=8)
WANTS = st.builds(
    Want,
    st.integers(0, 60) | st.just(INT_MAX),
    st.none() | st.integers(1, 5),
    st.sampled_from([0, 64, 256, 512, 1024]),
    st.integers(0, 8) | st.just(INT_MAX),
)

TEXTBOOK = [(10, 10240), (7, 1024), (3, 2048)]
"""The usable workers of the worked tables: free cores and MB."""


def slots(workers: list[tuple[int, int]]) -> tuple[WorkerSlot, ...]:
    """Workers named by their place."""
    return tuple(WorkerSlot(f"w{place}", cores, memory_mb) for place, (cores, memory_mb) in enumerate(workers, 1))


def planned(workers: list[tuple[int, int]], want: Want, spread_out: bool) -> list[int]:
    """The assignment taken one step at a time."""
    plan = ExecutorPlan(slots(workers), want, spread_out)
    for _ in plan.steps():
        pass
    return [slot.assigned_cores for slot in plan.slots]


@given(WORKERS, WANTS, st.booleans())
def test_closed_form_equals_single_steps(workers: list[tuple[int, int]], want: Want, spread_out: bool) -> None:
    """Whole rounds computed at once give what the real rule gives step by step."""
    cores, memory_mb = [worker[0] for worker in workers], [worker[1] for worker in workers]

    assert assign(cores, memory_mb, want, spread_out) == planned(workers, want, spread_out)


@given(WORKERS, WANTS, st.booleans())
def test_nobody_gets_more_than_there_is(workers: list[tuple[int, int]], want: Want, spread_out: bool) -> None:
    """No worker gives more cores or memory than it has, and the application gets no more than it may."""
    cores, memory_mb = [worker[0] for worker in workers], [worker[1] for worker in workers]
    step = want.executor_cores or 1

    given_cores = assign(cores, memory_mb, want, spread_out)

    executors = [(got // step if want.executor_cores else int(got > 0)) for got in given_cores]
    assert all(got <= here for got, here in zip(given_cores, cores, strict=True))
    assert all(count * want.memory_mb <= here for count, here in zip(executors, memory_mb, strict=True) if count)
    assert sum(given_cores) <= want.cores_left
    assert sum(executors) <= want.executors_left
    assert all(got % step == 0 for got in given_cores)


@pytest.mark.parametrize(
    ("want", "spread_out", "cores"),
    [
        (Want(12, 2, 512), True, [6, 4, 2]),
        (Want(12, 2, 512), False, [10, 2, 0]),
        (Want(12, None, 512), True, [5, 4, 3]),
        (Want(14, None, 512), True, [6, 5, 3]),
        (Want(12, None, 512), False, [10, 2, 0]),
        (Want(INT_MAX, 2, 512), True, [10, 4, 2]),
        (Want(16, None, 512, 2), True, [9, 7, 0]),
        (Want(13, 2, 512), True, [6, 4, 2]),
    ],
)
def test_worked_tables(want: Want, spread_out: bool, cores: list[int]) -> None:
    """Textbook cases: executors of two cores, one executor each, a limit of two, a remainder that is never given."""
    free = [worker[0] for worker in TEXTBOOK]
    free_mb = [worker[1] for worker in TEXTBOOK]

    assert assign(free, free_mb, want, spread_out) == cores


def test_steps_tell_who_got_the_next_cores() -> None:
    """Spreading out goes round the workers, and a worker that cannot give more is passed over."""
    plan = ExecutorPlan(slots(TEXTBOOK), Want(12, 2, 512), spread_out=True)

    steps = list(plan.steps())

    assert [(step.round, step.position) for step in steps] == [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (3, 0)]
    assert [step.cores_left for step in steps] == [10, 8, 6, 4, 2, 0]


def test_steps_tell_why_the_others_did_not() -> None:
    """After each step every worker stands open or has one reason."""
    plan = ExecutorPlan(slots(TEXTBOOK), Want(14, 2, 512), spread_out=True)

    standings = [step.standings for step in plan.steps()]

    assert standings[0] == (WorkerStatus.OPEN, WorkerStatus.OPEN, WorkerStatus.OPEN)
    assert standings[2] == (WorkerStatus.OPEN, WorkerStatus.OPEN, WorkerStatus.NO_CORES)
    assert standings[4] == (WorkerStatus.OPEN, WorkerStatus.NO_MEMORY, WorkerStatus.NO_CORES)
    assert standings[6] == (WorkerStatus.CORES_ASSIGNED,) * 3


def test_an_executor_limit_stops_opening_but_not_growing() -> None:
    """With one executor for each worker, those already open go on growing."""
    plan = ExecutorPlan(slots(TEXTBOOK), Want(16, None, 512, 2), spread_out=True)

    steps = list(plan.steps())

    assert steps[1].standings == (WorkerStatus.OPEN, WorkerStatus.OPEN, WorkerStatus.EXECUTOR_LIMIT)
    assert [slot.assigned_executors for slot in plan.slots] == [1, 1, 0]
