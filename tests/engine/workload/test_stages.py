"""Tasks on executors: who takes which, what is lost, when a stage begins."""

from engine.fork import fork
from engine.scenario import StageSpec
from engine.workload.stages import FOREVER, Stages


def stages(*specs: StageSpec) -> Stages:
    return Stages(specs, 7, 0)


def ten_seconds(tasks: int, **more: object) -> StageSpec:
    return StageSpec.model_validate({"tasks": tasks, "duration_ms": (10_000, 10_000), **more})


def test_tasks_are_dealt_round_robin() -> None:
    """One for each free core and round, in order of executor, until no core is free."""
    work = stages(ten_seconds(9))
    work.join(1, "b", 1)
    work.join(0, "a", 3)

    starts = work.hand_out()

    assert [(start.executor, start.task) for start in starts] == [(0, 0), (1, 1), (0, 2), (0, 3)]
    assert (work.pending, work.running, work.busy(0), work.busy(9)) == (5, 4, 3, 0)


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


def test_a_task_may_run_for_ever() -> None:
    work = stages(StageSpec(tasks=1, duration_ms=None, hosts=(("a",),), away=2.0))
    work.join(0, "b", 1)

    assert [start.duration_ms for start in work.hand_out()] == [FOREVER]


def test_without_stages_nothing_is_ever_done() -> None:
    work = stages()
    work.join(0, "a", 1)

    assert (work.hand_out(), work.is_done) == ([], False)


def test_durations_hang_on_seed_application_and_stage() -> None:
    spec = StageSpec(tasks=5, duration_ms=(1_000, 90_000))
    spans = [Stages([spec], 7, seed).chains[0].spans for seed in (1, 1, 2)]

    assert spans[0] == spans[1] != spans[2]


def test_a_copy_goes_its_own_way() -> None:
    """Ending a task and losing an executor in the original leaves the copy as it was."""
    work = stages(ten_seconds(2))
    work.join(0, "a", 2)
    starts = work.hand_out()

    copy = fork(work)
    work.end(starts[0].task, starts[0].turn)
    work.leave(0)

    assert (copy.running, copy.busy(0), copy.pending) == (2, 2, 0)
    assert all(copy.end(start.task, start.turn) for start in starts)


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


def test_a_job_that_has_ended_leaves_the_others() -> None:
    work = stages(ten_seconds(1, caches=True))
    work.add((ten_seconds(1),), 7, 1)
    work.join(0, "a", 1)
    (first,) = work.hand_out()
    assert [work.caches(first.task), work.caches(1), work.caches(9)] == [True, False, False]

    work.end(first.task, first.turn)
    assert (len(work.chains), work.is_done, work.busy(0)) == (1, False, 0)
    (second,) = work.hand_out()
    work.end(second.task, second.turn)
    assert (len(work.chains), work.is_done, work.running) == (1, True, 0)

    assert not work.end(second.task, second.turn)
    assert work.busy(0) == 0


def test_every_try_has_a_number_of_its_own() -> None:
    work = stages(ten_seconds(3))
    work.join(0, "a", 2)
    turns = [start.turn for start in work.hand_out()]
    work.leave(0)
    work.join(1, "b", 9)

    assert turns + [start.turn for start in work.hand_out()] == [1, 2, 3, 4, 5]


def test_an_executor_without_a_core_runs_one_task_at_a_time() -> None:
    work = stages(ten_seconds(3))
    work.join(0, "a", 0)
    work.join(1, "b", 1)

    assert [start.executor for start in work.hand_out()] == [0, 1]
    assert [work.busy(executor) for executor in (0, 1)] == [1, 1]


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
