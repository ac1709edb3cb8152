"""How points are handed in: so many at once, alone after a loss, again when late. Futures are ended by hand."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from engine.sweep import Point, PointOutcome, WorkPlace, grid, play_all
from engine.sweep.runner import TRIES
from tests.engine.sweep.test_sweeps import LostError, base

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
