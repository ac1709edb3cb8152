"""Answers observers of the fair scheduler, both releases: its queues as rows, its settings, its order."""

from collections.abc import Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any, Final, NamedTuple

from engine.model.java_values import INT_MAX
from engine.model.ledger import Attempt
from engine.model.request import upwards
from engine.schedulers.fair.schedulable import NEVER_MS, FairAttempt, FairLeaf, FairParent, FairQueue, fair_attempt
from engine.schedulers.fair.settings import QUEUE_SETTINGS, FairAllocation, FairSettings
from engine.schedulers.fair.tree import SWITCHES, QueueTree
from engine.schedulers.interface import Amounts, PolicyView, QueueRow, Setting, Shortfall, subject_of
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.settings.fair import (
    FAIR_SHARE_THRESHOLD,
    FAIR_SHARE_TIMEOUT,
    MIN_SHARE_TIMEOUT,
    NODE_DELAY,
    NODE_THRESHOLD,
    PREEMPTION,
    RACK_DELAY,
    RACK_THRESHOLD,
    RESERVABLE_NODES,
    RESERVATION_RULE,
    UTILIZATION_THRESHOLD,
    WEIGHT,
)
from engine.settings.table import Key
from engine.units import format_duration

# What a queue of the FairScheduler is due, since when it is below, and why nothing is preempted for it.
#
# From FairScheduler#resToPreempt, #shouldAttemptPreemption, FSLeafQueue#isStarvedForFairShare, Hadoop 2.7.2, and
# FSAppAttempt#fairShareStarvation, FSLeafQueue#minShareStarvation, 3.4.1.


_SAID: Final = 2  # Reasons that a sentence has at most; the settings are those of all


class _Due(NamedTuple):
    """A share that a leaf is below, or an application of it."""

    who: str
    used_mb: int
    name: str
    memory_mb: int
    below_ms: int  # For how long
    timeout: Key[int]
    timeout_ms: int
    is_starved: bool  # False where it is above the threshold below which anything is preempted


def fair_shortfall(
    tree: QueueTree[Any],  # Any: of either release's allocation
    settings: FairSettings,
    attempt: FairAttempt,
    now_ms: int,
    *,
    within_queues: bool,
) -> Shortfall | None:
    """What the leaf, or (`within_queues`) the attempt in it, is below; None where nobody has more than a fair share."""
    leaf = attempt.queue
    if not leaf.weight > 0:
        keys = [Setting(f"{leaf.path}.{WEIGHT}", f"{leaf.weight:g}")]
        keys += [] if settings.preemption else [Setting(PREEMPTION.name, "false")]
        never = leaf.fair_share_timeout_ms >= NEVER_MS
        keys += [Setting(f"{leaf.path}.{FAIR_SHARE_TIMEOUT}", "not set")] if never else []
        return Shortfall(f"queue {leaf.path} has no fair share: its weight is {leaf.weight:g}", tuple(keys))
    cluster = tree.cluster
    used, total = (cluster.used_memory_mb, cluster.used_vcores), (cluster.total_memory_mb, cluster.total_vcores)
    is_busy = settings.is_busy(used, total)
    # In 3.x the clocks by which it would be preempted stand while nothing may be.
    is_timed = not within_queues or (settings.preemption and is_busy)
    due = _due(leaf, attempt, now_ms, is_timed=is_timed)
    others = [one for one in tree.leaves if one is not leaf]
    # Of vcores it has a fair share only where its policy counts them.
    if not any(one.used_memory_mb > one.fair_memory_mb or 0 < one.fair_vcores < one.used_vcores for one in others):
        due = None
    if due is None and within_queues:
        due = _due_within(leaf, attempt, now_ms, is_timed=is_timed)
    if due is None:
        return None
    head = f"{due.who} uses {due.used_mb} MB, below its {due.name} of {due.memory_mb} MB"
    head += f" for {format_duration(due.below_ms)}" if due.below_ms > 0 and due.is_starved else ""
    words, keys = [], []
    if not settings.preemption:
        words.append("preemption is off")
        keys.append(Setting(PREEMPTION.name, "false"))
    if due.timeout_ms >= NEVER_MS:
        words.append("no timeout starts preemption for it")
        keys.append(Setting(f"{leaf.path}.{due.timeout}", "not set"))
    if not due.is_starved:
        words.append(f"containers are preempted for it below {100 * _threshold(leaf):g} % of that only")
        keys.append(Setting(f"{leaf.path}.{FAIR_SHARE_THRESHOLD}", f"{_threshold(leaf):g}"))
    if not is_busy:
        words.append(f"nothing is preempted while {100 * settings.utilization_threshold:g} % or less is used")
        keys.append(Setting(UTILIZATION_THRESHOLD.name, f"{settings.utilization_threshold:g}"))
    if not keys and due.below_ms < due.timeout_ms:
        words.append(f"containers are preempted for it after {format_duration(due.timeout_ms)}")
        keys.append(Setting(f"{leaf.path}.{due.timeout}", f"{due.timeout_ms // 1000}"))
    return Shortfall(f"{head}: {' and '.join(words[:_SAID])}" if words else head, tuple(keys))


def _threshold(leaf: FairLeaf) -> float:
    """The threshold in force; a leaf that no update pass has seen yet has the default."""
    return leaf.threshold if leaf.threshold > 0 else 0.5


def _due(leaf: FairLeaf, attempt: FairAttempt, now_ms: int, *, is_timed: bool) -> _Due | None:
    least, fair = min(leaf.min_memory_mb, leaf.demand_memory_mb), min(leaf.fair_memory_mb, leaf.demand_memory_mb)
    who, used_mb = f"queue {leaf.path}", leaf.used_memory_mb
    update_ms = now_ms if leaf.starved_ms is None else leaf.starved_ms
    if used_mb < least:
        below_ms, timeout_ms = now_ms - (leaf.last_min_share_ms if is_timed else update_ms), leaf.min_share_timeout_ms
        return _Due(who, used_mb, "minimum share", leaf.min_memory_mb, below_ms, MIN_SHARE_TIMEOUT, timeout_ms, True)
    if leaf.used_memory_mb >= fair:
        return None
    since_ms = max(leaf.last_fair_share_ms, attempt.last_fair_share_ms) if is_timed else update_ms
    timeout_ms, is_starved = (
        leaf.fair_share_timeout_ms,
        leaf.used_memory_mb < int(leaf.fair_memory_mb * _threshold(leaf)),
    )
    fair_mb, below_ms = leaf.fair_memory_mb, now_ms - since_ms
    return _Due(who, used_mb, "fair share", fair_mb, below_ms, FAIR_SHARE_TIMEOUT, timeout_ms, is_starved)


def _due_within(leaf: FairLeaf, attempt: FairAttempt, now_ms: int, *, is_timed: bool) -> _Due | None:
    used_mb, fair_mb = attempt.used_memory_mb, attempt.fair_memory_mb
    others = [one for one in leaf.order.members if one is not attempt]
    has_its_share = used_mb >= min(fair_mb, attempt.demand_memory_mb)
    if has_its_share or not any(one.used_memory_mb > one.fair_memory_mb for one in others):
        return None
    who = f"application {attempt.application.number:04d}"
    below_ms = now_ms - attempt.last_fair_share_ms if is_timed else 0
    is_starved, timeout_ms = used_mb < int(fair_mb * _threshold(leaf)), leaf.fair_share_timeout_ms
    return _Due(who, used_mb, "fair share", fair_mb, below_ms, FAIR_SHARE_TIMEOUT, timeout_ms, is_starved)


_ELEMENTS: Final = {
    Reason.QUEUE_OVER_MAXIMUM: "maxResources",
    Reason.QUEUE_WOULD_EXCEED_MAXIMUM: "maxResources",
    Reason.QUEUE_NOT_RUNNING_IT: "maxRunningApps",
    Reason.AM_SHARE_EXHAUSTED: "maxAMShare",
    Reason.OTHER_FIRST: "schedulingPolicy",
}
"""Reasons that an element of the allocation file decides."""


USER_MAX_APPS_DEFAULT: Final = "userMaxAppsDefault"  # The element for users that the allocation file does not name


class FairView(PolicyView):
    queue_row = QueueRow
    counts_vcores = True

    def __init__(
        self,
        tree: QueueTree[Any],  # Any: of either release's allocation
        settings: FairSettings,
        more: Sequence[str] = (),
        *,
        within_queues: bool = False,
    ) -> None:
        """`more` are live keys of this release alone; `within_queues` tells of preemption within a leaf."""
        self._within_queues = within_queues
        self._tree = tree
        self._settings = settings
        self._more = more

    def queues(self) -> list[QueueRow]:
        return _queue_rows(self._tree.root, 0, self.starved_queues())

    def used_memory_mb(self, path: str) -> int:
        queue = self._tree.queues.get(path)
        return queue.used_memory_mb if queue is not None else 0

    def starved_queues(self) -> dict[str, int]:
        since_of = _starved_since_update if self._within_queues else _starved_since
        leaves = ((leaf.path, since_of(leaf)) for leaf in self._tree.root.leaves())
        return {path: since_ms for path, since_ms in leaves if since_ms is not None}

    def reserved(self) -> Amounts:
        return (self._tree.root.reserved_memory_mb, self._tree.root.reserved_vcores)

    def preemption(self) -> bool:
        return self._settings.preemption

    def reservation_rule(self) -> str:
        return self._settings.reservation_rule

    def settings(self) -> tuple[str, ...]:
        return (*SWITCHES, *self._more, *(f"queue.<path>.{element}" for element in QUEUE_SETTINGS))

    def allocation(self) -> FairAllocation:
        allocation: FairAllocation = self._tree.allocation
        return allocation

    def delay_offers(self) -> int:
        settings = self._settings
        if settings.continuous or settings.ignores_locality:
            return 0
        return int(sum(settings.locality_thresholds) * len(self._tree.cluster.nodes)) + 2  # each exceeded by one

    def is_first_come(self, attempt: Attempt) -> bool:
        queue = self._tree.queues.get(attempt.queue.path)
        return queue is not None and queue.policy.name == "fifo"

    def setting_behind(self, attempt: Attempt, obstacle: Obstacle) -> Setting | None:
        reason, settings = obstacle.reason, self._settings
        if reason is Reason.AM_SHARE_EXHAUSTED and not (own := self._tree.queues[attempt.queue.path]).weight > 0:
            return Setting(f"{own.path}.{WEIGHT}", f"{own.weight:g}")
        if reason in _ELEMENTS:
            return self._of_queue(attempt, obstacle)
        if reason is Reason.NODE_RESERVED:
            return Setting(RESERVATION_RULE.name, settings.reservation_rule)
        if reason is Reason.RESERVATION_LIMIT:
            return Setting(RESERVABLE_NODES.name, f"{settings.reservable_nodes:g}")
        return self._delay(obstacle) if reason is Reason.DELAY_SCHEDULING else None

    def shortfall(self, attempt: Attempt, now_ms: int) -> Shortfall | None:
        own = fair_attempt(attempt)
        return fair_shortfall(self._tree, self._settings, own, now_ms, within_queues=self._within_queues)

    def other_settings(self, attempt: Attempt, reason: Reason, first: Setting) -> list[Setting]:
        element = first.key.rpartition(".")[2]
        if reason not in (Reason.QUEUE_OVER_MAXIMUM, Reason.QUEUE_NOT_RUNNING_IT, Reason.AM_SHARE_EXHAUSTED):
            return []
        limit = "maxResources" if element == "maxAMShare" else element
        above = map(self._tree.queues.__getitem__, upwards(attempt.queue.path))
        settings = [Setting(f"{each.path}.{limit}", _value(each, limit)) for each in above]
        return [each for each in settings if each.value and each != first]

    def _of_queue(self, attempt: Attempt, obstacle: Obstacle) -> Setting | None:
        element = _ELEMENTS[obstacle.reason]
        subject, is_user = subject_of(obstacle, attempt)
        if is_user and subject not in self.allocation().user_max_running_apps:
            return Setting(USER_MAX_APPS_DEFAULT, str(obstacle.numbers[1]))
        if is_user:
            return Setting(f"user {subject}.{element}", str(obstacle.numbers[1]))
        queue = self._tree.queues.get(subject or attempt.queue.path)
        return Setting(f"{queue.path}.{element}", _value(queue, element)) if queue is not None else None

    def _delay(self, obstacle: Obstacle) -> Setting:
        settings = self._settings
        place = 0 if obstacle.numbers[1:] == (1,) else 1
        if settings.continuous:
            return Setting((NODE_DELAY, RACK_DELAY)[place].name, f"{settings.locality_delays[place]:g}")
        return Setting((NODE_THRESHOLD, RACK_THRESHOLD)[place].name, f"{settings.locality_thresholds[place]:g}")


def _value(queue: FairQueue, element: str) -> str:
    if element == "maxResources":
        limited = queue.max_memory_mb < INT_MAX or queue.max_vcores < INT_MAX
        return f"{queue.max_memory_mb} mb, {queue.max_vcores} vcores" if limited else ""
    if element == "maxRunningApps":
        return str(queue.max_apps)
    if element == "maxAMShare":
        return f"{queue.max_am_share:g}"
    return queue.policy.name


class _Counts(NamedTuple):
    running: int
    pending: int
    containers: int


def _queue_rows(queue: FairQueue, depth: int, starved: Mapping[str, int]) -> list[QueueRow]:
    if isinstance(queue, FairLeaf):
        return [_queue_row(queue, depth, _counts(queue), starved.get(queue.path))]
    children = sorted(queue.order.members, key=attrgetter("path")) if isinstance(queue, FairParent) else ()
    under = [_queue_rows(child, depth + 1, starved) for child in children]
    firsts = [rows[0] for rows in under]
    counts = _Counts(
        sum(row.applications_running for row in firsts),
        sum(row.applications_pending for row in firsts),
        sum(row.containers for row in firsts if isinstance(row.containers, int)),
    )
    return [_queue_row(queue, depth, counts, None), *chain.from_iterable(under)]


def _counts(leaf: FairLeaf) -> _Counts:
    attempts = [*leaf.order.members, *leaf.parked]
    # Also one that the queue counts as running is ACCEPTED until its master has registered.
    running = sum(attempt.application.state == "RUNNING" for attempt in attempts)
    return _Counts(running, len(attempts) - running, sum(len(attempt.live) for attempt in attempts))


def _queue_row(queue: FairQueue, depth: int, counts: _Counts, starved_ms: int | None) -> QueueRow:
    # No limit in one dimension: INT_MAX in 2.7, Long.MAX_VALUE MB in 3.x; both are shown as the former.
    limit = (min(queue.max_memory_mb, INT_MAX), min(queue.max_vcores, INT_MAX))
    return QueueRow(
        path=queue.path,
        depth=depth,
        is_leaf=queue.is_leaf,
        policy=queue.policy.name,
        weight=queue.weight,
        used=(queue.used_memory_mb, queue.used_vcores),
        demand=(queue.demand_memory_mb, queue.demand_vcores),
        fair_share=(queue.fair_memory_mb, queue.fair_vcores),
        steady_share=(queue.steady_memory_mb, queue.steady_vcores),
        min_share=(queue.min_memory_mb, queue.min_vcores),
        max_share=limit if limit != (INT_MAX, INT_MAX) else None,
        reserved=(queue.reserved_memory_mb, queue.reserved_vcores),
        applications_running=counts.running,
        applications_pending=counts.pending,
        containers=counts.containers,
        starved_since_ms=starved_ms,
    )


def _starved_since_update(leaf: FairLeaf) -> int | None:
    return leaf.starved_ms if leaf.starves_of_min_share or leaf.starves_of_fair_share else None


def _starved_since(leaf: FairLeaf) -> int | None:
    since = []
    if leaf.starves_of_min_share:
        since.append(leaf.last_min_share_ms)
    if leaf.starves_of_fair_share:
        since.append(leaf.last_fair_share_ms)
    return min(since, default=None)
