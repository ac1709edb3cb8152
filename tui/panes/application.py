"""Applications: one line each, and the strip that says in words why one waits.

By cause, a headline over each group says why its rows wait; in another order each row says it. Every state shows as a
word; colour only repeats it.
"""

from collections.abc import Sequence
from typing import Any, Final

from engine.observe.snapshot import ApplicationRow, Unknown, column, lazy_rows, summed
from engine.observe.snapshots import LIVE_STATES, WAITS, services, terms_for, waits_of
from tui.panes import application_brief
from tui.panes.arrangement import Filter, SortFilter
from tui.panes.cause import CAUSES, NO_CAUSE, by_cause
from tui.panes.field import (
    APPLICATION,
    COUNT,
    ID,
    MEMORY,
    PATH,
    QUEUE,
    SECOND,
    SOME,
    SPAN,
    USER,
    Draw,
    RowField,
    RowFields,
    RowOrder,
    Scope,
    detail_fields,
    text_cell,
)
from tui.panes.fragments import Fragment, Fragments, RenderContext, half_cells, hue_of, line_meter
from tui.panes.group import Grouping
from tui.panes.pane_view import NavigationTarget, PaneView, Reference, scope_crumb, section
from tui.panes.table import Column, figure
from tui.panes.waits import sum_words
from tui.protocol.picture import SessionState
from tui.terminal import format as text

NAMED: Final = 8  # Marked rows that are named; of more there is the number


def _marked_applications(rows: Sequence[Any], look: RenderContext) -> list[Fragments]:
    held = sum(column(rows, "containers"))
    used = text.amounts(summed(column(rows, "used")), look.dimensions)
    waits = services(rows).count(WAITS)
    since = min((at for at in column(rows, "waiting_since_ms") if at is not None), default=None)
    longest = f", longest {text.age(since, look.now_ms)}" if since is not None else ""
    what = text.format_usage(held, summed(column(rows, "used")), look.dimensions) if held else "nothing"
    loses = text.plural(held, terms_for(look.dimensions).container) if held else "nothing"
    reserved = sum(each for each in column(rows, "reservations") if isinstance(each, int))
    parts = [used if held else "", text.plural(reserved, "reservation") if reserved else ""]
    frees = " and ".join(filter(None, parts)) or "nothing"
    if not any(state in LIVE_STATES for state in column(rows, "state")):
        return [
            _who([text.short_id(row_id) for row_id in column(rows, "id")]),
            [("has ended" if len(rows) == 1 else "all have ended", "soft")],
        ]
    return [
        _who([text.short_id(row_id) for row_id in column(rows, "id")]),
        [("together they have ", "soft"), (what, "text"), (f"; {waits} wait{longest}" if waits else "", "text")],
        [("K ", "bold accent"), (f"kill them: frees {frees}, loses {loses}", "text")],
    ]


def marked_nodes(rows: Sequence[Any], look: RenderContext) -> list[Fragments]:
    """Marked nodes: their names, what they have together, what a drain of them does."""
    words = terms_for(look.dimensions)
    held = sum(column(rows, "containers"))
    total, used, free = (
        text.amounts(summed(column(rows, name)), look.dimensions) for name in ("total", "used", "free")
    )
    names = [look.node_name(row.host or row.id) for row in lazy_rows(rows)]
    return [
        _who(names),
        [(f"together {text.plural(held, words.container)}, {used} of {total}; {free} free", "text")],
        [("D ", "bold accent"), (f"take them out, or bring back {words.node}s that are out", "text")],
    ]


def _who(names: Sequence[str]) -> Fragments:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return [(f"{len(names)} ", "strong"), (f"marked: {', '.join(names[:NAMED])}{more}", "text")]


LONGEST, LARGEST = "longest", "largest"  # Scales of bars: wait [ms], part of the memory [thousandths]


def ask_words(row: ApplicationRow, dimensions: tuple[str, ...]) -> str:
    """Says what an application still asks for, e.g. `16 × 24G/8c`; further priorities are counted."""
    asks = row.asks
    if isinstance(asks, Unknown):
        pending = row.pending_containers
        return "?" if isinstance(pending, Unknown) else f"{pending} {text.TIMES} ?" if pending else ""
    wanted = [ask for ask in asks if ask.count > 0]
    if not wanted:
        return ""
    more = f" +{len(wanted) - 1}" if len(wanted) > 1 else ""
    return text.times(wanted[0].count, text.amounts(wanted[0].size, dimensions)) + more


def _name(row: ApplicationRow, look: RenderContext, width: int) -> Fragment:
    return text.plain(row.name), "text" if row.state in LIVE_STATES else "soft"


def _state(row: ApplicationRow, look: RenderContext, width: int) -> Fragment:
    return row.state, "data" if row.state == "RUNNING" else "text" if row.state in LIVE_STATES else "soft"


def _wait_bar(row: ApplicationRow, look: RenderContext, width: int) -> Fragments:
    waited = 0 if row.waiting_since_ms is None else look.now_ms - row.waiting_since_ms
    filled = half_cells(width, waited, look.scales.get(LONGEST, 0))
    words = text.METER_FULL * (filled // 2) + text.METER_HALF * (filled % 2)
    return [(words.ljust(width), "room")] if width > 0 else []


def _has(row: ApplicationRow, look: RenderContext, width: int) -> Fragment:
    if not row.containers:
        return text.NONE, "text"
    return f"{text.dimension(look.dimensions[0], row.used[0])} in {row.containers}", "text"


def _part(memory_mb: int, look: RenderContext) -> int:
    total = look.total
    return 1000 * memory_mb // total[0] if total and total[0] else 0


_share: Draw[ApplicationRow] = text_cell(
    lambda row, look: f"{_part(row.used[0], look) / 10:.1f}%" if row.used[0] else ""
)


def _share_bar(row: ApplicationRow, look: RenderContext, width: int) -> Fragments:
    scale = look.scales.get(LARGEST, 1000)
    return line_meter(width, _part(row.used[0], look), scale, maximum=0, style=hue_of(row.queue, look))


_memory: Draw[ApplicationRow] = text_cell(
    lambda row, look: text.dimension(look.dimensions[0], row.used[0]) if row.used[0] else ""
)
_second: Draw[ApplicationRow] = text_cell(
    lambda row, look: str(row.used[1]) if len(row.used) > 1 and row.used[1] else ""
)


def _deciding(row: ApplicationRow, look: RenderContext) -> str:
    own, code = look.held.get(row.id), "" if row.obstacle is None else row.obstacle.code
    if own is not None:
        short, count = text.lacking(own.short, look.dimensions), len(own.nodes)
        if not short:
            return ""
        return f"{short} short on {look.node_name(own.nodes[0]) if count == 1 else f'best of {count}'}"
    if code != application_brief.RESERVED or not look.held:
        return ""
    holder, held = max(look.held.items(), key=lambda pair: len(pair[1].nodes))
    every = sum(len(each.nodes) for each in look.held.values())
    most = "" if len(look.held) == 1 else f"{len(held.nodes)} "
    return f"{every} reserved, {most}for {text.short_id(holder)}"


def _short_cause(row: ApplicationRow, look: RenderContext) -> str:
    code = "" if row.obstacle is None else row.obstacle.code
    if look.partitions and code == "DOES_NOT_FIT":
        return f"no room in {_label(row, look)}"
    return CAUSES.get(code, NO_CAUSE).one


def _why(row: ApplicationRow, look: RenderContext, width: int) -> Fragment:
    if row.number in look.coming:
        return f"foretold for {text.near_clock(look.coming[row.number], look.now_ms, look.offset_ms)}", "text"
    if row.obstacle is not None:
        words = "" if look.shift else _deciding(row, look)
        words = words or text.short_sentence(row.obstacle.sentence)
        if len(words) > width and not look.shift:
            words = _short_cause(row, look) or words
        return words, "soft" if row.obstacle.certainty == "known" else "faint"
    if row.waiting_since_ms is not None and row.state in LIVE_STATES:
        return "waits to be offered a node", "soft"
    return text.plain(row.diagnostics), "soft"


def _label(row: ApplicationRow, look: RenderContext) -> str:
    if isinstance(row.partition, Unknown) or not look.partitions:
        return ""
    return "default " * row.partition.startswith(" ") + text.plain(row.partition).strip() or "default"


_WORDS = {
    "NEW": "new pending waiting",
    "NEW_SAVING": "new pending waiting",
    "SUBMITTED": "submit pending waiting",
    "ACCEPTED": "accept pending waiting",
    "WAITING": "waiting pending",
    "PREP": "accept pending waiting",
    "FINISHED": "done ended",
    "SUCCEEDED": "finished done ended",
    "FAILED": "ended",
    "KILLED": "ended",
}  # State → what people call it; `state:` finds any of them


def _state_words(row: ApplicationRow, look: RenderContext) -> str:
    return f"{row.state} {_WORDS.get(row.state, '')}"


_waits: Draw[ApplicationRow] = text_cell(
    lambda row, look: "" if row.waiting_since_ms is None else application_brief.waited_words(row, look)
)
_WAITS: Column[ApplicationRow] = figure("WAITS", 7, 0, _waits)
_ASKS: Column[ApplicationRow] = Column(
    "ASKS", 16, 0, text_cell(lambda row, look: ask_words(row, look.dimensions) or text.NONE), least=12, sorts="pending"
)
_RESERVED: Column[ApplicationRow] = Column("RESERVED", 8, 7, right=True)
_WHY: Column[ApplicationRow] = Column("WHY IT WAITS", 24, 0, _why, grow=1)
FIELDS: RowFields[ApplicationRow] = RowFields(
    (
        RowField("app", "id", ID, "a", "application", Column("APP", 12, 0, repeats=False), "who"),
        RowField("name", letter="n", column=Column("NAME", 20, 2, _name), group="who"),
        RowField("user", letter="u", column=Column("USER", 8, 4), group="who", scope=USER),
        RowField("queue", "", PATH, "q", column=Column("QUEUE", 14, 1, least=9), group="who", scope=QUEUE),
        RowField(
            "label", "partition", own=_label, help="label", column=Column("LABEL", 7, 1, text_cell(_label)), group="who"
        ),
        RowField("type", letter="t", column=Column("TYPE", 9, 11), group="who"),
        RowField("number", group="who"),
        RowField("state", letter="s", own=_state_words, column=Column("STATE", 9, 3, _state), group="state"),
        RowField("submitted", "submitted_ms", group="state"),
        RowField("wait", "waiting_since_ms", SPAN, "p", "how long it waits", _WAITS, "state"),
        RowField("wait_bar", column=Column("", 8, 6, _wait_bar, grow=1, gap=1, is_bar=True)),
        RowField("finished", "finished_ms", group="state"),
        RowField(
            "time",
            kind=SPAN,
            letter="i",
            own=lambda row, look: (row.finished_ms or look.now_ms) - row.submitted_ms,
            column=figure("TIME", 6, 8, text_cell(application_brief.time_words)),
        ),
        RowField("diagnostics", group="state"),
        RowField("lifespan", column=Column("LIFE", 24, 12, text_cell(application_brief.life_words)), group="life"),
        *detail_fields("life", "jobs", "jobs_done", "idle_since_ms", "idle_containers"),
        RowField("containers", "", SOME, "c", column=Column("CONT", 5, 7, right=True), group="has"),
        RowField("has", column=Column("HAS", 8, 5, _has, right=True, sorts="containers")),
        RowField("memory", "used", MEMORY, "m", column=Column("MEM", 6, 6, _memory, right=True), group="has"),
        *detail_fields("has", "memory_seconds", "progress"),
        RowField("share", column=figure("SHARE", 5, 4, _share, sorts="memory")),
        RowField("share_bar", column=Column("", 7, 6, _share_bar, grow=1, gap=1, is_bar=True)),
        RowField("vcores", "used", SECOND, "v", column=Column("VCORES", 6, 10, _second, right=True)),
        RowField("reserved", "reservations", SOME, "r", "reserved containers", _RESERVED, "has"),
        RowField("rmemory", "reserved", MEMORY, "w", "reserved memory", group="has"),
        RowField("rvcores", "reserved", SECOND, "o", "reserved vcores"),
        RowField("pending", "pending_containers", COUNT, "k", "containers asked for", group="asks for"),
        RowField("asks", column=_ASKS, group="asks for"),
        *detail_fields("asks for", "cores_wanted", "executor_cores", "executor_memory_mb"),
        RowField(
            "why",
            "obstacle",
            help="why it waits",
            own=lambda row, look: row.obstacle.sentence if row.obstacle is not None else row.diagnostics,
            column=_WHY,
            group="why it waits",
        ),
    ),
    letters="autqcrvomwinspk",
)  # The letters are those of `yarn top`, where it has the field

COLUMNS = (
    FIELDS.column("app"),
    FIELDS.column("name", rank=1, least=17),
    FIELDS.column("user"),
    FIELDS.column("queue", rank=2),
    *FIELDS.columns("label state has asks wait"),
    FIELDS.column("why", width=26),
)  # By cause, where an application is kept waiting

CALM_COLUMNS = (
    *FIELDS.columns("app name user queue label"),
    FIELDS.column("state", rank=5),
    FIELDS.column("has", width=9, rank=1),
    FIELDS.column("asks", rank=3),
    FIELDS.column("wait", width=6),
    *FIELDS.columns("share share_bar"),
)  # By cause, where none is

SORTED_COLUMNS = (
    FIELDS.column("app"),
    FIELDS.column("name", rank=3),
    FIELDS.column("queue", rank=2),
    FIELDS.column("state", rank=4),
    FIELDS.column("asks", rank=1),
    *FIELDS.columns("wait why"),
)  # In another order: every row says itself why it waits

EVERY_COLUMN = (
    *FIELDS.columns("app name user queue state"),
    FIELDS.column("has", width=12),
    FIELDS.column("asks"),
    *FIELDS.columns("type lifespan time memory vcores containers reserved wait why"),
)


def _order_key(
    state: str, waiting_ms: int | None, submitted_ms: int, finished_ms: int | None, number: int
) -> tuple[int, int, int]:
    if state not in LIVE_STATES:
        return 3, -(finished_ms or 0), number
    if state != "RUNNING":
        return 0, waiting_ms or submitted_ms, number
    return (2, submitted_ms, number) if waiting_ms is None else (1, waiting_ms, number)


def is_problem(row: ApplicationRow, look: RenderContext) -> bool:
    """True for an application that waits, failed or was killed."""
    return row.state in {"FAILED", "KILLED"} or (row.state in LIVE_STATES and row.waiting_since_ms is not None)


CRITERIA = FIELDS.criteria(
    is_problem, RowOrder(("state", "waiting_since_ms", "submitted_ms", "finished_ms", "number"), _order_key)
)


def refers_to(row: ApplicationRow, look: RenderContext) -> Sequence[Reference]:
    return (Reference(APPLICATION, row.id),)


def _enter(row: ApplicationRow, picture: SessionState, scope: Scope | Filter | None) -> NavigationTarget | str:
    holds = row.containers > 0 or (isinstance(row.reservations, int) and row.reservations > 0)
    return NavigationTarget("containers", scope=Scope(APPLICATION, row.id)) if holds else f"{row.id} holds nothing."


def count(rows: Sequence[ApplicationRow], picture: SessionState, arrangement: SortFilter) -> str:
    """How many run and wait in the cluster (one that runs and asks is both), and are shown where these are not all."""
    every = rows if arrangement.is_plain else picture.snapshot.applications(why=False)
    waits, header = waits_of(every), picture.snapshot.header
    waiting = f"{waits.number} waiting{sum_words(waits, header.dimensions, is_short=True)}"
    shown = "" if arrangement.is_plain else f"  {len(rows)} shown"
    return f"{header.applications_running} running  {waiting}{shown}"


def grouping(rows: Sequence[Any], picture: SessionState, look: RenderContext) -> Grouping:
    """By cause; how long they live is shown where not all live alike."""
    busy, calm = COLUMNS, CALM_COLUMNS
    if len(set(column(rows, "lifespan"))) > 1:
        busy, calm = _with_life(busy), _with_life(calm)
    return by_cause(rows, picture, look, busy, calm)


def _with_life(columns: tuple[Column[ApplicationRow], ...]) -> tuple[Column[ApplicationRow], ...]:
    place = [each.title for each in columns].index("STATE") + 1
    return (*columns[:place], FIELDS.column("lifespan", rank=7, least=8), *columns[place:])


_ROUND = (50, 100, 250, 500, 1000)  # Ends of the scale of shares [thousandths]


def scales(rows: Sequence[Any], look: RenderContext) -> dict[str, int]:
    since = [at for at in column(rows, "waiting_since_ms") if at is not None]
    most = max((used[0] for used in column(rows, "used")), default=0)
    largest = next((end for end in _ROUND if end >= _part(most, look)), _ROUND[-1])
    return {LONGEST: look.now_ms - min(since, default=look.now_ms), LARGEST: largest}


VIEW: PaneView[Any] = PaneView(
    name="applications",
    title="Applications",
    source=section("applications"),
    columns=COLUMNS,
    grouping=grouping,
    scales=scales,
    sorted_columns=SORTED_COLUMNS,
    every_column=EVERY_COLUMN,
    has_folds=True,
    identity=lambda row: row.id,
    details=application_brief.lines,
    criteria=CRITERIA,
    facts=FIELDS.facts(),
    form_values=lambda row: {"queue": row.queue, "user": row.user},
    is_linked=True,
    marks=_marked_applications,
    empty_text="No application is known. S submits one.",
    crumb=scope_crumb(APPLICATION),
    subject=lambda row: f"{text.short_id(row.id)} {text.plain(row.name)}",
    size=count,
    caption=lambda look: "by cause",
    refers_to=refers_to,
    enter=_enter,
    enter_help="Go to the containers it holds.",
    owner=lambda row, picture: NavigationTarget("queues", row.queue),
)
