"""Has points played by an executor, and keeps what comes of each as it comes."""

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Final

import msgspec

from engine.errors import ConfigError, Problem
from engine.sweep.executors import WorkPlace
from engine.sweep.playing import FAILED, FOREIGN, PointJob, PointOutcome, play_point
from engine.sweep.points import Point

AHEAD: Final = 2
"""Points that are handed in for each worker, so that none of them waits for the next."""

TRIES: Final = 3
"""Times that a point is tried whose worker is lost."""

LATE: Final = 10
"""A point is late after so many times the CPU time of the longest: it waits for another one, on a slower machine."""

LOOK_S: Final = 0.2
"""Between two looks at whether to stop [s]."""


def play_all(
    jobs: Sequence[PointJob],
    place: WorkPlace,
    keep: Callable[[Point, PointOutcome], None],
    is_stopped: Callable[[], bool] = lambda: False,
) -> None:
    """Play points; `keep` takes each outcome in this thread as it comes, in any order.

    A point whose worker is lost is played again, alone, up to `TRIES` times; then it counts as failed.
    A point that is late is handed in again, beside the first; the first outcome counts.

    Raises:
        ConfigError: A worker has another version.
    """
    todo, tries = deque(jobs), Counter[int]()
    while todo and not is_stopped():
        alone = bool(tries) and tries[todo[0].point.number] > 0
        lost = _played(todo, place, keep, is_stopped, 1 if alone else place.workers * AHEAD)
        if is_stopped():
            place.end()
            return
        for job in lost:
            tries[job.point.number] += 1
            if tries[job.point.number] >= TRIES:
                keep(job.point, PointOutcome(FAILED, f"its worker was lost {TRIES} times"))
            else:
                todo.appendleft(job)


class _HandedIn(msgspec.Struct):
    """A point that an executor has, once or more often."""

    job: PointJob
    futures: list[Future[PointOutcome]]
    latest_s: float
    """When it was handed in last, of the monotonic clock [s]."""


def _played(
    todo: deque[PointJob],
    place: WorkPlace,
    keep: Callable[[Point, PointOutcome], None],
    is_stopped: Callable[[], bool],
    most: int,
) -> list[PointJob]:
    """Play until all is done, a worker is lost or it is stopped; return the jobs that were lost."""
    running: dict[int, _HandedIn] = {}
    executor, lost, longest_s = place.make(), list[PointJob](), 0.0
    try:
        while (todo or running) and not lost and not is_stopped():
            while todo and len(running) < most:
                job = todo.popleft()
                running[job.point.number] = _HandedIn(job, [executor.submit(play_point, job)], time.monotonic())
            wait([future for each in running.values() for future in each.futures], LOOK_S, FIRST_COMPLETED)
            longest_s = max(longest_s, _take_done(running, place, keep, lost))
            _hand_in_again(running, executor, max(place.patience_s, LATE * longest_s))
            if most == 1 and not running:
                return lost
        _take_done(running, place, keep, lost)
        return [*lost, *(each.job for each in running.values())]
    finally:
        _shut(executor, running)


def _hand_in_again(running: dict[int, _HandedIn], executor: Executor, patience_s: float) -> None:
    """Hand in what waits for too long: its worker may be paused, and dask leaves a point with such a worker."""
    now_s = time.monotonic()
    for each in running.values():
        if now_s - each.latest_s > patience_s and len(each.futures) < TRIES:
            each.futures.append(executor.submit(play_point, each.job))
            each.latest_s = now_s


def _take_done(
    running: dict[int, _HandedIn],
    place: WorkPlace,
    keep: Callable[[Point, PointOutcome], None],
    lost: list[PointJob],
) -> float:
    """Keep the first outcome of each point; return the longest CPU time of them [s]."""
    longest_s = 0.0
    for number, each in list(running.items()):
        done = next((future for future in each.futures if future.done()), None)
        if done is None:
            continue
        del running[number]
        for future in each.futures:
            future.cancel()
        try:
            outcome = done.result()
        except place.lost:
            lost.append(each.job)
            continue
        if outcome.status == FOREIGN:
            hint = "install the same version there"
            raise ConfigError([Problem(f"the worker {outcome.words}", key="--dask", hint=hint)])
        keep(each.job.point, outcome)
        longest_s = max(longest_s, outcome.seconds)
    return longest_s


def _shut(executor: Executor, running: dict[int, _HandedIn]) -> None:
    for each in running.values():
        for future in each.futures:
            future.cancel()
    executor.shutdown(wait=False)
