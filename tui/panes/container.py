"""Containers of a YARN cluster: whose they are, where, how large, and in which state."""

from collections.abc import Sequence

from engine.observe.snapshot import ContainerRow, Unknown, column
from engine.observe.snapshots import terms_for, translate_terms
from tui.panes.arrangement import Filter, SortFilter
from tui.panes.field import (
    AMOUNTS,
    APPLICATION,
    COUNT,
    ID,
    NODE,
    NODE_NAME,
    PATH,
    QUEUE,
    SECOND,
    SPAN,
    USER,
    Draw,
    RowField,
    RowFields,
    Scope,
    text_cell,
)
from tui.panes.fragments import Fragment, Fragments, RenderContext
from tui.panes.pane_view import NavigationTarget, PaneView, Reference, Rows, RowSource, by_row, to_application
from tui.panes.table import Column, figure
from tui.protocol.picture import SessionState
from tui.terminal import format as text

_CALLED = {"RESERVED": "held", "ALLOCATED": "alloc", "RUNNING": "run", "COMPLETED": "done"}  # What people call it
_STYLES = {"RUNNING": "data", "RESERVED": "held", "ALLOCATED": "text", "ACQUIRED": "text"}  # Of one that has not ended

_MEANS = {
    "RESERVED": "Not a container yet: the node is reserved until this much is free.",
    "ALLOCATED": "The application's master has not fetched it yet.",
    "ACQUIRED": "The application's master has it; the node has not started it yet.",
    "RUNNING": "The node runs it.",
}
_LEAVES = "Its application is no longer charged for it; its node has not released it yet."


def _is_marked(row: ContainerRow) -> bool:
    return isinstance(row.marked_ms, int)


def short_id(container: str) -> str:
    """Shortens the id of a container: its number, after its attempt's when that is not the first.

    >>> short_id("container_1507795051888_0007_01_000002"), short_id("container_1507795051888_0007_02_000015")
    ('2', '2/15')

    One that is inferred has none.

    >>> short_id("container_1507795051888_0007_?_000002")
    '?'
    """
    parts = container.rsplit("_", 2)
    if len(parts) == 3 and parts[1] == "?":
        return "?"
    if len(parts) != 3 or not (parts[1].isdecimal() and parts[2].isdecimal()):
        return container
    attempt, number = int(parts[1]), int(parts[2])
    return str(number) if attempt == 1 else f"{attempt}/{number}"


def count_words(rows: Sequence[ContainerRow]) -> str:
    """Count containers; those that a node is only reserved for stand apart."""
    reserved = column(rows, "state").count("RESERVED")
    counts = [str(len(rows) - reserved)] if reserved < len(rows) or not rows else []
    return ", ".join([*counts, *([f"{reserved} reserved"] if reserved else [])])


_id: Draw[ContainerRow] = text_cell(lambda row, look: short_id(row.id))


def _state(row: ContainerRow, look: RenderContext, width: int) -> Fragment:
    if _is_marked(row):
        return "to preempt", "watch"
    return row.state, _STYLES.get(row.state, "soft")


def sign(row: ContainerRow, look: RenderContext) -> Fragment | None:
    return (text.WATCH, "watch") if _is_marked(row) else None


def _details(row: ContainerRow, look: RenderContext) -> list[Fragments]:
    means, words = _MEANS.get(row.state, _LEAVES), terms_for(look.dimensions)
    marked = ""
    if not isinstance(row.marked_ms, Unknown) and row.marked_ms is not None:
        marked = f"Marked for preemption {text.age(row.marked_ms, look.now_ms)} ago. "
    age = text.age(row.since_ms, look.now_ms)
    master = ", the master" if row.is_am else ""
    amount = f" {age}: {text.amounts(row.size, look.dimensions)} on {text.plain(text.short_node(row.node))}{master}"
    rank = (f"priority {text.count(row.priority)}",) if words.ranks_asks else ()
    of = f" {text.DOT} ".join((text.plain(row.user), text.plain(row.queue), *rank))
    return [
        [(row.state, "strong"), (amount, "text")],
        [(marked, "watch"), (translate_terms(means, words), "soft")],
        [(of, "soft")],
        [(row.id if short_id(row.id) != "?" else "Inferred: the server counts containers and names none.", "soft")],
    ]


def _state_words(row: ContainerRow, look: RenderContext) -> str:
    words = [row.state, _CALLED.get(row.state, "")]
    return " ".join([*words, *(["am"] if row.is_am else []), *(["preempt"] if _is_marked(row) else [])])


FIELDS: RowFields[ContainerRow] = RowFields(
    (
        RowField("container", "id", letter="c", column=figure("CONT", 5, 0, _id), group="container"),
        RowField(
            "app", "application", ID, "a", "application", Column("APP", 12, 0), group="container", scope=APPLICATION
        ),
        RowField("user", letter="u", column=Column("USER", 8, 4), group="container", scope=USER),
        RowField("queue", "", PATH, "q", column=Column("QUEUE", 16, 5), group="container", scope=QUEUE),
        RowField(
            "am",
            "is_am",
            column=Column("AM", 2, 2, text_cell(lambda row, look: "AM" if row.is_am else ""), repeats=False),
            group="container",
        ),
        RowField("state", letter="s", own=_state_words, column=Column("STATE", 10, 1, _state), group="state"),
        RowField("age", "since_ms", SPAN, "g", column=figure("AGE", 6, 3), group="state"),
        RowField("marked", "marked_ms", group="state"),
        RowField("node", "", NODE_NAME, "n", column=Column("NODE", 24, 0, least=5), group="place", scope=NODE),
        RowField("memory", "size", AMOUNTS, "m", column=Column("SIZE", 12, 1), group="place"),
        RowField("vcores", "size", SECOND, "v"),
        RowField("priority", "", COUNT, "p", column=Column("PRIO", 4, 6, right=True), group="place"),
    ),
    letters="acnqusmvpg",
)
COLUMNS = FIELDS.columns("app container am node state memory age priority user queue")


def _rows(picture: SessionState, arrangement: SortFilter) -> Rows:
    scope, snapshot = arrangement.scope, picture.snapshot
    if isinstance(scope, Scope) and scope.kind == APPLICATION:
        return snapshot.containers(application=scope.id), arrangement._replace(scope=None)
    if isinstance(scope, Scope) and scope.kind == NODE:
        return snapshot.containers(node=scope.id), arrangement._replace(scope=None)
    return snapshot.containers(), arrangement


def _enter(row: ContainerRow, picture: SessionState, scope: Scope | Filter | None) -> NavigationTarget | str:
    if isinstance(scope, Scope) and scope.kind == NODE:
        return to_application(VIEW, row, picture) or NavigationTarget("nodes", row.node)
    return NavigationTarget("nodes", row.node)


VIEW = PaneView(
    name="containers",
    title="Containers",
    source=RowSource(_rows, lambda picture: picture.snapshot.version("containers")),
    columns=COLUMNS,
    sign=sign,
    identity=lambda row: row.id,
    details=by_row(_details),
    criteria=FIELDS.criteria(lambda row, look: _is_marked(row) or row.state in {"RESERVED", "KILLED", "EXPIRED"}),
    facts=FIELDS.facts(),
    is_linked=True,
    empty_text="No container is allocated here.",
    crumb=lambda row_id: f"container:{short_id(row_id)}",
    size=lambda rows, picture, arrangement: count_words(rows),
    subject=lambda row: f"{text.short_id(row.application)} container {short_id(row.id)}",
    caption=lambda look: f"{look.prefix}.*" if look.prefix else "",
    refers_to=lambda row, look: (Reference(APPLICATION, row.application), Reference(NODE, row.node)),
    enter=_enter,
    enter_help="Go to its node; from what is on one node, to its application.",
)
