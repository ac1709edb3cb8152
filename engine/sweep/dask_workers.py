"""The workers of a dask cluster as a place to play points; only such a sweep loads dask's distributed."""

from collections.abc import Callable
from concurrent.futures import CancelledError, Executor
from time import monotonic
from typing import Any, Final

from distributed import Client
from distributed.client import FutureCancelledError
from distributed.comm.addressing import get_address_host_port
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from engine.errors import ConfigError, Problem
from engine.sweep.runner import WorkPlace
from engine.units import plural

RETRIES: Final = 2  # Times that dask plays a point again whose worker was lost

PATIENCE_S: Final = 20.0
"""A worker that is paused keeps its points: dask steals none from one that has no more points than threads, and takes
a worker that is silent for lost only after `distributed.scheduler.worker-ttl`, five minutes."""

LOOK_S: Final = 2.0  # Between two looks at the workers [s]
GONE_S: Final = 30.0  # So long a sweep waits for a worker when the last one has gone


def dask_place(address: str) -> WorkPlace:
    """The workers of a dask cluster. Raises ConfigError if there is no answer at the address, or it has no worker."""
    try:
        _ = get_address_host_port(address, strict=True)  # a client of an address without a port ends with a traceback
        client: Any = Client(address, timeout=10, set_as_default=False)  # type: ignore[no-untyped-call]  # dask has no types
    except (OSError, TimeoutError, ValueError) as error:
        raise ConfigError.of(f"no dask scheduler answers at {address}: {error}", key="--dask") from error
    workers = sum(client.nthreads().values())
    if not workers:
        raise ConfigError.of(f"the dask scheduler at {address} has no worker", key="--dask")
    lost = (KilledWorker, CommClosedError, FutureCancelledError, CancelledError, TimeoutError)

    def executor() -> Executor:
        found: Executor = client.get_executor(pure=False, retries=RETRIES)
        return found

    words = f"{plural(workers, 'worker')} of {address}"
    watch = WorkerWatch(client, address)
    return WorkPlace(words, workers, executor, lost, patience_s=PATIENCE_S, check=watch.check)


class WorkerWatch:
    def __init__(self, client: Any, address: str, now_s: Callable[[], float] = monotonic) -> None:
        """Watch the workers of a dask client; `now_s` is a clock that never goes back [s]."""
        self._client, self._address, self._now_s = client, address, now_s
        self._next_s = now_s()
        self._seen_s = self._next_s

    def check(self) -> None:
        """Look, every `LOOK_S`. Raises ConfigError if the scheduler is gone, or has had no worker for `GONE_S`."""
        now_s = self._now_s()
        if now_s < self._next_s:
            return
        self._next_s = now_s + LOOK_S
        try:
            is_there = bool(self._client.nthreads())
        except (OSError, TimeoutError) as error:
            raise self._gone("the dask scheduler at {} is gone") from error
        if is_there:
            self._seen_s = now_s
        elif now_s - self._seen_s > GONE_S:
            raise self._gone(f"the dask scheduler at {{}} has had no worker for {GONE_S:g} s")

    def _gone(self, words: str) -> ConfigError:
        hint = "tune FILE goes on when there are workers"
        return ConfigError([Problem(words.format(self._address), key="--dask", hint=hint)])
