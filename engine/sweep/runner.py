"""Has points played by an executor, and keeps what comes of each as it comes."""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Final

from engine.errors import ConfigError, Problem
from engine.sweep.executors import WorkPlace
from engine.sweep.playing import FAILED, FOREIGN, PointJob, PointOutcome, play_point
from engine.sweep.points import Point

AHEAD: Final = 2
"""Points that are handed in for each worker, so that none of them waits for the next."""

TRIES: Final = 3
"""Times that a point is tried whose worker is lost."""

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


def _played(
    todo: deque[PointJob],
    place: WorkPlace,
    keep: Callable[[Point, PointOutcome], None],
    is_stopped: Callable[[], bool],
    most: int,
) -> list[PointJob]:
    """Play until all is done, a worker is lost or it is stopped; return the jobs that were lost."""
    running: dict[Future[PointOutcome], PointJob] = {}
    executor, lost = place.make(), list[PointJob]()
    try:
        while (todo or running) and not lost and not is_stopped():
            while todo and len(running) < most:
                job = todo.popleft()
                running[executor.submit(play_point, job)] = job
            for future in wait(running, LOOK_S, FIRST_COMPLETED).done:
                _take(future, running.pop(future), place, keep, lost)
            if most == 1 and not running:
                return lost
        return [*lost, *(job for future, job in running.items() if not _kept(future, job, place, keep))]
    finally:
        _shut(executor, running)


def _take(
    future: Future[PointOutcome],
    job: PointJob,
    place: WorkPlace,
    keep: Callable[[Point, PointOutcome], None],
    lost: list[PointJob],
) -> None:
    try:
        outcome = future.result()
    except place.lost:
        lost.append(job)
        return
    if outcome.status == FOREIGN:
        hint = "install the same version there"
        raise ConfigError([Problem(f"the worker {outcome.words}", key="--dask", hint=hint)])
    keep(job.point, outcome)


def _kept(
    future: Future[PointOutcome], job: PointJob, place: WorkPlace, keep: Callable[[Point, PointOutcome], None]
) -> bool:
    """Keep what is done by the end; what is not is lost."""
    lost: list[PointJob] = []
    if not future.done():
        return False
    _take(future, job, place, keep, lost)
    return not lost


def _shut(executor: Executor, running: dict[Future[PointOutcome], PointJob]) -> None:
    for future in running:
        future.cancel()
    executor.shutdown(wait=False)
