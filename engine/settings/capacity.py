"""The settings of CapacityScheduler 2.7.2 and 3.4.1.

Source: YarnConfiguration, CapacitySchedulerConfiguration, ProportionalCapacityPreemptionPolicy, Hadoop 2.7.2 and 3.4.1.
"""

from typing import Final

from msgspec.structs import replace

from engine.settings import capacity_queue, capacity_scheduler, site
from engine.settings.capacity_queue import (
    CAPACITY,
    DISABLE_PREEMPTION,
    DISABLE_WITHIN,
    MAXIMUM_CAPACITY,
    ORDERING_POLICY,
    PRIORITY,
    STATE,
)
from engine.settings.capacity_scheduler import (
    MAX_PARALLEL,
    MAXIMUM_AM_PERCENT,
    MAXIMUM_APPLICATIONS,
    MINIMUM_USER_LIMIT,
    USER_LIMIT_FACTOR,
)
from engine.settings.site import ADMIN_ACL
from engine.settings.table import INTEGER, LABELS, LONG, Key, SettingEntry, SettingTable, rows

# Settings of yarn-site.xml that CapacityScheduler and its preemption monitor read.

_POLICY: Final = "yarn.resourcemanager.monitor.capacity.preemption."
_WITHIN: Final = f"{_POLICY}intra-queue-preemption."
_BALANCE: Final = f"{_POLICY}preemption-to-balance-queue-after-satisfied."

LABELS_ENABLED: Final = Key[bool]("yarn.node-labels.enabled")
MONITORS: Final = Key[bool]("yarn.resourcemanager.scheduler.monitor.enable")
MONITOR_POLICIES: Final = Key[str]("yarn.resourcemanager.scheduler.monitor.policies")
OBSERVE_ONLY: Final = Key[bool](f"{_POLICY}observe_only")
MONITORING_INTERVAL: Final = Key[int](f"{_POLICY}monitoring_interval")
WAIT_BEFORE_KILL: Final = Key[int](f"{_POLICY}max_wait_before_kill")
PER_ROUND: Final = Key[float](f"{_POLICY}total_preemption_per_round")
IGNORED_OVER_CAPACITY: Final = Key[float](f"{_POLICY}max_ignored_over_capacity")
NATURAL_TERMINATION: Final = Key[float](f"{_POLICY}natural_termination_factor")
CONSERVATIVE: Final = Key[bool](f"{_POLICY}conservative-drf")
BY_RESERVATION: Final = Key[bool](f"{_POLICY}select_based_on_reserved_containers")
COUNTS_RESERVED: Final = Key[bool](f"{_POLICY}additional_res_balance_based_on_reserved_containers")
BALANCES: Final = Key[bool](f"{_BALANCE}enabled")
BALANCE_WAIT: Final = Key[int](f"{_BALANCE}max-wait-before-kill")
WITHIN_QUEUES: Final = Key[bool](f"{_WITHIN}enabled")
WITHIN_THRESHOLD: Final = Key[float](f"{_WITHIN}minimum-threshold")
WITHIN_LIMIT: Final = Key[float](f"{_WITHIN}max-allowable-limit")
WITHIN_ORDER: Final = Key[str](f"{_WITHIN}preemption-order-policy")
WITHIN_CONSERVATIVE: Final = Key[bool](f"{_WITHIN}conservative-drf")
QUEUE_MANAGEMENT_INTERVAL: Final = Key[int](
    "yarn.resourcemanager.monitor.capacity.queue-management.monitoring-interval"
)
MAXIMUM_PRIORITY: Final = Key[int]("yarn.cluster.max-application-priority")
SKIP_MULTIPLIER: Final = Key[int]("yarn.scheduler.skip.node.multiplier")
NAME_MAPPINGS: Final = Key[str]("yarn.scheduler.queue-placement-rules.app-name")
TAG_PREFIX: Final = Key[str]("yarn.workflow-id.tag-prefix")

_SHORT: Final = {
    "$w": "yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.",
    "$b": "yarn.resourcemanager.monitor.capacity.preemption.preemption-to-balance-queue-after-satisfied.",
    "$p": "yarn.resourcemanager.monitor.capacity.preemption.",
    "$P": "ProportionalCapacityPreemptionPolicy#init",
    "$U": "ProportionalCapacityPreemptionPolicy#updateConfigIfNeeded",
    "$c": "yarn.resourcemanager.monitor.capacity.",
    "$D": "org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy",
    "$S": "SchedulingMonitorManager#updateSchedulingMonitors",
}
"""Beginnings that the tables write short."""

PREEMPTION: Final = rows(
    """
yarn.node-labels.enabled | flag | false | | YarnConfiguration#areNodeLabelsEnabled
    Switches node labels on.
yarn.resourcemanager.scheduler.monitor.enable | flag | false | | YarnConfiguration.RM_SCHEDULER_ENABLE_MONITORS
    Runs the scheduling monitors, of which preemption is one.
$pobserve_only | flag | false | | $P
    Computes what preemption would take and takes nothing.
$pmonitoring_interval | integer | 3000 | ms | $P
    The time between rounds of preemption.
$pmax_wait_before_kill | integer | 15000 | ms | $P
    The time between the warning of a container that is selected and its kill.
$ptotal_preemption_per_round | single | 0.1 | part of 1 | $P
    The part of the cluster that one round may select.
$pmax_ignored_over_capacity | double | 0.1 | part of 1 | $P
    The part by which a queue may exceed its capacity before anything is taken from it.
$pnatural_termination_factor | double | 0.2 | part of 1 | $P
    The part of what is to be taken that one round selects; the rest is expected to end by itself.
""",
    short=_SHORT,
)
"""The settings of 2.7.2; `schedlab get` lists them."""

PREEMPTION_34: Final = tuple(
    replace(
        entry,
        kind=LONG if entry.kind is INTEGER else entry.kind,
        source=entry.source.replace(_SHORT["$P"], _SHORT["$U"]),
    )
    for entry in PREEMPTION
)
"""The same of 3.4.1."""

ADMINISTRATORS: Final = SettingEntry(
    ADMIN_ACL,
    "*",
    "The access list of the cluster's administrators.",
    listed=False,
    source="YarnConfiguration.YARN_ADMIN_ACL",
)

ONLY_34: Final = rows(
    """
yarn.resourcemanager.scheduler.monitor.policies | text | $D | | $S | listed=no
    The classes of the monitors that run.
$pconservative-drf | flag | false | | $U | listed=no
    Takes a container only where every dimension of the queue stays above its capacity.
$pselect_based_on_reserved_containers | flag | false | | $U | listed=no
    Selects containers on nodes where a queue below its capacity has a reservation.
$padditional_res_balance_based_on_reserved_containers | flag | false | | $U | listed=no
    Counts what is reserved as wanted.
$benabled | flag | false | | PreemptableResourceCalculator | listed=no
    Balances queues that are all above their capacities.
$bmax-wait-before-kill | long | 300000 | ms | $U | listed=no
    The time between warning and kill of a container that is taken for balance.
$wenabled | flag | false | | $U | listed=no
    Preempts among the applications of one queue.
$wminimum-threshold | single | 0.5 | part of 1 | $U | listed=no
    The use of its capacity below which a queue is not looked into.
$wmax-allowable-limit | single | 0.2 | part of 1 | $U | listed=no
    The part of its capacity that one round may select within a queue.
$wpreemption-order-policy | text | USERLIMIT_FIRST | | $U | listed=no
    The order of preemption within a queue: USERLIMIT_FIRST or PRIORITY_FIRST.
$wconservative-drf | flag | true | | $U | listed=no
    The same as `conservative-drf`, for preemption within a queue.
$cqueue-management.monitoring-interval | long | 1500 | ms | QueueManagementDynamicEditPolicy#init | listed=no
    The time between rounds of the policy that manages created queues.
yarn.cluster.max-application-priority | integer | 0 | | CapacityScheduler#initScheduler | listed=no
    The highest priority of an application; a higher one is cut to it.
yarn.scheduler.skip.node.multiplier | integer | 2 | heartbeats | CapacityScheduler#initScheduler | listed=no
    The heartbeats for which a node may be silent before asynchronous scheduling skips it.
yarn.scheduler.queue-placement-rules.app-name | text | |  | CapacitySchedulerConfiguration#getMappingRules | listed=no
    The rules that choose queues by names of applications: `NAME:QUEUE`, between commas.
yarn.workflow-id.tag-prefix | text | workflowid: | | WorkflowPriorityMappingsManager | listed=no
    The beginning of the tag that names an application's workflow.
""",
    short=_SHORT,
)
"""Settings that 3.4.1 alone reads."""

_LIVE: Final = (
    CAPACITY,
    MAXIMUM_CAPACITY,
    USER_LIMIT_FACTOR,
    MINIMUM_USER_LIMIT,
    MAXIMUM_AM_PERCENT,
    MAXIMUM_APPLICATIONS,
    STATE,
    DISABLE_PREEMPTION,
)

CAPACITY_27: Final = SettingTable(
    "capacity-2.7",
    (
        *site.CHOICE,
        *site.SIZES,
        site.PORT,
        *PREEMPTION,
        *capacity_scheduler.BOTH,
        *site.RESOURCE_MANAGER,
        ADMINISTRATORS,
    ),
    capacity_queue.BOTH,
    live=_LIVE,
    families=(f"{LABELS}.",),
)

CAPACITY_34: Final = SettingTable(
    "capacity-3.4",
    (
        *site.CHOICE,
        *site.SIZES_34,
        site.PORT,
        *PREEMPTION_34,
        *capacity_scheduler.ALL_34,
        *site.RESOURCE_MANAGER_34,
        ADMINISTRATORS,
        *ONLY_34,
    ),
    capacity_queue.ALL_34,
    live=(*_LIVE, ORDERING_POLICY, MAX_PARALLEL, PRIORITY, DISABLE_WITHIN),
    families=(
        f"{LABELS}.",
        "user-settings.",
        "auto-create-child-queue.",
        "leaf-queue-template.",
        "auto-queue-creation-v2.",
    ),
)


def capacity_table(era: str) -> SettingTable:
    """The settings of a release, `2.7` or `3.4`."""
    return CAPACITY_34 if era == "3.4" else CAPACITY_27
