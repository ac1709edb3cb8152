"""Guarantees and maximums of queues as the cluster changes: ratios, weights, effective resources, shares used.

All ratios are float32, multiplied down the tree in the order of the class.

Differs: a scheduler that starts in the other mode and is brought into this one by a reload goes on deriving ratios
the old way in the class; here the mode that was loaded last counts.

Source: AbstractCSQueue, AbstractParentQueue#updateClusterResourceLegacyMode, AbstractLeafQueue, CSQueueUtils,
CapacitySchedulerQueueCapacityHandler, ResourceCalculationDriver, AbsoluteResourceCapacityCalculator,
PercentageQueueCapacityCalculator, WeightQueueCapacityCalculator, DefaultQueueResourceRoundingStrategy, Hadoop 3.4.1.
"""

from math import floor, inf, isinf, isnan

from engine.model.java_values import divide, float32, truncate, truncate_long
from engine.schedulers.capacity.space import NOTHING, Amount, plus, times
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.capacity_text import ABSOLUTE as CAPACITY_VECTOR_ABSOLUTE
from engine.schedulers.capacity34.capacity_text import PERCENTAGE, Measure
from engine.schedulers.capacity34.capacity_text import WEIGHT as CAPACITY_VECTOR_WEIGHT
from engine.schedulers.capacity34.evaluation import ResourceLimits, limits_of_child
from engine.schedulers.capacity34.leaf import activate, remember_limit, user_limit_and_headroom
from engine.schedulers.capacity34.queue import CapacityQueue, Leaf
from engine.schedulers.capacity34.settings import CapacitySettings
from engine.schedulers.capacity34.users import Share

PRECISION = float32(0.0005)
"""How far the children's percentages may be from 100 %. Source: AbstractParentQueue#PRECISION."""

WEIGHT = "weight"
ABSOLUTE = "absolute resources"
PERCENT = "percent"


# ---------------------------------------------------------------- how capacities are given


def capacity_types(queues: list[CapacityQueue], labels: list[str]) -> set[str]:
    """Return the kinds in which the capacities of some queues are given."""
    types: set[str] = set()
    for queue in queues:
        for label in labels:
            share = queue.shares.get(label) or Share()
            if capacity_of(queue, label) > 0:
                types.add(PERCENT)
            if share.weight >= 0:
                types.add(WEIGHT)
            if share.minimum_resource != NOTHING:
                types.add(ABSOLUTE)
                types.discard(PERCENT)
    return types


def capacity_type(types: set[str], queues: list[CapacityQueue]) -> str:
    """The one that counts; a parent without children counts as one of weights."""
    if WEIGHT in types or not queues:
        return WEIGHT
    return ABSOLUTE if ABSOLUTE in types else PERCENT


def capacity_of(queue: CapacityQueue, label: str) -> float:
    """Its share of its parent; root has all of the default partition."""
    if queue.parent is None and not label:
        return 1.0
    share = queue.shares.get(label)
    return share.capacity if share is not None else 0.0


def absolute_of(queue: CapacityQueue, label: str) -> float:
    """Its share of a partition; root has all of the default one."""
    if queue.parent is None and not label:
        return 1.0
    share = queue.shares.get(label)
    return share.absolute if share is not None else 0.0


# ---------------------------------------------------------------- ratios and resources


def update_absolute(queue: CapacityQueue, space: PartitionResources) -> None:
    """Shares of the partitions from those of the parent. Source: CSQueueUtils#updateAbsoluteCapacitiesByNodeLabels."""
    parent = queue.parent
    for label, share in queue.shares.items():
        capacity = capacity_of(queue, label)
        if not space.flexible:
            capacity = max(capacity, share.normalised_weight)
        if capacity > 0 or space.flexible:
            share.absolute = capacity if parent is None else float32(capacity * absolute_of(parent, label))
        if share.maximum > 0:
            above = 1.0 if parent is None else parent.share(label).absolute_maximum
            share.absolute_maximum = float32(share.maximum * above)


def update_used(queue: CapacityQueue, label: str, space: PartitionResources) -> None:
    """Compute anew how much of its guarantee a queue uses. Source: CSQueueUtils#updateUsedCapacity."""
    queue.capacity_changed(label, space)
    share, total, calculator = queue.share(label), space.total(label), space.calculator
    if calculator.compare(total, total, NOTHING) <= 0:
        share.used_ratio, share.used_divisor = 0.0, inf
        return
    guaranteed = share.effective_minimum
    parent = queue.parent
    if queue.leaf is not None and queue.leaf.is_auto_created and share.absolute == 0 and parent is not None:
        assert parent.template is not None, "such a leaf is made below a managed parent"
        guaranteed = times(total, parent.template.share(label).absolute)
    if calculator.compare(total, guaranteed, space.minimum) < 0:
        guaranteed = space.minimum
    share.used_divisor = calculator.divisor(total, guaranteed)
    share.used_ratio = calculator.quotient(total, share.used, share.used_divisor)


def update_all_used(queue: CapacityQueue, space: PartitionResources) -> None:
    for label in list(queue.shares):
        update_used(queue, label, space)


def charge_path(leaf: CapacityQueue, label: str, amount: Amount, space: PartitionResources) -> None:
    """Add to (or, negative, take from) what a leaf and those above it use, reservations included."""
    memory_mb, vcores = amount
    queue: CapacityQueue | None = leaf
    while queue is not None:
        share, parent = queue.share(label), queue.parent
        used = share.used
        share.used = (used[0] + memory_mb, used[1] + vcores)
        if share.used_divisor is None:
            update_used(queue, label, space)
        else:
            share.used_ratio = None
            if parent is not None and parent.orders is not None and label in parent.orders:
                parent.orders[label].moved[queue] = None
        queue = parent


def _update_effective(queue: CapacityQueue, space: PartitionResources) -> None:
    """Source: AbstractCSQueue#updateEffectiveResources."""
    parent = queue.parent
    assert parent is not None, "root has the whole partition"
    for label in queue.settings.by_label:
        share, total = queue.share(label), space.total(label)
        if not queue.absolute_mode:
            share.effective_minimum = times(total, share.absolute)
            share.effective_maximum = times(total, share.absolute_maximum)
            continue
        ratios = parent.effective_ratios.get(label, (None, None))
        share.effective_minimum = _scaled(share.minimum_resource, ratios)
        share.effective_maximum = _inherited_maximum(share, parent.share(label), total, space)
        _derive_ratios(share, parent, label, space)


def _scaled(amount: Amount, ratios: tuple[float | None, float | None]) -> Amount:
    memory, vcores = ratios
    return (
        amount[0] if memory is None else int(float32(float32(amount[0]) * memory)),
        amount[1] if vcores is None else int(float32(float32(amount[1]) * vcores)),
    )


def _inherited_maximum(share: Share, parent: Share, total: Amount, space: PartitionResources) -> Amount:
    above = parent.maximum_resource if parent.maximum_resource != NOTHING else parent.effective_maximum
    mine = share.maximum_resource
    if mine == NOTHING:
        return above
    return mine if space.calculator.compare(total, mine, above) <= 0 else above


def _derive_ratios(share: Share, parent: CapacityQueue, label: str, space: PartitionResources) -> None:
    above, calculator = parent.share(label), space.calculator
    ratio = calculator.divide(space.cluster, share.effective_minimum, above.effective_minimum)
    share.capacity = 0.0 if isinf(ratio) else ratio
    ratio = calculator.divide(space.cluster, share.effective_maximum, above.effective_maximum)
    share.maximum = 0.0 if isinf(ratio) else ratio
    share.absolute = float32(share.capacity * absolute_of(parent, label))
    share.absolute_maximum = float32(share.maximum * above.absolute_maximum)


def _update_ratios_of_children(queue: CapacityQueue, label: str, space: PartitionResources) -> None:
    """By how much children's absolute capacities shrink where there is less. Source: #recalculateEffectiveMinRatio."""
    wanted = NOTHING
    for child in queue.children:
        wanted = plus(wanted, child.share(label).minimum_resource)
    total = space.total(label)
    has = total if queue.parent is None else queue.share(label).effective_minimum
    is_short = space.calculator.compare(space.cluster, has, wanted) < 0
    if not is_short or (queue.parent is None and total == NOTHING):
        queue.effective_ratios[label] = (None, None)
        return
    queue.effective_ratios[label] = (
        float32(divide(float32(has[0]), float32(wanted[0]))) if wanted[0] else None,
        float32(divide(float32(has[1]), float32(wanted[1]))) if wanted[1] else None,
    )


def _normalise_weights(queue: CapacityQueue) -> None:
    for label in queue.shares:
        shares = [child.shares[label] for child in queue.children if label in child.shares]
        total = 0.0
        for share in shares:
            total = float32(total + max(0.0, share.weight))
        if abs(total) > 1e-6:
            for share in shares:
                share.normalised_weight = float32(share.weight / total)


def _set_weights(queue: CapacityQueue, space: PartitionResources) -> None:
    if queue.parent is None:
        for share in queue.shares.values():
            if share.weight > 0:
                share.normalised_weight = 1.0
    update_absolute(queue, space)
    labels = list(queue.shares)
    for child in queue.children:
        for share in [child.share(label) for label in labels] if child.is_dynamic else ():
            if share.weight == -1:
                share.weight = 1.0
    if capacity_type(capacity_types(queue.children, labels), queue.children) == WEIGHT:
        _normalise_weights(queue)


# ---------------------------------------------------------------- the cluster has changed


def update_cluster(
    queue: CapacityQueue, limits: ResourceLimits, space: PartitionResources, settings: CapacitySettings
) -> None:
    """The cluster or the queues have changed: everything below a queue follows."""
    if queue.leaf is not None:
        # Source: #updateClusterResourceLegacyMode; waiting applications may become active.
        update_absolute(queue, space)
        _update_effective(queue, space)
        follow_leaf(queue.leaf, limits.limit, space, settings)
        return
    _set_weights(queue, space)
    for label in queue.settings.by_label:
        if queue.parent is None:
            share = queue.share(label)
            share.effective_minimum = share.effective_maximum = space.total(label)
        else:
            _update_effective(queue, space)
        _update_ratios_of_children(queue, label, space)
    for child in queue.children:
        update_cluster(child, limits_of_child(queue, child, limits, "", space, net=False), space, settings)
    update_all_used(queue, space)


def follow_leaf(
    leaf: Leaf, limit: Amount, space: PartitionResources, settings: CapacitySettings, *, is_ready: bool = True
) -> None:
    """Limits of a leaf follow its capacities. Source: AbstractLeafQueue#refreshAfterResourceCalculation."""
    queue = leaf.queue
    leaf.cluster = space.cluster
    update_maximum_applications(leaf, settings, is_ready=is_ready)
    for label in queue.shares:
        leaf.users.refresh_ratios(label, space)
    update_all_used(queue, space)
    remember_limit(leaf, limit, space)
    leaf.current_limit = leaf.cached_limit
    activate(leaf, space)
    leaf.users.version += 1
    for attempt in leaf.order:
        user_limit_and_headroom(leaf, attempt, "", True, space)


def update_maximum_applications(leaf: Leaf, settings: CapacitySettings, *, is_ready: bool = True) -> None:
    """How many applications the leaf takes; as any queue until its capacity is known. Source: AbstractLeafQueue."""
    most = leaf.settings.max_applications
    if most < 0:
        everywhere = settings.max_applications_of_a_queue
        base = min(everywhere, settings.max_applications) if everywhere > 0 else settings.max_applications
        if not is_ready or (everywhere > 0 and not leaf.queue.absolute_mode):
            most = base
        else:
            for label in leaf.queue.settings.by_label:
                most = max(most, truncate(float32(float32(base) * absolute_of(leaf.queue, label))))
    leaf.max_applications = leaf.max_per_user = most
    if leaf.users.factor != -1:
        part = float32(float32(most) * float32(leaf.users.minimum_percent / 100))
        leaf.max_per_user = min(most, truncate(float32(part * leaf.users.factor)))


# Guarantees and maximums in the flexible queue mode, where each resource of a capacity has a kind of its own.
#
# Below one parent absolute amounts come first, scaled where there is less, then percentages of what is left, then
# weights, which share the rest. Ratios follow from the resources, not the other way round.

RESOURCES = (0, 1)  # Memory decides first: a queue without memory has no vcores


def update_flexibly(queue: CapacityQueue, space: PartitionResources, settings: CapacitySettings) -> None:
    """The cluster or the queues have changed; a queue other than the root takes its siblings with it."""
    if queue.parent is None:
        for label in queue.settings.by_label:
            share = queue.share(label)
            share.effective_minimum = share.effective_maximum = space.total(label)
            share.absolute = 1.0
            share.normalised_weight = 1.0 if share.weight == 1 else share.normalised_weight
        update_all_used(queue, space)
    _update_children(queue.parent or queue, ResourceLimits(space.cluster), space, settings)


def _update_children(
    queue: CapacityQueue, limits: ResourceLimits, space: PartitionResources, settings: CapacitySettings
) -> None:
    if not queue.children:
        return
    driver = _Driver(queue, space)
    for index in RESOURCES:
        for kind in (CAPACITY_VECTOR_ABSOLUTE, PERCENTAGE, CAPACITY_VECTOR_WEIGHT):
            driver.share_out(index, kind)
    for child in queue.children:
        for label in child.settings.by_label:
            _flexible_capacities_derive_ratios(child, label, space)
        child_limits = limits_of_child(queue, child, limits, "", space, net=False)
        if child.leaf is not None:
            follow_leaf(child.leaf, child_limits.limit, space, settings, is_ready=any(space.cluster))
        else:
            update_all_used(child, space)
            _update_children(child, child_limits, space, settings)


def _flexible_capacities_derive_ratios(queue: CapacityQueue, label: str, space: PartitionResources) -> None:
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

    def __init__(self, queue: CapacityQueue, space: PartitionResources) -> None:
        self.queue = queue
        self.space = space
        self.left: dict[str, list[float]] = {}  # by partition, what no child has been given yet
        self.left_for_kind: dict[str, list[float]] = {}
        """The same, before the children of the present kind were given something."""
        for label in queue.settings.by_label:
            has = [float(value) for value in queue.share(label).effective_minimum]
            self.left[label], self.left_for_kind[label] = has, list(has)

    def share_out(self, index: int, kind: str) -> None:
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
        if measure.kind == CAPACITY_VECTOR_ABSOLUTE:
            return self._scale(label, index) * divide(left, has) * measure.value
        total = float(self.space.total(label)[index])
        if measure.kind == PERCENTAGE:
            return total * (divide(has, total) * divide(left, has) * measure.value / 100)
        part = divide(measure.value, self._weights(label, index))
        return left if part == 1 else total * (divide(has, total) * divide(left, has) * part)

    def _weights(self, label: str, index: int) -> float:
        total = 0.0
        for child in self.queue.children:
            measure = self._measure(child, label, index)
            if measure is not None and measure.kind == CAPACITY_VECTOR_WEIGHT and label in child.settings.by_label:
                total += measure.value
        return total

    def _scale(self, label: str, index: int) -> float:
        """By how much absolute amounts shrink where the parent has less. Source: #setNormalizedResourceRatio."""
        if self.queue.template is not None:
            return 1.0
        wanted = 0
        for child in self.queue.children:
            measure = self._measure(child, label, index)
            if measure is not None and measure.kind == CAPACITY_VECTOR_ABSOLUTE and label in child.settings.by_label:
                wanted = int(wanted + measure.value)
        if not wanted:
            return 0.0
        has = self.queue.share(label).effective_minimum[index]
        return float32(float32(float(min(has, wanted))) / float32(float(wanted)))


def _rounded(value: float, kind: str) -> float:
    """Source: DefaultQueueResourceRoundingStrategy."""
    if isnan(value):
        return 0.0 if kind == CAPACITY_VECTOR_WEIGHT else value
    return value if isinf(value) else float(floor(value + 0.5 if kind == CAPACITY_VECTOR_WEIGHT else value))


def _smaller(one: float, other: float) -> float:
    return one if isnan(one) else min(one, other)


def _replaced(amount: Amount, index: int, value: float) -> Amount:
    whole = truncate_long(value)
    return (whole, amount[1]) if index == 0 else (amount[0], whole)
