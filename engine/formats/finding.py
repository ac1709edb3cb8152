"""Findings about configuration files: settings that hurt, the way out, and where Hadoop does it."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

import msgspec

from engine.errors import Problem
from engine.formats.hadoop_configuration import HadoopConfiguration

Severity = Literal["error", "warning", "note"]
"""`error`: nothing runs, or nothing is taken; `warning`: somebody waits or is let in; `note`: it has no effect."""


class LintRule(NamedTuple):
    """A rule that finds settings that hurt."""

    source: str  # Where Hadoop does it
    severity: Severity = "warning"
    no_witness: str = ""  # Why no scenario shows somebody who waits; empty where one does


_LET_IN: Final = "somebody is let in, and nobody waits"

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
    "one-attempt": LintRule("RMAppImpl.AttemptFailedTransition", no_witness="only with a master that fails"),
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
    "default-queue-passed-by": LintRule(
        "AllocationFileLoaderService, QueuePlacementRule.User", no_witness="it runs, in another queue"
    ),
    "priority-capped": LintRule("RMAppManager, AbstractYarnScheduler#checkAndGetApplicationPriority"),
    "root-runs-as-many": LintRule("AllocationConfiguration#getQueueMaxApps, MaxRunningAppsEnforcer#canAppBeRunnable"),
    "blank-in-list": LintRule("AccessControlList#buildACL"),
    "never-starved": LintRule("FSLeafQueue#isStarvedForFairShare"),
    "node-below-minimum": LintRule("ResourceTrackerService#registerNodeManager", "error"),
    "minimum-fills-node": LintRule("ResourceCalculator#normalize"),
    "minimum-above-maximum": LintRule("YarnScheduler#validateConf", "error", "no ResourceManager starts"),
    "no-default-queue": LintRule("CapacityScheduler#addApplication"),
    "places-refused": LintRule("QueuePlacementPolicy#assignAppToQueue"),
    "no-parallel-application": LintRule("CSMaxRunningAppsEnforcer#canAppBeRunnable", "error"),
    "queue-of-nothing": LintRule("AbstractCSQueue#canAssignToThisQueue", "error"),
    "acl-off": LintRule("QueueACLsManager#checkAccess, ApplicationACLsManager", no_witness=_LET_IN),
    "acl-open": LintRule(
        "RMAppManager, AbstractCSQueue#hasAccess, CapacitySchedulerConfiguration#getAcls", no_witness=_LET_IN
    ),
    "one-user-limit": LintRule("LeafQueue#computeUserLimit"),
    "vcores-ignored": LintRule("DefaultResourceCalculator", no_witness="work is slower, and nobody waits"),
    "mapreduce-1": LintRule("CapacitySchedulerConf, FairScheduler of Hadoop 1", "error", "YARN reads no such file"),
}
"""Name → rule."""


class NodeSizes(NamedTuple):
    """Nodes alike; 0 of them where only their size is known."""

    nodes: int
    memory_mb: int
    vcores: int


class Finding(msgspec.Struct, frozen=True):
    """A setting that hurts."""

    rule: str  # A name of `RULES`
    source: str
    problem: Problem
    values: dict[str, float] = {}  # What a scenario that shows it needs: memory [MB], counts, shares
    severity: Severity = "warning"


def finding_of(rule: str, problem: Problem, **values: float) -> Finding:
    """A finding of a rule."""
    return Finding(rule, RULES[rule].source, problem, values, RULES[rule].severity)


def found_at(settings: HadoopConfiguration, rule: str, key: str, message: str, fix: str, **values: float) -> Finding:
    """A finding where a key stands."""
    file, line = settings.places.get(key, ("", 0))
    return finding_of(rule, Problem(message, file, line, key, fix), **values)
