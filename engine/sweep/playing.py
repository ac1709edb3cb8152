"""Plays one point, in whatever process: from the bytes of a scenario to figures, a refusal or an error."""

import gc
import os
import socket
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from engine.errors import ConfigError, EngineError
from engine.explain.freeze_detector import Outlook
from engine.formats.scenario_toml import loads
from engine.measures import Meter, RunMeasures
from engine.observe.journal import program_version
from engine.run.player import Run
from engine.scenario import Scenario
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation
from engine.sweep.points import Point, varied

SLICES: Final = 200
"""Parts in which a play is looked at, for its bounds and for whether it is frozen."""

DONE, REFUSED, FAILED, FOREIGN = "done", "refused", "failed", "foreign"
"""What comes of a point: figures; settings that the scheduler's class does not take; an error or a bound that was
reached; a worker of another version, which played nothing."""


class Bounds(msgspec.Struct, frozen=True):
    """The most a point may take; None is no bound."""

    seconds: float | None = None
    """Wall time."""
    memory_mb: int | None = None
    """Resident memory of the process that plays it. Not looked at where /proc is missing."""


class SweepBase(msgspec.Struct, frozen=True):
    """The part all points of a sweep share: a worker needs it once."""

    scenario: bytes
    """The scenario, as its file would be."""
    version: str
    """That of the program that asks."""
    until_ms: int | None = None
    """End of each play [ms after the start]; None takes the scenario's own."""
    bounds: Bounds = Bounds()


class PointOutcome(msgspec.Struct, frozen=True):
    """The outcome of a point."""

    status: str
    """`DONE`, `REFUSED`, `FAILED` or `FOREIGN`."""
    words: str = ""
    """The words of a refusal or an error, or the name and version of a foreign worker."""
    measures: RunMeasures | None = None
    seconds: float = 0.0
    """CPU time."""
    worker: str = ""
    """Host and process that played it."""
    memory_mb: int = 0
    """Resident memory of that process at the end; 0 is unknown."""


@lru_cache(maxsize=1)
def _unpacked(scenario: bytes) -> Scenario:
    return loads(scenario.decode(), "sweep")


def unpacked(base: SweepBase) -> SweepBase:
    """Read the scenario, so that processes that are copied from this one have it; return what was given."""
    _unpacked(base.scenario)
    return base


def play_point(base: SweepBase, point: Point) -> PointOutcome:
    """Play a point; whatever is wrong with it is its outcome."""
    worker = f"{socket.gethostname()}:{os.getpid()}"
    if base.version != program_version():
        return PointOutcome(FOREIGN, f"{worker} has schedlab {program_version()}, not {base.version}")
    outcome = _outcome(base, point)
    gc.collect()
    return msgspec.structs.replace(outcome, worker=worker, memory_mb=round(_resident_mb()))


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


class FreezeMeter:
    """A listener that measures how long nothing could be allocated any more, by proof, though somebody waited.

    It is asked between two instants, never from within a listener.
    """

    def __init__(self) -> None:
        self._outlook = Outlook()
        self._since_ms: int | None = None
        self._frozen_ms = 0

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Take the records of one instant: an allocation ends a freeze."""
        self._outlook.records(time_ms, records)
        self._follow(time_ms)

    def look(self, simulation: Simulation) -> None:
        """Prove whether it is frozen now."""
        self._outlook.look(simulation)
        self._follow(simulation.now_ms)

    def frozen_ms(self, until_ms: int) -> int:
        """Return how long it was frozen up to an instant [epoch ms]."""
        return self._frozen_ms + (0 if self._since_ms is None else until_ms - self._since_ms)

    def _follow(self, now_ms: int) -> None:
        formed_ms = self._outlook.formed_ms
        if self._since_ms is not None and formed_ms is None:
            self._frozen_ms += now_ms - self._since_ms
            self._since_ms = None
        elif self._since_ms is None:
            self._since_ms = formed_ms


class _BoundReachedError(Exception):
    """A point took as much as it may."""


def _played(base: SweepBase, point: Point) -> RunMeasures:
    scenario = varied(_unpacked(base.scenario), point.settings, point.seed)
    until_ms = scenario.duration_ms if base.until_ms is None else min(base.until_ms, scenario.duration_ms)
    meter, freezes, ends = Meter(), FreezeMeter(), _end(base.bounds)
    run = Run(scenario, [meter, freezes], until_ms, is_judged=False)
    meter.follow(run.simulation)
    step_ms = max(1, -(-until_ms // SLICES))
    for to_ms in range(step_ms, until_ms + step_ms, step_ms):
        run.advance(min(to_ms, until_ms))
        freezes.look(run.simulation)
        _check(base.bounds, ends, min(to_ms, until_ms))
    end_ms = scenario.start_ms + until_ms
    return msgspec.structs.replace(meter.measures(end_ms), frozen_ms=freezes.frozen_ms(end_ms))


def _end(bounds: Bounds) -> float | None:
    return None if bounds.seconds is None else time.monotonic() + bounds.seconds


def _check(bounds: Bounds, end: float | None, now_ms: int) -> None:
    if end is not None and time.monotonic() > end:
        raise _BoundReachedError(f"took more than {bounds.seconds:g} s; it had played {now_ms / 1000:g} s")
    if bounds.memory_mb is not None and _resident_mb() > bounds.memory_mb:
        raise _BoundReachedError(f"took more than {bounds.memory_mb} MB; it had played {now_ms / 1000:g} s")


def _resident_mb() -> float:
    """Resident memory of this process; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
