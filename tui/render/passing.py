"""Reservations that harm nobody: outside of a freeze those shorter than `SOON_MS` are part of any pass.

Groups, the strip of a row and its text leave them out alike.
"""

from collections.abc import Set
from typing import NamedTuple

from engine.explain.badge_rules import SOON_MS
from engine.observe.section import column
from tui.picture import Picture
from tui.render.health import frozen_of

RESERVED = "NODE_RESERVED"
"""Code of the obstacle of whoever waits for a reserved node."""


class Passing(NamedTuple):
    """The reservations of a picture that do not count."""

    holders: Set[str] = frozenset()
    """Ids of applications whose reservations all are among them."""
    is_every: bool = False
    """True where there is no other, so that nobody waits for a reserved node."""

    def hides(self, code: str) -> bool:
        """Tell whether a wait with an obstacle of this code is no wait for a reserved node."""
        return self.is_every and code == RESERVED


def passing_reservations(picture: Picture) -> Passing:
    """Find the reservations that do not count at the instant of a picture."""
    if frozen_of(picture) is not None:
        return Passing()
    now_ms, rows = picture.snapshot.header.time_ms, picture.snapshot.reservations()
    pairs = list(zip(column(rows, "application"), column(rows, "since_ms"), strict=True))
    old = {name for name, at in pairs if not isinstance(at, int) or now_ms - at >= SOON_MS}
    young = {name for name, _ in pairs} - old
    return Passing(young, bool(young) and not old)
