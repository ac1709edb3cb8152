"""Tells how an application is served: it asks for more, has what it asks for, asks for nothing, starts, or has ended.

One definition for every kind of control plane, simulated, recorded or live: it needs only the fields of a row. Header,
groups and table say nothing about an application's health that does not follow from it.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from engine.observe.section import column
from engine.observe.snapshot import CapacityQueueRow, Snapshot, Unknown

LIVE_STATES: Final = frozenset({"NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "WAITING", "RUNNING"})
"""States of an application that has not ended."""

ENDED, WAITS, STARTS, IDLE, SERVED = "ended", "waits", "starts", "idle", "served"
"""It has ended; has an unmet ask; its first container is placed and does not run yet; is RUNNING, holds nothing and
asks for nothing; holds containers and asks for no more."""

_FIELDS: Final = ("state", "pending_containers", "waiting_since_ms", "containers")


def service_of(state: str, pending: int | Unknown, since_ms: int | None, containers: int) -> str:
    """Tell how an application in a state is served.

    It asks for `pending` containers that it does not have; where that is unknown, whether it waits decides. `since_ms`
    is None when it does not wait.
    """
    if state not in LIVE_STATES:
        return ENDED
    asks = since_ms is not None if isinstance(pending, Unknown) else pending > 0
    if asks:
        return WAITS
    if state == "RUNNING":
        return SERVED if containers else IDLE
    return STARTS if containers else WAITS


def services(rows: Sequence[Any]) -> list[str]:
    """Tell how each application of a section is served."""
    return [service_of(*fields) for fields in zip(*(column(rows, name) for name in _FIELDS), strict=True)]


class WaitTotal(NamedTuple):
    """Applications that wait, in figures: those that ask for more than they have."""

    first: int = 0
    """So many have nothing yet, and wait for a first container."""
    more: int = 0
    """So many have some, and wait for more."""
    since_ms: int | None = None
    """Since when the first of them waits [epoch ms]; None when none does, or nobody knows."""

    @property
    def number(self) -> int:
        """So many wait in all."""
        return self.first + self.more

    def together(self, other: "WaitTotal") -> "WaitTotal":
        """Those of both."""
        since = [at for at in (self.since_ms, other.since_ms) if at is not None]
        return WaitTotal(self.first + other.first, self.more + other.more, min(since, default=None))


def waits_of(rows: Sequence[Any]) -> WaitTotal:
    """Count the applications of a snapshot that wait."""
    return _total(_waits(rows))


def waits_by(rows: Sequence[Any], field: str) -> dict[str, WaitTotal]:
    """Count them by a field of the rows: `queue` or `user`."""
    found: dict[str, list[_Wait]] = {}
    for name, wait in zip(column(rows, field), _waits(rows), strict=True):
        if wait is not None:
            found.setdefault(name, []).append(wait)
    return {name: _total(some) for name, some in found.items()}


_Wait = tuple[bool, int | None]
"""Whether it has nothing yet, and since when it waits."""


def _waits(rows: Sequence[Any]) -> list[_Wait | None]:
    """Each row's wait; None where it does not wait."""
    fields = zip(services(rows), column(rows, "containers"), column(rows, "waiting_since_ms"), strict=True)
    return [(not containers, since_ms) if each == WAITS else None for each, containers, since_ms in fields]


def _total(waits: Sequence[_Wait | None]) -> WaitTotal:
    known = [each for each in waits if each is not None]
    first = sum(is_first for is_first, _ in known)
    since_ms = min((at for _, at in known if at is not None), default=None)
    return WaitTotal(first, len(known) - first, since_ms)


def has_its_part(snapshot: Snapshot, number: int) -> bool:
    """Tell whether an application holds as much memory as its even part of its queue's guarantee.

    The guarantee is CapacityScheduler's capacity or FairScheduler's fair share, divided among the live applications of
    the queue; where there is none the answer is False. Who has its part is passed by others as the policy means it.
    """
    rows = [row for row in snapshot.applications(why=False) if row.state in LIVE_STATES]
    own = next((row for row in rows if row.number == number), None)
    queue = next((row for row in snapshot.queues() if own is not None and row.path == own.queue), None)
    if own is None or queue is None:
        return False
    guarantee = queue.guaranteed if isinstance(queue, CapacityQueueRow) else queue.fair_share
    if not isinstance(guarantee, tuple) or not guarantee[0]:
        return False
    beside = sum(row.queue == own.queue for row in rows)
    return own.used[0] * beside >= guarantee[0]
