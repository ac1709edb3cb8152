"""The settings of FairScheduler 2.7.2 and 3.4.1; those of yarn-site.xml are defined here.

Source: FairSchedulerConfiguration, YarnConfiguration, Hadoop 2.7.2 and 3.4.1; AllocationFileLoaderService#loadQueue,
Hadoop 2.7.2; AllocationFileQueueParser, Hadoop 3.4.1.
"""

from typing import Final

from msgspec.structs import replace

from engine.settings import site
from engine.settings.table import DOUBLE, FLAG, INTEGER, LONG, SINGLE, Key, SettingEntry, SettingHelp, SettingTable

# Settings of a queue in the allocation file of FairScheduler.

_ELEMENT: Final = "AllocationFileLoaderService#loadQueue"
WEIGHT: Final = Key[float]("weight")
MIN_RESOURCES: Final = Key[str]("minResources")
MAX_RESOURCES: Final = Key[str]("maxResources")
MAX_RUNNING_APPS: Final = Key[int]("maxRunningApps")
MAX_AM_SHARE: Final = Key[float]("maxAMShare")
SCHEDULING_POLICY: Final = Key[str]("schedulingPolicy")
FAIR_SHARE_TIMEOUT: Final = Key[int]("fairSharePreemptionTimeout")
MIN_SHARE_TIMEOUT: Final = Key[int]("minSharePreemptionTimeout")
FAIR_SHARE_THRESHOLD: Final = Key[float]("fairSharePreemptionThreshold")

OF_QUEUE: Final = (
    SettingEntry(
        WEIGHT,
        "1.0",
        "The part of a queue among its siblings.",
        kind=DOUBLE,
        help=SettingHelp("2.0", "part among its siblings"),
        source=_ELEMENT,
    ),
    SettingEntry(
        MIN_RESOURCES,
        "0 mb, 0 vcores",
        "The resources that the queue gets before others get their fair shares.",
        help=SettingHelp("4096 mb, 4 vcores", "what it gets first"),
        source=_ELEMENT,
    ),
    SettingEntry(
        MAX_RESOURCES,
        "",
        "The resources that the queue never exceeds.",
        shown="no limit",
        help=SettingHelp("8192 mb, 8 vcores", "what it never exceeds"),
        source=_ELEMENT,
    ),
    SettingEntry(
        MAX_RUNNING_APPS,
        "2147483647",
        "The most running applications of the queue; more wait.",
        kind=INTEGER,
        shown="no limit",
        help=SettingHelp("10", "applications that run at once"),
        source=_ELEMENT,
    ),
    SettingEntry(
        MAX_AM_SHARE,
        "0.5",
        "The part of a leaf's fair share that application masters may use; -1.0 switches the limit off.",
        "part of 1",
        SINGLE,
        "up to 1; more counts as 1",
        of_leaf=True,
        help=SettingHelp("0.5", "for masters; -1.0: all"),
        source=_ELEMENT,
    ),
    SettingEntry(
        SCHEDULING_POLICY,
        "fair",
        "The order of the queue's applications or queues: `fair`, `fifo` (leaves alone) or `drf`.",
        help=SettingHelp("fair", "fair, fifo or drf"),
        source="SchedulingPolicy#parse",
    ),
    SettingEntry(
        FAIR_SHARE_TIMEOUT,
        "",
        "The time below its part of the fair share after which a queue takes containers of others.",
        "s",
        LONG,
        fallback="parent",
        shown="never",
        help=SettingHelp("30", "seconds below fair share"),
        source=_ELEMENT,
    ),
    SettingEntry(
        MIN_SHARE_TIMEOUT,
        "",
        "The time below its minimum after which a queue takes containers of others.",
        "s",
        LONG,
        fallback="parent",
        shown="never",
        help=SettingHelp("30", "seconds below min share"),
        source=_ELEMENT,
    ),
    SettingEntry(
        FAIR_SHARE_THRESHOLD,
        "0.5",
        "The part of its fair share below which a queue starves.",
        "part of 1",
        SINGLE,
        "0 to 1; others count as the nearer one",
        fallback="parent",
        help=SettingHelp("0.5", "part of fair share it insists on"),
        source=_ELEMENT,
    ),
)
"""The settings of both releases; `schedlab` changes all of them while the scheduler runs."""

LIVE: Final = tuple(entry.key for entry in OF_QUEUE)

PREFIX: Final = "yarn.scheduler.fair."

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

_OF: Final = "FairSchedulerConfiguration#"

_INCREMENTS: Final = (
    SettingEntry(
        INCREMENT_MB,
        "1024",
        "Memory of a container is rounded up to a multiple of it.",
        "MB",
        INTEGER,
        source=f"{_OF}getIncrementAllocation",
    ),
    SettingEntry(
        INCREMENT_VCORES,
        "1",
        "Vcores of a container are rounded up to a multiple of it.",
        "vcores",
        INTEGER,
        source=f"{_OF}getIncrementAllocation",
    ),
)

_BOTH: Final = (
    SettingEntry(
        ALLOCATION_FILE,
        "fair-scheduler.xml",
        "The file of queues; a relative name is looked for beside yarn-site.xml.",
        source="AllocationFileLoaderService#getAllocationFile",
    ),
    SettingEntry(
        UNDECLARED_POOLS,
        "true",
        "Creates a queue that a submission names and no file states.",
        kind=FLAG,
        source=f"{_OF}getAllowUndeclaredPools",
    ),
    SettingEntry(
        USER_QUEUE,
        "true",
        "Places an application that names no queue in that of its user; false in `default`.",
        kind=FLAG,
        source=f"{_OF}getUserAsDefaultQueue",
    ),
    SettingEntry(
        PREEMPTION,
        "false",
        "Takes containers from queues above their share for queues that starve.",
        kind=FLAG,
        source=f"{_OF}getPreemptionEnabled",
    ),
    SettingEntry(
        UTILIZATION_THRESHOLD,
        "0.8",
        "The use of memory or vcores of the cluster above which preemption begins.",
        "part of 1",
        SINGLE,
        source=f"{_OF}getPreemptionUtilizationThreshold",
    ),
    SettingEntry(
        PREEMPTION_INTERVAL,
        "5000",
        "The time between two looks for queues that starve.",
        "ms",
        INTEGER,
        source=f"{_OF}getPreemptionInterval",
    ),
    SettingEntry(
        WAIT_BEFORE_KILL,
        "15000",
        "The time between the warning of a container and its kill.",
        "ms",
        INTEGER,
        source=f"{_OF}getWaitTimeBeforeKill",
    ),
    SettingEntry(
        ASSIGN_MULTIPLE,
        "false",
        "Assigns several containers on one heartbeat of a node.",
        kind=FLAG,
        source=f"{_OF}getAssignMultiple",
    ),
    SettingEntry(
        MAX_ASSIGN,
        "-1",
        "The most containers on one heartbeat, where several are assigned; not above 0 is no limit.",
        kind=INTEGER,
        source=f"{_OF}getMaxAssign",
    ),
    SettingEntry(
        SIZE_BASED_WEIGHT,
        "false",
        "Weighs an application by the logarithm of its demand.",
        kind=FLAG,
        source=f"{_OF}getSizeBasedWeight",
    ),
    SettingEntry(
        NODE_THRESHOLD,
        "-1.0",
        "The offers that an ask lets pass before it takes a rack, as a part of the nodes; negative is off.",
        "part of 1",
        SINGLE,
        "up to 1; more counts as 1",
        source=f"{_OF}getLocalityThresholdNode",
    ),
    SettingEntry(
        RACK_THRESHOLD,
        "-1.0",
        "The offers that an ask lets pass before it takes any node, as a part of the nodes; negative is off.",
        "part of 1",
        SINGLE,
        "up to 1; more counts as 1",
        source=f"{_OF}getLocalityThresholdRack",
    ),
    SettingEntry(
        NODE_DELAY,
        "-1",
        "With continuous scheduling, the time that an ask waits before it takes a rack; negative is off.",
        "ms",
        LONG,
        source=f"{_OF}getLocalityDelayNodeMs",
    ),
    SettingEntry(
        RACK_DELAY,
        "-1",
        "With continuous scheduling, the time that an ask waits before it takes any node; negative is off.",
        "ms",
        LONG,
        source=f"{_OF}getLocalityDelayRackMs",
    ),
    SettingEntry(
        CONTINUOUS,
        "false",
        "Offers nodes in a thread of its own besides their heartbeats.",
        kind=FLAG,
        source=f"{_OF}isContinuousSchedulingEnabled",
    ),
    SettingEntry(
        CONTINUOUS_SLEEP,
        "5",
        "The time between two rounds of continuous scheduling.",
        "ms",
        INTEGER,
        source=f"{_OF}getContinuousSchedulingSleepMs",
    ),
    SettingEntry(
        UPDATE_INTERVAL,
        "500",
        "The time between two computations of demands and fair shares; a negative one counts as the default.",
        "ms",
        LONG,
        "not 0",
        source=f"{_OF}getUpdateInterval",
    ),
    SettingEntry(
        EVENT_LOG, "false", "Writes a log of events; no effect here.", kind=FLAG, source=f"{_OF}isEventLogEnabled"
    ),
)

_OURS: Final = (
    SettingEntry(
        RESERVATION_RULE,
        "strict",
        "Who may reserve nodes: `strict` is 2.7.2's, `limited` 3.4.1's, `off` nobody; a setting of schedlab.",
        bounds="strict, limited or off",
        listed=False,
        source="FSAppAttempt#reserve",
    ),
    SettingEntry(
        RESERVABLE_NODES,
        "0.05",
        "The part of the nodes that one application may reserve under the rule `limited`.",
        "part of 1",
        SINGLE,
        listed=False,
        source=f"{_OF}getReservableNodes",
    ),
)

_ONLY_34: Final = (
    SettingEntry(
        RESERVATION_MULTIPLE,
        "2.0",
        "The smallest ask for which a node is reserved, in increments.",
        "increments",
        SINGLE,
        source="FairScheduler#initScheduler",
    ),
    SettingEntry(
        DYNAMIC_MAX_ASSIGN,
        "true",
        "Assigns up to half of what is free on a node on one heartbeat, where several are assigned.",
        kind=FLAG,
        source=f"{_OF}isMaxAssignDynamic",
    ),
    replace(_OURS[1], listed=True),
    SettingEntry(
        AM_PREEMPTION,
        "true",
        "Lets preemption take application masters; with `.QUEUE` behind it, those of one queue.",
        kind=FLAG,
        source=f"{_OF}getAMPreemptionEnabled",
    ),
    SettingEntry(
        STARVATION_CHECK_WAIT,
        "10000",
        "The time for which an application is left alone after containers were picked for it.",
        "ms",
        LONG,
        source=f"{_OF}getWaitTimeBeforeNextStarvationCheck",
    ),
    replace(_OURS[0], default="limited"),
)

FAIR_27: Final = SettingTable(
    "fair-2.7",
    (*site.CHOICE, *site.SIZES, *_INCREMENTS, site.PORT, *_BOTH, *_OURS, *site.RESOURCE_MANAGER),
    OF_QUEUE,
    live=LIVE,
)

FAIR_34: Final = SettingTable(
    "fair-3.4",
    (
        *site.CHOICE,
        *site.SIZES_34,
        *_INCREMENTS,
        site.PORT,
        *(
            # 3.4.1 does not read the interval; what the releases share does, and nothing follows from it.
            replace(entry, listed=False) if entry.key is PREEMPTION_INTERVAL else entry
            for entry in _BOTH
            if entry.key is not EVENT_LOG
        ),
        *_ONLY_34,
        *site.RESOURCE_MANAGER_34,
    ),
    OF_QUEUE,
    live=LIVE,
)


def fair_table(era: str) -> SettingTable:
    """The settings of a release, `2.7` or `3.4`."""
    return FAIR_34 if era == "3.4" else FAIR_27
