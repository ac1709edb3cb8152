"""Trackers, pools, reservations and attempts of MapReduce 1: map slots and reduce slots side by side."""

from collections.abc import Sequence
from typing import Final

from engine.observe.section import column
from engine.observe.snapshot import ContainerRow, NodeRow, QueueRow
from tui import format as text
from tui import glyphs
from tui.render import container, node, queue, reservation
from tui.render.field import Draw, said
from tui.render.hue import hue_of
from tui.render.line import Look, Spans
from tui.render.meter import line_meter
from tui.render.node_bar import letter_of
from tui.render.noun import Shape
from tui.render.table import Column, figure

SLOT: Final = 3  # Cells of a slot, where there is room
MOST: Final = "slots"  # The scale of a tracker's slots: the most of either kind on one tracker

_tracker, _pool, _attempt = node.FIELDS.column, queue.FIELDS.column, container.FIELDS.column


# Trackers


def _slots(kind: int) -> Draw[NodeRow]:
    """A tracker's slots of a kind one after the other, those taken in the hue of their pool."""

    def cell(row: NodeRow, look: Look, width: int) -> Spans:
        total, most = row.total[kind], max(1, look.scales.get(MOST, row.total[kind]))
        cells = max(1, min(SLOT, width // most))
        taken = [block for block in sorted(look.blocks(row.id)) if block.dimension == kind for _ in range(block.size)]
        shown = min(total, width // cells)
        spans: Spans = []
        for place in range(shown):
            block = taken[place] if place < len(taken) else None
            sign = glyphs.FREE if block is None else letter_of(block.name) if look.has_letters else glyphs.BLOCK
            style = "room" if block is None or look.selected not in {"", block.application} else block.style
            style = "accent" if block is not None and block.application == look.selected else style
            spans.append((sign * max(1, cells - 1) + " " * (cells > 1), style))
        return [*spans, (" " * (width - cells * shown), "text")]

    return cell


def _taken(kind: int) -> Draw[NodeRow]:
    return said(lambda row, look: f"{row.used[kind]}/{row.total[kind]}")


TRACKER_COLUMNS: Sequence[Column[NodeRow]] = (
    _tracker("node", title="TRACKER", width=12, least=7, repeats=True),
    Column("map slots", 12, 0, _slots(0), is_bar=True, legend=("map slots",)),
    Column("reduce slots", 12, 0, _slots(1), is_bar=True, legend=("reduce slots",)),
    Column("MAPS", 5, 1, _taken(0), right=True),
    Column("REDUCES", 7, 1, _taken(1), right=True),
    *node.FIELDS.columns("heard"),
)
EVERY_TRACKER_COLUMN = (*TRACKER_COLUMNS, *node.FIELDS.columns("state app rack"))

TRACKERS = node.NOUN._replace(
    title="Trackers",
    shape=Shape(
        TRACKER_COLUMNS,
        every_column=EVERY_TRACKER_COLUMN,
        grouping=node.NOUN.shape.grouping,
        scales=lambda rows, look: {MOST: max((max(total) for total in column(rows, "total")), default=1)},
        is_tight=True,
    ),
    words=node.NOUN.words._replace(
        nothing="No tracker has reported yet.",
        caption=lambda look: "one block = one task",
        size=lambda rows, picture, arrangement: f"{picture.snapshot.header.nodes} alive",
    ),
)

# Pools


def _share(row: QueueRow, kind: int) -> int | None:
    """The most slots of a kind it may have; None where nothing limits it."""
    share = row.max_share
    return share[kind] if isinstance(share, tuple) and share[kind] < text.NO_LIMIT_FROM else None


def _pool_meter(kind: int) -> Draw[QueueRow]:
    """Return what a pool has of the cluster's slots of a kind, with a mark at its maximum."""
    return lambda row, look, width: line_meter(
        width, row.used[kind], look.total[kind], share=_share(row, kind), style=hue_of(row.path, look)
    )


def _used(kind: int) -> Draw[QueueRow]:
    return said(lambda row, look: str(row.used[kind]))


def _is_full(row: QueueRow, look: Look) -> bool:
    """True for a pool that waits and has as many slots of a kind as it may."""
    return queue.waits(row, look).number > 0 and any(
        (most := _share(row, kind)) is not None and row.used[kind] >= most for kind in (0, 1)
    )


def _due(kind: int) -> Draw[QueueRow]:
    return said(lambda row, look: str(row.fair_share[kind]) if isinstance(row.fair_share, tuple) else "-")


_MAPS: Final = Column("MAPS", 9, 3, _pool_meter(0), grow=1, is_bar=True)
_REDUCES: Final = Column("REDUCES", 9, 3, _pool_meter(1), grow=1, is_bar=True, legend=("REDUCES  max │",))
POOL_COLUMNS: Sequence[Column[QueueRow]] = (
    _pool("queue", title="POOL", width=10, least=6, cell=queue.path_cell, repeats=True),
    _MAPS,
    figure("", 3, 0, _used(0), gap=1),
    _REDUCES,
    figure("", 3, 0, _used(1), gap=1),
    _pool("running", rank=3, repeats=True),
    _pool("waiting", rank=2, repeats=True),
)
EVERY_POOL_COLUMN = (
    *POOL_COLUMNS,
    figure("DUE M", 5, 5, _due(0)),
    figure("DUE R", 5, 5, _due(1)),
    _pool("weight"),
    _pool("policy", width=8),
)

POOLS = queue.NOUN._replace(
    title="Pools",
    shape=queue.NOUN.shape._replace(
        columns=POOL_COLUMNS,
        every_column=EVERY_POOL_COLUMN,
        sign=lambda row, look: (glyphs.WATCH, "watch") if queue.is_starved(row) or _is_full(row, look) else None,
    ),
    words=queue.NOUN.words._replace(
        caption=lambda look: f"of {' and '.join(map(str, dict.fromkeys(look.total)))} slots" if look.total else ""
    ),
    leads=queue.NOUN.leads._replace(enter_help="Go to the jobs of the pool."),
)

# Reserved trackers, attempts

RESERVATIONS = reservation.NOUN._replace(
    shape=reservation.NOUN.shape._replace(
        columns=tuple(
            one._replace(title="TRACKER") if one.title == "NODE" else one for one in reservation.NOUN.shape.columns
        )
    ),
    words=reservation.NOUN.words._replace(nothing="No tracker is reserved."),
)

ATTEMPT_COLUMNS: Sequence[Column[ContainerRow]] = (
    _attempt("app", title="JOB", width=6),
    Column("ATTEMPT", 28, 0, said(lambda row, look: row.id.removeprefix("attempt_")), grow=1),
    _attempt("node", title="TRACKER", width=14, grow=1, least=0),
    _attempt("memory", title="SLOTS", width=9),
    _attempt("age", repeats=True),
    _attempt("user"),
    _attempt("queue", title="POOL", width=10, grow=1),
)

ATTEMPTS = container.NOUN._replace(
    title="Attempts",
    shape=container.NOUN.shape._replace(columns=ATTEMPT_COLUMNS),
    words=container.NOUN.words._replace(
        nothing="No attempt runs.", subject=lambda row: f"attempt {row.id.removeprefix('attempt_')}"
    ),
)
