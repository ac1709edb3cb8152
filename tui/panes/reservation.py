"""Reservations by application: which nodes are reserved for it, what is missing on each, and what frees it when."""

from collections.abc import Sequence
from typing import Any

from engine.observe.snapshot import ReservationRow, Unknown, column, rows_at
from tui.panes.arrangement import natural
from tui.panes.field import (
    AMOUNTS,
    APPLICATION,
    ID,
    MEMORY,
    NODE,
    NODE_NAME,
    PATH,
    QUEUE,
    SPAN,
    RowField,
    RowFields,
    RowOrder,
)
from tui.panes.fragments import Fragment, Fragments, RenderContext
from tui.panes.group import Grouping, RowGroup, by_key, since_words
from tui.panes.pane_view import PaneView, Reference, application_of, by_row, section
from tui.panes.release import release_lines, release_span, release_words
from tui.panes.table import Column
from tui.protocol.picture import SessionState
from tui.terminal import format as text


def _has(row: ReservationRow, look: RenderContext, width: int) -> Fragment:
    used = sum(block.size for block in look.blocks(row.node))
    return (text.dimension(look.dimensions[0], used) if used else ""), "text"


def missing(row: ReservationRow, dimensions: tuple[str, ...]) -> str:
    """Names the amounts that are missing; `fits` when none is, `?` where that is not known."""
    if isinstance(row.short_by, Unknown):
        return "?"
    return text.lacking(row.short_by, dimensions) or "fits"


def _short(row: ReservationRow, look: RenderContext, width: int) -> Fragment:
    words = missing(row, look.dimensions)
    return words, "good" if words == "fits" else "text"


def _by_application(rows: Sequence[Any], picture: SessionState, look: RenderContext) -> Grouping:
    places = sorted(by_key(column(rows, "application")).items(), key=lambda pair: -len(pair[1]))
    return Grouping([_group(holder, some, rows, picture, look) for holder, some in places])


def _group(
    holder: str, places: Sequence[int], rows: Sequence[Any], picture: SessionState, look: RenderContext
) -> RowGroup:
    some = rows_at(rows, places)
    row = application_of(holder, picture)
    name = "" if row is None else f" {text.plain(row.name)}"
    sizes = set(column(some, "size"))
    each = " each" if len(some) > 1 else ""
    size = f": {text.amounts(sizes.pop(), look.dimensions)}{each}" if len(sizes) == 1 else ""
    at = since_words([at for at in column(some, "since_ms") if not isinstance(at, Unknown)], look)
    bold = f"{text.plural(len(some), 'node')} for {text.short_id(holder)}"
    return RowGroup(
        holder, places, [(bold, "strong"), (f"{name}{size}{at}", "soft")], [(bold, "strong"), (f"{size}{at}", "soft")]
    )


def _details(row: ReservationRow, look: RenderContext) -> list[Fragments]:
    words = missing(row, look.dimensions)
    free, size = text.amounts(row.free, look.dimensions), text.amounts(row.size, look.dimensions)
    verdict = {
        "fits": "it fits now and starts at the node's next heartbeat",
        "?": "how much is missing is not known",
    }.get(words, f"{words} short")
    since = "" if isinstance(row.since_ms, Unknown) else f" for {text.age(row.since_ms, look.now_ms)}"
    then, *rest = release_lines(row.released, look)
    return [
        [(f"reserved for {text.short_id(row.application)}", "strong"), (since, "soft")],
        [("asks ", "faint"), (f"{size}; {free} is free: {verdict}", "text")],
        [("ends ", "faint"), (then, "text")],
        *([(f"     {line}", "text")] for line in rest),
        [("Until it fits or is dropped, no other application gets a container on this node.", "soft")],
    ]


FIELDS: RowFields[ReservationRow] = RowFields(
    (
        RowField(
            "node",
            "",
            NODE_NAME,
            "n",
            column=Column("NODE", 24, 0, least=5, repeats=False),
            group="reservation",
            scope=NODE,
        ),
        RowField("app", "application", ID, "a", "application", Column("APP", 12, 0), "reservation", APPLICATION),
        RowField("queue", "", PATH, "q", "queue", Column("QUEUE", 14, 5), "reservation", QUEUE),
        RowField("age", "since_ms", SPAN, "g", "age", Column("AGE", 6, 1, right=True), "reservation"),
        RowField("size", "", AMOUNTS, "z", "size", Column("SIZE", 12, 1), "amounts"),
        RowField("free", "", MEMORY, "f", "free on the node", Column("FREE", 5, 2, right=True), "amounts"),
        RowField("short", "short_by", MEMORY, "s", "missing", Column("SHORT", 6, 0, _short, right=True), "amounts"),
        RowField("has", column=Column("HAS", 5, 3, _has, right=True)),
        RowField(
            "released",
            letter="r",
            help="what frees the node, and when",
            own=lambda row, look: release_words(row.released, look),
            column=Column(
                "RELEASED BY", 12, 0, lambda row, look, width: release_span(row.released, look, width), grow=1
            ),
            group="then",
        ),
    ),
    letters="naqzfsgr",
)
COLUMNS = FIELDS.columns("node has free short age released")  # By application, whose headline says what it asks for
SORTED_COLUMNS = FIELDS.columns("node app size free short age released")  # In another order, without headlines
EVERY_COLUMN = FIELDS.columns("node app queue size has free short age released")  # To choose from
TABLE_COLUMNS = FIELDS.columns("node app queue size free short age released")
"""For tables outside of a screen, which do not know what runs on a node."""


VIEW = PaneView(
    name="reservations",
    title="Reservations",
    source=section("reservations"),
    columns=COLUMNS,
    grouping=_by_application,
    sorted_columns=SORTED_COLUMNS,
    every_column=EVERY_COLUMN,
    is_tight=True,
    identity=lambda row: row.node,
    details=by_row(_details),
    criteria=FIELDS.criteria(lambda row, look: missing(row, look.dimensions) != "fits", RowOrder(("node",), natural)),
    facts=FIELDS.facts(),
    stands_by_nodes=True,
    is_linked=True,
    empty_text="No node is reserved.",
    subject=lambda row: text.plain(text.short_node(row.node)),
    caption=lambda look: f"{look.prefix}.*" if look.prefix else "",
    refers_to=lambda row, look: (Reference(APPLICATION, row.application), Reference(NODE, row.node)),
    enter_help="Go to the application the node is held for.",
)

NONE = VIEW._replace(
    stands_by_nodes=False,
    columns=(Column("", 1, 0, grow=1),),
    grouping=None,
    sorted_columns=None,
    every_column=None,
    caption=lambda look: "",
    empty_text="Spark reserves nothing: what does not fit waits for the next pass.",
    size=lambda rows, picture, arrangement: "none",
)  # The view of Spark's Master, which reserves nothing
