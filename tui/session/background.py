"""Finds, beside the engine, what takes too long for one picture: why applications wait, and who frees nodes.

Each slice of the engine does a little of it, more while the clock stands. The work on obstacles is counted in nodes; a
thousand nodes take about two milliseconds.
"""

from collections.abc import Callable
from typing import Final

from engine.observe.obstacle_cache import ObstacleCache
from engine.simulation.simulation import Simulation
from tui.session.releasing import Releasing

NODES_WHILE_RUNNING: Final = 500
"""Nodes that one slice looks at while the clock runs; about a tenth of its time."""
NODES_AT_REST: Final = 1_000
"""Nodes that one slice looks at while the clock stands."""


class Background:
    """Finds why applications wait, and who frees reserved nodes."""

    def __init__(self, wall: Callable[[], float], wanted: Callable[[], object]) -> None:
        """Know nothing yet; `wanted` is called when something is looked at that is to be worked out."""
        self.obstacles = ObstacleCache(wanted=wanted)
        self.releasing = Releasing(wall, wanted)

    @property
    def copying(self) -> bool:
        """True while an instant is copied; the run should stand until it is done."""
        return self.releasing.copying

    def is_behind(self, simulation: Simulation) -> bool:
        """True where something is left to find out about the simulation looked at."""
        return self.obstacles.is_behind or self.releasing.is_behind(simulation)

    def tick(self, simulation: Simulation, *, stands: bool, flat_out: bool) -> bool:
        """Work on everything for a little; return True when a picture is due because the clock stands.

        Args:
            stands: True while the clock stands.
            flat_out: True where it runs as fast as it can.
        """
        is_answered = self.obstacles.work(NODES_AT_REST if stands else NODES_WHILE_RUNNING, simulation.now_ms)
        is_news = stands and is_answered and not self.obstacles.is_behind
        return self.releasing.tick(simulation, stands=stands, flat_out=flat_out) or is_news
