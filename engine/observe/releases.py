"""Remembers for a screen what could free a reserved node, and when; others work that out.

A picture gets what is known; its owner learns what is looked at and stores what was found. An answer belongs to
one reservation: when the node is held by another one, or the instant has passed, it is forgotten.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from engine.grouping import grouped
from engine.model.decision import ContainerId
from engine.model.lifecycle import ENDED_APPLICATION_STATES
from engine.observe.snapshot import UNKNOWN, Amounts, ApplicationRow, Release, Unknown, UserRow, known_sum, summed

NOT_YET: Final = Release("")
LATER: Final = "later"  # The outcome of a search that has not come to the release of a reservation
Held = tuple[str, ContainerId]  # A reservation: (node, the container that is to start there)


class Releases:
    def __init__(self, wanted: Callable[[], object] = lambda: None) -> None:
        """Know nothing yet; `wanted` is called when reservations are looked at."""
        self.version = 0  # a screen redraws when it grows
        self.is_wanted = False  # true if reservations were looked at since it was last set to False
        self.shown: set[Held] = set()
        """The reservations whose rows were looked at since the last call."""
        self._tell = wanted
        self._known: Mapping[Held, Release] = {}

    def look(self) -> None:
        self.shown.clear()
        if not self.is_wanted:
            self.is_wanted = True
            self._tell()

    def of(self, held: Held, now_ms: int) -> Release:
        """Return what is known of a reservation at an instant [epoch ms], and note that its row is looked at."""
        self.shown.add(held)
        known = self._known.get(held, NOT_YET)
        if known.outcome == LATER:
            self._tell()
        return NOT_YET if known.time_ms is not None and known.time_ms < now_ms else known

    def tell(self, found: Mapping[Held, Release]) -> None:
        if found != self._known:
            self._known = found
            self.version += 1


def users_of(applications: Iterable[ApplicationRow], total: Amounts) -> list[UserRow]:
    """One row for every user with a live application, by name; `total` is the cluster's, for the shares.

    A sum is unknown where one of its parts is.
    """
    live = grouped((row.user, row) for row in applications if row.state not in ENDED_APPLICATION_STATES)
    return [_row(user, rows, total) for user, rows in sorted(live.items())]


def _row(user: str, rows: Sequence[ApplicationRow], total: Amounts) -> UserRow:
    nothing = (0,) * len(total)
    used = summed((row.used for row in rows), nothing)
    running = sum(row.state == "RUNNING" for row in rows)
    return UserRow(
        user=user,
        queues=tuple(sorted({row.queue for row in rows})),
        applications_running=running,
        applications_pending=len(rows) - running,
        containers=sum(row.containers for row in rows),
        used=used,
        reserved=known_sum((row.reserved for row in rows), nothing),
        pending_containers=_count([row.pending_containers for row in rows]),
        pending=known_sum((_wanted(row, nothing) for row in rows), nothing),
        share=max((part / whole for part, whole in zip(used, total, strict=True) if whole > 0), default=0.0),
    )


def _wanted(row: ApplicationRow, nothing: Amounts) -> Amounts | Unknown:
    if isinstance(row.asks, Unknown):
        return UNKNOWN
    return summed((tuple(ask.count * part for part in ask.size) for ask in row.asks), nothing)


def _count(numbers: Sequence[int | Unknown]) -> int | Unknown:
    known = [number for number in numbers if isinstance(number, int)]
    return sum(known) if len(known) == len(numbers) else UNKNOWN
