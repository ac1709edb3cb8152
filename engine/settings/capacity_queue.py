"""Settings of capacity-scheduler.xml for one queue.

Source: CapacitySchedulerConfiguration, Hadoop 2.7.2 and 3.4.1; CapacitySchedulerConfiguration, Hadoop 3.4.1.
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from engine.settings.capacity_scheduler import (
    CREATION_DEPTH,
    FAILS_FAST,
    MAX_PARALLEL,
    MAXIMUM_AM_PERCENT,
    MAXIMUM_APPLICATIONS,
    MINIMUM_USER_LIMIT,
    PREFIX,
    SORTING_POLICY,
    USER_LIMIT_FACTOR,
)
from engine.settings.site import MAXIMUM_MB, MAXIMUM_VCORES
from engine.settings.table import FLAG, INTEGER, LABELS, LONG, SINGLE, TEXT, Key, SettingEntry, SettingHelp

QUEUES: Final = Key[str]("queues", PREFIX)
CAPACITY: Final = Key[float]("capacity", PREFIX)
MAXIMUM_CAPACITY: Final = Key[float]("maximum-capacity", PREFIX)
STATE: Final = Key[str]("state", PREFIX)
SUBMIT_ACL: Final = Key[str]("acl_submit_applications", PREFIX)
ADMINISTER_ACL: Final = Key[str]("acl_administer_queue", PREFIX)
ACCESSIBLE_LABELS: Final = Key[str](LABELS, PREFIX)
DEFAULT_LABEL: Final = Key[str]("default-node-label-expression", PREFIX)
QUEUE_MAXIMUM_MB: Final = Key[int]("maximum-allocation-mb", PREFIX)
QUEUE_MAXIMUM_VCORES: Final = Key[int]("maximum-allocation-vcores", PREFIX)
DISABLE_PREEMPTION: Final = Key[bool]("disable_preemption", PREFIX)
RESERVABLE: Final = Key[bool]("reservable", PREFIX)
ORDERING_POLICY: Final = Key[str]("ordering-policy", PREFIX)
PRIORITY: Final = Key[int]("priority", PREFIX)
DEFAULT_PRIORITY: Final = Key[int]("default-application-priority", PREFIX)
MAXIMUM_LIFETIME: Final = Key[int]("maximum-application-lifetime", PREFIX)
DEFAULT_LIFETIME: Final = Key[int]("default-application-lifetime", PREFIX)
PRIORITY_ACL: Final = Key[str]("acl_application_max_priority", PREFIX)
ZERO_SUM: Final = Key[bool]("allow-zero-capacity-sum", PREFIX)
MAXIMUM_ALLOCATION: Final = Key[str]("maximum-allocation", PREFIX)
SIZE_BASED: Final = Key[str](f"{ORDERING_POLICY}.fair.enable-size-based-weight", PREFIX)
ENFORCED_PARTITIONS: Final = Key[str](f"{ORDERING_POLICY}.exclusive-enforced-partitions", PREFIX)
DISABLE_WITHIN: Final = Key[bool]("intra-queue-preemption.disable_preemption", PREFIX)

_CREATE: Final = "auto-create-child-queue."
_CREATE_V2: Final = "auto-queue-creation-v2."
CREATES: Final = Key[bool](f"{_CREATE}enabled", PREFIX)
CREATION_FAILS: Final = Key[bool](f"{_CREATE}fail-on-exceeding-parent-capacity", PREFIX)
CREATION_POLICY: Final = Key[str](f"{_CREATE}management-policy", PREFIX)
CREATED_QUEUES: Final = Key[int](f"{_CREATE}max-queues", PREFIX)
CREATES_V2: Final = Key[bool](f"{_CREATE_V2}enabled", PREFIX)
CREATED_QUEUES_V2: Final = Key[int](f"{_CREATE_V2}max-queues", PREFIX)
REMOVES_V2: Final = Key[bool](f"{_CREATE_V2}queue-auto-removal.enable", PREFIX)

RUNNING: Final = "RUNNING"
STOPPED: Final = "STOPPED"

_OF: Final = "CapacitySchedulerConfiguration#"

BOTH: Final = (
    SettingEntry(
        CAPACITY,
        "0",
        "The part of its parent's capacity that the queue is guaranteed; those of siblings add up to 100.",
        "%",
        SINGLE,
        "0 to 100",
        shown="",
        of_root="100",
        help=SettingHelp("40 other=60", "guaranteed; others with it"),
        source=f"{_OF}getNonLabeledQueueCapacity",
    ),
    SettingEntry(
        MAXIMUM_CAPACITY,
        "100",
        "The part of its parent that the queue never exceeds; -1 is 100.",
        "%",
        SINGLE,
        "at least the capacity",
        help=SettingHelp("75", "what it never exceeds, in %"),
        source=f"{_OF}getNonLabeledQueueMaximumCapacity",
    ),
    SettingEntry(
        MINIMUM_USER_LIMIT,
        "100",
        "The part of the queue that each of its users gets at least, however many there are.",
        "%",
        INTEGER,
        of_leaf=True,
        help=SettingHelp("25", "least part of one user"),
        source=f"{_OF}getUserLimit",
    ),
    SettingEntry(
        USER_LIMIT_FACTOR,
        "1.0",
        "The most that one user may use, as a multiple of the queue's capacity.",
        "times capacity",
        SINGLE,
        of_leaf=True,
        help=SettingHelp("2", "times capacity, for one user"),
        source=f"{_OF}getUserLimitFactor",
    ),
    SettingEntry(
        MAXIMUM_APPLICATIONS,
        "-1",
        "The most pending and running applications of the queue; more are refused.",
        kind=INTEGER,
        shown="10000 × absolute capacity",
        unset="-1",
        of_leaf=True,
        help=SettingHelp("100", "more are refused"),
        source=f"{_OF}getMaximumApplicationsPerQueue",
    ),
    SettingEntry(
        MAXIMUM_AM_PERCENT,
        "0.1",
        "The part of the queue that application masters may use.",
        "part of 1",
        SINGLE,
        wider=MAXIMUM_AM_PERCENT,
        of_leaf=True,
        help=SettingHelp("0.3", "part for masters"),
        source=f"{_OF}getMaximumApplicationMasterResourcePerQueuePercent",
    ),
    SettingEntry(
        STATE,
        RUNNING,
        "RUNNING, or STOPPED: the queue and those below it refuse applications, and those they have end.",
        bounds="RUNNING or STOPPED",
        help=SettingHelp(STOPPED, "RUNNING or STOPPED"),
        source=f"{_OF}getState",
    ),
    SettingEntry(
        SUBMIT_ACL,
        "*",
        "The users and groups that may submit applications.",
        fallback="ancestors",
        source=f"{_OF}getAcl",
    ),
    SettingEntry(
        ADMINISTER_ACL,
        "*",
        "The users and groups that may submit, move and kill applications of the queue.",
        fallback="ancestors",
        source=f"{_OF}getAcl",
    ),
    SettingEntry(
        ACCESSIBLE_LABELS,
        "*",
        "The node labels that the queue's applications may ask for; `*` for all.",
        fallback="parent",
        of_root="*",
        source=f"{_OF}getAccessibleNodeLabels",
    ),
    SettingEntry(
        DEFAULT_LABEL,
        "",
        "The node label of asks that name none.",
        fallback="parent",
        source=f"{_OF}getDefaultNodeLabelExpression",
    ),
    SettingEntry(
        QUEUE_MAXIMUM_MB,
        "-1",
        "The largest container of the queue.",
        "MB",
        INTEGER,
        "up to that of the cluster",
        shown="8192",
        wider=MAXIMUM_MB,
        unset="-1",
        source=f"{_OF}getMaximumAllocationPerQueue",
    ),
    SettingEntry(
        QUEUE_MAXIMUM_VCORES,
        "-1",
        "The most vcores of a container of the queue.",
        "vcores",
        INTEGER,
        "up to that of the cluster",
        shown="32",
        wider=MAXIMUM_VCORES,
        unset="-1",
        source=f"{_OF}getMaximumAllocationPerQueue",
    ),
    SettingEntry(
        DISABLE_PREEMPTION,
        "false",
        "Lets preemption take nothing from the queue and those below it.",
        kind=FLAG,
        fallback="parent",
        help=SettingHelp("true", "nothing is taken from it"),
        source=f"{_OF}getPreemptionDisabled",
    ),
    SettingEntry(
        QUEUES, "", "The names of the queues below it, between commas.", listed=False, source=f"{_OF}getQueues"
    ),
    SettingEntry(
        RESERVABLE,
        "false",
        "Lets a leaf take reservations of the reservation system; they are not simulated.",
        kind=FLAG,
        listed=False,
        source=f"{_OF}isReservable",
    ),
    *(
        SettingEntry(
            Key[str](name, PREFIX),
            "",
            f"{meaning}; no effect here.",
            listed=False,
            source="ReservationSchedulerConfiguration",
        )
        for name, meaning in (
            ("average-capacity", "The average part of the plan that a user may reserve"),
            ("reservation-window", "The time over which that average holds"),
            ("instantaneous-max-capacity", "The most of the plan that a user may reserve at an instant"),
            ("reservation-policy", "The class that admits reservations"),
            ("reservation-agent", "The class that places reservations in the plan"),
            ("show-reservations-as-queues", "Shows reservations as queues"),
            ("reservation-planner", "The class that plans anew where the cluster has shrunk"),
            ("reservation-move-on-expiry", "Moves applications out of a reservation that ends"),
            ("reservation-enforcement-window", "The time ahead for which a plan is kept"),
        )
    ),
)
"""The settings of 2.7.2; both releases read them."""

OLD_NAMES: Final = {
    "acl_submit_jobs": f"an old name; {SUBMIT_ACL} is meant",
    "acl_administer_jobs": f"an old name; {ADMINISTER_ACL} is meant",
    "acl_administer_queues": f"{ADMINISTER_ACL} is meant",
    "acl_administer_applications": f"{ADMINISTER_ACL} is meant",
    "minimum-allocation-mb": "yarn.scheduler.minimum-allocation-mb is of the whole cluster",
    "minimum-allocation-vcores": "yarn.scheduler.minimum-allocation-vcores is of the whole cluster",
}
"""Names of queues' settings in real files that no release reads, and what is meant."""


# Settings of capacity-scheduler.xml for one queue, as 3.4.1 reads them.

_CAPACITY_QUEUE_34_OF: Final = "CapacitySchedulerConfiguration#"

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
    STATE.name: {"fallback": "parent", "source": f"{_CAPACITY_QUEUE_34_OF}getConfiguredState"},
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
        source=f"{_CAPACITY_QUEUE_34_OF}getAppOrderingPolicy, #getQueueOrderingPolicy",
    ),
    SettingEntry(
        PRIORITY,
        "0",
        "The priority of the queue among its siblings, where the parent's order is `priority-utilization`.",
        kind=INTEGER,
        help=SettingHelp("1", "before others that are as full"),
        source=f"{_CAPACITY_QUEUE_34_OF}getQueuePriority",
    ),
    SettingEntry(
        MAX_PARALLEL,
        "2147483647",
        "The most running applications of the queue and those below it; more wait.",
        kind=INTEGER,
        shown="no limit",
        wider=MAX_PARALLEL,
        help=SettingHelp("10", "applications that run at once"),
        source=f"{_CAPACITY_QUEUE_34_OF}getMaxParallelAppsForQueue",
    ),
    SettingEntry(
        DEFAULT_PRIORITY,
        "0",
        "The priority of applications that ask for none.",
        kind=INTEGER,
        of_leaf=True,
        source=f"{_CAPACITY_QUEUE_34_OF}getDefaultApplicationPriorityConfPerQueue",
    ),
    SettingEntry(
        MAXIMUM_LIFETIME,
        "-1",
        "The most time from an application's submission to its end; it is killed then. -1 for no limit.",
        "s",
        LONG,
        fallback="parent",
        source=f"{_CAPACITY_QUEUE_34_OF}getMaximumLifetimePerQueue",
    ),
    SettingEntry(
        DEFAULT_LIFETIME,
        "-1",
        "The lifetime of applications that ask for none.",
        "s",
        LONG,
        "up to the maximum lifetime",
        fallback="parent",
        source=f"{_CAPACITY_QUEUE_34_OF}getDefaultLifetimePerQueue",
    ),
    SettingEntry(
        PRIORITY_ACL,
        "*",
        "The users and groups that may use priorities: `[user=… group=… max_priority=… default_priority=…]`.",
        listed=False,
        source=f"{_CAPACITY_QUEUE_34_OF}getPriorityAcls",
    ),
    SettingEntry(
        ZERO_SUM,
        "false",
        "Accepts queues below it whose capacities add up to 0.",
        kind=FLAG,
        listed=False,
        source=f"{_CAPACITY_QUEUE_34_OF}getAllowZeroCapacitySum",
    ),
    SettingEntry(
        MAXIMUM_ALLOCATION,
        "",
        "The largest container of the queue: `memory-mb=1024,vcores=2`.",
        listed=False,
        source=f"{_CAPACITY_QUEUE_34_OF}getQueueMaximumAllocation",
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
        source=f"{_CAPACITY_QUEUE_34_OF}getIntraQueuePreemptionDisabled",
    ),
    SettingEntry(
        SORTING_POLICY,
        "",
        "The sorting policy of the queue, where asks look through several nodes.",
        wider=SORTING_POLICY,
        listed=False,
        source=f"{_CAPACITY_QUEUE_34_OF}getMultiNodesSortingAlgorithmPolicy",
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
        source=f"{_CAPACITY_QUEUE_34_OF}shouldAppFailFast",
    ),
    SettingEntry(
        CREATES,
        "false",
        "Creates a leaf below the queue for each user or group that a rule names.",
        kind=FLAG,
        listed=False,
        source=f"{_CAPACITY_QUEUE_34_OF}isAutoCreateChildQueueEnabled",
    ),
    SettingEntry(
        CREATION_FAILS,
        "false",
        "Refuses a created queue whose capacity would exceed the parent's; otherwise it starts with capacity 0.",
        kind=FLAG,
        listed=False,
        source=f"{_CAPACITY_QUEUE_34_OF}getShouldFailAutoQueueCreationWhenGuaranteedCapacityExceeded",
    ),
    SettingEntry(
        CREATION_POLICY,
        "",
        "The class that gives created queues their capacities.",
        listed=False,
        source=f"{_CAPACITY_QUEUE_34_OF}getAutoCreatedQueueManagementPolicyClass",
    ),
    SettingEntry(
        CREATED_QUEUES,
        "1000",
        "The most queues that are created below the queue.",
        kind=INTEGER,
        listed=False,
        source=f"{_CAPACITY_QUEUE_34_OF}getAutoCreatedQueuesMaxChildQueuesLimit",
    ),
    SettingEntry(
        CREATES_V2,
        "false",
        "Creates queues below the queue, several levels if needed, with weights.",
        kind=FLAG,
        listed=False,
        source=f"{_CAPACITY_QUEUE_34_OF}isAutoQueueCreationV2Enabled",
    ),
    SettingEntry(
        CREATED_QUEUES_V2,
        "1000",
        "The most queues that are created below the queue with weights.",
        kind=INTEGER,
        listed=False,
        source=f"{_CAPACITY_QUEUE_34_OF}getAutoCreatedQueuesV2MaxChildQueuesLimit",
    ),
    SettingEntry(
        REMOVES_V2,
        "true",
        "Removes a created queue that has been empty for a while.",
        kind=FLAG,
        listed=False,
        source=f"{_CAPACITY_QUEUE_34_OF}isAutoExpiredDeletionEnabled",
    ),
    SettingEntry(
        CREATION_DEPTH,
        "2",
        "The levels of queues that may be created below the queue.",
        kind=INTEGER,
        wider=CREATION_DEPTH,
        listed=False,
        source=f"{_CAPACITY_QUEUE_34_OF}getMaximumAutoCreatedQueueDepth",
    ),
)
"""Settings that 3.4.1 alone reads."""

ALL_34: Final = (*(replace(entry, **_CHANGED_34.get(entry.key.name, {})) for entry in BOTH), *ONLY_34)
"""The settings of 3.4.1."""
