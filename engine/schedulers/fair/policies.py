"""The interface of a queue's scheduling policy: order of members, dimensions that count. Both releases have fifo.

A policy gives every member a key; a smaller key comes first.

Source: SchedulingPolicy, FifoPolicy, Hadoop 2.7.2 and 3.4.1.
"""

from typing import Any, ClassVar, Final

from engine.model.resource import Resource
from engine.state import Shared, State

Key = Shared[tuple[Any, ...]]
"""What a policy orders by; compared left to right."""

Amount = tuple[int, int]
"""(memory [MB], vcores)."""


class SharePolicy(metaclass=State):
    """Orders the members of a queue."""

    name: str
    dimensions: tuple[int, ...]
    total: bool
    leaf_only: bool
    counts_vcores: bool

    def __init__(
        self, name: str, dimensions: tuple[int, ...] = (0,), *, total: bool = True, leaf_only: bool = False
    ) -> None:
        """A policy.

        Args:
            name: As in an allocation file.
            dimensions: Which dimensions it shares out: 0 is memory, 1 is vcores.
            total: Whether no two members are ever equal, so that only the keys decide the order.
            leaf_only: Whether only leaves may have it.
        """
        self.name = name
        self.dimensions = dimensions
        self.total = total
        self.leaf_only = leaf_only
        self.counts_vcores = len(dimensions) > 1

    def key(self, used: Amount, demand_memory_mb: int, minimum: Amount, weight: float, tie: Key) -> Key:
        """The ordering key of a member, a queue or an application attempt.

        `tie` decides between equals: start time, then name.
        """
        raise NotImplementedError

    def regular(self, key: Key) -> bool:
        """Tell whether the key has no NaN, so that keys compare as Java compares."""
        raise NotImplementedError

    def compare(self, left: Key, right: Key) -> int:
        """Java's comparison of two keys, in which NaN equals everything."""
        raise NotImplementedError

    def headroom(self, share: Amount, usage: Amount, available: Resource) -> Resource:
        """Return the rest of the share in the dimensions that count, and of the available amount."""
        memory_mb = min(available.memory_mb, max(share[0] - usage[0], 0))
        if not self.counts_vcores:
            return Resource(memory_mb, available.vcores)
        return Resource(memory_mb, min(available.vcores, max(share[1] - usage[1], 0)))


class Fifo(SharePolicy):
    """By start time and name."""

    is_constant: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__("fifo", leaf_only=True)

    def key(self, used: Amount, demand_memory_mb: int, minimum: Amount, weight: float, tie: Key) -> Key:
        """Start time and name."""
        return tie

    def regular(self, key: Key) -> bool:
        """Always."""
        return True

    def compare(self, left: Key, right: Key) -> int:
        """By the parts of the keys."""
        return compare_keys(left, right)


def compare_keys(left: Key, right: Key) -> int:
    """By the parts of keys without NaN."""
    return -1 if left < right else int(left > right)


FIFO: Final = Fifo()
