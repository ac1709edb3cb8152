"""Records of a Spark Master's passes: which are kept, and what gave somebody something."""

import pytest

from engine.schedulers.spark.assignment import Want
from engine.schedulers.spark.pass_record import PassRecord, PassRecorder, PlanRecord
from engine.schedulers.spark.plan_steps import ExecutorPlan, WorkerSlot

SLOTS = (WorkerSlot("w1", 4, 4096), WorkerSlot("w2", 4, 4096))
WANT = Want(cores_left=6, executor_cores=2, memory_mb=1024)


def plan(*cores: int, spread_out: bool = True) -> PlanRecord:
    """A plan that gives so many cores on each worker."""
    return PlanRecord(1, 0, WANT, spread_out, SLOTS, (), cores)


def record(time_ms: int, *plans: PlanRecord, drivers: tuple[tuple[int, str], ...] = ()) -> PassRecord:
    """A pass at an instant."""
    return PassRecord(time_ms, "registered", drivers, plans)


@pytest.mark.parametrize(
    ("one", "gave"),
    [
        (record(1), False),
        (record(1, plan()), False),
        (record(1, plan(0, 0)), False),
        (record(1, plan(0, 1)), True),
        (record(1, plan(0, 0), plan(1, 0)), True),
        (record(1, drivers=((0, "w1"),)), True),
    ],
)
def test_a_pass_gave_something_where_anything_was_started(one: PassRecord, gave: bool) -> None:
    """An executor or a driver."""
    assert one.gave == gave


@pytest.mark.parametrize(("keep", "times"), [(1, [4]), (2, [3, 4]), (9, [0, 1, 2, 3, 4])])
def test_the_latest_passes_are_kept(keep: int, times: list[int]) -> None:
    """Oldest first."""
    recorder = PassRecorder(keep)
    for time_ms in range(5):
        recorder.add(record(time_ms))
    assert [each.time_ms for each in recorder.records] == times


def test_a_recorder_keeps_one_pass_unless_told() -> None:
    """Whatever it gave; of another those alone that gave something."""
    plain, chosen = PassRecorder(), PassRecorder(3, only_given=True)
    for recorder in (plain, chosen):
        recorder.add(record(1, plan(2, 2)))
        recorder.add(record(2, plan(0, 0)))
    assert [each.time_ms for each in plain.records] == [2]
    assert [each.time_ms for each in chosen.records] == [1]


@pytest.mark.parametrize("spread_out", [True, False])
def test_a_record_tells_its_steps_again(spread_out: bool) -> None:
    """As the plan took them."""
    steps = list(plan(4, 2, spread_out=spread_out).steps())
    assert steps == list(ExecutorPlan(SLOTS, WANT, spread_out).steps())
    assert sum(slot.assigned_cores for slot in steps[-1].slots) == 6
