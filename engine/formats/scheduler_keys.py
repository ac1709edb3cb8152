"""Keys of yarn-site.xml that the fair and FIFO schedulers of Hadoop 2.7.2 read, with the defaults of its code."""

from collections.abc import Iterable, Mapping
from typing import Final

from engine.errors import Problem
from engine.formats.problems import nearest

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

_HADOOP_3 = (
    "yarn.scheduler.fair.dynamic.max.assign",
    "yarn.scheduler.fair.reservable-nodes",
    "yarn.scheduler.fair.am.preemption",
)


def unknown_keys(keys: Iterable[str], places: Mapping[str, tuple[str, int]]) -> list[Problem]:
    """A warning for every key of the fair scheduler that no Hadoop 2.7.2 reads."""
    found: list[Problem] = []
    for key in keys:
        if not key.startswith(FAIR_PREFIX) or key in DEFAULTS:
            continue
        file, line = places.get(key, ("", 0))
        hint = "read by Hadoop 3 only" if key in _HADOOP_3 else nearest(key, DEFAULTS)
        found.append(Problem("unknown key: Hadoop ignores it", file, line, key, hint))
    return found
