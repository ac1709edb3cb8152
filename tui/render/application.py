"""Applications: one line each, and the strip that says in words why one waits.

Every state shows as a word; colour only repeats it. The column that survives the narrowest screen is WHY.
"""

from collections.abc import Sequence
from typing import Any

from engine.observe.snapshot import ApplicationRow, AskRow, Unknown
from tui import format as text
from tui.render.arrangement import Arrangement
from tui.render.facts import Group, grouped
from tui.render.field import COUNT, MEMORY, SPAN, TEXT, Criteria, RowField, RowOrder, at, known, since
from tui.render.filter import Filter
from tui.render.line import Column, Look, Span, Spans
from tui.render.noun import Lead, Noun, Reference, scope_crumb, section
from tui.render.scope import APPLICATION, QUEUE, USER, Scope, is_under
from tui.view_state import Picture

STATE_WORDS = {
    "NEW": ("NEW", "dim"),
    "NEW_SAVING": ("NEW", "dim"),
    "SUBMITTED": ("SUBMIT", "warn"),
    "ACCEPTED": ("ACCEPT", "warn"),
    "WAITING": ("WAIT", "warn"),
    "RUNNING": ("RUN", "good"),
    "FINISHED": ("DONE", "dim"),
    "FAILED": ("FAILED", "bad"),
    "KILLED": ("KILLED", "bad"),
}
"""State of an application → (short word, style); an unknown state shows as it is."""

LIVE_STATES = frozenset({"NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "WAITING", "RUNNING"})

_CERTAINTY = {"known": "", "inferred": " (inferred)", "unknown": " (cannot be known here)"}


def identity(row: ApplicationRow) -> str:
    """What the cursor holds on to."""
    return row.id


def ask_words(row: ApplicationRow, dimensions: tuple[str, ...]) -> str:
    """What it still asks for, e.g. `16x24G/8c`; further priorities are counted."""
    asks = row.asks
    if isinstance(asks, Unknown):
        pending = row.pending_containers
        return "?" if isinstance(pending, Unknown) else f"{pending}x?" if pending else ""
    wanted = [ask for ask in asks if ask.count > 0]
    if not wanted:
        return ""
    more = f" +{len(wanted) - 1}" if len(wanted) > 1 else ""
    return _ask(wanted[0], dimensions) + more


def _ask(ask: AskRow, dimensions: tuple[str, ...]) -> str:
    return f"{ask.count}x{text.amounts(ask.size, dimensions)}"


def _id(row: ApplicationRow, look: Look, width: int) -> Span:
    return text.short_id(row.id), "strong" if row.state in LIVE_STATES else "dim"


def _user(row: ApplicationRow, look: Look, width: int) -> Span:
    return text.plain(row.user), "plain"


def _queue(row: ApplicationRow, look: Look, width: int) -> Span:
    return text.plain(text.short_queue(row.queue)), "plain"


def _type(row: ApplicationRow, look: Look, width: int) -> Span:
    return text.plain(row.type), "dim"


def _name(row: ApplicationRow, look: Look, width: int) -> Span:
    return text.plain(row.name), "plain"


def _state(row: ApplicationRow, look: Look, width: int) -> Span:
    return STATE_WORDS.get(row.state, (row.state, "plain"))


def _waits(row: ApplicationRow, look: Look, width: int) -> Span:
    return text.age(row.waiting_since_ms, look.now_ms), "warn"


def _time(row: ApplicationRow, look: Look, width: int) -> Span:
    end = row.finished_ms if row.finished_ms is not None else look.now_ms
    return text.duration(end - row.submitted_ms), "dim"


def _ask_cell(row: ApplicationRow, look: Look, width: int) -> Span:
    return ask_words(row, look.dimensions), "plain"


def _memory(row: ApplicationRow, look: Look, width: int) -> Span:
    return text.dimension(look.dimensions[0], row.used[0]) if row.used[0] else "", "plain"


def _second(row: ApplicationRow, look: Look, width: int) -> Span:
    return str(row.used[1]) if len(row.used) > 1 and row.used[1] else "", "plain"


def _containers(row: ApplicationRow, look: Look, width: int) -> Span:
    return str(row.containers) if row.containers else "", "plain"


def _reservations(row: ApplicationRow, look: Look, width: int) -> Span:
    held = row.reservations
    return ("?", "dim") if isinstance(held, Unknown) else (str(held) if held else "", "warn")


def _why(row: ApplicationRow, look: Look, width: int) -> Span:
    if row.obstacle is not None:
        words = text.with_short_ids(text.plain(row.obstacle.sentence))
        return words, "warn" if row.obstacle.certainty == "known" else "dim"
    if row.waiting_since_ms is not None and row.state in LIVE_STATES:
        return "waits to be offered a node", "dim"
    return text.plain(row.diagnostics), "dim"


COLUMNS: tuple[Column[ApplicationRow], ...] = (
    Column("APP", 6, 0, _id),
    Column("USER", 8, 5, _user),
    Column("QUEUE", 10, 3, _queue, grow=1),
    Column("TYPE", 9, 11, _type),
    Column("NAME", 16, 9, _name, grow=1),
    Column("STATE", 6, 1, _state),
    Column("WAITS", 6, 1, _waits, right=True),
    Column("TIME", 6, 8, _time, right=True),
    Column("ASK", 12, 2, _ask_cell),
    Column("MEM", 6, 6, _memory, right=True),
    Column("VC", 4, 10, _second, right=True),
    Column("#CONT", 5, 4, _containers, right=True),
    Column("#RES", 4, 4, _reservations, right=True),
    Column("WHY IT WAITS", 34, 0, _why, grow=4, least=20),
)


def details(row: ApplicationRow, look: Look) -> list[Spans]:
    """What the strip says about one application: who, what it has and asks, why it waits."""
    word, style = row.state, STATE_WORDS.get(row.state, ("", "plain"))[1]
    lines: list[Spans] = [
        [
            (row.id, "strong"),
            (f"  {text.plain(row.queue)}  {text.plain(row.user)}  ", "plain"),
            (word, style),
            (f"  {text.plain(row.name)}", "plain"),
        ],
        [("has  ", "head"), (_holding(row, look), "plain"), ("   asks  ", "head"), (_asks(row, look), "plain")],
    ]
    if row.obstacle is not None:
        sure = _CERTAINTY.get(row.obstacle.certainty, "")
        waited = text.age(row.waiting_since_ms, look.now_ms)
        lines.append([("WHY  ", "warn"), (text.plain(row.obstacle.sentence) + sure, "plain")])
        lines[1].append((f"   waits {waited}" if waited else "", "warn"))
    elif row.diagnostics:
        lines.append([("says ", "head"), (text.plain(row.diagnostics), "plain")])
    return lines


def _holding(row: ApplicationRow, look: Look) -> str:
    has = f"{text.plural(row.containers, 'container')} {text.amounts(row.used, look.dimensions)}"
    held = row.reservations
    if isinstance(held, Unknown) or not held:
        return has
    return f"{has}, {text.plural(held, 'node')} reserved"


def _asks(row: ApplicationRow, look: Look) -> str:
    if isinstance(row.asks, Unknown):
        return "?"
    wanted = [_ask(ask, look.dimensions) + _where(ask) for ask in row.asks if ask.count > 0]
    return ", ".join(wanted) or "nothing"


def _where(ask: AskRow) -> str:
    if not ask.places:
        return ""
    some = " ".join(text.short_node(place) for place in ask.places[:3])
    return f" {'near' if ask.relax_locality else 'only on'} {some}{' ...' if len(ask.places) > 3 else ''}"


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
    """How many run and wait in the cluster, and how many are shown."""
    header = picture.snapshot.header
    return f"{header.applications_running} run, {header.applications_pending} wait / {len(rows)}"


NOUN: Noun[Any] = Noun(
    "applications",
    "Applications",
    section("applications"),
    COLUMNS,
    identity,
    details,
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
        Group("has", ("containers", "used", "reservations", "reserved")),
        Group("asks for", ("pending_containers", "asks", "cores_wanted", "executor_cores", "executor_memory_mb")),
        Group("why it waits", ("obstacle",)),
    ),
    fills=lambda row: {"queue": row.queue, "user": row.user},
    size=count,
    marks=True,
)
