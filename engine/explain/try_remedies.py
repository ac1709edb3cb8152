"""What would make one application start: single remedies tried now, each on a copy of its own, a piece at a time.

A remedy helps when the closed world after it gives the application something, and sooner than without it.
"""

from collections.abc import Generator, Iterator
from typing import Final, NamedTuple

from engine.explain.explainers import explainer_of
from engine.explain.lookahead import HORIZON_MS, ahead_of
from engine.explain.remedy import Remedy, apply_remedy
from engine.incremental import Task
from engine.simulation.simulation import Simulation

SOONEST_MS: Final = 1
"""Less than that sooner is no help [ms]."""


class Cure(NamedTuple):
    """What came of a remedy."""

    remedy: Remedy
    starts_ms: int | None
    """When the application was then given something [epoch ms]; None when not, or no sooner than without it."""


def cures(
    simulation: Simulation, number: int, expected_ms: int | None = None
) -> Generator[int, None, tuple[Cure, ...]]:
    """Try every remedy of the fixed list for an application; pauses with the instant it has come to [epoch ms].

    Args:
        simulation: Where to ask, between two instants; it is not changed.
        number: The application; to kill it is no remedy.
        expected_ms: When it starts anyway [epoch ms]; None when never.
    """
    horizon_ms = HORIZON_MS if expected_ms is None else max(0, expected_ms - simulation.now_ms - SOONEST_MS)
    tried = []
    for remedy in remedies_for(simulation, number):
        copying = Task(ahead_of(simulation, horizon_ms))
        while not copying.advance():
            yield simulation.now_ms
        ahead = copying.result()
        apply_remedy(ahead.simulation, remedy)
        yield ahead.now_ms
        while number not in ahead.first and not ahead.advance():
            yield ahead.now_ms
        starts_ms = ahead.first.get(number)
        is_sooner = starts_ms is not None and (expected_ms is None or starts_ms < expected_ms)
        tried.append(Cure(remedy, starts_ms if is_sooner else None))
    return tuple(tried)


def remedies_for(simulation: Simulation, number: int) -> Iterator[Remedy]:
    """The fixed list, without killing the application itself."""
    return (each for each in explainer_of(simulation).remedies() if each.application != number)
