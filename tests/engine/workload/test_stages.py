"""Tasks on executors: who takes which, what is lost, when a stage begins."""

from engine.scenario import StageSpec
from engine.workload.stages import Stages


def stages(*specs: StageSpec) -> Stages:
    return Stages(specs, 7, 0)


def ten_seconds(tasks: int, **more: object) -> StageSpec:
    return StageSpec.model_validate({"tasks": tasks, "duration_ms": (10_000, 10_000), **more})


def test_a_stage_begins_when_the_one_before_has_ended() -> None:
    """Not with its last task's start, but with its end; after the last all is done."""
    work = stages(ten_seconds(1), ten_seconds(2))
    work.join(0, "a", 4)
    (only,) = work.hand_out()

    assert work.hand_out() == []
    assert work.end(only.task, only.turn)
    second = work.hand_out()
    assert [start.task for start in second] == [0, 1]
    assert [work.end(start.task, start.turn) for start in second] == [True, True]
    assert work.is_done


def test_what_a_lost_executor_was_doing_is_done_again() -> None:
    """The end of the earlier try counts no more; losing an unknown executor is nothing."""
    work = stages(ten_seconds(1))
    work.join(0, "a", 1)
    work.join(1, "b", 1)
    (first,) = work.hand_out()

    work.leave(first.executor)
    work.leave(9)
    (second,) = work.hand_out()

    assert (first.executor, second.executor) == (0, 1)
    assert not work.end(first.task, first.turn)
    assert work.end(second.task, second.turn)


def test_a_task_beside_its_input_comes_first() -> None:
    """An executor takes what lies on its host, else the first of all, which takes longer there."""
    work = stages(ten_seconds(3, hosts=(("a",), ("b",)), away=2.5))
    work.join(0, "b", 3)

    starts = work.hand_out()

    assert [(start.task, start.duration_ms) for start in starts] == [(1, 10_000), (0, 25_000), (2, 25_000)]


def test_jobs_side_by_side_share_the_executors_and_the_earlier_comes_first() -> None:
    """A stage of the earlier job that begins later still goes before tasks of the later job that wait."""
    work = stages(ten_seconds(1), ten_seconds(1))
    work.add((ten_seconds(3),), 7, 1)
    work.join(0, "a", 2)

    first, other = work.hand_out()
    assert (first.task, other.task, work.pending) == (0, 1, 2)
    assert work.end(first.task, first.turn)
    (second,) = work.hand_out()
    assert (second.task, work.pending) == (4, 2)
    work.leave(0)
    assert (work.pending, work.running) == (4, 0)
    work.join(1, "b", 4)
    again = work.hand_out()
    assert [each.task for each in again] == [4, 2, 3, 1]
    assert not work.end(second.task, second.turn)
    assert all(work.end(each.task, each.turn) for each in again)
    assert work.is_done


def test_tasks_of_a_stage_wait_by_the_hosts_of_their_input() -> None:
    """Hosts are dealt out in turn; one that was lost is found there again."""
    work = stages(ten_seconds(4, hosts=(("a", "b"), ("c",)), away=2.0))
    work.join(0, "c", 2)
    starts = work.hand_out()
    assert [(start.task, start.duration_ms) for start in starts] == [(1, 10_000), (3, 10_000)]

    work.leave(0)
    work.join(1, "b", 2)
    work.join(2, "c", 2)
    assert [(start.executor, start.task) for start in work.hand_out()] == [(1, 0), (2, 3), (1, 2), (2, 1)]
