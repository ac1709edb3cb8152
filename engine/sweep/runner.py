"""Has points played by an executor, and keeps what comes of each as it comes."""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Final

import msgspec

from engine.errors import ConfigError, Problem
from engine.sweep.executors import WorkPlace
from engine.sweep.playing import FAILED, FOREIGN, PointOutcome, SweepBase, play_point
from engine.sweep.points import Point

AHEAD: Final = 2
"""Points that are handed in for each worker, so that none of them waits for the next."""

TRIES: Final = 3
"""Times that a point is tried whose worker is lost."""

LATE: Final = 10
"""A point is late after so many times the CPU time of the longest: it waits for another one, on a slower machine."""

LOOK_S: Final = 0.2
"""Between two looks at whether to stop [s]."""


def play_all(
    base: SweepBase,
    points: Sequence[Point],
    place: WorkPlace,
    keep: Callable[[Point, PointOutcome], None],
    is_stopped: Callable[[], bool] = lambda: False,
    is_paused: Callable[[], bool] = lambda: False,
) -> None:
    """Play points; `keep` takes each outcome in this thread as it comes, in any order.

    A point whose worker is lost is played again, alone, up to `TRIES` times; then it counts as failed.
    A point that is late is handed in again, beside the first; the first outcome counts. While it is paused no point
    is begun.

    Raises:
        ConfigError: A worker has another version, or none is left.
    """
    todo, tries = deque(points), Counter[int]()
    while todo and not is_stopped():
        alone = bool(tries) and tries[todo[0].number] > 0
        handing = _Handing(base, place, keep, is_stopped, is_paused)
        lost = handing.played(todo, 1 if alone else place.workers * AHEAD)
        if is_stopped():
            place.end()
            return
        for point in lost:
            tries[point.number] += 1
            if tries[point.number] >= TRIES:
                keep(point, PointOutcome(FAILED, f"its worker was lost {TRIES} times"))
            else:
                todo.appendleft(point)


class _HandedIn(msgspec.Struct):
    """A point that an executor has, once or more often."""

    point: Point
    futures: list[Future[PointOutcome]]
    latest_s: float
    """When it was handed in last, of the monotonic clock [s]."""


class _Handing:
    """Hands points to one executor, until a worker of it is lost."""

    def __init__(
        self,
        base: SweepBase,
        place: WorkPlace,
        keep: Callable[[Point, PointOutcome], None],
        is_stopped: Callable[[], bool],
        is_paused: Callable[[], bool],
    ) -> None:
        self._place, self._keep, self._is_stopped, self._is_paused = place, keep, is_stopped, is_paused
        self._shipped = place.ship(base)
        self._executor = place.make()
        self._running: dict[int, _HandedIn] = {}
        self._lost: list[Point] = []
        self._longest_s = 0.0
        """The longest CPU time of a point."""

    def played(self, todo: deque[Point], most: int) -> list[Point]:
        """Play, so many at once, until all is done, a worker is lost or it is stopped; return the points lost."""
        try:
            while (todo or self._running) and not self._lost and not self._is_stopped():
                while todo and len(self._running) < most and not self._is_paused():
                    point = todo.popleft()
                    self._running[point.number] = _HandedIn(point, [self._submitted(point)], time.monotonic())
                self._look()
                if most == 1 and not self._running:
                    return self._lost
            self._take_done()
            return [*self._lost, *(each.point for each in self._running.values())]
        finally:
            self._cancel(self._running.values())
            self._executor.shutdown(wait=False)

    def _submitted(self, point: Point) -> Future[PointOutcome]:
        return self._executor.submit(play_point, self._shipped, point)

    def _look(self) -> None:
        futures = [future for each in self._running.values() for future in each.futures]
        if futures:
            wait(futures, LOOK_S, FIRST_COMPLETED)
        else:
            time.sleep(LOOK_S)  # paused
        self._take_done()
        self._place.check()
        self._hand_in_again()

    def _hand_in_again(self) -> None:
        """Hand in what waits for too long: its worker may be paused, and dask leaves a point with such a worker."""
        now_s, patience_s = time.monotonic(), max(self._place.patience_s, LATE * self._longest_s)
        for each in self._running.values():
            if now_s - each.latest_s > patience_s and len(each.futures) < TRIES:
                each.futures.append(self._submitted(each.point))
                each.latest_s = now_s

    def _take_done(self) -> None:
        """Keep the first outcome of each point."""
        for number, each in list(self._running.items()):
            done = next((future for future in each.futures if future.done()), None)
            if done is None:
                continue
            del self._running[number]
            self._cancel([each])
            try:
                outcome = done.result()
            except self._place.lost:
                self._lost.append(each.point)
                continue
            if outcome.status == FOREIGN:
                hint = "install the same version there"
                raise ConfigError([Problem(f"the worker {outcome.words}", key="--dask", hint=hint)])
            self._keep(each.point, outcome)
            self._longest_s = max(self._longest_s, outcome.seconds)

    @staticmethod
    def _cancel(handed_in: Iterable[_HandedIn]) -> None:
        for each in handed_in:
            for future in each.futures:
                future.cancel()
