"""Follows how long a run, as is proved, gets nowhere: nothing can be allocated, or containers are only taken back.

A comparison and a sweep ask it as often, so that both tell the same time.
"""

from collections.abc import Sequence

from engine.explain.alerts import FreezeDetector
from engine.explain.livelock import Livelock
from engine.incremental import UNBOUNDED
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation

Stretch = tuple[int, int]  # (since, until) [epoch ms]


class _Stretches:
    def __init__(self) -> None:
        self._over: list[Stretch] = []
        self._since_ms: int | None = None

    def follow(self, since_ms: int | None, now_ms: int) -> None:
        if self._since_ms is not None and since_ms is None:
            self._over.append((self._since_ms, now_ms))
            self._since_ms = None
        elif self._since_ms is None:
            self._since_ms = since_ms

    def until(self, until_ms: int) -> list[Stretch]:
        return [*self._over, *([] if self._since_ms is None else [(self._since_ms, until_ms)])]


class StandstillMeter:
    """A listener; asked between two instants, never from within a listener."""

    def __init__(self) -> None:
        self._outlook, self._livelock = FreezeDetector(), Livelock()
        self._freezes, self._livelocks = _Stretches(), _Stretches()

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._outlook.on_records(time_ms, records)
        self._livelock.on_records(time_ms, records)
        self._follow(time_ms)

    def look(self, simulation: Simulation) -> None:
        self._outlook.look(simulation)
        self._livelock.look(simulation, UNBOUNDED)
        self._follow(simulation.now_ms)

    def frozen(self, until_ms: int) -> list[Stretch]:
        """When nothing could be allocated any more to anybody, up to an instant, the present [epoch ms]."""
        return self._freezes.until(until_ms)

    def livelocked(self, until_ms: int) -> list[Stretch]:
        """When containers were taken back again and again and none of them ended by itself."""
        return self._livelocks.until(until_ms)

    def _follow(self, now_ms: int) -> None:
        livelock = self._livelock.standing
        self._freezes.follow(self._outlook.formed_ms, now_ms)
        self._livelocks.follow(None if livelock is None else livelock.since_ms, now_ms)


def length_ms(stretches: Sequence[Stretch]) -> int:
    return sum(until_ms - since_ms for since_ms, until_ms in stretches)
