"""Takes containers back from queues above their capacity, for queues below theirs that ask for more.

One round computes for every queue what it should have, top down, and from leaves that use more than that selects
containers, youngest applications first. A selected container is marked at every round; one that is selected again
later than `max_wait_before_kill` after its first mark is killed. Only the default partition is looked at.

Source: ProportionalCapacityPreemptionPolicy, Hadoop 2.7.2.
"""

from collections.abc import Collection, Mapping, Sequence
from math import isnan

from engine.model.decision import ContainerId, Decision, Warned
from engine.model.java_values import float32
from engine.model.ledger import Container
from engine.schedulers.capacity.properties import Properties, Refusals
from engine.schedulers.capacity.space import NOTHING, Amount, minus, minus_at_most, plus
from engine.schedulers.capacity27.calculators import Calculator27, PartitionResources27, smaller, times
from engine.schedulers.capacity27.configuration import NO_LABEL
from engine.schedulers.capacity27.evaluation import absolute_used, capacity_in
from engine.schedulers.capacity27.queues import Attempt27, CapacityQueue27
from engine.settings import capacity as keys
from engine.state import Shared, State


class PreemptionSettings27:
    """The settings of the monitor; they are read once, when it starts."""

    __slots__ = ("ignored", "interval_ms", "is_on", "natural", "observes_only", "per_round", "wait_ms")

    def __init__(self, properties: Properties) -> None:
        named = properties.names(keys.MONITOR_POLICIES.name) or [keys.PREEMPTION_POLICY]
        self.is_on = properties.everywhere(keys.MONITORS) and keys.PREEMPTION_POLICY in named
        self.ignored = properties.everywhere(keys.IGNORED_OVER_CAPACITY)
        self.natural = properties.everywhere(keys.NATURAL_TERMINATION)
        self.wait_ms = properties.everywhere(keys.WAIT_BEFORE_KILL)
        self.interval_ms = properties.everywhere(keys.MONITORING_INTERVAL)
        self.per_round = properties.everywhere(keys.PER_ROUND)
        self.observes_only = properties.everywhere(keys.OBSERVE_ONLY)


class _Share:
    """One queue in a round: what it uses, wants and should have."""

    def __init__(self, queue: CapacityQueue27, used: Amount, guaranteed: Amount, maximum: Amount) -> None:
        self.queue = queue
        self.used = used
        self.guaranteed = guaranteed
        self.maximum = maximum
        self.pending: Amount = NOTHING
        self.ideal: Amount = NOTHING
        self.to_preempt: Amount = NOTHING
        self.untouchable_extra: Amount = NOTHING
        self.preemptable_extra: Amount = NOTHING
        self.normalised = 0.0
        self.children: list[_Share] = []


class CapacityMonitor27(metaclass=State):
    """The monitor and what it remembers between rounds."""

    _space: PartitionResources27
    _root: CapacityQueue27
    settings: Shared[PreemptionSettings27]
    first_marked_ms: dict[ContainerId, int] = {}
    """When a container was first selected [ms]; kept for twice the waiting time."""

    def __init__(self, space: PartitionResources27, root: CapacityQueue27, settings: PreemptionSettings27) -> None:
        self._space = space
        self._root = root
        self.settings = settings

    def reconfigure(self, changed: Collection[str], values: Mapping[str, str]) -> None:
        """Read the settings again where one of the monitor's own is among those that changed."""
        if any(key.startswith("yarn.resourcemanager.") for key in changed):
            self.settings = PreemptionSettings27(Properties(values, Refusals(), keys.CAPACITY_27))

    def passes(self) -> tuple[tuple[str, int], ...]:
        return (("preempt", self.settings.interval_ms),) if self.settings.is_on else ()

    def longest_timer_ms(self) -> int:
        return 2 * self.settings.wait_ms + self.settings.interval_ms if self.settings.is_on else 0

    def round(self, now_ms: int) -> tuple[list[Container], list[Container], list[Container]]:
        """One round: the reservations to drop, and by application and number the containers to mark and to kill."""
        total = self._space.total(NO_LABEL)
        root = self._share(self._root, total)
        root.ideal = root.guaranteed
        leaves = self._distribute(root, times(total, self.settings.per_round))
        selection = _Selection(self._space, self.settings, total)
        for leaf in leaves:
            selection.select(leaf)
        dropped = [] if self.settings.observes_only else selection.reservations
        selected = {} if self.settings.observes_only else selection.containers
        marked: list[Container] = []
        killed: list[Container] = []
        for id, container in sorted(selected.items()):
            first_ms = self.first_marked_ms.get(id)
            # A container asked to go has that long to end in order.
            if first_ms is not None and first_ms + self.settings.wait_ms < now_ms:
                killed.append(container)
                del self.first_marked_ms[id]
            else:
                marked.append(container)
                self.first_marked_ms.setdefault(id, now_ms)
        if not self.settings.observes_only:
            keep_ms = 2 * self.settings.wait_ms
            self.first_marked_ms = {id: ms for id, ms in self.first_marked_ms.items() if ms + keep_ms >= now_ms}
        return dropped, marked, killed

    def _share(self, queue: CapacityQueue27, total: Amount) -> _Share:
        """Source: #cloneQueues."""
        calculator, capacity = self._space.calculator, capacity_in(queue, NO_LABEL)
        used, guaranteed = times(total, absolute_used(self._space, queue)), times(total, capacity.absolute)
        share = _Share(queue, used, guaranteed, times(total, capacity.absolute_maximum))
        extra = minus(used, guaranteed) if calculator.compare(total, used, guaranteed) > 0 else NOTHING
        if queue.leaf is not None:
            for number in queue.leaf.active:
                share.pending = plus(share.pending, _pending(queue.leaf.attempts[number]))
            if queue.configuration.preemption_disabled:
                share.untouchable_extra = extra
            else:
                share.preemptable_extra = extra
            return share
        of_children = NOTHING
        for child in queue.children or ():
            below = self._share(child, total)
            of_children = plus(of_children, below.preemptable_extra)
            share.children.append(below)
            share.pending = plus(share.pending, below.pending)
        if calculator.compare(total, of_children, extra) < 0:
            share.untouchable_extra = minus(extra, of_children)
        return share

    def _distribute(self, parent: _Share, allowed: Amount) -> list[_Share]:
        if not parent.children:
            return [parent]
        calculator, whole = self._space.calculator, parent.ideal
        guaranteed = [one for one in parent.children if calculator.compare(whole, one.guaranteed, NOTHING) > 0]
        others = [one for one in parent.children if calculator.compare(whole, one.guaranteed, NOTHING) <= 0]
        left = _fill(calculator, whole, guaranteed, whole, by_guarantee=True)
        if others and calculator.compare(whole, left, NOTHING) > 0:
            _ = _fill(calculator, whole, others, left, by_guarantee=False)
        needed = NOTHING
        for child in parent.children:
            if calculator.compare(whole, child.used, child.ideal) > 0:
                needed = plus(needed, minus(child.used, child.ideal))
        # What all have too much is more than may go in a round: each gives up the same part.
        scale = calculator.divide(whole, allowed, needed) if calculator.compare(whole, needed, allowed) > 0 else 1.0
        for child in parent.children:
            is_over = calculator.compare(whole, child.used, child.ideal) > 0
            child.to_preempt = times(minus(child.used, child.ideal), scale) if is_over else NOTHING
        return [leaf for child in parent.children for leaf in self._distribute(child, allowed)]


def _pending(attempt: Attempt27) -> Amount:
    """Return the pending asks of an application, without locality. Source: FiCaSchedulerApp#getTotalPendingRequests."""
    memory_mb = vcores = 0
    for group in attempt.groups.values():
        if group.anywhere is not None:
            memory_mb += group.anywhere.memory_mb * group.anywhere.count
            vcores += group.anywhere.vcores * group.anywhere.count
    return (memory_mb, vcores)


def _fill(
    calculator: Calculator27, whole: Amount, shares: Sequence[_Share], left: Amount, *, by_guarantee: bool
) -> Amount:
    """Hand out what is left, the most underserved queues first; what remains. Source: #computeFixpointAllocation."""
    wanting: list[_Share] = []
    for share in shares:
        is_over = calculator.compare(whole, share.used, share.guaranteed) > 0
        share.ideal = plus(share.guaranteed, share.untouchable_extra) if is_over else share.used
        left = minus(left, share.ideal)
        if calculator.compare(whole, share.ideal, plus(share.used, share.pending)) < 0:
            wanting.append(share)
    while wanting and calculator.compare(whole, left, NOTHING) > 0:
        _normalise(calculator, left, wanting, by_guarantee=by_guarantee)
        served = [(_served(calculator, whole, share), share) for share in wanting]
        least = min((value for value, _ in served if not isnan(value)), default=0.0)
        underserved = [share for value, share in served if not value > least]
        wanting = [share for value, share in served if value > least]
        given = NOTHING
        for share in underserved:
            offered = calculator.part_up(left, share.normalised, (1, 1))
            accepted = _accept(calculator, whole, share, offered)
            if calculator.compare(whole, accepted, NOTHING) > 0:
                wanting.append(share)
            given = plus(given, accepted)
        left = minus(left, given)
    return left


def _accept(calculator: Calculator27, whole: Amount, share: _Share, offered: Amount) -> Amount:
    """Take a queue's part of an offer; the part it leaves. Source: TempQueue#offer."""
    room = minus_at_most(share.maximum, share.ideal)
    wanted = minus(plus(share.used, share.pending), share.ideal)
    accepted = smaller(calculator, whole, room, smaller(calculator, whole, offered, wanted))
    share.ideal = plus(share.ideal, accepted)
    return accepted


def _normalise(calculator: Calculator27, left: Amount, shares: Sequence[_Share], *, by_guarantee: bool) -> None:
    if not by_guarantee:
        for share in shares:
            share.normalised = float32(1 / len(shares))
        return
    together = NOTHING
    for share in shares:
        together = plus(together, share.guaranteed)
    for share in shares:
        share.normalised = calculator.divide(left, share.guaranteed, together)


def _served(calculator: Calculator27, whole: Amount, share: _Share) -> float:
    """Return the part of its guarantee that a queue would have; queues without one come last."""
    if calculator.compare(whole, share.guaranteed, NOTHING) <= 0:
        return float(2**31 - 1)
    return calculator.divide(whole, share.ideal, share.guaranteed)


class _Selection:
    def __init__(self, space: PartitionResources27, settings: PreemptionSettings27, total: Amount) -> None:
        self.reservations: list[Container] = []
        self.containers: dict[ContainerId, Container] = {}
        self._space = space
        self._settings = settings
        self._total = total
        self._to_obtain: Amount = NOTHING
        self._skipped: list[Container] = []  # application masters passed over so far
        self._skipped_size: Amount = NOTHING

    def select(self, share: _Share) -> None:
        """Select from one leaf, its youngest applications first, application masters last."""
        queue, leaf, settings = share.queue, share.queue.leaf, self._settings
        if queue.configuration.preemption_disabled:
            return
        # A little beyond the guarantee is let be: taking it would only move containers to and fro.
        if leaf is None or not self._exceeds(share.used, times(share.guaranteed, 1.0 + settings.ignored)):
            return
        # Containers end by themselves meanwhile, so each round asks for a part only.
        self._to_obtain = times(share.to_preempt, settings.natural)
        self._skipped_size = NOTHING
        # The youngest applications have lost least work.
        for number in reversed(leaf.active):
            if not self._exceeds(self._to_obtain, NOTHING):
                break
            self._select_from(leaf.attempts[number])
        most = times(times(self._total, capacity_in(queue, NO_LABEL).absolute), leaf.configuration.am_percent)
        for container in self._skipped:
            if not self._exceeds(self._to_obtain, NOTHING) or not self._exceeds(self._skipped_size, most):
                break
            self._take(container)
            self._skipped_size = minus(self._skipped_size, (container.memory_mb, container.vcores))
        self._skipped = []

    def _select_from(self, attempt: Attempt27) -> None:
        for container in attempt.all_reservations_in_order():
            if not self._exceeds(self._to_obtain, NOTHING):
                return
            self.reservations.append(container)
            self._to_obtain = minus(self._to_obtain, (container.memory_mb, container.vcores))
        for container in sorted(attempt.live.values(), key=lambda container: (-container.priority, -container.id[2])):
            if not self._exceeds(self._to_obtain, NOTHING):
                return
            # A master costs all of its application's work: it goes last, and only beyond the share of masters.
            if container.is_am:
                self._skipped.append(container)
                self._skipped_size = plus(self._skipped_size, (container.memory_mb, container.vcores))
            elif self._space.nodes[container.node.id][0] == NO_LABEL:
                self._take(container)

    def _take(self, container: Container) -> None:
        self.containers[container.id] = container
        self._to_obtain = minus(self._to_obtain, (container.memory_mb, container.vcores))

    def _exceeds(self, left: Amount, right: Amount) -> bool:
        return self._space.calculator.compare(self._total, left, right) > 0


def warnings(containers: Sequence[Container]) -> list[Decision]:
    return [Warned(one.id, one.node.id, one.attempt.queue.path, one.memory_mb) for one in containers]
