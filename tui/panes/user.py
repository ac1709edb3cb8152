"""Users: what all applications of a user hold and ask for."""

from engine.observe.snapshot import Unknown, UserRow
from engine.observe.snapshots import WaitTotal, terms_for
from tui.panes.field import COUNT, MEMORY, SECOND, SOME, USER, Draw, RowField, RowFields, Scope, text_cell
from tui.panes.fragments import Fragment, Fragments, RenderContext, line_meter
from tui.panes.pane_view import NavigationTarget, PaneView, Reference, by_row, scope_crumb, section
from tui.panes.table import Column, figure
from tui.panes.waits import count_fields, sum_words, waits_in
from tui.terminal import format as text


def waits(row: UserRow, look: RenderContext) -> WaitTotal:
    return waits_in(USER, row.user, look)


def _bar(row: UserRow, look: RenderContext, width: int) -> Fragments:
    return line_meter(width, round(1000 * row.share), 1000)


_share: Draw[UserRow] = text_cell(lambda row, look: text.percent(round(1000 * row.share), 1000))


def _reserved(row: UserRow, look: RenderContext, width: int) -> Fragment:
    if isinstance(row.reserved, Unknown):
        return "?", "faint"
    return (text.dimension(look.dimensions[0], row.reserved[0]) if row.reserved[0] else ""), "text"


def _pending(row: UserRow, look: RenderContext, width: int) -> Fragment:
    if isinstance(row.pending, Unknown):
        return "?", "faint"
    return (text.dimension(look.dimensions[0], row.pending[0]) if any(row.pending) else ""), "text"


_queues: Draw[UserRow] = text_cell(lambda row, look: queue_words(row))


def waiting_words(row: UserRow, look: RenderContext) -> str:
    """Say, after the running ones, how many of the user's applications wait, and for what."""
    waiting = waits(row, look)
    return f", {waiting.number} waiting{sum_words(waiting, look.dimensions)}" if waiting.number else ""


def queue_words(row: UserRow) -> str:
    return text.plain(" ".join(text.short_queue(path) for path in row.queues))


def _details(row: UserRow, look: RenderContext) -> list[Fragments]:
    words = waiting_words(row, look)
    reserved: Fragments = []
    if not isinstance(row.reserved, Unknown) and any(row.reserved):
        reserved = [("   reserved ", "faint"), (text.amounts(row.reserved, look.dimensions), "text")]
    asks = f"{text.amounts(row.pending, look.dimensions)} in {text.count(row.pending_containers)}"
    return [
        [
            (f"{row.applications_running} running{words}", "strong"),
            (f"  {text.percent(round(1000 * row.share), 1000)} of the cluster", "text"),
        ],
        [
            ("has  ", "faint"),
            (f"{text.amounts(row.used, look.dimensions)} in {row.containers}", "text"),
            ("   asks ", "faint"),
            ("for nothing" if row.pending_containers == 0 else asks, "text"),
            *reserved,
        ],
        *([[("in   ", "faint"), (queue_words(row), "text")]] if terms_for(look.dimensions).has_queues else []),
    ]


FIELDS: RowFields[UserRow] = RowFields(
    (
        RowField("user", letter="u", column=Column("USER", 16, 0, repeats=False), group="user"),
        RowField(
            "queues",
            letter="q",
            own=lambda row, look: " ".join(row.queues),
            column=Column("QUEUES", 24, 7, _queues, least=10),
            group="user",
        ),
        *count_fields(waits, 1, 0),
        RowField("containers", "", COUNT, "c", column=figure("CONT", 4, 2), group="has"),
        RowField("memory", "used", MEMORY, "m", "used memory", figure("USED", 5, 1), "has"),
        RowField("vcores", "used", SECOND, "v", "used vcores", figure("VCORES", 6, 4)),
        RowField("rmemory", "reserved", MEMORY, "o", "reserved memory", figure("RESERVED", 8, 6, _reserved), "has"),
        RowField(
            "share",
            "",
            COUNT,
            "s",
            "share of the cluster [%]",
            Column("SHARE", 10, 3, _bar, grow=1, is_bar=True),
            "has",
            own=lambda row, look: round(100 * row.share),
        ),
        RowField("percent", column=figure("", 4, 0, _share, gap=1)),
        RowField("pending", "pending_containers", SOME, "k", "containers asked for", figure("ASKED", 5, 5), "asks for"),
        RowField("asks", "pending", column=figure("ASKS", 5, 1, _pending, sorts="pending"), group="asks for"),
    ),
    letters="uqsrwcmvko",
)
COLUMNS = FIELDS.columns("user share percent running waiting containers memory vcores asks pending rmemory queues")
STANDALONE_COLUMNS = (
    *FIELDS.columns("user share percent running waiting"),
    FIELDS.column("containers", title="EXEC"),
    FIELDS.column("memory"),
    FIELDS.column("vcores", title="CORES"),
    *FIELDS.columns("asks pending"),
)  # The columns on Spark's Master, which has one list, executors and no reservations


VIEW = PaneView(
    name="users",
    title="Users",
    source=section("users"),
    columns=COLUMNS,
    is_tight=True,
    identity=lambda row: row.user,
    details=by_row(_details),
    criteria=FIELDS.criteria(lambda row, look: waits(row, look).number > 0),
    facts=FIELDS.facts(),
    empty_text="No user has a live application.",
    crumb=scope_crumb(USER),
    subject=lambda row: text.plain(row.user),
    refers_to=lambda row, look: (Reference(USER, row.user),),
    enter=lambda row, picture, scope: NavigationTarget("applications", scope=Scope(USER, row.user)),
    enter_help="Go to the applications of the user.",
)

STANDALONE = VIEW._replace(columns=STANDALONE_COLUMNS, empty_text="No user has an application in the list.")
"""The view of Spark's standalone Master."""
