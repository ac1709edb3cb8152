"""A queue of the capacity scheduler as observers see it, alike in every release."""

from collections.abc import Mapping

import msgspec

from engine.schedulers.scheduler_view import Amounts, QueueRow, Unknown


class PartitionUse(msgspec.Struct, frozen=True):
    """What a queue has and uses of one partition."""

    label: str
    """Empty for the default partition."""
    capacity: float
    """Guaranteed part of the partition, from 0 to 1."""
    maximum: float
    """Largest part it may use, from 0 to 1."""
    guaranteed: Amounts
    limit: Amounts
    """Largest amount it may use."""
    used: Amounts
    """Reservations included."""


class CapacityQueueRow(QueueRow, frozen=True, kw_only=True):
    """A queue with its capacities; amounts are of the default partition."""

    guaranteed: Amounts
    used_capacity: float
    """Used part of what is guaranteed; 1 is all of it, elastic queues go beyond."""
    state: str
    """`RUNNING`, or `STOPPED` for a queue that takes no new applications."""
    user_limit: Amounts | None
    """What one user may use of a leaf at this moment; None for a parent."""
    am_used: Amounts | None
    """Application masters of a leaf; None for a parent."""
    am_limit: Amounts | None
    """What the application masters of a leaf may use together; None for a parent."""
    partitions: tuple[PartitionUse, ...] = ()
    """Every partition it has a part of."""

    @property
    def granted(self) -> Mapping[str, Amounts | Unknown | None]:
        """Its capacities and limits."""
        limits = {"maximum": self.max_share, "user limit": self.user_limit, "AM limit": self.am_limit}
        return {"guaranteed": self.guaranteed, **limits}
