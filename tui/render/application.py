"""Applications: one line each, and the strip that says in words why one waits.

Every state shows as a word; colour only repeats it. The column that survives the narrowest screen is WHY.
"""

from engine.observe.snapshot import ApplicationRow, AskRow, Unknown
from tui import format as text
from tui.render.line import Column, Look, Span, Spans

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


def waits_for_master(row: ApplicationRow) -> bool:
    """Whether it was accepted and has no application master yet."""
    return row.state in {"SUBMITTED", "ACCEPTED", "WAITING"} and not row.containers


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


def finds(row: ApplicationRow, words: str) -> bool:
    """Whether `words`, in lower case, occur in what identifies the application."""
    return any(words in part.lower() for part in (row.id, row.name, row.user, row.queue, row.state))
