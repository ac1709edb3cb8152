"""What an act would do to the queues' shares, tried on a copy of a simulation."""

from typing import Final

from engine.errors import EngineError
from engine.simulation.actions import Action
from engine.simulation.simulation import Simulation
from tui.view_state import SettingPreview, ShareChange

SETTLE_MS: Final = 1000
"""Fair shares are computed twice a second; after this they follow from what was changed."""


def preview(simulation: Simulation, action: Action) -> SettingPreview:
    """Fair shares of memory before and after an act; the simulation itself is left as it is."""
    copy = simulation.fork()
    before = _shares(copy)
    try:
        answer = copy.act(action)
        copy.run_until(copy.now_ms + SETTLE_MS)
    except EngineError as error:
        return SettingPreview(refusal=str(error))
    if answer.rejected:
        return SettingPreview(refusal=answer.detail or answer.rejected)
    after = _shares(copy)
    return SettingPreview(tuple(ShareChange(path, mb, after[path]) for path, mb in before.items() if path in after))


def _shares(simulation: Simulation) -> dict[str, int]:
    """Queue → fair share of memory [MB], in tree order; empty where queues have none."""
    rows = simulation.control_plane.view().queues()
    return {row.path: row.fair_share[0] for row in rows if isinstance(row.fair_share, tuple)}
