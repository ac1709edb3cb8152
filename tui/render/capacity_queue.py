"""Queues of CapacityScheduler: what each is guaranteed, may use at most and uses, on the scale of the whole cluster.

A bar reads from the left: used up to what is guaranteed, used beyond it, room up to the maximum; marks stand at the
guarantee and at the maximum. Amounts are of the default partition.
"""

from collections.abc import Mapping
from typing import Any

from engine.observe.snapshot import Amounts, CapacityQueueRow
from tui import format as text
from tui.render import queue
from tui.render.facts import Group, grouped
from tui.render.field import COUNT, MEMORY, TEXT, Criteria, RowField, at
from tui.render.line import Column, Look, Span, Spans, bar
from tui.render.noun import Noun


def _is_stopped(row: CapacityQueueRow) -> bool:
    return row.state != "RUNNING"


def _bar(row: CapacityQueueRow, look: Look, width: int) -> Spans:
    used, guaranteed, most = row.used[0], row.guaranteed[0], queue.first(row.max_share)
    scale, signs = look.total[0] if look.total else 0, look.glyphs
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
    return _memory(row.used, look), "warn" if row.used[0] > row.guaranteed[0] else "plain"


def _guaranteed(row: CapacityQueueRow, look: Look, width: int) -> Span:
    return _memory(row.guaranteed, look), "plain"


def _part(row: CapacityQueueRow, look: Look, width: int) -> Span:
    return f"{100 * row.used_capacity:.0f}%", "warn" if row.used_capacity > 1 else "plain"


def _user_limit(row: CapacityQueueRow, look: Look, width: int) -> Span:
    return _memory(row.user_limit, look), "plain"


def _masters(row: CapacityQueueRow, look: Look, width: int) -> Span:
    if row.am_used is None or row.am_limit is None:
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
    _BY_TITLE["MAX"],
    Column("OF GUAR", 7, 5, _part, right=True),
    _BY_TITLE["RUN/WAIT"],
    Column("USER LIM", 8, 6, _user_limit, right=True),
    Column("AM/LIMIT", 11, 7, _masters, right=True),
    Column("STATE", 8, 8, _state),
)


def details(row: CapacityQueueRow, look: Look) -> list[Spans]:
    """What the strip says about one queue."""
    shares = [("used", row.used), ("guaranteed", row.guaranteed), ("max", row.max_share)]
    of_leaf = [("user limit", row.user_limit), ("masters", row.am_used), ("of at most", row.am_limit)]
    words: Spans = []
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
    RowField("guaranteed", "g", MEMORY, lambda row, look: at(row.guaranteed, 0), "guaranteed memory"),
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
