"""The settings of FairScheduler 2.7.2 and 3.4.1; those of yarn-site.xml are defined here.

Source: FairSchedulerConfiguration, YarnConfiguration, Hadoop 2.7.2 and 3.4.1; AllocationFileLoaderService#loadQueue,
Hadoop 2.7.2; AllocationFileQueueParser, Hadoop 3.4.1.
"""

from typing import Final

from msgspec.structs import replace

from engine.settings import site
from engine.settings.table import Key, SettingTable, rows

# Settings of a queue in the allocation file of FairScheduler.

PREFIX: Final = "yarn.scheduler.fair."

WEIGHT: Final = Key[float]("weight")
MAX_RESOURCES: Final = Key[str]("maxResources")
FAIR_SHARE_TIMEOUT: Final = Key[int]("fairSharePreemptionTimeout")
MIN_SHARE_TIMEOUT: Final = Key[int]("minSharePreemptionTimeout")
FAIR_SHARE_THRESHOLD: Final = Key[float]("fairSharePreemptionThreshold")

_SHORT: Final = {"$f": PREFIX, "$C": "FairSchedulerConfiguration#", "$L": "AllocationFileLoaderService#loadQueue"}
"""Beginnings that the tables write short."""

OF_QUEUE: Final = rows(
    """
weight | double | 1.0 | | $L | help=2.0: part among its siblings
    The part of a queue among its siblings.
minResources | text | 0 mb, 0 vcores | | $L | help=4096 mb, 4 vcores: what it gets first
    The resources that the queue gets before others get their fair shares.
maxResources | text | | | $L | shown=no limit | help=8192 mb, 8 vcores: what it never exceeds
    The resources that the queue never exceeds.
maxRunningApps | integer | 2147483647 | | $L | shown=no limit | help=10: applications that run at once
    The most running applications of the queue; more wait.
maxAMShare | single | 0.5 | part of 1 | $L | bounds=up to 1; more counts as 1 | of_leaf=yes
    | help=0.5: for masters; -1.0: all
    The part of a leaf's fair share that application masters may use; -1.0 switches the limit off.
schedulingPolicy | text | fair | | SchedulingPolicy#parse | help=fair: fair, fifo or drf
    The order of the queue's applications or queues: `fair`, `fifo` (leaves alone) or `drf`.
fairSharePreemptionTimeout | long | | s | $L | fallback=parent | shown=never | help=30: seconds below fair share
    The time below its part of the fair share after which a queue takes containers of others.
minSharePreemptionTimeout | long | | s | $L | fallback=parent | shown=never | help=30: seconds below min share
    The time below its minimum after which a queue takes containers of others.
fairSharePreemptionThreshold | single | 0.5 | part of 1 | $L | bounds=0 to 1; others count as the nearer one
    | fallback=parent | help=0.5: part of fair share it insists on
    The part of its fair share below which a queue starves.
""",
    short=_SHORT,
)
"""The settings of both releases; `schedlab` changes all of them while the scheduler runs."""

LIVE: Final = tuple(entry.key for entry in OF_QUEUE)

INCREMENT_MB: Final = Key[int]("yarn.scheduler.increment-allocation-mb")
INCREMENT_VCORES: Final = Key[int]("yarn.scheduler.increment-allocation-vcores")
ALLOCATION_FILE: Final = Key[str](f"{PREFIX}allocation.file")
UNDECLARED_POOLS: Final = Key[bool](f"{PREFIX}allow-undeclared-pools")
USER_QUEUE: Final = Key[bool](f"{PREFIX}user-as-default-queue")
PREEMPTION: Final = Key[bool](f"{PREFIX}preemption")
UTILIZATION_THRESHOLD: Final = Key[float](f"{PREFIX}preemption.cluster-utilization-threshold")
PREEMPTION_INTERVAL: Final = Key[int](f"{PREFIX}preemptionInterval")
WAIT_BEFORE_KILL: Final = Key[int](f"{PREFIX}waitTimeBeforeKill")
ASSIGN_MULTIPLE: Final = Key[bool](f"{PREFIX}assignmultiple")
MAX_ASSIGN: Final = Key[int](f"{PREFIX}max.assign")
SIZE_BASED_WEIGHT: Final = Key[bool](f"{PREFIX}sizebasedweight")
NODE_THRESHOLD: Final = Key[float](f"{PREFIX}locality.threshold.node")
RACK_THRESHOLD: Final = Key[float](f"{PREFIX}locality.threshold.rack")
NODE_DELAY: Final = Key[int](f"{PREFIX}locality-delay-node-ms")
RACK_DELAY: Final = Key[int](f"{PREFIX}locality-delay-rack-ms")
CONTINUOUS: Final = Key[bool](f"{PREFIX}continuous-scheduling-enabled")
CONTINUOUS_SLEEP: Final = Key[int](f"{PREFIX}continuous-scheduling-sleep-ms")
UPDATE_INTERVAL: Final = Key[int](f"{PREFIX}update-interval-ms")
EVENT_LOG: Final = Key[bool](f"{PREFIX}event-log-enabled")
RESERVATION_MULTIPLE: Final = Key[float]("yarn.scheduler.reservation-threshold.increment-multiple")
DYNAMIC_MAX_ASSIGN: Final = Key[bool](f"{PREFIX}dynamic.max.assign")
RESERVABLE_NODES: Final = Key[float](f"{PREFIX}reservable-nodes")
AM_PREEMPTION: Final = Key[bool](f"{PREFIX}am.preemption")
STARVATION_CHECK_WAIT: Final = Key[int](f"{PREFIX}waitTimeBeforeNextStarvationCheck")
RESERVATION_RULE: Final = Key[str]("schedlab.reservation.rule")

_INCREMENTS: Final = rows(
    """
yarn.scheduler.increment-allocation-mb | integer | 1024 | MB | $CgetIncrementAllocation
    Memory of a container is rounded up to a multiple of it.
yarn.scheduler.increment-allocation-vcores | integer | 1 | vcores | $CgetIncrementAllocation
    Vcores of a container are rounded up to a multiple of it.
""",
    short=_SHORT,
)

_BOTH: Final = rows(
    """
$fallocation.file | text | fair-scheduler.xml | | AllocationFileLoaderService#getAllocationFile
    The file of queues; a relative name is looked for beside yarn-site.xml.
$fallow-undeclared-pools | flag | true | | $CgetAllowUndeclaredPools
    Creates a queue that a submission names and no file states.
$fuser-as-default-queue | flag | true | | $CgetUserAsDefaultQueue
    Places an application that names no queue in that of its user; false in `default`.
$fpreemption | flag | false | | $CgetPreemptionEnabled
    Takes containers from queues above their share for queues that starve.
$fpreemption.cluster-utilization-threshold | single | 0.8 | part of 1 | $CgetPreemptionUtilizationThreshold
    The use of memory or vcores of the cluster above which preemption begins.
$fpreemptionInterval | integer | 5000 | ms | $CgetPreemptionInterval
    The time between two looks for queues that starve.
$fwaitTimeBeforeKill | integer | 15000 | ms | $CgetWaitTimeBeforeKill
    The time between the warning of a container and its kill.
$fassignmultiple | flag | false | | $CgetAssignMultiple
    Assigns several containers on one heartbeat of a node.
$fmax.assign | integer | -1 | | $CgetMaxAssign
    The most containers on one heartbeat, where several are assigned; not above 0 is no limit.
$fsizebasedweight | flag | false | | $CgetSizeBasedWeight
    Weighs an application by the logarithm of its demand.
$flocality.threshold.node | single | -1.0 | part of 1 | $CgetLocalityThresholdNode | bounds=up to 1; more counts as 1
    The offers that an ask lets pass before it takes a rack, as a part of the nodes; negative is off.
$flocality.threshold.rack | single | -1.0 | part of 1 | $CgetLocalityThresholdRack | bounds=up to 1; more counts as 1
    The offers that an ask lets pass before it takes any node, as a part of the nodes; negative is off.
$flocality-delay-node-ms | long | -1 | ms | $CgetLocalityDelayNodeMs
    With continuous scheduling, the time that an ask waits before it takes a rack; negative is off.
$flocality-delay-rack-ms | long | -1 | ms | $CgetLocalityDelayRackMs
    With continuous scheduling, the time that an ask waits before it takes any node; negative is off.
$fcontinuous-scheduling-enabled | flag | false | | $CisContinuousSchedulingEnabled
    Offers nodes in a thread of its own besides their heartbeats.
$fcontinuous-scheduling-sleep-ms | integer | 5 | ms | $CgetContinuousSchedulingSleepMs
    The time between two rounds of continuous scheduling.
$fupdate-interval-ms | long | 500 | ms | $CgetUpdateInterval | bounds=not 0
    The time between two computations of demands and fair shares; a negative one counts as the default.
$fevent-log-enabled | flag | false | | $CisEventLogEnabled
    Writes a log of events; no effect here.
""",
    short=_SHORT,
)

_OURS: Final = rows(
    """
schedlab.reservation.rule | text | strict | | FSAppAttempt#reserve | bounds=strict, limited or off | listed=no
    Who may reserve nodes: `strict` is 2.7.2's, `limited` 3.4.1's, `off` no application; a setting of schedlab.
$freservable-nodes | single | 0.05 | part of 1 | $CgetReservableNodes | listed=no
    The part of the nodes that one application may reserve under the rule `limited`.
""",
    short=_SHORT,
)

_ONLY_34: Final = rows(
    """
yarn.scheduler.reservation-threshold.increment-multiple | single | 2.0 | increments | FairScheduler#initScheduler
    The smallest ask for which a node is reserved, in increments.
$fdynamic.max.assign | flag | true | | $CisMaxAssignDynamic
    Assigns up to half of what is free on a node on one heartbeat, where several are assigned.
$fam.preemption | flag | true | | $CgetAMPreemptionEnabled
    Lets preemption take application masters; with `.QUEUE` behind it, those of one queue.
$fwaitTimeBeforeNextStarvationCheck | long | 10000 | ms | $CgetWaitTimeBeforeNextStarvationCheck
    The time for which an application is left alone after containers were picked for it.
yarn.resource-types.memory-mb.increment-allocation | text | | | $CgetIncrementAllocation
    Goes before yarn.scheduler.increment-allocation-mb: a number of MB, or one with a unit such as 1Gi.
yarn.resource-types.vcores.increment-allocation | text | | | $CgetIncrementAllocation
    Goes before yarn.scheduler.increment-allocation-vcores.
""",
    short=_SHORT,
)

FAIR_27: Final = SettingTable(
    "fair-2.7",
    (*site.CHOICE, *site.SIZES, *_INCREMENTS, *site.PORT, *_BOTH, *_OURS, *site.RESOURCE_MANAGER),
    OF_QUEUE,
    live=LIVE,
)

FAIR_34: Final = SettingTable(
    "fair-3.4",
    (
        *site.CHOICE,
        *site.SIZES_34,
        *_INCREMENTS,
        *site.PORT,
        *(
            # 3.4.1 does not read the interval; what the releases share does, and nothing follows from it.
            replace(entry, listed=False) if entry.key == PREEMPTION_INTERVAL else entry
            for entry in _BOTH
            if entry.key != EVENT_LOG
        ),
        *_ONLY_34[:2],
        replace(_OURS[1], listed=True),
        *_ONLY_34[2:],
        replace(_OURS[0], default="limited"),
        *site.RESOURCE_MANAGER_34,
    ),
    OF_QUEUE,
    live=LIVE,
)


def fair_table(era: str) -> SettingTable:
    """The settings of a release, `2.7` or `3.4`."""
    return FAIR_34 if era == "3.4" else FAIR_27
