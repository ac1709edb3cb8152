"""Queues of CapacityScheduler: what each is guaranteed, may use at most and uses, on the scale of the whole cluster.

A bar reads from the left: used up to what is guaranteed, used beyond it, room up to the maximum; marks stand at the
guarantee and at the maximum. Amounts are of one partition, the default one until another is chosen; limits of users
and of application masters are known of the default one only.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engine.observe.snapshot import Amounts, CapacityQueueRow, Snapshot
from tui import format as text
from tui.render import queue
from tui.render.facts import Group, grouped
from tui.render.field import COUNT, MEMORY, TEXT, Criteria, RowField, at
from tui.render.line import Column, Look, Span, Spans, bar
from tui.render.noun import Noun


def _is_stopped(row: CapacityQueueRow) -> bool:
    return row.state != "RUNNING"


class _Shares(NamedTuple):
    """What a queue has and uses of the partition that is shown."""

    used: Amounts
    guaranteed: Amounts
    most: Amounts | None
    total: Amounts
    """Of the partition; the scale of the meter."""


def _shares(row: CapacityQueueRow, look: Look) -> _Shares:
    if not look.partition:
        most = row.max_share if isinstance(row.max_share, tuple) else None
        return _Shares(row.used, row.guaranteed, most, look.total)
    use = next((use for use in row.partitions if use.label == look.partition), None)
    if use is None:
        return _Shares((0,), (0,), (0,), look.total)
    return _Shares(use.used, use.guaranteed, use.limit, look.total)


def _bar(row: CapacityQueueRow, look: Look, width: int) -> Spans:
    shares, signs = _shares(row, look), look.glyphs
    used, guaranteed, most = shares.used[0], shares.guaranteed[0], queue.first(shares.most)
    scale = shares.total[0] if shares.total else 0
    room = scale if most is None else min(scale, most)
    parts = [
        (min(used, guaranteed), signs.used, "bar.used"),
        (used, signs.over, "bar.over"),
        (room, signs.room, "bar.room"),
    ]
    marks = [(value, sign) for value, sign in ((room, signs.minimum), (guaranteed, signs.share)) if value]
    return [("[", "dim"), *bar(width - 2, parts, marks, scale), ("]", "dim")]


def _memory(amount: Amounts | None, look: Look) -> str:
    return "" if amount is None else text.dimension(look.dimensions[0], amount[0])


def _used(row: CapacityQueueRow, look: Look, width: int) -> Span:
    shares = _shares(row, look)
    return _memory(shares.used, look), "warn" if shares.used[0] > shares.guaranteed[0] else "plain"


def _guaranteed(row: CapacityQueueRow, look: Look, width: int) -> Span:
    return _memory(_shares(row, look).guaranteed, look), "plain"


def _most(row: CapacityQueueRow, look: Look, width: int) -> Span:
    return _memory(_shares(row, look).most, look) or "-", "plain"


def _part(row: CapacityQueueRow, look: Look, width: int) -> Span:
    part = row.used_capacity
    if look.partition:
        shares = _shares(row, look)
        part = shares.used[0] / shares.guaranteed[0] if shares.guaranteed[0] else 0.0
    return f"{100 * part:.0f}%", "warn" if part > 1 else "plain"


def _user_limit(row: CapacityQueueRow, look: Look, width: int) -> Span:
    return "" if look.partition else _memory(row.user_limit, look), "plain"


def _masters(row: CapacityQueueRow, look: Look, width: int) -> Span:
    if row.am_used is None or row.am_limit is None or look.partition:
        return "", "plain"
    return f"{_memory(row.am_used, look)}/{_memory(row.am_limit, look)}", "plain"


def _state(row: CapacityQueueRow, look: Look, width: int) -> Span:
    return row.state, "warn" if _is_stopped(row) else "dim"


_BY_TITLE: Mapping[str, Column[Any]] = {column.title: column for column in queue.COLUMNS}

COLUMNS: tuple[Column[Any], ...] = (
    _BY_TITLE["QUEUE"],
    Column("MEMORY", 12, 3, _bar, grow=3),
    Column("USED", 5, 0, _used, right=True),
    Column("GUAR", 5, 1, _guaranteed, right=True),
    Column("MAX", 5, 4, _most, right=True),
    Column("OF GUAR", 7, 7, _part, right=True),
    _BY_TITLE["RUN/WAIT"],
    Column("USER LIM", 8, 6, _user_limit, right=True),
    Column("AM/LIMIT", 9, 5, _masters, right=True),
    Column("STATE", 8, 8, _state),
)


def details(row: CapacityQueueRow, look: Look) -> list[Spans]:
    """What the strip says about one queue."""
    used, guaranteed, most, _ = _shares(row, look)
    shares = [("used", used), ("guaranteed", guaranteed), ("max", most)]
    of_leaf = [("user limit", row.user_limit), ("masters", row.am_used), ("of at most", row.am_limit)]
    of_leaf = [] if look.partition else of_leaf
    words: Spans = [("partition ", "head"), (text.plain(look.partition) + "   ", "strong")] if look.partition else []
    for title, share in [*shares, *(each for each in of_leaf if each[1] is not None)]:
        words += [(f"{title} ", "head"), (queue.amounts(share, look) + "   ", "plain")]
    signs = look.glyphs
    reading = (
        f"{signs.used} used   {signs.over} beyond the guarantee   {signs.share} guaranteed   "
        f"{signs.minimum} maximum   {signs.room} room up to it"
    )
    stopped: Spans = [("!    ", "bad"), (f"{row.state}: it takes no application", "bad")]
    return [queue.summary(row), words, stopped if _is_stopped(row) else [(reading, "dim")]]


_FAIR_ONLY = frozenset({"fair", "demand", "starved"})

FIELDS = (
    *(field for field in queue.FIELDS if field.name not in _FAIR_ONLY),
    RowField("guaranteed", "g", MEMORY, lambda row, look: at(_shares(row, look).guaranteed, 0), "guaranteed memory"),
    RowField("part", "o", COUNT, lambda row, look: round(100 * row.used_capacity), "used part of the guarantee [%]"),
    RowField("state", "t", TEXT, lambda row, look: row.state, "state"),
)


def is_problem(row: CapacityQueueRow, look: Look) -> bool:
    """Whether it is stopped or an application waits in it."""
    return _is_stopped(row) or row.applications_pending > 0


_ANY_QUEUE: Noun[Any] = queue.NOUN
_ANY_LEAF: Noun[Any] = queue.LEAVES

NOUN = _ANY_QUEUE._replace(
    columns=COLUMNS,
    details=details,
    criteria=Criteria(FIELDS, is_problem),
    facts=grouped(
        Group("queue", ("path", "is_leaf", "policy", "state")),
        Group("shares", ("used", "used_capacity", "guaranteed", "max_share", "reserved", "partitions")),
        Group("users", ("user_limit",)),
        Group("application masters", ("am_used", "am_limit")),
        Group("applications", ("applications_running", "applications_pending", "containers")),
        absent=("weight", "demand", "fair_share", "steady_share", "min_share", "starved_since_ms"),
    ),
)

LEAVES = _ANY_LEAF._replace(
    columns=(_ANY_LEAF.columns[0], *COLUMNS[1:]),
    details=details,
    criteria=NOUN.criteria,
    facts=NOUN.facts,
)
"""The leaf queues alone, by path."""


def partitions(rows: Sequence[CapacityQueueRow]) -> dict[str, Amounts]:
    """Every partition that some queue has a part of → what it has in all; the default one first."""
    found: dict[str, Amounts] = {}
    for row in rows:
        for use in row.partitions:
            found.setdefault(use.label, use.guaranteed)  # the root comes first and has all of it
    return dict(sorted(found.items()))


def in_partition(look: Look, snapshot: Snapshot, label: str) -> Look:
    """What queues are drawn with when the shares of a partition are shown; the same where there is only one."""
    if not snapshot.header.scheduler.startswith("capacity"):
        return look
    rows = snapshot.queues()
    whole = rows[0] if rows else None
    if not isinstance(whole, CapacityQueueRow) or len(whole.partitions) < 2:
        return look
    known = partitions([whole])
    return look._replace(total=known[label], partition=label) if label in known else look
