"""Settings of yarn-site.xml that every scheduler of YARN reads, and those of the ResourceManager around it.

FifoScheduler reads no others: its tables are here.

Source: YarnConfiguration, Hadoop 2.7.2 and 3.4.1.
"""

from typing import Final

from msgspec.structs import replace

from engine.settings.table import FLAG, INTEGER, LONG, Key, SettingEntry, SettingTable

SCHEDULER_CLASS: Final = Key[str]("yarn.resourcemanager.scheduler.class")
ACL_ENABLE: Final = Key[bool]("yarn.acl.enable")
ADMIN_ACL: Final = Key[str]("yarn.admin.acl")
MAX_ATTEMPTS: Final = Key[int]("yarn.resourcemanager.am.max-attempts")
MINIMUM_MB: Final = Key[int]("yarn.scheduler.minimum-allocation-mb")
MINIMUM_VCORES: Final = Key[int]("yarn.scheduler.minimum-allocation-vcores")
MAXIMUM_MB: Final = Key[int]("yarn.scheduler.maximum-allocation-mb")
MAXIMUM_VCORES: Final = Key[int]("yarn.scheduler.maximum-allocation-vcores")
PORT_IN_NODE_NAME: Final = Key[bool]("yarn.scheduler.include-port-in-node-name")
NODE_EXPIRY: Final = Key[int]("yarn.nm.liveness-monitor.expiry-interval-ms")
ALLOCATION_EXPIRY: Final = Key[int]("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms")
MASTER_EXPIRY: Final = Key[int]("yarn.am.liveness-monitor.expiry-interval-ms")
RECOVERY: Final = Key[bool]("yarn.resourcemanager.recovery.enabled")
PRESERVES_WORK: Final = Key[bool]("yarn.resourcemanager.work-preserving-recovery.enabled")
SCHEDULING_WAIT: Final = Key[int]("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms")
RETRY_INTERVAL: Final = Key[int]("yarn.resourcemanager.connect.retry-interval.ms")
HIGH_AVAILABILITY: Final = Key[bool]("yarn.resourcemanager.ha.enabled")
SESSION_TIMEOUT: Final = Key[int]("yarn.resourcemanager.zk-timeout-ms")
NODE_RECOVERY: Final = Key[bool]("yarn.nodemanager.recovery.enabled")
HEARTBEAT_INTERVAL: Final = Key[int]("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms")
NODE_MEMORY: Final = Key[int]("yarn.nodemanager.resource.memory-mb")
NODE_VCORES: Final = Key[int]("yarn.nodemanager.resource.cpu-vcores")

MAXIMA: Final = (MAXIMUM_MB, MAXIMUM_VCORES)  # The largest container, by dimension

CHOICE: Final[tuple[SettingEntry, ...]] = (
    SettingEntry(
        SCHEDULER_CLASS,
        "capacity",
        "The class of the scheduler: CapacityScheduler, FairScheduler or FifoScheduler.",
        source="ResourceManager#createScheduler",
    ),
    SettingEntry(
        ACL_ENABLE,
        "false",
        "Checks access lists of queues and applications.",
        kind=FLAG,
        source="YarnConfiguration.YARN_ACL_ENABLE",
    ),
    SettingEntry(
        MAX_ATTEMPTS,
        "2",
        "The most attempts of an application; the application fails with the last one.",
        kind=INTEGER,
        bounds="above 0",
        source="ResourceManager#validateConfigs",
    ),
)
"""The first settings that `schedlab get` lists."""

SIZES: Final[tuple[SettingEntry, ...]] = (
    SettingEntry(
        MINIMUM_MB,
        "1024",
        "The smallest container; a smaller ask is rounded up to it.",
        "MB",
        INTEGER,
        "0 to the largest container; above 0 for CapacityScheduler",
        source="CapacityScheduler#validateConf, FairScheduler#validateConf, FifoScheduler#validateConf",
    ),
    SettingEntry(
        MINIMUM_VCORES,
        "1",
        "The fewest vcores of a container; an ask for fewer is rounded up to it.",
        "vcores",
        INTEGER,
        "0 to the largest container; above 0 for CapacityScheduler",
        source="CapacityScheduler#validateConf, FairScheduler#validateConf, FifoScheduler#validateConf",
    ),
    SettingEntry(
        MAXIMUM_MB,
        "8192",
        "The largest container; an application that asks for more gets an error.",
        "MB",
        INTEGER,
        "at least the smallest container",
        source="AbstractYarnScheduler#initMaximumResourceCapability",
    ),
    SettingEntry(
        MAXIMUM_VCORES,
        "32",
        "The most vcores of a container; an application that asks for more gets an error.",
        "vcores",
        INTEGER,
        "at least the smallest container",
        source="AbstractYarnScheduler#initMaximumResourceCapability",
    ),
)
"""Smallest and largest container of 2.7.2."""

SIZES_34: Final[tuple[SettingEntry, ...]] = (*SIZES[:3], replace(SIZES[3], default="4"))  # The same of 3.4.1

PORT: Final[SettingEntry] = SettingEntry(
    PORT_IN_NODE_NAME,
    "false",
    "Names a node `host:port` where asks name nodes, so that several node managers of one host differ.",
    kind=FLAG,
    source="SchedulerUtils, FairSchedulerConfiguration#getUsePortForNodeName",
)

RESOURCE_MANAGER: Final[tuple[SettingEntry, ...]] = (
    SettingEntry(
        NODE_EXPIRY,
        "600000",
        "The time without a heartbeat after which a node is lost.",
        "ms",
        LONG,
        "above 0",
        listed=False,
        source="NMLivelinessMonitor#serviceInit",
    ),
    SettingEntry(
        ALLOCATION_EXPIRY,
        "600000",
        "The time within which a container that an application master fetched has to run; after it, it is taken back.",
        "ms",
        LONG,
        "above 0",
        listed=False,
        source="ContainerAllocationExpirer#serviceInit",
    ),
    SettingEntry(
        MASTER_EXPIRY,
        "600000",
        "The time without a call of an application master after which its attempt fails.",
        "ms",
        LONG,
        "above 0",
        listed=False,
        source="AMLivelinessMonitor#serviceInit",
    ),
    SettingEntry(
        RECOVERY,
        "false",
        "Keeps applications in a state store, from which a ResourceManager that starts again recovers them.",
        kind=FLAG,
        listed=False,
        source="ResourceManager#serviceInit",
    ),
    SettingEntry(
        PRESERVES_WORK,
        "true",
        "Keeps containers running while a ResourceManager starts again; only with recovery.",
        kind=FLAG,
        listed=False,
        source="ResourceManager#serviceInit",
    ),
    SettingEntry(
        SCHEDULING_WAIT,
        "10000",
        "The time after its start in which a recovering ResourceManager allocates nothing, while nodes come back.",
        "ms",
        LONG,
        listed=False,
        source="RMContextImpl#isSchedulerReadyForAllocatingContainers",
    ),
    SettingEntry(
        RETRY_INTERVAL,
        "30000",
        "The time after which nodes, application masters and clients try a ResourceManager again.",
        "ms",
        LONG,
        "above 0",
        listed=False,
        source="RMProxy#createRetryPolicy",
    ),
    SettingEntry(
        HIGH_AVAILABILITY,
        "false",
        "Runs a pair of ResourceManagers, of which one is active.",
        kind=FLAG,
        listed=False,
        source="HAUtil#isHAEnabled",
    ),
    SettingEntry(
        SESSION_TIMEOUT,
        "10000",
        "The time without a sign after which ZooKeeper gives up the active ResourceManager of a pair.",
        "ms",
        LONG,
        "above 0",
        listed=False,
        source="ActiveStandbyElectorBasedElectorService#serviceInit",
    ),
    SettingEntry(
        NODE_RECOVERY,
        "false",
        "Lets a node manager that starts again find its containers, so that they run on.",
        kind=FLAG,
        listed=False,
        source="NodeManager#serviceInit",
    ),
    SettingEntry(
        HEARTBEAT_INTERVAL,
        "1000",
        "The time between heartbeats of a node; here a node that is silent for some of them gets no containers.",
        "ms",
        LONG,
        listed=False,
        source="ResourceTrackerService#serviceInit",
    ),
    SettingEntry(
        NODE_MEMORY,
        "8192",
        "The memory that a node offers to containers.",
        "MB",
        INTEGER,
        listed=False,
        source="NodeStatusUpdaterImpl#serviceInit",
    ),
    SettingEntry(
        NODE_VCORES,
        "8",
        "The vcores that a node offers to containers.",
        "vcores",
        INTEGER,
        listed=False,
        source="NodeStatusUpdaterImpl#serviceInit",
    ),
)
"""Settings around the scheduler; `schedlab get` does not list them."""

RESOURCE_MANAGER_34: Final[tuple[SettingEntry, ...]] = tuple(
    replace(entry, default="900000") if entry.key is MASTER_EXPIRY else entry for entry in RESOURCE_MANAGER
)
"""The same of 3.4.1."""

YARN_27: Final = SettingTable("fifo", (*CHOICE, *SIZES, PORT, *RESOURCE_MANAGER))
YARN_34: Final = SettingTable("fifo-3.4", (*CHOICE, *SIZES_34, PORT, *RESOURCE_MANAGER_34))


def yarn_table(era: str) -> SettingTable:
    """The settings of a release, `2.7` or `3.4`."""
    return YARN_34 if era == "3.4" else YARN_27
