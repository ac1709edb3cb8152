"""Names of the properties of capacity-scheduler.xml that each release reads, with the defaults of its code.

Source: CapacitySchedulerConfiguration, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple


class QueueKey(NamedTuple):
    """A property of a queue."""

    default: str
    """What holds where nothing states it."""
    falls_back: str = ""
    """`global`: the property of the same name without a queue; `parent`: the parent's value, root's is that of the
    whole cluster where there is one; `cluster`: the cluster's value; `ancestors`: who has a right in a queue above
    has it here too; empty: the default."""
    of_leaf: bool = False
    """Whether only leaves have it."""


QUEUE_KEYS: Final[Mapping[str, QueueKey]] = {
    "capacity": QueueKey(""),
    "maximum-capacity": QueueKey("100"),
    "minimum-user-limit-percent": QueueKey("100", of_leaf=True),
    "user-limit-factor": QueueKey("1.0", of_leaf=True),
    "maximum-applications": QueueKey("10000 × absolute capacity", of_leaf=True),
    "maximum-am-resource-percent": QueueKey("0.1", "global", of_leaf=True),
    "state": QueueKey("RUNNING"),
    "acl_submit_applications": QueueKey("*", "ancestors"),
    "acl_administer_queue": QueueKey("*", "ancestors"),
    "accessible-node-labels": QueueKey("*", "parent"),
    "default-node-label-expression": QueueKey("", "parent"),
    "maximum-allocation-mb": QueueKey("8192", "cluster"),
    "maximum-allocation-vcores": QueueKey("32", "cluster"),
    "disable_preemption": QueueKey("false", "parent"),
}
"""Shown of every queue, in this order; both releases read them."""

CHANGED_34: Final[Mapping[str, QueueKey]] = {
    "minimum-user-limit-percent": QueueKey("100", "global", of_leaf=True),
    "user-limit-factor": QueueKey("1.0", "global", of_leaf=True),
    "state": QueueKey("RUNNING", "parent"),
    "maximum-allocation-mb": QueueKey("8192", "parent"),
    "maximum-allocation-vcores": QueueKey("4", "parent"),
}
"""Properties whose default or place to fall back to is another in 3.4.1."""

ONLY_34: Final[Mapping[str, QueueKey]] = {
    "ordering-policy": QueueKey("fifo"),
    "priority": QueueKey("0"),
    "max-parallel-apps": QueueKey("no limit", "global"),
    "default-application-priority": QueueKey("0", of_leaf=True),
    "maximum-application-lifetime": QueueKey("-1", "parent", of_leaf=True),
    "default-application-lifetime": QueueKey("-1", "parent", of_leaf=True),
}
"""Shown of queues by 3.4.1 as well."""

OTHER_QUEUE_KEYS: Final = frozenset(
    {
        "queues",
        "reservable",
        "average-capacity",
        "reservation-window",
        "instantaneous-max-capacity",
        "reservation-policy",
        "reservation-agent",
        "show-reservations-as-queues",
        "reservation-planner",
        "reservation-move-on-expiry",
        "reservation-enforcement-window",
    }
)
"""Read of queues by both releases, and not shown."""

OTHER_QUEUE_KEYS_34: Final = frozenset(
    {
        "acl_application_max_priority",
        "acl_administer_reservations",
        "acl_list_reservations",
        "acl_submit_reservations",
        "allow-zero-capacity-sum",
        "maximum-allocation",
        "ordering-policy.fair.enable-size-based-weight",
        "ordering-policy.exclusive-enforced-partitions",
        "intra-queue-preemption.disable_preemption",
        "multi-node-sorting.policy",
        "application.fail-fast",
    }
)
"""Read of queues by 3.4.1 alone, and not shown."""

QUEUE_FAMILIES: Final = ("accessible-node-labels.",)
QUEUE_FAMILIES_34: Final = (
    *QUEUE_FAMILIES,
    "user-settings.",
    "auto-create-child-queue.",
    "leaf-queue-template.",
    "auto-queue-creation-v2.",
)
"""Beginnings of queues' property names whose rest names a label, a user or a template's property."""

GLOBAL_KEYS: Final[Mapping[str, str]] = {
    "resource-calculator": "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator",
    "maximum-applications": "10000",
    "maximum-am-resource-percent": "0.1",
    "node-locality-delay": "-1",
    "reservations-continue-look-all-nodes": "true",
    "queue-mappings": "",
    "queue-mappings-override.enable": "false",
    "schedule-asynchronously.enable": "false",
    "schedule-asynchronously.scheduling-interval-ms": "5",
    "user-metrics.enable": "false",
}
"""Properties of the whole scheduler with 2.7.2's defaults; both releases read them."""

GLOBAL_KEYS_34: Final[Mapping[str, str]] = {
    **GLOBAL_KEYS,
    "node-locality-delay": "40",
    "rack-locality-additional-delay": "-1",
    "rack-locality-full-reset": "true",
    "per-node-heartbeat.multiple-assignments-enabled": "true",
    "per-node-heartbeat.maximum-container-assignments": "100",
    "per-node-heartbeat.maximum-offswitch-assignments": "1",
    "minimum-user-limit-percent": "100",
    "user-limit-factor": "1.0",
    "global-queue-max-application": "",
    "max-parallel-apps": "no limit",
    "user.max-parallel-apps": "no limit",
    "lazy-preemption-enabled": "false",
    "multi-node-placement-enabled": "false",
    "multi-node-sorting.policy": "",
    "multi-node-sorting.policy.names": "",
    "mapping-rule-format": "legacy",
    "mapping-rule-json": "",
    "mapping-rule-json-file": "",
    "workflow-priority-mappings": "",
    "workflow-priority-mappings-override.enable": "false",
    "application.fail-fast": "false",
    "legacy-queue-mode.enabled": "true",
    "schedule-asynchronously.maximum-threads": "1",
    "schedule-asynchronously.maximum-pending-backlogs": "100",
    "auto-queue-creation-v2.queue-expiration-time": "300",
    "queue.auto.refresh.monitoring-interval": "5000",
    "skip-allocate-on-nodes-with-reserved-containers": "false",
    "application-tag-based-placement.enable": "false",
    "ordering-policy.priority-utilization.underutilized-preemption.enabled": "false",
    "ordering-policy.priority-utilization.underutilized-preemption.reserved-container-delay-ms": "60000",
    "ordering-policy.priority-utilization.underutilized-preemption.allow-move-reservation": "false",
}
"""The same for 3.4.1."""


OLD_NAMES: Final[Mapping[str, str]] = {
    "acl_submit_jobs": "an old name; acl_submit_applications is meant",
    "acl_administer_jobs": "an old name; acl_administer_queue is meant",
    "acl_administer_queues": "acl_administer_queue is meant",
    "acl_administer_applications": "acl_administer_queue is meant",
    "minimum-allocation-mb": "yarn.scheduler.minimum-allocation-mb is of the whole cluster",
    "minimum-allocation-vcores": "yarn.scheduler.minimum-allocation-vcores is of the whole cluster",
}
"""Names of queues' properties in real files that no release reads, and what is meant."""


def known_names(era: str) -> tuple[str, ...]:
    """All names of queues' properties that a release reads."""
    others = OTHER_QUEUE_KEYS | OTHER_QUEUE_KEYS_34 if era == "3.4" else OTHER_QUEUE_KEYS
    return (*queue_keys(era), *sorted(others))


def queue_keys(era: str) -> Mapping[str, QueueKey]:
    """What is shown of a queue."""
    if era != "3.4":
        return QUEUE_KEYS
    return {**QUEUE_KEYS, **CHANGED_34, **ONLY_34}


def global_keys(era: str) -> Mapping[str, str]:
    """Properties of the whole scheduler with their defaults."""
    return GLOBAL_KEYS_34 if era == "3.4" else GLOBAL_KEYS


def is_queue_key(name: str, era: str) -> bool:
    """Whether a release reads a property of this name of a queue."""
    if name in queue_keys(era) or name in OTHER_QUEUE_KEYS:
        return True
    if era != "3.4":
        return name.startswith(QUEUE_FAMILIES)
    return name in OTHER_QUEUE_KEYS_34 or name.startswith(QUEUE_FAMILIES_34)
