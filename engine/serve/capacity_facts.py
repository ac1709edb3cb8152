"""Queues of CapacityScheduler as both releases know them, for one table of fields.

Source: AbstractCSQueue, LeafQueue, UsersManager, Hadoop 2.7.2 and 3.4.1.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from engine.model.java_number import INT_MAX
from engine.model.ledger import Attempt
from engine.schedulers.capacity.space import NOTHING, Amount
from engine.schedulers.capacity27.configuration import NO_LABEL
from engine.schedulers.capacity27.limits import (
    absolute_used,
    am_limit,
    capacity_in,
    guaranteed_in,
    maximum_in,
    user_am_limit,
    user_limit,
)
from engine.schedulers.capacity27.queues import CapacityQueue27, LeafState27
from engine.schedulers.capacity27.scheduler import CapacityScheduler27
from engine.schedulers.capacity34.capacity_vector import ABSOLUTE, PERCENTAGE, Vector, kinds, uniform
from engine.schedulers.capacity34.leaf import user_am_limit as user_am_limit_34
from engine.schedulers.capacity34.queue import CapacityQueue, Leaf
from engine.schedulers.capacity34.scheduler import CapacityScheduler34

NO_WEIGHT: Final = -1.0


class PartitionFacts(NamedTuple):
    """Capacity and usage of a queue in a partition; capacities are fractions."""

    label: str
    capacity: float
    """Fraction of its parent's capacity."""
    maximum: float
    absolute: float
    absolute_maximum: float
    used_ratio: float
    """Used of its own capacity."""
    absolute_used: float
    vector: Vector
    effective_minimum: Amount
    effective_maximum: Amount
    used: Amount
    reserved: Amount = NOTHING
    pending: Amount = NOTHING
    am_used: Amount = NOTHING
    am_limit: Amount = NOTHING
    user_am_limit: Amount = NOTHING
    am_percent: float = 0.0
    weight: float = NO_WEIGHT
    normalised_weight: float = 0.0
    configured_minimum: Amount = NOTHING
    configured_maximum: Amount = NOTHING


class UserFacts(NamedTuple):
    """A user of a leaf, in the default partition."""

    name: str
    used: Amount
    pending: int
    """Applications that wait to be activated."""
    active: int
    am_used: Amount
    limit: Amount
    am_limit: Amount
    weight: float = 1.0
    is_active: bool = True


class LeafFacts(NamedTuple):
    """Facts of leaf queues alone."""

    active: int
    pending: int
    most: int
    """Applications it takes in."""
    most_per_user: int
    user_limit_percent: float
    user_limit_factor: float
    am_percent: float
    preemption_disabled: bool
    users: tuple[UserFacts, ...]
    within_disabled: bool = True
    """True if nothing is taken back from one of its applications for another."""
    default_priority: int = 0
    is_auto_created: bool = False
    longest_s: int = -1
    default_s: int = -1
    """Lifetime of an application that asks for none [s]; -1 where none is set."""


class CapacityFacts(NamedTuple):
    """A queue with all below it."""

    path: str
    state: str
    children: tuple["CapacityFacts", ...]
    leaf: LeafFacts | None
    applications: int
    partitions: tuple[PartitionFacts, ...]
    labels: tuple[str, ...]
    """Partitions that its applications may use."""
    containers: tuple[int, int, int]
    """Allocated, reserved, pending."""
    largest: Amount
    acls: tuple[str, str]
    """Access lists: who may administer it, who may submit to it."""
    ordering: str
    most_parallel: int = INT_MAX
    priority: int = 0
    creation: str = "static"
    eligibility: str = "off"

    @property
    def default(self) -> PartitionFacts:
        """Its facts of the default partition."""
        return self.partitions[0]

    @property
    def is_absolute(self) -> bool:
        """True if its capacity is given in resources."""
        return kinds(self.default.vector) == {ABSOLUTE}


def capacity_facts(scheduler: CapacityScheduler27 | CapacityScheduler34) -> CapacityFacts:
    """The root of a scheduler's queues."""
    if isinstance(scheduler, CapacityScheduler27):
        return _queue_27(scheduler, scheduler.tree.root)
    return _queue_34(scheduler, scheduler.tree.root)


def _counts(attempts: Iterable[Attempt]) -> tuple[int, int, int]:
    everyone = list(attempts)
    return (
        sum(len(each.live) for each in everyone),
        sum(len(each.reserved) for each in everyone),
        sum(each.pending for each in everyone),
    )


def _wanted(attempts: Iterable[Attempt]) -> Amount:
    """Sum up the unmet asks of attempts anywhere."""
    asks = [one.anywhere for each in attempts for one in each.groups.values() if one.anywhere is not None]
    return sum(one.memory_mb * one.count for one in asks), sum(one.vcores * one.count for one in asks)


# ---------------------------------------------------------------- 2.7.2


def _queue_27(scheduler: CapacityScheduler27, queue: CapacityQueue27) -> CapacityFacts:
    settings, leaf = queue.configuration, queue.leaf
    children = tuple(_queue_27(scheduler, child) for child in queue.children or ())
    attempts = [] if leaf is None else list(leaf.attempts.values())
    counts = _counts(attempts)
    for child in children:
        counts = (counts[0] + child.containers[0], counts[1] + child.containers[1], counts[2] + child.containers[2])
    labels = [NO_LABEL, *sorted(label for label in settings.capacities if label != NO_LABEL)]
    return CapacityFacts(
        path=queue.path,
        state="RUNNING" if settings.is_running else "STOPPED",
        children=children,
        leaf=None if leaf is None else _leaf_27(scheduler, queue, leaf),
        applications=len(attempts) + sum(child.applications for child in children),
        partitions=tuple(_partition_27(scheduler, queue, label) for label in labels),
        labels=tuple(sorted(settings.accessible)),
        containers=counts,
        largest=settings.maximum,
        acls=(str(settings.administer_acl), str(settings.submit_acl)),
        ordering="fifo" if leaf is not None else "utilization",
    )


def _partition_27(scheduler: CapacityScheduler27, queue: CapacityQueue27, label: str) -> PartitionFacts:
    space, leaf, has = scheduler.space, queue.leaf, capacity_in(queue, label)
    own = PartitionFacts(
        label=label,
        capacity=has.of_parent,
        maximum=has.maximum_of_parent,
        absolute=has.absolute,
        absolute_maximum=has.absolute_maximum,
        used_ratio=queue.used_capacity if label == NO_LABEL else 0.0,
        absolute_used=absolute_used(space, queue) if label == NO_LABEL else 0.0,
        vector=uniform(has.of_parent * 100),
        effective_minimum=guaranteed_in(space, queue, label),
        effective_maximum=maximum_in(space, queue, label),
        used=queue.used(label),
    )
    if label != NO_LABEL:
        return own
    own = own._replace(reserved=(queue.reserved_memory_mb, queue.reserved_vcores))
    if leaf is None:
        return own
    return own._replace(
        pending=_wanted(leaf.attempts.values()),
        am_used=leaf.am_used,
        am_limit=am_limit(space, queue, leaf),
        user_am_limit=user_am_limit(space, queue, leaf),
        am_percent=leaf.configuration.am_percent,
    )


def _leaf_27(scheduler: CapacityScheduler27, queue: CapacityQueue27, leaf: LeafState27) -> LeafFacts:
    space, settings = scheduler.space, leaf.configuration
    limit = user_limit(space, queue, leaf, space.minimum, NO_LABEL)
    masters = user_am_limit(space, queue, leaf)
    return LeafFacts(
        active=len(leaf.active),
        pending=len(leaf.pending),
        most=settings.maximum_applications,
        most_per_user=settings.maximum_applications_per_user,
        user_limit_percent=settings.user_limit_percent,
        user_limit_factor=settings.user_limit_factor,
        am_percent=settings.am_percent,
        preemption_disabled=queue.configuration.preemption_disabled,
        users=tuple(
            UserFacts(
                each.name,
                each.used.get(NO_LABEL, NOTHING),
                each.pending,
                each.active,
                each.am_used,
                limit,
                masters,
                is_active=each.name in leaf.active_users,
            )
            for each in leaf.users.values()
        ),
    )


# ---------------------------------------------------------------- 3.4.1


def _queue_34(scheduler: CapacityScheduler34, queue: CapacityQueue) -> CapacityFacts:
    settings, leaf = queue.settings, queue.leaf
    attempts = [attempt for one in queue.leaves() if one.leaf is not None for attempt in one.leaf.attempts.values()]
    labels = [NO_LABEL, *sorted(label for label in queue.shares if label != NO_LABEL)]
    creation = "dynamicFlexible" if queue.is_dynamic else "static"
    eligibility = "off" if leaf is not None or not queue.is_dynamic else "flexible"
    return CapacityFacts(
        path=queue.path,
        state=queue.state,
        children=tuple(_queue_34(scheduler, child) for child in queue.children),
        leaf=None if leaf is None else _leaf_34(scheduler, queue, leaf),
        applications=queue.number_of_applications(),
        partitions=tuple(_partition_34(scheduler, queue, label) for label in labels),
        labels=tuple(sorted(settings.accessible)),
        containers=_counts(attempts),
        largest=settings.maximum_allocation,
        acls=(str(settings.acl_administer), str(settings.acl_submit)),
        ordering=queue.ordering if leaf is None else leaf.settings.order,
        most_parallel=settings.max_parallel,
        priority=settings.priority,
        creation="dynamicLegacy" if leaf is not None and leaf.is_auto_created else creation,
        eligibility="legacy" if queue.template is not None else eligibility,
    )


def _partition_34(scheduler: CapacityScheduler34, queue: CapacityQueue, label: str) -> PartitionFacts:
    share, space = queue.share(label), scheduler.space
    is_root = queue.parent is None
    return PartitionFacts(
        label=label,
        capacity=1.0 if is_root else share.capacity,
        maximum=share.maximum,
        absolute=1.0 if is_root else share.absolute,
        absolute_maximum=share.absolute_maximum,
        used_ratio=share.used_ratio,
        absolute_used=share.absolute_used(space.total(label), space.calculator),
        vector=share.vector or uniform((1.0 if is_root else share.capacity) * 100),
        effective_minimum=share.effective_minimum,
        effective_maximum=share.effective_maximum,
        used=share.used,
        reserved=share.reserved,
        pending=share.pending,
        am_used=share.am_used,
        am_limit=share.am_limit,
        user_am_limit=share.user_am_limit,
        am_percent=share.am_percent,
        weight=share.weight,
        normalised_weight=share.normalised_weight,
        configured_minimum=share.minimum_resource,
        configured_maximum=share.maximum_resource,
    )


def _leaf_34(scheduler: CapacityScheduler34, queue: CapacityQueue, leaf: Leaf) -> LeafFacts:
    space, settings = scheduler.space, leaf.settings
    limit = leaf.users.compute(NO_LABEL, True, True, leaf.queue, space)
    return LeafFacts(
        active=len(leaf.order),
        pending=len(leaf.waiting),
        most=leaf.max_applications,
        most_per_user=leaf.max_per_user,
        user_limit_percent=settings.minimum_user_percent,
        user_limit_factor=settings.user_limit_factor,
        am_percent=queue.share(NO_LABEL).am_percent,
        preemption_disabled=queue.settings.preemption_disabled,
        users=tuple(
            UserFacts(
                each.name,
                each.used_in(NO_LABEL),
                each.pending,
                each.active,
                each.am_used.get(NO_LABEL, NOTHING),
                limit,
                user_am_limit_34(leaf, NO_LABEL, each.name, space),
                each.weight,
                each.name in leaf.users.active,
            )
            for each in leaf.users.by_name.values()
        ),
        within_disabled=queue.settings.intra_queue_disabled,
        default_priority=settings.default_priority,
        is_auto_created=leaf.is_auto_created,
        longest_s=queue.settings.max_lifetime_s,
        default_s=queue.settings.default_lifetime_s,
    )


def mode_of(facts: CapacityFacts) -> str:
    """Name the way in which its capacity is given."""
    if facts.default.weight >= 0:
        return "weight"
    found = kinds(facts.default.vector)
    if len(found) > 1:
        return "mixed"
    return "percentage" if PERCENTAGE in found else "absolute"
