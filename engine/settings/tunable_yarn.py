"""What may be varied under a ResourceManager: settings of its schedulers and its own.

Source: which settings a refresh reads again: CapacityScheduler#reinitialize, SchedulingMonitorManager#reinitialize,
ProportionalCapacityPreemptionPolicy#updateConfigIfNeeded, AllocationFileLoaderService#reloadAllocations.
"""

from typing import Final

from engine.settings.tunables import tunables

_SHORT: Final = {
    "$m": "yarn.resourcemanager.scheduler.monitor.enable",
    "$w": "yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.",
    "$b": "yarn.resourcemanager.monitor.capacity.preemption.preemption-to-balance-queue-after-satisfied.",
    "$p": "yarn.resourcemanager.monitor.capacity.preemption.",
    "$c": "yarn.scheduler.capacity.",
    "$f": "yarn.scheduler.fair.",
    "$r": "yarn.resourcemanager.",
    "$C": "org.apache.hadoop.yarn.util.resource.",
}

CAPACITY: Final = tunables(
    "capacity",
    """
$m | whole | one true false | HELD | restart
    Containers of queues above their capacity are killed.
$pobserve_only | whole | one false | HELD | restart | needs=$m=true
    Containers of queues above their capacity are killed.
$pmax_wait_before_kill | whole | sooner 1 /1000 | HELD | restart | needs=$m=true
    Work that would soon have ended is killed.
$ptotal_preemption_per_round | whole | up 1 /10 | HELD | restart | needs=$m=true
    More is killed at a time.
$pnatural_termination_factor | whole | up 1 /10 | HELD | restart | needs=$m=true
    Containers that would soon have ended are killed.
$pmax_ignored_over_capacity | whole | down 0 /100 | HELD | restart | needs=$m=true
    Queues barely above their capacity lose containers.
$benabled | whole | one true | HELD | restart | needs=$m=true, $bmax-wait-before-kill=15000 | of=capacity-3.4
    Queues lose containers to others that have their guarantee.
$bmax-wait-before-kill | whole | sooner 1 /1000 | HELD | restart | needs=$m=true, $benabled=true | of=capacity-3.4
    Queues lose containers to others that have their guarantee.
$wenabled | whole | one true | HELD | restart | needs=$m=true | of=capacity-3.4
    Users lose containers to others of the same queue.
$wpreemption-order-policy | whole | one priority_first userlimit_first | HELD | restart
    | needs=$m=true, $wenabled=true | of=capacity-3.4
    Other applications of the same queue lose containers.
$wminimum-threshold | whole | down 0 /100 | HELD | restart | needs=$m=true, $wenabled=true | of=capacity-3.4
    Queues that are not full lose containers, too.
$wmax-allowable-limit | whole | up 1 /100 | HELD | restart | needs=$m=true, $wenabled=true | of=capacity-3.4
    A queue loses more of its containers at a time.
$pselect_based_on_reserved_containers | whole | one true | FULL | restart | needs=$m=true | of=capacity-3.4
    Containers are killed where they block a large one.
$padditional_res_balance_based_on_reserved_containers | whole | one true | FULL | restart | needs=$m=true
    | of=capacity-3.4
    Containers are killed where they block a large one.
$pconservative-drf | whole | one true false | HELD | restart | needs=$m=true | of=capacity-3.4
    Other containers are chosen to be killed.
$clazy-preemption-enabled | whole | one true false | HELD | restart | needs=$m=true | of=capacity-3.4
    Containers are killed at another time.
$cresource-calculator | whole | one $CDefaultResourceCalculator $CDominantResourceCalculator
    | FULL AM USER MAX SMALL | restart | blunt
    It holds for every queue: vcores count everywhere, or nowhere.
$cnode-locality-delay | whole | down -1 | DELAY OTHER_FIRST | refresh
    More tasks run away from their data.
$crack-locality-additional-delay | whole | down 0 | DELAY OTHER_FIRST | refresh | of=capacity-3.4
    More tasks run away from their data.
$crack-locality-full-reset | whole | one true false | DELAY | refresh | of=capacity-3.4
    Tasks run elsewhere.
$creservations-continue-look-all-nodes | whole | one true false | FULL | refresh
    Large containers wait longer for a whole node, or small ones do.
$cskip-allocate-on-nodes-with-reserved-containers | whole | one true false | FULL | refresh | of=capacity-3.4
    Nodes with a reservation take other containers, or none.
$cper-node-heartbeat.maximum-offswitch-assignments | whole | up 100 | DELAY FULL | refresh | of=capacity-3.4
    More tasks run away from their data.
$cper-node-heartbeat.multiple-assignments-enabled | whole | one true | PACE | refresh | of=capacity-3.4
    One node takes many containers at once.
$cmax-parallel-apps | whole | up apps | RUN | refresh | of=capacity-3.4
    More applications share every queue.
$cuser.max-parallel-apps | whole | up apps | RUN | refresh | of=capacity-3.4
    Every user may run more applications.
$cmaximum-am-resource-percent | whole | up 1 /100 | AM | refresh
    Masters of every queue may take room from containers.
$cmaximum-applications | whole | up 20000 | REFUSED | refresh
    More applications wait in the ResourceManager's memory.
$cqueue-mappings | whole | one @mappings | REFUSED | refresh
    Others of the same user go there, too.
yarn.cluster.max-application-priority | whole | up 10 | FULL | restart | of=capacity-3.4
    Applications of high priority come before others.
maximum-capacity | queue | up 100 | MAX USER AM | refresh
    The queue may take more of what others do not use.
capacity | partition | one 100 | MAX USER AM LABEL REFUSED NO_NODE | refresh
    Other queues have less of the partition.
maximum-capacity | partition | one 100 | MAX | refresh
    The queue may take more of what others do not use there.
accessible-node-labels | queue | one * | LABEL REFUSED | refresh
    The queue may ask for every partition.
default-node-label-expression | queue | one | LABEL MAX STRICT REFUSED NO_NODE | refresh | blunt
    Applications run on nodes without a label.
minimum-user-limit-percent | leaf | up 100 | USER REFUSED | refresh
    Fewer users run at a time.
minimum-user-limit-percent | leaf | down 1 | USER OTHER_FIRST | refresh
    Each user has less.
user-limit-factor | leaf | up 100 /10 | USER AM REFUSED MAX | refresh
    One user may take the part of others.
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
disable_preemption | others | one false | HELD | refresh | needs=$m=true
    The other queue loses containers.
priority | queue | up 10 | FULL | refresh | of=capacity-3.4
    Queues beside it come later.
state | queue | one RUNNING | REFUSED | refresh
    The queue takes applications again.
acl_submit_applications | queue | one @user | REFUSED | refresh
    The user may submit there.
maximum-applications | leaf | up 10000 | REFUSED | refresh
    More applications wait in the ResourceManager's memory.
maximum-allocation-mb | leaf | up largest_node | REFUSED | refresh
    Larger containers are taken; they are harder to place.
queues | root | one @default_queue | REFUSED | refresh
    A part of the capacity goes to the queue that is added.
""",
    _SHORT,
)

FAIR: Final = tunables(
    "fair",
    """
$fpreemption | whole | one true false | HELD | restart
    Containers of queues above their share are killed.
$fpreemption.cluster-utilization-threshold | whole | down 0 /100 | HELD | restart | needs=$fpreemption=true
    Containers are killed though the cluster is not full.
$fwaitTimeBeforeKill | whole | sooner 0 /1000 | HELD | restart | needs=$fpreemption=true
    Work that would soon have ended is killed.
$fassignmultiple | whole | one true false | FULL PACE | restart
    One node takes many containers at once, or one a heartbeat.
$fmax.assign | whole | one -1 | PACE FULL | restart
    One node takes many containers at once.
$flocality.threshold.node | whole | one -1.0 | DELAY OTHER_FIRST | restart
    More tasks run away from their data.
$flocality.threshold.rack | whole | one -1.0 | DELAY OTHER_FIRST | restart
    More tasks run away from their data.
$flocality-delay-node-ms | whole | one -1 | DELAY | restart | witness=none: only with continuous scheduling
    More tasks run away from their data.
$flocality-delay-rack-ms | whole | one -1 | DELAY | restart | witness=none: only with continuous scheduling
    More tasks run away from their data.
$fsizebasedweight | whole | one true false | FULL | restart
    Shares follow the sizes of applications, or not.
$fuser-as-default-queue | whole | one false true | REFUSED MAX RUN AM FULL | restart
    Applications that name no queue go elsewhere.
$fallow-undeclared-pools | whole | one true | REFUSED | restart
    Any name of a queue makes one.
schedlab.reservation.rule | whole | one limited off strict | FULL | patch
    No release has it as a setting; containers larger than most wait longer.
$freservable-nodes | whole | up 1 /100 | FULL | restart | of=fair-3.4
    One application may reserve more nodes.
yarn.scheduler.reservation-threshold.increment-multiple | whole | up 16 | FULL | restart | of=fair-3.4
    Small containers reserve no node.
maxResources | queue | up all_resources | MAX USER AM | refresh
    The queue may take what others do not use.
maxRunningApps | queue | up apps | RUN | refresh
    More applications share the queue.
maxRunningApps | user | up apps | RUN | refresh
    The user may run more applications.
queueMaxAppsDefault | root | up apps | RUN | refresh
    More applications share every queue.
userMaxAppsDefault | root | up apps | RUN | refresh
    Every user may run more applications.
queueMaxAMShareDefault | root | up 1 /100 | AM | refresh
    Masters of every queue may take the room their containers need.
maxRunningApps | leaf | down 1 from apps | FULL MAX | refresh
    Fewer applications run at a time.
maxAMShare | leaf | up 1 /100 | AM | refresh
    Masters may take the room their containers need.
maxAMShare | leaf | one -1.0 | AM | refresh
    Masters may take the room their containers need.
maxAMShare | leaf | down 0.01 /100 from 1.0 | FULL MAX | refresh
    Fewer applications run at a time.
minResources | queue | up all_resources | FULL AM | refresh
    The queue comes before all that have their minimum.
weight | queue | up 1000 /10 | FULL AM | refresh
    Queues beside it have less.
fairSharePreemptionTimeout | queue | sooner 1 /1 from 3600 | HELD | refresh | needs=$fpreemption=true
    Containers of other queues are killed sooner.
minSharePreemptionTimeout | queue | sooner 1 /1 from 3600 | HELD | refresh | needs=$fpreemption=true
    Containers of other queues are killed sooner.
fairSharePreemptionThreshold | queue | up 1 /100 | HELD | refresh | needs=$fpreemption=true
    The queue counts as starved sooner.
schedulingPolicy | leaf | one fair fifo drf | FULL AM | refresh
    The order of everybody in the queue changes.
aclSubmitApps | queue | one @user | REFUSED | refresh
    The user may submit there.
""",
    _SHORT,
)

RESOURCE_MANAGER: Final = tunables(
    "capacity fair",
    """
yarn.scheduler.minimum-allocation-mb | whole | down 1 | FULL SMALL AM MAX USER | restart
    More and smaller containers run on a node.
yarn.scheduler.maximum-allocation-mb | whole | up largest_node | REFUSED | restart
    Larger containers are taken; they are harder to place.
yarn.scheduler.maximum-allocation-vcores | whole | up most_vcores | REFUSED | restart
    Containers of more vcores are taken; they are harder to place.
yarn.scheduler.maximum-allocation-mb | whole | down 1024 from largest_ask | NODE_RESERVED | restart
    Who asks for more is refused.
$rrecovery.enabled | whole | one true | LOST AWAY | restart | of=capacity fair fifo | witness=none: only with a restart
    A ResourceManager starts more slowly.
$rwork-preserving-recovery.enabled | whole | one true false | LOST AWAY | restart | of=capacity fair fifo
    | needs=$rrecovery.enabled=true | witness=none: only with a restart
    A ResourceManager that starts takes running containers over.
$rwork-preserving-recovery.scheduling-wait-ms | whole | sooner 0 /1000 | AWAY | restart | of=capacity fair fifo
    | witness=none: only with a restart
    Who asks first gets what nodes not yet back hold.
yarn.nm.liveness-monitor.expiry-interval-ms | whole | sooner 1 /1000 | AWAY | restart | of=capacity fair fifo
    | witness=none: only with a node that falls silent
    A node that is slow to answer counts as lost.
yarn.am.liveness-monitor.expiry-interval-ms | whole | sooner 1 /1000 | AWAY LOST FULL | restart
    | of=capacity fair fifo | witness=none: only with a master that hangs
    A master that is slow to answer counts as lost.
$ram.max-attempts | whole | up 10 | LOST | restart | of=capacity fair fifo | witness=none: only with masters that fail
    Applications that always fail are tried more often.
""",
    _SHORT,
)
