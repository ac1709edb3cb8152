"""Finds the applications whose end would start a waiting one; each that is named makes a difference.

Each suspect is killed in a closed world of its own. Where the end of no single one helps, a smallest set is looked for
without which the application starts.
"""

from collections import deque
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final

from engine.explain.lookahead import HORIZON_MS, Ahead, ahead_of
from engine.incremental import Incremental
from engine.scenario.acts import KillApplication
from engine.simulation.simulation import Simulation

Ask = tuple[int, int | None]
"""An application, and the priority of what it asks for; None for all it asks for."""

PIECES: Final = 1_200
"""Pieces of work for all suspects of one question, shared out alike; who takes longer is not confirmed."""

SUSPECTS: Final = 12
"""Number of suspects that are tried, the first ones; the others are not named."""

FEW: Final = 4
"""Number of them that are tried first where there are more; if one of these matters, the others are not named."""


def confirmed(
    here: Simulation, ask: Ask, suspects: Sequence[int], expected_ms: int | None
) -> Incremental[tuple[int, ...]]:
    """Return the applications without which another one starts sooner, in their order.

    That is everybody whose end alone helps or, where there is none, a smallest set whose end together does; nothing
    where not even the end of all does. Of the suspects those come first that seem to matter most; without them the ask
    starts at `expected_ms`, None when never. `here` must stand still while it is copied.
    """
    tried = tuple(each for each in suspects[:SUSPECTS] if each != ask[0])
    is_many = len(suspects) > SUSPECTS
    helps: dict[int, bool] = {}
    for each in tried:
        # The first ones seem to matter most; a crowd behind them is not tried once one of them counts.
        if is_many and len(helps) >= FEW and any(helps.values()):
            return tuple(number for number, is_needed in helps.items() if is_needed)
        helps[each] = yield from starts_sooner(here, ask, partial(_kill, numbers=(each,)), expected_ms)
    # Together they are tried only where no single end is enough.
    alone = [each for each in tried if helps[each]]
    if alone or len(tried) < 2 or not (yield from starts_sooner(here, ask, partial(_kill, numbers=tried), expected_ms)):
        return tuple(alone)
    needed, kept = deque(reversed(tried)), 0
    while kept < len(needed):  # whom more ends made count may count no more without them
        each = needed.popleft()
        others = [one for one in tried if one in needed]
        if (yield from starts_sooner(here, ask, partial(_kill, numbers=others), expected_ms)):
            kept = 0
        else:
            needed.append(each)
            kept += 1
    return tuple(each for each in tried if each in needed)


def starts_sooner(
    here: Simulation, ask: Ask, change: Callable[[Simulation], None], expected_ms: int | None
) -> Incremental[bool]:
    """Tell whether an ask is given something, and sooner than expected, in a closed world that begins with a change.

    `here` must stand still while it is copied; an ask that never starts is expected at None.
    """
    ahead = yield from played_with(here, ask, change, expected_ms)
    served = ahead.start_of(*ask)
    ahead.simulation.discard()
    return served is not None and (expected_ms is None or served.time_ms < expected_ms)


def is_never_without(here: Simulation, ask: Ask, numbers: Sequence[int]) -> Incremental[bool]:
    """Tell whether an ask is seen to be never given anything, also when some applications end at once.

    Where others go on for long it is not seen. `here` must stand still while it is copied.
    """
    ahead = yield from played_with(here, ask, partial(_kill, numbers=numbers), None)
    ahead.simulation.discard()
    return ahead.still and not ahead.is_settled(*ask)


def played_with(
    here: Simulation, ask: Ask, change: Callable[[Simulation], None], expected_ms: int | None
) -> Incremental[Ahead]:
    """The closed world that begins with a change, played until an ask is settled or it can start no sooner."""
    horizon_ms = HORIZON_MS if expected_ms is None else max(0, expected_ms - here.now_ms - 1)
    ahead = yield from ahead_of(here, horizon_ms)
    change(ahead.simulation)
    for _ in range(PIECES // SUSPECTS):
        if ahead.is_settled(*ask) or ahead.advance():
            break
        yield
    return ahead


def _kill(copy: Simulation, numbers: Collection[int]) -> None:
    for number in numbers:
        copy.act(KillApplication(number))
