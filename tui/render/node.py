"""Nodes: state in words, memory as a bar, and who has reserved it."""

from collections import Counter
from collections.abc import Sequence

from engine.observe.section import column
from engine.observe.snapshot import NodeRow, Unknown
from tui import format as text
from tui.render.arrangement import Arrangement
from tui.render.facts import Group, grouped
from tui.render.field import COUNT, MEMORY, TEXT, Criteria, RowField, at
from tui.render.filter import Filter
from tui.render.line import Column, Look, Span, Spans, bar
from tui.render.noun import Lead, Noun, Reference, scope_crumb, section, to_application
from tui.render.scope import APPLICATION, NODE, RACK, Scope
from tui.view_state import Picture

STATE_WORDS = {
    "RUNNING": ("ok", "good"),
    "ALIVE": ("ok", "good"),
    "DEAD": ("x dead", "bad"),
    "LOST": ("x lost", "bad"),
    "UNHEALTHY": ("! unhealthy", "bad"),
    "DECOMMISSIONING": ("- draining", "warn"),
    "DECOMMISSIONED": ("- drained", "warn"),
}
"""State of a node → (mark and word, style)."""


IN_SERVICE = frozenset({"RUNNING", "ALIVE"})
"""States in which a node gets containers."""


def identity(row: NodeRow) -> str:
    """What the cursor holds on to."""
    return row.id


def is_out(row: NodeRow) -> bool:
    """Whether it gets no containers, for whatever reason; it can be brought back."""
    return row.state not in IN_SERVICE


def _node(row: NodeRow, look: Look, width: int) -> Span:
    return text.plain(row.host or text.short_node(row.id)), "plain" if row.state == "RUNNING" else "dim"


def _state(row: NodeRow, look: Look, width: int) -> Span:
    return STATE_WORDS.get(row.state, (row.state, "plain"))


def _bar(row: NodeRow, look: Look, width: int) -> Spans:
    held = isinstance(row.reserved_by, str)
    style = "bar.reserved" if held else "bar.used"
    parts = [(row.used[0], look.glyphs.used, style), (row.total[0], look.glyphs.room, "bar.room")]
    return [("[", "dim"), *bar(width - 2, parts, [], row.total[0]), ("]", "dim")]


def _used(row: NodeRow, look: Look, width: int) -> Span:
    if row.state == "DECOMMISSIONING":  # its size shrinks to what is used, so a share of it says nothing
        return "-", "dim"
    return text.percent(row.used[0], row.total[0]), "plain"


def _free(row: NodeRow, look: Look, width: int) -> Span:
    return text.dimension(look.dimensions[0], row.free[0]), "bad" if row.free[0] < 0 else "plain"


def _second(row: NodeRow, look: Look, width: int) -> Span:
    return f"{row.used[1]}/{row.total[1]}" if len(row.total) > 1 else "", "plain"


def _containers(row: NodeRow, look: Look, width: int) -> Span:
    return str(row.containers), "plain"


def _reserved(row: NodeRow, look: Look, width: int) -> Span:
    if isinstance(row.reserved_by, Unknown):
        return "?", "dim"
    if row.reserved_by is None:
        return "", "plain"
    size = row.reserved
    wanted = "" if size is None or isinstance(size, Unknown) else " " + text.amounts(size, look.dimensions)
    return text.short_id(row.reserved_by) + wanted, "warn"


def _rack(row: NodeRow, look: Look, width: int) -> Span:
    return text.plain(row.rack), "dim"


def _heartbeat(row: NodeRow, look: Look, width: int) -> Span:
    return text.age(row.last_heartbeat_ms, look.now_ms), "dim"


def _partition(row: NodeRow, look: Look, width: int) -> Span:
    return text.plain(row.partition), "dim"


COLUMNS: tuple[Column[NodeRow], ...] = (
    Column("NODE", 14, 0, _node, grow=1),
    Column("STATE", 11, 1, _state),
    Column("MEMORY", 12, 5, _bar, grow=2),
    Column("USED", 4, 2, _used, right=True),
    Column("FREE", 6, 1, _free, right=True),
    Column("VC", 7, 4, _second, right=True),
    Column("CONT", 4, 6, _containers, right=True),
    Column("RESERVED BY", 17, 0, _reserved),
    Column("RACK", 13, 8, _rack),
    Column("HEARD", 6, 9, _heartbeat, right=True),
    Column("LABEL", 8, 10, _partition),
)


def amounts_line(row: NodeRow, look: Look, holds: str) -> Spans:
    """The strip's line about its amounts, and in words what is on it."""
    return [
        ("used ", "head"),
        (text.amounts(row.used, look.dimensions), "plain"),
        ("   of ", "head"),
        (text.amounts(row.total, look.dimensions), "plain"),
        ("   free ", "head"),
        (text.amounts(row.free, look.dimensions), "plain"),
        (f"   {holds}", "plain"),
    ]


def details(row: NodeRow, look: Look) -> list[Spans]:
    """What the strip says about one node."""
    word, style = STATE_WORDS.get(row.state, (row.state, "plain"))
    lines: list[Spans] = [
        [(text.plain(row.id), "strong"), (f"  {text.plain(row.rack)}  ", "plain"), (word, style)],
        amounts_line(row, look, text.plural(row.containers, "container")),
    ]
    if isinstance(row.reserved_by, str):
        lines.append(
            [
                ("HELD ", "warn"),
                (f"reserved by {row.reserved_by}: nothing else starts here", "plain"),
            ]
        )
    return lines


# The pane

FIELDS = (
    RowField("node", "n", TEXT, lambda row, look: row.id, "node"),
    RowField("rack", "r", TEXT, lambda row, look: row.rack, "rack"),
    RowField("state", "s", TEXT, lambda row, look: f"{row.state} {STATE_WORDS.get(row.state, ('',))[0]}", "state"),
    RowField("label", "l", TEXT, lambda row, look: row.partition, "label"),
    RowField("used", "u", MEMORY, lambda row, look: row.used[0], "used memory"),
    RowField("free", "f", MEMORY, lambda row, look: row.free[0], "free memory"),
    RowField("vcores", "v", COUNT, lambda row, look: at(row.used, 1), "used vcores"),
    RowField("containers", "c", COUNT, lambda row, look: row.containers, "containers"),
    RowField("app", "a", TEXT, lambda row, look: _holder(row) or "", "held for"),
)


def _holder(row: NodeRow) -> str | None:
    """The application that reserved it, as far as is known."""
    return row.reserved_by if isinstance(row.reserved_by, str) else None


def is_problem(row: NodeRow, look: Look) -> bool:
    """Whether it is out of service, reserved, or has less than it has given away."""
    return is_out(row) or row.free[0] < 0 or _holder(row) is not None


def about(row: NodeRow, look: Look) -> Sequence[Reference]:
    """The node, who reserved it, and its rack."""
    holder = _holder(row)
    reserved = [] if holder is None else [Reference(APPLICATION, holder)]
    return (Reference(NODE, row.id), *reserved, Reference(RACK, row.rack))


def _enter(row: NodeRow, picture: Picture, scope: Scope | Filter | None) -> Lead | str:
    holds = row.containers > 0 or _holder(row) is not None
    return Lead("containers", scope=Scope(NODE, row.id)) if holds else f"Nothing is on {row.id}."


def owner_among(owners: Sequence[str], row: NodeRow, picture: Picture) -> Lead | str:
    """A node belongs to who reserved it, else to the application that owns most of what is on it."""
    most = Counter(owners).most_common(1)
    reserved = to_application(NOUN, row, picture)
    return reserved or (Lead("applications", most[0][0]) if most else f"Nothing is on {row.id}.")


def _owner(row: NodeRow, picture: Picture) -> Lead | str:
    return owner_among(column(picture.snapshot.containers(node=row.id), "application"), row, picture)


def count(rows: Sequence[object], picture: Picture, arrangement: Arrangement) -> str:
    """How many are up and down in the cluster."""
    header = picture.snapshot.header
    return f"{header.nodes}" + (f", {header.nodes_down} down" if header.nodes_down else "")


NOUN = Noun(
    "nodes",
    "Nodes",
    section("nodes"),
    COLUMNS,
    identity,
    details,
    "No node has registered yet.",
    table="nodes",
    criteria=Criteria(FIELDS, is_problem, scopes={RACK: lambda row, rack: bool(row.rack == rack)}),
    about=about,
    enter=_enter,
    enter_help="Go to what is on the node.",
    owner=_owner,
    crumb=scope_crumb(NODE),
    facts=grouped(
        Group("node", ("id", "host", "rack", "partition")),
        Group("state", ("state", "last_heartbeat_ms", "containers")),
        Group("amounts", ("total", "used", "free")),
        Group("reservation", ("reserved_by", "reserved")),
    ),
    size=count,
    view="list",
    marks=True,
)
