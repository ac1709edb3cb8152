"""Answers observers of a CapacityScheduler of either release: what is alike in both, and rows of queues."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

import msgspec

from engine.model.ledger import Attempt
from engine.model.request import Queue, upwards
from engine.schedulers.capacity.properties import DecidingProperties
from engine.schedulers.capacity.space import Amount, first_size
from engine.schedulers.interface import Amounts, QueueRow, Setting, Shortfall, Unknown
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.settings.capacity import (
    BALANCE_WAIT,
    BALANCES,
    BY_RESERVATION,
    IGNORED_OVER_CAPACITY,
    MONITOR_POLICIES,
    MONITORS,
    NATURAL_TERMINATION,
    OBSERVE_ONLY,
    PER_ROUND,
    WAIT_BEFORE_KILL,
    WITHIN_ORDER,
    WITHIN_QUEUES,
)
from engine.settings.capacity_queue import DISABLE_PREEMPTION, DISABLE_WITHIN
from engine.settings.capacity_scheduler import MINIMUM_USER_LIMIT, USER_LIMIT_FACTOR
from engine.settings.table import Key
from engine.units import format_duration


class PartitionUse(msgspec.Struct, frozen=True):
    label: str  # Empty for the default partition
    capacity: float  # Guaranteed part of the partition, from 0 to 1
    maximum: float  # Largest part it may use, from 0 to 1
    guaranteed: Amounts
    limit: Amounts  # Largest amount it may use
    used: Amounts  # Reservations included


class CapacityQueueRow(QueueRow, frozen=True, kw_only=True):
    """A queue with its capacities; amounts are of the default partition."""

    guaranteed: Amounts
    used_capacity: float  # Used part of what is guaranteed; 1 is all of it, elastic queues go beyond
    state: str  # `RUNNING`, or `STOPPED` for a queue that takes no new applications
    user_limit: Amounts | None  # What one user may use of a leaf at this moment; None for a parent
    am_used: Amounts | None  # Application masters of a leaf; None for a parent
    am_limit: Amounts | None  # What the application masters of a leaf may use together; None for a parent
    partitions: tuple[PartitionUse, ...] = ()  # Every partition it has a part of

    @property
    def granted(self) -> Mapping[str, Amounts | Unknown | None]:
        limits = {"maximum": self.max_share, "user limit": self.user_limit, "AM limit": self.am_limit}
        return {"guaranteed": self.guaranteed, **limits}


class CommonCapacityView:
    """The part of `PolicyView` that both releases share; each adds its queues and its locality delay."""

    queue_row: type[QueueRow] = CapacityQueueRow

    def __init__(self, root: Queue, counts_vcores: bool, properties: DecidingProperties, preempts: bool) -> None:
        self.counts_vcores = counts_vcores
        self._charged = root
        self._properties = properties
        self._preempts = preempts

    def reserved(self) -> Amounts:
        return (self._charged.reserved_memory_mb, self._charged.reserved_vcores)

    def preemption(self) -> bool:
        return self._preempts

    def properties(self) -> Mapping[str, str]:
        return self._properties.values

    def counted(self, limit: Amount) -> Amounts:
        """A limit in what the calculator counts; by memory alone its vcores mean nothing."""
        return limit if self.counts_vcores else limit[:1]

    def settings_needed(self, attempt: Attempt, obstacle: Obstacle) -> list[Setting]:
        return self._properties.needed(attempt.queue.path, obstacle)

    def other_settings(self, attempt: Attempt, reason: Reason, first: Setting) -> list[Setting]:
        return self._properties.others(attempt.queue.path, reason, first)


# What a queue of the CapacityScheduler is due, and why nothing is preempted for it.
#
# Source: ProportionalCapacityPreemptionPolicy, Hadoop 2.7.2 and 3.4.1; PreemptableResourceCalculator, 3.4.1.


PRIORITY_FIRST: Final = "PRIORITY_FIRST"  # The order of preemption within a queue by priority, for all applications

MARKS_LIVE: Final = 2
"""The mark of a container that is selected no more is forgotten after so many `max_wait_before_kill`."""

_SLOW: Final = {
    PER_ROUND: "a round preempts {percent:g} % of the cluster at most",
    NATURAL_TERMINATION: "a round preempts {percent:g} % of what is wanted at most",
}
"""Properties by which a round may preempt next to nothing → what one that is lower than the default does."""


class CapacityShortfall:
    """Looks at one leaf and at those that use more than they are guaranteed."""

    def __init__(self, rows: Sequence[CapacityQueueRow], properties: DecidingProperties, *, preempts: bool) -> None:
        self._rows = {row.path: row for row in rows}
        self._properties = properties
        self._preempts = preempts

    def of(self, attempt: Attempt, beside: Iterable[Attempt]) -> Shortfall | None:
        """What the leaf of an attempt is due, or its user of it; `beside` are those of the leaf.

        None where no other queue uses more than is guaranteed, and no other user more than its own.
        """
        own, size = self._rows.get(attempt.queue.path), first_size(attempt)
        above = [each for each in self._rows.values() if each.is_leaf and each is not own and _above(each) > 0]
        if own is None or size is None:
            return None
        if not above:
            return self._between_users(attempt, size[0], beside)
        most = max(above, key=_above)
        other = f"{most.path} uses {most.used[0]} MB of its {most.guaranteed[0]} MB"
        if own.used[0] + size[0] > own.guaranteed[0]:
            return self._at_guarantee(own, other)
        head = f"queue {own.path} uses {own.used[0]} MB of the {own.guaranteed[0]} MB it is guaranteed, and {other}"
        words, settings = self._why_nothing(above, size[0])
        return Shortfall(f"{head}: {words}" if words else head, settings)

    def _why_nothing(self, above: Sequence[CapacityQueueRow], wanted_mb: int) -> tuple[str, tuple[Setting, ...]]:
        if not self._preempts:
            return "preemption is off", (self._whole(self._switch),)
        if self._flag(OBSERVE_ONLY):
            return "preemption only observes", (self._whole(OBSERVE_ONLY),)
        kept = [setting for each in above if (setting := self._protects(each.path)) is not None]
        if len(kept) == len(above):
            return "nothing may be preempted from it", tuple(dict.fromkeys(kept))
        ignored = self._number(IGNORED_OVER_CAPACITY)
        if all(each.used[0] <= each.guaranteed[0] * (1 + ignored) for each in above):
            return f"{100 * ignored:g} % more than its guarantee is let pass", (self._whole(IGNORED_OVER_CAPACITY),)
        total_mb = sum(row.guaranteed[0] for row in self._rows.values() if row.depth == 0)
        for key, words in _SLOW.items():
            entry, value = self._properties.table.whole[key.name], self._number(key)
            is_less = key is PER_ROUND and value * total_mb < wanted_mb  # less than one container in a round
            if value < float(entry.default) or is_less:
                return words.format(percent=100 * value), (self._whole(key),)
        if BY_RESERVATION.name in self._properties.table.whole and not self._flag(BY_RESERVATION):
            sizes = [each.used[0] / each.containers for each in above if isinstance(each.containers, int)]
            if max(sizes, default=wanted_mb) < wanted_mb:
                words = f"containers below {wanted_mb} MB are preempted on any node, not where they make room for it"
                return words, (self._whole(BY_RESERVATION),)
        wait = format_duration(int(self._number(WAIT_BEFORE_KILL)))
        return f"containers selected for preemption are killed after {wait}", (self._whole(WAIT_BEFORE_KILL),)

    def _at_guarantee(self, own: CapacityQueueRow, other: str) -> Shortfall | None:
        if not self._preempts:
            return None
        head = f"queue {own.path} has its guarantee of {own.guaranteed[0]} MB, and {other}"
        if BALANCES.name not in self._properties.table.whole:
            return Shortfall(f"{head}: preemption stops at the guarantee", ())
        wait_ms, mark_ms = self._number(BALANCE_WAIT), MARKS_LIVE * self._number(WAIT_BEFORE_KILL)
        settings = () if self._flag(BALANCES) else (self._whole(BALANCES),)
        words = "preemption stops at the guarantee, as queues above theirs are not balanced" if settings else ""
        if wait_ms > mark_ms:
            settings = (*settings, self._whole(BALANCE_WAIT))
            waits, lives = format_duration(int(wait_ms)), format_duration(int(mark_ms))
            late = f"a container selected for balance is killed after {waits}, but forgotten after {lives}"
            words = f"{words}; {late}" if words else late
        return Shortfall(f"{head}: {words}" if words else head, settings)

    def _between_users(self, attempt: Attempt, wanted_mb: int, beside: Iterable[Attempt]) -> Shortfall | None:
        path, used, all_beside = attempt.queue.path, Counter[str](), list(beside)
        for each in all_beside:
            used[each.user] += each.used_memory_mb
        own_mb = used.pop(attempt.user, 0)
        user, most_mb = max(used.items(), key=itemgetter(1), default=("", 0))
        if most_mb <= own_mb + wanted_mb:
            return self._between_priorities(attempt, all_beside)
        head = f"user {user} uses {most_mb} MB of {path}, and {attempt.user} {own_mb} MB"
        if WITHIN_QUEUES.name not in self._properties.table.whole:
            return Shortfall(f"{head}: Hadoop 2.7 preempts nothing within a queue", ())
        kept = self._protects(path, DISABLE_WITHIN)
        settings = [*map(self._whole, self._off_within()), *([kept] if kept else [])]
        words = ["nothing is preempted within a queue"] if settings else []
        percent = self._properties.values.get(MINIMUM_USER_LIMIT.of(path), "100")
        if percent == "100":
            words.append("each user may have all of it")
            settings.append(Setting(MINIMUM_USER_LIMIT.of(path), percent))
        return Shortfall(f"{head}: {' and '.join(words)}" if words else head, tuple(settings))

    def _between_priorities(self, attempt: Attempt, beside: Iterable[Attempt]) -> Shortfall | None:
        own = attempt.application.priority or 0
        lower_mb = sum(each.used_memory_mb for each in beside if (each.application.priority or 0) < own)
        if WITHIN_ORDER.name not in self._properties.table.whole or not lower_mb:
            return None
        keys = self._off_within()
        keys += [] if self._properties.text_of(WITHIN_ORDER).upper() == PRIORITY_FIRST else [WITHIN_ORDER]
        kept = self._protects(attempt.queue.path, DISABLE_WITHIN)
        head = f"applications of priorities below {own} use {lower_mb} MB of {attempt.queue.path}"
        words = f"{head}: nothing is preempted for a priority within a queue" if keys or kept else head
        factor = self._properties.of_queue(attempt.queue.path, USER_LIMIT_FACTOR)
        return Shortfall(words, (*map(self._whole, keys), *([kept] if kept else []), factor))

    def _off_within(self) -> list[Key[Any]]:
        """The switches without which nothing is preempted within a queue, as far as they are off."""
        keys: list[Key[Any]] = [] if self._preempts else [self._switch]
        return keys if self._flag(WITHIN_QUEUES) else [*keys, WITHIN_QUEUES]

    @property
    def _switch(self) -> Key[Any]:
        """What switches preemption off: the monitors, or their list."""
        return MONITOR_POLICIES if self._flag(MONITORS) else MONITORS

    def _protects(self, path: str, disable: Key[Any] = DISABLE_PREEMPTION) -> Setting | None:
        """The property that keeps preemption from a queue: its own or the nearest one above; None where none does."""
        values = self._properties.values
        key = next((key for each in upwards(path) if (key := disable.of(each)) in values), "")
        is_kept = values.get(key, "").strip().lower() == "true"
        return Setting(key, values[key]) if is_kept else None

    def _whole(self, key: Key[Any]) -> Setting:
        return Setting(key.everywhere, self._properties.text_of(key))

    def _number(self, key: Key[Any]) -> float:
        return float(self._properties.text_of(key))

    def _flag(self, key: Key[Any]) -> bool:
        return self._properties.text_of(key).strip().lower() == "true"


def _above(row: CapacityQueueRow) -> int:
    """The memory that a queue uses above its guarantee [MB]; negative below it."""
    return row.used[0] - row.guaranteed[0]
