"""Remembers for a screen who could free a reserved node, and when; others work that out.

A picture gets what is known; its owner learns what is looked at and stores what was found. An answer belongs to
one reservation: when the node is held by another one, or the instant has passed, it is forgotten.
"""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from engine.model.decision import ContainerId
from engine.observe.snapshot import Release

NOT_YET: Final = Release("")
LATER: Final = "later"
"""The outcome of a search that has not come to the release of a reservation."""

Held = tuple[str, ContainerId]
"""A reservation: (node, the container that is to start there)."""


class Releases:
    """Answers about the reservations of one cluster."""

    def __init__(self, wanted: Callable[[], object] = lambda: None) -> None:
        """Know nothing yet; `wanted` is called when reservations are looked at."""
        self.version = 0
        """A screen redraws when it grows."""
        self.is_wanted = False
        """True if somebody looked at reservations since it was last set to False."""
        self.shown: set[Held] = set()
        """The reservations that were looked at, row by row, since somebody looked at them last."""
        self._tell = wanted
        self._known: Mapping[Held, Release] = {}

    def look(self) -> None:
        """Somebody looks at reservations."""
        self.shown.clear()
        if not self.is_wanted:
            self.is_wanted = True
            self._tell()

    def of(self, held: Held, now_ms: int) -> Release:
        """Return what is known of a reservation at an instant [epoch ms], and note that its row is looked at."""
        self.shown.add(held)
        known = self._known.get(held, NOT_YET)
        if known.outcome == LATER:
            self._tell()
        return NOT_YET if known.time_ms is not None and known.time_ms < now_ms else known

    def tell(self, found: Mapping[Held, Release]) -> None:
        """Remember what was found, instead of what was known before."""
        if found != self._known:
            self._known = found
            self.version += 1


def fits_now(known: Release) -> Release:
    """The answer about a node that has room enough, whatever was known of it."""
    return msgspec.structs.replace(known, outcome="fits", time_ms=None, by=())
