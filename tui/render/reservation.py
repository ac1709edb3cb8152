"""Reservations: which node is held for whom, how much is missing and for how long."""

from engine.observe.snapshot import ReservationRow, Unknown
from tui import format as text
from tui.render.facts import Group, grouped
from tui.render.field import MEMORY, SPAN, TEXT, Criteria, RowField, since
from tui.render.line import Look, Span, Spans
from tui.render.noun import Noun, Reference, section
from tui.render.release import release_lines, release_span, release_words
from tui.render.scope import APPLICATION, NODE, QUEUE, is_under
from tui.render.table import Column


def identity(row: ReservationRow) -> str:
    """What the cursor holds on to."""
    return row.node


def _node(row: ReservationRow, look: Look, width: int) -> Span:
    return text.plain(text.short_node(row.node)), "text"


def _application(row: ReservationRow, look: Look, width: int) -> Span:
    return text.short_id(row.application), "strong"


def _queue(row: ReservationRow, look: Look, width: int) -> Span:
    return text.plain(text.short_queue(row.queue)), "text"


def _size(row: ReservationRow, look: Look, width: int) -> Span:
    return text.amounts(row.size, look.dimensions), "text"


def _free(row: ReservationRow, look: Look, width: int) -> Span:
    return text.dimension(look.dimensions[0], row.free[0]), "text"


def missing(row: ReservationRow, dimensions: tuple[str, ...]) -> str:
    """What is missing, only the dimensions that are; `fits now` when none is."""
    lacking = [(name, value) for name, value in zip(dimensions, row.short_by, strict=False) if value > 0]
    if not lacking:
        return "fits"
    return "/".join(text.amounts((value,), (name,)) for name, value in lacking)


def _short(row: ReservationRow, look: Look, width: int) -> Span:
    words = missing(row, look.dimensions)
    return words, "good" if words == "fits" else "watch"


def _age(row: ReservationRow, look: Look, width: int) -> Span:
    return text.age(row.since_ms, look.now_ms), "watch"


def _released(row: ReservationRow, look: Look, width: int) -> Span:
    return release_span(row.released, look, width)


def nothing(row: ReservationRow, look: Look, width: int) -> Span:
    """The cell of a cluster that knows no reservations."""
    return "", "faint"


COLUMNS: tuple[Column[ReservationRow], ...] = (
    Column("NODE", 14, 0, _node, grow=1),
    Column("APP", 6, 0, _application),
    Column("QUEUE", 10, 5, _queue, grow=1),
    Column("SIZE", 8, 1, _size),
    Column("FREE", 5, 2, _free, right=True),
    Column("SHORT", 8, 0, _short, right=True),
    Column("AGE", 6, 1, _age, right=True),
    Column("RELEASED BY", 12, 0, _released, grow=2),
)


def details(row: ReservationRow, look: Look) -> list[Spans]:
    """What the strip says about one reservation."""
    words = missing(row, look.dimensions)
    free, size = text.amounts(row.free, look.dimensions), text.amounts(row.size, look.dimensions)
    verdict = "it fits now and starts at the node's next heartbeat" if words == "fits" else f"short by {words}"
    then, *rest = release_lines(row.released, look)
    return [
        [
            (text.plain(row.node), "strong"),
            (" is held for ", "text"),
            (row.application, "strong"),
            _since(row, look),
        ],
        [("WHY  ", "watch"), (f"it asks for {size}, {free} is free: {verdict}", "text")],
        [("THEN ", "watch"), (then, "text")],
        *([(f"     {line}", "text")] for line in rest),
        [("", "faint"), ("Until it fits or is dropped, no other application gets a container on this node.", "faint")],
    ]


def _since(row: ReservationRow, look: Look) -> Span:
    return "" if isinstance(row.since_ms, Unknown) else f", for {text.age(row.since_ms, look.now_ms)}", "text"


# The pane

FIELDS = (
    RowField("node", "n", TEXT, lambda row, look: row.node, "node"),
    RowField("app", "a", TEXT, lambda row, look: row.application, "application"),
    RowField("queue", "q", TEXT, lambda row, look: row.queue, "queue"),
    RowField("size", "z", MEMORY, lambda row, look: row.size[0], "size"),
    RowField("free", "f", MEMORY, lambda row, look: row.free[0], "free on the node"),
    RowField("short", "s", MEMORY, lambda row, look: row.short_by[0], "missing"),
    RowField("age", "g", SPAN, lambda row, look: since(row.since_ms, look), "age"),
    RowField(
        "released", "r", TEXT, lambda row, look: release_words(row.released, look), "who frees the node, and when"
    ),
)


def is_problem(row: ReservationRow, look: Look) -> bool:
    """Whether what it is for does not fit yet."""
    return missing(row, look.dimensions) != "fits"


NOUN = Noun(
    "reservations",
    "Reservations",
    section("reservations"),
    COLUMNS,
    identity,
    details,
    "No node is reserved.",
    table="reservations",
    criteria=Criteria(
        FIELDS,
        is_problem,
        scopes={
            QUEUE: lambda row, path: is_under(row.queue, path),
            APPLICATION: lambda row, application: bool(row.application == application),
            NODE: lambda row, node: bool(row.node == node),
        },
    ),
    about=lambda row, look: (Reference(APPLICATION, row.application), Reference(NODE, row.node)),
    enter_help="Go to the application the node is held for.",
    facts=grouped(
        Group("reservation", ("node", "application", "queue", "since_ms")),
        Group("amounts", ("size", "free", "short_by")),
        Group("then", ("released",)),
    ),
)

NONE = NOUN._replace(
    columns=(Column("", 1, 0, nothing, grow=1),),
    nothing="Spark reserves nothing: what does not fit waits for the next pass.",
    size=lambda rows, picture, arrangement: "none",
)
"""Of Spark's Master, which reserves nothing."""
