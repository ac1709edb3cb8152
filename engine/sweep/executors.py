"""Where points are played: processes of this machine, or other workers that a `WorkPlace` names."""

import multiprocessing
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor
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


def local_place(workers: int) -> WorkPlace:
    """Processes of this machine."""
    context = multiprocessing.get_context("spawn")
    words = f"{workers} process{'es' * (workers != 1)} of this machine"
    return WorkPlace(
        words,
        workers,
        lambda: ProcessPoolExecutor(workers, mp_context=context, initializer=_leave_interrupts),
        (BrokenExecutor, CancelledError),
    )


def _leave_interrupts() -> None:
    """Leave ctrl-C to the program that started this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end_children() -> None:
    for child in multiprocessing.active_children():
        child.terminate()
