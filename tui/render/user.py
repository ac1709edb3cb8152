"""Users: what all applications of a user hold and ask for."""

from engine.observe.snapshot import Unknown, UserRow
from tui import format as text
from tui.render.facts import Group, grouped
from tui.render.field import COUNT, MEMORY, TEXT, Criteria, RowField, at, known
from tui.render.line import Look, Span, Spans
from tui.render.meter import line_meter
from tui.render.noun import Lead, Noun, Reference, by_row, scope_crumb, section
from tui.render.scope import USER, Scope
from tui.render.table import Column


def identity(row: UserRow) -> str:
    """What the cursor holds on to."""
    return row.user


def _user(row: UserRow, look: Look, width: int) -> Span:
    return text.plain(row.user), "text"


def _running(row: UserRow, look: Look, width: int) -> Span:
    return f"{row.applications_running}/{row.applications_pending}", "text"


def _containers(row: UserRow, look: Look, width: int) -> Span:
    return str(row.containers), "text"


def _bar(row: UserRow, look: Look, width: int) -> Spans:
    return line_meter(width, round(1000 * row.share), 1000)


def _share(row: UserRow, look: Look, width: int) -> Span:
    return text.percent(round(1000 * row.share), 1000), "text"


def _first(row: UserRow, look: Look, width: int) -> Span:
    return text.dimension(look.dimensions[0], row.used[0]), "text"


def _second(row: UserRow, look: Look, width: int) -> Span:
    return str(row.used[1]) if len(row.used) > 1 else "", "text"


def _reserved(row: UserRow, look: Look, width: int) -> Span:
    if isinstance(row.reserved, Unknown):
        return "?", "faint"
    return (text.dimension(look.dimensions[0], row.reserved[0]) if row.reserved[0] else ""), "text"


def _pending(row: UserRow, look: Look, width: int) -> Span:
    if isinstance(row.pending, Unknown):
        return "?", "faint"
    return (text.dimension(look.dimensions[0], row.pending[0]) if any(row.pending) else ""), "text"


def _pending_containers(row: UserRow, look: Look, width: int) -> Span:
    return ("" if row.pending_containers == 0 else text.count(row.pending_containers)), "text"


def _queues(row: UserRow, look: Look, width: int) -> Span:
    return _queue_words(row), "text"


def _queue_words(row: UserRow) -> str:
    return text.plain(" ".join(text.short_queue(path) for path in row.queues))


COLUMNS: tuple[Column[UserRow], ...] = (
    Column("USER", 16, 0, _user, repeats=False),
    Column("SHARE", 10, 3, _bar, grow=1, is_bar=True),
    Column("", 4, 0, _share, right=True, gap=1, repeats=False),
    Column("RUN/WAIT", 8, 0, _running, right=True, repeats=False),
    Column("CONT", 4, 2, _containers, right=True, repeats=False),
    Column("USED", 5, 1, _first, right=True, repeats=False),
    Column("VCORES", 6, 4, _second, right=True, repeats=False),
    Column("ASKS", 5, 1, _pending, right=True, repeats=False),
    Column("ASKED", 5, 5, _pending_containers, right=True, repeats=False),
    Column("RESERVED", 8, 6, _reserved, right=True, repeats=False),
    Column("QUEUES", 24, 7, _queues, least=10),
)

STANDALONE_COLUMNS: tuple[Column[UserRow], ...] = tuple(
    column._replace(title={"CONT": "EXEC", "VCORES": "CORES"}.get(column.title, column.title))
    for column in COLUMNS
    if column.title not in {"RESERVED", "QUEUES"}
)
"""Of Spark's Master, which has one list, executors and no reservations."""


def _reserved_words(row: UserRow, look: Look) -> Spans:
    if isinstance(row.reserved, Unknown) or not any(row.reserved):
        return []
    return [("   reserved ", "faint"), (text.amounts(row.reserved, look.dimensions), "text")]


def details(row: UserRow, look: Look) -> list[Spans]:
    """What the strip says about one user."""
    waits = f", {row.applications_pending} waiting" if row.applications_pending else ""
    return [
        [
            (f"{row.applications_running} running{waits}", "strong"),
            (f"  {text.percent(round(1000 * row.share), 1000)} of the cluster", "text"),
        ],
        [
            ("has  ", "faint"),
            (f"{text.amounts(row.used, look.dimensions)} in {row.containers}", "text"),
            ("   asks ", "faint"),
            (f"{text.amounts(row.pending, look.dimensions)} in {text.count(row.pending_containers)}", "text"),
            *_reserved_words(row, look),
        ],
        [("in   ", "faint"), (_queue_words(row), "text")],
    ]


# The pane

FIELDS = (
    RowField("user", "u", TEXT, lambda row, look: row.user, "user"),
    RowField("queues", "q", TEXT, lambda row, look: " ".join(row.queues), "queues"),
    RowField("share", "s", COUNT, lambda row, look: round(100 * row.share), "share of the cluster [%]"),
    RowField("running", "r", COUNT, lambda row, look: row.applications_running, "running applications"),
    RowField("waiting", "w", COUNT, lambda row, look: row.applications_pending, "waiting applications"),
    RowField("containers", "c", COUNT, lambda row, look: row.containers, "containers"),
    RowField("memory", "m", MEMORY, lambda row, look: at(row.used, 0), "used memory"),
    RowField("vcores", "v", COUNT, lambda row, look: at(row.used, 1), "used vcores"),
    RowField("pending", "k", COUNT, lambda row, look: known(row.pending_containers), "containers asked for"),
    RowField("rmemory", "o", MEMORY, lambda row, look: at(row.reserved, 0), "reserved memory"),
)


def is_problem(row: UserRow, look: Look) -> bool:
    """Whether an application of theirs waits."""
    return row.applications_pending > 0


NOUN = Noun(
    "users",
    "Users",
    section("users"),
    COLUMNS,
    identity,
    by_row(details),
    "Nobody has a live application.",
    table="users",
    criteria=Criteria(FIELDS, is_problem),
    about=lambda row, look: (Reference(USER, row.user),),
    enter=lambda row, picture, scope: Lead("applications", scope=Scope(USER, row.user)),
    enter_help="Go to the applications of the user.",
    crumb=scope_crumb(USER),
    facts=grouped(
        Group("user", ("user", "queues")),
        Group("applications", ("applications_running", "applications_pending")),
        Group("has", ("containers", "used", "reserved", "share")),
        Group("asks for", ("pending_containers", "pending")),
    ),
    subject=lambda row: text.plain(row.user),
    is_tight=True,
)

STANDALONE = NOUN._replace(columns=STANDALONE_COLUMNS, nothing="Nobody is in the list.")
"""Of Spark's standalone Master."""
