"""Sets a queue up from its properties, at the start and after each reload.

Source: AbstractCSQueue#setupQueueConfigs, AbstractParentQueue, AbstractLeafQueue, QueueStateHelper, Hadoop 3.4.1.
"""

from engine.model.java_values import float32, trim
from engine.schedulers.capacity.properties import CLASS_NOT_FOUND, ILLEGAL_ARGUMENT, INPUT_OUTPUT, Properties
from engine.schedulers.capacity.space import NOTHING, minus
from engine.schedulers.capacity34.calculators import PartitionResources
from engine.schedulers.capacity34.capacities import (
    ABSOLUTE,
    PERCENT,
    PRECISION,
    capacity_of,
    capacity_type,
    capacity_types,
    update_absolute,
    update_all_used,
)
from engine.schedulers.capacity34.capacity_text import ABSOLUTE as ABSOLUTE_AMOUNT
from engine.schedulers.capacity34.capacity_text import ONE_WEIGHT, WHOLE, kinds
from engine.schedulers.capacity34.order import make_order
from engine.schedulers.capacity34.queue import ROOT, CapacityQueue, Leaf
from engine.schedulers.capacity34.queue_settings import (
    OTHER_CLASSES,
    LeafSettings,
    QueueSettings,
    legacy_mode,
    max_depth,
    read_leaf,
    read_queue,
    read_rest,
)
from engine.settings import capacity_queue
from engine.settings.capacity_scheduler import LEGACY_MODE

QUEUE_ORDERS = ("utilization", "priority-utilization")
_MIXED = f"one kind for all, or {LEGACY_MODE.everywhere}=false"
_ORDERS_HINT = "utilization or priority-utilization; fair and fifo order the applications of a leaf"


def set_up(queue: CapacityQueue, properties: Properties, found: dict[str, set[str]], space: PartitionResources) -> None:
    """Read and apply a queue's settings; a leaf's too. Refusals are noted; `found` has the labels by queue."""
    parent = queue.parent
    above = parent.settings if parent is not None else None
    template = ""
    if queue.leaf is not None and queue.leaf.is_auto_created and parent is not None:
        template = f"{parent.path}.{capacity_queue.TEMPLATE}"
    if queue.leaf is None:
        max_depth(properties, queue.path)
    queue.settings = read_queue(properties, queue.path, above, found, template)
    _set_state(queue, properties)
    read_rest(queue.settings, properties, above)
    _load_capacities(queue)
    _check_maximums(queue, properties, space)
    update_absolute(queue, space)
    if queue.is_dynamic:
        for share in (queue.share(label) for label in queue.settings.by_label):
            if share.weight == -1 and share.capacity == 0 and share.minimum_resource == NOTHING:
                share.weight = 1.0
            if share.vector is None:
                share.vector, share.maximum_vector = ONE_WEIGHT, WHOLE
    _set_mode(queue, properties)
    update_all_used(queue, space)
    if queue.leaf is not None:
        set_up_leaf(queue.leaf, properties, space)
    else:
        _set_queue_order(queue, properties)


def _load_capacities(queue: CapacityQueue) -> None:
    for share in queue.shares.values():
        share.capacity = share.maximum = share.absolute = share.absolute_maximum = 0.0
        share.weight = -1.0
    for label, settings in queue.settings.by_label.items():
        share = queue.share(label)
        share.capacity, share.maximum = settings.capacity, settings.maximum
        share.am_percent, share.weight = settings.am_percent, settings.weight
        share.minimum_resource, share.maximum_resource = settings.minimum_resource, settings.maximum_resource
        share.vector, share.maximum_vector = settings.vector, settings.maximum_vector


def _check_maximums(queue: CapacityQueue, properties: Properties, space: PartitionResources) -> None:
    """Absolute resources may not exceed the maximum. Source: AbstractCSQueue#updateConfigurableResourceLimits."""
    for label in queue.settings.by_label:
        share, parent = queue.share(label), queue.parent
        above = parent.share(label).maximum_resource if parent is not None else NOTHING
        key = capacity_queue.MAXIMUM_CAPACITY.of(queue.path, label)
        for smaller, larger, what in (
            (share.maximum_resource, above, "its parent's maximum"),
            (share.minimum_resource, share.maximum_resource, "its maximum"),
        ):
            if larger != NOTHING and space.exceeds(smaller, larger):
                properties.refusals.add(ILLEGAL_ARGUMENT, f"{smaller} is above {what} {larger}", key)


def _set_mode(queue: CapacityQueue, properties: Properties) -> None:
    """Set whether its capacity is absolute resources. Source: AbstractCSQueue#updateCapacityConfigType."""
    if legacy_mode(properties):
        queue.absolute_mode = any(of_label.absolute for of_label in queue.settings.by_label.values())
    else:
        queue.absolute_mode = kinds(queue.share("").vector) == {ABSOLUTE_AMOUNT}


def _set_state(queue: CapacityQueue, properties: Properties) -> None:
    """Source: QueueStateHelper#setQueueState."""
    configured, parent = queue.settings.state, queue.parent
    if queue.state:
        if queue.state == "RUNNING" and configured == "STOPPED":
            stop(queue)
        elif queue.state != "RUNNING" and configured == "RUNNING":
            if parent is None or parent.state == "RUNNING":
                queue.state = "RUNNING"
            else:
                _refuse_state(queue, properties)
        return
    queue.state = configured or "RUNNING"
    if parent is not None and configured == "RUNNING" and parent.state != "RUNNING":
        _refuse_state(queue, properties)
    elif parent is not None and configured is None:
        queue.state = "STOPPED" if parent.state == "DRAINING" else parent.state


def _refuse_state(queue: CapacityQueue, properties: Properties) -> None:
    message = "a queue cannot run below one that is stopped"
    properties.refusals.add(ILLEGAL_ARGUMENT, message, capacity_queue.STATE.of(queue.path))


def stop(queue: CapacityQueue) -> None:
    """A queue and those below it take no applications any more; they drain while they have some."""
    queue.state = "DRAINING" if queue.number_of_applications() > 0 else "STOPPED"
    for child in queue.children:
        stop(child)


def set_up_leaf(leaf: Leaf, properties: Properties, space: PartitionResources) -> None:
    queue = leaf.queue
    leaf.cluster = leaf.cached_limit = leaf.current_limit = space.cluster
    leaf.settings = read_leaf(properties, queue.settings)
    # The queue that the class makes below a reservable one has all its capacity. Source: PlanQueue.
    # Differs: a queue that is reservable gets no queue for reservations ahead of time below it; Hadoop makes one.
    share, key = queue.share(""), capacity_queue.RESERVABLE.of(queue.path)
    if properties.of_queue(capacity_queue.RESERVABLE, queue.path) and share.absolute > share.absolute_maximum + 1e-6:
        properties.refusals.add(ILLEGAL_ARGUMENT, "its capacity is above its maximum, and it is reservable", key)
    order = make_order(leaf.settings)
    for attempt in leaf.order:
        order.add(attempt)
    leaf.order = order
    leaf.users.minimum_percent = leaf.settings.minimum_user_percent
    leaf.users.factor = leaf.settings.user_limit_factor
    leaf.max_applications = leaf.settings.max_applications
    most = queue.settings.maximum_allocation
    leaf.minimum_factor = space.calculator.ratio(minus(most, space.minimum), most)
    leaf.users.set_weights(queue.settings.user_weights)


def _set_queue_order(queue: CapacityQueue, properties: Properties) -> None:
    inherited = queue.parent.ordering if queue.parent is not None else "utilization"
    key = capacity_queue.ORDERING_POLICY.of(queue.path)
    text = properties.text(key)
    name = inherited if text is None else trim(text)
    if name not in QUEUE_ORDERS:
        kind = "ClassCastException" if name in OTHER_CLASSES else CLASS_NOT_FOUND
        properties.refusals.add(kind, f"there is no class {name!r} that orders queues", key, _ORDERS_HINT)
        name = inherited
    queue.ordering = name


def check_children(
    queue: CapacityQueue, children: list[CapacityQueue], properties: Properties, space: PartitionResources
) -> None:
    """Check that the children's capacities go together and add up. Source: AbstractParentQueue#setChildQueues."""
    if not legacy_mode(properties):
        return
    refusals, labels = properties.refusals, list(queue.shares)
    key = capacity_queue.QUEUES.of(queue.path)
    types = capacity_types(children, labels)
    if len(types) > 1 and children:
        refusals.add(INPUT_OUTPUT, f"its queues mix {' and '.join(sorted(types))}", key, _MIXED)
        return
    own = capacity_types([queue], labels)
    if len(own) > 1 and queue.path != ROOT:
        refusals.add(
            INPUT_OUTPUT, f"it mixes {' and '.join(sorted(own))}", capacity_queue.CAPACITY.of(queue.path), _MIXED
        )
        return
    type_of_children, type_of_parent = capacity_type(types, children), capacity_type(own, [queue])
    if ABSOLUTE in (type_of_children, type_of_parent):
        if type_of_children != type_of_parent and queue.path != ROOT:
            refusals.add(INPUT_OUTPUT, "only one of it and its queues has absolute resources", key, _MIXED)
            return
        _check_resources(queue, children, properties, space)
    if type_of_children == PERCENT:
        _check_percentages(queue, children, properties, type_of_parent == PERCENT)


def _check_resources(
    queue: CapacityQueue, children: list[CapacityQueue], properties: Properties, space: PartitionResources
) -> None:
    for label in queue.shares:
        needed = (0, 0)
        for child in children:
            amount = child.share(label).minimum_resource
            needed = (needed[0] + amount[0], needed[1] + amount[1])
        has = queue.share(label).minimum_resource
        if has != NOTHING and space.calculator.compare(space.total(label), has, needed) < 0:
            key = capacity_queue.CAPACITY.of(queue.path)
            properties.refusals.add(INPUT_OUTPUT, f"{has} is less than the {needed} of its queues", key)


def _check_percentages(
    queue: CapacityQueue, children: list[CapacityQueue], properties: Properties, parent_has_percent: bool
) -> None:
    if any(properties.refusals.names(capacity_queue.CAPACITY.of(child.path)) for child in children):
        return  # the sum of what could be read says nothing
    zero_allowed = properties.of_queue(capacity_queue.ZERO_SUM, queue.path)
    for label in queue.shares:
        total = 0.0
        for child in children:
            total = float32(total + capacity_of(child, label))
        where = f" in partition {label}" if label else ""
        own = capacity_of(queue, label)
        problem = ""
        if abs(float32(1 - total)) > PRECISION:
            if abs(total) > PRECISION:
                problem = f"the capacities of its queues add up to {total * 100:g} %{where} instead of 100"
            elif parent_has_percent and abs(own) > PRECISION and not zero_allowed:
                problem = f"its queues have no capacity{where}, but it has"
        elif parent_has_percent and abs(own) <= 0 and not zero_allowed:
            key = f" ({capacity_queue.ACCESSIBLE_LABELS.of(queue.path)}.{label}.capacity)" if label else ""
            problem = f"its queues have capacity{where}, but it has none{key}"
        if problem:
            properties.refusals.add(INPUT_OUTPUT, problem, capacity_queue.QUEUES.of(queue.path))


def new_queue(path: str, parent: CapacityQueue | None, *, is_leaf: bool) -> CapacityQueue:
    """A queue that is still to be set up."""
    queue = CapacityQueue(path, parent, QueueSettings(path))
    if is_leaf:
        settings = LeafSettings()
        queue.leaf = Leaf(queue, settings, make_order(settings))
    return queue
