"""One queue's settings, read from the properties of a capacity-scheduler.xml.

`read_queue` and then `read_rest` read them in the order of the class: properties and the parent's settings in, settings
out, refusals collected on the way. What depends on the whole tree or on what runs is checked in `tree`.

Source: CapacitySchedulerConfiguration, QueueNodeLabelsSettings, QueueAllocationSettings, UserWeights,
CSQueuePreemptionSettings, QueueAppLifetimeAndLimitSettings, AbstractLeafQueue#setupQueueConfigs,
AppPriorityACLConfigurationParser, Hadoop 3.4.1.
"""

import re
from typing import Final, NamedTuple

from engine.model.java_values import INT_MAX, float32, parse_float, parse_int, trim
from engine.model.request import MEMORY_MB, VCORES
from engine.schedulers.capacity.properties import (
    CLASS_NOT_FOUND,
    ILLEGAL_ARGUMENT,
    INPUT_OUTPUT,
    NUMBER_FORMAT,
    OUT_OF_BOUNDS,
    RUNTIME,
    Properties,
)
from engine.schedulers.capacity.space import NOTHING, Amount
from engine.schedulers.capacity34.calculators import CALCULATORS
from engine.schedulers.capacity34.capacity_text import (
    LabelSettings,
    read_amounts,
    read_label,
    read_resources,
    read_vectors,
)
from engine.schedulers.placement import AccessControlList
from engine.settings import capacity_queue as queue_keys
from engine.settings import capacity_scheduler as keys
from engine.settings.capacity import MAXIMUM_PRIORITY, MONITORS, WITHIN_QUEUES
from engine.settings.site import MAXIMA
from engine.settings.table import LABELS, LONG

ROOT: Final = "root"
ANY_LABEL: Final = "*"
NO_LABEL: Final = ""
STATES: Final = ("RUNNING", "STOPPED")
OTHER_CLASSES: Final = tuple(CALCULATORS)  # Classes of Hadoop that real files name in the wrong place


class QueueSettings:
    """The settings of one queue; values of a leaf have their defaults on a parent."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.accessible: frozenset[str] = frozenset()  # labels its applications may use; `*` for all
        self.default_label: str | None = None
        self.by_label: dict[str, LabelSettings] = {}  # by label; the default partition's is always there
        self.state: str | None = None
        self.acl_submit = AccessControlList(" ")
        self.acl_administer = AccessControlList(" ")
        self.maximum_allocation: Amount = NOTHING
        self.user_weights: dict[str, float] = {}
        self.priority = 0
        self.preemption_disabled = True
        self.intra_queue_disabled = True
        self.max_parallel = INT_MAX
        self.max_lifetime_s = -1
        self.default_lifetime_s = -1
        self.has_own_lifetime = False
        self.sorts_nodes = False  # whether its applications look through several nodes where multi-node placement is on


def queue_key(path: str, name: str) -> str:
    return f"{keys.PREFIX}{path}.{name}"


def configured_labels(properties: Properties) -> dict[str, set[str]]:
    """Queue → the labels it has a property for, the empty one included. Source: #getConfiguredNodeLabelsByQueue."""
    found: dict[str, set[str]] = {}
    for key in properties.values:
        name = key.removeprefix(keys.PREFIX)
        if name == key or f"{LABELS}." not in name:
            continue
        # The class finds the first place of the words, whatever they stand behind.
        at = name.index(LABELS)
        label, dot, _ = name[at + len(LABELS) + 1 :].partition(".")
        if dot and at > 0:
            found.setdefault(name[: at - 1], {NO_LABEL}).add(label)
        else:
            properties.refusals.add(OUT_OF_BOUNDS, "names no property of a partition", key)
    return found


def labels_of(found: dict[str, set[str]], path: str) -> set[str]:
    """The labels a queue has properties for; root's are those of all queues. Source: ConfiguredNodeLabels."""
    if path == ROOT:
        return set().union(*found.values()) or {NO_LABEL}
    return found.get(path, {NO_LABEL})


def read_queue(
    properties: Properties, path: str, parent: QueueSettings | None, found: dict[str, set[str]], template: str = ""
) -> QueueSettings:
    """A queue's settings. `parent` is None for root; absolute resources are read from `template` where it is given."""
    settings = QueueSettings(path)
    everybody = "*" if parent is None else " "
    settings.acl_submit = _acl(properties, path, "acl_submit_applications", everybody)
    settings.acl_administer = _acl(properties, path, "acl_administer_queue", everybody)
    _read_labels(settings, properties, parent)
    for label in sorted(labels_of(found, path)):
        settings.by_label[label] = read_label(properties, path, label)
    for label, of_label in settings.by_label.items():
        above = parent.by_label.get(label) if parent is not None else None
        read_resources(of_label, properties, label, above, template or path)
    _read_maximum_allocation(settings, properties, parent)
    _read_state(settings, properties)
    return settings


def read_rest(settings: QueueSettings, properties: Properties, parent: QueueSettings | None) -> None:
    """Read the properties that the class reads once a queue's state is set."""
    path = settings.path
    settings.user_weights = {} if parent is None else dict(parent.user_weights)
    settings.user_weights.update(_user_weights(properties, path))
    for label, of_label in settings.by_label.items():
        read_vectors(of_label, properties, path, label)
    _check_modes(settings, properties, parent)
    _read_preemption(settings, properties, parent)
    settings.priority = properties.of_queue(queue_keys.PRIORITY, path)
    settings.sorts_nodes = _check_sorting(properties, path)
    _read_lifetimes(settings, properties, parent)


def _check_modes(settings: QueueSettings, properties: Properties, parent: QueueSettings | None) -> None:
    """Source: AbstractCSQueue#updateCapacityConfigType."""
    modes = {of_label.absolute for of_label in settings.by_label.values()}
    if len(modes) > 1 and parent is not None and legacy_mode(properties):
        message = "percentages in one partition, absolute resources in another"
        properties.refusals.add(ILLEGAL_ARGUMENT, message, queue_keys.CAPACITY.of(settings.path))


def _check_sorting(properties: Properties, path: str) -> bool:
    """Whether a policy sorts its nodes, which needs a class. Source: #getMultiNodesSortingAlgorithmPolicy."""
    everywhere = keys.SORTING_POLICY.everywhere
    key = next((key for key in (keys.SORTING_POLICY.of(path), everywhere) if properties.text(key) is not None), "")
    name = trim(properties.text(key) or "") if properties.text(key) else None
    if name is None:
        return False
    of_class = f"{everywhere}.{name}.class"
    text = trim(properties.text(of_class) or "")
    if not properties.text(of_class):
        properties.refusals.add(RUNTIME, f"{name!r} needs a property {of_class}", key)
    elif text in OTHER_CLASSES:
        properties.refusals.add(RUNTIME, f"{text} does not sort nodes", of_class)
    elif not text.startswith("org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement."):
        properties.refusals.add(CLASS_NOT_FOUND, f"there is no class {text!r}", of_class)
    return True


def _acl(properties: Properties, path: str, name: str, default: str) -> AccessControlList:
    text = properties.text(queue_key(path, name))
    return AccessControlList(default if text is None else text)


def _read_labels(settings: QueueSettings, properties: Properties, parent: QueueSettings | None) -> None:
    """Read the accessible labels, and the label of asks without one. Source: QueueNodeLabelsSettings."""
    key = queue_keys.ACCESSIBLE_LABELS.of(settings.path)
    text = properties.text(key)
    if parent is None:
        settings.accessible = frozenset({ANY_LABEL})
    elif text is None:
        settings.accessible = parent.accessible
    else:
        names = frozenset(trim(name) for name in text.split(",")) - {""}
        settings.accessible = frozenset({ANY_LABEL}) if ANY_LABEL in names else names
    default = properties.text(queue_keys.DEFAULT_LABEL.of(settings.path))
    settings.default_label = trim(default) if default is not None else None
    if parent is None:
        return
    if settings.default_label is None and settings.accessible >= parent.accessible:
        settings.default_label = parent.default_label
    if ANY_LABEL not in parent.accessible and not settings.accessible <= parent.accessible:
        missing = ", ".join(sorted(settings.accessible - parent.accessible))
        properties.refusals.add(INPUT_OUTPUT, f"its parent may not use {missing}", key)


def _read_maximum_allocation(settings: QueueSettings, properties: Properties, parent: QueueSettings | None) -> None:
    """Source: QueueAllocationSettings#setupMaximumAllocation."""
    most = cluster_maximum(properties)
    memory_mb, vcores = most if parent is None else parent.maximum_allocation
    key = queue_keys.MAXIMUM_ALLOCATION.of(settings.path)
    named = read_amounts(properties, key)
    for index, name in enumerate((MEMORY_MB, VCORES) if named else ()):
        if named.get(name, 0) > most[index]:
            message = f"{named[name]} {name} are above the cluster's maximum {most[index]}"
            properties.refusals.add(ILLEGAL_ARGUMENT, message, key)
    if named:
        settings.maximum_allocation = (named.get(MEMORY_MB, 0), named.get(VCORES, 0))
        return
    for index, key_of_size in enumerate((queue_keys.QUEUE_MAXIMUM_MB, queue_keys.QUEUE_MAXIMUM_VCORES)):
        value = properties.of_queue(key_of_size, settings.path, -1)
        if value == -1:
            continue
        if value > most[index]:
            message = f"{value} is above the cluster's maximum {most[index]}"
            properties.refusals.add(ILLEGAL_ARGUMENT, message, key_of_size.of(settings.path))
        memory_mb, vcores = (value, vcores) if index == 0 else (memory_mb, value)
    settings.maximum_allocation = (memory_mb, vcores)


def cluster_maximum(properties: Properties) -> Amount:
    memory_mb, vcores = (properties.parsed(key.name, LONG, properties.table.default(key)) for key in MAXIMA)
    return memory_mb, vcores


def _read_state(settings: QueueSettings, properties: Properties) -> None:
    key = queue_keys.STATE.of(settings.path)
    text = properties.text(key)
    if text is None:
        return
    settings.state = text.upper()
    if settings.state not in STATES:
        properties.refusals.add(ILLEGAL_ARGUMENT, f"{text!r} is neither RUNNING nor STOPPED", key)
        settings.state = None


def _user_weights(properties: Properties, path: str) -> dict[str, float]:
    """Weights by user, as named below this queue. Source: UserWeights#createByConfig."""
    weights: dict[str, float] = {}
    prefix = f"{keys.PREFIX}{path}.user-settings."
    for rest, text in properties.starting_with(prefix).items():
        user, dot, _ = rest.rpartition(".weight")
        if not dot or not user:
            continue
        try:
            weights[user] = parse_float(text)
        except ValueError:
            properties.refusals.add(NUMBER_FORMAT, f"{text!r} is not a number", prefix + rest)
    return weights


def _read_preemption(settings: QueueSettings, properties: Properties, parent: QueueSettings | None) -> None:
    """Read whether preemption is off here; below a queue where it is, unless a queue says otherwise."""
    if properties.everywhere(MONITORS):
        inherited = parent.preemption_disabled if parent is not None else False
        settings.preemption_disabled = properties.of_queue(queue_keys.DISABLE_PREEMPTION, settings.path, inherited)
    if properties.everywhere(WITHIN_QUEUES):
        inherited = parent.intra_queue_disabled if parent is not None else False
        settings.intra_queue_disabled = properties.of_queue(queue_keys.DISABLE_WITHIN, settings.path, inherited)


def _read_lifetimes(settings: QueueSettings, properties: Properties, parent: QueueSettings | None) -> None:
    """Applications in parallel and how long one may live. Source: QueueAppLifetimeAndLimitSettings."""
    settings.max_parallel = read_max_parallel(properties, settings.path)
    longest = properties.of_queue(queue_keys.MAXIMUM_LIFETIME, settings.path)
    default = properties.of_queue(queue_keys.DEFAULT_LIFETIME, settings.path)
    settings.has_own_lifetime = default >= 0 or (parent is not None and parent.has_own_lifetime)
    if parent is not None:
        longest = longest if longest >= 0 else parent.max_lifetime_s
        if default < 0:
            default = min(parent.default_lifetime_s, longest) if settings.has_own_lifetime else longest
        if 0 < longest < default:
            message = f"the default lifetime {default} exceeds the maximum {longest}"
            properties.refusals.add(RUNTIME, message, queue_keys.DEFAULT_LIFETIME.of(settings.path))
        default = default if default > 0 else longest
    settings.max_lifetime_s, settings.default_lifetime_s = longest, default


def read_max_parallel(properties: Properties, path: str) -> int:
    key = keys.MAX_PARALLEL.of(path)
    text = properties.text(key)
    if text is None:
        return properties.everywhere(keys.MAX_PARALLEL)
    try:
        return parse_int(text)
    except ValueError:
        properties.refusals.add(NUMBER_FORMAT, f"{text!r} is not a whole number", key)
        return INT_MAX


def max_depth(properties: Properties, path: str) -> int:
    return properties.of_queue(keys.CREATION_DEPTH, path)


def legacy_mode(properties: Properties) -> bool:
    """Tell whether capacities are percentages, weights or resources as a whole, not one by one for each resource."""
    return properties.everywhere(keys.LEGACY_MODE)


# The settings of a leaf alone: limits of users, delays for locality, order and priority of applications.

PRIORITY_GROUP = re.compile(r"\[([^\]]+)")
POLICY_PACKAGE: Final = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.policy."
ORDER_CLASSES: Final = {
    f"{POLICY_PACKAGE}FifoOrderingPolicy": "fifo",
    f"{POLICY_PACKAGE}FairOrderingPolicy": "fair",
    f"{POLICY_PACKAGE}FifoOrderingPolicyWithExclusivePartitions": "fifo-with-partitions",
    f"{POLICY_PACKAGE}FifoOrderingPolicyForPendingApps": "fifo-for-pending-apps",
}


class PriorityGroup(NamedTuple):
    """The users and groups that may have applications up to a priority, and the priority they get by default."""

    allowed: AccessControlList
    maximum: int
    default: int | None


class LeafSettings:
    def __init__(self) -> None:
        self.minimum_user_percent = 100.0
        self.user_limit_factor = 1.0
        self.max_applications = -1  # -1 where the queue has no maximum of its own
        self.most_of_each = -1  # The most applications of a queue that has no maximum of its own; -1 for none
        self.node_delay = 40
        self.rack_delay = -1  # offers passed by after `node_delay` before any node will do; -1 for the older rule
        self.full_reset = True
        self.continue_looking = True
        self.order = "fifo"
        self.size_based = False
        self.order_partitions: tuple[str, ...] = ()
        self.default_priority = 0
        self.priority_groups: tuple[PriorityGroup, ...] = ()  # highest maximum first


def read_leaf(properties: Properties, queue: QueueSettings) -> LeafSettings:
    settings, path = LeafSettings(), queue.path
    _read_order(settings, properties, path)
    settings.minimum_user_percent = properties.of_queue(keys.MINIMUM_USER_LIMIT, path)
    settings.user_limit_factor = properties.of_queue(keys.USER_LIMIT_FACTOR, path)
    settings.max_applications = properties.of_queue(keys.MAXIMUM_APPLICATIONS, path)
    if settings.max_applications < 0:
        settings.most_of_each = properties.everywhere(keys.APPLICATIONS_OF_A_QUEUE)
    settings.priority_groups = _priority_groups(properties, path)
    _check_default_label(properties, queue)
    settings.node_delay = properties.everywhere(keys.NODE_LOCALITY_DELAY)
    settings.rack_delay = properties.everywhere(keys.RACK_LOCALITY_DELAY)
    settings.full_reset = properties.everywhere(keys.RACK_FULL_RESET)
    settings.continue_looking = properties.everywhere(keys.CONTINUE_LOOKING)
    settings.default_priority = properties.of_queue(queue_keys.DEFAULT_PRIORITY, path)
    _check_weights(properties, queue, min(100.0, settings.minimum_user_percent))
    return settings


def _read_order(settings: LeafSettings, properties: Properties, path: str) -> None:
    key = queue_keys.ORDERING_POLICY.of(path)
    name = trim(properties.text(key) or "fifo")
    name = ORDER_CLASSES.get(name, name)
    if name not in ORDER_CLASSES.values():
        kind = "ClassCastException" if name in OTHER_CLASSES else CLASS_NOT_FOUND
        properties.refusals.add(kind, f"there is no ordering policy {name!r}", key)
        name = "fifo"
    settings.order = name
    settings.size_based = (properties.text(f"{key}.fair.enable-size-based-weight") or "").lower() == "true"
    partitions = properties.text(f"{key}.exclusive-enforced-partitions") or ""
    settings.order_partitions = tuple(trim(label) for label in partitions.split(",") if trim(label))


def _check_default_label(properties: Properties, queue: QueueSettings) -> None:
    label = queue.default_label
    if label and ANY_LABEL not in queue.accessible and label not in queue.accessible:
        key = queue_keys.DEFAULT_LABEL.of(queue.path)
        properties.refusals.add(INPUT_OUTPUT, f"the queue may not use the label {label!r}", key)


def _check_weights(properties: Properties, queue: QueueSettings, user_percent: float) -> None:
    """Source: UserWeights#validateForLeafQueue."""
    most = float32(100 / user_percent) if user_percent else float("inf")
    for user, weight in queue.user_weights.items():
        if weight < 0 or weight > most:
            key = queue_key(queue.path, f"user-settings.{user}.weight")
            properties.refusals.add(INPUT_OUTPUT, f"the weight {weight} is not between 0 and {most}", key)


def _priority_groups(properties: Properties, path: str) -> tuple[PriorityGroup, ...]:
    key = queue_keys.PRIORITY_ACL.of(path)
    most = properties.everywhere(MAXIMUM_PRIORITY)
    texts = [trim(found.group(1)) for found in PRIORITY_GROUP.finditer(properties.text(key) or "*")]
    groups = [_priority_group(properties, key, text, most) for text in texts if text]
    return tuple(sorted(groups, key=lambda group: -group.maximum))


def _priority_group(properties: Properties, key: str, text: str, most: int) -> PriorityGroup:
    names: list[str] = []
    maximum, default = None, None
    for pair in re.split(r" +", text):
        name, equals, value = pair.partition("=")
        word = name.strip().upper()
        if not equals or not value:
            continue
        if word in ("USER", "GROUP"):
            names.append(value.strip())
        elif word in ("MAX_PRIORITY", "DEFAULT_PRIORITY"):
            try:
                number = parse_int(value)
            except ValueError:
                properties.refusals.add(NUMBER_FORMAT, f"{value!r} is not a whole number", key)
                continue
            if word == "MAX_PRIORITY":
                maximum = number
            else:
                default = max(number, 0)
        else:
            properties.refusals.add(ILLEGAL_ARGUMENT, f"{name!r} is not part of a priority's access list", key)
    if maximum is None:
        properties.refusals.add("NullPointerException", f"{text!r} states no max_priority", key)
    elif not names:
        properties.refusals.add("IndexOutOfBoundsException", f"{text!r} names no user and no group", key)
    return PriorityGroup(_names_allowed(names), min(maximum or 0, most), default)


def _names_allowed(names: list[str]) -> AccessControlList:
    users = names[0] if names else ""
    if users in ("*", " "):
        return AccessControlList(users)
    groups = f" {names[1]}" if len(names) > 1 and names[1].strip() else ""
    return AccessControlList(trim(users + groups))
