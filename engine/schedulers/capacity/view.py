"""Answers observers of a CapacityScheduler of either release: what is alike in both, and rows of queues."""

from collections.abc import Mapping

import msgspec

from engine.model.ledger import Attempt
from engine.model.request import Queue
from engine.schedulers.capacity.properties import DecidingProperties
from engine.schedulers.capacity.space import Amount
from engine.schedulers.interface import Amounts, QueueRow, Setting, Unknown
from engine.schedulers.obstacle_texts import Obstacle, Reason


class PartitionUse(msgspec.Struct, frozen=True):
    """A queue's capacity and use of one partition."""

    label: str  # Empty for the default partition
    capacity: float  # Guaranteed part of the partition, from 0 to 1
    maximum: float  # Largest part it may use, from 0 to 1
    guaranteed: Amounts
    limit: Amounts  # Largest amount it may use
    used: Amounts  # Reservations included


class CapacityQueueRow(QueueRow, frozen=True, kw_only=True):
    """A queue with its capacities; amounts are of the default partition."""

    guaranteed: Amounts
    used_capacity: float  # Used part of what is guaranteed; 1 is all of it, elastic queues go beyond
    state: str  # `RUNNING`, or `STOPPED` for a queue that takes no new applications
    user_limit: Amounts | None  # What one user may use of a leaf at this moment; None for a parent
    am_used: Amounts | None  # Application masters of a leaf; None for a parent
    am_limit: Amounts | None  # What the application masters of a leaf may use together; None for a parent
    partitions: tuple[PartitionUse, ...] = ()  # Every partition it has a part of

    @property
    def granted(self) -> Mapping[str, Amounts | Unknown | None]:
        limits = {"maximum": self.max_share, "user limit": self.user_limit, "AM limit": self.am_limit}
        return {"guaranteed": self.guaranteed, **limits}


class CommonCapacityView:
    """The part of `PolicyView` that both releases share; each adds its queues and its locality delay."""

    queue_row: type[QueueRow] = CapacityQueueRow

    def __init__(self, root: Queue, counts_vcores: bool, properties: DecidingProperties, preempts: bool) -> None:
        self.counts_vcores = counts_vcores
        self._charged = root
        self._properties = properties
        self._preempts = preempts

    def reserved(self) -> Amounts:
        """Return the total reserved on all nodes."""
        return (self._charged.reserved_memory_mb, self._charged.reserved_vcores)

    def preemption(self) -> bool:
        """Tell whether the preemption monitor takes containers back."""
        return self._preempts

    def properties(self) -> Mapping[str, str]:
        """Return the properties as configured, with later changes and those that templates added."""
        return self._properties.values

    def counted(self, limit: Amount) -> Amounts:
        """A limit in what the calculator counts; by memory alone its vcores mean nothing."""
        return limit if self.counts_vcores else limit[:1]

    def settings_needed(self, attempt: Attempt, obstacle: Obstacle) -> list[Setting]:
        """The capacities in a partition that are nothing."""
        return self._properties.needed(attempt.queue.path, obstacle)

    def other_settings(self, attempt: Attempt, reason: Reason, first: Setting) -> list[Setting]:
        """Maxima of the queue and of those above it, and what a user's limit is computed from."""
        return self._properties.others(attempt.queue.path, reason, first)
