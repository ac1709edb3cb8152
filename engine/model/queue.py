"""A queue: a place in the tree and what its applications use. Limits and shares belong to the policies.

Its ledger is *charge*: what its live containers cost it. Reservations are counted apart, as in the fair scheduler.
"""

from typing import Self


class Queue:
    """One queue of the tree; policies extend it."""

    __slots__ = ("name", "parent", "path", "reserved_memory_mb", "reserved_vcores", "used_memory_mb", "used_vcores")

    def __init__(self, path: str, parent: "Self | None") -> None:
        self.path = path
        """Full name, e.g. `root.etl.daily`."""
        self.name = path.rpartition(".")[2]
        self.parent = parent
        self.used_memory_mb = 0
        self.used_vcores = 0
        self.reserved_memory_mb = 0
        self.reserved_vcores = 0

    def reserve(self, memory_mb: int, vcores: int) -> None:
        """Add to (or, negative, take from) what is reserved here and in every ancestor."""
        queue: Queue | None = self
        while queue is not None:
            queue.reserved_memory_mb += memory_mb
            queue.reserved_vcores += vcores
            queue = queue.parent
