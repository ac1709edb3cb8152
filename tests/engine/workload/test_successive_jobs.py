"""Jobs one after another on the executors of one application."""

from typing import Any

import pytest

from engine.scenario import JobSpec, StageSpec
from engine.workload.master import Lifespan
from engine.workload.stages import NEVER, SuccessiveJobs

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


def test_tasks_follow_one_another_at_their_own_instants() -> None:
    """Also where the application looks late: the next task took the core when it came free."""
    jobs = begun(job(3))

    jobs.advance(BEGAN_MS + 1000)

    assert (jobs.done, jobs.rested_ms, jobs.are_done) == (1, BEGAN_MS + 300, True)
    assert jobs.lifespan("job") == Lifespan("job", 1, 1, BEGAN_MS + 300, 1)


def test_a_job_waits_for_those_before_it() -> None:
    """It begins when they have ended, or when it is submitted if that is later."""
    jobs = begun(job(), job(at_ms=10), job(at_ms=500))
    jobs.advance(BEGAN_MS + 99)
    assert (jobs.opened, jobs.next_ms()) == (1, BEGAN_MS + 100)

    jobs.advance(BEGAN_MS + 100)
    assert (jobs.opened, jobs.opened_ms, jobs.done, jobs.next_ms()) == (2, BEGAN_MS + 100, 1, BEGAN_MS + 200)

    jobs.advance(BEGAN_MS + 200)
    assert (jobs.done, jobs.rested_ms, jobs.next_ms()) == (2, BEGAN_MS + 200, BEGAN_MS + 500)


def test_an_overlapping_job_begins_when_it_is_submitted() -> None:
    jobs = begun(job(duration_ms=300), job(at_ms=50, overlaps=True), executors=2)
    assert jobs.next_ms() == BEGAN_MS + 50

    jobs.advance(BEGAN_MS + 150)
    assert (jobs.opened, jobs.opened_ms, jobs.done, jobs.running) == (2, BEGAN_MS + 50, 0, 1)

    jobs.advance(BEGAN_MS + 300)
    assert (jobs.done, jobs.rested_ms) == (2, BEGAN_MS + 300)


def test_without_reuse_an_executor_is_spent_with_its_task() -> None:
    jobs = begun(job(2), executors=1, reuses=False)

    jobs.advance(BEGAN_MS + 100)

    assert (jobs.take_spent(), jobs.take_spent()) == ([0], [])
    assert (jobs.pending, jobs.hosts) == (1, {})


@pytest.mark.parametrize(("done_ms", "opened", "done"), [(99, 0, 0), (100, 1, 1)])
def test_jobs_that_have_ended_are_not_done_again(done_ms: int, opened: int, done: int) -> None:
    """The present one begins anew, at once, for the application began when it first did."""
    jobs = begun(job(), job(at_ms=300))
    jobs.advance(BEGAN_MS + done_ms)

    jobs.restart()
    assert (jobs.opened, jobs.done, jobs.hosts, jobs.idle, jobs.tasks, jobs.rested_ms) == (
        opened,
        done,
        {},
        {},
        [],
        NEVER,
    )

    jobs.begin(BEGAN_MS + 150)
    assert (jobs.began_ms, jobs.pending) == (BEGAN_MS, 1 - done)


def test_a_job_that_went_on_without_its_master_goes_on_with_the_next() -> None:
    jobs = begun(job(duration_ms=300), job())

    jobs.begin(BEGAN_MS + 200)
    assert (jobs.opened, jobs.running, jobs.rested_ms, jobs.next_ms()) == (1, 1, NEVER, BEGAN_MS + 300)

    jobs.advance(BEGAN_MS + 400)
    assert (jobs.done, jobs.rested_ms) == (2, BEGAN_MS + 400)
    jobs.begin(BEGAN_MS + 500)
    assert jobs.rested_ms == BEGAN_MS + 400
