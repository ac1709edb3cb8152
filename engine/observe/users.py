"""Sums up by user what live applications hold and ask for."""

from collections.abc import Iterable, Sequence

from engine.model.lifecycle import ENDED_APPLICATION_STATES
from engine.observe.snapshot import UNKNOWN, Amounts, ApplicationRow, Unknown, UserRow, summed


def users_of(applications: Iterable[ApplicationRow], total: Amounts) -> list[UserRow]:
    """One row for every user with a live application, by name.

    A sum is unknown where one of its parts is.

    `applications` come in any order; those that have ended do not count. `total` is that of the cluster, for the
    shares.
    """
    live: dict[str, list[ApplicationRow]] = {}
    for row in applications:
        if row.state not in ENDED_APPLICATION_STATES:
            live.setdefault(row.user, []).append(row)
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
        reserved=_known_sum([row.reserved for row in rows], nothing),
        pending_containers=_count([row.pending_containers for row in rows]),
        pending=_known_sum([_wanted(row, nothing) for row in rows], nothing),
        share=max((part / whole for part, whole in zip(used, total, strict=True) if whole > 0), default=0.0),
    )


def _wanted(row: ApplicationRow, nothing: Amounts) -> Amounts | Unknown:
    if isinstance(row.asks, Unknown):
        return UNKNOWN
    return summed((tuple(ask.count * part for part in ask.size) for ask in row.asks), nothing)


def _count(numbers: Sequence[int | Unknown]) -> int | Unknown:
    known = [number for number in numbers if isinstance(number, int)]
    return sum(known) if len(known) == len(numbers) else UNKNOWN


def _known_sum(amounts: Sequence[Amounts | Unknown], nothing: Amounts) -> Amounts | Unknown:
    known = [one for one in amounts if not isinstance(one, Unknown)]
    return summed(known, nothing) if len(known) == len(amounts) else UNKNOWN
