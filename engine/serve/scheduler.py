"""`/scheduler`: the queues of CapacityScheduler, FairScheduler and FIFO, each release in its own words.

Source: CapacitySchedulerInfo, CapacitySchedulerQueueInfo, CapacitySchedulerLeafQueueInfo, QueueCapacitiesInfo,
ResourcesInfo, UserInfo, FairSchedulerQueueInfo, FairSchedulerLeafQueueInfo, FifoSchedulerInfo, Hadoop 2.7.2 and 3.4.1.
Differs: in the answer to `/scheduler`, `health`, the counts of the scheduler's last run, is 0 throughout.
"""

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Final, NamedTuple

from engine.model.ledger import Attempt, Node
from engine.model.request import MEMORY_MB, VCORES
from engine.observe.documents import Document
from engine.schedulers.capacity.space import NOTHING, Amount
from engine.schedulers.capacity27.calculators import PartitionResources27
from engine.schedulers.capacity27.configuration import NO_LABEL
from engine.schedulers.capacity27.evaluation import (
    absolute_used,
    am_limit,
    capacity_in,
    used_capacity,
    user_am_limit,
    user_limit,
)
from engine.schedulers.capacity27.queues import CapacityQueue27, LeafState27
from engine.schedulers.capacity27.scheduler import CapacityScheduler27
from engine.schedulers.capacity34.capacity_text import ABSOLUTE, PERCENTAGE, Vector, kinds, uniform
from engine.schedulers.capacity34.leaf import user_am_limit as user_am_limit_34
from engine.schedulers.capacity34.queue import CapacityQueue, Leaf
from engine.schedulers.capacity34.scheduler import CapacityScheduler34
from engine.schedulers.capacity34.users import LeafUser, Share
from engine.schedulers.fair.schedulable import FairLeaf, FairParent, FairQueue
from engine.schedulers.fair27.scheduler import FairScheduler27
from engine.schedulers.fair34.scheduler import FairScheduler34
from engine.serve.served import ServedCluster
from engine.serve.wire import (
    ANY_SIZE,
    RELEASE_27,
    RELEASE_34,
    TYPE,
    Field,
    Repeated,
    Table,
    amount,
    constant,
    null_pointer,
    single,
    written,
)

_LEAF_TYPE: Final = "capacitySchedulerLeafQueueInfo"
_LEAST: Final = 1e-8  # A maximum below it is none. Source: CapacitySchedulerQueueInfo#EPSILON.


def capacity_scheduler(served: ServedCluster) -> Document:
    policy = served.rm.scheduler.policy
    if isinstance(policy, CapacityScheduler27):
        return _root_27(policy.space, policy.tree.root)
    assert isinstance(policy, CapacityScheduler34), "a capacity scheduler is asked"
    return Page34(policy, served).root(policy.tree.root)


def percent(fraction: float) -> float:
    """A fraction as the servers write it [%]."""
    return single(fraction * 100)


def capped(fraction: float) -> float:
    """A fraction of a partition, which is never more than all of it [%]."""
    return percent(min(max(fraction, 0.0), 1.0))


def most(fraction: float) -> float:
    """A maximum, where none is all [%]."""
    return percent(1.0 if fraction < _LEAST or fraction > 1 else fraction)


# ---------------------------------------------------------------- 2.7.2


def _amount(one: Amount) -> Document:
    return amount(RELEASE_27, *one)


def _root_27(space: PartitionResources27, root: CapacityQueue27) -> Document:
    has = capacity_in(root, NO_LABEL)
    return {
        TYPE: "capacityScheduler",
        "capacity": percent(has.of_parent),
        "usedCapacity": percent(used_capacity(space, root)),
        "maxCapacity": most(has.maximum_of_parent),
        "queueName": "root",
        "queues": {"queue": [_queue_27(space, child) for child in root.children or ()]},
    }


def _queue_27(space: PartitionResources27, queue: CapacityQueue27) -> Document:
    has, leaf, labels = capacity_in(queue, NO_LABEL), queue.leaf, sorted(queue.configuration.accessible)
    children = [_queue_27(space, child) for child in queue.children or ()]
    mine = 0 if leaf is None else len(leaf.attempts)
    return {
        **({TYPE: _LEAF_TYPE} if leaf is not None else {}),
        "queuePath": queue.path,
        "capacity": percent(has.of_parent),
        "usedCapacity": percent(used_capacity(space, queue)),
        "maxCapacity": most(has.maximum_of_parent),
        "absoluteCapacity": capped(has.absolute),
        "absoluteMaxCapacity": capped(has.absolute_maximum),
        "absoluteUsedCapacity": capped(absolute_used(space, queue)),
        "numApplications": mine + sum(child["numApplications"] for child in children),
        "queueName": queue.path.rpartition(".")[2],
        "state": "RUNNING" if queue.configuration.is_running else "STOPPED",
        **({"queues": {"queue": children}} if children else {}),
        "resourcesUsed": _amount(queue.used(NO_LABEL)),
        "hideReservationQueues": False,
        **({"nodeLabels": labels} if labels else {}),
        **(_leaf_27(space, queue, leaf) if leaf is not None else {}),
    }


def _leaf_27(space: PartitionResources27, queue: CapacityQueue27, leaf: LeafState27) -> Document:
    settings, limit = leaf.configuration, _amount(user_limit(space, queue, leaf, space.minimum, NO_LABEL))
    users = [
        {
            "username": user.name,
            "resourcesUsed": _amount(user.used.get(NO_LABEL, NOTHING)),
            "numPendingApplications": user.pending,
            "numActiveApplications": user.active,
            "AMResourceUsed": _amount(user.am_used),
            "userResourceLimit": limit,
        }
        for user in leaf.users.values()
    ]
    return {
        "numActiveApplications": len(leaf.active),
        "numPendingApplications": len(leaf.pending),
        "numContainers": sum(len(each.live) + len(each.reserved) for each in leaf.attempts.values()),
        "maxApplications": settings.maximum_applications,
        "maxApplicationsPerUser": settings.maximum_applications_per_user,
        "userLimit": int(settings.user_limit_percent),
        "users": {"user": users} if users else {},
        "userLimitFactor": single(settings.user_limit_factor),
        "AMResourceLimit": _amount(am_limit(space, queue, leaf)),
        "usedAMResource": _amount(leaf.am_used),
        "userAMResourceLimit": _amount(user_am_limit(space, queue, leaf)),
        "preemptionDisabled": queue.configuration.preemption_disabled,
    }


# ---------------------------------------------------------------- 3.4.1


class Page34:
    def __init__(self, policy: CapacityScheduler34, served: ServedCluster) -> None:
        self.space = policy.space
        self.served = served

    def root(self, root: CapacityQueue) -> Document:
        share = root.share(NO_LABEL)
        return {
            TYPE: "capacityScheduler",
            "capacity": percent(1.0),
            "usedCapacity": percent(self._used(share, NO_LABEL)),
            "maxCapacity": most(share.maximum),
            "weight": single(share.weight),
            "normalizedWeight": single(share.normalised_weight),
            "queueCapacityVectorInfo": vector_document(_vector(root, share)),
            "queueName": "root",
            "queuePath": "root",
            "maxParallelApps": root.settings.max_parallel,
            "isAbsoluteResource": kinds(_vector(root, share)) == {ABSOLUTE},
            "queues": {"queue": [self.queue(child) for child in root.children]},
            "capacities": self._capacities(root),
            "health": self._health(),
            "maximumAllocation": self._amount(root.settings.maximum_allocation),
            "queueAcls": _acls(root),
            "queuePriority": root.settings.priority,
            "orderingPolicyInfo": root.ordering,
            **_kind(root),
        }

    def queue(self, queue: CapacityQueue) -> Document:
        share, settings, leaf = queue.share(NO_LABEL), queue.settings, queue.leaf
        attempts = [each for one in queue.leaves() if one.leaf is not None for each in one.leaf.attempts.values()]
        labels, children = sorted(settings.accessible), [self.queue(child) for child in queue.children]
        live, reserved = sum(len(each.live) for each in attempts), sum(len(each.reserved) for each in attempts)
        return {
            **({TYPE: _LEAF_TYPE} if leaf is not None else {}),
            "queuePath": queue.path,
            "capacity": percent(share.capacity),
            "usedCapacity": percent(self._used(share, NO_LABEL)),
            "maxCapacity": most(share.maximum),
            "absoluteCapacity": capped(share.absolute),
            "absoluteMaxCapacity": capped(share.absolute_maximum),
            "absoluteUsedCapacity": capped(self._absolute_used(share, NO_LABEL)),
            "weight": single(share.weight),
            "normalizedWeight": single(share.normalised_weight),
            "numApplications": queue.number_of_applications(),
            "maxParallelApps": settings.max_parallel,
            "queueName": queue.path.rpartition(".")[2],
            "isAbsoluteResource": kinds(_vector(queue, share)) == {ABSOLUTE},
            "state": queue.state,
            **({"queues": {"queue": children}} if children else {}),
            "resourcesUsed": self._amount(share.used),
            "hideReservationQueues": False,
            **({"nodeLabels": labels} if labels else {}),
            "allocatedContainers": live,
            "reservedContainers": reserved,
            "pendingContainers": sum(each.pending for each in attempts),
            "capacities": self._capacities(queue),
            "resources": {"resourceUsagesByPartition": [self._usage(queue, label) for label in _labels(queue)]},
            "minEffectiveCapacity": self._amount(share.effective_minimum),
            "maxEffectiveCapacity": self._amount(share.effective_maximum),
            "maximumAllocation": self._amount(settings.maximum_allocation),
            "queueAcls": _acls(queue),
            "queuePriority": settings.priority,
            "orderingPolicyInfo": queue.ordering if leaf is None else leaf.settings.order,
            "autoCreateChildQueueEnabled": queue.template is not None,
            "leafQueueTemplate": {},
            **_kind(queue),
            **(self._leaf(queue, leaf, live + reserved) if leaf is not None else {}),
        }

    def _leaf(self, queue: CapacityQueue, leaf: Leaf, containers: int) -> Document:
        settings, share = leaf.settings, queue.share(NO_LABEL)
        limit = leaf.users.compute(NO_LABEL, True, True, leaf.queue, self.space)
        users = [self._user(leaf, user, limit) for user in leaf.users.by_name.values()]
        first = next(iter(leaf.users.by_name), None)
        am_most = share.am_limit if first is None else user_am_limit_34(leaf, NO_LABEL, first, self.space)
        return {
            "numActiveApplications": len(leaf.order),
            "numPendingApplications": len(leaf.waiting),
            "numContainers": containers,
            "maxApplications": leaf.max_applications,
            "maxApplicationsPerUser": leaf.max_per_user,
            "userLimit": single(settings.minimum_user_percent),
            "users": {"user": users} if users else {},
            "userLimitFactor": single(settings.user_limit_factor),
            "configuredMaxAMResourceLimit": single(share.am_percent),
            "AMResourceLimit": self._amount(share.am_limit),
            "usedAMResource": self._amount(share.am_used),
            "userAMResourceLimit": self._amount(am_most),  # that of its first user, or of the queue without one
            "preemptionDisabled": queue.settings.preemption_disabled,
            "intraQueuePreemptionDisabled": queue.settings.intra_queue_disabled,
            "defaultPriority": settings.default_priority,
            "isAutoCreatedLeafQueue": leaf.is_auto_created,
            "maxApplicationLifetime": queue.settings.max_lifetime_s,
            "defaultApplicationLifetime": queue.settings.default_lifetime_s,
        }

    def _user(self, leaf: Leaf, user: LeafUser, limit: Amount) -> Document:
        used, am_used = self._amount(user.used_in(NO_LABEL)), self._amount(user.am_used.get(NO_LABEL, NOTHING))
        nothing = self._amount(NOTHING)
        usage = {
            "partitionName": "",
            "used": used,
            "reserved": nothing,
            "pending": nothing,
            "amUsed": am_used,
            "amLimit": self._amount(user_am_limit_34(leaf, NO_LABEL, user.name, self.space)),
            "userAmLimit": nothing,
        }
        return {
            "username": user.name,
            "resourcesUsed": used,
            "numPendingApplications": user.pending,
            "numActiveApplications": user.active,
            "AMResourceUsed": am_used,
            "userResourceLimit": self._amount(limit),
            "resources": {"resourceUsagesByPartition": [usage]},
            "userWeight": single(user.weight),
            "isActive": user.name in leaf.users.active,
        }

    def _capacities(self, queue: CapacityQueue) -> Document:
        return {"queueCapacitiesByPartition": [self._capacity(queue, label) for label in _labels(queue)]}

    def _capacity(self, queue: CapacityQueue, label: str) -> Document:
        share, is_root = queue.share(label), queue.parent is None
        return {
            "partitionName": label,
            "queueCapacityVectorInfo": vector_document(_vector(queue, share)),
            "capacity": percent(1.0 if is_root else share.capacity),
            "usedCapacity": percent(self._used(share, label)),
            "maxCapacity": most(share.maximum),
            "absoluteCapacity": capped(1.0 if is_root else share.absolute),
            "absoluteUsedCapacity": capped(self._absolute_used(share, label)),
            "absoluteMaxCapacity": capped(share.absolute_maximum),
            "maxAMLimitPercentage": 0.0 if queue.leaf is None else percent(share.am_percent),
            "weight": single(share.weight),
            "normalizedWeight": single(share.normalised_weight),
            "configuredMinResource": self._amount(share.minimum_resource, as_configured=True),
            "configuredMaxResource": self._amount(share.maximum_resource, as_configured=True),
            "effectiveMinResource": self._amount(share.effective_minimum),
            "effectiveMaxResource": self._amount(share.effective_maximum),
        }

    def _usage(self, queue: CapacityQueue, label: str) -> Document:
        share = queue.share(label)
        usage = {
            "partitionName": label,
            "used": self._amount(share.used),
            "reserved": self._amount(share.reserved),
            "pending": self._amount(share.pending),
        }
        if queue.leaf is not None:
            usage["amUsed"] = self._amount(share.am_used)
            usage["amLimit"] = self._amount(share.am_limit)
            usage["userAmLimit"] = self._amount(share.user_am_limit)
        return usage

    def _health(self) -> Document:
        nothing = self._amount(NOTHING)
        return {
            "lastrun": self.served.now_ms,
            "operationsInfo": [
                {"operation": f"last-{name}", "nodeId": "N/A", "containerId": "N/A", "queue": "N/A"}
                for name in ("allocation", "release", "preemption", "reservation")
            ],
            "lastRunDetails": [
                {"operation": name, "count": 0, "resources": nothing}
                for name in ("releases", "allocations", "reservations")
            ],
        }

    def _amount(self, one: Amount, *, as_configured: bool = False) -> Document:
        return amount(RELEASE_34, *one, self.served.sizes if as_configured else ANY_SIZE)

    def _used(self, share: Share, label: str) -> float:
        return share.used_of_guarantee(self.space.total(label), self.space.calculator)

    def _absolute_used(self, share: Share, label: str) -> float:
        return share.absolute_used(self.space.total(label), self.space.calculator)


def _labels(queue: CapacityQueue) -> list[str]:
    return [NO_LABEL, *sorted(label for label in queue.shares if label != NO_LABEL)]


def _vector(queue: CapacityQueue, share: Share) -> Vector:
    return share.vector or uniform((1.0 if queue.parent is None else share.capacity) * 100)


def vector_document(vector: Vector) -> Document:
    values = {name: f"{each.value}{each.kind}" for name, each in zip((MEMORY_MB, VCORES), vector, strict=True)}
    text = ",".join(f"{name}={value}" for name, value in values.items())
    entries = [{"resourceName": name, "resourceValue": value} for name, value in values.items()]
    return {"configuredCapacityVector": f"[{text}]", "capacityVectorEntries": entries}


def _acls(queue: CapacityQueue) -> Document:
    lists = {
        "ADMINISTER_QUEUE": str(queue.settings.acl_administer),
        "APPLICATION_MAX_PRIORITY": "*",
        "SUBMIT_APP": str(queue.settings.acl_submit),
    }
    return {"queueAcl": [{"accessType": kind, "accessControlList": text} for kind, text in lists.items()]}


def _kind(queue: CapacityQueue) -> Document:
    is_leaf, is_flexible = queue.leaf is not None, queue.is_dynamic
    is_legacy_child = queue.leaf is not None and queue.leaf.is_auto_created
    by_itself = "flexible" if is_flexible and not is_leaf else "off"
    return {
        "mode": mode_of(queue.share(NO_LABEL), _vector(queue, queue.share(NO_LABEL))),
        "queueType": "leaf" if is_leaf else "parent",
        "creationMethod": "dynamicLegacy" if is_legacy_child else "dynamicFlexible" if is_flexible else "static",
        "autoCreationEligibility": "legacy" if queue.template is not None else by_itself,
        "autoQueueTemplateProperties": {},
        "autoQueueParentTemplateProperties": {},
        "autoQueueLeafTemplateProperties": {},
    }


def mode_of(share: Share, vector: Vector) -> str:
    if share.weight >= 0:
        return "weight"
    found = kinds(vector)
    if len(found) > 1:
        return "mixed"
    return "percentage" if PERCENTAGE in found else "absolute"


POLICIES: Final = {"fifo": "FIFO", "drf": "DRF"}
"""Our name of a policy → what answers call it, where that is another one."""


class FairFacts(NamedTuple):
    queue: FairQueue
    served: ServedCluster
    policy: FairScheduler27 | FairScheduler34

    def attempts(self) -> Iterator[Attempt]:
        for leaf in self.queue.leaves():
            yield from leaf.order.members
            yield from leaf.parked

    @property
    def total(self) -> tuple[int, int]:
        cluster = self.served.cluster
        return cluster.total_memory_mb, cluster.total_vcores


def _amount_of(read: Callable[[FairFacts], tuple[int, int]], *, as_configured: bool = False) -> Callable[..., Document]:
    def document(facts: FairFacts) -> Document:
        one = read(facts)
        sizes = facts.served.sizes if as_configured and not any(one) else ANY_SIZE
        return amount(facts.served.release, *one, sizes)

    return document


def _queue(name: str) -> Callable[[FairFacts], tuple[int, int]]:
    return attrgetter(f"queue.{name}_memory_mb", f"queue.{name}_vcores")


def _maximum(facts: FairFacts) -> tuple[int, int]:
    total = facts.total
    return min(facts.queue.max_memory_mb, total[0]), min(facts.queue.max_vcores, total[1])


def _am_used(facts: FairFacts) -> tuple[int, int]:
    queue = facts.queue
    return (queue.am_memory_mb, queue.am_vcores) if isinstance(queue, FairLeaf) else (0, 0)


def _largest_container(facts: FairFacts) -> tuple[int, int]:
    most = facts.policy.container_maximum(facts.queue.path)
    return most.memory_mb, most.vcores


def _children(facts: FairFacts) -> object:
    """In 3.4.1 an object with a list; in 2.7.2 a list below the root, and further down the name again and again."""
    queue = facts.queue
    children = queue.order.members if isinstance(queue, FairParent) else ()
    under = [written(QUEUE, facts._replace(queue=each), facts.served.release) for each in children]
    if facts.served.release.is_34:
        return {"queue": under} if under else None
    if not under or queue.parent is None:
        return under or None
    return Repeated(under)


def _of_leaf(read: Callable[[FairLeaf], int]) -> Callable[[FairFacts], int | None]:
    return lambda facts: read(facts.queue) if isinstance(facts.queue, FairLeaf) else None


def _waiting(leaf: FairLeaf) -> int:
    """Applications that are held back or were given nothing yet. Source: FSLeafQueue#getNumPendingApps."""
    return len(leaf.parked) + sum(each.master is None and not each.live for each in leaf.order.members)


QUEUE: Final[Table[FairFacts]] = (
    Field(TYPE, lambda facts: "fairSchedulerLeafQueueInfo" if facts.queue.is_leaf else None),
    Field("maxApps", attrgetter("queue.max_apps")),
    Field("minResources", _amount_of(_queue("min"), as_configured=True)),
    Field("maxResources", _amount_of(_maximum)),
    Field("usedResources", _amount_of(_queue("used"))),
    Field("amUsedResources", _amount_of(_am_used), since_34=True),
    Field("amMaxResources", _amount_of(lambda facts: facts.policy.max_am_resource(facts.queue)), since_34=True),
    Field("demandResources", _amount_of(_queue("demand")), since_34=True),
    Field("steadyFairResources", _amount_of(_queue("steady"))),
    Field("fairResources", _amount_of(_queue("fair"))),
    Field("clusterResources", _amount_of(attrgetter("total"))),
    Field("reservedResources", _amount_of(_queue("reserved")), since_34=True),
    Field("maxContainerAllocation", _amount_of(_largest_container), since_34=True),
    Field("pendingContainers", lambda facts: sum(each.pending for each in facts.attempts()), since_34=True),
    Field("allocatedContainers", lambda facts: sum(len(each.live) for each in facts.attempts()), since_34=True),
    Field("reservedContainers", lambda facts: sum(len(each.reserved) for each in facts.attempts()), since_34=True),
    Field("queueName", attrgetter("queue.path")),
    Field("schedulingPolicy", lambda facts: POLICIES.get(facts.queue.policy.name, facts.queue.policy.name)),
    Field("preemptable", lambda facts: facts.policy.is_preemptable(facts.queue.path), since_34=True),
    Field("childQueues", _children),
    Field("numPendingApps", _of_leaf(_waiting)),
    Field("numActiveApps", _of_leaf(lambda leaf: len(leaf.order.members) + len(leaf.parked) - _waiting(leaf))),
)


def fair_scheduler(served: ServedCluster) -> Document:
    policy = served.fair
    assert policy is not None, "a fair scheduler is asked"
    root = FairFacts(policy.tree.root, served, policy)
    return {TYPE: "fairScheduler", "rootQueue": written(QUEUE, root, served.release)}


# `/scheduler` of FifoScheduler.


def _sum(read: Callable[[Node], int]) -> Callable[[ServedCluster], int]:
    return lambda served: sum(read(node) for node in served.cluster.nodes.values())


FIFO: Final[Table[ServedCluster]] = (
    Field(TYPE, constant("fifoScheduler")),
    Field("capacity", constant(1.0)),
    Field("usedCapacity", lambda served: single(served.cluster.used_memory_mb / (served.cluster.total_memory_mb or 1))),
    Field("qstate", constant("RUNNING")),
    Field("minQueueMemoryCapacity", lambda served: served.sizes[0].memory_mb),
    Field("maxQueueMemoryCapacity", lambda served: served.sizes[1].memory_mb),
    Field("numNodes", lambda served: len(served.cluster.nodes)),
    Field("usedNodeCapacity", _sum(attrgetter("used_memory_mb"))),
    Field("availNodeCapacity", _sum(attrgetter("free_memory_mb"))),
    Field("totalNodeCapacity", _sum(attrgetter("total_memory_mb"))),
    Field("numContainers", _sum(lambda node: len(node.containers))),
)


def fifo_scheduler(served: ServedCluster) -> Document:
    """Raises RestError if a node is unhealthy: the real page asks the scheduler, which does not know it any more."""
    if any(node.state == "UNHEALTHY" for node in served.cluster.down.values()):
        raise null_pointer()
    return written(FIFO, served, served.release)
