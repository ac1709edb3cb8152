"""Shares the jobs of a search for remedies with the workers of an executor, which are given the instant packed.

What is found does not depend on who does a job: every one is what `remedy_search.work_on` makes of it.
"""

import pickle
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from functools import lru_cache
from typing import Final

from engine.explain.remedy import Family
from engine.explain.remedy_candidates import candidates
from engine.explain.remedy_filter import Core, core_of
from engine.explain.remedy_search import Job, RemedySearch, work_on
from engine.explain.remedy_trial import Baseline, Target, Trial
from engine.incremental import Incremental, Task, finish
from engine.simulation.checkpoint import from_bytes, to_bytes
from engine.simulation.simulation import Simulation

ALONE_S: Final = 1.0
"""Time of work without an executor [s]: most searches take no longer."""

LOOK_S: Final = 0.002
"""Time of one piece while others do the last jobs [s]; a screen goes on between two pieces."""


def shared(
    search: RemedySearch, make: Callable[[], Executor], workers: int, clock: Callable[[], float] = time.monotonic
) -> Incremental[None]:
    """Do a search in this process and, once it takes longer than `ALONE_S`, on an executor of so many workers, too.

    The clock [s] decides who does a job, never what comes of it. Without workers, all is done here; so is the rest
    when one is lost.
    """
    begin = clock()
    while not workers or not search.between_jobs or clock() - begin < ALONE_S:
        if search.advance():
            return
        yield
    executor = make()
    helpers = _Helpers(search, executor, workers)
    try:
        while jobs := (yield from search.more()):
            yield from helpers.do(jobs)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


class _Helpers:
    """The workers of an executor and what each has to do."""

    def __init__(self, search: RemedySearch, executor: Executor, workers: int) -> None:
        assert search.here is not None, "a search between two jobs has its instant"
        self._search, self._executor, self._most = search, executor, workers
        self._packed = pickle.dumps((to_bytes(search.here), search.targets))
        self._running: dict[Future[Trial | None], Job] = {}

    def do(self, jobs: Sequence[Job]) -> Incremental[None]:
        """Do some jobs, the first ones elsewhere."""
        todo = deque(jobs)
        while todo or self._running:
            self._share(todo)
            if todo:
                own = Task(self._search.do(todo.popleft()))
                while not own.advance():
                    self._share(todo)
                    yield
            else:
                _ = wait(self._running, LOOK_S, FIRST_COMPLETED)
            yield

    def _share(self, todo: deque[Job]) -> None:
        """Take what is done elsewhere, and hand out more."""
        base = self._search.base
        assert base is not None, "there is a baseline before the first job"
        try:
            for future in [each for each in self._running if each.done()]:
                self._search.take(self._running[future], future.result())
                del self._running[future]
            while todo and len(self._running) < self._most:
                future = self._executor.submit(_done, self._packed, todo[0], base)
                self._running[future] = todo.popleft()
        except BrokenExecutor:
            todo.extendleft(reversed(self._running.values()))
            self._running.clear()
            self._most = 0


def _done(packed: bytes, job: Job, base: Baseline) -> Trial | None:
    here, targets, families, core = _instant(packed)
    return finish(work_on(job, here, targets, families, base, core))


@lru_cache(maxsize=1)
def _instant(packed: bytes) -> tuple[Simulation, tuple[Target, ...], list[Family], Core | None]:
    here_bytes, targets = pickle.loads(packed)
    here = from_bytes(here_bytes)
    return here, targets, candidates(here, [number for number, _ in targets]), finish(core_of(here, targets))
