"""The users of a leaf: what each uses, who is active, and how much one may use.

A user is active while an activated application of theirs wants something. Limits are computed once per version of
this state and partition; every change of usage makes a new version.

Source: UsersManager, Hadoop 3.4.1.
"""

from collections.abc import Collection

from engine.model.identity import java_hash_order
from engine.model.java_number import float32
from engine.schedulers.capacity.space import NOTHING, Amount, minus, plus, times
from engine.schedulers.capacity34.share import HasShares
from engine.schedulers.capacity34.space import Space
from engine.state import Shared, State

UNLIMITED_FACTOR = -1.0
"""A user-limit-factor that switches that limit off."""


class LeafUser(metaclass=State):
    """One user of one leaf."""

    name: str
    weight: float
    pending: int = 0
    """Applications that wait to be activated."""
    active: int = 0
    used: dict[str, Amount]
    """By partition, reservations included."""
    am_used: dict[str, Amount] = {}
    ratios: dict[str, float] = {}
    """Used of the partition, float32."""

    def __init__(self, name: str, weight: float) -> None:
        self.name = name
        self.weight = weight
        self.used = {"": NOTHING}

    def used_in(self, label: str) -> Amount:
        """Return the amount of a partition that the user uses."""
        return self.used.get(label, NOTHING)


class Users(metaclass=State):
    """All users of a leaf."""

    by_name: dict[str, LeafUser] = {}
    active: set[str] = set()
    applications: dict[str, dict[int, None]] = {}
    """By user, the applications that make them active."""
    active_weights: float = 0.0
    all_weights: float = 0.0
    weights: Shared[dict[str, float]] = {}
    """Configured weights by user; 1 for others."""
    minimum_percent: float = 100.0
    factor: float = 1.0
    used_by_active: dict[str, Amount] = {}
    ratios: dict[str, float] = {}
    """The sum of the users' ratios by partition, float32."""
    version: int = 0
    limits: dict[tuple[str, bool, bool], tuple[int, Amount]] = {}
    """(partition, respects exclusivity, of active users) → (version, limit before a user's weight)."""
    only_pending: int = 0
    """Users with waiting applications and no active one, when a limit was last computed."""

    # ---------------------------------------------------------------- who

    def get(self, name: str) -> LeafUser:
        """The user, made when new."""
        user = self.by_name.get(name)
        if user is None:
            user = self.by_name[name] = LeafUser(name, self.weights.get(name, 1.0))
            self._sum_all()
        return user

    def remove(self, name: str) -> None:
        """Forget a user without applications."""
        self.by_name.pop(name, None)
        self.active.discard(name)
        self._sum_active()
        self._sum_all()

    def set_weights(self, weights: dict[str, float]) -> None:
        """Take over configured weights."""
        self.weights = weights
        for user in self.by_name.values():
            user.weight = weights.get(user.name, 1.0)
        self._sum_active()
        self._sum_all()
        self.version += 1

    def activate(self, name: str, application: int) -> None:
        """An application begins to want something; counts only for a user with an activated one."""
        user = self.by_name.get(name)
        if user is not None and user.active <= 0:
            return
        applications = self.applications.get(name)
        if applications is None:
            applications = self.applications[name] = {}
            self.version += 1
            self._becomes_active(name)
        applications[application] = None

    def deactivate(self, name: str, application: int) -> None:
        """An application wants nothing more."""
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
            for label, used in user.used.items():
                self.used_by_active[label] = plus(self.used_by_active.get(label, NOTHING), used)

    def _becomes_inactive(self, name: str) -> None:
        user = self.by_name.get(name)
        if user is not None and name in self.active:
            self.active.discard(name)
            self._sum_active()
            for label, used in user.used.items():
                self.used_by_active[label] = minus(self.used_by_active.get(label, NOTHING), used)

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

    def charge(self, name: str, label: str, amount: Amount, space: Space) -> LeafUser:
        """Add to (or, negative, take from) what a user uses."""
        user = self.by_name.get(name) or self.get(name)
        memory_mb, vcores = amount
        before_mb, before_vcores = user.used.get(label, NOTHING)
        user.used[label] = used = (before_mb + memory_mb, before_vcores + vcores)
        if name in self.active:
            before_mb, before_vcores = self.used_by_active.get(label, NOTHING)
            self.used_by_active[label] = (before_mb + memory_mb, before_vcores + vcores)
        self.version += 1
        ratio = space.calculator.ratio(used, space.totals.get(label, NOTHING))
        change = float32(ratio - user.ratios.get(label, 0.0))
        user.ratios[label] = ratio
        self.ratios[label] = float32(self.ratios.get(label, 0.0) + change)
        return user

    def refresh_ratios(self, label: str, space: Space) -> None:
        """Compute all ratios of a partition anew, as after its total changed."""
        total = space.total(label)
        consumed = 0.0
        for user in self.by_name.values():
            user.ratios[label] = ratio = space.calculator.ratio(user.used_in(label), total)
            consumed = float32(consumed + ratio)
        self.ratios[label] = consumed

    # ---------------------------------------------------------------- limits

    def limit(
        self, name: str, label: str, respects: bool, leaf: HasShares, space: Space, active: bool = True
    ) -> Amount:
        """Return the limit of a user in a partition.

        Args:
            respects: Whether exclusivity of partitions holds in this walk.
            leaf: The queue whose users these are.
            active: Shared among active users, or else among all.
        """
        key = (label, respects, active)
        found = self.limits.get(key)
        if found is None or found[0] != self.version:
            found = self.limits[key] = (self.version, self.compute(label, respects, active, leaf, space))
            waiting = [user for user in self.by_name.values() if user.pending > 0 and user.active <= 0]
            self.only_pending = len(waiting)
        user = self.by_name.get(name)
        if user is None or user.weight == 1.0:
            return found[1]
        return space.calculator.times_down(found[1], user.weight, space.minimum)

    def compute(self, label: str, respects: bool, active: bool, leaf: HasShares, space: Space) -> Amount:
        """The limit before a user's weight; changes nothing. Source: UsersManager#computeUserLimit."""
        calculator, minimum, total = space.calculator, space.minimum, space.total(label)
        share = leaf.share(label)
        guaranteed = share.effective_minimum
        compare = calculator.compare
        base = guaranteed if compare(total, guaranteed, minimum) >= 0 else minimum
        consumed = calculator.times_up(total, self.ratios.get(label, 0.0), minimum)
        current = base if compare(total, consumed, base) < 0 else plus(consumed, minimum)
        if active:
            used, weights = plus(self.used_by_active.get(label, NOTHING), minimum), self.active_weights
        else:
            used, weights = current, self.all_weights
        by_weight = calculator.divided_up(used, weights)
        by_percent = current
        if self.minimum_percent != 100:
            by_percent = calculator.divided_up_whole(times(current, self.minimum_percent), 100)
        limit = by_weight if compare(total, by_weight, by_percent) >= 0 else by_percent
        if not respects:
            most = total
        elif self.factor == UNLIMITED_FACTOR or guaranteed == NOTHING:
            most = calculator.round_down(share.effective_maximum, minimum)
        else:
            most = times(base, self.factor)
        return calculator.round_up(limit if compare(total, limit, most) <= 0 else most, minimum)
