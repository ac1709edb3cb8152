"""Which settings really decide: one is named only if the waiting ask starts sooner with it as loose as it can be.

Of an ask that never starts, and that no single setting would start, a smallest set is looked for that would.
"""

from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.explain.counterfactual import Ask, played_with, starts_sooner
from engine.explain.explainers import explainer_of
from engine.explain.obstacle_rows import PROVED, TRIED_TOGETHER, ObstacleRow, without_setting
from engine.incremental import Incremental
from engine.schedulers.scheduler_view import Setting
from engine.settings.site import NODE_MEMORY, NODE_VCORES
from engine.simulation.simulation import Simulation

TOGETHER: Final = 12
"""Number of settings that are loosened together at most."""

REVEALED: Final = 4
"""Number of times further obstacles are looked for, once all settings known are loose."""

_OF_NODES: Final = (NODE_MEMORY.name, NODE_VCORES.name)
"""Settings that are loosened on the nodes of an obstacle alone."""

_Known = dict[tuple[str, str, tuple[str, ...]], bool]
"""Effect of a loosening → whether the ask starts sooner with it."""


class _Loosening(NamedTuple):
    """A setting of an obstacle, and one of its loose values."""

    row: ObstacleRow
    value: str
    ask: Ask
    """The ask it is an obstacle of."""

    def effect(self) -> tuple[str, str, tuple[str, ...]]:
        """Return what a loosened copy depends on: of one ask, equal effects make equal copies."""
        assert self.row.decided_by is not None, "there is a setting to loosen"
        key = self.row.decided_by.key
        return key, self.value, self.row.nodes if key in _OF_NODES else ()


def with_confirmed_settings(
    here: Simulation, ask: Ask, rows: Sequence[ObstacleRow], expected_ms: int | None, whose: Ask | None = None
) -> Incremental[tuple[ObstacleRow, ...]]:
    """The obstacles of an ask, or of another one that comes first (`whose`), without settings that change nothing.

    Where no setting alone starts an ask that never would (`expected_ms` None), or one that limits of its queues hold
    back, the first row has those that do together. `here` must stand still while it is copied.
    """
    explainer, whose = explainer_of(here), whose or ask
    proved = tuple(row for row in rows if row.code in PROVED)
    choices = [(row, *explainer.other_settings(whose, row)) for row in rows if row.code not in PROVED]
    known: _Known = {}
    found: list[ObstacleRow] = []
    for choice in choices:
        decisive = without_setting(choice[0])
        if choice[0].code in TRIED_TOGETHER:
            found.append((yield from _with_needed(here, ask, whose, choice[0], expected_ms)))
            continue
        for row in choice:
            if (yield from _is_confirmed(here, ask, whose, row, expected_ms, known)):
                decisive = row
                break
        found.append(decisive)
    is_limited = any(row.level == "QUEUE" and row.decided_by for choice in choices for row in choice)
    is_open = not any(row.decided_by or row.together for row in (*found, *proved))
    if found and is_open and (expected_ms is None or is_limited):
        some = [row for choice in choices for row in choice]
        needed = yield from _needed(here, ask, whose, some, expected_ms)
        found[0] = replace(found[0], together=needed or found[0].together)
    return (*found, *proved)


def _is_confirmed(
    here: Simulation, ask: Ask, whose: Ask, row: ObstacleRow, expected_ms: int | None, known: _Known
) -> Incremental[bool]:
    """Tell whether some loose value of the setting of a row makes the ask start sooner; each effect is tried once."""
    for value in explainer_of(here).loose_values(row):
        loosening = _Loosening(row, value, whose)
        effect = loosening.effect()
        if effect not in known:
            known[effect] = yield from starts_sooner(here, ask, partial(_loosen, some=[loosening]), expected_ms)
        if known[effect]:
            return True
    return False


def _needed(
    here: Simulation, ask: Ask, whose: Ask, rows: Sequence[ObstacleRow], expected_ms: int | None
) -> Incremental[tuple[Setting, ...]]:
    """The settings of a smallest set that together start an ask sooner than expected; empty when none is found.

    What stands in the way once the settings of `rows` are loose counts as well.
    """
    explainer, some = explainer_of(here), _first_values(here, whose, rows)
    for _ in range(REVEALED):
        if not some or len(some) > TOGETHER:
            return ()
        ahead = yield from played_with(here, ask, partial(_loosen, some=some), expected_ms)
        served = ahead.start_of(*ask)
        if served is not None and (expected_ms is None or served.time_ms < expected_ms):
            needed = yield from _smallest(here, ask, some, expected_ms)
            return tuple(each.row.decided_by for each in needed if each.row.decided_by is not None)
        revealed = yield from explainer_of(ahead.simulation).obstacles(*whose)
        rows = (*rows, *(row for each in revealed for row in (each, *explainer.other_settings(whose, each))))
        known, some = len(some), _first_values(here, whose, rows)
        if len(some) == known:
            return ()
    return ()


def _with_needed(
    here: Simulation, ask: Ask, whose: Ask, row: ObstacleRow, expected_ms: int | None
) -> Incremental[ObstacleRow]:
    """A row with those of its settings that, loosened together, start the ask sooner, and all of which are needed."""
    some = _first_values(here, whose, [replace(row, decided_by=each) for each in row.together])
    if not some or not (yield from starts_sooner(here, ask, partial(_loosen, some=some), expected_ms)):
        return replace(row, together=())
    needed = yield from _smallest(here, ask, some, expected_ms)
    return replace(row, together=tuple(each.row.decided_by for each in needed if each.row.decided_by is not None))


def _first_values(here: Simulation, whose: Ask, rows: Sequence[ObstacleRow]) -> list[_Loosening]:
    """One loosening for each setting of some rows."""
    explainer = explainer_of(here)
    found: dict[str, _Loosening] = {}
    for row in rows:
        if row.decided_by is not None and row.decided_by.key not in found and (values := explainer.loose_values(row)):
            found[row.decided_by.key] = _Loosening(row, values[0], whose)
    return list(found.values())


def _smallest(
    here: Simulation, ask: Ask, some: Sequence[_Loosening], expected_ms: int | None = None
) -> Incremental[list[_Loosening]]:
    """Return a set of loosenings all of which the ask needs to start (sooner): it is one-minimal, not smallest."""
    needed, kept = deque(reversed(some)), 0
    while len(needed) > 1 and kept < len(needed):  # what another one made necessary may not be so without it
        each = needed.popleft()
        others = [one for one in some if one in needed]
        if (yield from starts_sooner(here, ask, partial(_loosen, some=others), expected_ms)):
            kept = 0
        else:
            needed.append(each)
            kept += 1
    return [one for one in some if one in needed]


def _loosen(copy: Simulation, some: Sequence[_Loosening]) -> None:
    for each in some:
        explainer_of(copy).loosen(each.ask, each.row, each.value)
