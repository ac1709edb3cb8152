"""The template of leaves that are made on submission, and which of them have been given its capacity.

Source: ManagedParentQueue, AutoCreatedLeafQueueConfig, GuaranteedOrZeroCapacityOverTimePolicy, Hadoop 3.4.1.
"""

from typing import Final

from engine.model.java_number import float32
from engine.schedulers.capacity34.share import Share
from engine.state import State

TEMPLATE: Final = "leaf-queue-template"
EPSILON: Final = float32(0.001)


class LeafTemplate(metaclass=State):
    """The template of one parent."""

    shares: dict[str, Share] = {}
    """By partition."""
    active: dict[str, dict[str, None]] = {}
    """By partition, the paths of leaves that have been given the template's capacity."""
    activated: dict[str, float] = {}
    """By partition, the capacity given so far, float32."""
    fails_on_excess: bool = False
    """Whether no leaf is made where no capacity is left."""

    def share(self, label: str) -> Share:
        """The template's share of a partition."""
        return self.shares.get(label) or Share()

    def full(self, label: str) -> Share:
        """A leaf's share with all that the template gives."""
        template, share = self.shares[label], Share()
        share.capacity, share.maximum = template.capacity, template.maximum
        share.absolute, share.absolute_maximum = template.absolute, template.absolute_maximum
        return share

    def available(self, label: str, absolute: float, given_back: float = 0.0) -> float:
        """The capacity of a partition that is left to give, of the parent's absolute one."""
        left = float32(absolute - self.activated.get(label, 0.0))
        return float32(float32(left + given_back) + EPSILON) if given_back else float32(left + EPSILON)

    def activate(self, path: str, label: str) -> None:
        """Count a leaf as one that has its capacity."""
        self.active.setdefault(label, {})[path] = None
        self.activated[label] = float32(self.activated.get(label, 0.0) + self.shares[label].absolute)

    def deactivate(self, path: str, label: str) -> None:
        """Count a leaf as one without capacity."""
        self.active.setdefault(label, {}).pop(path, None)
        self.activated[label] = float32(self.activated.get(label, 0.0) - self.shares[label].absolute)
