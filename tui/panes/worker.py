"""Workers of Spark's standalone Master: executors as blocks of cores, and what is free."""

from collections.abc import Sequence

from engine.observe.snapshot import NodeRow, column, lazy_rows
from tui.panes import nodes as node
from tui.panes.arrangement import SortFilter
from tui.panes.executor import executors_of
from tui.panes.field import Draw, RowFields, text_cell
from tui.panes.line import Fragments, RenderContext, Span
from tui.panes.nodes import Block, node_bar
from tui.panes.noun import NavigationTarget, PaneView, by_row
from tui.panes.table import Column
from tui.protocol.picture import SessionState
from tui.terminal import format as text

_MEANING = {
    "DEAD": "The Master lost it; its figures are the last it knew.",
    "DECOMMISSIONED": "It takes no more work and its executors go.",
}


def _worker(row: NodeRow, look: RenderContext, width: int) -> Span:
    return look.node_name(row.host or row.id), "faint" if node.is_out(row) else "text"


def _bar(row: NodeRow, look: RenderContext, width: int) -> Fragments:
    most = max(1, look.scales.get(MOST, row.total[1]))
    cells = row.total[1] * max(1, min(4, width // most))
    size = min(width, cells)
    if node.is_out(row):
        return [(text.GONE * size, "faint"), (" " * (width - size), "text")]
    blocks = look.blocks(row.id)
    drivers = row.used[1] - sum(block.size for block in blocks)
    if drivers > 0:
        blocks = (*blocks, Block("drivers", "", "", drivers, "q6", "drivers"))
    spans = node_bar(size, row.total[1], blocks, selected=look.selected, has_letters=look.has_letters)
    return [*spans, (" " * (width - size), "text")]


_cores: Draw[NodeRow] = text_cell(lambda row, look: text.NONE if node.is_out(row) else f"{row.used[1]}/{row.total[1]}")


def _memory(row: NodeRow, look: RenderContext, width: int) -> Span:
    return (text.NONE if node.is_out(row) else f"{text.memory(row.used[0])}/{text.memory(row.total[0])}"), "text"


_free: Draw[NodeRow] = text_cell(lambda row, look: text.NONE if node.is_out(row) else str(row.free[1]))
_executors: Draw[NodeRow] = text_cell(lambda row, look: text.NONE if node.is_out(row) else str(row.containers))


MOST = "most"  # The scale of the bars: the cores of the largest worker

_BAR: Column[NodeRow] = Column(
    "BAR",
    9,
    1,
    _bar,
    grow=1,
    is_bar=True,
    legend=("▄ in use  ▁ free",),
    letters=f"a = an application's letter, {text.BLOCK_END} end",
)

FIELDS: RowFields[NodeRow] = node.FIELDS.drawn_as(
    node=Column("WORKER", 24, 0, _worker, least=6, repeats=False, sorts="node"),
    state=node.FIELDS.column("state", width=14),
    part=_BAR,
    vcores=Column("CORES", 5, 0, _cores, right=True),
    free=Column("FREE", 4, 0, _free, right=True),
    total=Column("MEMORY", 7, 2, _memory, right=True, sorts="used"),
    containers=Column("EXEC", 4, 3, _executors, right=True),
)
COLUMNS = FIELDS.columns("node part vcores free total containers")
SORTED_COLUMNS = FIELDS.columns("node state part vcores free total containers")
EVERY_COLUMN = FIELDS.columns("node state part vcores free total containers rack")
"""To choose from, and for tables outside of a screen."""


def scales(rows: Sequence[NodeRow], look: RenderContext) -> dict[str, int]:
    """The scale of the bars."""
    return {MOST: max((total[1] for total in column(rows, "total")), default=1)}


def _holds(row: NodeRow, look: RenderContext) -> str:
    """Its executors, and the drivers in cluster mode that run there, too; a running Master does not tell where."""
    drivers = row.containers - len(look.blocks(row.id)) if look.watched_from_ms is None else 0
    executors = text.plural(row.containers - drivers, "executor")
    return f"{executors}, {text.plural(drivers, 'driver')}" if drivers else executors


def details(row: NodeRow, look: RenderContext) -> list[Fragments]:
    """Returns the lines of the strip about one worker."""
    lines: list[Fragments] = [
        [(row.state, "strong"), (f"  {text.plain(row.rack)}", "soft")],
        node.amounts_line(row, look, _holds(row, look)),
    ]
    if row.state in _MEANING:
        is_live = look.watched_from_ms is not None
        lines.append([(_MEANING[row.state] + ("" if is_live else " D brings it back as a new worker."), "text")])
    return lines


def _owner(row: NodeRow, picture: SessionState) -> NavigationTarget | str:
    ids = {one.number: one.id for one in lazy_rows(picture.snapshot.applications(why=False))}
    here = [one.application for one in executors_of(picture) if one.worker == row.id]
    return node.owner_among([ids[number] for number in here if number in ids], row, picture)


def _count(rows: Sequence[object], picture: SessionState, arrangement: SortFilter) -> str:
    header = picture.snapshot.header
    return f"{header.nodes} alive" + (f"  {header.nodes_down} lost" if header.nodes_down else "")


NOUN: PaneView[NodeRow] = node.NOUN._replace(
    title="Workers",
    shape=node.NOUN.shape._replace(
        columns=COLUMNS, scales=scales, sorted_columns=SORTED_COLUMNS, every_column=EVERY_COLUMN
    ),
    identity=lambda row: row.id,
    details=by_row(details),
    words=node.NOUN.words._replace(
        linked=lambda picture, look: "",
        nothing="No worker has registered yet.",
        size=_count,
        caption=lambda look: "one block = one executor",
    ),
    leads=node.NOUN.leads._replace(owner=_owner),
)
