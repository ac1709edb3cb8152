"""Settings of capacity-scheduler.xml for the whole scheduler.

Source: CapacitySchedulerConfiguration, Hadoop 2.7.2 and 3.4.1.
"""

from typing import Final

from msgspec.structs import replace

from engine.settings.table import Key, rows

PREFIX: Final = "yarn.scheduler.capacity."
_HEARTBEAT: Final = "per-node-heartbeat."
_UNDER_USED: Final = "ordering-policy.priority-utilization.underutilized-preemption."
CREATION_V2: Final = "auto-queue-creation-v2."

RESOURCE_CALCULATOR: Final = Key[str]("resource-calculator", PREFIX)
MAXIMUM_APPLICATIONS: Final = Key[int]("maximum-applications", PREFIX)
MAXIMUM_AM_PERCENT: Final = Key[float]("maximum-am-resource-percent", PREFIX)
NODE_LOCALITY_DELAY: Final = Key[int]("node-locality-delay", PREFIX)
CONTINUE_LOOKING: Final = Key[bool]("reservations-continue-look-all-nodes", PREFIX)
NODE_LABELS: Final = "schedlab.node-labels"
"""Ours: the cluster's node labels as `rmadmin -addToClusterNodeLabels` takes them: `x,y(exclusive=false)`."""
QUEUE_MAPPINGS: Final = Key[str]("queue-mappings", PREFIX)
MAPPINGS_OVERRIDE: Final = Key[bool]("queue-mappings-override.enable", PREFIX)
ASYNCHRONOUS: Final = Key[bool]("schedule-asynchronously.enable", PREFIX)
ASYNCHRONOUS_INTERVAL: Final = Key[int]("schedule-asynchronously.scheduling-interval-ms", PREFIX)
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
WORKFLOW_MAPPINGS: Final = Key[str]("workflow-priority-mappings", PREFIX)
WORKFLOW_OVERRIDE: Final = Key[bool]("workflow-priority-mappings-override.enable", PREFIX)
LEGACY_MODE: Final = Key[bool]("legacy-queue-mode.enabled", PREFIX)
ASYNCHRONOUS_THREADS: Final = Key[int]("schedule-asynchronously.maximum-threads", PREFIX)
ASYNCHRONOUS_BACKLOGS: Final = Key[int]("schedule-asynchronously.maximum-pending-backlogs", PREFIX)
QUEUE_EXPIRATION: Final = Key[int](f"{CREATION_V2}queue-expiration-time", PREFIX)
CREATION_DEPTH: Final = Key[int](f"{CREATION_V2}maximum-queue-depth", PREFIX)
SKIPS_RESERVED: Final = Key[bool]("skip-allocate-on-nodes-with-reserved-containers", PREFIX)
PREEMPTS_BY_PRIORITY: Final = Key[bool](f"{_UNDER_USED}enabled", PREFIX)
BY_PRIORITY_DELAY: Final = Key[int](f"{_UNDER_USED}reserved-container-delay-ms", PREFIX)
MOVES_RESERVATIONS: Final = Key[bool](f"{_UNDER_USED}allow-move-reservation", PREFIX)

_SHORT: Final = {"$h": _HEARTBEAT, "$u": _UNDER_USED, "$c": CREATION_V2, "$C": "CapacitySchedulerConfiguration#"}
"""Beginnings that the tables write short."""

BOTH: Final = rows(
    """
resource-calculator | text | org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator | | $CgetResourceCalculator
    The class that compares resources: DefaultResourceCalculator looks at memory alone, DominantResourceCalculator
    at memory and vcores.
maximum-applications | integer | 10000 | | $CgetMaximumSystemApplications
    The most applications that are pending or running in the cluster; a queue takes its part of them.
maximum-am-resource-percent | single | 0.1 | part of 1 | $CgetMaximumApplicationMasterResourcePercent
    The part of each queue that application masters may use.
node-locality-delay | integer | -1 | offers | $CgetNodeLocalityDelay
    The offers that an ask lets pass while it waits for its node; -1 waits for none.
reservations-continue-look-all-nodes | flag | true | | $CgetReservationContinueLook
    Lets an application with a reservation use other nodes in its stead.
queue-mappings | text | |  | $CgetQueueMappings
    The rules that choose queues: `u:USER:QUEUE` or `g:GROUP:QUEUE`, between commas; the first that fits counts.
queue-mappings-override.enable | flag | false | | $CgetOverrideWithQueueMappings
    Lets the rules decide even where a submission names a queue.
schedule-asynchronously.enable | flag | false | | $CgetScheduleAynschronously
    Allocates in threads of its own and not on heartbeats.
schedule-asynchronously.scheduling-interval-ms | long | 5 | ms | CapacityScheduler#initScheduler
    The time between two rounds of asynchronous scheduling.
user-metrics.enable | flag | false | | $CgetEnableUserMetrics
    Keeps metrics for each user; no effect here.
""",
    PREFIX,
    _SHORT,
)
"""The settings of 2.7.2; both releases read them."""

ONLY_34: Final = rows(
    """
rack-locality-additional-delay | integer | -1 | offers | $CgetRackLocalityAdditionalDelay
    The further offers that an ask lets pass while it waits for its rack; -1 goes by the number of containers.
rack-locality-full-reset | flag | true | | $CgetRackLocalityFullReset
    Starts both locality delays anew after a container on the rack.
$hmultiple-assignments-enabled | flag | true | | CapacityScheduler#initScheduler
    Allocates several containers on one heartbeat of a node.
$hmaximum-container-assignments | integer | 100 | | CapacityScheduler#initScheduler
    The most containers on one heartbeat of a node; -1 for any number.
$hmaximum-offswitch-assignments | integer | 1 | | $CgetOffSwitchPerHeartbeatLimit
    The most containers without locality on one heartbeat of a node.
minimum-user-limit-percent | single | 100 | % | $CgetUserLimit
    The same of every queue that states none.
user-limit-factor | single | 1.0 | times capacity | $CgetUserLimitFactor
    The same of every queue that states none.
global-queue-max-application | integer | -1 | | $CgetGlobalMaximumApplicationsPerQueue | shown=
    The most pending and running applications of a queue that states no maximum.
max-parallel-apps | integer | 2147483647 | | $CgetMaxParallelAppsForQueue | shown=no limit
    The most running applications of a queue that states none.
user.max-parallel-apps | integer | 2147483647 | | $CgetMaxParallelAppsForUser | shown=no limit
    The most running applications of a user; `user.NAME.max-parallel-apps` is that of one user.
lazy-preemption-enabled | flag | false | | $CgetLazyPreemptionEnabled
    Lets a container that is selected for preemption run until an ask takes its place.
multi-node-placement-enabled | flag | false | | $CgetMultiNodePlacementEnabled
    Lets an ask look through several nodes, in the order of a sorting policy.
multi-node-sorting.policy | text | |  | $CgetMultiNodesSortingAlgorithmPolicy
    The sorting policy of every queue that states none.
multi-node-sorting.policy.names | text | |  | $CgetMultiNodePlacementPolicies
    The names of the sorting policies.
mapping-rule-format | text | legacy | | $CgetMappingRuleFormat
    The form of the rules that choose queues: `legacy` or `json`.
mapping-rule-json | text | |  | $CgetMappingRules
    The rules that choose queues, as JSON.
mapping-rule-json-file | text | |  | $CgetMappingRules
    A file of such rules; it is not read here.
workflow-priority-mappings | text | |  | $CgetWorkflowPriorityMappings
    Priorities of workflows: `WORKFLOW:QUEUE:PRIORITY`, between commas.
workflow-priority-mappings-override.enable | flag | false | | $CgetOverrideWithWorkflowPriorityMappings
    Lets the priority of a workflow replace that of an application.
application.fail-fast | flag | false | | $CshouldAppFailFast
    Ends the ResourceManager where a recovered application has no queue.
legacy-queue-mode.enabled | flag | true | | $CisLegacyQueueMode
    Wants capacities that are all percentages, all weights or all resources; false takes each resource apart.
schedule-asynchronously.maximum-threads | integer | 1 | | CapacityScheduler#initScheduler
    The threads of asynchronous scheduling.
schedule-asynchronously.maximum-pending-backlogs | integer | 100 | | CapacityScheduler#initScheduler
    The proposals that wait for a commit before the threads of asynchronous scheduling pause.
$cqueue-expiration-time | long | 300 | s | $CgetAutoExpiredDeletionTime
    The time after which an empty queue that was created is removed.
queue.auto.refresh.monitoring-interval | long | 5000 | ms | QueueConfigurationAutoRefreshPolicy#init
    The time between looks for a changed file; no effect here.
skip-allocate-on-nodes-with-reserved-containers | flag | false | | $CgetSkipAllocateOnNodesWithReservedContainer
    Skips nodes with a reservation where asks look through several nodes.
application-tag-based-placement.enable | flag | false | | YarnConfiguration.APPLICATION_TAG_BASED_PLACEMENT_ENABLED
    Takes the user of a placement from an application's tag; no effect here.
$uenabled | flag | false | | $CgetPUOrderingPolicyUnderUtilizedPreemptionEnabled
    Takes containers from queues of lower priority for a reservation of a queue of higher priority.
$ureserved-container-delay-ms | long | 60000 | ms | $CgetPUOrderingPolicyUnderUtilizedPreemptionDelay
    The age of a reservation from which containers are taken for it.
$uallow-move-reservation | flag | false | | $CgetPUOrderingPolicyUnderUtilizedPreemptionMoveReservation
    Moves such a reservation to a node where preemption makes room.
$cmaximum-queue-depth | integer | 2 | | $CgetMaximumAutoCreatedQueueDepth | listed=no
    The levels of queues that may be created below a queue that is configured.
""",
    PREFIX,
    _SHORT,
)
"""Settings that 3.4.1 alone reads."""

ALL_34: Final = (
    *(replace(entry, default="40") if entry.key == NODE_LOCALITY_DELAY else entry for entry in BOTH),
    *ONLY_34,
)
"""The settings of 3.4.1."""
