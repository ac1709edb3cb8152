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
    CREATION_V2,
    MAX_PARALLEL,
    MAXIMUM_AM_PERCENT,
    MAXIMUM_APPLICATIONS,
    MINIMUM_USER_LIMIT,
    USER_LIMIT_FACTOR,
)
from engine.settings.table import INTEGER, LABELS, LONG, Key, SettingTable, rows
from engine.settings.tunable_yarn import KEYS, tunables

# Settings of yarn-site.xml that CapacityScheduler and its preemption monitor read.

_MONITOR: Final = "yarn.resourcemanager.monitor.capacity."
_POLICY: Final = f"{_MONITOR}preemption."
_WITHIN: Final = f"{_POLICY}intra-queue-preemption."
_BALANCE: Final = f"{_POLICY}preemption-to-balance-queue-after-satisfied."

LABELS_ENABLED: Final = Key[bool]("yarn.node-labels.enabled")
MONITORS: Final = Key[bool]("yarn.resourcemanager.scheduler.monitor.enable")
MONITOR_POLICIES: Final = Key[str]("yarn.resourcemanager.scheduler.monitor.policies")
PREEMPTION_POLICY: Final = (
    "org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy"
)
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
QUEUE_MANAGEMENT_INTERVAL: Final = Key[int](f"{_MONITOR}queue-management.monitoring-interval")
MAXIMUM_PRIORITY: Final = Key[int]("yarn.cluster.max-application-priority")
SKIP_MULTIPLIER: Final = Key[int]("yarn.scheduler.skip.node.multiplier")
NAME_MAPPINGS: Final = Key[str]("yarn.scheduler.queue-placement-rules.app-name")
TAG_PREFIX: Final = Key[str]("yarn.workflow-id.tag-prefix")
MASTER_LABEL: Final = Key[str]("yarn.resourcemanager.node-labels.am.default-node-label-expression")
RESOURCE_TYPES: Final = Key[str]("yarn.resource-types")  # Of resource-types.xml; none of them is simulated
MASTER_LABEL_EMR: Final = Key[str]("yarn.node-labels.am.default-node-label-expression")

_SHORT: Final = {
    "$w": _WITHIN,
    "$b": _BALANCE,
    "$p": _POLICY,
    "$P": "ProportionalCapacityPreemptionPolicy#init",
    "$U": "ProportionalCapacityPreemptionPolicy#updateConfigIfNeeded",
    "$c": _MONITOR,
    "$D": PREEMPTION_POLICY,
    "$S": "RMActiveServices#createPolicyMonitors, SchedulingMonitorManager#updateSchedulingMonitors",
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

COMMON: Final = rows(
    """
yarn.admin.acl | text | * | | YarnConfiguration.YARN_ADMIN_ACL | listed=no
    The access list of the cluster's administrators.
yarn.node-labels.am.default-node-label-expression | text | | | Amazon EMR, emr-5.19 | listed=no
    The node label of masters whose submission names none, as Amazon EMR calls it; other releases ignore it.
yarn.resourcemanager.scheduler.monitor.policies | text | $D | | $S | listed=no
    The classes of the monitors that run.
""",
    short=_SHORT,
)

ONLY_34: Final = rows(
    """
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
yarn.resourcemanager.node-labels.am.default-node-label-expression | text | | | RMAppManager | listed=no
    The node label of masters whose submission names none; it comes before that of the queue.
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
        *site.PORT,
        *PREEMPTION,
        *capacity_scheduler.BOTH,
        *site.RESOURCE_MANAGER,
        *COMMON,
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
        *site.PORT,
        *PREEMPTION_34,
        *capacity_scheduler.ALL_34,
        *site.RESOURCE_MANAGER_34,
        *COMMON,
        *ONLY_34,
    ),
    capacity_queue.ALL_34,
    live=(*_LIVE, ORDERING_POLICY, MAX_PARALLEL, PRIORITY, DISABLE_WITHIN),
    families=(
        f"{LABELS}.",
        "user-settings.",
        "auto-create-child-queue.",
        f"{capacity_queue.TEMPLATE}.",
        CREATION_V2,
    ),
)


def capacity_table(era: str) -> SettingTable:
    """The settings of a release, `2.7` or `3.4`."""
    return CAPACITY_34 if era == "3.4" else CAPACITY_27


# What may be varied of a CapacityScheduler.

TUNABLE: Final = tunables(
    "capacity",
    """
$m | whole | one true | HELD | restart | refreshed=capacity-3.4
    Containers of queues above their capacity are killed.
$m | whole | one false | HELD LOST_TO_PREEMPTION | restart | refreshed=capacity-3.4
    Queues below their capacity wait for what others hold.
yarn.resourcemanager.scheduler.monitor.policies | whole
    | one org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy
    | HELD | restart | needs=$m=true | refreshed=capacity-3.4 | witness=none: only where it is stated
    Containers of queues above their capacity are killed.
$pobserve_only | whole | one false | HELD | restart | needs=$m=true | refreshed=capacity-3.4
    Containers of queues above their capacity are killed.
$pmax_wait_before_kill | whole | sooner 5000 /1000 | HELD | restart | needs=$m=true | refreshed=capacity-3.4
    Work that would soon have ended is killed.
$ptotal_preemption_per_round | whole | up 1 /10 | HELD | restart | needs=$m=true | refreshed=capacity-3.4
    More is killed at a time.
$pnatural_termination_factor | whole | up 1 /10 | HELD | restart | needs=$m=true | refreshed=capacity-3.4
    Containers that would soon have ended are killed.
$pmax_ignored_over_capacity | whole | down 0 /100 | HELD | restart | needs=$m=true | refreshed=capacity-3.4
    Queues barely above their capacity lose containers.
$benabled | whole | one true | HELD | refresh | needs=$m=true, $bmax-wait-before-kill=15000 | of=capacity-3.4
    Queues lose containers to others that have their guarantee.
$bmax-wait-before-kill | whole | sooner 5000 /1000 | HELD | refresh | needs=$m=true, $benabled=true | of=capacity-3.4
    Queues lose containers to others that have their guarantee.
$wenabled | whole | one false | LOST_TO_PREEMPTION | refresh | of=capacity-3.4
    | witness=none: only where much is preempted, again and again
    Users of a queue wait for what others of it hold.
$wenabled | whole | one true | HELD | refresh | needs=$m=true | of=capacity-3.4
    Users lose containers to others of the same queue.
$wpreemption-order-policy | whole | one priority_first userlimit_first | HELD | refresh
    | needs=$m=true, $wenabled=true | of=capacity-3.4
    Other applications of the same queue lose containers.
$wminimum-threshold | whole | down 0 /100 | HELD | refresh | needs=$m=true, $wenabled=true | of=capacity-3.4
    Queues that are not full lose containers, too.
$wmax-allowable-limit | whole | up 1 /100 | HELD | refresh | needs=$m=true, $wenabled=true | of=capacity-3.4
    A queue loses more of its containers at a time.
$pselect_based_on_reserved_containers | whole | one true | FULL | refresh | needs=$m=true | of=capacity-3.4
    Containers are killed where they block a large one.
$padditional_res_balance_based_on_reserved_containers | whole | one true | FULL | refresh | needs=$m=true
    | of=capacity-3.4
    Containers are killed where they block a large one.
$pconservative-drf | whole | one true false | HELD | refresh | needs=$m=true | of=capacity-3.4
    | witness=none: only where different queues are short of memory and of vcores
    Other containers are chosen to be killed.
$clazy-preemption-enabled | whole | one true false | HELD | refresh | needs=$m=true | of=capacity-3.4
    | witness=none: as much is killed, at another heartbeat
    Containers are killed at another time.
$cresource-calculator | whole | one $CDefaultResourceCalculator $CDominantResourceCalculator
    | FULL AM USER MAX SMALL | restart | blunt
    It holds for every queue: vcores count everywhere, or nowhere.
$cnode-locality-delay | whole | down -1 | DELAY STRICT OTHER_FIRST | refresh
    More tasks run away from their data.
$crack-locality-additional-delay | whole | one 0 | DELAY OTHER_FIRST | refresh | of=capacity-3.4
    | witness=none: only for a round of heartbeats
    More tasks run away from their data.
$crack-locality-full-reset | whole | one true false | DELAY | refresh | of=capacity-3.4
    Tasks run elsewhere.
$creservations-continue-look-all-nodes | whole | one true false | FULL | refresh
    Large containers wait longer for a whole node, or small ones do.
$cskip-allocate-on-nodes-with-reserved-containers | whole | one true false | FULL | refresh | of=capacity-3.4
    | witness=none: only with multi-node-placement-enabled
    Nodes with a reservation take other containers, or none.
$hmaximum-offswitch-assignments | whole | up 100 | DELAY FULL | refresh | needs=$hmultiple-assignments-enabled=true
    | of=capacity-3.4
    More tasks run away from their data.
$hmultiple-assignments-enabled | whole | one true | PACE FULL | refresh | needs=$hmaximum-offswitch-assignments=100
    | of=capacity-3.4
    One node takes many containers at once.
$cschedule-asynchronously.enable | whole | one true | PACE | restart
    Threads place containers at any time, beside heartbeats.
$cmax-parallel-apps | whole | up apps | RUN | refresh | of=capacity-3.4
    More applications share every queue.
$cuser.max-parallel-apps | whole | up apps | RUN | refresh | of=capacity-3.4
    Every user may run more applications.
$cuser-limit-factor | whole | up 100 /10 | USER AM REFUSED MAX FULL | refresh | of=capacity-3.4
    | witness=none: only of queues without their own
    In every queue one user may take the part of others.
$cmaximum-am-resource-percent | whole | up 1 /100 | AM | refresh
    Masters of every queue may take room from containers.
$cmaximum-applications | whole | up 20000 | REFUSED | refresh
    More applications wait in the ResourceManager's memory.
$cglobal-queue-max-application | whole | up 20000 | REFUSED | refresh | of=capacity-3.4
    | witness=none: only of queues without their own
    More applications wait in the ResourceManager's memory.
$cqueue-mappings | whole | one @mappings | REFUSED | refresh
    Others of the same user go there, too.
$cqueue-mappings-override.enable | whole | one false | HELD RUN LABEL REFUSED | refresh
    | witness=none: only with a mapping
yarn.node-labels.enabled | whole | one true | LABEL REFUSED | restart | of=capacity-3.4
    | witness=none: only with a label
schedlab.node-labels | whole | one @shared | NOT_IN_PARTITION | refresh | needs=yarn.node-labels.enabled=true
    | of=capacity-3.4
schedlab.node-labels | whole | one @partitions | REFUSED | refresh | needs=yarn.node-labels.enabled=true
    | witness=none: only with nodes of a label that the cluster has not
$rnode-labels.am.default-node-label-expression | whole | one | NOT_IN_PARTITION FULL AM NO_NODE REFUSED | restart
    | of=capacity-3.4 | witness=none: only with a label
    Masters run on every node, also where nodes come and go.
yarn.node-labels.am.default-node-label-expression | whole | one | NOT_IN_PARTITION FULL AM NO_NODE REFUSED | restart
    | witness=none: only with a label
    Masters run on every node, also where nodes come and go.
yarn.cluster.max-application-priority | whole | up 10 | FULL | refresh | of=capacity-3.4
    Applications of high priority come before others.
maximum-capacity | queue | up 100 | MAX USER AM | refresh
    The queue may take more of what others do not use.
%template.maximum-capacity | queue | up 100 | MAX USER AM | refresh | of=capacity-3.4
    | witness=none: only of queues that are made
    Every queue that is made there may take more of what others do not use.
%template.user-limit-factor | queue | up 100 /10 | USER AM FULL | refresh | of=capacity-3.4
    | witness=none: only of queues that are made
    In every queue that is made there one user may take the part of others.
%template.maximum-am-resource-percent | queue | up 1 /100 | AM | refresh | of=capacity-3.4
    | witness=none: only of queues that are made
    Masters of every queue that is made there may take room from containers.
capacity | partition | one 100 | MAX USER AM LABEL REFUSED NO_NODE | refresh | of=capacity-3.4
    Other queues have less of the partition.
capacity | partition | one 100 | MAX USER AM LABEL REFUSED NO_NODE | refresh | of=capacity-2.7
    | witness=none: only with that of the queue above it
    Other queues have less of the partition.
maximum-capacity | partition | one 100 | MAX | refresh
    The queue may take more of what others do not use there.
maximum-am-resource-percent | partition | up 1 /100 | AM | refresh | of=capacity-3.4 | witness=none: only with labels
    Masters may take the room their containers need.
default-node-label-expression | leaf | one @labels | NOT_IN_PARTITION FULL NO_NODE | refresh | blunt
    All of the queue that names no label runs there alone.
capacity | leaf | up 99 | MAX USER AM REFUSED | refresh | witness=none: only with that of the queue beside it
    The queue beside it has less.
accessible-node-labels | queue | one * | LABEL REFUSED | refresh
    | witness=none: asks name the default label alone, which has to be accessible
    The queue may ask for every partition.
default-node-label-expression | queue | one | LABEL MAX STRICT REFUSED NO_NODE | refresh | blunt
    Applications run on nodes without a label.
minimum-user-limit-percent | leaf | up 100 | USER REFUSED | refresh
    Fewer users run at a time.
minimum-user-limit-percent | leaf | down users | FULL MAX USER OTHER_FIRST | refresh
    Each user has less.
minimum-user-limit-percent | leaf | down users | FULL | refresh | needs=$m=true, $wenabled=true | of=capacity-3.4
    Users lose containers to others of the same queue.
user-limit-factor | leaf | up 100 /10 | USER AM REFUSED MAX FULL | refresh
    One user may take the part of others.
user-limit-factor | leaf | up 100 /10 | FULL | refresh
    | needs=$m=true, $wenabled=true, $wpreemption-order-policy=priority_first | of=capacity-3.4
    | witness=none: only where applications of one user have different priorities
    Applications of lower priority lose containers, those of the same user, too.
user-settings.%user.weight | queue | up 1 /100 | USER AM FULL | refresh | of=capacity-3.4
    | witness=none: only of users whose weight is stated
    One user takes the part of others.
user-limit-factor | leaf | down 0.1 /10 | FULL MAX | refresh
    One user may no longer take what others leave idle.
maximum-capacity | others | down 1 from 100 | FULL | refresh
    The other queue may no longer take what others leave idle.
maximum-am-resource-percent | leaf | up 1 /100 | AM | refresh
    Masters may take the room their containers need.
maximum-am-resource-percent | leaf | down 0.01 /100 | FULL MAX USER | refresh
    Fewer applications run at a time.
max-parallel-apps | queue | up apps | RUN | refresh | of=capacity-3.4
    More applications share the queue.
max-parallel-apps | leaf | down 1 from apps | FULL MAX USER | refresh | of=capacity-3.4
    Fewer applications run at a time.
max-parallel-apps | user | up apps | RUN | refresh | of=capacity-3.4
    The user may run more applications.
ordering-policy | leaf | one fair fifo | HELD | refresh | of=capacity-3.4
    The order of everybody in the queue changes.
ordering-policy.fair.enable-size-based-weight | leaf | one true false | FULL | refresh | of=capacity-3.4
    Shares follow the sizes of applications, or not.
disable_preemption | queue | one true | LOST_TO_PREEMPTION | refresh
    | witness=none: only where much is preempted, again and again
    Other queues wait for what this one has beyond its capacity.
disable_preemption | others | one false | HELD | refresh | needs=$m=true
    The other queue loses containers.
priority | queue | up 10 | FULL | refresh | needs=$croot.ordering-policy=priority-utilization | of=capacity-3.4
    | witness=none: only where queues below their capacity compete for what a third one gives back
    Queues beside it come later.
priority | others | down 0 | FULL | refresh | of=capacity-3.4
    | witness=none: only where the order of the queue above both is priority-utilization
    The other queue comes later.
state | queue | one RUNNING | REFUSED | refresh
    The queue takes applications again.
acl_submit_applications | queue | one @user | REFUSED | refresh
    The user may submit there.
leaf-queue-template.acl_submit_applications | others | one @user | REFUSED | refresh | of=capacity-3.4
    | witness=none: only of queues that are made
    The user may submit to every queue that is made there.
auto-queue-creation-v2.leaf-template.acl_submit_applications | others | one @user | REFUSED | refresh
    | of=capacity-3.4 | witness=none: only of queues that are made
    The user may submit to every queue that is made there.
auto-queue-creation-v2.enabled | others | one true | REFUSED | refresh | of=capacity-3.4
    | witness=none: only with a rule that leads to a queue that is not there
    Queues are made there as applications name them.
maximum-applications | leaf | up 10000 | REFUSED | refresh
    More applications wait in the ResourceManager's memory.
maximum-allocation-mb | leaf | up largest_node | REFUSED | refresh | of=capacity-3.4
    Larger containers are taken; they are harder to place.
maximum-allocation-vcores | leaf | up most_vcores | REFUSED | refresh | of=capacity-3.4
    Containers of more vcores are taken; they are harder to place.
intra-queue-preemption.disable_preemption | leaf | one false | HELD | refresh | needs=$m=true, $wenabled=true
    | of=capacity-3.4
    Its users lose containers to others of the queue.
queues | root | one @default_queue | REFUSED | refresh
    A part of the capacity goes to the queue that is added.
""",
    KEYS,
)
