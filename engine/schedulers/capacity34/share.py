"""The share of one queue in one partition: what it may use, does use and wants of it.

What it uses counts reservations too, unlike `Queue.used_memory_mb`, which is what its live containers cost.

Source: QueueCapacities, ResourceUsage, QueueResourceQuotas, AppSchedulingInfo, Hadoop 3.4.1.
"""

from collections.abc import Iterable
from typing import Protocol

from engine.model.request import AskGroup, ResourceRequest
from engine.schedulers.capacity.space import NOTHING, Amount, plus
from engine.schedulers.capacity34.calculators import Calculator
from engine.schedulers.capacity34.capacity_vector import NO_MAXIMUM, Vector
from engine.state import State


class Share(metaclass=State):
    """A queue's capacity and use of one partition; ratios are float32."""

    capacity: float = 0.0
    """Share of the parent."""
    maximum: float = 0.0
    absolute: float = 0.0
    """Share of the partition."""
    absolute_maximum: float = 0.0
    am_percent: float = 0.0
    vector: Vector | None = None
    """Its capacity resource by resource."""
    maximum_vector: Vector = NO_MAXIMUM
    weight: float = -1.0
    normalised_weight: float = 0.0
    minimum_resource: Amount = NOTHING
    """The configured absolute capacity."""
    maximum_resource: Amount = NOTHING
    effective_minimum: Amount = NOTHING
    """The guarantee in resources."""
    effective_maximum: Amount = NOTHING
    used: Amount = NOTHING
    """Containers and reservations."""
    reserved: Amount = NOTHING
    pending: Amount = NOTHING
    am_used: Amount = NOTHING
    """What the application masters of active applications need."""
    am_limit: Amount = NOTHING
    user_am_limit: Amount = NOTHING
    used_ratio: float = 0.0
    """Used of the guarantee."""
    used_divisor: float | None = None
    """What `used` is divided by for it; None until it is computed anew."""

    def absolute_used(self, total: Amount, calculator: Calculator) -> float:
        """Used of the partition, whose total is given; 0 of an empty one."""
        if calculator.compare(total, total, NOTHING) <= 0:
            return 0.0
        return calculator.divide(total, self.used, total)


class HasShares(Protocol):
    """A queue as far as its shares go."""

    def share(self, label: str) -> Share:
        """Return its share of a partition."""


def size_of(request: ResourceRequest | None) -> Amount:
    """The size of all containers of an ask; nothing for None."""
    return NOTHING if request is None else (request.memory_mb * request.count, request.vcores * request.count)


def wishes_of(groups: Iterable[AskGroup]) -> dict[str, Amount]:
    """Return the demand of some asks, by partition."""
    wishes: dict[str, Amount] = {}
    for group in groups:
        if group.anywhere is not None and group.anywhere.count > 0:
            label = group.anywhere.partition
            wishes[label] = plus(wishes.get(label, NOTHING), size_of(group.anywhere))
    return wishes
