"""Settings of capacity-scheduler.xml for the whole scheduler.

Source: CapacitySchedulerConfiguration, Hadoop 2.7.2 and 3.4.1.
"""

from typing import Final

from msgspec.structs import replace

from engine.settings.kind import FLAG, INTEGER, LONG, SINGLE
from engine.settings.table import Key, SettingEntry

PREFIX: Final = "yarn.scheduler.capacity."
_HEARTBEAT: Final = "per-node-heartbeat."
_UNDER_USED: Final = "ordering-policy.priority-utilization.underutilized-preemption."
_CREATION: Final = "auto-queue-creation-v2."

RESOURCE_CALCULATOR: Final = Key[str]("resource-calculator", PREFIX)
MAXIMUM_APPLICATIONS: Final = Key[int]("maximum-applications", PREFIX)
MAXIMUM_AM_PERCENT: Final = Key[float]("maximum-am-resource-percent", PREFIX)
NODE_LOCALITY_DELAY: Final = Key[int]("node-locality-delay", PREFIX)
CONTINUE_LOOKING: Final = Key[bool]("reservations-continue-look-all-nodes", PREFIX)
QUEUE_MAPPINGS: Final = Key[str]("queue-mappings", PREFIX)
MAPPINGS_OVERRIDE: Final = Key[bool]("queue-mappings-override.enable", PREFIX)
ASYNCHRONOUS: Final = Key[bool]("schedule-asynchronously.enable", PREFIX)
ASYNCHRONOUS_INTERVAL: Final = Key[int]("schedule-asynchronously.scheduling-interval-ms", PREFIX)
USER_METRICS: Final = Key[bool]("user-metrics.enable", PREFIX)
RACK_LOCALITY_DELAY: Final = Key[int]("rack-locality-additional-delay", PREFIX)
RACK_FULL_RESET: Final = Key[bool]("rack-locality-full-reset", PREFIX)
MULTIPLE_ASSIGNMENTS: Final = Key[bool](f"{_HEARTBEAT}multiple-assignments-enabled", PREFIX)
MAXIMUM_ASSIGNMENTS: Final = Key[int](f"{_HEARTBEAT}maximum-container-assignments", PREFIX)
MAXIMUM_OFFSWITCH: Final = Key[int](f"{_HEARTBEAT}maximum-offswitch-assignments", PREFIX)
MINIMUM_USER_LIMIT: Final = Key[float]("minimum-user-limit-percent", PREFIX)
USER_LIMIT_FACTOR: Final = Key[float]("user-limit-factor", PREFIX)
APPLICATIONS_OF_A_QUEUE: Final = Key[int]("global-queue-max-application", PREFIX)
MAX_PARALLEL: Final = Key[int]("max-parallel-apps", PREFIX)
MAX_PARALLEL_OF_USERS: Final = Key[int](f"user.{MAX_PARALLEL}", PREFIX)
LAZY_PREEMPTION: Final = Key[bool]("lazy-preemption-enabled", PREFIX)
MULTI_NODE: Final = Key[bool]("multi-node-placement-enabled", PREFIX)
SORTING_POLICY: Final = Key[str]("multi-node-sorting.policy", PREFIX)
SORTING_POLICIES: Final = Key[str](f"{SORTING_POLICY}.names", PREFIX)
RULE_FORMAT: Final = Key[str]("mapping-rule-format", PREFIX)
RULE_JSON: Final = Key[str]("mapping-rule-json", PREFIX)
RULE_FILE: Final = Key[str]("mapping-rule-json-file", PREFIX)
WORKFLOW_MAPPINGS: Final = Key[str]("workflow-priority-mappings", PREFIX)
WORKFLOW_OVERRIDE: Final = Key[bool]("workflow-priority-mappings-override.enable", PREFIX)
FAILS_FAST: Final = Key[bool]("application.fail-fast", PREFIX)
LEGACY_MODE: Final = Key[bool]("legacy-queue-mode.enabled", PREFIX)
ASYNCHRONOUS_THREADS: Final = Key[int]("schedule-asynchronously.maximum-threads", PREFIX)
ASYNCHRONOUS_BACKLOGS: Final = Key[int]("schedule-asynchronously.maximum-pending-backlogs", PREFIX)
QUEUE_EXPIRATION: Final = Key[int](f"{_CREATION}queue-expiration-time", PREFIX)
CREATION_DEPTH: Final = Key[int](f"{_CREATION}maximum-queue-depth", PREFIX)
REFRESH_INTERVAL: Final = Key[int]("queue.auto.refresh.monitoring-interval", PREFIX)
SKIPS_RESERVED: Final = Key[bool]("skip-allocate-on-nodes-with-reserved-containers", PREFIX)
TAG_PLACEMENT: Final = Key[bool]("application-tag-based-placement.enable", PREFIX)
PREEMPTS_BY_PRIORITY: Final = Key[bool](f"{_UNDER_USED}enabled", PREFIX)
BY_PRIORITY_DELAY: Final = Key[int](f"{_UNDER_USED}reserved-container-delay-ms", PREFIX)
MOVES_RESERVATIONS: Final = Key[bool](f"{_UNDER_USED}allow-move-reservation", PREFIX)

_OF: Final = "CapacitySchedulerConfiguration#"

BOTH: Final = (
    SettingEntry(
        RESOURCE_CALCULATOR,
        "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator",
        "The class that compares resources: DefaultResourceCalculator looks at memory alone, DominantResourceCalculator"
        " at memory and vcores.",
        source=f"{_OF}getResourceCalculator",
    ),
    SettingEntry(
        MAXIMUM_APPLICATIONS,
        "10000",
        "The most applications that are pending or running in the cluster; a queue takes its part of them.",
        kind=INTEGER,
        source=f"{_OF}getMaximumSystemApplications",
    ),
    SettingEntry(
        MAXIMUM_AM_PERCENT,
        "0.1",
        "The part of each queue that application masters may use.",
        "part of 1",
        SINGLE,
        source=f"{_OF}getMaximumApplicationMasterResourcePercent",
    ),
    SettingEntry(
        NODE_LOCALITY_DELAY,
        "-1",
        "The offers that an ask lets pass while it waits for its node; -1 waits for none.",
        "offers",
        INTEGER,
        source=f"{_OF}getNodeLocalityDelay",
    ),
    SettingEntry(
        CONTINUE_LOOKING,
        "true",
        "Lets an application with a reservation use other nodes in its stead.",
        kind=FLAG,
        source=f"{_OF}getReservationContinueLook",
    ),
    SettingEntry(
        QUEUE_MAPPINGS,
        "",
        "The rules that choose queues: `u:USER:QUEUE` or `g:GROUP:QUEUE`, between commas; the first that fits counts.",
        source=f"{_OF}getQueueMappings",
    ),
    SettingEntry(
        MAPPINGS_OVERRIDE,
        "false",
        "Lets the rules decide even where a submission names a queue.",
        kind=FLAG,
        source=f"{_OF}getOverrideWithQueueMappings",
    ),
    SettingEntry(
        ASYNCHRONOUS,
        "false",
        "Allocates in threads of its own and not on heartbeats.",
        kind=FLAG,
        source=f"{_OF}getScheduleAynschronously",
    ),
    SettingEntry(
        ASYNCHRONOUS_INTERVAL,
        "5",
        "The time between two rounds of asynchronous scheduling.",
        "ms",
        LONG,
        source="CapacityScheduler#initScheduler",
    ),
    SettingEntry(
        USER_METRICS,
        "false",
        "Keeps metrics for each user; no effect here.",
        kind=FLAG,
        source=f"{_OF}getEnableUserMetrics",
    ),
)
"""The settings of 2.7.2; both releases read them."""

ONLY_34: Final = (
    SettingEntry(
        RACK_LOCALITY_DELAY,
        "-1",
        "The further offers that an ask lets pass while it waits for its rack; -1 goes by the number of containers.",
        "offers",
        INTEGER,
        source=f"{_OF}getRackLocalityAdditionalDelay",
    ),
    SettingEntry(
        RACK_FULL_RESET,
        "true",
        "Starts both locality delays anew after a container on the rack.",
        kind=FLAG,
        source=f"{_OF}getRackLocalityFullReset",
    ),
    SettingEntry(
        MULTIPLE_ASSIGNMENTS,
        "true",
        "Allocates several containers on one heartbeat of a node.",
        kind=FLAG,
        source="CapacityScheduler#initScheduler",
    ),
    SettingEntry(
        MAXIMUM_ASSIGNMENTS,
        "100",
        "The most containers on one heartbeat of a node; -1 for any number.",
        kind=INTEGER,
        source="CapacityScheduler#initScheduler",
    ),
    SettingEntry(
        MAXIMUM_OFFSWITCH,
        "1",
        "The most containers without locality on one heartbeat of a node.",
        kind=INTEGER,
        source=f"{_OF}getOffSwitchPerHeartbeatLimit",
    ),
    SettingEntry(
        MINIMUM_USER_LIMIT,
        "100",
        "The same of every queue that states none.",
        "%",
        SINGLE,
        source=f"{_OF}getUserLimit",
    ),
    SettingEntry(
        USER_LIMIT_FACTOR,
        "1.0",
        "The same of every queue that states none.",
        "times capacity",
        SINGLE,
        source=f"{_OF}getUserLimitFactor",
    ),
    SettingEntry(
        APPLICATIONS_OF_A_QUEUE,
        "-1",
        "The most pending and running applications of a queue that states no maximum.",
        kind=INTEGER,
        shown="",
        source=f"{_OF}getGlobalMaximumApplicationsPerQueue",
    ),
    SettingEntry(
        MAX_PARALLEL,
        "2147483647",
        "The most running applications of a queue that states none.",
        kind=INTEGER,
        shown="no limit",
        source=f"{_OF}getMaxParallelAppsForQueue",
    ),
    SettingEntry(
        MAX_PARALLEL_OF_USERS,
        "2147483647",
        "The most running applications of a user; `user.NAME.max-parallel-apps` is that of one user.",
        kind=INTEGER,
        shown="no limit",
        source=f"{_OF}getMaxParallelAppsForUser",
    ),
    SettingEntry(
        LAZY_PREEMPTION,
        "false",
        "Lets a container that is selected for preemption run until an ask takes its place.",
        kind=FLAG,
        source=f"{_OF}getLazyPreemptionEnabled",
    ),
    SettingEntry(
        MULTI_NODE,
        "false",
        "Lets an ask look through several nodes, in the order of a sorting policy.",
        kind=FLAG,
        source=f"{_OF}getMultiNodePlacementEnabled",
    ),
    SettingEntry(
        SORTING_POLICY,
        "",
        "The sorting policy of every queue that states none.",
        source=f"{_OF}getMultiNodesSortingAlgorithmPolicy",
    ),
    SettingEntry(
        SORTING_POLICIES, "", "The names of the sorting policies.", source=f"{_OF}getMultiNodePlacementPolicies"
    ),
    SettingEntry(
        RULE_FORMAT,
        "legacy",
        "The form of the rules that choose queues: `legacy` or `json`.",
        source=f"{_OF}getMappingRuleFormat",
    ),
    SettingEntry(RULE_JSON, "", "The rules that choose queues, as JSON.", source=f"{_OF}getMappingRules"),
    SettingEntry(RULE_FILE, "", "A file of such rules; it is not read here.", source=f"{_OF}getMappingRules"),
    SettingEntry(
        WORKFLOW_MAPPINGS,
        "",
        "Priorities of workflows: `WORKFLOW:QUEUE:PRIORITY`, between commas.",
        source=f"{_OF}getWorkflowPriorityMappings",
    ),
    SettingEntry(
        WORKFLOW_OVERRIDE,
        "false",
        "Lets the priority of a workflow replace that of an application.",
        kind=FLAG,
        source=f"{_OF}getOverrideWithWorkflowPriorityMappings",
    ),
    SettingEntry(
        FAILS_FAST,
        "false",
        "Ends the ResourceManager where a recovered application has no queue.",
        kind=FLAG,
        source=f"{_OF}shouldAppFailFast",
    ),
    SettingEntry(
        LEGACY_MODE,
        "true",
        "Wants capacities that are all percentages, all weights or all resources; false takes each resource apart.",
        kind=FLAG,
        source=f"{_OF}isLegacyQueueMode",
    ),
    SettingEntry(
        ASYNCHRONOUS_THREADS,
        "1",
        "The threads of asynchronous scheduling.",
        kind=INTEGER,
        source="CapacityScheduler#initScheduler",
    ),
    SettingEntry(
        ASYNCHRONOUS_BACKLOGS,
        "100",
        "The proposals that wait for a commit before the threads of asynchronous scheduling pause.",
        kind=INTEGER,
        source="CapacityScheduler#initScheduler",
    ),
    SettingEntry(
        QUEUE_EXPIRATION,
        "300",
        "The time after which an empty queue that was created is removed.",
        "s",
        LONG,
        source=f"{_OF}getAutoExpiredDeletionTime",
    ),
    SettingEntry(
        REFRESH_INTERVAL,
        "5000",
        "The time between looks for a changed file; no effect here.",
        "ms",
        LONG,
        source="QueueConfigurationAutoRefreshPolicy#init",
    ),
    SettingEntry(
        SKIPS_RESERVED,
        "false",
        "Skips nodes with a reservation where asks look through several nodes.",
        kind=FLAG,
        source=f"{_OF}getSkipAllocateOnNodesWithReservedContainer",
    ),
    SettingEntry(
        TAG_PLACEMENT,
        "false",
        "Takes the user of a placement from an application's tag; no effect here.",
        kind=FLAG,
        source="YarnConfiguration.APPLICATION_TAG_BASED_PLACEMENT_ENABLED",
    ),
    SettingEntry(
        PREEMPTS_BY_PRIORITY,
        "false",
        "Takes containers from queues of lower priority for a reservation of a queue of higher priority.",
        kind=FLAG,
        source=f"{_OF}getPUOrderingPolicyUnderUtilizedPreemptionEnabled",
    ),
    SettingEntry(
        BY_PRIORITY_DELAY,
        "60000",
        "The age of a reservation from which containers are taken for it.",
        "ms",
        LONG,
        source=f"{_OF}getPUOrderingPolicyUnderUtilizedPreemptionDelay",
    ),
    SettingEntry(
        MOVES_RESERVATIONS,
        "false",
        "Moves such a reservation to a node where preemption makes room.",
        kind=FLAG,
        source=f"{_OF}getPUOrderingPolicyUnderUtilizedPreemptionMoveReservation",
    ),
    SettingEntry(
        CREATION_DEPTH,
        "2",
        "The levels of queues that may be created below a queue that is configured.",
        kind=INTEGER,
        listed=False,
        source=f"{_OF}getMaximumAutoCreatedQueueDepth",
    ),
)
"""Settings that 3.4.1 alone reads."""

ALL_34: Final = (
    *(replace(entry, default="40") if entry.key is NODE_LOCALITY_DELAY else entry for entry in BOTH),
    *ONLY_34,
)
"""The settings of 3.4.1."""
