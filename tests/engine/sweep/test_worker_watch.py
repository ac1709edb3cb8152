"""Whether any worker of a dask cluster is left, by a clock that is set by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.sweep.dask_workers import GONE_S, LOOK_S, WorkerWatch

HINT = "(tune FILE goes on when there are workers)"


class Cluster:
    """A client of a dask cluster, its clock, and how it answers."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.workers: dict[str, int] = {"w1": 1}
        self.looks = 0
        self.sent: list[tuple[Any, dict[str, bool]]] = []
        self.error: Exception | None = None
        self.paused: list[float] = []
        self.then: Callable[[], None] = lambda: None
        """What happens in a pause."""
        self.watch = WorkerWatch(self, "tcp://there:1", lambda: self.now_s, self.pause)

    def nthreads(self) -> dict[str, int]:
        """Threads by worker."""
        self.looks += 1
        if self.error is not None:
            raise self.error
        return self.workers

    def scatter(self, value: Any, **how: bool) -> str:
        """Send it to all."""
        if self.error is not None:
            raise self.error
        self.sent.append((value, how))
        return "future"

    def pause(self, seconds: float) -> None:
        """Let time pass."""
        self.paused.append(seconds)
        self.now_s += seconds
        self.then()


def test_workers_are_looked_at_every_two_seconds() -> None:
    """At once, and not before two seconds have passed."""
    cluster = Cluster()
    looks = []
    for now_s in (100.0, 100.0, 101.9, 100.0 + LOOK_S, 103.9, 104.0):
        cluster.now_s = now_s
        cluster.watch.check()
        looks.append(cluster.looks)

    assert looks == [1, 1, 1, 2, 2, 3]


def test_a_cluster_without_a_worker_is_waited_for_half_a_minute() -> None:
    """From when one was last seen; a worker that comes back ends the wait."""
    cluster = Cluster()

    def looked(now_s: float, *workers: str) -> None:
        cluster.now_s, cluster.workers = now_s, dict.fromkeys(workers, 1)
        cluster.watch.check()

    looked(100.0, "w1")
    looked(100.0 + GONE_S)
    looked(140.0 - LOOK_S, "w2")
    looked(138.0 + GONE_S)
    with pytest.raises(ConfigError) as error:
        looked(138.0 + GONE_S + LOOK_S)
    assert str(error.value) == f"--dask: the dask scheduler at tcp://there:1 has had no worker for 30 s {HINT}"


@pytest.mark.parametrize("error", [OSError("closed"), TimeoutError()])
def test_a_scheduler_that_does_not_answer_is_gone(error: Exception) -> None:
    """It is said at once."""
    cluster = Cluster()
    cluster.error = error

    with pytest.raises(ConfigError) as said:
        cluster.watch.check()
    assert str(said.value) == f"--dask: the dask scheduler at tcp://there:1 is gone {HINT}"
