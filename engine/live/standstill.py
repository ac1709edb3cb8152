"""Whether a live cluster is frozen: it stands still, and its twin proves that nothing starts if what runs runs on.

That every node is reserved is no proof: a container that ends may free enough. Nor does a server say how long
containers run. So a freeze is only ever known under that assumption, and only of the picture the twin was made of.
"""

from typing import Final

import msgspec

from engine.observe.snapshot import Header

STILL_MS: Final = 4_000
"""How long nothing has started or ended before the twin is asked."""

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
        self._place: object = None
        """What is in use; None where some node is not reserved."""
        self._since_ms = 0
        self._began_ms = 0
        """The same by the steady clock."""
        self._steady_ms = 0
        self._due_ms = 0
        """When the twin may be asked, by the steady clock."""

    def look(self, header: Header, steady_ms: int) -> None:
        """Take a round. `steady_ms` is of a clock that goes on where the cluster's may stand."""
        place, self._steady_ms = _place(header), steady_ms
        if place != self._place:
            self._place, self.freeze = place, None
            self._since_ms, self._began_ms, self._due_ms = header.time_ms, steady_ms, steady_ms + STILL_MS

    def is_due(self, whole: Header) -> bool:
        """Tell whether the twin of a picture is to be asked: the cluster stands still as it stood there."""
        return self._place is not None and self._place == _place(whole) and self._steady_ms >= self._due_ms

    def judge(self, whole: Header, sentence: str) -> None:
        """Take what the twin of a picture proves, in a sentence; empty where something starts."""
        if self._place is None or self._place != _place(whole):
            return
        self._due_ms = self._steady_ms + AGAIN_MS
        self.freeze = LiveFreeze(self._since_ms, whole.time_ms, sentence) if sentence else None


def _place(header: Header) -> object:
    """Return what differs whenever something has started or ended; None while some node is not reserved."""
    is_full = header.nodes > 0 and header.nodes_reserved == header.nodes
    return (header.nodes, header.used, header.containers) if is_full else None
