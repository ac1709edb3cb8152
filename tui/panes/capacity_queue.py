"""Queues of CapacityScheduler: what each is guaranteed, may use at most and uses, on the scale of the whole cluster.

A meter is filled up to what is used; a mark stands at the guarantee, and past the maximum it is blank. Amounts are of
one partition, the default one until another is chosen; limits of users and of application masters are known of the
default one only.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.observe.snapshot import Amounts, CapacityQueueRow, Snapshot
from tui.panes import queue
from tui.panes.field import COUNT, MEMORY, Draw, RowField, RowFields, at, text_cell
from tui.panes.line import Fragments, RenderContext, Span, line_meter
from tui.panes.misfit import opened_to
from tui.panes.noun import PaneView, by_row
from tui.panes.table import Column, figure
from tui.terminal import format as text


def _is_stopped(row: CapacityQueueRow) -> bool:
    return row.state != "RUNNING"


class _Shares(NamedTuple):
    """A queue's capacity and use of the partition that is shown."""

    used: Amounts
    guaranteed: Amounts
    most: Amounts | None
    total: Amounts  # The total of the partition; the scale of the meter


def _shares(row: CapacityQueueRow, look: RenderContext) -> _Shares:
    if not look.partition:
        most = row.max_share if isinstance(row.max_share, tuple) else None
        return _Shares(row.used, row.guaranteed, most, look.total)
    use = next((use for use in row.partitions if use.label == look.partition), None)
    if use is None:
        return _Shares((0,), (0,), (0,), look.total)
    return _Shares(use.used, use.guaranteed, use.limit, look.total)


def _has_access(row: CapacityQueueRow, look: RenderContext) -> bool:
    return not look.partition or look.partition in opened_to(row)


def _bar(row: CapacityQueueRow, look: RenderContext, width: int) -> Fragments:
    if not _has_access(row, look):
        return [(f"{'no access':{width}}"[:width], "faint")]
    shares = _shares(row, look)
    return line_meter(
        width,
        shares.used[0],
        shares.total[0] if shares.total else 0,
        share=None if row.depth == 0 else shares.guaranteed[0],
        maximum=queue.first(shares.most),
        style=queue.hue(row.path, look),
    )


def _memory(amount: Amounts | None, look: RenderContext) -> str:
    return "" if amount is None else text.dimension(look.dimensions[0], amount[0])


def _used(row: CapacityQueueRow, look: RenderContext, width: int) -> Span:
    return _memory(_shares(row, look).used, look) if _has_access(row, look) else "", "text"


def _most(row: CapacityQueueRow, look: RenderContext, width: int) -> Span:
    return (_memory(_shares(row, look).most, look) or text.NONE) if _has_access(row, look) else "", "text"


def _part(row: CapacityQueueRow, look: RenderContext, width: int) -> Span:
    part = row.used_capacity
    if look.partition:
        shares = _shares(row, look)
        part = shares.used[0] / shares.guaranteed[0] if shares.guaranteed[0] else 0.0
    return f"{100 * part:.0f}%", "text"


_user_limit: Draw[CapacityQueueRow] = text_cell(
    lambda row, look: "" if look.partition else _memory(row.user_limit, look)
)


def _masters(row: CapacityQueueRow, look: RenderContext, width: int) -> Span:
    if row.am_used is None or row.am_limit is None or look.partition:
        return "", "text"
    return f"{_memory(row.am_used, look)}/{_memory(row.am_limit, look)}", "text"


_words: Draw[CapacityQueueRow] = text_cell(lambda row, look: row.state)
# Shows the state of a stopped queue only: no other has a state worth a column.
_state: Draw[CapacityQueueRow] = text_cell(lambda row, look: row.state if _is_stopped(row) else "", "watch")


def details(row: CapacityQueueRow, look: RenderContext) -> list[Fragments]:
    """Returns the lines of the strip about one queue."""
    used, guaranteed, most, _ = _shares(row, look)
    shares = [("used", used), ("guaranteed", guaranteed), ("max", most)]
    of_leaf = [("user limit", row.user_limit), ("masters", row.am_used), ("of at most", row.am_limit)]
    of_leaf = [] if look.partition else of_leaf
    words: Fragments = [("in ", "faint"), (partition_name(look.partition) + "   ", "strong")] if look.partitions else []
    for title, share in [*shares, *(each for each in of_leaf if each[1] is not None)]:
        words += [(f"{title} ", "faint"), (queue.amounts(share, look) + "   ", "text")]
    state: Fragments = [(row.state, "strong"), (": it takes no application", "text")]
    others = [_elsewhere_line(row, label, look) for label in look.partitions if label != look.partition]
    return [queue.summary(row, look), words, *others, *([state] if _is_stopped(row) else [])]


def partition_name(label: str) -> str:
    """Return the name of a partition on screens."""
    return text.plain(label) or "default"


def _elsewhere_line(row: CapacityQueueRow, label: str, look: RenderContext) -> Fragments:
    use = next((use for use in row.partitions if use.label == label), None)
    name: Fragments = [("in ", "faint"), (f"{partition_name(label)}   ", "strong")]
    if use is None or label not in opened_to(row):
        return [*name, ("no access", "faint")]
    amounts = [("used", use.used), ("guaranteed", use.guaranteed), ("max", use.limit)]
    return [*name, ("   ".join(f"{title} {_memory(amount, look)}" for title, amount in amounts), "text")]


def _elsewhere(row: CapacityQueueRow, look: RenderContext, width: int) -> Span:
    some = [use for use in row.partitions if use.label != look.partition and use.used[0] and look.partitions]
    return " ".join(f"{_memory(use.used, look)} {partition_name(use.label)}" for use in some), "text"


LEGEND = ("used ━  guaranteed │", "used ━  guar │")
_MASTERS = "application masters"
_of_queue = queue.FIELDS.field
FIELDS: RowFields[Any] = RowFields(
    (
        *map(_of_queue, ("queue", "leaf", "policy")),
        RowField("state", letter="t", column=Column("STATE", 8, 3, _state), group="queue"),
        RowField("state_word", column=Column("STATE", 8, 8, _words, sorts="state")),
        _of_queue("memory")._replace(column=queue.FIELDS.column("memory", cell=_used)),
        RowField("meter", column=queue.FIELDS.column("meter", cell=_bar, legend=LEGEND)),
        _of_queue("vcores"),
        RowField(
            "part",
            "used_capacity",
            COUNT,
            "o",
            "used part of the guarantee [%]",
            Column("OF GUAR", 7, 7, _part, right=True),
            "shares",
            own=lambda row, look: round(100 * row.used_capacity),
        ),
        RowField(
            "guaranteed",
            "",
            MEMORY,
            "g",
            "guaranteed memory",
            figure(
                "GUAR",
                5,
                1,
                text_cell(
                    lambda row, look: _memory(_shares(row, look).guaranteed, look) if _has_access(row, look) else ""
                ),
            ),
            "shares",
            own=lambda row, look: at(_shares(row, look).guaranteed, 0),
        ),
        RowField("max", "max_share", column=figure("MAX", 5, 4, _most), group="shares"),
        RowField("reserved", group="shares"),
        RowField("partitions", group="shares"),
        RowField("elsewhere", column=Column("ALSO", 18, 1, _elsewhere)),
        RowField("user_limit", column=Column("USER LIM", 8, 6, _user_limit, right=True), group="users"),
        RowField("masters", "am_used", column=Column("AM/LIMIT", 9, 5, _masters, right=True), group=_MASTERS),
        RowField("am_limit", group=_MASTERS),
        *map(_of_queue, ("running", "waiting", "containers")),
    ),
    letters="qpmvrwgot",
)
COLUMNS = (
    *FIELDS.columns("queue meter memory elsewhere guaranteed max"),
    FIELDS.column("running", rank=5),
    FIELDS.column("waiting", rank=4),
    FIELDS.column("state"),
)
EVERY_COLUMN = FIELDS.columns("queue meter memory guaranteed max part running waiting user_limit masters state_word")
"""To choose from, and for tables outside of a screen."""


def is_problem(row: CapacityQueueRow, look: RenderContext) -> bool:
    """True for a queue that is stopped or has an application that waits."""
    return _is_stopped(row) or queue.waits(row, look).number > 0


_ANY_QUEUE: PaneView[Any] = queue.NOUN
_ANY_LEAF: PaneView[Any] = queue.LEAVES


def _state_words(look: RenderContext) -> str:
    return f"partition {partition_name(look.partition)}" if look.partitions else ""


NOUN = _ANY_QUEUE._replace(
    words=_ANY_QUEUE.words._replace(state=_state_words),
    shape=_ANY_QUEUE.shape._replace(columns=COLUMNS, every_column=EVERY_COLUMN),
    details=by_row(details),
    criteria=FIELDS.criteria(is_problem),
    facts=FIELDS.facts(absent=("weight", "demand", "fair_share", "steady_share", "min_share", "starved_since_ms")),
)

LEAVES = _ANY_LEAF._replace(
    words=_ANY_LEAF.words._replace(state=_state_words),
    shape=_ANY_LEAF.shape._replace(
        columns=(_ANY_LEAF.shape.columns[0], *COLUMNS[1:]), every_column=(_ANY_LEAF.shape.columns[0], *EVERY_COLUMN[1:])
    ),
    details=by_row(details),
    criteria=NOUN.criteria,
    facts=NOUN.facts,
)
"""The leaf queues alone, by path."""


def partitions(rows: Sequence[Any]) -> dict[str, Amounts]:
    """Every partition that some queue has a part of → what it has in all; the default one first."""
    found: dict[str, Amounts] = {}
    for row in rows:
        for use in row.partitions:
            found.setdefault(use.label, use.guaranteed)  # the root comes first and has all of it
    return dict(sorted(found.items()))


def partitions_of(snapshot: Snapshot) -> dict[str, Amounts]:
    """The partitions of a cluster; none where its scheduler tells none apart."""
    return partitions(snapshot.queues()) if issubclass(snapshot.sections["queues"], CapacityQueueRow) else {}


def in_partition(look: RenderContext, snapshot: Snapshot, label: str) -> RenderContext:
    """The `RenderContext` for the shares of one partition; unchanged where there is only one."""
    if not snapshot.header.scheduler.startswith("capacity"):
        return look
    rows = snapshot.queues()
    whole = rows[0] if rows else None
    if not isinstance(whole, CapacityQueueRow) or len(whole.partitions) < 2:
        return look
    known = partitions([whole])
    partition = label if label in known else ""
    total = known.get(partition, look.total)
    return look._replace(total=total, partition=partition, partitions=tuple(known), whole=snapshot.header.total)
