"""Has points played by an executor, and keeps what comes of each as it comes."""

import gc
import math
import os
import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, Self

import msgspec

from engine.compare.comparison import SLICE_MS
from engine.compare.standstills import StandstillMeter, length_ms
from engine.errors import ConfigError, EngineError
from engine.formats.scenario_toml import loads
from engine.measures import Meter, RunMeasures
from engine.model.request import YARN_DIMENSIONS
from engine.observe.journal import program_version
from engine.observe.snapshots import terms_for, translate_terms
from engine.processes import end, processes
from engine.run.player import Run
from engine.scenario import Scenario
from engine.sweep.spec import Axis, Goal, GoalLimit, Point, goal_named, limit_of, varied

# Plays one point, in whatever process: from the bytes of a scenario to figures, a refusal or an error.


DONE, REFUSED, FAILED, FOREIGN = "done", "refused", "failed", "foreign"
"""What comes of a point: figures; settings that the scheduler's class does not take; an error or a bound that was
reached; a worker of another version, which played nothing."""


class Bounds(msgspec.Struct, frozen=True):
    """The most a point may take; None is no bound."""

    seconds: float | None = None  # Wall time
    memory_mb: int | None = None  # Resident memory of the process that plays it. Not looked at where /proc is missing.


class SweepBase(msgspec.Struct, frozen=True):
    """The part all points of a sweep share. It goes with each of them: a worker that stops takes nothing along."""

    scenario: bytes  # The scenario, as its file would be
    version: str  # That of the program that asks
    until_ms: int | None = None  # End of each play [ms after the start]; None takes the scenario's own
    bounds: Bounds = Bounds()


class PointOutcome(msgspec.Struct, frozen=True):
    status: str  # `DONE`, `REFUSED`, `FAILED` or `FOREIGN`
    words: str = ""  # The words of a refusal or an error, or the name and version of a foreign worker
    measures: RunMeasures | None = None
    seconds: float = 0.0  # CPU time
    worker: str = ""  # Host and process that played it
    memory_mb: int = 0  # Resident memory of that process at the end; 0 is unknown


@lru_cache(maxsize=1)
def _unpacked(scenario: bytes) -> Scenario:
    return loads(scenario.decode(), "sweep")


def play_point(base: SweepBase, point: Point) -> PointOutcome:
    """Play a point; whatever is wrong with it is its outcome."""
    worker = f"{socket.gethostname()}:{os.getpid()}"
    if base.version != program_version():
        return PointOutcome(FOREIGN, f"{worker} has schedlab {program_version()}, not {base.version}")
    outcome = _outcome(base, point)
    return msgspec.structs.replace(outcome, worker=worker, memory_mb=round(_resident_mb()))


def _play_in_worker(base: SweepBase, point: Point) -> PointOutcome:
    gc.collect()  # what the point before has left: a run is full of cycles
    return play_point(base, point)


def _outcome(base: SweepBase, point: Point) -> PointOutcome:
    began = time.process_time()
    try:
        measures = _played(base, point)
    except ConfigError as error:
        return PointOutcome(REFUSED, str(error))
    except (EngineError, ArithmeticError, LookupError, ValueError, MemoryError, RecursionError) as error:
        return PointOutcome(FAILED, f"{type(error).__name__}: {error}")
    except _BoundReachedError as error:
        return PointOutcome(FAILED, str(error))
    return PointOutcome(DONE, "", measures, time.process_time() - began)


class _BoundReachedError(Exception):
    """A point took as much as it may."""


def _played(base: SweepBase, point: Point) -> RunMeasures:
    scenario = varied(_unpacked(base.scenario), point.settings, point.seed)
    until_ms = scenario.duration_ms if base.until_ms is None else base.until_ms
    meter, still, seconds = Meter(), StandstillMeter(), base.bounds.seconds
    ends = None if seconds is None else time.monotonic() + seconds
    run = Run(scenario, [meter, still], until_ms, is_judged=False)
    meter.follow(run.simulation)
    for to_ms in range(SLICE_MS, until_ms + SLICE_MS, SLICE_MS):  # as a comparison does, for the same time frozen
        run.advance(min(to_ms, until_ms))
        still.look(run.simulation)
        _check(base.bounds, ends, min(to_ms, until_ms))
    end_ms = scenario.start_ms + until_ms
    frozen_ms, livelock_ms = length_ms(still.frozen(end_ms)), length_ms(still.livelocked(end_ms))
    return msgspec.structs.replace(meter.measures(end_ms), frozen_ms=frozen_ms, livelock_ms=livelock_ms)


def _check(bounds: Bounds, end: float | None, now_ms: int) -> None:
    if end is not None and time.monotonic() > end:
        raise _BoundReachedError(f"took more than {bounds.seconds:g} s; it had played {now_ms / 1000:g} s")
    if bounds.memory_mb is not None and _resident_mb() > bounds.memory_mb:
        raise _BoundReachedError(f"took more than {bounds.memory_mb} MB; it had played {now_ms / 1000:g} s")


def _resident_mb() -> float:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


# The places where points are played: processes of this machine, or other workers that a `WorkPlace` names.


class WorkPlace(NamedTuple):
    name: str  # For people
    workers: int
    make: Callable[[], Executor]  # Make the executor; again after its workers were lost
    lost: tuple[type[Exception], ...]  # What its futures raise when a worker was lost
    patience_s: float = math.inf
    """A point that waits for longer is handed in again [s]; infinite where no worker is paused without the others."""
    check: Callable[[], None] = lambda: None  # Raises ConfigError where nobody is left to play


def local_place(workers: int) -> WorkPlace:
    words = f"{workers} local process{'es' * (workers != 1)}"
    return WorkPlace(words, workers, lambda: processes(workers), (BrokenExecutor, CancelledError))


# The order for a sweep, as its file keeps it.

SPEC: Final = "spec"
VERSION: Final = "version"
SCENARIO: Final = "scenario"  # Names in a file's `about`


class SweepSpec(msgspec.Struct, frozen=True):
    """Everything that decides which points there are and what they are judged by."""

    scenario: str  # The scenario, as a file of its own would hold it
    name: str
    axes: tuple[Axis, ...]
    seeds: tuple[int, ...]
    sample: int | None = None  # Combinations drawn by Latin hypercube; None takes all
    trials: int | None = None  # Settings that Optuna asks for; None does not tune
    goal_name: str = "p95_wait"
    limit_texts: tuple[str, ...] = ()
    until_ms: int | None = None
    bounds: Bounds = Bounds()
    dimensions: tuple[str, ...] = YARN_DIMENSIONS  # Of amounts of the system that is played
    assumed: tuple[str, ...] = ()  # What is not known of the cluster that is played, and what is taken for it
    is_sizing: bool = False  # Whether the least value between the two of its axis is looked for that keeps its limit

    @property
    def goal(self) -> Goal:
        goal = goal_named(self.goal_name, "--goal")
        return msgspec.structs.replace(goal, title=translate_terms(goal.title, terms_for(self.dimensions)))

    @property
    def limits(self) -> tuple[GoalLimit, ...]:
        return tuple(limit_of(each, "--limit") for each in self.limit_texts)

    @property
    def base(self) -> SweepBase:
        return SweepBase(self.scenario.encode(), program_version(), self.until_ms, self.bounds)

    def about(self) -> dict[str, str]:
        spec = msgspec.structs.replace(self, scenario="")
        return {SCENARIO: self.scenario, SPEC: msgspec.json.encode(spec).decode(), VERSION: program_version()}

    @classmethod
    def of(cls, about: Mapping[str, str], file: str) -> Self:
        """What a file asks for. Raises ConfigError if another version made it, or it cannot be read."""
        made_by = about.get(VERSION, "unknown")
        if made_by != program_version():
            words = f"was made by schedlab {made_by}; this is {program_version()}, whose figures may differ"
            raise ConfigError.of(words, file)
        try:
            spec, scenario = msgspec.json.decode(about[SPEC], type=cls), str(about[SCENARIO])
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError.of(f"is not a sweep, or is damaged: {error}", file) from None
        return msgspec.structs.replace(spec, scenario=scenario)


AHEAD: Final = 2  # Points that are handed in for each worker, so that none of them waits for the next
TRIES: Final = 3  # Times that a point is tried whose worker is lost

LATE: Final = 10
"""A point is late after so many times the CPU time of the longest: it waits for another one, on a slower machine."""

LOOK_S: Final = 0.2  # Between two looks at whether to stop [s]


def play_all(
    base: SweepBase,
    points: Sequence[Point],
    place: WorkPlace,
    keep: Callable[[Point, PointOutcome], None],
    is_stopped: Callable[[], bool] = lambda: False,
    is_paused: Callable[[], bool] = lambda: False,
) -> None:
    """Play points; `keep` takes each outcome in this thread as it comes, in any order.

    A point whose worker is lost is played again, alone, up to `TRIES` times; then it counts as failed. A point that is
    late is handed in again, beside the first; the first outcome counts. While it is paused no point is begun. Raises
    ConfigError if a worker has another version, or none is left.
    """
    todo, tries = deque(points), Counter[int]()
    while todo and not is_stopped():
        alone = bool(tries) and tries[todo[0].number] > 0
        handing = _Handing(base, place, keep, is_stopped, is_paused)
        lost = handing.played(todo, 1 if alone else place.workers * AHEAD)
        if is_stopped():
            return
        for point in lost:
            tries[point.number] += 1
            if tries[point.number] >= TRIES:
                keep(point, PointOutcome(FAILED, f"its worker was lost {TRIES} times"))
            else:
                todo.appendleft(point)


class _HandedIn(msgspec.Struct):  # Once or more often
    point: Point
    futures: list[Future[PointOutcome]]
    latest_s: float  # When it was handed in last, of the monotonic clock [s]


class _Handing:
    def __init__(
        self,
        base: SweepBase,
        place: WorkPlace,
        keep: Callable[[Point, PointOutcome], None],
        is_stopped: Callable[[], bool],
        is_paused: Callable[[], bool],
    ) -> None:
        self._base, self._place, self._keep = base, place, keep
        self._is_stopped, self._is_paused = is_stopped, is_paused
        _unpacked(base.scenario)  # Processes that are copied from this one have read it
        self._executor = place.make()
        self._running: dict[int, _HandedIn] = {}
        self._lost: list[Point] = []
        self._longest_s = 0.0  # the longest CPU time of a point

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
            end(self._executor)

    def _submitted(self, point: Point) -> Future[PointOutcome]:
        return self._executor.submit(_play_in_worker, self._base, point)

    def _look(self) -> None:
        futures = [future for each in self._running.values() for future in each.futures]
        if futures:
            wait(futures, LOOK_S, FIRST_COMPLETED)
        else:
            time.sleep(LOOK_S)  # paused
        self._take_done()
        self._place.check()
        # What waits for too long is handed in again: its worker may be paused, and dask leaves a point with such a one.
        now_s, patience_s = time.monotonic(), max(self._place.patience_s, LATE * self._longest_s)
        for each in self._running.values():
            if now_s - each.latest_s > patience_s and len(each.futures) < TRIES:
                each.futures.append(self._submitted(each.point))
                each.latest_s = now_s

    def _take_done(self) -> None:
        for number, each in list(self._running.items()):
            done = next((future for future in each.futures if future.done()), None)
            if done is None:
                continue
            del self._running[number]
            for future in each.futures:
                future.cancel()
            try:
                outcome = done.result()
            except self._place.lost:
                self._lost.append(each.point)
                continue
            if outcome.status == FOREIGN:
                raise ConfigError.of(f"the worker {outcome.words}", key="--dask", hint="install the same version there")
            self._keep(each.point, outcome)
            self._longest_s = max(self._longest_s, outcome.seconds)
