"""The users of a leaf: what each uses, which are active, and how much one may use.

A user is active while an activated application of theirs wants something. Limits are computed once per version of
this state and partition; every change of usage makes a new version.

Source: UsersManager, QueueCapacities, ResourceUsage, QueueResourceQuotas, AppSchedulingInfo, ManagedParentQueue,
AutoCreatedLeafQueueConfig, GuaranteedOrZeroCapacityOverTimePolicy, Hadoop 3.4.1.
"""

from collections.abc import Collection, Iterable
from typing import Final, Protocol

from engine.model.identity import java_hash_order
from engine.model.java_values import float32, java_div, truncate_long
from engine.model.request import AskGroup, ResourceRequest
from engine.schedulers.capacity.space import NOTHING, Amount, minus, plus, times
from engine.schedulers.capacity34.calculators import Calculator, PartitionResources, down, quotient_up, up
from engine.schedulers.capacity34.capacity_text import NO_MAXIMUM, Vector
from engine.state import Shared, State

# The share of one queue in one partition: what it may use, does use and wants of it.
#
# What it uses counts reservations too, unlike `Queue.used_memory_mb`, which is what its live containers cost.


class Share(metaclass=State):
    """A queue's capacity and use of one partition; ratios are float32."""

    capacity: float = 0.0  # Share of the parent
    maximum: float = 0.0
    absolute: float = 0.0  # Share of the partition
    absolute_maximum: float = 0.0
    am_percent: float = 0.0
    vector: Vector | None = None  # Its capacity resource by resource
    maximum_vector: Vector = NO_MAXIMUM
    weight: float = -1.0
    normalised_weight: float = 0.0
    minimum_resource: Amount = NOTHING  # The configured absolute capacity
    maximum_resource: Amount = NOTHING
    effective_minimum: Amount = NOTHING  # The guarantee in resources
    effective_maximum: Amount = NOTHING
    largest: Amount = NOTHING  # The same, rounded down to whole smallest containers
    used: Amount = NOTHING  # Containers and reservations
    reserved: Amount = NOTHING
    pending: Amount = NOTHING
    am_used: Amount = NOTHING  # What the application masters of active applications need
    am_limit: Amount = NOTHING
    user_am_limit: Amount = NOTHING
    used_ratio: float | None = 0.0  # Used of the guarantee; None since a charge, until somebody asks for it
    used_divisor: float | None = None  # What `used` is divided by for it; None until it is computed anew

    def absolute_used(self, total: Amount, calculator: Calculator) -> float:
        """Used of the partition, whose total is given; 0 of an empty one."""
        if calculator.compare(total, total, NOTHING) <= 0:
            return 0.0
        return calculator.divide(total, self.used, total)

    def used_of_guarantee(self, total: Amount, calculator: Calculator) -> float:
        """Used of the guarantee; after a change of capacity as of the last charge before it."""
        if self.used_ratio is None:
            assert self.used_divisor is not None, "a charge without one computes it all anew"
            self.used_ratio = calculator.quotient(total, self.used, self.used_divisor)
        return self.used_ratio


class HasShares(Protocol):
    """A queue as far as its shares go."""

    def share(self, label: str) -> Share:
        """Return its share of a partition."""


def size_of(request: ResourceRequest | None) -> Amount:
    """The size of all containers of an ask; nothing for None."""
    return NOTHING if request is None else (request.memory_mb * request.count, request.vcores * request.count)


def wishes_of(groups: Iterable[AskGroup]) -> dict[str, Amount]:
    wishes: dict[str, Amount] = {}
    for group in groups:
        if group.anywhere is not None and group.anywhere.count > 0:
            label = group.anywhere.partition
            wishes[label] = plus(wishes.get(label, NOTHING), size_of(group.anywhere))
    return wishes


# The template of leaves that are made on submission, and which of them have been given its capacity.

EPSILON: Final = float32(0.001)


class LeafTemplate(metaclass=State):
    shares: dict[str, Share] = {}  # By partition
    active: dict[str, dict[str, None]] = {}
    """By partition, the paths of leaves that have been given the template's capacity."""
    activated: dict[str, float] = {}  # By partition, the capacity given so far, float32
    fails_on_excess: bool = False  # Whether no leaf is made where no capacity is left

    def share(self, label: str) -> Share:
        return self.shares.get(label) or Share()

    def full(self, label: str) -> Share:
        template, share = self.shares[label], Share()
        share.capacity, share.maximum = template.capacity, template.maximum
        share.absolute, share.absolute_maximum = template.absolute, template.absolute_maximum
        return share

    def available(self, label: str, absolute: float, given_back: float = 0.0) -> float:
        """The capacity of a partition that is left to give, of the parent's absolute one."""
        left = float32(absolute - self.activated.get(label, 0.0))
        return float32(float32(left + given_back) + EPSILON) if given_back else float32(left + EPSILON)

    def activate(self, path: str, label: str) -> None:
        self.active.setdefault(label, {})[path] = None
        self.activated[label] = float32(self.activated.get(label, 0.0) + self.shares[label].absolute)

    def deactivate(self, path: str, label: str) -> None:
        self.active.setdefault(label, {}).pop(path, None)
        self.activated[label] = float32(self.activated.get(label, 0.0) - self.shares[label].absolute)


UNLIMITED_FACTOR: Final = -1.0  # A user-limit-factor that switches that limit off


class PartitionUsage(metaclass=State):
    """The use of one partition, by one user or by several."""

    used: Amount = NOTHING
    ratio: float = 0.0  # Used of the partition, float32


class LeafUser(metaclass=State):
    name: str
    weight: float
    pending: int = 0  # Applications that wait to be activated
    active: int = 0
    used: dict[str, PartitionUsage]  # By partition, reservations included
    am_used: dict[str, Amount] = {}

    def __init__(self, name: str, weight: float) -> None:
        self.name = name
        self.weight = weight
        self.used = {"": PartitionUsage()}

    @property
    def waits(self) -> bool:
        return self.pending > 0 and self.active <= 0

    def used_in(self, label: str) -> Amount:
        use = self.used.get(label)
        return NOTHING if use is None else use.used

    def use_of(self, label: str) -> PartitionUsage:
        use = self.used.get(label)
        if use is None:
            use = self.used[label] = PartitionUsage()
        return use


class Users(metaclass=State):
    by_name: dict[str, LeafUser] = {}
    changes: int = 0  # Grows whenever a user comes or goes
    active: set[str] = set()
    applications: dict[str, dict[int, None]] = {}  # By user, the applications that make them active
    active_weights: float = 0.0
    all_weights: float = 0.0
    weights: Shared[dict[str, float]] = {}  # Configured weights by user; 1 for others
    minimum_percent: float = 100.0
    factor: float = 1.0
    together: dict[str, PartitionUsage] = {}
    """By partition, what active users use and, in float32, the sum of the ratios of all."""
    version: int = 0
    limits: dict[tuple[str, bool, bool], Amount] = {}
    """(partition, respects exclusivity, of active users) → limit before a user's weight, in `limits_version`."""
    limits_version: int = 0
    waiting: int = 0  # Users with waiting applications and no active one
    only_pending: int = 0  # The same when a limit was last computed

    # ---------------------------------------------------------------- who

    def get(self, name: str) -> LeafUser:
        user = self.by_name.get(name)
        if user is None:
            user = self.by_name[name] = LeafUser(name, self.weights.get(name, 1.0))
            self.changes += 1
            self._sum_all()
        return user

    def count(self, user: LeafUser, *, pending: int, active: int = 0) -> None:
        """Add to (or, negative, take from) a user's applications that wait and those that are active."""
        self.waiting -= user.waits
        user.pending += pending
        user.active += active
        self.waiting += user.waits

    def remove(self, name: str) -> None:
        self.by_name.pop(name, None)
        self.changes += 1
        self.active.discard(name)
        self._sum_active()
        self._sum_all()

    def set_weights(self, weights: dict[str, float]) -> None:
        self.weights = weights
        for user in self.by_name.values():
            user.weight = weights.get(user.name, 1.0)
        self._sum_active()
        self._sum_all()
        self.version += 1

    def activate(self, name: str, application: int) -> None:
        """An application begins to want something; counts only for a user with an activated one."""
        user = self.by_name.get(name)
        # Users whose applications all wait for activation take no part in the shares of others.
        if user is not None and user.active <= 0:
            return
        applications = self.applications.get(name)
        if applications is None:
            applications = self.applications[name] = {}
            self.version += 1
            self._becomes_active(name)
        applications[application] = None

    def deactivate(self, name: str, application: int) -> None:
        applications = self.applications.get(name)
        if applications is None:
            return
        applications.pop(application, None)
        if not applications:
            del self.applications[name]
            self.version += 1
            self._becomes_inactive(name)

    @property
    def number_active(self) -> int:
        """Users that want something, as the limits on application masters count them."""
        return len(self.applications) + self.only_pending

    def _becomes_active(self, name: str) -> None:
        user = self.get(name)
        if name not in self.active:
            self.active.add(name)
            self._sum_active()
            for label, use in user.used.items():
                together = self._together_in(label)
                together.used = plus(together.used, use.used)

    def _becomes_inactive(self, name: str) -> None:
        user = self.by_name.get(name)
        if user is not None and name in self.active:
            self.active.discard(name)
            self._sum_active()
            for label, use in user.used.items():
                together = self._together_in(label)
                together.used = minus(together.used, use.used)

    def _sum_active(self) -> None:
        self.active_weights = self._sum(self.active)

    def _sum_all(self) -> None:
        self.all_weights = self._sum(self.by_name)

    def _sum(self, names: Collection[str]) -> float:
        """The weights of some users, added up in float32 in the order of a Java set."""
        if not self.weights:
            return float(len(names))
        result = 0.0
        for name in java_hash_order(names):
            result = float32(result + self.weights.get(name, 1.0))
        return result

    # ---------------------------------------------------------------- what they use

    def charge(self, name: str, label: str, amount: Amount, space: PartitionResources) -> None:
        """Add to (or, negative, take from) what a user uses."""
        user = self.by_name.get(name) or self.get(name)
        use, together = user.used.get(label) or user.use_of(label), self.together.get(label) or self._together_in(label)
        use.used = used = (use.used[0] + amount[0], use.used[1] + amount[1])
        if name in self.active:
            together.used = (together.used[0] + amount[0], together.used[1] + amount[1])
        self.version += 1
        ratio = space.calculator.ratio(used, space.total(label))
        together.ratio = float32(together.ratio + float32(ratio - use.ratio))
        use.ratio = ratio

    def _together_in(self, label: str) -> PartitionUsage:
        use = self.together.get(label)
        if use is None:
            use = self.together[label] = PartitionUsage()
        return use

    def refresh_ratios(self, label: str, space: PartitionResources) -> None:
        total = space.total(label)
        consumed = 0.0
        for user in self.by_name.values():
            use = user.use_of(label)
            use.ratio = space.calculator.ratio(use.used, total)
            consumed = float32(consumed + use.ratio)
        self._together_in(label).ratio = consumed

    # ---------------------------------------------------------------- limits

    def limit(
        self, name: str, label: str, respects: bool, leaf: HasShares, space: PartitionResources, active: bool = True
    ) -> Amount:
        """Return the limit of a user in a partition: shared among active users, or (not `active`) among all.

        `respects` is whether exclusivity of partitions holds in this walk.
        """
        if self.limits_version != self.version:
            self.limits.clear()
            self.limits_version = self.version
        limit = self.limits.get((label, respects, active))
        if limit is None:
            limit = self.limits[label, respects, active] = self.compute(label, respects, active, leaf, space)
            self.only_pending = self.waiting
        user = self.by_name.get(name) if self.weights else None
        if user is None or user.weight == 1.0:
            return limit
        return space.calculator.times_down(limit, user.weight, space.minimum)

    def compute(self, label: str, respects: bool, active: bool, leaf: HasShares, space: PartitionResources) -> Amount:
        """The limit before a user's weight; changes nothing. Source: UsersManager#computeUserLimit."""
        calculator, minimum, total = space.calculator, space.minimum, space.total(label)
        share, together = leaf.share(label), self.together.get(label) or PartitionUsage()
        if space.by_memory:
            return self._compute_by_memory(share, together, total[0], respects, active, space)
        guaranteed = share.effective_minimum
        compare = calculator.compare
        # A leaf without a guarantee still allows one smallest container.
        base = guaranteed if compare(total, guaranteed, minimum) >= 0 else minimum
        consumed = calculator.times_up(total, together.ratio, minimum)
        # A leaf beyond its guarantee shares what it has, not what it is due.
        current = base if compare(total, consumed, base) < 0 else plus(consumed, minimum)
        if active:
            used, weights = plus(together.used, minimum), self.active_weights
        else:
            used, weights = current, self.all_weights
        by_weight = calculator.divided_up(used, weights)
        by_percent = current
        if self.minimum_percent != 100:
            by_percent = calculator.divided_up_whole(times(current, self.minimum_percent), 100)
        limit = by_weight if compare(total, by_weight, by_percent) >= 0 else by_percent
        if not respects:
            most = total
        # Times a guarantee of nothing it would be nothing.
        elif self.factor == UNLIMITED_FACTOR or guaranteed == NOTHING:
            most = calculator.round_down(share.effective_maximum, minimum)
        else:
            most = times(base, self.factor)
        return calculator.round_up(limit if compare(total, limit, most) <= 0 else most, minimum)

    def _compute_by_memory(
        self,
        share: Share,
        together: PartitionUsage,
        total_mb: int,
        respects: bool,
        active: bool,
        space: PartitionResources,
    ) -> Amount:
        step_mb = space.minimum[0]
        base_mb = max(share.effective_minimum[0], step_mb)
        consumed_mb = up(truncate_long(total_mb * together.ratio + 0.5), step_mb)
        current_mb = base_mb if consumed_mb < base_mb else consumed_mb + step_mb
        if active:
            limit_mb = quotient_up(together.used[0] + step_mb, self.active_weights)
        else:
            limit_mb = quotient_up(current_mb, self.all_weights)
        if self.minimum_percent == 100:
            limit_mb = max(limit_mb, current_mb)
        else:
            limit_mb = max(limit_mb, java_div(truncate_long(current_mb * self.minimum_percent) + 99, 100))
        if not respects:
            most_mb = total_mb
        elif self.factor == UNLIMITED_FACTOR or share.effective_minimum == NOTHING:
            most_mb = down(share.effective_maximum[0], step_mb)
        else:
            most_mb = truncate_long(base_mb * self.factor)
        return space.calculator.round_up((min(limit_mb, most_mb), 0), space.minimum)


UserVerdict = tuple[Amount, Amount] | None
"""None for a user who was let through, else their limit and what the application that was turned down had reserved."""


class UserVerdicts(metaclass=State):
    """Verdicts of walks about the users of a leaf, by partition and kind of walk, then by user.

    It holds until a user's usage or activity changes. A user who is turned down stays so, for every application with no
    more reserved. A user who leaves and comes back makes no new version, so one who was looked up in between stays
    turned down. Source: AbstractLeafQueue#getUserLimitCache, CachedUserLimit, Hadoop 3.4.1.
    """

    by_walk: dict[tuple[str, bool], dict[str, UserVerdict]] = {}
    version: int = -1  # The version of the leaf's users that they are about

    def of_walk(self, label: str, respects: bool, version: int) -> dict[str, UserVerdict]:
        """Verdicts of a partition and kind of walk; those of another version are forgotten."""
        if version != self.version:
            self.version = version
            self.by_walk.clear()
        return self.by_walk.setdefault((label, respects), {})

    def peek(self, label: str, respects: bool, version: int, user: str) -> UserVerdict:
        """The verdict on a user, None where there is none; changes nothing."""
        return self.by_walk.get((label, respects), {}).get(user) if version == self.version else None
