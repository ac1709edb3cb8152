"""Which settings really decide: one is named only if the waiting ask starts sooner with it as loose as it can be."""

from collections.abc import Sequence
from functools import partial

from engine.explain.counterfactual import Ask, starts_sooner
from engine.explain.explainers import explainer_of
from engine.explain.obstacle_rows import ObstacleRow, without_setting
from engine.incremental import Incremental
from engine.simulation.simulation import Simulation


def with_confirmed_settings(
    here: Simulation, ask: Ask, rows: Sequence[ObstacleRow], expected_ms: int | None
) -> Incremental[tuple[ObstacleRow, ...]]:
    """The rows, without the settings that change nothing.

    Args:
        here: The instant asked about; while it is copied it must stand still.
        ask: What waits.
        rows: Its obstacles.
        expected_ms: When it starts as things are [epoch ms]; None when never.
    """
    found: tuple[ObstacleRow, ...] = ()
    for row in rows:
        is_confirmed = yield from _is_confirmed(here, ask, row, expected_ms)
        found = (*found, row if is_confirmed else without_setting(row))
    return found


def _is_confirmed(here: Simulation, ask: Ask, row: ObstacleRow, expected_ms: int | None) -> Incremental[bool]:
    """Whether some loose value of the setting of a row makes the ask start sooner."""
    for value in explainer_of(here).loose_values(row):
        change = partial(_loosen, ask=ask, row=row, value=value)
        if (yield from starts_sooner(here, ask, change, expected_ms)):
            return True
    return False


def _loosen(copy: Simulation, ask: Ask, row: ObstacleRow, value: str) -> None:
    explainer_of(copy).loosen(ask, row, value)
