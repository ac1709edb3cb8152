"""Queues of CapacityScheduler: what each is guaranteed, may use at most and uses, on the scale of the whole cluster.

A meter is filled up to what is used; a mark stands at the guarantee, and past the maximum it is blank. Where nodes are
in several partitions, each queue has a row in each; limits of users and of application masters are known of the default
one only.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.observe.snapshot import Amounts, CapacityQueueRow, Unknown
from tui.panes import queue
from tui.panes.arrangement import SortFilter
from tui.panes.field import COUNT, MEMORY, Draw, RowField, RowFields, text_cell
from tui.panes.fragments import Fragment, Fragments, RenderContext, line_meter
from tui.panes.misfit import opened_to
from tui.panes.pane_view import PaneView, Rows, RowSource, by_row
from tui.panes.partition import (
    PARTITION,
    QueueInPartition,
    by_partition,
    partition_name,
    partition_of,
    queues_by_partition,
    row_id,
)
from tui.panes.table import Column, figure
from tui.panes.waits import cell_words
from tui.protocol.picture import SessionState
from tui.terminal import format as text


def _is_stopped(row: CapacityQueueRow) -> bool:
    return row.state != "RUNNING"


def _is_open(row: CapacityQueueRow) -> bool:
    return not isinstance(row, QueueInPartition) or row.is_open


def _bar(row: CapacityQueueRow, look: RenderContext, width: int) -> Fragments:
    if not _is_open(row):
        return [(f"{'no access':{width}}"[:width], "faint")]
    total = row.total if isinstance(row, QueueInPartition) else look.total
    return line_meter(
        width,
        row.used[0],
        total[0] if total else 0,
        share=None if row.depth == 0 else row.guaranteed[0],
        maximum=queue.first(row.max_share),
        style=queue.hue(row.path, look),
    )


def _memory(amount: Amounts | Unknown | None, look: RenderContext) -> str:
    return text.dimension(look.dimensions[0], amount[0]) if isinstance(amount, tuple) else ""


def _of_open(words: Callable[[CapacityQueueRow, RenderContext], str]) -> Draw[CapacityQueueRow]:
    return lambda row, look, width: (words(row, look) if _is_open(row) else "", "text")


def _used(row: CapacityQueueRow, look: RenderContext, width: int) -> Fragment:
    is_head = isinstance(row, QueueInPartition) and row.depth == 0
    return _memory(row.used, look) if _is_open(row) else "", "strong" if is_head else "text"


_user_limit: Draw[CapacityQueueRow] = text_cell(lambda row, look: _memory(row.user_limit, look))


def _masters(row: CapacityQueueRow, look: RenderContext, width: int) -> Fragment:
    if row.am_used is None or row.am_limit is None:
        return "", "text"
    return f"{_memory(row.am_used, look)}/{_memory(row.am_limit, look)}", "text"


_RUNNING = _of_open(lambda row, look: str(row.applications_running))
_WAITING = _of_open(lambda row, look: cell_words(queue.waits(row, look)))
_words: Draw[CapacityQueueRow] = text_cell(lambda row, look: row.state)
# Shows the state of a stopped queue only: no other has a state worth a column.
_state: Draw[CapacityQueueRow] = text_cell(lambda row, look: row.state if _is_stopped(row) else "", "watch")


def _details(row: CapacityQueueRow, look: RenderContext) -> list[Fragments]:
    shares = [("used", row.used), ("guaranteed", row.guaranteed), ("max", row.max_share)]
    of_leaf = [("user limit", row.user_limit), ("masters", row.am_used), ("of at most", row.am_limit)]
    here = partition_of(row)
    words: Fragments = [("in ", "faint"), (f"{here}   ", "strong")] if look.partitions else []
    if _is_open(row):
        for title, share in [*shares, *(each for each in of_leaf if each[1] is not None)]:
            words += [(f"{title} ", "faint"), (queue.amounts(share, look) + "   ", "text")]
    else:
        words.append(("no access", "faint"))
    state: Fragments = [(row.state, "strong"), (": it takes no application", "text")]
    others = [_elsewhere_line(row, label, look) for label in look.partitions if partition_name(label) != here]
    lines = [queue.summary(row, look), words, *others, *([state] if _is_stopped(row) else [])]
    if not look.partitions and isinstance(row.reserved, tuple) and any(row.reserved):
        lines.append([("of what it uses ", "faint"), (f"{queue.amounts(row.reserved, look)} reserved", "text")])
    return lines


def _elsewhere_line(row: CapacityQueueRow, label: str, look: RenderContext) -> Fragments:
    use = next((use for use in row.partitions if use.label == label), None)
    name: Fragments = [("in ", "faint"), (f"{partition_name(label)}   ", "strong")]
    if use is None or label not in opened_to(row):
        return [*name, ("no access", "faint")]
    amounts = [("used", use.used), ("guaranteed", use.guaranteed), ("max", use.limit)]
    return [*name, ("   ".join(f"{title} {_memory(amount, look)}" for title, amount in amounts), "text")]


LEGEND = ("used ━  guaranteed │", "used ━  guar │")
_MAX: Column[CapacityQueueRow] = figure(
    "MAX", 5, 4, _of_open(lambda row, look: _memory(row.max_share, look) or text.NONE)
)
_MASTERS = "application masters"
_of_queue = queue.FIELDS.field
FIELDS: RowFields[Any] = RowFields(
    (
        *map(_of_queue, ("queue", "leaf", "policy")),
        RowField(PARTITION, help=PARTITION, own=lambda row, look: partition_of(row), group="queue"),
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
            Column("OF GUAR", 7, 7, _of_open(lambda row, look: f"{100 * row.used_capacity:.0f}%"), right=True),
            "shares",
            own=lambda row, look: round(100 * row.used_capacity),
        ),
        RowField(
            "guaranteed",
            "",
            MEMORY,
            "g",
            "guaranteed memory",
            figure("GUAR", 5, 1, _of_open(lambda row, look: _memory(row.guaranteed, look))),
            "shares",
        ),
        RowField("max", "max_share", column=_MAX, group="shares"),
        RowField("reserved", group="shares"),
        RowField("partitions", group="shares"),
        RowField("user_limit", column=Column("USER LIM", 8, 6, _user_limit, right=True), group="users"),
        RowField("masters", "am_used", column=Column("AM/LIMIT", 9, 5, _masters, right=True), group=_MASTERS),
        RowField("am_limit", group=_MASTERS),
        _of_queue("running")._replace(column=queue.FIELDS.column("running", cell=_RUNNING)),
        _of_queue("waiting")._replace(column=queue.FIELDS.column("waiting", cell=_WAITING)),
        _of_queue("containers"),
    ),
    letters="qpmvrwgot",
)
COLUMNS = (
    *FIELDS.columns("queue meter memory guaranteed max"),
    FIELDS.column("running", rank=5),
    FIELDS.column("waiting", rank=4),
    FIELDS.column("state"),
)
EVERY_COLUMN = FIELDS.columns("queue meter memory guaranteed max part running waiting user_limit masters state_word")

_ANY_QUEUE: PaneView[Any] = queue.VIEW
_ANY_LEAF: PaneView[Any] = queue.LEAVES


def _version(picture: SessionState) -> object:
    return [picture.snapshot.version(name) for name in ("queues", "applications")]


_ABSENT: Final = (
    *("weight", "demand", "fair_share", "steady_share", "min_share", "starved_since_ms"),
    *("total", "waits", "is_open"),
)  # Attributes of the rows that mean nothing here, or are what columns draw with
_SCOPES: Final[Mapping[str, Callable[[Any, str], bool]]] = {PARTITION: lambda row, name: partition_of(row) == name}

VIEW = _ANY_QUEUE._replace(
    source=RowSource(queues_by_partition, _version),
    identity=row_id,
    columns=COLUMNS,
    every_column=EVERY_COLUMN,
    details=by_row(_details),
    criteria=FIELDS.criteria(lambda row, look: _is_stopped(row) or queue.waits(row, look).number > 0)._replace(
        scopes=_SCOPES
    ),
    facts=FIELDS.facts(_ABSENT),
)


def _leaves(picture: SessionState, arrangement: SortFilter) -> Rows:
    rows, rest = queues_by_partition(picture, arrangement)
    return [row for row in rows if row.is_leaf], rest


LEAVES = VIEW._replace(
    source=RowSource(_leaves, _version),
    columns=(_ANY_LEAF.columns[0], *COLUMNS[1:]),
    every_column=(_ANY_LEAF.columns[0], *EVERY_COLUMN[1:]),
    grouping=by_partition,
    variant=_ANY_LEAF.variant,
    layout_mode=_ANY_LEAF.layout_mode,
    size=_ANY_LEAF.size,
)  # The leaf queues alone, by path
