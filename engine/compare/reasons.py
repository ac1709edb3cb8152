"""Says of a divergence what each run decided, and which rule says so, by playing the runs once more up to it."""

from collections.abc import Sequence

import msgspec

from engine.compare.comparison import Contestant
from engine.compare.divergences import Divergence
from engine.explain.explainers import explainer_of
from engine.explain.obstacle_rows import ObstacleRow
from engine.incremental import finish
from engine.model.decision import Allocated, ApplicationTransitioned, Decision, Killed, Reserved
from engine.observe.snapshot import ApplicationRow
from engine.observe.snapshots import snapshot_of
from engine.run.player import Run
from engine.simulation.simulation import Simulation


class SideReason(msgspec.Struct, frozen=True):
    """One run at a divergence."""

    letter: str
    decided: str
    """What it decided on the application, e.g. `reserves n6 for 62.5g/4c`; `passes it by` where nothing."""
    rule: str
    """What decided that: the first thing in the way of the application on the node, else in its queue; empty where
    nothing was."""
    setting: str
    """The setting behind that, `key = value`; empty where there is none."""
    has: int
    """Containers allocated to it by then."""
    reserved: int
    """Nodes reserved for it then."""


class Parting(msgspec.Struct, frozen=True):
    """A divergence with its reasons."""

    time_ms: int
    """Epoch ms."""
    application: int
    name: str
    user: str
    queue: str
    node: str
    """Host of the node that was decided on; empty where none was."""
    asks: str
    """What it asked for then under the first run, e.g. `2 x 62.5g/4c`."""
    sides: tuple[SideReason, ...]
    alike_ms: int | None
    """When they were alike again [epoch ms]; None when they were not by the end."""


def partings_of(contestants: Sequence[Contestant], divergences: Sequence[Divergence]) -> tuple[Parting, ...]:
    """The reasons of divergences, which are in order of time; each run is played once, up to the last of them."""
    stands = [_Stand(each) for each in contestants]
    return tuple(_parting(each, stands) for each in divergences)


class _Stand:
    """One run, which goes on from one divergence to the next."""

    def __init__(self, contestant: Contestant) -> None:
        self.letter = contestant.letter
        self._start_ms = contestant.scenario.start_ms
        self._run = Run(contestant.scenario, is_judged=False)

    def before(self, time_ms: int) -> Simulation:
        """The simulation just before the events of an instant [epoch ms]."""
        self._run.advance(max(self._run.now_ms, time_ms - self._start_ms - 1))
        return self._run.simulation


def _parting(divergence: Divergence, stands: Sequence[_Stand]) -> Parting:
    rows = [_row(each.before(divergence.time_ms), divergence.application) for each in stands]
    known = next((row for row in rows if row is not None), None)
    host = divergence.node.rpartition(":")[0]
    return Parting(
        divergence.time_ms,
        divergence.application,
        "" if known is None else known.name,
        "" if known is None else known.user,
        "" if known is None else known.queue,
        host,
        "" if known is None else _asks(known),
        tuple(_side(each, divergence, host) for each in stands),
        divergence.alike_ms,
    )


def _row(simulation: Simulation, number: int) -> ApplicationRow | None:
    rows = snapshot_of(simulation.control_plane, simulation.now_ms).applications(why=False)
    return next((row for row in rows if row.number == number), None)


def _asks(row: ApplicationRow) -> str:
    asks = row.asks if isinstance(row.asks, tuple) else ()
    return ", ".join(f"{ask.count} x {size_words(*ask.size)}" for ask in asks[:2])


def size_words(memory_mb: int, vcores: int) -> str:
    """A size in few words.

    >>> size_words(64000, 4)
    '62.5g/4c'
    """
    gigabytes = memory_mb / 1024
    return f"{gigabytes:.1f}".removesuffix(".0") + f"g/{vcores}c" if memory_mb >= 1024 else f"{memory_mb}m/{vcores}c"


def _side(stand: _Stand, divergence: Divergence, host: str) -> SideReason:
    letter, number = stand.letter, divergence.application
    decisions = divergence.decisions.get(letter, ())
    allocated, reserved, *_ = divergence.stands.get(letter, (0, 0, 0, 0))
    simulation = stand.before(divergence.time_ms)
    rows = finish(explainer_of(simulation).obstacles(number))
    row = next((each for each in rows if host and host in each.nodes), None) or next(iter(rows), None)
    is_given = any(isinstance(each, Allocated) for each in decisions)
    return SideReason(
        letter,
        "; ".join(map(_words, decisions)) or "passes it by",
        "" if row is None or is_given else row.answer,
        "" if row is None or is_given else _setting(row),
        allocated,
        reserved,
    )


def _setting(row: ObstacleRow) -> str:
    found = row.decided_by
    return "" if found is None else f"{found.key} = {found.value}" if found.value else found.key


def _words(decision: Decision) -> str:
    match decision:
        case Allocated():
            size = size_words(decision.memory_mb, decision.vcores)
            return f"gives it {size} on {decision.node.rpartition(':')[0]}"
        case Reserved():
            size = size_words(decision.memory_mb, decision.vcores)
            return f"reserves {decision.node.rpartition(':')[0]} for {size}"
        case Killed():
            return f"takes a container from it on {decision.node.rpartition(':')[0]} ({decision.cause})"
        case ApplicationTransitioned():
            return f"ends it {decision.state}"
        case _:
            return f"drops its reservation of {decision.node.rpartition(':')[0]}"
