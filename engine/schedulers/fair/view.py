"""Answers observers of the fair scheduler, both releases: its queues as rows, its settings, its order."""

from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import Any, Final, NamedTuple

from engine.model.java_values import INT_MAX
from engine.model.ledger import Attempt
from engine.model.request import upwards
from engine.schedulers.fair.queue_settings import QUEUE_SETTINGS
from engine.schedulers.fair.schedulable import FairLeaf, FairParent, FairQueue, fair_attempt
from engine.schedulers.fair.settings import FairAllocation, FairSettings
from engine.schedulers.fair.shortfall import fair_shortfall
from engine.schedulers.fair.tree import SWITCHES, QueueTree
from engine.schedulers.interface import Amounts, PolicyView, QueueRow, Setting, Shortfall, subject_of
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.settings.fair import (
    NODE_DELAY,
    NODE_THRESHOLD,
    RACK_DELAY,
    RACK_THRESHOLD,
    RESERVABLE_NODES,
    RESERVATION_RULE,
)

_ELEMENTS: Final = {
    Reason.QUEUE_OVER_MAXIMUM: "maxResources",
    Reason.QUEUE_WOULD_EXCEED_MAXIMUM: "maxResources",
    Reason.QUEUE_NOT_RUNNING_IT: "maxRunningApps",
    Reason.AM_SHARE_EXHAUSTED: "maxAMShare",
    Reason.OTHER_FIRST: "schedulingPolicy",
}
"""Reasons that an element of the allocation file decides."""


class FairView(PolicyView):
    """Implements `PolicyView`."""

    queue_row = QueueRow
    counts_vcores = True

    def __init__(
        self,
        tree: QueueTree[Any],  # Any: of either release's allocation
        settings: FairSettings,
        more: Sequence[str] = (),
    ) -> None:
        """Begin. `more` are keys of settings that only this release can change while it runs."""
        self._tree = tree
        self._settings = settings
        self._more = more

    def queues(self) -> list[QueueRow]:
        """All queues, parents before their children, siblings by name."""
        return _queue_rows(self._tree.root, 0)

    def used_memory_mb(self, path: str) -> int:
        """Memory used in a queue [MB]; 0 in one that is not there."""
        queue = self._tree.queues.get(path)
        return queue.used_memory_mb if queue is not None else 0

    def reserved(self) -> Amounts:
        return (self._tree.root.reserved_memory_mb, self._tree.root.reserved_vcores)

    def preemption(self) -> bool:
        return self._settings.preemption

    def reservation_rule(self) -> str:
        """`strict`, `limited` or `off`."""
        return self._settings.reservation_rule

    def settings(self) -> tuple[str, ...]:
        """The switches, what only this release can change, and every element of a queue."""
        return (*SWITCHES, *self._more, *(f"queue.<path>.{element}" for element in QUEUE_SETTINGS))

    def allocation(self) -> FairAllocation:
        """The allocation file in force, with what was changed since it was loaded."""
        allocation: FairAllocation = self._tree.allocation
        return allocation

    def delay_offers(self) -> int:
        """By the thresholds of delay scheduling; 0 where places are waited for by time."""
        settings = self._settings
        if settings.continuous or settings.ignores_locality:
            return 0
        return int(sum(settings.locality_thresholds) * len(self._tree.cluster.nodes)) + 2  # each exceeded by one

    def is_first_come(self, attempt: Attempt) -> bool:
        """Tell whether its queue has the policy `fifo`."""
        queue = self._tree.queues.get(attempt.queue.path)
        return queue is not None and queue.policy.name == "fifo"

    def setting_behind(self, attempt: Attempt, obstacle: Obstacle) -> Setting | None:
        """An element of the allocation file, or a key of yarn-site.xml; None when none decides it."""
        reason, settings = obstacle.reason, self._settings
        if reason in _ELEMENTS:
            return self._of_queue(attempt, obstacle)
        if reason is Reason.NODE_RESERVED:
            return Setting(RESERVATION_RULE.name, settings.reservation_rule)
        if reason is Reason.RESERVATION_LIMIT:
            return Setting(RESERVABLE_NODES.name, f"{settings.reservable_nodes:g}")
        return self._delay(obstacle) if reason is Reason.DELAY_SCHEDULING else None

    def shortfall(self, attempt: Attempt, now_ms: int) -> Shortfall | None:
        """What its leaf is below: its minimum share or its fair share."""
        return fair_shortfall(self._tree, self._settings, fair_attempt(attempt), now_ms)

    def other_settings(self, attempt: Attempt, reason: Reason, first: Setting) -> list[Setting]:
        """The limits of the queue and of those above it from which that of masters or of the queue follows."""
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
    """Sums over the leaves under a queue."""

    running: int
    pending: int
    containers: int


def _queue_rows(queue: FairQueue, depth: int) -> list[QueueRow]:
    if isinstance(queue, FairLeaf):
        return [_queue_row(queue, depth, _counts(queue))]
    children = sorted(queue.order.members, key=attrgetter("path")) if isinstance(queue, FairParent) else ()
    under = [_queue_rows(child, depth + 1) for child in children]
    firsts = [rows[0] for rows in under]
    counts = _Counts(
        sum(row.applications_running for row in firsts),
        sum(row.applications_pending for row in firsts),
        sum(row.containers for row in firsts if isinstance(row.containers, int)),
    )
    return [_queue_row(queue, depth, counts), *chain.from_iterable(under)]


def _counts(leaf: FairLeaf) -> _Counts:
    attempts = leaf.order.members
    # ACCEPTED applications wait for their AM although the queue counts them as running.
    waiting = sum(attempt.application.state == "ACCEPTED" for attempt in attempts)
    containers = sum(len(attempt.live) for attempt in attempts)
    return _Counts(len(attempts) - waiting, len(leaf.parked) + waiting, containers)


def _queue_row(queue: FairQueue, depth: int, counts: _Counts) -> QueueRow:
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
        starved_since_ms=_starved_since(queue) if isinstance(queue, FairLeaf) else None,
    )


def _starved_since(leaf: FairLeaf) -> int | None:
    since = []
    if leaf.starves_of_min_share:
        since.append(leaf.last_min_share_ms)
    if leaf.starves_of_fair_share:
        since.append(leaf.last_fair_share_ms)
    return min(since, default=None)
