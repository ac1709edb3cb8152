"""Applications: one line each, and the strip that says in words why one waits.

By cause, a headline over each group says why its rows wait; in another order each row says it. Every state shows as a
word; colour only repeats it.
"""

from collections.abc import Sequence
from typing import Any

from engine.observe.section import column
from engine.observe.snapshot import ApplicationRow, AskRow, ObstacleSummary, Unknown
from tui import format as text
from tui import glyphs
from tui.render import application_brief
from tui.render.arrangement import Arrangement
from tui.render.cause import LIVE_STATES, by_cause
from tui.render.facts import Group, grouped
from tui.render.field import COUNT, MEMORY, SPAN, TEXT, Criteria, RowField, RowOrder, at, known, since
from tui.render.filter import Filter
from tui.render.group import Grouping
from tui.render.hue import hue_of
from tui.render.line import Look, Span, Spans
from tui.render.meter import line_meter, wait_bar
from tui.render.noun import Lead, Noun, Reference, scope_crumb, section
from tui.render.scope import APPLICATION, QUEUE, USER, Scope, is_under
from tui.render.table import Column
from tui.view_state import Picture

LONGEST, LARGEST = "longest", "largest"
"""Scales of a pane's bars: the longest wait [ms], the largest part of the cluster's memory [thousandths]."""


def identity(row: ApplicationRow) -> str:
    """What the cursor holds on to."""
    return row.id


def ask_words(row: ApplicationRow, dimensions: tuple[str, ...]) -> str:
    """What it still asks for, e.g. `16 × 24G/8c`; further priorities are counted."""
    asks = row.asks
    if isinstance(asks, Unknown):
        pending = row.pending_containers
        return "?" if isinstance(pending, Unknown) else f"{pending} {glyphs.TIMES} ?" if pending else ""
    wanted = [ask for ask in asks if ask.count > 0]
    if not wanted:
        return ""
    more = f" +{len(wanted) - 1}" if len(wanted) > 1 else ""
    return _ask(wanted[0], dimensions) + more


def _ask(ask: AskRow, dimensions: tuple[str, ...]) -> str:
    return text.times(ask.count, text.amounts(ask.size, dimensions))


def _id(row: ApplicationRow, look: Look, width: int) -> Span:
    return text.short_id(row.id), "text"


def _user(row: ApplicationRow, look: Look, width: int) -> Span:
    return text.plain(row.user), "text"


def queue_cell(path: str, look: Look) -> Spans:
    """A queue with the dot in its hue."""
    return [(f"{glyphs.QUEUE_DOT} ", hue_of(path, look)), (text.plain(text.short_queue(path)), "text")]


def _queue(row: ApplicationRow, look: Look, width: int) -> Spans:
    return queue_cell(row.queue, look)


def _type(row: ApplicationRow, look: Look, width: int) -> Span:
    return text.plain(row.type), "text"


def _life(row: ApplicationRow, look: Look, width: int) -> Span:
    return application_brief.life_words(row, look), "text"


def _name(row: ApplicationRow, look: Look, width: int) -> Span:
    return text.plain(row.name), "text" if row.state in LIVE_STATES else "soft"


def _state(row: ApplicationRow, look: Look, width: int) -> Span:
    return row.state, "data" if row.state == "RUNNING" else "text" if row.state in LIVE_STATES else "soft"


def _waits(row: ApplicationRow, look: Look, width: int) -> Span:
    return text.age(row.waiting_since_ms, look.now_ms), "text"


def _wait_bar(row: ApplicationRow, look: Look, width: int) -> Spans:
    waited = 0 if row.waiting_since_ms is None else look.now_ms - row.waiting_since_ms
    return wait_bar(width, waited, look.scales.get(LONGEST, 0))


def _time(row: ApplicationRow, look: Look, width: int) -> Span:
    end = row.finished_ms if row.finished_ms is not None else look.now_ms
    return text.duration(end - row.submitted_ms), "text"


def _ask_cell(row: ApplicationRow, look: Look, width: int) -> Span:
    return ask_words(row, look.dimensions) or glyphs.NONE, "text"


def _has(row: ApplicationRow, look: Look, width: int) -> Span:
    if not row.containers:
        return glyphs.NONE, "text"
    return text.times(row.containers, text.dimension(look.dimensions[0], row.used[0])), "text"


def _part(row: ApplicationRow, look: Look) -> int:
    """Of the cluster's memory [thousandths]."""
    return 1000 * row.used[0] // look.total[0] if look.total and look.total[0] else 0


def _share(row: ApplicationRow, look: Look, width: int) -> Span:
    return f"{_part(row, look) / 10:.1f}%" if row.used[0] else "", "text"


def _share_bar(row: ApplicationRow, look: Look, width: int) -> Spans:
    scale = look.scales.get(LARGEST, 1000)
    spans = line_meter(width, _part(row, look), scale, maximum=0, style=hue_of(row.queue, look))
    return spans if row.used[0] else [(" " * width, "text")]


def _memory(row: ApplicationRow, look: Look, width: int) -> Span:
    return text.dimension(look.dimensions[0], row.used[0]) if row.used[0] else "", "text"


def _second(row: ApplicationRow, look: Look, width: int) -> Span:
    return str(row.used[1]) if len(row.used) > 1 and row.used[1] else "", "text"


def _containers(row: ApplicationRow, look: Look, width: int) -> Span:
    return str(row.containers) if row.containers else "", "text"


def _reservations(row: ApplicationRow, look: Look, width: int) -> Span:
    held = row.reservations
    return "?" if isinstance(held, Unknown) else str(held) if held else "", "text"


def _reason(obstacle: ObstacleSummary) -> str:
    return text.with_short_amounts(text.with_short_ids(text.plain(obstacle.sentence)))


def _why(row: ApplicationRow, look: Look, width: int) -> Span:
    if row.obstacle is not None:
        words = _reason(row.obstacle)
        return words, "soft" if row.obstacle.certainty == "known" else "faint"
    if row.waiting_since_ms is not None and row.state in LIVE_STATES:
        return "waits to be offered a node", "soft"
    return text.plain(row.diagnostics), "soft"


_APP: Column[ApplicationRow] = Column("APP", 12, 0, _id, repeats=False)
_NAME: Column[ApplicationRow] = Column("NAME", 20, 2, _name)
_USER: Column[ApplicationRow] = Column("USER", 8, 4, _user)
_QUEUE: Column[ApplicationRow] = Column("QUEUE", 14, 1, _queue, least=9)
_STATE: Column[ApplicationRow] = Column("STATE", 9, 3, _state)
_HAS: Column[ApplicationRow] = Column("HAS", 8, 5, _has, right=True)
_ASKS: Column[ApplicationRow] = Column("ASKS", 16, 0, _ask_cell, least=12)
_WAITS: Column[ApplicationRow] = Column("WAITS", 7, 0, _waits, right=True, repeats=False)
_WHY: Column[ApplicationRow] = Column("WHY IT WAITS", 24, 0, _why, grow=1)
_LIFE: Column[ApplicationRow] = Column("LIFE", 24, 12, _life)

OTHER_COLUMNS: tuple[Column[ApplicationRow], ...] = (
    Column("TYPE", 9, 11, _type),
    _LIFE,
    Column("TIME", 6, 8, _time, right=True, repeats=False),
    Column("MEM", 6, 6, _memory, right=True),
    Column("VCORES", 6, 10, _second, right=True),
    Column("CONT", 5, 7, _containers, right=True),
    Column("RESERVED", 8, 7, _reservations, right=True),
)
"""Columns that are shown only where they are asked for; that of lives also where there is more than one kind."""

COLUMNS: tuple[Column[ApplicationRow], ...] = (
    _APP,
    _NAME,
    _USER,
    _QUEUE,
    _STATE,
    _HAS,
    _ASKS,
    _WAITS,
    Column("", 8, 6, _wait_bar, grow=1, gap=1, is_bar=True),
)
"""By cause, where somebody is kept waiting."""

CALM_COLUMNS: tuple[Column[ApplicationRow], ...] = (
    _APP,
    _NAME,
    _USER,
    _QUEUE,
    _STATE._replace(rank=5),
    _HAS._replace(width=9, rank=1),
    _ASKS._replace(rank=3),
    _WAITS._replace(width=6),
    Column("SHARE", 5, 4, _share, right=True, repeats=False),
    Column("", 7, 6, _share_bar, grow=1, gap=1, is_bar=True),
)
"""By cause, where nobody is."""

SORTED_COLUMNS: tuple[Column[ApplicationRow], ...] = (
    _APP,
    _NAME._replace(rank=3),
    _QUEUE._replace(rank=2),
    _STATE._replace(rank=4),
    _ASKS._replace(rank=1),
    _WAITS,
    _WHY,
)
"""In another order: every row says itself why it waits."""

EVERY_COLUMN = (_APP, _NAME, _USER, _QUEUE, _STATE, _HAS, _ASKS, *OTHER_COLUMNS, _WAITS, _WHY)
"""To choose from, and for tables outside of a screen."""


# What it is found and ordered by

_WORDS = {
    "NEW": "new pending waiting",
    "NEW_SAVING": "new pending waiting",
    "SUBMITTED": "submit pending waiting",
    "ACCEPTED": "accept pending waiting",
    "WAITING": "waiting pending",
    "FINISHED": "done ended",
    "FAILED": "ended",
    "KILLED": "ended",
}
"""State → what people call it; `state:` finds any of them."""


def _state_words(row: ApplicationRow, look: Look) -> str:
    return f"{row.state} {_WORDS.get(row.state, '')}"


def _why_words(row: ApplicationRow, look: Look) -> str:
    return row.obstacle.sentence if row.obstacle is not None else row.diagnostics


FIELDS = (
    RowField("app", "a", TEXT, lambda row, look: row.id, "application"),
    RowField("user", "u", TEXT, lambda row, look: row.user, "user"),
    RowField("type", "t", TEXT, lambda row, look: row.type, "type"),
    RowField("queue", "q", TEXT, lambda row, look: row.queue, "queue"),
    RowField("containers", "c", COUNT, lambda row, look: row.containers, "containers"),
    RowField("reserved", "r", COUNT, lambda row, look: known(row.reservations), "reserved containers"),
    RowField("vcores", "v", COUNT, lambda row, look: at(row.used, 1), "vcores"),
    RowField("rvcores", "o", COUNT, lambda row, look: at(row.reserved, 1), "reserved vcores"),
    RowField("memory", "m", MEMORY, lambda row, look: at(row.used, 0), "memory"),
    RowField("rmemory", "w", MEMORY, lambda row, look: at(row.reserved, 0), "reserved memory"),
    RowField("time", "i", SPAN, lambda row, look: (row.finished_ms or look.now_ms) - row.submitted_ms, "time"),
    RowField("name", "n", TEXT, lambda row, look: row.name, "name"),
    RowField("state", "s", TEXT, _state_words, "state"),
    RowField("wait", "p", SPAN, lambda row, look: since(row.waiting_since_ms, look), "how long it waits"),
    RowField("pending", "k", COUNT, lambda row, look: known(row.pending_containers), "containers asked for"),
    RowField("why", "", TEXT, _why_words, "why it waits"),
)
"""The letters are those of `yarn top`, where it has the field."""


def _order_key(
    state: str, waiting_ms: int | None, submitted_ms: int, finished_ms: int | None, number: int
) -> tuple[int, int, int]:
    """Those without a master first, longest wait first; running ones that wait; other running ones; finished ones."""
    if state not in LIVE_STATES:
        return 3, -(finished_ms or 0), number
    if state != "RUNNING":
        return 0, waiting_ms or submitted_ms, number
    return (2, submitted_ms, number) if waiting_ms is None else (1, waiting_ms, number)


def is_problem(row: ApplicationRow, look: Look) -> bool:
    """Whether it waits, or was ended by force."""
    return row.state in {"FAILED", "KILLED"} or (row.state in LIVE_STATES and row.waiting_since_ms is not None)


CRITERIA = Criteria(
    FIELDS,
    is_problem,
    RowOrder(("state", "waiting_since_ms", "submitted_ms", "finished_ms", "number"), _order_key),
    {QUEUE: lambda row, path: is_under(row.queue, path), USER: lambda row, user: bool(row.user == user)},
)

# Where it leads


def about(row: ApplicationRow, look: Look) -> Sequence[Reference]:
    """The application itself."""
    return (Reference(APPLICATION, row.id),)


def _enter(row: ApplicationRow, picture: Picture, scope: Scope | Filter | None) -> Lead | str:
    holds = row.containers > 0 or (isinstance(row.reservations, int) and row.reservations > 0)
    return Lead("containers", scope=Scope(APPLICATION, row.id)) if holds else f"{row.id} holds nothing."


def _owner(row: ApplicationRow, picture: Picture) -> Lead | str:
    return Lead("queues", row.queue)


def count(rows: Sequence[ApplicationRow], picture: Picture, arrangement: Arrangement) -> str:
    """How many run and wait in the cluster, and how many are shown where these are not all."""
    header = picture.snapshot.header
    shown = "" if arrangement.is_plain else f"  {len(rows)} shown"
    return f"{header.applications_running} running  {header.applications_pending} waiting{shown}"


def grouping(rows: Sequence[Any], picture: Picture, look: Look) -> Grouping:
    """By cause; how long they live is shown where not all live alike."""
    busy, calm = COLUMNS, CALM_COLUMNS
    if len(set(column(rows, "lifespan"))) > 1:
        busy, calm = _with_life(busy), _with_life(calm)
    return by_cause(rows, picture, look, busy, calm)


def _with_life(columns: tuple[Column[ApplicationRow], ...]) -> tuple[Column[ApplicationRow], ...]:
    """After the state."""
    place = [each.title for each in columns].index("STATE") + 1
    return (*columns[:place], _LIFE._replace(rank=7, least=8), *columns[place:])


_ROUND = (50, 100, 250, 500, 1000)
"""Ends of the scale of shares [thousandths]."""


def scales(rows: Sequence[Any], look: Look) -> dict[str, int]:
    """The scales of the bars."""
    since = [at for at in column(rows, "waiting_since_ms") if at is not None]
    most = max((used[0] for used in column(rows, "used")), default=0)
    part = 1000 * most // look.total[0] if look.total and look.total[0] else 0
    largest = next((end for end in _ROUND if end >= part), _ROUND[-1])
    return {LONGEST: look.now_ms - min(since, default=look.now_ms), LARGEST: largest}


NOUN: Noun[Any] = Noun(
    "applications",
    "Applications",
    section("applications"),
    COLUMNS,
    identity,
    application_brief.lines,
    "No application yet. S submits one.",
    table="applications",
    criteria=CRITERIA,
    about=about,
    enter=_enter,
    enter_help="Go to the containers it holds.",
    owner=_owner,
    crumb=scope_crumb(APPLICATION),
    facts=grouped(
        Group("who", ("id", "name", "user", "queue", "type", "number")),
        Group("state", ("state", "submitted_ms", "waiting_since_ms", "finished_ms", "diagnostics")),
        Group("life", ("lifespan", "jobs", "jobs_done", "idle_since_ms", "idle_containers")),
        Group("has", ("containers", "used", "reservations", "reserved")),
        Group("asks for", ("pending_containers", "asks", "cores_wanted", "executor_cores", "executor_memory_mb")),
        Group("why it waits", ("obstacle",)),
    ),
    subject=lambda row: f"{text.short_id(row.id)} {text.plain(row.name)}",
    fills=lambda row: {"queue": row.queue, "user": row.user},
    size=count,
    caption=lambda look: "by cause",
    is_linked=True,
    marks=True,
    grouping=grouping,
    scales=scales,
    sorted_columns=SORTED_COLUMNS,
    every_column=EVERY_COLUMN,
    has_folds=True,
)
