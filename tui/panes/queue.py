"""Queues: the tree with a meter each, on the scale of the whole cluster.

A meter is filled up to what is used, in the hue of the queue; marks stand at the min share and at the fair share, and
past the max share it is blank.
"""

from collections.abc import Sequence
from typing import Any

from engine.model.request import is_under
from engine.observe.snapshot import Amounts, QueueRow, Unknown, lazy_rows
from engine.observe.snapshots import WaitTotal, terms_for
from engine.settings.site import YARN_34
from tui.panes.arrangement import Filter
from tui.panes.field import MEMORY, QUEUE, SECOND, SPAN, TEXT, RowField, RowFields, Scope, queue_cell, text_cell
from tui.panes.fragments import Fragment, Fragments, RenderContext, hue_of, line_meter
from tui.panes.pane_view import (
    TABLE,
    TREE,
    NavigationTarget,
    PaneView,
    Reference,
    by_row,
    made_of,
    scope_crumb,
    section,
)
from tui.panes.partition import QueueInPartition
from tui.panes.table import Column, figure
from tui.panes.waits import count_fields, sum_words, waits_in
from tui.protocol.picture import SessionState
from tui.terminal import format as text

Share = Amounts | None | Unknown


def is_starved(row: QueueRow) -> bool:
    """True for a queue that is below its min share or its fair-share threshold; false where that is unknown."""
    return isinstance(row.starved_since_ms, int)


def first(share: Share) -> int | None:
    """The first dimension; None when there is none or it is unlimited."""
    if share is None or isinstance(share, Unknown) or not share or share[0] >= text.NO_LIMIT_FROM:
        return None
    return share[0]


def dotted(path: str, depth: int, look: RenderContext) -> Fragments:
    """A queue's own name, after the dot in its hue; deeper ones stand further to the right."""
    name = text.plain(path.rpartition(".")[2] or path)
    if not depth:
        return [(name, "text")]
    return [(" " * (2 * depth - 1), "text"), (f"{text.QUEUE_DOT} ", hue_of(path, look)), (name, "text")]


def _name(row: QueueRow, look: RenderContext, width: int) -> Fragments:
    if isinstance(row, QueueInPartition) and not row.depth:
        return [(row.partition, "strong")]
    return dotted(row.path, row.depth, look)


def sign(row: QueueRow, look: RenderContext) -> Fragment | None:
    return (text.WATCH, "watch") if is_starved(row) else None


def hue(path: str, look: RenderContext) -> str:
    """The style of a queue's meter; the root has that of no queue."""
    return hue_of(path, look) if "." in path else "text"


def _bar(row: QueueRow, look: RenderContext, width: int) -> Fragments:
    return line_meter(
        width,
        row.used[0],
        look.total[0] if look.total else 0,
        share=None if row.depth == 0 else first(row.fair_share),
        minimum=first(row.min_share),
        maximum=first(row.max_share),
        style=hue(row.path, look),
    )


def waits(row: QueueRow, look: RenderContext) -> WaitTotal:
    """The applications that wait in it or below it."""
    return row.waits if isinstance(row, QueueInPartition) else waits_in(QUEUE, row.path, look)


def _vcores(row: QueueRow, look: RenderContext, width: int) -> Fragment:
    if len(row.used) < 2:
        return "", "text"
    share = row.fair_share
    fair = 0 if isinstance(share, Unknown) else share[1]
    return f"{row.used[1]}/{fair}" if fair else str(row.used[1]), "text"


def _weight(row: QueueRow, look: RenderContext, width: int) -> Fragment:
    return ("?", "faint") if isinstance(row.weight, Unknown) else (f"{row.weight:g}", "text")


LEGEND = ("used ━  fair │  min ╎", "used ━  fair │")

_STARVED: Column[QueueRow] = figure(
    "STARVED", 7, 3, text_cell(lambda row, look: text.age(row.starved_since_ms, look.now_ms), "watch")
)
FIELDS: RowFields[QueueRow] = RowFields(
    (
        RowField("queue", "path", TEXT, "q", "path", Column("QUEUE", 24, 0, _name, least=11, repeats=False), "queue"),
        RowField("leaf", "is_leaf", group="queue"),
        RowField("policy", letter="p", column=Column("POLICY", 6, 10), group="queue"),
        RowField("weight", column=Column("WEIGHT", 6, 9, _weight, right=True), group="queue"),
        RowField("memory", "used", MEMORY, "m", "used memory", figure("USED", 5, 0), "shares"),
        RowField("meter", column=Column("MEMORY", 12, 3, _bar, grow=1, is_bar=True, legend=LEGEND, sorts="memory")),
        RowField("vcores", "used", SECOND, "v", "used vcores", Column("VC/FAIR", 9, 8, _vcores, right=True)),
        RowField("demand", "", MEMORY, "d", "demand", figure("DEMAND", 6, 4), "shares"),
        RowField("fair", "fair_share", MEMORY, "f", "fair share", figure("FAIR", 5, 1), "shares"),
        RowField("steady", "steady_share", group="shares"),
        RowField("min", "min_share", MEMORY, column=Column("MIN", 5, 5, right=True), group="shares"),
        RowField("max", "max_share", MEMORY, column=Column("MAX", 5, 5, right=True), group="shares"),
        RowField("reserved", group="shares"),
        *count_fields(waits, 3, 2),
        RowField("containers", group="applications"),
        RowField("starved", "starved_since_ms", SPAN, "s", "how long it is starved", _STARVED, "state"),
    ),
    letters="qpmvfdrws",
)
COLUMNS = FIELDS.columns("queue meter memory fair demand running waiting starved")
EVERY_COLUMN = FIELDS.columns("queue meter memory fair min max demand running waiting vcores weight policy starved")


class FoldState:
    """Which queues of the tree are folded, and how many each of them hides."""

    def __init__(self) -> None:
        self.folded: set[str] = set()
        self._hidden: dict[str, int] = {}

    def visible(self, rows: Sequence[QueueRow]) -> Sequence[QueueRow]:
        """The rows of a tree that no folded queue hides; parents come before their children."""
        if not self.folded:
            return rows
        shown: list[QueueRow] = []
        over: QueueRow | None = None
        for row in rows:
            if over is not None and row.depth > over.depth:
                self._hidden[over.path] += 1
                continue
            over = row if row.path in self.folded and not row.is_leaf else None
            if over is not None:
                self._hidden[over.path] = 0
            shown.append(row)
        return shown

    def shown(self, view: PaneView[Any]) -> PaneView[Any]:
        """A view whose first column says of a folded queue how many it hides; others than trees as they are."""
        if view.layout_mode != TREE:
            return view
        first, *others = view.columns
        return view._replace(columns=(first._replace(cell=self._name), *others))

    def _name(self, row: QueueRow, look: RenderContext, width: int) -> Fragments:
        spans = _name(row, look, width)
        if row.path in self.folded and not row.is_leaf:
            return [*spans, (f" {text.FOLDED}{self._hidden.get(row.path, 0)}", "faint")]
        return spans


def _details(row: QueueRow, look: RenderContext) -> list[Fragments]:
    shares = (("used", row.used), ("fair", row.fair_share), ("min", row.min_share), ("max", row.max_share))
    words: Fragments = []
    for title, share in shares:
        words += [(f"{title} ", "faint"), (amounts(share, look) + "   ", "text")]
    lines = [summary(row, look), words]
    if is_starved(row):
        starved = f"starved for {text.age(row.starved_since_ms, look.now_ms)}"
        lines.append([(starved, "strong"), (": it has less than its minimum or half its fair share", "text")])
    else:
        lines.append([(f"policy {row.policy}", "soft")])
    return lines


def summary(row: QueueRow, look: RenderContext) -> Fragments:
    held, waiting = terms_for(look.dimensions).container, waits(row, look)
    words = f"{waiting.number} waiting{sum_words(waiting, look.dimensions)}"
    return [
        (f"{row.applications_running} running, {words}", "strong"),
        (f", {text.plural(row.containers, held)}" if isinstance(row.containers, int) else "", "text"),
    ]


def amounts(share: Share, look: RenderContext) -> str:
    """A share in words; a policy that looks at memory only gives no vcores, which are left out."""
    if share is None or isinstance(share, Unknown) or any(share[1:]):
        return text.amounts(share, look.dimensions)
    return text.amounts(share[:1], look.dimensions[:1])


def is_problem(row: QueueRow, look: RenderContext) -> bool:
    """True for a queue that is starved or has an application that waits."""
    return is_starved(row) or waits(row, look).number > 0


def _enter(row: QueueRow, picture: SessionState, scope: Scope | Filter | None) -> NavigationTarget | str:
    inside = any(is_under(one.queue, row.path) for one in lazy_rows(picture.snapshot.applications(why=False)))
    return (
        NavigationTarget("applications", scope=Scope(QUEUE, row.path))
        if inside
        else f"No {terms_for(picture.snapshot.header.dimensions).application} is in {row.path}."
    )


def _owner(row: QueueRow, picture: SessionState) -> NavigationTarget | str:
    parent = row.path.rpartition(".")[0]
    return NavigationTarget("queues", parent) if parent else f"{row.path} belongs to no other queue."


VIEW = PaneView(
    name="queues",
    title="Queues",
    source=section("queues"),
    columns=COLUMNS,
    every_column=EVERY_COLUMN,
    sign=sign,
    is_tight=True,
    identity=lambda row: row.path,
    details=by_row(_details),
    criteria=FIELDS.criteria(is_problem),
    facts=FIELDS.facts(),
    form_values=lambda row: {"queue": row.path} if row.is_leaf else {},
    variant="tree",
    layout_mode=TREE,
    empty_text="No queue.",
    crumb=scope_crumb(QUEUE),
    subject=lambda row: text.plain(row.path),
    size=lambda rows, picture, arrangement: f"{n} starved" if (n := sum(map(is_starved, rows))) else "",
    caption=lambda look: "share of memory",
    refers_to=lambda row, look: (Reference(QUEUE, row.path),),
    enter=_enter,
    enter_help="Go to the applications of the queue.",
    owner=_owner,
)


def path_cell(row: QueueRow, look: RenderContext, width: int) -> Fragments:
    """The path of a queue without its root, after the dot in its hue."""
    return queue_cell(row.path, look)


LEAVES = VIEW._replace(
    source=made_of(lambda snapshot: [row for row in snapshot.queues() if row.is_leaf], "queues"),
    columns=(FIELDS.column("queue", cell=path_cell), *COLUMNS[1:]),
    every_column=(FIELDS.column("queue", cell=path_cell), *EVERY_COLUMN[1:]),
    variant="leaves",
    layout_mode=TABLE,
    size=lambda rows, picture, arrangement: f"{len(rows)} {'leaf' if len(rows) == 1 else 'leaves'}",
)  # The leaf queues alone, by path


# The one queue of FifoScheduler, which has neither shares nor settings.


FIFO_SCHEDULERS = ("fifo", YARN_34.name)  # What a FifoScheduler is called in a scenario
FIFO_COLUMNS = (
    FIELDS.column("queue"),
    FIELDS.column("meter", legend=("used ━",)),
    *FIELDS.columns("memory running waiting"),
)
FIFO = VIEW._replace(
    columns=FIFO_COLUMNS,
    every_column=FIFO_COLUMNS,
    details=by_row(lambda row, look: [summary(row, look), [("used ", "faint"), (amounts(row.used, look), "text")]]),
    facts=FIELDS.facts(
        ("weight", "demand", "fair_share", "steady_share", "min_share", "max_share", "starved_since_ms")
    ),
)
