"""What an act would do to the queues' shares, tried on a copy of a simulation."""

from engine.errors import EngineError
from engine.simulation.actions import Action
from engine.simulation.simulation import Simulation

SETTLE_MS = 1000
"""Fair shares are computed twice a second; after this they follow from what was changed."""


def shares_after(simulation: Simulation, action: Action) -> tuple[list[tuple[str, int, int]], str]:
    """Fair shares of memory before and after an act.

    Returns:
        (path, before, after [MB]) of every queue that is there in both, in tree order, and why the act is refused, or
        nothing. The simulation itself is left as it is.
    """
    copy = simulation.fork()
    before = _shares(copy)
    try:
        answer = copy.act(action)
        copy.run_until(copy.now_ms + SETTLE_MS)
    except EngineError as error:
        return [], str(error)
    if answer.rejected:
        return [], answer.detail or answer.rejected
    after = _shares(copy)
    return [(path, share, after[path]) for path, share in before.items() if path in after], ""


def _shares(simulation: Simulation) -> dict[str, int]:
    rows = simulation.control_plane.view().queues()
    return {row.path: row.fair_share[0] for row in rows if isinstance(row.fair_share, tuple)}
