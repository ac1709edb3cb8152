"""The places where points are played: processes of this machine, or other workers that a `WorkPlace` names."""

import gc
import math
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor
from typing import Any, NamedTuple

from engine.sweep.playing import SweepBase, unpacked


class WorkPlace(NamedTuple):
    """A place where points are played."""

    name: str
    """For people."""
    workers: int
    make: Callable[[], Executor]
    """Make the executor; again after its workers were lost."""
    lost: tuple[type[Exception], ...]
    """What its futures raise when a worker was lost."""
    end: Callable[[], None] = lambda: None
    """End what still runs, without waiting for it."""
    patience_s: float = math.inf
    """A point that waits for longer is handed in again [s]; infinite where no worker is paused without the others."""
    ship: Callable[[SweepBase], Any] = unpacked
    """Bring what all points share to the workers; return what `play_point` is given in its place."""
    check: Callable[[], None] = lambda: None
    """Raises ConfigError where nobody is left to play."""


def local_place(workers: int) -> WorkPlace:
    """Processes of this machine."""
    words = f"{workers} local process{'es' * (workers != 1)}"
    return WorkPlace(words, workers, lambda: _processes(workers), (BrokenExecutor, CancelledError), _end_children)


def _processes(workers: int) -> Executor:
    """Copies of this process where it has one thread, since to load the engine anew takes a second; else new ones."""
    way = "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context(way), initializer=_begin_worker)


def _begin_worker() -> None:  # pragma: no cover -- runs in a process of its own
    """Leave ctrl-C to the program that started this process, and end with it, also when it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.freeze()  # what was loaded stays; a point's garbage is looked for without it
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.join,), daemon=True).start()


def _end_with(ended: Callable[[], None]) -> None:  # pragma: no cover -- runs in a process of its own
    ended()
    os._exit(1)


def _end_children() -> None:
    for child in multiprocessing.active_children():
        child.terminate()
