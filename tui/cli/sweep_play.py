"""A sweep, or the search for a size, while it is played: what is done, by which processes and how fast."""

import os
import sys
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import msgspec

from engine import sweep
from engine.errors import ConfigError
from engine.sweep.runner import FAILED
from engine.sweep.sizing import Played
from engine.sweep.spec import sampled
from engine.units import plural
from tui.pages.size_page import SizeView
from tui.pages.tune import SweepView, WorkerFigures, rate_words
from tui.terminal import format as text


def place_of(dask: str | None, workers: int | None) -> sweep.WorkPlace:
    if dask is None:
        return sweep.local_place(workers or os.cpu_count() or 1)
    _check_installed("distributed", "--dask", "cluster")
    from engine.sweep.dask_workers import dask_place  # noqa: PLC0415 -- only a sweep on a cluster pays for it

    return dask_place(dask)


def points_of(spec: sweep.SweepSpec) -> list[sweep.Point]:
    """All points; none of a sweep that is tuned, where each round decides the next."""
    if spec.trials is not None:
        return []
    if spec.sample is None:
        return sweep.grid(spec.axes, spec.seeds)
    _check_installed("scipy", "--sample", "sweep")
    from scipy.stats import qmc  # noqa: PLC0415 -- only a sample pays for it

    return sampled(spec.axes, qmc.LatinHypercube(d=len(spec.axes), rng=0).random(n=spec.sample), spec.seeds)


def tune(spec: sweep.SweepSpec, store: sweep.SweepStore, played: Played) -> None:
    """Play what Optuna asks for; its study lies beside the sweep's file."""
    _check_installed("optuna", "--search", "sweep")
    from engine.sweep.tuning import tuned  # noqa: PLC0415 -- only tuning pays for it

    study = store.path.with_suffix(f"{store.path.suffix}.study")
    tuned(spec.axes, spec.goal, spec.limits, spec.trials or 0, spec.seeds, study, played)


def _check_installed(module: str, key: str, extra: str) -> None:
    if find_spec(module) is None:
        raise ConfigError.of(f"needs {module}", key=key, hint=f"install it with: pip install 'schedlab[{extra}]'")


PULSE_S: Final = 1.0  # Points done are counted by so many seconds
TWICE: Final = 2


class SweepPlay:
    def __init__(self, spec: sweep.SweepSpec, store: sweep.SweepStore, place: sweep.WorkPlace) -> None:
        self.spec, self._store, self._place = spec, store, place
        self.whole, self.rate, self.is_paused = 0, "", False
        self._there = store.numbers()
        self._workers: dict[str, WorkerFigures] = {}
        self._began_s, self._ended_s, self._pulse = time.monotonic(), 0.0, list[int]()

    @property
    def file(self) -> str:
        return self._store.path.name

    @property
    def folder(self) -> Path:
        return self._store.path.parent

    @property
    def done(self) -> int:
        return len(self._there)

    def play(self, is_stopped: Callable[[], bool], shown: Callable[[], None]) -> None:
        spec, before = self.spec, self.done
        points = points_of(spec)
        self.whole = len(points) if spec.trials is None else len(spec.seeds) * spec.trials
        self._began_s, self._ended_s, self._pulse = time.monotonic(), 0.0, []
        self.rate = f"{self.whole} points on {self._place.name}"
        shown()

        def keep(point: sweep.Point, outcome: sweep.PointOutcome) -> None:
            self._store.keep(point, outcome)
            self._there.add(point.number)
            self._count(outcome)
            seconds = time.monotonic() - self._began_s
            self.rate = rate_words(self.done, self.whole, self.done - before, seconds)
            shown()

        def played(some: list[sweep.Point]) -> Mapping[int, sweep.StoredPoint]:
            todo = [each for each in some if each.number not in self._there]
            sweep.play_all(spec.base, todo, self._place, keep, is_stopped, lambda: self.is_paused)
            wanted = {each.number for each in some}
            return {each.number: each for each in self._store.points() if each.number in wanted}

        if spec.trials is None:
            played(points)
        else:
            tune(spec, self._store, played)
        self._ended_s = time.monotonic()

    def forget_failed(self) -> None:
        """Have the points that failed played again by the next `play`, with twice the bounds."""
        self._store.forget(FAILED)
        self._there = self._store.numbers()
        seconds, memory_mb = self.spec.bounds.seconds, self.spec.bounds.memory_mb
        doubled = sweep.Bounds(seconds and TWICE * seconds, memory_mb and TWICE * memory_mb)
        self.spec = msgspec.structs.replace(self.spec, bounds=doubled)

    def add_seed(self) -> None:
        """Have every setting played with a further seed, too, by the next `play`, and ever after."""
        self.spec = msgspec.structs.replace(self.spec, seeds=(*self.spec.seeds, max(self.spec.seeds) + 1))
        self._store.tell(self.spec.about())

    def _count(self, outcome: sweep.PointOutcome) -> None:
        now_s = time.monotonic()
        part = int((now_s - self._began_s) / PULSE_S)
        self._pulse += [0] * (part + 1 - len(self._pulse))
        self._pulse[part] += 1
        old = self._workers.get(outcome.worker, WorkerFigures(outcome.worker))
        busy_s = old.busy_s + outcome.seconds
        self._workers[outcome.worker] = WorkerFigures(old.name, old.points + 1, busy_s, outcome.memory_mb, now_s)

    def view(self, *, is_running: bool) -> SweepView:
        spec = self.spec
        return SweepView(
            spec,
            sweep.summarised(self._store.points(), spec.axes, spec.goal, spec.limits),
            self.done,
            self.whole,
            self.rate,
            self._place.name,
            is_running,
            self.is_paused,
            tuple(each._replace(last_s=each.last_s - self._began_s) for _, each in sorted(self._workers.items())),
            tuple(self._pulse),
            self._ended_s - self._began_s if self._ended_s else time.monotonic() - self._began_s,
        )


def report_of(view: SweepView) -> str:
    from tui.report.sweep_page import sweep_page  # noqa: PLC0415 -- only a report pays for matplotlib

    return sweep_page(view.spec, view.summary, view.place, sys.argv[1:]).html()


# The search for a size: what it plays, what it keeps, and what else it would take.

STRAINS: Final[Mapping[str, Mapping[str, str]]] = {
    "with a rack lost": {sweep.LOST_RACKS: "1"},
    "with 20 % more work": {sweep.GROWTH: "20"},
}  # What else is asked of the nodes


class SizeSearch:
    def __init__(
        self, spec: sweep.SweepSpec, place: sweep.WorkPlace, store: sweep.SweepStore | None, *, is_strained: bool
    ) -> None:
        """With `is_strained` it is also found what the `STRAINS` take."""
        self.spec, self._place, self._store, self._is_strained = spec, place, store, is_strained
        self._there = {_key(each): each for each in (store.points() if store is not None else ())}
        (axis,), (limit, *_) = spec.axes, spec.limits
        file = "" if store is None else store.path.name
        nothing = sweep.Sizing(axis.key, (), None, len(spec.seeds))
        limits = text.listed([each.text for each in spec.limits])
        self.view = SizeView(spec.name, limit.goal, limits, limit.value, nothing, {}, file, is_running=True)
        """What is found so far."""

    def points(self) -> list[sweep.StoredPoint]:
        return list(self._there.values())

    def answer(self, is_stopped: Callable[[], bool], shown: Callable[[SizeView], None]) -> SizeView:
        """Search until the answer is there or it is stopped; `shown` is given what is found, again and again."""
        (axis,), (limit, *also) = self.spec.axes, self.spec.limits
        low, high = map(int, axis.values)

        def show(**found: Any) -> None:
            self.view = self.view._replace(**found)
            shown(self.view)

        def played(points: list[sweep.Point]) -> dict[int, sweep.StoredPoint]:
            """Play points; their results by number, fewer when it was stopped."""
            words = ", ".join(f"{key} {value}" for key, value in points[0].settings.items())

            def keep(point: sweep.Point, outcome: sweep.PointOutcome) -> None:
                numbered = msgspec.structs.replace(point, number=len(self._there))
                self._there[_key(point)] = sweep.stored(numbered, outcome)
                if self._store is not None:
                    self._store.keep(numbered, outcome)
                tell()

            def tell() -> None:
                share = sum(_key(each) in self._there for each in points) / len(points)
                show(share=share, doing=f"{words}; {plural(len(self._there), 'point')} played")

            tell()
            todo = [each for each in points if _key(each) not in self._there]
            if todo:
                sweep.play_all(self.spec.base, todo, self._place, keep, is_stopped)
            return {each.number: self._there[_key(each)] for each in points if _key(each) in self._there}

        seeds = self.spec.seeds
        found = sweep.sized(axis.key, low, high, limit, seeds, played, told=lambda some: show(sizing=some), also=also)
        show(sizing=found)
        answer = self.view.sizing.answer
        if answer is not None and self._is_strained and axis.key == sweep.NODES:
            for name, beside in STRAINS.items():
                other = sweep.sized(sweep.NODES, answer, high, limit, seeds, played, beside, also=also)
                step = other.step(high if other.answer is None else other.answer)
                if step is not None:
                    show(others={**self.view.others, name: step})
        show(is_running=False, is_stopped=is_stopped())
        return self.view


def _key(point: sweep.Point | sweep.StoredPoint) -> tuple[tuple[tuple[str, str], ...], int]:
    return tuple(sorted(point.settings.items())), point.seed
