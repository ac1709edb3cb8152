"""Whether any worker of a dask cluster is left, by a clock that is set by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.sweep.dask_workers import GONE_S, LOOK_S, WorkerWatch, dask_place
from tests.engine.sweep.test_sweeps import base

HINT = "(--resume FILE goes on when there are workers)"


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


def test_a_watch_that_never_saw_a_worker_waits_from_its_beginning() -> None:
    """So long as for one that has gone."""
    cluster = Cluster()
    cluster.workers = {}
    cluster.now_s += GONE_S
    cluster.watch.check()
    cluster.now_s += LOOK_S

    with pytest.raises(ConfigError, match="no worker"):
        cluster.watch.check()


@pytest.mark.parametrize("error", [OSError("closed"), TimeoutError()])
def test_a_scheduler_that_does_not_answer_is_gone(error: Exception) -> None:
    """It is said at once."""
    cluster = Cluster()
    cluster.error = error

    with pytest.raises(ConfigError) as said:
        cluster.watch.check()
    assert str(said.value) == f"--dask: the dask scheduler at tcp://there:1 is gone {HINT}"


def test_what_all_points_share_is_sent_to_every_worker_once_there_is_one() -> None:
    """It is waited for in pauses between looks."""
    cluster = Cluster()
    cluster.workers = {}

    def come() -> None:
        cluster.workers = {"w1": 1} if len(cluster.paused) == 3 else {}

    cluster.then = come

    assert cluster.watch.shipped(base()) == "future"
    assert cluster.paused == [LOOK_S] * 3
    assert cluster.sent == [(base(), {"broadcast": True, "hash": False})]


@pytest.mark.parametrize("error", [OSError("closed"), TimeoutError()])
def test_workers_that_do_not_take_it_are_named(error: Exception) -> None:
    """By their cluster."""
    cluster = Cluster()

    def broken(value: Any, **how: bool) -> str:
        raise error

    cluster.scatter = broken  # type: ignore[method-assign]  # of this one cluster
    with pytest.raises(ConfigError) as said:
        cluster.watch.shipped(base())
    assert str(said.value) == f"--dask: no worker of tcp://there:1 takes the scenario {HINT}"


def test_an_address_without_a_port_is_no_scheduler() -> None:
    """It is said with the option, without asking anybody."""
    with pytest.raises(ConfigError) as said:
        dask_place("tcp://nowhere")
    assert str(said.value).startswith("--dask: no dask scheduler answers at tcp://nowhere: ")
