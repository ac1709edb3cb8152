"""The workers of a dask cluster as a place to play points.

Needs dask's distributed; only such a sweep loads this module.
"""

from concurrent.futures import CancelledError, Executor
from typing import Any, Final

from distributed import Client
from distributed.client import FutureCancelledError
from distributed.comm.addressing import get_address_host_port
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from engine.errors import ConfigError, Problem
from engine.sweep.executors import WorkPlace

RETRIES: Final = 2
"""Times that dask plays a point again whose worker was lost."""

PATIENCE_S: Final = 20.0
"""A worker that is paused keeps its points: dask steals none from one that has no more points than threads, and takes
a worker that is silent for lost only after `distributed.scheduler.worker-ttl`, five minutes."""


def dask_place(address: str) -> WorkPlace:
    """The workers of a dask cluster.

    Raises:
        ConfigError: Nobody answers at the address, or it has no worker.
    """
    try:
        _ = get_address_host_port(address, strict=True)  # a client of an address without a port ends with a traceback
        client: Any = Client(address, timeout=10, set_as_default=False)  # type: ignore[no-untyped-call]  # dask has no types
    except (OSError, TimeoutError, ValueError) as error:
        raise ConfigError([Problem(f"no dask scheduler answers at {address}: {error}", key="--dask")]) from error
    workers = sum(client.nthreads().values())
    if not workers:
        raise ConfigError([Problem(f"the dask scheduler at {address} has no worker", key="--dask")])
    lost = (KilledWorker, CommClosedError, FutureCancelledError, CancelledError, TimeoutError)

    def executor() -> Executor:
        found: Executor = client.get_executor(pure=False, retries=RETRIES)
        return found

    return WorkPlace(f"{workers} workers of {address}", workers, executor, lost, patience_s=PATIENCE_S)
