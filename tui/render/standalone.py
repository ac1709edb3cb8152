"""Applications of Spark's standalone Master: cores wanted and got; the FIFO list that is its only queue."""

from collections.abc import Sequence

from engine.observe.spark_view import StandaloneRow
from tui import format as text
from tui.render import application
from tui.render.arrangement import Arrangement
from tui.render.line import Column, Look, Span, Spans, bar
from tui.render.noun import Lead, Noun, Rows, Source, scope_crumb
from tui.render.scope import APPLICATION
from tui.view_state import Picture

_SHARED = {column.title: column for column in application.COLUMNS}
"""Columns that say the same of every application."""


def identity(row: StandaloneRow) -> str:
    """What the cursor holds on to."""
    return row.id


def is_live(row: StandaloneRow) -> bool:
    """Whether it is in the FIFO list."""
    return row.state in application.LIVE_STATES


def _wanted(row: StandaloneRow) -> str:
    return "-" if row.cores_wanted is None else str(row.cores_wanted)


def _cores(row: StandaloneRow, look: Look, width: int) -> Span:
    if not is_live(row):
        return f"0/{_wanted(row)}", "dim"
    short = row.cores_wanted is None or row.used[1] < row.cores_wanted
    return f"{row.used[1]}/{_wanted(row)}", "warn" if short else "good"


def _executors(row: StandaloneRow, look: Look, width: int) -> Span:
    return str(row.containers) if row.containers else "", "plain"


def _each(row: StandaloneRow, look: Look, width: int) -> Span:
    cores = "any" if row.executor_cores is None else f"{row.executor_cores}c"
    return f"{text.memory(row.executor_memory_mb)}/{cores}", "plain"


def _bar(row: StandaloneRow, look: Look, width: int) -> Spans:
    scale = look.total[1] if len(look.total) > 1 else 0
    wanted = scale if row.cores_wanted is None else min(scale, row.cores_wanted)
    signs = look.glyphs
    parts = [(row.used[1], signs.used, "bar.used"), (wanted, signs.room, "bar.room")]
    return [("[", "dim"), *bar(width - 2, parts, [], scale), ("]", "dim")]


COLUMNS: tuple[Column[StandaloneRow], ...] = (
    Column("APP", 4, 0, _SHARED["APP"].cell),
    Column("USER", 8, 6, _SHARED["USER"].cell),
    Column("NAME", 12, 3, _SHARED["NAME"].cell, grow=1),
    Column("STATE", 6, 1, _SHARED["STATE"].cell),
    Column("CORES", 7, 0, _cores, right=True),
    Column("EXEC", 4, 2, _executors, right=True),
    Column("EACH", 8, 4, _each),
    Column("MEM", 6, 7, _SHARED["MEM"].cell, right=True),
    Column("WAITS", 6, 5, _SHARED["WAITS"].cell, right=True),
    Column("TIME", 6, 8, _SHARED["TIME"].cell, right=True),
    Column("WHY IT WAITS", 34, 0, _SHARED["WHY IT WAITS"].cell, grow=4, least=20),
)

FIFO_COLUMNS: tuple[Column[StandaloneRow], ...] = (
    Column("APP", 4, 0, _SHARED["APP"].cell),
    Column("NAME", 8, 2, _SHARED["NAME"].cell, grow=1),
    Column("CORES OF ALL", 12, 3, _bar, grow=2),
    Column("GOT/WANTS", 9, 0, _cores, right=True),
    Column("STATE", 6, 1, _SHARED["STATE"].cell),
)


def details(row: StandaloneRow, look: Look) -> list[Spans]:
    """What the strip says about one application: who, what it has and wants, why it waits."""
    style = application.STATE_WORDS.get(row.state, ("", "plain"))[1]
    wants = "all there are" if row.cores_wanted is None else text.plural(row.cores_wanted, "core")
    each = "any cores" if row.executor_cores is None else text.plural(row.executor_cores, "core")
    has = f"{text.plural(row.used[1], 'core')} in {text.plural(row.containers, 'executor')}"
    lines: list[Spans] = [
        [
            (row.id, "strong"),
            (f"  {text.plain(row.user)}  ", "plain"),
            (row.state, style),
            (f"  {text.plain(row.name)}", "plain"),
        ],
        [
            ("has  ", "head"),
            (has, "plain"),
            ("   wants ", "head"),
            (wants, "plain"),
            ("   executors of ", "head"),
            (f"{each}, {text.memory(row.executor_memory_mb)}", "plain"),
        ],
    ]
    if row.obstacle is not None:
        lines.append([("WHY  ", "warn"), (text.plain(row.obstacle.sentence), "plain")])
    elif is_live(row) and row.cores_wanted is None:
        lines.append([("", "dim"), ("It sets no maximum: it is given every core that comes free.", "warn")])
    return lines


def fifo_details(row: StandaloneRow, look: Look) -> list[Spans]:
    """What the strip says about one place in the list."""
    rule = "Served from the top; who cannot be served blocks nobody and keeps its place."
    return [*details(row, look)[:2], [(rule, "dim")]]


# The panes


def _owner(row: StandaloneRow, picture: Picture) -> Lead | str:
    return Lead("queues", row.id)


NOUN: Noun[StandaloneRow] = application.NOUN._replace(
    columns=COLUMNS,
    identity=identity,
    details=details,
    owner=_owner,
)


def _listed(picture: Picture, arrangement: Arrangement) -> Rows:
    """Only those that are still in the list."""
    return [row for row in picture.snapshot.applications() if row.state in application.LIVE_STATES], arrangement


def _list_count(rows: Sequence[StandaloneRow], picture: Picture, arrangement: Arrangement) -> str:
    return f"{len(rows)}, {'spread out' if picture.snapshot.header.spread_out is True else 'packing'}"


FIFO = Noun(
    "queues",
    "Fifo",
    Source(_listed, lambda picture: picture.snapshot.version("applications")),
    FIFO_COLUMNS,
    identity,
    fifo_details,
    "Nobody is in the list.",
    table="queues",
    criteria=application.CRITERIA._replace(order=None),
    about=application.about,
    enter=lambda row, picture, scope: Lead("applications", row.id),
    enter_help="Go to the application.",
    owner=lambda row, picture: "The list is the one queue there is.",
    crumb=scope_crumb(APPLICATION),
    facts=application.NOUN.facts,
    fills=application.NOUN.fills,
    size=_list_count,
)
"""The list of applications, which is the one queue."""
