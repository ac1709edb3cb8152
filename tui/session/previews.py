"""Finds, on a copy, the shares and limits of queues before and after an act."""

from collections.abc import Mapping
from typing import Final

from engine.errors import EngineError
from engine.observe.snapshot import CapacityQueueRow
from engine.scenario.acts import Act
from engine.simulation.simulation import Simulation
from tui.picture import ActPreview, ShareChange

SETTLE_MS: Final = 1000
"""Fair shares are computed twice a second; after this they follow from what was changed."""

_Shares = Mapping[tuple[str, str], int]
"""(queue, what it is) → memory [MB], in tree order."""


def preview(simulation: Simulation, act: Act) -> ActPreview:
    """Return shares and limits of memory before and after an act; the simulation stays as it is."""
    copy = simulation.fork()
    before = _shares(copy)
    follows_at_once = issubclass(copy.control_plane.view().policy.queue_row, CapacityQueueRow)
    try:
        answer = copy.act(act)
        if not answer.rejected and not follows_at_once:
            copy.run_until(copy.now_ms + SETTLE_MS)
    except EngineError as error:
        return ActPreview(refusal=str(error))
    if answer.rejected:
        return ActPreview(refusal=answer.detail or answer.rejected)
    after = _shares(copy)
    kept = [each for each in before if each in after]
    return ActPreview(tuple(ShareChange(path, before[path, what], after[path, what], what) for path, what in kept))


def _shares(simulation: Simulation) -> _Shares:
    """Return every queue's fair share or, of CapacityScheduler, its capacities and limits; none for slots."""
    found: dict[tuple[str, str], int] = {}
    if simulation.control_plane.dimensions[0] != "memory_mb":
        return found
    for row in simulation.control_plane.view().policy.queues():
        amounts: dict[str, object] = {"fair share": row.fair_share}
        if isinstance(row, CapacityQueueRow):
            amounts = {
                "guaranteed": row.guaranteed,
                "maximum": row.max_share,
                "user limit": row.user_limit,
                "AM limit": row.am_limit,
            }
        found |= {(row.path, what): amount[0] for what, amount in amounts.items() if isinstance(amount, tuple)}
    return found
