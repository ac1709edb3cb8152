"""Workers of Spark's standalone Master: state in words and marks, cores as a bar, memory in amounts."""

from engine.observe.section import glimpses
from engine.observe.snapshot import NodeRow
from tui import format as text
from tui.render import node
from tui.render.executor import executors_of
from tui.render.line import Column, Look, Span, Spans, bar
from tui.render.noun import Lead, Noun
from tui.view_state import Picture

STATE_WORDS = {
    "ALIVE": ("alive", "good"),
    "DEAD": ("x dead", "bad"),
    "DECOMMISSIONED": ("- decomm.", "warn"),
}
"""State of a worker → (mark and word, style)."""

_MEANING = {
    "DEAD": "The Master lost it; its figures are the last it knew. D brings it back as a new worker.",
    "DECOMMISSIONED": "It takes no more work and its executors go. D brings it back as a new worker.",
}


def identity(row: NodeRow) -> str:
    """What the cursor holds on to."""
    return row.id


def _worker(row: NodeRow, look: Look, width: int) -> Span:
    return text.plain(row.host or text.short_node(row.id)), "plain" if row.state == "ALIVE" else "dim"


def _state(row: NodeRow, look: Look, width: int) -> Span:
    return STATE_WORDS.get(row.state, (row.state, "plain"))


def _bar(row: NodeRow, look: Look, width: int) -> Spans:
    used = row.used[1] if row.state == "ALIVE" else 0
    parts = [(used, look.glyphs.used, "bar.used"), (row.total[1], look.glyphs.room, "bar.room")]
    return [("[", "dim"), *bar(width - 2, parts, [], row.total[1]), ("]", "dim")]


def _cores(row: NodeRow, look: Look, width: int) -> Span:
    return f"{row.used[1]}/{row.total[1]}", "plain" if row.state == "ALIVE" else "dim"


def _memory(row: NodeRow, look: Look, width: int) -> Span:
    words = f"{text.memory(row.used[0])}/{text.memory(row.total[0])}"
    return words, "plain" if row.state == "ALIVE" else "dim"


def _free(row: NodeRow, look: Look, width: int) -> Span:
    return text.memory(row.free[0]), "plain" if row.state == "ALIVE" else "dim"


def _executors(row: NodeRow, look: Look, width: int) -> Span:
    return str(row.containers), "plain"


def _rack(row: NodeRow, look: Look, width: int) -> Span:
    return text.plain(row.rack), "dim"


COLUMNS: tuple[Column[NodeRow], ...] = (
    Column("WORKER", 12, 0, _worker, grow=1),
    Column("STATE", 9, 1, _state),
    Column("", 10, 4, _bar, grow=2),
    Column("CORES", 7, 0, _cores, right=True),
    Column("MEMORY", 11, 2, _memory, right=True),
    Column("FREE", 6, 5, _free, right=True),
    Column("EXEC", 4, 3, _executors, right=True),
    Column("RACK", 13, 8, _rack),
)


def details(row: NodeRow, look: Look) -> list[Spans]:
    """What the strip says about one worker."""
    style = STATE_WORDS.get(row.state, ("", "plain"))[1]
    lines: list[Spans] = [
        [(text.plain(row.id), "strong"), (f"  {text.plain(row.rack)}  ", "plain"), (row.state, style)],
        node.amounts_line(row, look, f"executors and drivers {row.containers}"),
    ]
    if row.state in _MEANING:
        lines.append([("", "dim"), (_MEANING[row.state], style)])
    return lines


def _owner(row: NodeRow, picture: Picture) -> Lead | str:
    ids = {one.number: one.id for one in glimpses(picture.snapshot.applications(why=False))}
    here = [one.application for one in executors_of(picture) if one.worker == row.id]
    return node.owner_among([ids[number] for number in here if number in ids], row, picture)


NOUN: Noun[NodeRow] = node.NOUN._replace(
    title="Workers",
    columns=COLUMNS,
    identity=identity,
    details=details,
    nothing="No worker has registered yet.",
    owner=_owner,
)
