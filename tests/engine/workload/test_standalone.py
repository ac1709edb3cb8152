"""What a Spark driver wishes of the Master."""

from typing import Any

from engine.scenario import JobSpec, StageSpec
from engine.workload.stages import NEVER, Stages, SuccessiveJobs

# Tasks on executors: who takes which, what is lost, when a stage begins.


def stages(*specs: StageSpec) -> Stages:
    return Stages(specs, 7, 0)


def ten_seconds(tasks: int, **more: object) -> StageSpec:
    return StageSpec.model_validate({"tasks": tasks, "duration_ms": (10_000, 10_000), **more})


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


# Jobs one after another on the executors of one application.

BEGAN_MS = 1_000


def job(tasks: int = 1, at_ms: int = 0, duration_ms: int | None = 100, **more: Any) -> JobSpec:
    span = None if duration_ms is None else (duration_ms, duration_ms)
    overlaps = more.pop("overlaps", False)
    return JobSpec(at_ms=at_ms, stages=(StageSpec(tasks=tasks, duration_ms=span, **more),), overlaps=overlaps)


def begun(*specs: JobSpec, executors: int = 1, reuses: bool = True) -> SuccessiveJobs:
    """Jobs whose application began at 1000 ms with so many executors of one core."""
    jobs = SuccessiveJobs(specs, 7, 0, reuses=reuses)
    jobs.begin(BEGAN_MS)
    for executor in range(executors):
        jobs.join(executor, f"h{executor}", 1, BEGAN_MS)
    return jobs


def test_a_job_begins_at_its_instant() -> None:
    """Not a moment before; its tasks wait for executors, and end by their spans."""
    jobs = begun(job(2, at_ms=50), executors=0)
    jobs.advance(BEGAN_MS + 49)
    assert (jobs.pending, jobs.opened) == (0, 0)

    jobs.advance(BEGAN_MS + 50)
    assert (jobs.pending, jobs.running, jobs.opened, jobs.opened_ms) == (2, 0, 1, BEGAN_MS + 50)
    assert (jobs.rested_ms, jobs.next_ms()) == (NEVER, NEVER)

    jobs.join(3, "h", 1, BEGAN_MS + 60)
    assert (jobs.pending, jobs.running, jobs.next_ms()) == (1, 1, BEGAN_MS + 160)
    jobs.advance(BEGAN_MS + 159)
    assert (jobs.pending, jobs.running) == (1, 1)
    jobs.advance(BEGAN_MS + 160)
    assert (jobs.pending, jobs.running, jobs.next_ms()) == (0, 1, BEGAN_MS + 260)


def test_a_job_waits_for_those_before_it() -> None:
    """It begins when they have ended, or when it is submitted if that is later."""
    jobs = begun(job(), job(at_ms=10), job(at_ms=500))
    jobs.advance(BEGAN_MS + 99)
    assert (jobs.opened, jobs.next_ms()) == (1, BEGAN_MS + 100)

    jobs.advance(BEGAN_MS + 100)
    assert (jobs.opened, jobs.opened_ms, jobs.done, jobs.next_ms()) == (2, BEGAN_MS + 100, 1, BEGAN_MS + 200)

    jobs.advance(BEGAN_MS + 200)
    assert (jobs.done, jobs.rested_ms, jobs.next_ms()) == (2, BEGAN_MS + 200, BEGAN_MS + 500)


def test_without_reuse_an_executor_is_spent_with_its_task() -> None:
    jobs = begun(job(2), executors=1, reuses=False)

    jobs.advance(BEGAN_MS + 100)

    assert (jobs.take_spent(), jobs.take_spent()) == ([0], [])
    assert (jobs.pending, jobs.stages.places) == (1, {})


def test_a_job_that_went_on_without_its_master_goes_on_with_the_next() -> None:
    jobs = begun(job(duration_ms=300), job())

    jobs.begin(BEGAN_MS + 200)
    assert (jobs.opened, jobs.running, jobs.rested_ms, jobs.next_ms()) == (1, 1, NEVER, BEGAN_MS + 300)

    jobs.advance(BEGAN_MS + 400)
    assert (jobs.done, jobs.rested_ms) == (2, BEGAN_MS + 400)
    jobs.begin(BEGAN_MS + 500)
    assert jobs.rested_ms == BEGAN_MS + 400
