"""The records of a capacity-scheduler.xml (2.7.2); a `QueueConfiguration27` is one queue as configured.

Its capacities stand by partition. What is made of the records decides; `configuration_reader` makes them.

Source: CapacitySchedulerConfiguration, CapacityScheduler#parseQueue, AbstractCSQueue, LeafQueue, ParentQueue,
CSQueueUtils, Hadoop 2.7.2.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from engine.errors import Problem
from engine.model.java_values import float32, trim, truncate
from engine.schedulers.capacity.properties import (
    CLASS_NOT_FOUND,
    ILLEGAL_ARGUMENT,
    ILLEGAL_STATE,
    INPUT_OUTPUT,
    RUNTIME,
    Properties,
    Refusals,
)
from engine.schedulers.capacity.space import Amount
from engine.schedulers.placement import AccessControlList
from engine.settings import capacity_queue as queue_keys
from engine.settings import capacity_scheduler as keys
from engine.settings.capacity import CAPACITY_27, MONITOR_POLICIES, MONITORS, PREEMPTION_POLICY
from engine.settings.site import MAXIMUM_MB, MAXIMUM_VCORES, MINIMUM_MB, MINIMUM_VCORES, PORT_IN_NODE_NAME
from engine.settings.table import Key

ROOT: Final = "root"
ANY_LABEL: Final = "*"
NO_LABEL: Final = ""  # The partition of nodes without a label


class PartitionCapacity(NamedTuple):
    """A queue's capacity in one partition, as fractions (float32)."""

    of_parent: float
    maximum_of_parent: float
    absolute: float
    absolute_maximum: float


NO_CAPACITY: Final = PartitionCapacity(0.0, 0.0, 0.0, 0.0)


class LeafConfiguration27(NamedTuple):
    user_limit_percent: int  # Source: minimum-user-limit-percent
    user_limit_factor: float
    maximum_applications: int
    maximum_applications_per_user: int
    am_percent: float


class QueueConfiguration27(NamedTuple):
    path: str
    capacities: Mapping[str, PartitionCapacity]  # By partition; one that is missing has nothing
    accessible: frozenset[str]  # Partitions it may use besides the default one; `*` is all
    default_label: str  # The partition of asks that name none; empty for the default one
    is_running: bool
    submit_acl: AccessControlList
    administer_acl: AccessControlList
    maximum: Amount  # Largest container
    preemption_disabled: bool
    leaf: LeafConfiguration27 | None
    children: tuple["QueueConfiguration27", ...] = ()

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]


class QueueMapping27(NamedTuple):
    """One rule `u:source:queue` or `g:source:queue`."""

    by_group: bool
    source: str
    queue: str


class CapacityConfiguration27(NamedTuple):
    minimum: Amount
    maximum: Amount
    calculator: str  # `memory` or `dominant`
    port_in_node_name: bool
    continue_looking: bool
    node_locality_delay: int
    mappings: tuple[QueueMapping27, ...]
    refused_mappings: tuple[Problem, ...]
    """The problems of the mappings, which the class meets after it has changed the queues."""
    mappings_override: bool
    root: QueueConfiguration27


# Reads and checks what capacity-scheduler.xml says, in the order of the real class (2.7.2).
#
# Reading goes through the tree from root down and collects every refusal, the real class's own first.

_PRECISION = float32(0.0005)
_CALCULATORS = {
    "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator": "memory",
    "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator": "dominant",
}


def read_configuration(values: Mapping[str, str], labels: Sequence[str]) -> tuple[CapacityConfiguration27, Properties]:
    """Read yarn-site.xml and capacity-scheduler.xml together; `labels` are the partitions besides the default one.

    Returns the configuration, and the properties with what was refused; with anything the real class does not start.
    """
    properties = Properties(values, Refusals(), CAPACITY_27)
    minimum, maximum = _bounds(properties)
    key = keys.RESOURCE_CALCULATOR.everywhere
    text = properties.text(key)
    name = next(iter(_CALCULATORS)) if text is None else trim(text)
    if name not in _CALCULATORS:
        properties.refusals.add(CLASS_NOT_FOUND, f"there is no class {name!r}", key)
    calculator = _CALCULATORS.get(name, "memory")
    named = properties.names(MONITOR_POLICIES.name) if properties.everywhere(MONITORS) else None
    for name in [each for each in named or () if each != PREEMPTION_POLICY]:
        properties.refusals.add(CLASS_NOT_FOUND, f"there is no monitor policy {name!r}", MONITOR_POLICIES.name)
    port_in_node_name = properties.everywhere(PORT_IN_NODE_NAME)
    reader = _TreeReader(properties, maximum, labels)
    root = reader.read(ROOT, None)
    before = len(properties.refusals.problems)
    mappings = _mappings(properties, reader.leaves)
    refused_mappings = tuple(properties.refusals.problems[before:])
    properties.everywhere(keys.ASYNCHRONOUS_INTERVAL)
    configuration = CapacityConfiguration27(
        minimum,
        maximum,
        calculator,
        port_in_node_name,
        properties.everywhere(keys.CONTINUE_LOOKING),
        max(_locality_delay(properties), 0),
        mappings,
        refused_mappings,
        properties.everywhere(keys.MAPPINGS_OVERRIDE),
        root,
    )
    return configuration, properties


def _bounds(properties: Properties) -> tuple[Amount, Amount]:
    """Smallest and largest container. Source: CapacityScheduler#validateConf."""
    bounds: list[tuple[int, int]] = []
    for what, least, most in (("memory", MINIMUM_MB, MAXIMUM_MB), ("vcores", MINIMUM_VCORES, MAXIMUM_VCORES)):
        minimum, maximum = properties.everywhere(least), properties.everywhere(most)
        if minimum <= 0 or minimum > maximum:
            message = f"the smallest container of {minimum} {what} is not between 1 and the largest, {maximum}"
            properties.refusals.add(RUNTIME, message, least.name if least.name in properties.values else most.name)
        bounds.append((minimum, maximum))
    return (bounds[0][0], bounds[1][0]), (bounds[0][1], bounds[1][1])


def _locality_delay(properties: Properties) -> int:
    """Missed opportunities before rack-local places are taken; -1 means 0. Source: #getNodeLocalityDelay."""
    delay = properties.everywhere(keys.NODE_LOCALITY_DELAY)
    return 0 if delay == -1 else delay


def _mappings(properties: Properties, leaves: Mapping[str, str]) -> tuple[QueueMapping27, ...]:
    key = keys.QUEUE_MAPPINGS.everywhere
    mappings: list[QueueMapping27] = []
    texts = [trim(text) for text in (properties.text(key) or "").split(",")]
    for text in dict.fromkeys(filter(None, texts)):
        parts = [part.strip() for part in text.split(":") if part.strip()]
        if len(parts) != 3 or parts[0] not in ("u", "g"):
            properties.refusals.add(
                ILLEGAL_ARGUMENT, f"{text!r} is not a mapping like u:user:queue or g:group:queue", key
            )
            continue
        mappings.append(QueueMapping27(parts[0] == "g", parts[1], parts[2]))
    for mapping in mappings:
        if mapping.queue not in ("%user", "%primary_group") and mapping.queue not in leaves:
            last = mapping.queue.rpartition(".")[2]
            hint = f"; a leaf is named without its path: {last}" if last in leaves else ""
            properties.refusals.add(INPUT_OUTPUT, f"{mapping.queue!r} is not there or is not a leaf queue{hint}", key)
    return tuple(mappings)


class _TreeReader:
    def __init__(self, properties: Properties, maximum: Amount, labels: Sequence[str]) -> None:
        self.leaves: dict[str, str] = {}  # leaf queues' paths by their names
        self._properties = properties
        self._labelled = [key for key in properties.values if f".{queue_keys.ACCESSIBLE_LABELS.name}." in key]
        self._maximum = maximum
        self._labels = labels

    def read(self, path: str, parent: QueueConfiguration27 | None) -> QueueConfiguration27:
        """One queue with its children. Source: CapacityScheduler#parseQueue."""
        names = self._properties.names(queue_keys.QUEUES.of(path)) or []
        if not names and parent is None:
            self._refuse(ILLEGAL_STATE, queue_keys.QUEUES.of(path), "root has no queues")
        is_reservable = self._properties.of_queue(queue_keys.RESERVABLE, path)
        if names and is_reservable:
            self._refuse(ILLEGAL_STATE, queue_keys.RESERVABLE.of(path), "only a leaf queue can be reservable")
        if names:
            # The constructor of a parent reads it before its labels.
            self._capacity(path)
        queue = self._queue(path, parent)
        if not names:
            queue = queue._replace(leaf=self._leaf(queue))
            if queue.name in self.leaves:
                self._refuse(INPUT_OUTPUT, f"{keys.PREFIX}{path}", f"two leaf queues are named {queue.name}")
            self.leaves[queue.name] = path
            return queue
        children = tuple(self.read(f"{path}.{name}", queue) for name in names)
        self._check_sums(queue, children)
        return queue._replace(children=children)

    def _queue(self, path: str, parent: QueueConfiguration27 | None) -> QueueConfiguration27:
        accessible = self._accessible(path, parent)
        default_label = self._default_label(path, parent, accessible)
        capacities = self._capacities(path, parent)
        maximum = self._largest(path)
        text = self._properties.text(queue_keys.STATE.of(path))
        state = queue_keys.RUNNING if text is None else text.upper()
        if state not in (queue_keys.RUNNING, queue_keys.STOPPED):
            self._refuse(ILLEGAL_ARGUMENT, queue_keys.STATE.of(path), f"{text!r} is neither RUNNING nor STOPPED")
        is_running = state != queue_keys.STOPPED
        if parent is not None and parent.path != ROOT:
            self._check_accessible(path, accessible, parent.accessible)
        return QueueConfiguration27(
            path,
            capacities,
            accessible,
            default_label,
            is_running,
            self._acl(queue_keys.SUBMIT_ACL, path),
            self._acl(queue_keys.ADMINISTER_ACL, path),
            maximum,
            self._preemption_disabled(path, parent),
            None,
        )

    def _accessible(self, path: str, parent: QueueConfiguration27 | None) -> frozenset[str]:
        """Root may use all; without a setting a queue may use what its parent may."""
        if parent is None:
            return frozenset({ANY_LABEL})
        text = self._properties.text(queue_keys.ACCESSIBLE_LABELS.of(path))
        if text is None:
            return parent.accessible
        names = frozenset(name.strip() for name in text.split(",") if name.strip())
        return frozenset({ANY_LABEL}) if ANY_LABEL in names else names

    def _default_label(self, path: str, parent: QueueConfiguration27 | None, accessible: frozenset[str]) -> str:
        text = self._properties.text(queue_keys.DEFAULT_LABEL.of(path))
        if text is not None:
            return text.strip()
        inherits = parent is not None and accessible >= parent.accessible
        return parent.default_label if parent is not None and inherits else NO_LABEL

    def _capacities(self, path: str, parent: QueueConfiguration27 | None) -> Mapping[str, PartitionCapacity]:
        """Fractions by partition; sets each absolute one from its parent's. Source: CSQueueUtils."""
        found: dict[str, PartitionCapacity] = {}
        for label in (NO_LABEL, *self._configured_labels(path)):
            above = parent.capacities.get(label, NO_CAPACITY) if parent is not None else None
            if label == NO_LABEL:
                percent, most = self._capacity(path), self._properties.of_queue(queue_keys.MAXIMUM_CAPACITY, path)
                most = 100.0 if most == -1.0 else most
            else:
                percent = self._percent(queue_keys.CAPACITY, path, label)
                most = self._percent(queue_keys.MAXIMUM_CAPACITY, path, label)
            part, largest = float32(percent / 100), float32(most / 100)
            absolute = float32(part * (above.absolute if above is not None else 1)) if part > 0 else 0.0
            absolute_maximum = (
                float32(largest * (above.absolute_maximum if above is not None else 1)) if largest > 0 else 0.0
            )
            found[label] = PartitionCapacity(part, largest, absolute, absolute_maximum)
            self._check_capacity(path, label, found[label])
        return found

    def _check_capacity(self, path: str, label: str, capacity: PartitionCapacity) -> None:
        where = f" of partition {label}" if label else ""
        for what, least, most in (
            ("capacity", capacity.of_parent, capacity.maximum_of_parent),
            ("absolute capacity", capacity.absolute, capacity.absolute_maximum),
        ):
            if least > most:
                message = f"its {what}{where} of {100 * least:g} % is above its maximum of {100 * most:g} %"
                self._refuse(ILLEGAL_ARGUMENT, queue_keys.MAXIMUM_CAPACITY.of(path), message)
                return

    def _capacity(self, path: str) -> float:
        if path == ROOT:
            return 100.0
        if self._properties.text(queue_keys.CAPACITY.of(path)) is None:
            hint = "names of queues stand between commas" if re.search(r"[;\s]", path) else ""
            self._refuse(ILLEGAL_ARGUMENT, queue_keys.CAPACITY.of(path), "the queue is given no capacity", hint)
        return self._percent(queue_keys.CAPACITY, path)

    def _percent(self, key: Key[float], path: str, label: str = "") -> float:
        percent = self._properties.of_queue(key, path, label=label)
        if percent < 0 or percent > 100:
            self._refuse(ILLEGAL_ARGUMENT, key.of(path, label), f"{percent:g} is not between 0 and 100")
            return 0.0
        return percent

    def _configured_labels(self, path: str) -> list[str]:
        start = f"{queue_keys.ACCESSIBLE_LABELS.of(path)}."
        labels: dict[str, None] = {}
        for key in self._labelled:
            if key.startswith(start):
                label, dot, _ = key[len(start) :].partition(".")
                if not dot:
                    self._properties.refusals.add(
                        "StringIndexOutOfBoundsException", "names no setting of a partition", key
                    )
                    continue
                labels[label] = None
        return [label for label in labels if label != NO_LABEL]

    def _largest(self, path: str) -> Amount:
        sizes = []
        for key, most in zip(
            (queue_keys.QUEUE_MAXIMUM_MB, queue_keys.QUEUE_MAXIMUM_VCORES), self._maximum, strict=True
        ):
            own = self._properties.of_queue(key, path, -1)
            size = most if own == -1 else own
            if size > most:
                message = f"{size} is above the cluster's maximum allocation of {most}"
                self._refuse(ILLEGAL_ARGUMENT, key.of(path), message)
            sizes.append(size)
        return sizes[0], sizes[1]

    def _acl(self, key: Key[str], path: str) -> AccessControlList:
        text = self._properties.text(key.of(path))
        return AccessControlList(text if text is not None else "*" if path == ROOT else " ")

    def _preemption_disabled(self, path: str, parent: QueueConfiguration27 | None) -> bool:
        """Source: AbstractCSQueue#isQueueHierarchyPreemptionDisabled."""
        if not self._properties.everywhere(MONITORS):
            return True
        inherited = parent.preemption_disabled if parent is not None else False
        return self._properties.of_queue(queue_keys.DISABLE_PREEMPTION, path, inherited)

    def _check_accessible(self, path: str, accessible: frozenset[str], above: frozenset[str]) -> None:
        if ANY_LABEL in above:
            return
        if ANY_LABEL in accessible or accessible - above:
            message = "it may use partitions that its parent may not"
            self._refuse(INPUT_OUTPUT, queue_keys.ACCESSIBLE_LABELS.of(path), message)

    def _leaf(self, queue: QueueConfiguration27) -> LeafConfiguration27:
        path, properties = queue.path, self._properties
        user_limit = int(properties.of_queue(keys.MINIMUM_USER_LIMIT, path))
        factor = properties.of_queue(keys.USER_LIMIT_FACTOR, path)
        most = properties.of_queue(keys.MAXIMUM_APPLICATIONS, path)
        if most < 0:
            system = properties.everywhere(keys.MAXIMUM_APPLICATIONS)
            most = truncate(float32(system * queue.capacities[NO_LABEL].absolute))
        per_user = truncate(float32(float32(most * float32(user_limit / 100)) * factor))
        am_percent = properties.of_queue(keys.MAXIMUM_AM_PERCENT, path)
        names = [name.strip() for name in queue.default_label.split("&&") if name.strip()]
        if not (ANY_LABEL in queue.accessible or all(name in queue.accessible for name in names)):
            message = f"the default partition {queue.default_label!r} is not accessible to the queue"
            self._refuse(INPUT_OUTPUT, queue_keys.DEFAULT_LABEL.of(path), message)
        _ = _locality_delay(properties)
        return LeafConfiguration27(user_limit, factor, most, per_user, am_percent)

    def _check_sums(self, queue: QueueConfiguration27, children: Sequence[QueueConfiguration27]) -> None:
        """Children's capacities add up to 100 % in every partition. Source: ParentQueue#setChildQueues."""
        if any(self._properties.refusals.names(queue_keys.CAPACITY.of(child.path)) for child in children):
            return  # the sum of what could be read says nothing
        for label in (NO_LABEL, *self._labels):
            total = 0.0
            for child in children:
                total = float32(total + child.capacities.get(label, NO_CAPACITY).of_parent)
            own = queue.capacities.get(label, NO_CAPACITY).of_parent
            if (own > 0 and abs(float32(1.0 - total)) > _PRECISION) or (own == 0 and total > 0):
                where = f" in partition {label}" if label else ""
                message = f"the capacities of its queues add up to {100 * total:g} %{where} instead of 100"
                if own == 0:
                    key = f" ({queue_keys.ACCESSIBLE_LABELS.of(queue.path)}.{label}.capacity)" if label else ""
                    message = f"its queues have capacity{where}, but it has none{key}"
                self._refuse(ILLEGAL_ARGUMENT, queue_keys.QUEUES.of(queue.path), message)

    def _refuse(self, kind: str, key: str, message: str, hint: str = "") -> None:
        self._properties.refusals.add(kind, message, key, hint)
