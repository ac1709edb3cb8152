"""Patterns that every part of the explanations knows by name, and the search for containers preempted in a circle."""

from typing import Final

from engine.explain.lookahead import Ahead, ahead_of
from engine.incremental import Incremental
from engine.simulation.simulation import Simulation

HEAD_OF_LINE: Final = "FIFO head of line"

LIVELOCK: Final = "preemption livelock"
"""The one pattern that takes playing on to tell."""

PREEMPTIONS: Final = 3
"""Containers preempted from one application that never ends any, before it is called a livelock."""

LIVELOCK_MS: Final = 1_800_000
"""How far is looked for them [ms]."""


def goes_round(simulation: Simulation, parties: int = 1) -> Incremental[tuple[int, ...]]:
    """Applications that in the closed world have containers preempted again and again, and none that ever runs out.

    Args:
        simulation: Where it begins; while it is copied it must stand still.
        parties: How many there are to be found at least; none are when there are fewer.
    """
    later = yield from ahead_of(simulation, LIVELOCK_MS)
    while later.preempted_ms is None and not later.advance():
        yield
    while len(found := _going_round(later)) < parties:
        if all(map(later.completed.get, later.preempted)) or later.advance():
            return ()
        yield
    return found


def _going_round(ahead: Ahead) -> tuple[int, ...]:
    return tuple(
        number for number, count in ahead.preempted.items() if count >= PREEMPTIONS and not ahead.completed.get(number)
    )
