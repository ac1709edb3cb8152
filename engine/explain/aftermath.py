"""What follows when a remedy is applied: the instants that matter, and how much is allocated, on a closed copy."""

from collections.abc import Sequence
from typing import Final

import msgspec

from engine.explain.remedy import Remedy
from engine.explain.remedy_trial import ACT_MS, FOLLOW_MS, Target
from engine.incremental import Incremental
from engine.model.decision import Allocated, ApplicationTransitioned, Killed, Unreserved
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation

MINUTE_MS: Final = 60_000

STEP_MS: Final = 1000
"""How often the cluster is looked at [ms]."""

NAMED: Final = 3
"""How many of those that start are named."""


class Happening(msgspec.Struct, frozen=True):
    """Something worth telling."""

    time_ms: int
    """Epoch ms."""
    words: str


class Aftermath(msgspec.Struct, frozen=True):
    """What follows."""

    happenings: tuple[Happening, ...]
    """In the order of time."""
    allocated: tuple[int, ...]
    """Containers allocated in each minute after the act."""


class _Chronicle:
    """Listens to what follows an act."""

    def __init__(self, from_ms: int, targets: Sequence[Target]) -> None:
        self._from_ms = from_ms
        self._targets = {number for number, _ in targets}
        self.allocated = [0] * (FOLLOW_MS // MINUTE_MS)
        self.dropped = self.killed = self.ended = 0
        self.started: dict[int, tuple[int, str]] = {}

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Count."""
        for record in records:
            if isinstance(record, Allocated):
                minute = (time_ms - self._from_ms) // MINUTE_MS
                if minute < len(self.allocated):
                    self.allocated[minute] += 1
                if record.container[0] in self._targets:
                    self.started.setdefault(record.container[0], (time_ms, record.node.partition(":")[0]))
            elif isinstance(record, Unreserved):
                self.dropped += 1
            elif isinstance(record, Killed):
                self.killed += 1
            elif isinstance(record, ApplicationTransitioned) and record.state in FINAL_APPLICATION_STATES:
                self.ended += 1


def aftermath(here: Simulation, remedy: Remedy, targets: Sequence[Target]) -> Incremental[Aftermath]:
    """Apply a remedy to a copy and play it on for `FOLLOW_MS`.

    Args:
        here: The instant, closed; it is not changed.
        remedy: What to do.
        targets: Those it is for.
    """
    simulation = yield from here.forking()
    simulation.run_before(here.now_ms + ACT_MS)
    begin_ms = simulation.now_ms
    chronicle = _Chronicle(begin_ms, targets)
    simulation.listeners.append(chronicle)
    before = _share(simulation)
    _ = simulation.act(remedy.action)
    found = [Happening(begin_ms, words)] if (words := _at_once(chronicle)) else []
    most, most_ms, idle_ms = before, begin_ms, None
    for time_ms in range(begin_ms + STEP_MS, begin_ms + FOLLOW_MS, STEP_MS):
        simulation.run_until(time_ms)
        if (share := _share(simulation)) > most:
            most, most_ms = share, time_ms
        if idle_ms is None and not simulation.control_plane.view().somebody_waits():
            idle_ms = time_ms
        yield
    started = sorted(chronicle.started.items(), key=lambda each: each[1][0])
    found += [Happening(at_ms, f"{number} is given a container on {host}") for number, (at_ms, host) in started[:NAMED]]
    if len(started) > NAMED:
        found.append(Happening(started[-1][1][0], f"the last of {len(started)} is given something"))
    if most > before:
        found.append(Happening(most_ms, f"memory used {before} % -> {most} %"))
    if idle_ms is not None:
        found.append(Happening(idle_ms, "nobody waits any more"))
    ended, left = chronicle.ended, len(simulation.control_plane.view().applications())
    found.append(Happening(simulation.now_ms, f"{ended} applications have ended, {left} go on"))
    return Aftermath(tuple(sorted(found, key=lambda each: each.time_ms)), tuple(chronicle.allocated))


def _share(simulation: Simulation) -> int:
    """Used memory [% of the total]."""
    figures = simulation.control_plane.view().figures()
    return 100 * figures.used[0] // figures.total[0] if figures.total[0] else 0


def _at_once(chronicle: _Chronicle) -> str:
    """What the act itself ended, in words."""
    counts = ((chronicle.killed, "container"), (chronicle.dropped, "reservation"))
    parts = [f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts if count]
    return f"gone at once: {' and '.join(parts)}" if parts else ""
