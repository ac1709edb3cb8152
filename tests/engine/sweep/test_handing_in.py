"""How points are handed in: so many at once, alone after a loss, again when late. Futures are ended by hand."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import pytest

from engine.sweep import Point, PointOutcome, WorkPlace, grid, play_all
from engine.sweep.runner import AHEAD, TRIES
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
        """Keep it."""
        future: Future[Any] = Future()
        self.handed_in.append(args[1].number)
        self.open.append((args[1].number, future))
        self.most = max(self.most, len(self.open))
        return future

    def end(self, outcome: PointOutcome | Exception = DONE, place: int = 0) -> int:
        """End one of those that are there; its number."""
        number, future = self.open.pop(place)
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
        return number

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Note it."""
        self.shut.append(wait)


class Handing:
    """Plays points in a place of two workers; before each look something is done to its executor."""

    def __init__(self, count: int, step: Callable[["Handing"], object], patience_s: float = 1e9) -> None:
        self.executors: list[ByHand] = []
        self.kept: list[tuple[int, str]] = []
        self.looks = 0
        self.ended = 0
        self.is_over = False
        self._step = step
        place = WorkPlace("here", 2, self._made, (LostError,), self._end, patience_s)
        play_all(base(), grid([], range(count)), place, self._keep, self._is_stopped)

    @property
    def executor(self) -> ByHand:
        """The last one."""
        return self.executors[-1]

    def _made(self) -> Executor:
        self.executors.append(ByHand())
        return self.executor

    def _keep(self, point: Point, outcome: PointOutcome) -> None:
        self.kept.append((point.number, outcome.status))

    def _end(self) -> None:
        self.ended += 1

    def _is_stopped(self) -> bool:
        self.looks += 1
        if self.executors and self.executor.open and not self.executor.shut:
            self._step(self)
        return self.is_over


def test_two_points_are_handed_in_for_each_worker() -> None:
    """In order; the next one as soon as one has come, whichever that is."""
    found = Handing(7, lambda handing: handing.executor.end(place=-1))

    assert found.executor.handed_in == list(range(7))
    assert found.executor.most == 2 * AHEAD
    assert sorted(found.kept) == [(number, "done") for number in range(7)]
    assert found.kept[0] == (3, "done")
    assert (len(found.executors), found.ended, found.executor.shut) == (1, 0, [False])


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


def test_what_came_beside_a_loss_is_kept() -> None:
    """Only what was lost, or is still out, is played again."""

    def step(handing: Handing) -> None:
        if len(handing.executors) == 1:
            handing.executor.end()
            handing.executor.end(LostError())
        else:
            handing.executor.end()

    found = Handing(3, step)

    assert found.kept[0] == (0, "done")
    assert sorted(each.handed_in for each in found.executors[1:]) == [[1], [2]]


def test_a_point_that_is_lost_every_time_fails_and_the_others_do_not() -> None:
    """After as many tries, with words of its own; those that were out beside it are played."""

    def step(handing: Handing) -> None:
        handing.executor.end(LostError() if handing.executor.open[0][0] == 0 else DONE)

    outcomes = Handing(2, step)

    assert sum(each.handed_in.count(0) for each in outcomes.executors) == TRIES
    assert sorted(outcomes.kept) == [(0, "failed"), (1, "done")]


def test_what_still_runs_is_ended_when_it_is_stopped() -> None:
    """And cancelled; nothing of it is kept."""
    futures: list[Future[Any]] = []

    def step(handing: Handing) -> None:
        futures[:] = [future for _, future in handing.executor.open]
        handing.is_over = True

    found = Handing(9, step)

    assert (found.kept, found.ended) == ([], 1)
    assert [each.cancelled() for each in futures] == [True] * 4


def test_what_has_come_when_it_is_stopped_is_kept() -> None:
    """Though it was not looked at."""

    def step(handing: Handing) -> None:
        handing.executor.end()
        handing.is_over = True

    assert Handing(9, step).kept == [(0, "done")]


def test_a_late_point_is_handed_in_three_times_at_most_and_its_first_outcome_counts() -> None:
    """The others are cancelled."""
    futures: list[Future[Any]] = []

    def step(handing: Handing) -> None:
        if handing.looks > TRIES + 3:
            futures[:] = [future for _, future in handing.executor.open]
            handing.executor.end(place=1)

    found = Handing(1, step, patience_s=-1.0)

    assert found.executor.handed_in == [0] * TRIES
    assert found.kept == [(0, "done")]
    assert [each.cancelled() for each in futures] == [True, False, True]


def test_a_point_is_not_late_before_ten_times_the_longest() -> None:
    """However little patience the place has."""

    def step(handing: Handing) -> None:
        if not handing.kept:
            handing.executor.end(PointOutcome("done", seconds=1e6))
        elif handing.looks > 6:
            handing.executor.end()

    found = Handing(2, step, patience_s=0.0)

    assert found.executor.handed_in == [0, 1, 0, 1]
    assert found.kept == [(0, "done"), (1, "done")]


def test_without_a_switch_all_is_played() -> None:
    """Nobody stops or pauses it."""
    kept: list[int] = []

    class AtOnce(ByHand):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future = super().submit(fn, *args, **kwargs)
            self.end()
            return future

    play_all(base(), grid([], range(3)), WorkPlace("", 1, AtOnce, ()), lambda point, _: kept.append(point.number))
    assert kept == [0, 1, 2]


@pytest.mark.parametrize("count", [0, 1])
def test_no_executor_is_made_without_a_point(count: int) -> None:
    """There may be nothing to do."""
    assert len(Handing(count, lambda handing: handing.executor.end()).executors) == count
