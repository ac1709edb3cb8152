"""Where points are played: processes of this machine, or the workers of a dask cluster."""

import multiprocessing
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor
from importlib.util import find_spec
from typing import Any, NamedTuple

from engine.errors import ConfigError, Problem

RETRIES = 2
"""Times that dask plays a point again whose worker was lost."""


class Place(NamedTuple):
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


def local_place(workers: int) -> Place:
    """Processes of this machine."""
    context = multiprocessing.get_context("spawn")
    words = f"{workers} process{'es' * (workers != 1)} of this machine"
    return Place(
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


def dask_place(address: str) -> Place:
    """The workers of a dask cluster.

    Raises:
        ConfigError: distributed is not installed, nobody answers at the address, or it has no worker.
    """
    if find_spec("distributed") is None:
        hint = "install it with: pip install 'schedlab[cluster]'"
        raise ConfigError([Problem("needs dask's distributed", key="--dask", hint=hint)])
    from distributed import Client  # noqa: PLC0415 -- only a sweep on a cluster pays for it
    from distributed.client import FutureCancelledError  # noqa: PLC0415 -- likewise
    from distributed.comm.core import CommClosedError  # noqa: PLC0415 -- likewise
    from distributed.scheduler import KilledWorker  # noqa: PLC0415 -- likewise

    try:
        client: Any = Client(address, timeout=10, set_as_default=False)  # type: ignore[no-untyped-call]  # dask has no types
    except (OSError, TimeoutError, ValueError) as error:
        raise ConfigError([Problem(f"no dask scheduler answers at {address}: {error}", key="--dask")]) from error
    workers = sum(client.nthreads().values())
    if not workers:
        raise ConfigError([Problem(f"the dask scheduler at {address} has no worker", key="--dask")])
    lost = (KilledWorker, CommClosedError, FutureCancelledError, TimeoutError)

    def executor() -> Executor:
        found: Executor = client.get_executor(pure=False, retries=RETRIES)
        return found

    return Place(f"{workers} workers of {address}", workers, executor, lost)
