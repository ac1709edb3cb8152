"""Decides whether a live cluster is frozen: it stands still, and its twin proves that nothing starts any more.

That every node is reserved is no proof: a container that ends may free enough. Nor does a server say how long
containers run. So a freeze is only ever known under that assumption, and only of the picture the twin was made of.
"""

from typing import Final

import msgspec

from engine.explain.badge_rules import STILL_MS
from engine.observe.snapshot import Header

AGAIN_MS: Final = 60_000
"""Time from an answer to the next question about the same standstill: what the twin concludes changes with time."""


class LiveFreeze(msgspec.Struct, frozen=True):
    """A standstill that lasts if what runs runs on."""

    since_ms: int
    """Since when nothing has started or ended while every node is reserved [epoch ms]."""
    found_ms: int
    """Time of the picture that the twin was made of [epoch ms]."""
    sentence: str


class Standstill:
    """Follows since when every node is reserved while nothing starts or ends, and what the twin said of that."""

    def __init__(self) -> None:
        self.freeze: LiveFreeze | None = None
        """None where the cluster does not stand still, and until the twin has proved that it lasts."""
        self._in_use: object = None
        """As of `_in_use`, in the last round."""
        self._since_ms = 0
        self._steady_ms = 0
        self._due_ms = 0
        """When the twin may be asked, by the steady clock."""

    def look(self, header: Header, steady_ms: int) -> None:
        """Take a round. `steady_ms` is of a clock that goes on where the cluster's may stand."""
        in_use, self._steady_ms = _in_use(header), steady_ms
        if in_use != self._in_use:
            self._in_use, self.freeze = in_use, None
            self._since_ms, self._due_ms = header.time_ms, steady_ms + STILL_MS

    def is_due(self, whole: Header) -> bool:
        """Tell whether the twin of a picture is to be asked: the cluster stands still as it stood there."""
        return self._in_use is not None and self._in_use == _in_use(whole) and self._steady_ms >= self._due_ms

    def judge(self, whole: Header, sentence: str) -> None:
        """Take what the twin of a picture proves, in a sentence; empty where something starts."""
        if self._in_use is None or self._in_use != _in_use(whole):
            return
        self._due_ms = self._steady_ms + AGAIN_MS
        self.freeze = LiveFreeze(self._since_ms, whole.time_ms, sentence) if sentence else None


def _in_use(header: Header) -> object:
    """Return what is in use, which differs once something has started or ended; None while a node is not reserved."""
    is_full = header.nodes > 0 and header.nodes_reserved == header.nodes
    return (header.nodes, header.used, header.containers) if is_full else None
