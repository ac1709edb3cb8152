"""Settings of yarn-site.xml that CapacityScheduler and its preemption monitor read.

Source: YarnConfiguration, CapacitySchedulerConfiguration, ProportionalCapacityPreemptionPolicy, Hadoop 2.7.2 and 3.4.1.
"""

from typing import Final

from msgspec.structs import replace

from engine.settings.kind import DOUBLE, FLAG, INTEGER, LONG, SINGLE, TEXT
from engine.settings.site import ADMIN_ACL
from engine.settings.table import Key, SettingEntry

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

_SOURCE: Final = "ProportionalCapacityPreemptionPolicy#init"

PREEMPTION: Final = (
    SettingEntry(
        LABELS_ENABLED,
        "false",
        "Switches node labels on.",
        kind=FLAG,
        source="YarnConfiguration#areNodeLabelsEnabled",
    ),
    SettingEntry(
        MONITORS,
        "false",
        "Runs the scheduling monitors, of which preemption is one.",
        kind=FLAG,
        source="YarnConfiguration.RM_SCHEDULER_ENABLE_MONITORS",
    ),
    SettingEntry(
        OBSERVE_ONLY,
        "false",
        "Computes what preemption would take and takes nothing.",
        kind=FLAG,
        source=_SOURCE,
    ),
    SettingEntry(MONITORING_INTERVAL, "3000", "The time between rounds of preemption.", "ms", INTEGER, source=_SOURCE),
    SettingEntry(
        WAIT_BEFORE_KILL,
        "15000",
        "The time between the warning of a container that is selected and its kill.",
        "ms",
        INTEGER,
        source=_SOURCE,
    ),
    SettingEntry(
        PER_ROUND,
        "0.1",
        "The part of the cluster that one round may select.",
        "part of 1",
        SINGLE,
        source=_SOURCE,
    ),
    SettingEntry(
        IGNORED_OVER_CAPACITY,
        "0.1",
        "The part by which a queue may exceed its capacity before anything is taken from it.",
        "part of 1",
        DOUBLE,
        source=_SOURCE,
    ),
    SettingEntry(
        NATURAL_TERMINATION,
        "0.2",
        "The part of what is to be taken that one round selects; the rest is expected to end by itself.",
        "part of 1",
        DOUBLE,
        source=_SOURCE,
    ),
)
"""The settings of 2.7.2; `schedlab config` lists them."""

_SOURCE_34: Final = "ProportionalCapacityPreemptionPolicy#updateConfigIfNeeded"

PREEMPTION_34: Final = tuple(
    replace(
        entry,
        kind=LONG if entry.kind is INTEGER else entry.kind,
        source=entry.source.replace(_SOURCE, _SOURCE_34),
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

ONLY_34: Final = (
    SettingEntry(
        MONITOR_POLICIES,
        "org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy",
        "The classes of the monitors that run.",
        listed=False,
        source="SchedulingMonitorManager#updateSchedulingMonitors",
    ),
    SettingEntry(
        CONSERVATIVE,
        "false",
        "Takes a container only where every dimension of the queue stays above its capacity.",
        kind=FLAG,
        listed=False,
        source=_SOURCE_34,
    ),
    SettingEntry(
        BY_RESERVATION,
        "false",
        "Selects containers on nodes where a queue below its capacity has a reservation.",
        kind=FLAG,
        listed=False,
        source=_SOURCE_34,
    ),
    SettingEntry(
        COUNTS_RESERVED,
        "false",
        "Counts what is reserved as wanted.",
        kind=FLAG,
        listed=False,
        source=_SOURCE_34,
    ),
    SettingEntry(
        BALANCES,
        "false",
        "Balances queues that are all above their capacities.",
        kind=FLAG,
        listed=False,
        source="PreemptableResourceCalculator",
    ),
    SettingEntry(
        BALANCE_WAIT,
        "300000",
        "The time between warning and kill of a container that is taken for balance.",
        "ms",
        LONG,
        listed=False,
        source=_SOURCE_34,
    ),
    SettingEntry(
        WITHIN_QUEUES,
        "false",
        "Preempts among the applications of one queue.",
        kind=FLAG,
        listed=False,
        source=_SOURCE_34,
    ),
    SettingEntry(
        WITHIN_THRESHOLD,
        "0.5",
        "The use of its capacity below which a queue is not looked into.",
        "part of 1",
        SINGLE,
        listed=False,
        source=_SOURCE_34,
    ),
    SettingEntry(
        WITHIN_LIMIT,
        "0.2",
        "The part of its capacity that one round may select within a queue.",
        "part of 1",
        SINGLE,
        listed=False,
        source=_SOURCE_34,
    ),
    SettingEntry(
        WITHIN_ORDER,
        "USERLIMIT_FIRST",
        "The order of preemption within a queue: USERLIMIT_FIRST or PRIORITY_FIRST.",
        kind=TEXT,
        listed=False,
        source=_SOURCE_34,
    ),
    SettingEntry(
        WITHIN_CONSERVATIVE,
        "true",
        "The same as `conservative-drf`, for preemption within a queue.",
        kind=FLAG,
        listed=False,
        source=_SOURCE_34,
    ),
    SettingEntry(
        QUEUE_MANAGEMENT_INTERVAL,
        "1500",
        "The time between rounds of the policy that manages created queues.",
        "ms",
        LONG,
        listed=False,
        source="QueueManagementDynamicEditPolicy#init",
    ),
    SettingEntry(
        MAXIMUM_PRIORITY,
        "0",
        "The highest priority of an application; a higher one is cut to it.",
        kind=INTEGER,
        listed=False,
        source="CapacityScheduler#initScheduler",
    ),
    SettingEntry(
        SKIP_MULTIPLIER,
        "2",
        "The heartbeats for which a node may be silent before asynchronous scheduling skips it.",
        "heartbeats",
        INTEGER,
        listed=False,
        source="CapacityScheduler#initScheduler",
    ),
    SettingEntry(
        NAME_MAPPINGS,
        "",
        "The rules that choose queues by names of applications: `NAME:QUEUE`, between commas.",
        listed=False,
        source="CapacitySchedulerConfiguration#getMappingRules",
    ),
    SettingEntry(
        TAG_PREFIX,
        "workflowid:",
        "The beginning of the tag that names an application's workflow.",
        listed=False,
        source="WorkflowPriorityMappingsManager",
    ),
)
"""Settings that 3.4.1 alone reads."""
