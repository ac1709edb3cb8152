"""The settings of a leaf alone: limits of users, delays for locality, order and priority of applications.

Source: CapacitySchedulerConfiguration, AbstractLeafQueue#setupQueueConfigs, AppPriorityACLConfigurationParser,
Hadoop 3.4.1.
"""

import re
from typing import Final, NamedTuple

from engine.model.java_number import float32
from engine.model.java_values import parse_int, trim
from engine.schedulers.acl import AccessControlList
from engine.schedulers.capacity.properties import (
    CLASS_NOT_FOUND,
    ILLEGAL_ARGUMENT,
    INPUT_OUTPUT,
    NUMBER_FORMAT,
    Properties,
)
from engine.schedulers.capacity34.queue_settings import ANY_LABEL, OTHER_CLASSES, QueueSettings, queue_key
from engine.settings.capacity_queue import DEFAULT_LABEL, DEFAULT_PRIORITY, ORDERING_POLICY, PRIORITY_ACL
from engine.settings.capacity_scheduler import (
    APPLICATIONS_OF_A_QUEUE,
    CONTINUE_LOOKING,
    MAXIMUM_APPLICATIONS,
    MINIMUM_USER_LIMIT,
    NODE_LOCALITY_DELAY,
    RACK_FULL_RESET,
    RACK_LOCALITY_DELAY,
    USER_LIMIT_FACTOR,
)
from engine.settings.monitor import MAXIMUM_PRIORITY

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
    """A leaf's settings."""

    __slots__ = (
        "continue_looking",
        "default_priority",
        "full_reset",
        "max_applications",
        "minimum_user_percent",
        "node_delay",
        "order",
        "order_partitions",
        "priority_groups",
        "rack_delay",
        "size_based",
        "user_limit_factor",
    )

    def __init__(self) -> None:
        self.minimum_user_percent = 100.0
        self.user_limit_factor = 1.0
        self.max_applications = -1
        """-1 where the queue has no maximum of its own."""
        self.node_delay = 40
        self.rack_delay = -1
        """Offers passed by after `node_delay` before any node will do; -1 for the older rule."""
        self.full_reset = True
        self.continue_looking = True
        self.order = "fifo"
        self.size_based = False
        self.order_partitions: tuple[str, ...] = ()
        self.default_priority = 0
        self.priority_groups: tuple[PriorityGroup, ...] = ()
        """Highest maximum first."""


def read_leaf(properties: Properties, queue: QueueSettings) -> LeafSettings:
    """A leaf's settings; refusals are noted."""
    settings, path = LeafSettings(), queue.path
    _read_order(settings, properties, path)
    settings.minimum_user_percent = properties.of_queue(MINIMUM_USER_LIMIT, path)
    settings.user_limit_factor = properties.of_queue(USER_LIMIT_FACTOR, path)
    settings.max_applications = properties.of_queue(MAXIMUM_APPLICATIONS, path)
    if settings.max_applications < 0:
        properties.everywhere(APPLICATIONS_OF_A_QUEUE)
    settings.priority_groups = _priority_groups(properties, path)
    _check_default_label(properties, queue)
    settings.node_delay = properties.everywhere(NODE_LOCALITY_DELAY)
    settings.rack_delay = properties.everywhere(RACK_LOCALITY_DELAY)
    settings.full_reset = properties.everywhere(RACK_FULL_RESET)
    settings.continue_looking = properties.everywhere(CONTINUE_LOOKING)
    settings.default_priority = properties.of_queue(DEFAULT_PRIORITY, path)
    _check_weights(properties, queue, min(100.0, settings.minimum_user_percent))
    return settings


def _read_order(settings: LeafSettings, properties: Properties, path: str) -> None:
    key = ORDERING_POLICY.of(path)
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
        key = DEFAULT_LABEL.of(queue.path)
        properties.refusals.add(INPUT_OUTPUT, f"the queue may not use the label {label!r}", key)


def _check_weights(properties: Properties, queue: QueueSettings, user_percent: float) -> None:
    """Source: UserWeights#validateForLeafQueue."""
    most = float32(100 / user_percent) if user_percent else float("inf")
    for user, weight in queue.user_weights.items():
        if weight < 0 or weight > most:
            key = queue_key(queue.path, f"user-settings.{user}.weight")
            properties.refusals.add(INPUT_OUTPUT, f"the weight {weight} is not between 0 and {most}", key)


def _priority_groups(properties: Properties, path: str) -> tuple[PriorityGroup, ...]:
    """`[user=… group=… max_priority=… default_priority=…] […]`, highest maximum first."""
    key = PRIORITY_ACL.of(path)
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
            properties.refusals.add(ILLEGAL_ARGUMENT, f"{name!r} is no part of a priority's access list", key)
    if maximum is None:
        properties.refusals.add("NullPointerException", f"{text!r} states no max_priority", key)
    elif not names:
        properties.refusals.add("IndexOutOfBoundsException", f"{text!r} names no user and no group", key)
    return PriorityGroup(_names_allowed(names), min(maximum or 0, most), default)


def _names_allowed(names: list[str]) -> AccessControlList:
    """The first name list means users, the second one groups, whichever was written first."""
    users = names[0] if names else ""
    if users in ("*", " "):
        return AccessControlList(users)
    groups = f" {names[1]}" if len(names) > 1 and names[1].strip() else ""
    return AccessControlList(trim(users + groups))
