"""Where points are played: processes of this machine, or other workers that a `WorkPlace` names."""

import math
import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor
from threading import Thread
from typing import NamedTuple


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


def local_place(workers: int) -> WorkPlace:
    """Processes of this machine."""
    context = multiprocessing.get_context("spawn")
    words = f"{workers} process{'es' * (workers != 1)} of this machine"
    return WorkPlace(
        words,
        workers,
        lambda: ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_worker),
        (BrokenExecutor, CancelledError),
        _end_children,
    )


def _begin_worker() -> None:  # pragma: no cover -- runs in a process of its own
    """Leave ctrl-C to the program that started this process, and end with it, also when it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent.join,), daemon=True).start()


def _end_with(ended: Callable[[], None]) -> None:  # pragma: no cover -- runs in a process of its own
    ended()
    os._exit(1)


def _end_children() -> None:
    for child in multiprocessing.active_children():
        child.terminate()
