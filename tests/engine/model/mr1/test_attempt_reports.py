"""What the reports of attempts change in a job: completions, failures, lost outputs."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model.java_values import float32
from engine.model.mr1.attempt_reports import attempt_lost, fetch_failed
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.tracker import (
    FAILED,
    FAILED_UNCLEAN,
    KILLED,
    KILLED_UNCLEAN,
    MAP,
    RUNNING,
    SUCCEEDED,
)
from tests.engine.model.mr1.build import cluster_of, map_on, on, reduce_on, running_job, say


def job_on(*hosts: str, maps: int = 2, reduces: int = 2, **options: Any) -> JobInProgress:
    """A job that runs on a cluster of these hosts."""
    return running_job(cluster_of(*hosts, slots=(9, 9)), maps, reduces, **options)


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(0, 1, width=32)), max_size=8))
def test_a_jobs_progress_is_the_sum_of_what_its_maps_gained(reports: list[tuple[int, float]]) -> None:
    """Each gain is a part of the whole, added as a float32 and kept between none and all."""
    job = job_on("a", maps=3)
    tracker = on(job.cluster, "a")
    attempts = [map_on(job, tracker) for _ in range(3)]
    shares, expected = [0.0] * 3, 0.0
    for number, share in reports:
        say(job, attempts[number], tracker, RUNNING, progress=share)
        expected = float32(min(1.0, max(0.0, float32(expected + (share - shares[number]) / 3))))
        shares[number] = share

        assert job.progress == [expected, 0.0]


def test_the_second_attempt_to_succeed_is_killed() -> None:
    """It is finished once; the speculative attempt is none any more when the first has succeeded."""
    job = job_on("a", "b", maps=1, speculates=(True, True))
    first = map_on(job, on(job.cluster, "a"))
    job.cluster.now_ms += 60_000
    job.progress[MAP] = 0.5
    second = map_on(job, on(job.cluster, "b"))
    assert (job.running, job.speculative) == ([2, 0], [1, 0])

    say(job, second, on(job.cluster, "b"), SUCCEEDED)
    assert (job.running, job.speculative, job.finished) == ([1, 0], [0, 0], [1, 0])

    say(job, first, on(job.cluster, "a"), SUCCEEDED)
    assert job.tasks[MAP][0].statuses[first].state == KILLED
    assert (job.running, job.finished, job.failed_attempts) == ([0, 0], [1, 0], [1, 0])
    assert job.tasks[MAP][0].successful == second


def test_an_attempt_that_somebody_wants_ended_cannot_succeed() -> None:
    job = job_on("a", maps=1)
    tracker, task = on(job.cluster, "a"), job.tasks[MAP][0]
    attempt = map_on(job, tracker)
    task.ask_to_kill(attempt, counts=False)

    say(job, attempt, tracker, SUCCEEDED)

    assert (task.statuses[attempt].state, task.is_complete, task.killed_attempts) == (KILLED, False, 1)
    assert (job.running, job.finished, job.failed_attempts) == ([0, 0], [0, 0], [1, 0])
    assert map_on(job, tracker) == (1, MAP, 0, 1)


@pytest.mark.parametrize(("state", "failures", "killed"), [(FAILED, 1, 0), (KILLED, 0, 1)])
def test_an_attempt_that_ended_badly_is_followed_by_another(state: str, failures: int, killed: int) -> None:
    job = job_on("a", "b")
    tracker, task = on(job.cluster, "a"), job.tasks[MAP][0]
    attempt = map_on(job, tracker)

    say(job, attempt, tracker, state, start_ms=100, finish_ms=150)

    assert (job.running, job.finished, job.failed_attempts, job.failed_tasks) == ([0, 0], [0, 0], [1, 0], [0, 0])
    assert (job.slot_ms, job.tracker_failures) == ([50, 0], {"a": 1} if failures else {})
    assert (task.failures, task.killed_attempts, task.is_failed) == (failures, killed, False)
    assert job.cluster.attempts.marked[tracker.name][attempt] is None
    assert list(job.search.failed_maps.numbers) == [0]
    assert job.search.running_tasks(MAP) == []
    assert map_on(job, on(job.cluster, "b")) == (1, MAP, 0, 1)


@pytest.mark.parametrize("slot", ["is_failing", "is_killed", "state"])
@pytest.mark.parametrize(("unclean", "clean"), [(FAILED_UNCLEAN, FAILED), (KILLED_UNCLEAN, KILLED)])
def test_a_job_that_is_being_ended_cleans_up_after_nobody(slot: str, unclean: str, clean: str) -> None:
    """What was left unclean counts as clean, but for a cleanup attempt's own word."""
    job = job_on("a")
    tracker, task = on(job.cluster, "a"), job.tasks[MAP][0]
    attempt, other = map_on(job, tracker), map_on(job, tracker)
    setattr(job, slot, KILLED if slot == "state" else True)
    job.tasks[MAP][1].cleanup_attempts[other] = tracker.name

    say(job, attempt, tracker, unclean)
    say(job, other, tracker, unclean, in_cleanup=True)

    assert (task.statuses[attempt].state, job.tasks[MAP][1].statuses[other].state) == (clean, unclean)
    assert (job.cleanup_waiting[MAP], task.active) == ([other], {})


def test_a_map_whose_output_is_lost_runs_again() -> None:
    """It is finished no longer; what it took stays metered; its progress is gone when the next attempt reports."""
    job = job_on("a", "b")
    tracker, task = on(job.cluster, "a"), job.tasks[MAP][0]
    attempt = map_on(job, tracker)
    say(job, attempt, tracker, SUCCEEDED, start_ms=100, finish_ms=150)

    attempt_lost(job, task, attempt, KILLED, tracker)

    assert (task.is_complete, task.statuses[attempt].state, task.killed_attempts) == (False, KILLED, 1)
    assert (job.running, job.finished, job.failed_attempts) == ([0, 0], [0, 0], [1, 0])
    assert (job.slot_ms, job.progress) == ([50, 0], [0.5, 0.0])
    assert map_on(job, on(job.cluster, "b")) == (1, MAP, 0, 1)
    assert job.progress == [0.0, 0.0]


def fetching(reduces: int) -> JobInProgress:
    """A job whose first map has succeeded, and so many of whose reduces run."""
    job = job_on("a", "b", maps=2, reduces=9)
    tracker = on(job.cluster, "a")
    say(job, map_on(job, tracker), tracker, SUCCEEDED)
    for _ in range(reduces):
        reduce_on(job, on(job.cluster, "b"))
    return job


@pytest.mark.parametrize(
    ("reduces", "told", "fails"),
    [(6, 2, False), (6, 3, True), (7, 3, False), (7, 4, True), (1, 2, False), (0, 3, True)],
)
def test_a_map_fails_when_enough_reduces_cannot_fetch_its_output(reduces: int, told: int, fails: bool) -> None:
    """At the third time, if that is half of the reduces that run; then it is counted anew."""
    job = fetching(reduces)
    task, attempt = job.tasks[MAP][0], (1, MAP, 0, 0)

    for _ in range(told):
        fetch_failed(job, task, attempt)

    assert task.is_complete is not fails
    assert job.fetch_failures == ({} if fails else {attempt: told})
    assert (job.finished[MAP], job.tracker_failures) == ((0, {"a": 1}) if fails else (1, {}))
