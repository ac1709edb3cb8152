"""Keys of yarn-site.xml that the fair and FIFO schedulers of Hadoop read, with the defaults of its code."""

from collections.abc import Iterable, Mapping
from typing import Final

from engine.errors import Problem, nearest

FAIR_PREFIX: Final = "yarn.scheduler.fair."

DEFAULTS: Final[Mapping[str, str]] = {
    "yarn.resourcemanager.scheduler.class": "capacity",
    "yarn.acl.enable": "false",
    "yarn.resourcemanager.am.max-attempts": "2",
    "yarn.scheduler.minimum-allocation-mb": "1024",
    "yarn.scheduler.minimum-allocation-vcores": "1",
    "yarn.scheduler.maximum-allocation-mb": "8192",
    "yarn.scheduler.maximum-allocation-vcores": "32",
    "yarn.scheduler.increment-allocation-mb": "1024",
    "yarn.scheduler.increment-allocation-vcores": "1",
    "yarn.scheduler.include-port-in-node-name": "false",
    "yarn.scheduler.fair.allocation.file": "fair-scheduler.xml",
    "yarn.scheduler.fair.allow-undeclared-pools": "true",
    "yarn.scheduler.fair.user-as-default-queue": "true",
    "yarn.scheduler.fair.preemption": "false",
    "yarn.scheduler.fair.preemption.cluster-utilization-threshold": "0.8",
    "yarn.scheduler.fair.preemptionInterval": "5000",
    "yarn.scheduler.fair.waitTimeBeforeKill": "15000",
    "yarn.scheduler.fair.assignmultiple": "false",
    "yarn.scheduler.fair.max.assign": "-1",
    "yarn.scheduler.fair.sizebasedweight": "false",
    "yarn.scheduler.fair.locality.threshold.node": "-1.0",
    "yarn.scheduler.fair.locality.threshold.rack": "-1.0",
    "yarn.scheduler.fair.locality-delay-node-ms": "-1",
    "yarn.scheduler.fair.locality-delay-rack-ms": "-1",
    "yarn.scheduler.fair.continuous-scheduling-enabled": "false",
    "yarn.scheduler.fair.continuous-scheduling-sleep-ms": "5",
    "yarn.scheduler.fair.update-interval-ms": "500",
    "yarn.scheduler.fair.event-log-enabled": "false",
}
"""Key → default as text, in the order they are shown. Source: YarnConfiguration, FairSchedulerConfiguration."""

_PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption."

CAPACITY: Final[Mapping[str, str]] = {
    "yarn.node-labels.enabled": "false",
    "yarn.resourcemanager.scheduler.monitor.enable": "false",
    f"{_PREEMPTION}observe_only": "false",
    f"{_PREEMPTION}monitoring_interval": "3000",
    f"{_PREEMPTION}max_wait_before_kill": "15000",
    f"{_PREEMPTION}total_preemption_per_round": "0.1",
    f"{_PREEMPTION}max_ignored_over_capacity": "0.1",
    f"{_PREEMPTION}natural_termination_factor": "0.2",
}
"""The same of the capacity scheduler; alike in both releases. Source: CapacitySchedulerConfiguration."""

_REMOVED_IN_3: Final = ("yarn.scheduler.fair.preemptionInterval", "yarn.scheduler.fair.event-log-enabled")

DEFAULTS_34: Final[Mapping[str, str]] = {
    **{key: text for key, text in DEFAULTS.items() if key not in _REMOVED_IN_3},
    "yarn.scheduler.maximum-allocation-vcores": "4",
    "yarn.scheduler.reservation-threshold.increment-multiple": "2.0",
    "yarn.scheduler.fair.dynamic.max.assign": "true",
    "yarn.scheduler.fair.reservable-nodes": "0.05",
    "yarn.scheduler.fair.am.preemption": "true",
    "yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck": "10000",
}
"""The same for Hadoop 3.4.1."""

_OF_QUEUES = "yarn.scheduler.fair.am.preemption."


def defaults_of(era: str) -> Mapping[str, str]:
    """Key → default of a release."""
    return DEFAULTS_34 if era == "3.4" else DEFAULTS


def unknown_keys(keys: Iterable[str], places: Mapping[str, tuple[str, int]], era: str) -> list[Problem]:
    """A warning for every key of the fair scheduler that this release does not read."""
    known = defaults_of(era)
    others = DEFAULTS if era == "3.4" else DEFAULTS_34
    found: list[Problem] = []
    for key in keys:
        if not key.startswith(FAIR_PREFIX) or key in known or (era == "3.4" and key.startswith(_OF_QUEUES)):
            continue
        file, line = places.get(key, ("", 0))
        other = "2.7" if era == "3.4" else "3"
        hint = f"read by Hadoop {other} only" if key in others else nearest(key, known)
        found.append(Problem("unknown key: Hadoop ignores it", file, line, key, hint))
    return found
