"""Settings of yarn-site.xml that every scheduler of YARN reads, and those of the ResourceManager around it.

FifoScheduler reads no others: its tables are here.

Source: YarnConfiguration, Hadoop 2.7.2 and 3.4.1.
"""

from typing import Final

from msgspec.structs import replace

from engine.settings.table import Key, SettingEntry, SettingTable, rows

SCHEDULER_CLASS: Final = Key[str]("yarn.resourcemanager.scheduler.class")
ACL_ENABLE: Final = Key[bool]("yarn.acl.enable")
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
FULL_DISK: Final = "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage"
NODE_VCORES: Final = Key[int]("yarn.nodemanager.resource.cpu-vcores")

SCHEDULER_PACKAGE: Final = "org.apache.hadoop.yarn.server.resourcemanager.scheduler."
SCHEDULER_CLASSES: Final = {
    "fair": f"{SCHEDULER_PACKAGE}fair.FairScheduler",
    "capacity": f"{SCHEDULER_PACKAGE}capacity.CapacityScheduler",
    "fifo": f"{SCHEDULER_PACKAGE}fifo.FifoScheduler",
}

SLOW_START: Final = "mapreduce.job.reduce.slowstart.completedmaps"
"""Of a MapReduce job: the part of its maps that have ended before its reduces are asked for."""
MAXIMA: Final = (MAXIMUM_MB, MAXIMUM_VCORES)  # The largest container, by dimension

CHOICE: Final[tuple[SettingEntry, ...]] = rows(
    """
yarn.resourcemanager.scheduler.class | text | capacity | | ResourceManager#createScheduler
    The class of the scheduler: CapacityScheduler, FairScheduler or FifoScheduler.
yarn.acl.enable | flag | false | | YarnConfiguration.YARN_ACL_ENABLE
    Checks access lists of queues and applications.
yarn.resourcemanager.am.max-attempts | integer | 2 | | ResourceManager#validateConfigs | bounds=above 0
    The most attempts of an application; the application fails with the last one.
""",
)
"""The first settings that `schedlab get` lists."""

SIZES: Final[tuple[SettingEntry, ...]] = rows(
    """
yarn.scheduler.minimum-allocation-mb | integer | 1024 | MB
    | CapacityScheduler#validateConf, FairScheduler#validateConf, FifoScheduler#validateConf
    | bounds=0 to the largest container; above 0 for CapacityScheduler
    The smallest container; a smaller ask is rounded up to it.
yarn.scheduler.minimum-allocation-vcores | integer | 1 | vcores
    | CapacityScheduler#validateConf, FairScheduler#validateConf, FifoScheduler#validateConf
    | bounds=0 to the largest container; above 0 for CapacityScheduler
    The fewest vcores of a container; an ask for fewer is rounded up to it.
yarn.scheduler.maximum-allocation-mb | integer | 8192 | MB | AbstractYarnScheduler#initMaximumResourceCapability
    | bounds=at least the smallest container
    The largest container; an application that asks for more gets an error.
yarn.scheduler.maximum-allocation-vcores | integer | 32 | vcores | AbstractYarnScheduler#initMaximumResourceCapability
    | bounds=at least the smallest container
    The most vcores of a container; an application that asks for more gets an error.
""",
)
"""Smallest and largest container of 2.7.2."""

SIZES_34: Final[tuple[SettingEntry, ...]] = (*SIZES[:3], replace(SIZES[3], default="4"))  # The same of 3.4.1

PORT: Final[tuple[SettingEntry, ...]] = rows(
    """
yarn.scheduler.include-port-in-node-name | flag | false |
    | SchedulerUtils, FairSchedulerConfiguration#getUsePortForNodeName
    Names a node `host:port` where asks name nodes, so that several node managers of one host differ.
""",
)

RESOURCE_MANAGER: Final[tuple[SettingEntry, ...]] = rows(
    """
yarn.nm.liveness-monitor.expiry-interval-ms | long | 600000 | ms | NMLivelinessMonitor#serviceInit | bounds=above 0
    | listed=no
    The time without a heartbeat after which a node is lost.
yarn.resourcemanager.rm.container-allocation.expiry-interval-ms | long | 600000 | ms
    | ContainerAllocationExpirer#serviceInit | bounds=above 0 | listed=no
    The time within which a container that an application master fetched has to run; after it, it is taken back.
yarn.am.liveness-monitor.expiry-interval-ms | long | 600000 | ms | AMLivelinessMonitor#serviceInit | bounds=above 0
    | listed=no
    The time without a call of an application master after which its attempt fails.
yarn.resourcemanager.recovery.enabled | flag | false | | ResourceManager#serviceInit | listed=no
    Keeps applications in a state store, from which a ResourceManager that starts again recovers them.
yarn.resourcemanager.work-preserving-recovery.enabled | flag | true | | ResourceManager#serviceInit | listed=no
    Keeps containers running while a ResourceManager starts again; only with recovery.
yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms | long | 10000 | ms
    | RMContextImpl#isSchedulerReadyForAllocatingContainers | listed=no
    The time after its start in which a recovering ResourceManager allocates nothing, while nodes come back.
yarn.resourcemanager.connect.retry-interval.ms | long | 30000 | ms | RMProxy#createRetryPolicy | bounds=above 0
    | listed=no
    The time after which nodes, application masters and clients try a ResourceManager again.
yarn.resourcemanager.ha.enabled | flag | false | | HAUtil#isHAEnabled | listed=no
    Runs a pair of ResourceManagers, of which one is active.
yarn.resourcemanager.zk-timeout-ms | long | 10000 | ms | ActiveStandbyElectorBasedElectorService#serviceInit
    | bounds=above 0 | listed=no
    The time without a sign after which ZooKeeper gives up the active ResourceManager of a pair.
yarn.nodemanager.recovery.enabled | flag | false | | NodeManager#serviceInit | listed=no
    Lets a node manager that starts again find its containers, so that they run on.
yarn.resourcemanager.nodemanagers.heartbeat-interval-ms | long | 1000 | ms | ResourceTrackerService#serviceInit
    | listed=no
    The time between heartbeats of a node; here a node that is silent for some of them gets no containers.
yarn.nodemanager.resource.memory-mb | integer | 8192 | MB | NodeStatusUpdaterImpl#serviceInit | listed=no
    The memory that a node offers to containers.
yarn.nodemanager.resource.cpu-vcores | integer | 8 | vcores | NodeStatusUpdaterImpl#serviceInit | listed=no
    The vcores that a node offers to containers.
""",
)
"""Settings around the scheduler; `schedlab get` does not list them."""

RESOURCE_MANAGER_34: Final[tuple[SettingEntry, ...]] = tuple(
    replace(entry, default="900000") if entry.key == MASTER_EXPIRY else entry for entry in RESOURCE_MANAGER
)
"""The same of 3.4.1."""

YARN_27: Final = SettingTable("fifo", (*CHOICE, *SIZES, *PORT, *RESOURCE_MANAGER))
YARN_34: Final = SettingTable("fifo-3.4", (*CHOICE, *SIZES_34, *PORT, *RESOURCE_MANAGER_34))


def yarn_table(era: str) -> SettingTable:
    """The settings of a release, `2.7` or `3.4`."""
    return YARN_34 if era == "3.4" else YARN_27
