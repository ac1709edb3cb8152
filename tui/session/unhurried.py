"""Says why applications wait and keeps nobody waiting: a little in each slice of the engine, more while it stands.

Work is counted in nodes looked at; looking at a thousand takes about two milliseconds.
"""

from typing import Final

from engine.observe.obstacle_cache import Whys

BESIDE: Final = 500
"""Nodes looked at in one slice; a tenth or so of its time."""
ALONE: Final = 1_000
"""Nodes looked at in one go while the clock stands."""


class UnhurriedWhys(Whys):
    """Answers that are worked off beside the engine."""

    def tick(self, now_ms: int, *, stands: bool) -> bool:
        """Work off a part.

        Args:
            now_ms: The cluster's time [epoch ms].
            stands: Whether the clock stands.

        Returns:
            Whether nothing is left that was, and a picture is due since the clock stands.
        """
        done = self.work(ALONE if stands else BESIDE, now_ms)
        return stands and done and not self.is_behind
