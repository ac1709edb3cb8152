"""Whether any worker of a dask cluster is left, by a clock that is set by hand."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ConfigError
from engine.sweep import Point, PointOutcome, SweepStore, WorkPlace, axis_of, grid, local_place, play_all
from engine.sweep.dask_workers import GONE_S, LOOK_S, WorkerWatch
from engine.sweep.runner import TRIES
from tests.engine.sweep.test_sweeps import LostError, base, rows

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


# Points played by a dask scheduler and two workers on this machine.


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_one_worker_killed_and_one_paused_lose_nothing_and_the_file_is_that_of_this_machine(tmp_path: Path) -> None:
    """All points come once, though the second worker goes on only when one of forty is left."""
    from distributed import LocalCluster  # noqa: PLC0415 -- only this test starts a cluster

    from engine.sweep.dask_workers import dask_place  # noqa: PLC0415 -- only this test needs it

    points, came = grid([axis_of("nodes=2..6")], range(8)), list[int]()
    cluster: Any = LocalCluster(  # type: ignore[no-untyped-call]  # dask has no types
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    )
    with cluster, SweepStore.created(tmp_path / "there", {}) as there:
        first, second = (nanny.pid for nanny in cluster.workers.values())
        signals = {3: (second, signal.SIGSTOP), 8: (first, signal.SIGKILL), 39: (second, signal.SIGCONT)}

        def keep(point: Point, outcome: PointOutcome) -> None:
            there.keep(point, outcome)
            came.append(point.number)
            if len(came) in signals:
                os.kill(*signals[len(came)])

        try:
            play_all(base(), points, dask_place(cluster.scheduler_address), keep)
        finally:
            os.kill(second, signal.SIGCONT)

    with SweepStore.created(tmp_path / "here", {}) as here:
        play_all(base(), points, local_place(2), here.keep)
    assert sorted(came) == list(range(40))
    assert rows(tmp_path / "there") == rows(tmp_path / "here")


# How points are handed in: so many at once, alone after a loss, again when late. Futures are ended by hand.

DONE = PointOutcome("done", seconds=0.0)


class ByHand(Executor):
    """Keeps what is handed in until somebody ends it."""

    def __init__(self) -> None:
        self.handed_in: list[int] = []
        self.open: list[tuple[int, Future[Any]]] = []
        self.most = 0
        self.shut: list[bool] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.handed_in.append(args[1].number)
        self.open.append((args[1].number, future))
        self.most = max(self.most, len(self.open))
        return future

    def end(self, outcome: PointOutcome | Exception = DONE, place: int = 0) -> int:
        number, future = self.open.pop(place)
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
        return number

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.shut.append(wait)


class Handing:
    """Plays points in a place of two workers; before each look something is done to its executor."""

    def __init__(self, count: int, step: Callable[["Handing"], object], patience_s: float = 1e9) -> None:
        self.executors: list[ByHand] = []
        self.kept: list[tuple[int, str]] = []
        self.looks = 0
        self.is_over = False
        self._step = step
        place = WorkPlace("here", 2, self._made, (LostError,), patience_s)
        play_all(base(), grid([], range(count)), place, self._keep, self._is_stopped)

    @property
    def executor(self) -> ByHand:
        return self.executors[-1]

    def _made(self) -> Executor:
        self.executors.append(ByHand())
        return self.executor

    def _keep(self, point: Point, outcome: PointOutcome) -> None:
        self.kept.append((point.number, outcome.status))

    def _is_stopped(self) -> bool:
        self.looks += 1
        if self.executors and self.executor.open and not self.executor.shut:
            self._step(self)
        return self.is_over


def test_after_a_loss_the_points_that_were_out_are_played_alone() -> None:
    """One at a time, by a new executor each; then all the others as before."""
    lost: list[int] = []

    def step(handing: Handing) -> None:
        lost.append(handing.executor.end(LostError() if not lost else DONE))

    found = Handing(7, step)

    assert found.executors[0].handed_in == [0, 1, 2, 3]
    alone = [each.handed_in for each in found.executors[1:-1]]
    assert sorted(alone) == [[0], [1], [2], [3]]
    assert found.executors[-1].handed_in == [4, 5, 6]
    assert sorted(found.kept) == [(number, "done") for number in range(7)]
    assert all(each.shut == [False] for each in found.executors)


def test_a_point_that_is_lost_every_time_fails_and_the_others_do_not() -> None:
    """After as many tries, with words of its own; those that were out beside it are played."""

    def step(handing: Handing) -> None:
        handing.executor.end(LostError() if handing.executor.open[0][0] == 0 else DONE)

    outcomes = Handing(2, step)

    assert sum(each.handed_in.count(0) for each in outcomes.executors) == TRIES
    assert sorted(outcomes.kept) == [(0, "failed"), (1, "done")]
