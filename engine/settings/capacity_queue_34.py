"""Settings of capacity-scheduler.xml for one queue, as 3.4.1 reads them.

Source: CapacitySchedulerConfiguration, Hadoop 3.4.1.
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from engine.settings.capacity_queue import (
    BOTH,
    CAPACITY,
    CREATED_QUEUES,
    CREATED_QUEUES_V2,
    CREATES,
    CREATES_V2,
    CREATION_FAILS,
    CREATION_POLICY,
    DEFAULT_LIFETIME,
    DEFAULT_PRIORITY,
    DISABLE_WITHIN,
    ENFORCED_PARTITIONS,
    MAXIMUM_ALLOCATION,
    MAXIMUM_CAPACITY,
    MAXIMUM_LIFETIME,
    ORDERING_POLICY,
    PRIORITY,
    PRIORITY_ACL,
    QUEUE_MAXIMUM_MB,
    QUEUE_MAXIMUM_VCORES,
    REMOVES_V2,
    SIZE_BASED,
    STATE,
    ZERO_SUM,
)
from engine.settings.capacity_scheduler import (
    CREATION_DEPTH,
    FAILS_FAST,
    MAX_PARALLEL,
    MINIMUM_USER_LIMIT,
    PREFIX,
    SORTING_POLICY,
    USER_LIMIT_FACTOR,
)
from engine.settings.kind import FLAG, INTEGER, LONG, SINGLE, TEXT
from engine.settings.table import Key, SettingEntry, SettingHelp

_OF: Final = "CapacitySchedulerConfiguration#"

_CHANGED_34: Final[Mapping[str, Mapping[str, Any]]] = {
    CAPACITY.name: {
        "meaning": "The part of its parent's capacity that the queue is guaranteed: a percentage, a weight like `2w` or"
        " resources like `[memory=1024,vcores=2]`; percentages of siblings add up to 100.",
        "kind": TEXT,
        "bounds": "0 to 100, or a weight from 0 to 10000",
    },
    MAXIMUM_CAPACITY.name: {
        "meaning": "The part of its parent that the queue never exceeds: a percentage, or resources like"
        " `[memory=1024,vcores=2]`; -1 is 100.",
        "kind": TEXT,
    },
    MINIMUM_USER_LIMIT.name: {"kind": SINGLE, "wider": MINIMUM_USER_LIMIT},
    USER_LIMIT_FACTOR.name: {"wider": USER_LIMIT_FACTOR},
    STATE.name: {"fallback": "parent", "source": f"{_OF}getConfiguredState"},
    QUEUE_MAXIMUM_MB.name: {"fallback": "parent"},
    QUEUE_MAXIMUM_VCORES.name: {"fallback": "parent", "shown": "4"},
}
"""Fields of settings that are otherwise in 3.4.1."""

ONLY_34: Final = (
    SettingEntry(
        ORDERING_POLICY,
        "fifo",
        "The order of a leaf's applications: `fifo`, `fair` or a class; of a parent's queues: `utilization` or"
        " `priority-utilization`.",
        help=SettingHelp("fair", "fifo or fair"),
        source=f"{_OF}getAppOrderingPolicy, #getQueueOrderingPolicy",
    ),
    SettingEntry(
        PRIORITY,
        "0",
        "The priority of the queue among its siblings, where the parent's order is `priority-utilization`.",
        kind=INTEGER,
        help=SettingHelp("1", "before others that are as full"),
        source=f"{_OF}getQueuePriority",
    ),
    SettingEntry(
        MAX_PARALLEL,
        "2147483647",
        "The most running applications of the queue and those below it; more wait.",
        kind=INTEGER,
        shown="no limit",
        wider=MAX_PARALLEL,
        help=SettingHelp("10", "applications that run at once"),
        source=f"{_OF}getMaxParallelAppsForQueue",
    ),
    SettingEntry(
        DEFAULT_PRIORITY,
        "0",
        "The priority of applications that ask for none.",
        kind=INTEGER,
        of_leaf=True,
        source=f"{_OF}getDefaultApplicationPriorityConfPerQueue",
    ),
    SettingEntry(
        MAXIMUM_LIFETIME,
        "-1",
        "The most time from an application's submission to its end; it is killed then. -1 for no limit.",
        "s",
        LONG,
        fallback="parent",
        source=f"{_OF}getMaximumLifetimePerQueue",
    ),
    SettingEntry(
        DEFAULT_LIFETIME,
        "-1",
        "The lifetime of applications that ask for none.",
        "s",
        LONG,
        "up to the maximum lifetime",
        fallback="parent",
        source=f"{_OF}getDefaultLifetimePerQueue",
    ),
    SettingEntry(
        PRIORITY_ACL,
        "*",
        "The users and groups that may use priorities: `[user=… group=… max_priority=… default_priority=…]`.",
        listed=False,
        source=f"{_OF}getPriorityAcls",
    ),
    SettingEntry(
        ZERO_SUM,
        "false",
        "Accepts queues below it whose capacities add up to 0.",
        kind=FLAG,
        listed=False,
        source=f"{_OF}getAllowZeroCapacitySum",
    ),
    SettingEntry(
        MAXIMUM_ALLOCATION,
        "",
        "The largest container of the queue: `memory-mb=1024,vcores=2`.",
        listed=False,
        source=f"{_OF}getQueueMaximumAllocation",
    ),
    SettingEntry(
        SIZE_BASED,
        "false",
        "Lets the order `fair` weigh an application by the logarithm of its demand.",
        listed=False,
        source="FairOrderingPolicy#configure",
    ),
    SettingEntry(
        ENFORCED_PARTITIONS,
        "",
        "The partitions in which the order `fifo-with-partitions` keeps others out.",
        listed=False,
        source="FifoOrderingPolicyWithExclusivePartitions#configure",
    ),
    SettingEntry(
        DISABLE_WITHIN,
        "false",
        "Lets preemption within queues take nothing among the queue's applications.",
        kind=FLAG,
        fallback="parent",
        listed=False,
        help=SettingHelp("true", "none among its users"),
        source=f"{_OF}getIntraQueuePreemptionDisabled",
    ),
    SettingEntry(
        SORTING_POLICY,
        "",
        "The sorting policy of the queue, where asks look through several nodes.",
        wider=SORTING_POLICY,
        listed=False,
        source=f"{_OF}getMultiNodesSortingAlgorithmPolicy",
    ),
    *(
        SettingEntry(
            Key[str](name, PREFIX), "", f"{meaning}; no effect here.", listed=False, source="ReservationsACLsManager"
        )
        for name, meaning in (
            ("acl_administer_reservations", "The users and groups that may change reservations"),
            ("acl_list_reservations", "The users and groups that may list reservations"),
            ("acl_submit_reservations", "The users and groups that may submit reservations"),
        )
    ),
    SettingEntry(
        FAILS_FAST,
        "false",
        "The same as that of the whole scheduler, for one queue; no effect here.",
        kind=FLAG,
        wider=FAILS_FAST,
        listed=False,
        source=f"{_OF}shouldAppFailFast",
    ),
    SettingEntry(
        CREATES,
        "false",
        "Creates a leaf below the queue for each user or group that a rule names.",
        kind=FLAG,
        listed=False,
        source=f"{_OF}isAutoCreateChildQueueEnabled",
    ),
    SettingEntry(
        CREATION_FAILS,
        "false",
        "Refuses a created queue whose capacity would exceed the parent's; otherwise it starts with capacity 0.",
        kind=FLAG,
        listed=False,
        source=f"{_OF}getShouldFailAutoQueueCreationWhenGuaranteedCapacityExceeded",
    ),
    SettingEntry(
        CREATION_POLICY,
        "",
        "The class that gives created queues their capacities.",
        listed=False,
        source=f"{_OF}getAutoCreatedQueueManagementPolicyClass",
    ),
    SettingEntry(
        CREATED_QUEUES,
        "1000",
        "The most queues that are created below the queue.",
        kind=INTEGER,
        listed=False,
        source=f"{_OF}getAutoCreatedQueuesMaxChildQueuesLimit",
    ),
    SettingEntry(
        CREATES_V2,
        "false",
        "Creates queues below the queue, several levels if needed, with weights.",
        kind=FLAG,
        listed=False,
        source=f"{_OF}isAutoQueueCreationV2Enabled",
    ),
    SettingEntry(
        CREATED_QUEUES_V2,
        "1000",
        "The most queues that are created below the queue with weights.",
        kind=INTEGER,
        listed=False,
        source=f"{_OF}getAutoCreatedQueuesV2MaxChildQueuesLimit",
    ),
    SettingEntry(
        REMOVES_V2,
        "true",
        "Removes a created queue that has been empty for a while.",
        kind=FLAG,
        listed=False,
        source=f"{_OF}isAutoExpiredDeletionEnabled",
    ),
    SettingEntry(
        CREATION_DEPTH,
        "2",
        "The levels of queues that may be created below the queue.",
        kind=INTEGER,
        wider=CREATION_DEPTH,
        listed=False,
        source=f"{_OF}getMaximumAutoCreatedQueueDepth",
    ),
)
"""Settings that 3.4.1 alone reads."""

ALL_34: Final = (*(replace(entry, **_CHANGED_34.get(entry.key.name, {})) for entry in BOTH), *ONLY_34)
"""The settings of 3.4.1."""
