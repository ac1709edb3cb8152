"""Element names of fair-scheduler.xml: those Hadoop 2.7.2 reads, and what to say of others seen in real files."""

from collections.abc import Sequence

from engine.errors import nearest
from engine.schedulers.fair.queue_settings import QUEUE_SETTINGS

OLD_TOP = {
    "pool": "queue",
    "defaultQueueSchedulingMode": "defaultQueueSchedulingPolicy",
    "fairSharePreemptionTimeout": "defaultFairSharePreemptionTimeout",
}
"""Old names Hadoop still reads directly below `<allocations>`, and today's."""

OLD_IN_QUEUE = {"pool": "queue", "schedulingMode": "schedulingPolicy"}
"""Old names Hadoop still reads inside a queue, and today's."""

QUEUE_TAGS = frozenset({"queue", "pool"})
"""Elements that are a queue wherever queues may stand."""

CONTAINERS = frozenset({"allocations", "queue", "pool", "queuePlacementPolicy"})
"""Elements that hold elements only."""

ACCIDENTAL_QUEUE_TAGS = frozenset({"ueue", "eue", "ue", "e"})
"""Endings of "queue", which Hadoop takes for a queue inside a queue (`"queue".endsWith(tag)`)."""

RESERVATION_TEXTS = ("reservation-planner", "reservation-agent", "reservation-policy")

TOP_NAMES = (
    "queue",
    "user",
    "userMaxAppsDefault",
    "queueMaxAppsDefault",
    "queueMaxAMShareDefault",
    "defaultFairSharePreemptionTimeout",
    "defaultMinSharePreemptionTimeout",
    "defaultFairSharePreemptionThreshold",
    "defaultQueueSchedulingPolicy",
    "queuePlacementPolicy",
    *RESERVATION_TEXTS,
)
"""What may stand directly below `<allocations>`."""

QUEUE_NAMES = (*QUEUE_SETTINGS, "aclSubmitApps", "aclAdministerApps", "reservation", "queue")
"""What may stand in a queue."""

TOP_NAMES_34 = (*TOP_NAMES, "queueMaxResourcesDefault")
"""What may stand directly below `<allocations>` for Hadoop 3.4."""

QUEUE_NAMES_34 = (
    *QUEUE_NAMES,
    "maxChildResources",
    "maxContainerAllocation",
    "allowPreemptionFrom",
    "aclAdministerReservations",
    "aclListReservations",
    "aclSubmitReservations",
)
"""What may stand in a queue for Hadoop 3.4."""

_RENAMED = {
    "userMaxJobsDefault": "a MapReduce 1 name; userMaxAppsDefault is meant",
    "poolMaxJobsDefault": "a MapReduce 1 name; queueMaxAppsDefault is meant",
    "defaultPoolSchedulingMode": "a MapReduce 1 name; defaultQueueSchedulingPolicy is meant",
    "defaultSchedulingMode": "defaultQueueSchedulingPolicy is meant",
    "maxRunningJobs": "a MapReduce 1 name; maxRunningApps is meant",
    "minMaps": "a MapReduce 1 name; YARN has minResources",
    "minReduces": "a MapReduce 1 name; YARN has minResources",
    "maxMaps": "a MapReduce 1 name; YARN has maxResources",
    "maxReduces": "a MapReduce 1 name; YARN has maxResources",
    "minShare": "a name of Spark's pools; YARN has minResources",
    "preemptable": "Hadoop 3 has allowPreemptionFrom",
    "property": "properties belong into yarn-site.xml",
    "maxChildResources": "read by Hadoop 3 only",
    "maxContainerAllocation": "read by Hadoop 3 only",
    "allowPreemptionFrom": "read by Hadoop 3 only",
    "aclListReservations": "read by Hadoop 3 only",
    "aclSubmitReservations": "read by Hadoop 3 only",
    "queueMaxResourcesDefault": "read by Hadoop 3 only",
}


def unknown_element_hint(tag: str, valid: Sequence[str]) -> str:
    """What is probably meant by an element Hadoop 2.7.2 does not read; empty when nothing is alike."""
    return _RENAMED.get(tag) or nearest(tag, valid)
