"""Guarantees and maximums in the flexible queue mode, where each resource of a capacity has a kind of its own.

Below one parent absolute amounts come first, scaled where there is less, then percentages of what is left, then
weights, which share the rest. Ratios follow from the resources, not the other way round.

Differs: a scheduler that starts in the other mode and is brought into this one by a reload goes on deriving ratios
the old way in the class; here the mode that was loaded last counts.

Source: CapacitySchedulerQueueCapacityHandler, ResourceCalculationDriver, AbsoluteResourceCapacityCalculator,
PercentageQueueCapacityCalculator, WeightQueueCapacityCalculator, DefaultQueueResourceRoundingStrategy, Hadoop 3.4.1.
"""

from math import floor, isinf, isnan

from engine.model.java_number import divide, float32, truncate_long
from engine.schedulers.capacity.space import Amount
from engine.schedulers.capacity34.capacities import follow_leaf, update_absolute, update_all_used
from engine.schedulers.capacity34.capacity_vector import ABSOLUTE, PERCENTAGE, WEIGHT, Measure
from engine.schedulers.capacity34.limits import Limits, limits_of_child
from engine.schedulers.capacity34.queue import CapacityQueue
from engine.schedulers.capacity34.settings import CapacitySettings
from engine.schedulers.capacity34.space import Space

RESOURCES = (0, 1)
"""Memory decides first: a queue without memory has no vcores."""


def update_flexibly(queue: CapacityQueue, space: Space, settings: CapacitySettings) -> None:
    """The cluster or the queues have changed; a queue other than the root takes its siblings with it."""
    if queue.parent is None:
        for label in queue.settings.by_label:
            share = queue.share(label)
            share.effective_minimum = share.effective_maximum = space.total(label)
            share.absolute = 1.0
            share.normalised_weight = 1.0 if share.weight == 1 else share.normalised_weight
        update_all_used(queue, space)
    _update_children(queue.parent or queue, Limits(space.cluster), space, settings)


def _update_children(queue: CapacityQueue, limits: Limits, space: Space, settings: CapacitySettings) -> None:
    if not queue.children:
        return
    driver = _Driver(queue, space)
    for index in RESOURCES:
        for kind in (ABSOLUTE, PERCENTAGE, WEIGHT):
            driver.share_out(index, kind)
    for child in queue.children:
        for label in child.settings.by_label:
            _derive_ratios(child, label, space)
        child_limits = limits_of_child(queue, child, limits, "", space, net=False)
        if child.leaf is not None:
            follow_leaf(child.leaf, child_limits.limit, space, settings, is_ready=any(space.cluster))
        else:
            update_all_used(child, space)
            _update_children(child, child_limits, space, settings)


def _derive_ratios(queue: CapacityQueue, label: str, space: Space) -> None:
    """Source: CapacitySchedulerQueueCapacityHandler#setQueueCapacities."""
    assert queue.parent is not None, "the root has all"
    share, above, divided = queue.share(label), queue.parent.share(label), space.calculator.divide
    capacity = divided(space.total(label), share.effective_minimum, above.effective_minimum)
    share.capacity = 0.0 if isinf(capacity) else capacity
    maximum = divided(space.total(label), share.effective_maximum, above.effective_maximum)
    share.maximum = 0.0 if isinf(maximum) else maximum
    update_absolute(queue, space)


class _Driver:
    """Shares out what one parent has. Source: ResourceCalculationDriver."""

    def __init__(self, queue: CapacityQueue, space: Space) -> None:
        self.queue = queue
        self.space = space
        self.left: dict[str, list[float]] = {}
        """By partition, what no child has been given yet."""
        self.left_for_kind: dict[str, list[float]] = {}
        """The same, before the children of the present kind were given something."""
        for label in queue.settings.by_label:
            has = [float(value) for value in queue.share(label).effective_minimum]
            self.left[label], self.left_for_kind[label] = has, list(has)

    def share_out(self, index: int, kind: str) -> None:
        """Give one resource to all children whose capacity in it is of a kind."""
        given: dict[str, float] = {}
        for child in self.queue.children:
            for label in child.settings.by_label:
                measure = self._measure(child, label, index)
                if measure is None or measure.kind != kind or label not in self.left:
                    continue
                minimum = self._give(child, label, index, measure)
                self.left[label][index] -= minimum
                given[label] = given.get(label, 0.0) + minimum
        for label, amount in given.items():
            self.left_for_kind[label][index] -= amount

    @staticmethod
    def _measure(child: CapacityQueue, label: str, index: int) -> Measure | None:
        vector = child.share(label).vector
        return None if vector is None else vector[index]

    def _give(self, child: CapacityQueue, label: str, index: int, measure: Measure) -> float:
        """Set a child's minimum and maximum of one resource; the minimum. Source: #setChildResources."""
        share, above = child.share(label), self.queue.share(label)
        limit = share.maximum_vector[index]
        minimum = _rounded(self._minimum(label, index, measure), measure.kind)
        maximum = limit.value
        if limit.kind == PERCENTAGE:
            total = self.space.total(label)[index]
            maximum = total * (divide(float(above.effective_maximum[index]), float(total)) * limit.value / 100)
        maximum = _rounded(maximum, limit.kind)
        if index and not share.effective_minimum[0]:
            minimum = 0.0
        most = float(above.effective_maximum[index])
        maximum = most if maximum == 0 else _smaller(maximum, most)
        minimum = min(minimum, maximum)
        if minimum > self.left[label][index]:
            minimum = 0.0 if self.queue.template is not None else self.left[label][index]
        share.effective_minimum = _replaced(share.effective_minimum, index, minimum)
        share.effective_maximum = _replaced(share.effective_maximum, index, maximum)
        return minimum

    def _minimum(self, label: str, index: int, measure: Measure) -> float:
        has = float(self.queue.share(label).effective_minimum[index])
        left = self.left_for_kind[label][index]
        if measure.kind == ABSOLUTE:
            return self._scale(label, index) * divide(left, has) * measure.value
        total = float(self.space.total(label)[index])
        if measure.kind == PERCENTAGE:
            return total * (divide(has, total) * divide(left, has) * measure.value / 100)
        part = divide(measure.value, self._weights(label, index))
        return left if part == 1 else total * (divide(has, total) * divide(left, has) * part)

    def _weights(self, label: str, index: int) -> float:
        """The sum of the children's weights."""
        total = 0.0
        for child in self.queue.children:
            measure = self._measure(child, label, index)
            if measure is not None and measure.kind == WEIGHT and label in child.settings.by_label:
                total += measure.value
        return total

    def _scale(self, label: str, index: int) -> float:
        """By how much absolute amounts shrink where the parent has less. Source: #setNormalizedResourceRatio."""
        if self.queue.template is not None:
            return 1.0
        wanted = 0
        for child in self.queue.children:
            measure = self._measure(child, label, index)
            if measure is not None and measure.kind == ABSOLUTE and label in child.settings.by_label:
                wanted = int(wanted + measure.value)
        if not wanted:
            return 0.0
        has = self.queue.share(label).effective_minimum[index]
        return float32(float32(float(min(has, wanted))) / float32(float(wanted)))


def _rounded(value: float, kind: str) -> float:
    """Source: DefaultQueueResourceRoundingStrategy."""
    if isnan(value):
        return 0.0 if kind == WEIGHT else value
    return value if isinf(value) else float(floor(value + 0.5 if kind == WEIGHT else value))


def _smaller(one: float, other: float) -> float:
    return one if isnan(one) else min(one, other)


def _replaced(amount: Amount, index: int, value: float) -> Amount:
    whole = truncate_long(value)
    return (whole, amount[1]) if index == 0 else (amount[0], whole)
