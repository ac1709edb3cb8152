"""Findings about configuration files: settings that hurt, the way out, and where Hadoop does it."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

import msgspec

from engine.errors import Problem
from engine.formats.hadoop_configuration import HadoopConfiguration

Severity = Literal["error", "warning", "note"]
"""`error`: nothing runs, or nothing is taken; `warning`: an application waits or is let in; `note`: it has no
effect."""


class LintRule(NamedTuple):
    source: str  # Where Hadoop does it
    severity: Severity = "warning"
    no_witness: str = ""  # Why no scenario shows a wait; empty where one does


_LET_IN: Final = "a user is let in, and nothing waits"

RULES: Final[Mapping[str, LintRule]] = {
    "maximum-above-node": LintRule("AbstractYarnScheduler#updateMaximumAllocation"),
    "reservations": LintRule("FSAppAttempt#assignContainer, LeafQueue#assignContainer"),
    "vcores-above-node": LintRule("AbstractYarnScheduler#updateMaximumAllocation"),
    "minimums-above-cluster": LintRule("FairSharePolicy, ComputeFairShares"),
    "masters-too-large": LintRule("FSLeafQueue#canRunAppAM", "error"),
    "masters-unlimited": LintRule("FSLeafQueue#canRunAppAM, LeafQueue#activateApplications"),
    "reservable-nodes": LintRule("FSAppAttempt#reservationExceedsThreshold"),
    "preemption-never": LintRule("FSQueue#updatePreemptionVariables"),
    "preemption-threshold": LintRule("FairScheduler#shouldAttemptPreemption"),
    "preemption-off": LintRule("SchedulingMonitor, RMActiveServices#createPolicyMonitors", "note"),
    "preemption-observes": LintRule("ProportionalCapacityPreemptionPolicy#editSchedule"),
    "preemption-forbidden": LintRule(
        "ProportionalCapacityPreemptionPolicy, AbstractCSQueue#isQueueHierarchyPreemptionDisabled,"
        " FSQueue#isPreemptable"
    ),
    "no-queues": LintRule("CapacityScheduler#initializeQueues", "error", "no ResourceManager starts"),
    "no-start": LintRule("ResourceManager#validateConfigs", "error", "no ResourceManager starts"),
    "no-number": LintRule("Configuration#getInt, #getFloat", "error", "nothing starts"),
    "no-service": LintRule("AuxServices#serviceInit", "error", "no NodeManager starts"),
    "service-not-named": LintRule("AuxServices#serviceInit", no_witness="services of nodes are not simulated"),
    "no-shuffle": LintRule("AuxServices, ContainerManagerImpl", no_witness="services of nodes are not simulated"),
    "no-pair": LintRule("HAUtil#verifyAndSetConfiguration", "error", "no ResourceManager starts"),
    "no-processors": LintRule("NodeManagerHardwareUtils", "error", "no NodeManager starts"),
    "nothing-recovered": LintRule("RMStateStoreFactory, Master", no_witness="only where a manager ends"),
    "no-framework": LintRule("Cluster, YarnClientProtocolProvider", "error", "no job is submitted"),
    "slots-of-mapreduce-1": LintRule("NodeStatusUpdaterImpl", "note", "nobody reads it"),
    "reduces-never": LintRule("RMContainerAllocator#scheduleReduces", "error", "a part above 1 is no scenario"),
    "attempts-capped": LintRule("RMAppImpl", "note", "only with a master that fails"),
    "no-such-queue": LintRule("CapacityScheduler#addApplication", "error", "it is refused, and waits for nothing"),
    "memory-limit": LintRule("ContainersMonitorImpl", no_witness="what a process uses is not simulated"),
    "masters-given-up": LintRule("AMLivelinessMonitor", no_witness="calls of masters come in time here"),
    "preemption-part": LintRule("ProportionalCapacityPreemptionPolicy", no_witness="it is preempted sooner"),
    "one-attempt": LintRule("RMAppImpl.AttemptFailedTransition", no_witness="only with a master that fails"),
    "disks-called-bad": LintRule("LocalDirsHandlerService, DirectoryCollection", no_witness="disks are not simulated"),
    "preemption-nothing": LintRule("ProportionalCapacityPreemptionPolicy"),
    "preemption-round": LintRule("ProportionalCapacityPreemptionPolicy, CapacitySchedulerPreemptionUtils"),
    "preemption-ignores": LintRule("PreemptableResourceCalculator, ProportionalCapacityPreemptionPolicy"),
    "preemption-slow": LintRule("ProportionalCapacityPreemptionPolicy, FSLeafQueue, FairScheduler#warnOrKillContainer"),
    "preemption-idle": LintRule("ProportionalCapacityPreemptionPolicy", "note", "nothing could be taken anyway"),
    "preemption-of-no-user": LintRule("FifoIntraQueuePreemptionPlugin"),
    "balance-never": LintRule("ProportionalCapacityPreemptionPolicy#preemptOrkillSelectedContainerAfterWait"),
    "no-partition-capacity": LintRule("AbstractCSQueue#canAssignToThisQueue, QueueCapacities", "error"),
    "container-above-maximum": LintRule("SchedulerUtils#validateResourceRequest", "error"),
    "heap-above-container": LintRule("ContainersMonitorImpl", no_witness="what a process uses is not simulated"),
    "heap-no-size": LintRule("MapReduceChildJVM, YARNRunner", "error", "no process starts"),
    "default-queue-passed-by": LintRule(
        "AllocationFileLoaderService, QueuePlacementRule.User", no_witness="it runs, in another queue"
    ),
    "priority-capped": LintRule("RMAppManager, AbstractYarnScheduler#checkAndGetApplicationPriority"),
    "root-runs-as-many": LintRule("AllocationConfiguration#getQueueMaxApps, MaxRunningAppsEnforcer#canAppBeRunnable"),
    "root-uses-as-much": LintRule("AllocationConfiguration#getMaxResources, FSQueue#setMaxShare"),
    "blank-in-list": LintRule("AccessControlList#buildACL"),
    "never-starved": LintRule("FSLeafQueue#isStarvedForFairShare"),
    "node-below-minimum": LintRule("ResourceTrackerService#registerNodeManager", "error"),
    "minimum-fills-node": LintRule("ResourceCalculator#normalize"),
    "masters-of-nothing": LintRule("RMAppManager", no_witness="what a process uses is not simulated"),
    "minimum-above-maximum": LintRule("YarnScheduler#validateConf", "error", "no ResourceManager starts"),
    "no-default-queue": LintRule("CapacityScheduler#addApplication"),
    "places-refused": LintRule("QueuePlacementPolicy#assignAppToQueue"),
    "no-parallel-application": LintRule("CSMaxRunningAppsEnforcer#canAppBeRunnable", "error"),
    "queue-of-nothing": LintRule("AbstractCSQueue#canAssignToThisQueue, FSQueue#assignContainerPreCheck", "error"),
    "acl-off": LintRule("QueueACLsManager#checkAccess, ApplicationACLsManager", no_witness=_LET_IN),
    "acl-open": LintRule(
        "RMAppManager, AbstractCSQueue#hasAccess, CapacitySchedulerConfiguration#getAcls", no_witness=_LET_IN
    ),
    "one-user-limit": LintRule("LeafQueue#computeUserLimit"),
    "vcores-ignored": LintRule("DefaultResourceCalculator", no_witness="work is slower, and nothing waits"),
    "mapreduce-1": LintRule("CapacitySchedulerConf, FairScheduler of Hadoop 1", "error", "YARN reads no such file"),
    "only-hadoop-1": LintRule(
        "CapacitySchedulerConf, FairScheduler of Hadoop 1", "note", "it is read, by a JobTracker"
    ),
    "no-slots": LintRule("TaskTracker", "error"),
    "early-reduces": LintRule("JobInProgress#scheduleReduces"),
    "long-locality-delay": LintRule("FairScheduler#getAllowedLocalityLevel"),
    "memory-not-matched": LintRule("MemoryMatcher, CapacityTaskScheduler", "note", "tasks run, and share memory"),
    "task-preemption-off": LintRule("FairScheduler#preemptTasksIfNecessary"),
    "task-preemption-never": LintRule("FairScheduler#tasksToPreempt, PoolManager"),
    "task-preemption-logs": LintRule("FairScheduler#preemptTasksIfNecessary"),
    "pool-of-nothing": LintRule("FairScheduler#updateRunnability, PoolSchedulable", "error"),
    "minimums-above-slots": LintRule("SchedulingAlgorithms.FairShareComparator"),
    "minimum-above-pool": LintRule("PoolManager, PoolSchedulable", no_witness="it runs up to its maximum"),
    "task-queues-refused": LintRule("CapacityTaskScheduler#parseQueues", "error", "no JobTracker starts"),
    "one-task-at-a-time": LintRule("CapacityTaskScheduler#addMapTasks", no_witness="it runs, map by map"),
    "one-job-at-a-time": LintRule("CapacitySchedulerQueue, JobInitializationPoller"),
    "one-user-of-tasks": LintRule("CapacitySchedulerQueue#assignSlotsToJob"),
    "memory-without-unit": LintRule("Utils#memoryStringToMb, WorkerArguments", "error", "no process starts"),
    "executor-above-worker": LintRule("Master#canLaunchExecutor, Client#verifyClusterResources", "error"),
    "task-above-executor": LintRule("ResourceUtils#validateTaskCpusLargeEnough", "error", "no application starts"),
    "driver-above-worker": LintRule("Master#canLaunchDriver", "error"),
    "maximum-below-executor": LintRule("Master#startExecutorsOnWorkers", "error"),
    "executors-above-maximum": LintRule("Master#schedule", "note", "it runs, on fewer executors"),
    "cores-left-over": LintRule("Master#scheduleExecutorsOnWorkers", "note", "it runs, on fewer cores"),
    "cores-unlimited": LintRule("ApplicationInfo, Deploy.DEFAULT_CORES"),
    "instances-ignored": LintRule("StandaloneSchedulerBackend", "note", "it runs, on other executors"),
    "least-above-most": LintRule("ExecutorAllocationManager#validateSettings", "error", "no application starts"),
    "executors-of-whole-workers": LintRule("Master#scheduleExecutorsOnWorkers"),
    "least-fills-cluster": LintRule("ExecutorAllocationManager, ExecutorMonitor"),
    "idle-executors-kept": LintRule("ExecutorMonitor, config.DYN_ALLOCATION_EXECUTOR_IDLE_TIMEOUT"),
    "cached-executors-kept": LintRule(
        "config.DYN_ALLOCATION_CACHED_EXECUTOR_IDLE_TIMEOUT", "note", "no block is cached under a Spark Master here"
    ),
    "no-shuffle-service": LintRule(
        "ExecutorAllocationManager#validateSettings", no_witness="no application starts, before Spark 3.4"
    ),
    "no-recovery": LintRule("Master, SparkCuratorUtil", "error", "no Master starts"),
    "workers-share-cores": LintRule("WorkerArguments", no_witness="machines are not simulated, workers are"),
    "failing-for-ever": LintRule("Master, Deploy.MAX_EXECUTOR_RETRIES", no_witness="it ends what always fails"),
    "drivers-unlimited": LintRule("Master#schedule, Deploy.MAX_DRIVERS"),
}
"""Name → rule."""


class NodeSizes(NamedTuple):
    """Nodes alike; 0 of them where only their size is known."""

    nodes: int
    memory_mb: int
    vcores: int


class Finding(msgspec.Struct, frozen=True):
    rule: str  # A name of `RULES`
    source: str
    problem: Problem
    values: dict[str, float] = {}  # What a scenario that shows it needs: memory [MB], counts, shares
    severity: Severity = "warning"


def finding_of(rule: str, problem: Problem, **values: float) -> Finding:
    return Finding(rule, RULES[rule].source, problem, values, RULES[rule].severity)


def found_at(settings: HadoopConfiguration, rule: str, key: str, message: str, fix: str, **values: float) -> Finding:
    return finding_of(rule, settings.problem(key, message, fix), **values)
