"""Does the jobs of a search for remedies on all cores, in processes of their own that are given the instant packed.

What is found does not depend on how many there are: every job is what `remedy_search.work_on` makes of it.
"""

import multiprocessing
import pickle
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import Final

from engine.explain.remedy import Family
from engine.explain.remedy_candidates import candidates
from engine.explain.remedy_filter import Core, core_of
from engine.explain.remedy_search import Job, RemedySearch, work_on
from engine.explain.remedy_trial import Baseline, Target, Trial
from engine.incremental import Task, finish
from engine.simulation.checkpoint import from_bytes, to_bytes
from engine.simulation.simulation import Simulation

ALONE_S: Final = 1.0
"""Time of work without other processes [s]."""

LOOK_S: Final = 0.1
"""Time between two checks whether to go on [s]."""

_INSTANT: dict[str, tuple[Simulation, tuple[Target, ...], list[Family], Core | None]] = {}
"""In a process of its own: what it works on."""


def _begin(packed: bytes) -> None:
    here_bytes, targets = pickle.loads(packed)
    here = from_bytes(here_bytes)
    families = candidates(here, [number for number, _ in targets])
    _INSTANT["here"] = here, targets, families, finish(core_of(here, targets))


def _do(job: Job, base: Baseline) -> Trial | None:
    here, targets, families, core = _INSTANT["here"]
    return finish(work_on(job, here, targets, families, base, core))


def _ready() -> None:
    """Done when a process has begun."""


def search_on_all_cores(
    search: RemedySearch, goes_on: Callable[[], bool], workers: int, clock: Callable[[], float] = time.monotonic
) -> bool:
    """Do the jobs of a search until there are none left, or `goes_on` (asked often) says no; whether all is done.

    Processes are started only when there is work for longer than that takes. The clock [s] decides who does a job,
    never what comes of it.
    """
    begin = clock()
    while workers < 2 or not search.opened or clock() - begin < ALONE_S:
        if search.advance():
            return True
        if not goes_on():
            return False
    assert search.here is not None, "a search that has opened has its instant"
    packed = pickle.dumps((to_bytes(search.here), search.targets))
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin, (packed,))
    ready = pool.submit(_ready)
    processes = pool._processes  # noqa: SLF001 -- the only way to end work that nobody waits for any more
    try:
        while not ready.done() or not search.between_jobs:  # they take long to start
            if search.advance():
                return True
            if not goes_on():
                return False
        return _drive(search, pool, goes_on)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list((processes or {}).values()):
            process.terminate()


def _drive(search: RemedySearch, pool: ProcessPoolExecutor, goes_on: Callable[[], bool]) -> bool:
    while True:
        more = Task(search.more())
        while not more.advance():
            if not goes_on():
                return False
        base = search.base
        if not more.result() or base is None:
            return True
        jobs: dict[Future[Trial | None], Job] = {pool.submit(_do, job, base): job for job in more.result()}
        while jobs:
            if not goes_on():
                return False
            for future in wait(jobs, LOOK_S, FIRST_COMPLETED).done:
                search.take(jobs.pop(future), future.result())
