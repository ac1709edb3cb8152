"""Settings of capacity-scheduler.xml for one queue.

Source: CapacitySchedulerConfiguration, Hadoop 2.7.2 and 3.4.1; CapacitySchedulerConfiguration, Hadoop 3.4.1.
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from engine.settings.capacity_scheduler import CREATION_V2, MINIMUM_USER_LIMIT, PREFIX, USER_LIMIT_FACTOR
from engine.settings.table import LABELS, SINGLE, TEXT, Key, rows

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
DISABLE_WITHIN: Final = Key[bool]("intra-queue-preemption.disable_preemption", PREFIX)

TEMPLATE: Final = "leaf-queue-template"  # Precedes the name of a setting of queues that are made

_CREATE: Final = "auto-create-child-queue."
CREATES: Final = Key[bool](f"{_CREATE}enabled", PREFIX)
CREATION_FAILS: Final = Key[bool](f"{_CREATE}fail-on-exceeding-parent-capacity", PREFIX)
CREATION_POLICY: Final = Key[str](f"{_CREATE}management-policy", PREFIX)
CREATED_QUEUES: Final = Key[int](f"{_CREATE}max-queues", PREFIX)
CREATES_V2: Final = Key[bool](f"{CREATION_V2}enabled", PREFIX)
CREATED_QUEUES_V2: Final = Key[int](f"{CREATION_V2}max-queues", PREFIX)
REMOVES_V2: Final = Key[bool](f"{CREATION_V2}queue-auto-removal.enable", PREFIX)

RUNNING: Final = "RUNNING"
STOPPED: Final = "STOPPED"

_SHORT: Final = {"$C": "CapacitySchedulerConfiguration#"}  # A beginning that the tables write short

BOTH: Final = rows(
    """
capacity | single | 0 | % | $CgetNonLabeledQueueCapacity | bounds=0 to 100 | of_root=100 | shown=
    | help=40 other=60: guaranteed; others with it
    The part of its parent's capacity that the queue is guaranteed; those of siblings add up to 100.
maximum-capacity | single | 100 | % | $CgetNonLabeledQueueMaximumCapacity | bounds=at least the capacity
    | help=75: what it never exceeds, in %
    The part of its parent that the queue never exceeds; -1 is 100.
minimum-user-limit-percent | integer | 100 | % | $CgetUserLimit | of_leaf=yes | help=25: least part of one user
    The part of the queue that each of its users gets at least, however many there are.
user-limit-factor | single | 1.0 | times capacity | $CgetUserLimitFactor | of_leaf=yes
    | help=2: times capacity, for one user
    The most that one user may use, as a multiple of the queue's capacity.
maximum-applications | integer | -1 | | $CgetMaximumApplicationsPerQueue | unset=-1 | shown=10000 × absolute capacity
    | of_leaf=yes | help=100: more are refused
    The most pending and running applications of the queue; more are refused.
maximum-am-resource-percent | single | 0.1 | part of 1 | $CgetMaximumApplicationMasterResourcePerQueuePercent
    | wider=same | of_leaf=yes | help=0.3: part for masters
    The part of the queue that application masters may use.
state | text | RUNNING | | $CgetState | bounds=RUNNING or STOPPED | help=STOPPED: RUNNING or STOPPED
    RUNNING, or STOPPED: the queue and those below it refuse applications, and those they have end.
acl_submit_applications | text | * | | $CgetAcl | fallback=ancestors
    The users and groups that may submit applications.
acl_administer_queue | text | * | | $CgetAcl | fallback=ancestors
    The users and groups that may submit, move and kill applications of the queue.
accessible-node-labels | text | * | | $CgetAccessibleNodeLabels | fallback=parent | of_root=*
    The node labels that the queue's applications may ask for; `*` for all.
default-node-label-expression | text | | | $CgetDefaultNodeLabelExpression | fallback=parent
    The node label of asks that name none.
maximum-allocation-mb | integer | -1 | MB | $CgetMaximumAllocationPerQueue | bounds=up to that of the cluster | unset=-1
    | shown=8192 | wider=yarn.scheduler.maximum-allocation-mb
    The largest container of the queue.
maximum-allocation-vcores | integer | -1 | vcores | $CgetMaximumAllocationPerQueue | bounds=up to that of the cluster
    | unset=-1 | shown=32 | wider=yarn.scheduler.maximum-allocation-vcores
    The most vcores of a container of the queue.
disable_preemption | flag | false | | $CgetPreemptionDisabled | fallback=parent | help=true: nothing is taken from it
    Lets preemption take nothing from the queue and those below it.
queues | text | | | $CgetQueues | listed=no
    The names of the queues below it, between commas.
reservable | flag | false | | $CisReservable | listed=no
    Lets a leaf take reservations of the reservation system; they are not simulated.
average-capacity | text | | | ReservationSchedulerConfiguration | listed=no
    The average part of the plan that a user may reserve; no effect here.
reservation-window | text | | | ReservationSchedulerConfiguration | listed=no
    The time over which that average holds; no effect here.
instantaneous-max-capacity | text | | | ReservationSchedulerConfiguration | listed=no
    The most of the plan that a user may reserve at an instant; no effect here.
reservation-policy | text | | | ReservationSchedulerConfiguration | listed=no
    The class that admits reservations; no effect here.
reservation-agent | text | | | ReservationSchedulerConfiguration | listed=no
    The class that places reservations in the plan; no effect here.
show-reservations-as-queues | text | | | ReservationSchedulerConfiguration | listed=no
    Shows reservations as queues; no effect here.
reservation-planner | text | | | ReservationSchedulerConfiguration | listed=no
    The class that plans anew where the cluster has shrunk; no effect here.
reservation-move-on-expiry | text | | | ReservationSchedulerConfiguration | listed=no
    Moves applications out of a reservation that ends; no effect here.
reservation-enforcement-window | text | | | ReservationSchedulerConfiguration | listed=no
    The time ahead for which a plan is kept; no effect here.
""",
    PREFIX,
    _SHORT,
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
    STATE.name: {"fallback": "parent", "source": f"{_SHORT['$C']}getConfiguredState"},
    QUEUE_MAXIMUM_MB.name: {"fallback": "parent"},
    QUEUE_MAXIMUM_VCORES.name: {"fallback": "parent", "shown": "4"},
}
"""Fields of settings that are otherwise in 3.4.1."""

ONLY_34: Final = rows(
    """
ordering-policy | text | fifo | | $CgetAppOrderingPolicy, #getQueueOrderingPolicy | help=fair: fifo or fair
    The order of a leaf's applications: `fifo`, `fair` or a class; of a parent's queues: `utilization` or
    `priority-utilization`.
priority | integer | 0 | | $CgetQueuePriority | help=1: before others that are as full
    The priority of the queue among its siblings, where the parent's order is `priority-utilization`.
max-parallel-apps | integer | 2147483647 | | $CgetMaxParallelAppsForQueue | shown=no limit | wider=same
    | help=10: applications that run at once
    The most running applications of the queue and those below it; more wait.
default-application-priority | integer | 0 | | $CgetDefaultApplicationPriorityConfPerQueue | of_leaf=yes
    The priority of applications that ask for none.
maximum-application-lifetime | long | -1 | s | $CgetMaximumLifetimePerQueue | fallback=parent
    The most time from an application's submission to its end; nothing is killed for it here. -1 for no limit.
default-application-lifetime | long | -1 | s | $CgetDefaultLifetimePerQueue | bounds=up to the maximum lifetime
    | fallback=parent
    The lifetime of applications that ask for none.
acl_application_max_priority | text | * | | $CgetPriorityAcls | listed=no
    The users and groups that may use priorities: `[user=… group=… max_priority=… default_priority=…]`.
allow-zero-capacity-sum | flag | false | | $CgetAllowZeroCapacitySum | listed=no
    Accepts queues below it whose capacities add up to 0.
maximum-allocation | text | | | $CgetQueueMaximumAllocation | listed=no
    The largest container of the queue: `memory-mb=1024,vcores=2`.
ordering-policy.fair.enable-size-based-weight | text | false | | FairOrderingPolicy#configure | listed=no
    Lets the order `fair` weigh an application by the logarithm of its demand.
ordering-policy.exclusive-enforced-partitions | text | | | FifoOrderingPolicyWithExclusivePartitions#configure
    | listed=no
    The partitions in which the order `fifo-with-partitions` keeps others out.
intra-queue-preemption.disable_preemption | flag | false | | $CgetIntraQueuePreemptionDisabled | fallback=parent
    | listed=no | help=true: none among its users
    Lets preemption within queues take nothing among the queue's applications.
multi-node-sorting.policy | text | | | $CgetMultiNodesSortingAlgorithmPolicy | wider=same | listed=no
    The sorting policy of the queue, where asks look through several nodes.
acl_administer_reservations | text | | | ReservationsACLsManager | listed=no
    The users and groups that may change reservations; no effect here.
acl_list_reservations | text | | | ReservationsACLsManager | listed=no
    The users and groups that may list reservations; no effect here.
acl_submit_reservations | text | | | ReservationsACLsManager | listed=no
    The users and groups that may submit reservations; no effect here.
application.fail-fast | flag | false | | $CshouldAppFailFast | wider=same | listed=no
    The same as that of the whole scheduler, for one queue; no effect here.
auto-create-child-queue.enabled | flag | false | | $CisAutoCreateChildQueueEnabled | listed=no
    Creates a leaf below the queue for each user or group that a rule names.
auto-create-child-queue.fail-on-exceeding-parent-capacity | flag | false |
    | $CgetShouldFailAutoQueueCreationWhenGuaranteedCapacityExceeded | listed=no
    Refuses a created queue whose capacity would exceed the parent's; otherwise it starts with capacity 0.
auto-create-child-queue.management-policy | text | | | $CgetAutoCreatedQueueManagementPolicyClass | listed=no
    The class that gives created queues their capacities.
auto-create-child-queue.max-queues | integer | 1000 | | $CgetAutoCreatedQueuesMaxChildQueuesLimit | listed=no
    The most queues that are created below the queue.
auto-queue-creation-v2.enabled | flag | false | | $CisAutoQueueCreationV2Enabled | listed=no
    Creates queues below the queue, several levels if needed, with weights.
auto-queue-creation-v2.max-queues | integer | 1000 | | $CgetAutoCreatedQueuesV2MaxChildQueuesLimit | listed=no
    The most queues that are created below the queue with weights.
auto-queue-creation-v2.queue-auto-removal.enable | flag | true | | $CisAutoExpiredDeletionEnabled | listed=no
    Removes a created queue that has been empty for a while.
auto-queue-creation-v2.maximum-queue-depth | integer | 2 | | $CgetMaximumAutoCreatedQueueDepth | wider=same | listed=no
    The levels of queues that may be created below the queue.
""",
    PREFIX,
    _SHORT,
)
"""Settings that 3.4.1 alone reads."""

ALL_34: Final = (*(replace(entry, **_CHANGED_34.get(entry.key.name, {})) for entry in BOTH), *ONLY_34)
"""The settings of 3.4.1."""
