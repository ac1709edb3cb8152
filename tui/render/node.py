"""Nodes: state in words, memory as a bar, and who has reserved it."""

from engine.observe.snapshot import NodeRow, Unknown
from tui import format as text
from tui.render.line import Column, Look, Span, Spans, bar

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


def details(row: NodeRow, look: Look) -> list[Spans]:
    """What the strip says about one node."""
    word, style = STATE_WORDS.get(row.state, (row.state, "plain"))
    lines: list[Spans] = [
        [(text.plain(row.id), "strong"), (f"  {text.plain(row.rack)}  ", "plain"), (word, style)],
        [
            ("used ", "head"),
            (text.amounts(row.used, look.dimensions), "plain"),
            ("   of ", "head"),
            (text.amounts(row.total, look.dimensions), "plain"),
            ("   free ", "head"),
            (text.amounts(row.free, look.dimensions), "plain"),
            (f"   {text.plural(row.containers, 'container')}", "plain"),
        ],
    ]
    if isinstance(row.reserved_by, str):
        lines.append(
            [
                ("HELD ", "warn"),
                (f"reserved by {row.reserved_by}: nothing else starts here", "plain"),
            ]
        )
    return lines


def finds(row: NodeRow, words: str) -> bool:
    """Whether `words`, in lower case, occur in the node's name, rack or state."""
    return any(words in part.lower() for part in (row.id, row.rack, row.state))
