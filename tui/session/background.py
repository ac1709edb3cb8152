"""What takes too long for a picture and is worked out beside the engine while somebody looks: one place to drive it."""

from collections.abc import Callable

from engine.simulation.simulation import Simulation
from tui.session.releasing import Releasing
from tui.session.unhurried import UnhurriedWhys


class Beside:
    """Why applications wait, and who frees reserved nodes."""

    def __init__(self, wall: Callable[[], float], wanted: Callable[[], object]) -> None:
        """Know nothing yet; `wanted` is called when something is looked at that is to be worked out."""
        self.whys = UnhurriedWhys(wanted=wanted)
        self.releasing = Releasing(wall, wanted)

    @property
    def copying(self) -> bool:
        """Whether an instant is being copied, for which the run should stand until it is done."""
        return self.releasing.copying

    def is_behind(self, simulation: Simulation) -> bool:
        """Whether there is something to work out where the simulation looked at stands."""
        return self.whys.is_behind or self.releasing.is_behind(simulation)

    def tick(self, simulation: Simulation, *, stands: bool, flat_out: bool) -> bool:
        """Work on everything for a little; whether a picture is due since the clock stands.

        Args:
            simulation: The one looked at: the run, or a copy of its past.
            stands: Whether the clock stands.
            flat_out: Whether it is to run as fast as it can.
        """
        is_told = self.whys.tick(simulation.now_ms, stands=stands)
        return self.releasing.tick(simulation, stands=stands, flat_out=flat_out) or is_told
