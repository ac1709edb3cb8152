"""Findings about configuration files: settings that hurt, the way out, and where Hadoop does it."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

import msgspec

from engine.errors import Problem
from engine.formats.hadoop_configuration import HadoopConfiguration

Severity = Literal["error", "warning", "note"]
"""`error`: nothing runs, or nothing is taken; `warning`: somebody waits or is let in; `note`: it has no effect."""


class Rule(NamedTuple):
    """A rule that finds settings that hurt."""

    source: str  # Where Hadoop does it
    severity: Severity = "warning"


RULES: Final[Mapping[str, Rule]] = {
    "maximum-above-node": Rule("AbstractYarnScheduler#updateMaximumAllocation"),
    "reservations": Rule("FSAppAttempt#assignContainer, LeafQueue#assignContainer"),
    "vcores-above-node": Rule("AbstractYarnScheduler#updateMaximumAllocation"),
    "minimums-above-cluster": Rule("FairSharePolicy, ComputeFairShares"),
    "masters-too-large": Rule("FSLeafQueue#canRunAppAM", "error"),
    "masters-unlimited": Rule("FSLeafQueue#canRunAppAM, LeafQueue#activateApplications"),
    "reservable-nodes": Rule("FSAppAttempt#reservationExceedsThreshold"),
    "preemption-never": Rule("FSQueue#updatePreemptionVariables"),
    "preemption-threshold": Rule("FairScheduler#shouldAttemptPreemption"),
    "preemption-off": Rule("SchedulingMonitor, RMActiveServices#createPolicyMonitors", "note"),
    "preemption-observes": Rule("ProportionalCapacityPreemptionPolicy#editSchedule"),
    "preemption-forbidden": Rule(
        "ProportionalCapacityPreemptionPolicy, AbstractCSQueue#isQueueHierarchyPreemptionDisabled"
    ),
    "preemption-nothing": Rule("ProportionalCapacityPreemptionPolicy"),
    "balance-never": Rule("ProportionalCapacityPreemptionPolicy#preemptOrkillSelectedContainerAfterWait"),
    "no-partition-capacity": Rule("AbstractCSQueue#canAssignToThisQueue, QueueCapacities", "error"),
    "default-label-barred": Rule("SchedulerUtils#validateResourceRequest", "error"),
    "container-above-maximum": Rule("SchedulerUtils#validateResourceRequest", "error"),
    "root-runs-as-many": Rule("AllocationConfiguration#getQueueMaxApps, MaxRunningAppsEnforcer#canAppBeRunnable"),
    "blank-in-list": Rule("AccessControlList#buildACL"),
    "never-starved": Rule("FSLeafQueue#isStarvedForFairShare"),
    "node-below-minimum": Rule("ResourceTrackerService#registerNodeManager", "error"),
    "minimum-fills-node": Rule("ResourceCalculator#normalize"),
    "minimum-above-maximum": Rule("YarnScheduler#validateConf", "error"),
    "no-default-queue": Rule("CapacityScheduler#addApplication"),
    "places-refused": Rule("QueuePlacementPolicy#assignAppToQueue"),
    "no-parallel-application": Rule("CSMaxRunningAppsEnforcer#canAppBeRunnable", "error"),
    "queue-of-nothing": Rule("AbstractCSQueue#canAssignToThisQueue", "error"),
    "acl-off": Rule("QueueACLsManager#checkAccess, ApplicationACLsManager"),
    "acl-open": Rule("RMAppManager, AbstractCSQueue#hasAccess, CapacitySchedulerConfiguration#getAcls"),
    "one-user-limit": Rule("LeafQueue#computeUserLimit"),
    "vcores-ignored": Rule("DefaultResourceCalculator"),
    "mapreduce-1": Rule("CapacitySchedulerConf, FairScheduler of Hadoop 1", "error"),
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
