"""Which settings really decide: one is named only if the waiting ask starts sooner with it as loose as it can be.

Where no single setting suffices, a smallest set is looked for that does when all of it is loosened.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from engine.explain.counterfactual import Ask, played_with, starts_sooner
from engine.explain.explainers import explainer_of
from engine.explain.obstacle_rows import ObstacleRow, without_setting
from engine.incremental import Incremental
from engine.simulation.simulation import Simulation

TOGETHER: Final = 12
"""How many settings are loosened together at most."""

REVEALED: Final = 4
"""How often it is looked what else stands in the way, once all settings known are loose."""


class _Loosening(NamedTuple):
    """A setting of an obstacle, and one of its loose values."""

    row: ObstacleRow
    value: str
    ask: Ask
    """Whose obstacle it is."""


def with_confirmed_settings(
    here: Simulation, ask: Ask, rows: Sequence[ObstacleRow], expected_ms: int | None, whose: Ask | None = None
) -> Incremental[tuple[ObstacleRow, ...]]:
    """The rows, without the settings that change nothing; a row that needs two settings loosened stands there twice.

    Args:
        here: The instant asked about; while it is copied it must stand still.
        ask: What waits.
        rows: Its obstacles, or those of another ask that comes first.
        expected_ms: When it starts as things are [epoch ms]; None when never.
        whose: Whose obstacles they are; None for those of the ask itself.
    """
    explainer, whose = explainer_of(here), whose or ask
    choices = [(row, *explainer.other_settings(whose, row)) for row in rows]
    found: list[ObstacleRow] = []
    for choice in choices:
        found.append(without_setting(choice[0]))
        for row in choice:
            values = explainer.loose_values(row)
            if (
                yield from _helps(
                    here, ask, [_Loosening(row, value, whose) for value in values], expected_ms, alone=True
                )
            ):
                found[-1] = row
                break
    if any(row.decided_by is not None for row in found):
        return tuple(found)
    needed = yield from _needed(here, ask, whose, [row for choice in choices for row in choice], expected_ms)
    decisive, result = {row.decided_by for row in needed}, list[ObstacleRow]()
    for choice in choices:
        own = [row for row in choice if row.decided_by in decisive]
        result += own or [without_setting(choice[0])]
    shown = {row.decided_by for row in result}
    return (*result, *(row for row in needed if row.decided_by not in shown))


def _needed(
    here: Simulation, ask: Ask, whose: Ask, rows: Sequence[ObstacleRow], expected_ms: int | None
) -> Incremental[list[ObstacleRow]]:
    """Rows whose settings together make the ask start sooner, a smallest set; empty when none is found.

    What stands in the way once the settings of `rows` are loose counts as well.
    """
    explainer, some = explainer_of(here), _first_values(here, whose, rows)
    for _ in range(REVEALED):
        if not some or len(some) > TOGETHER:
            return []
        ahead = yield from played_with(here, ask, partial(_loosen, some=some), expected_ms)
        served = ahead.start_of(*ask)
        if served is not None and (expected_ms is None or served.time_ms < expected_ms):
            return [each.row for each in (yield from _smallest(here, ask, some, expected_ms))]
        revealed = yield from explainer_of(ahead.simulation).obstacles(*whose)
        revealed = tuple(row for each in revealed for row in (each, *explainer.other_settings(whose, each)))
        more = _first_values(here, whose, (*rows, *revealed))
        if len(more) == len(some):
            return []
        rows, some = (*rows, *revealed), more
    return []


def _first_values(here: Simulation, whose: Ask, rows: Sequence[ObstacleRow]) -> list[_Loosening]:
    """One loosening for each setting of some rows."""
    explainer = explainer_of(here)
    found = {}
    for row in rows:
        if row.decided_by is not None and row.decided_by.key not in found and (values := explainer.loose_values(row)):
            found[row.decided_by.key] = _Loosening(row, values[0], whose)
    return list(found.values())


def _smallest(
    here: Simulation, ask: Ask, some: Sequence[_Loosening], expected_ms: int | None
) -> Incremental[list[_Loosening]]:
    """Those of some loosenings without any of which the ask would start no sooner."""
    needed = list(some)
    for each in reversed(some):
        others = [one for one in needed if one is not each]
        if others and (yield from _helps(here, ask, others, expected_ms)):
            needed = others
    return needed


def _helps(
    here: Simulation, ask: Ask, some: Sequence[_Loosening], expected_ms: int | None, *, alone: bool = False
) -> Incremental[bool]:
    """Whether the ask starts sooner with all of some loosenings, or with any of them alone."""
    for each in [[one] for one in some] if alone else [some]:
        if (yield from starts_sooner(here, ask, partial(_loosen, some=each), expected_ms)):
            return True
    return False


def _loosen(copy: Simulation, some: Sequence[_Loosening]) -> None:
    for each in some:
        explainer_of(copy).loosen(each.ask, each.row, each.value)
