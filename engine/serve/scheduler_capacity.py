"""`/scheduler` of CapacityScheduler.

Source: CapacitySchedulerInfo, CapacitySchedulerQueueInfo, CapacitySchedulerLeafQueueInfo, QueueCapacitiesInfo,
ResourcesInfo, UserInfo, Hadoop 2.7.2 and 3.4.1. Differs: the health of its last run is not simulated and is 0.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, NamedTuple

from engine.model.resource import MEMORY_MB, VCORES
from engine.schedulers.capacity.space import NOTHING, Amount
from engine.schedulers.capacity27.scheduler import CapacityScheduler27
from engine.schedulers.capacity34.scheduler import CapacityScheduler34
from engine.serve.capacity_facts import CapacityFacts, LeafFacts, PartitionFacts, UserFacts, capacity_facts, mode_of
from engine.serve.fields import ANY_SIZE, TYPE, Document, Field, Table, amount, constant, single, written
from engine.serve.served import ServedCluster

_LEAF_TYPE: Final = "capacitySchedulerLeafQueueInfo"
_LEAST: Final = 1e-8
"""A maximum below it is none. Source: CapacitySchedulerQueueInfo#EPSILON."""
_RUNS: Final = ("releases", "allocations", "reservations")


class ShownQueue(NamedTuple):
    """A queue, and what is not its own."""

    facts: CapacityFacts
    served: ServedCluster

    @property
    def default(self) -> PartitionFacts:
        """Its facts of the default partition."""
        return self.facts.default

    def amount(self, one: Amount, *, as_configured: bool = False) -> Document:
        """An amount in the form of the release."""
        sizes = self.served.sizes if as_configured else ANY_SIZE
        return amount(self.served.release, one[0], one[1], sizes)


class ShownPartition(NamedTuple):
    """A partition of a queue."""

    part: PartitionFacts
    queue: ShownQueue


class ShownUser(NamedTuple):
    """A user of a leaf."""

    user: UserFacts
    queue: ShownQueue


def percent(fraction: float) -> float:
    """A fraction as the servers write it [%]."""
    return single(fraction * 100)


def capped(fraction: float) -> float:
    """A fraction of a partition, which is never more than all of it [%]."""
    return percent(min(max(fraction, 0.0), 1.0))


def most(fraction: float) -> float:
    """A maximum, where none is all [%]."""
    return percent(1.0 if fraction < _LEAST or fraction > 1 else fraction)


def _of(read: str, shown: Callable[[float], float] = percent) -> Callable[[Any], float]:  # Any: what the table is of
    found = attrgetter(read)
    return lambda thing: shown(found(thing))


def _amount(read: str, *, as_configured: bool = False) -> Callable[[Any], Document]:  # Any: what the table is of
    found = attrgetter(read)

    def document(thing: Any) -> Document:  # Any: a queue, or a part of one
        queue: ShownQueue = thing if isinstance(thing, ShownQueue) else thing.queue
        return queue.amount(found(thing), as_configured=as_configured)

    return document


def vector_document(part: PartitionFacts) -> Document:
    """A capacity resource by resource."""
    names = (MEMORY_MB, VCORES)
    values = [f"{each.value}{each.kind}" for each in part.vector]
    entries = [{"resourceName": name, "resourceValue": value} for name, value in zip(names, values, strict=True)]
    text = ",".join(f"{name}={value}" for name, value in zip(names, values, strict=True))
    return {"configuredCapacityVector": f"[{text}]", "capacityVectorEntries": entries}


CAPACITY: Final[Table[ShownPartition]] = (
    Field("partitionName", attrgetter("part.label")),
    Field("queueCapacityVectorInfo", lambda shown: vector_document(shown.part)),
    Field("capacity", _of("part.capacity")),
    Field("usedCapacity", _of("part.used_ratio")),
    Field("maxCapacity", _of("part.maximum", most)),
    Field("absoluteCapacity", _of("part.absolute", capped)),
    Field("absoluteUsedCapacity", _of("part.absolute_used", capped)),
    Field("absoluteMaxCapacity", _of("part.absolute_maximum", capped)),
    Field("maxAMLimitPercentage", lambda shown: percent(shown.part.am_percent) if shown.queue.facts.leaf else 0.0),
    Field("weight", _of("part.weight", single)),
    Field("normalizedWeight", _of("part.normalised_weight", single)),
    Field("configuredMinResource", _amount("part.configured_minimum", as_configured=True)),
    Field("configuredMaxResource", _amount("part.configured_maximum", as_configured=True)),
    Field("effectiveMinResource", _amount("part.effective_minimum")),
    Field("effectiveMaxResource", _amount("part.effective_maximum")),
)


def _if_leaf(read: str) -> Callable[[ShownPartition], Document | None]:
    found = _amount(read)
    return lambda shown: found(shown) if shown.queue.facts.leaf is not None else None


USAGE: Final[Table[ShownPartition]] = (
    Field("partitionName", attrgetter("part.label")),
    Field("used", _amount("part.used")),
    Field("reserved", _amount("part.reserved")),
    Field("pending", _amount("part.pending")),
    Field("amUsed", _if_leaf("part.am_used")),
    Field("amLimit", _if_leaf("part.am_limit")),
    Field("userAmLimit", _if_leaf("part.user_am_limit")),
)


def _user_resources(shown: ShownUser) -> Document:
    user, queue = shown
    usage = {
        "partitionName": "",
        "used": queue.amount(user.used),
        "reserved": queue.amount(NOTHING),
        "pending": queue.amount(NOTHING),
        "amUsed": queue.amount(user.am_used),
        "amLimit": queue.amount(user.am_limit),
        "userAmLimit": queue.amount(NOTHING),
    }
    return {"resourceUsagesByPartition": [usage]}


USER: Final[Table[ShownUser]] = (
    Field("username", attrgetter("user.name")),
    Field("resourcesUsed", _amount("user.used")),
    Field("numPendingApplications", attrgetter("user.pending")),
    Field("numActiveApplications", attrgetter("user.active")),
    Field("AMResourceUsed", _amount("user.am_used")),
    Field("userResourceLimit", _amount("user.limit")),
    Field("resources", _user_resources, since_34=True),
    Field("userWeight", _of("user.weight", single), since_34=True),
    Field("isActive", attrgetter("user.is_active"), since_34=True),
)


def _partitions(table: Table[ShownPartition], name: str) -> Callable[[ShownQueue], Document]:
    def document(shown: ShownQueue) -> Document:
        parts = [ShownPartition(part, shown) for part in shown.facts.partitions]
        return {name: [written(table, part, shown.served.release) for part in parts]}

    return document


def _queues(shown: ShownQueue) -> Document | None:
    under = [shown._replace(facts=each) for each in shown.facts.children]
    return {"queue": [written(QUEUE, each, shown.served.release) for each in under]} if under else None


def _users(shown: ShownQueue) -> Document | None:
    if shown.facts.leaf is None:
        return None
    rows = [written(USER, ShownUser(each, shown), shown.served.release) for each in shown.facts.leaf.users]
    return {"user": rows} if rows else {}


def _acls(shown: ShownQueue) -> Document:
    administer, submit = shown.facts.acls
    everyone = (("ADMINISTER_QUEUE", administer), ("APPLICATION_MAX_PRIORITY", "*"), ("SUBMIT_APP", submit))
    return {"queueAcl": [{"accessType": kind, "accessControlList": text} for kind, text in everyone]}


def _of_leaf(read: Callable[[LeafFacts], object]) -> Callable[[ShownQueue], Any]:  # Any: a part of a document
    return lambda shown: None if shown.facts.leaf is None else read(shown.facts.leaf)


def _leaf_amount(read: str) -> Callable[[ShownQueue], Document | None]:
    found = attrgetter(read)
    return lambda shown: None if shown.facts.leaf is None else shown.amount(found(shown))


def _user_am_limit(shown: ShownQueue) -> Document | None:
    """That of its first user, or of the queue where there is none."""
    leaf = shown.facts.leaf
    if leaf is None:
        return None
    if shown.served.release.is_34:
        return shown.amount(leaf.users[0].am_limit if leaf.users else shown.default.am_limit)
    return shown.amount(shown.default.user_am_limit)


def _user_limit_percent(shown: ShownQueue) -> float | int | None:
    """Whole in 2.7.2."""
    leaf = shown.facts.leaf
    if leaf is None:
        return None
    return single(leaf.user_limit_percent) if shown.served.release.is_34 else int(leaf.user_limit_percent)


TEMPLATES: Final[Table[ShownQueue]] = (
    Field("autoQueueTemplateProperties", constant({}), since_34=True),
    Field("autoQueueParentTemplateProperties", constant({}), since_34=True),
    Field("autoQueueLeafTemplateProperties", constant({}), since_34=True),
)

KIND: Final[Table[ShownQueue]] = (
    Field("mode", lambda shown: mode_of(shown.facts), since_34=True),
    Field("queueType", lambda shown: "parent" if shown.facts.leaf is None else "leaf", since_34=True),
    Field("creationMethod", attrgetter("facts.creation"), since_34=True),
    Field("autoCreationEligibility", attrgetter("facts.eligibility"), since_34=True),
    *TEMPLATES,
)

LEAF: Final[Table[ShownQueue]] = (
    Field("numActiveApplications", _of_leaf(attrgetter("active"))),
    Field("numPendingApplications", _of_leaf(attrgetter("pending"))),
    Field("numContainers", lambda shown: sum(shown.facts.containers[:2]) if shown.facts.leaf else None),
    Field("maxApplications", _of_leaf(attrgetter("most"))),
    Field("maxApplicationsPerUser", _of_leaf(attrgetter("most_per_user"))),
    Field("userLimit", _user_limit_percent),
    Field("users", _users),
    Field("userLimitFactor", _of_leaf(lambda leaf: single(leaf.user_limit_factor))),
    Field("configuredMaxAMResourceLimit", _of_leaf(lambda leaf: single(leaf.am_percent)), since_34=True),
    Field("AMResourceLimit", _leaf_amount("default.am_limit")),
    Field("usedAMResource", _leaf_amount("default.am_used")),
    Field("userAMResourceLimit", _user_am_limit),
    Field("preemptionDisabled", _of_leaf(attrgetter("preemption_disabled"))),
    Field("intraQueuePreemptionDisabled", _of_leaf(attrgetter("within_disabled")), since_34=True),
    Field("defaultPriority", _of_leaf(attrgetter("default_priority")), since_34=True),
    Field("isAutoCreatedLeafQueue", _of_leaf(attrgetter("is_auto_created")), since_34=True),
    Field("maxApplicationLifetime", _of_leaf(attrgetter("longest_s")), since_34=True),
    Field("defaultApplicationLifetime", _of_leaf(attrgetter("default_s")), since_34=True),
)

QUEUE: Final[Table[ShownQueue]] = (
    Field(TYPE, lambda shown: None if shown.facts.leaf is None else _LEAF_TYPE),
    Field("queuePath", attrgetter("facts.path")),
    Field("capacity", _of("default.capacity")),
    Field("usedCapacity", _of("default.used_ratio")),
    Field("maxCapacity", _of("default.maximum", most)),
    Field("absoluteCapacity", _of("default.absolute", capped)),
    Field("absoluteMaxCapacity", _of("default.absolute_maximum", capped)),
    Field("absoluteUsedCapacity", _of("default.absolute_used", capped)),
    Field("weight", _of("default.weight", single), since_34=True),
    Field("normalizedWeight", _of("default.normalised_weight", single), since_34=True),
    Field("numApplications", attrgetter("facts.applications")),
    Field("maxParallelApps", attrgetter("facts.most_parallel"), since_34=True),
    Field("queueName", lambda shown: shown.facts.path.rpartition(".")[2]),
    Field("isAbsoluteResource", attrgetter("facts.is_absolute"), since_34=True),
    Field("state", attrgetter("facts.state")),
    Field("queues", _queues),
    Field("resourcesUsed", _amount("default.used")),
    Field("hideReservationQueues", constant(False)),
    Field("nodeLabels", lambda shown: list(shown.facts.labels) or None),
    Field("allocatedContainers", lambda shown: shown.facts.containers[0], since_34=True),
    Field("reservedContainers", lambda shown: shown.facts.containers[1], since_34=True),
    Field("pendingContainers", lambda shown: shown.facts.containers[2], since_34=True),
    Field("capacities", _partitions(CAPACITY, "queueCapacitiesByPartition"), since_34=True),
    Field("resources", _partitions(USAGE, "resourceUsagesByPartition"), since_34=True),
    Field("minEffectiveCapacity", _amount("default.effective_minimum"), since_34=True),
    Field("maxEffectiveCapacity", _amount("default.effective_maximum"), since_34=True),
    Field("maximumAllocation", _amount("facts.largest"), since_34=True),
    Field("queueAcls", _acls, since_34=True),
    Field("queuePriority", attrgetter("facts.priority"), since_34=True),
    Field("orderingPolicyInfo", attrgetter("facts.ordering"), since_34=True),
    Field("autoCreateChildQueueEnabled", lambda shown: shown.facts.eligibility == "legacy", since_34=True),
    Field("leafQueueTemplate", constant({}), since_34=True),
    *KIND,
    *LEAF,
)


def _health(shown: ShownQueue) -> Document:
    nothing = shown.amount(NOTHING)
    return {
        "lastrun": shown.served.now_ms,
        "operationsInfo": [
            {"operation": f"last-{name}", "nodeId": "N/A", "containerId": "N/A", "queue": "N/A"}
            for name in ("allocation", "release", "preemption", "reservation")
        ],
        "lastRunDetails": [{"operation": name, "count": 0, "resources": nothing} for name in _RUNS],
    }


ROOT: Final[Table[ShownQueue]] = (
    Field(TYPE, constant("capacityScheduler")),
    Field("capacity", _of("default.capacity")),
    Field("usedCapacity", _of("default.used_ratio")),
    Field("maxCapacity", _of("default.maximum", most)),
    Field("weight", _of("default.weight", single), since_34=True),
    Field("normalizedWeight", _of("default.normalised_weight", single), since_34=True),
    Field("queueCapacityVectorInfo", lambda shown: vector_document(shown.default), since_34=True),
    Field("queueName", constant("root")),
    Field("queuePath", constant("root"), since_34=True),
    Field("maxParallelApps", attrgetter("facts.most_parallel"), since_34=True),
    Field("isAbsoluteResource", attrgetter("facts.is_absolute"), since_34=True),
    Field("queues", _queues),
    Field("capacities", _partitions(CAPACITY, "queueCapacitiesByPartition"), since_34=True),
    Field("health", _health, since_34=True),
    Field("maximumAllocation", _amount("facts.largest"), since_34=True),
    Field("queueAcls", _acls, since_34=True),
    Field("queuePriority", attrgetter("facts.priority"), since_34=True),
    Field("orderingPolicyInfo", attrgetter("facts.ordering"), since_34=True),
    *KIND,
)


def capacity_scheduler(served: ServedCluster) -> Document:
    """Write `schedulerInfo`."""
    policy = served.rm.scheduler.policy
    assert isinstance(policy, CapacityScheduler27 | CapacityScheduler34), "a capacity scheduler is asked"
    return written(ROOT, ShownQueue(capacity_facts(policy), served), served.release)
