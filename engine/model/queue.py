"""A queue: a place in the tree and what its applications use. Limits and shares belong to the policies.

Its ledger is *charge*: what its live containers cost it. Reservations are counted apart, as in the fair scheduler.
"""

from typing import Any, ClassVar, Generic

from typing_extensions import TypeVar

from engine.state import REFERENCE, SHARED, Slots

Parent = TypeVar("Parent", bound="Queue", default=Any)
"""The policy's own class of queues that have others below."""


class Queue(Generic[Parent]):
    """One queue of the tree; policies extend it."""

    STATE: ClassVar[Slots] = {
        "name": SHARED,
        "parent": REFERENCE,
        "path": SHARED,
        "reserved_memory_mb": SHARED,
        "reserved_vcores": SHARED,
        "used_memory_mb": SHARED,
        "used_vcores": SHARED,
    }
    __slots__ = STATE

    def __init__(self, path: str, parent: Parent | None) -> None:
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
