"""Processes of this machine that do parts of the work, and searches that are shared with them."""

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from typing import Any, Final, Generic

from engine.incremental import Incremental, Job, SharedSearch, Task

ALONE_S: Final = 1.0  # Time of work without an executor [s]: most searches take no longer
LOOK_S: Final = 0.002  # Time of one piece while others do the last jobs [s]; a screen goes on between two pieces


def processes(workers: int) -> Executor:
    """Copies of this process where it has one thread, since to load the engine anew takes a second; else new ones."""
    way = "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context(way), initializer=_begin)


def end(executor: Executor) -> None:
    """End an executor and what it still does.

    Processes are waited for before their pipes are closed, so that none survives or complains; workers elsewhere are
    not waited for.
    """
    own = list((getattr(executor, "_processes", None) or {}).values())
    for each in own:
        each.terminate()
    for each in own:
        each.join()
    if own:
        executor.shutdown(wait=True, cancel_futures=True)
    else:
        executor.shutdown(wait=False)  # dask's takes nothing else


def _begin() -> None:  # pragma: no cover -- runs in a process of its own
    """Leave ctrl-C to the program that started this process, and end with it, also when it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.freeze()  # what was loaded stays; the garbage of a piece of work is looked for without it
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.join,), daemon=True).start()


def _end_with(ended: Callable[[], None]) -> None:  # pragma: no cover -- runs in a process of its own
    ended()
    os._exit(1)


def shared(
    search: SharedSearch[Job], make: Callable[[], Executor], workers: int, clock: Callable[[], float] = time.monotonic
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
        end(executor)


class _Helpers(Generic[Job]):
    """The workers of an executor and what each has to do."""

    def __init__(self, search: SharedSearch[Job], executor: Executor, workers: int) -> None:
        self._search, self._executor, self._most = search, executor, workers
        self._running: dict[Future[Any], Job] = {}

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
        try:
            for future in [each for each in self._running if each.done()]:
                self._search.take(self._running[future], future.result())
                del self._running[future]
            while todo and len(self._running) < self._most:
                future = self._executor.submit(*self._search.order(todo[0]))
                self._running[future] = todo.popleft()
        except BrokenExecutor:
            todo.extendleft(reversed(self._running.values()))
            self._running.clear()
            self._most = 0
