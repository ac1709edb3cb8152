"""Containers of a YARN cluster: whose they are, where, how large, and in which state."""

from engine.observe.snapshot import ContainerRow, Unknown
from tui import format as text
from tui.render.arrangement import Arrangement
from tui.render.facts import Group, grouped
from tui.render.field import COUNT, MEMORY, SPAN, TEXT, Criteria, RowField, at, since
from tui.render.filter import Filter
from tui.render.line import Look, Span, Spans
from tui.render.noun import Lead, Noun, Reference, Rows, Source, to_application
from tui.render.scope import APPLICATION, NODE, QUEUE, USER, Scope, is_under
from tui.render.table import Column
from tui.view_state import Picture

STATE_WORDS = {
    "RESERVED": ("held", "watch"),
    "ALLOCATED": ("alloc", "text"),
    "ACQUIRED": ("acquired", "text"),
    "RUNNING": ("run", "good"),
    "COMPLETED": ("- done", "faint"),
    "EXPIRED": ("x expired", "watch"),
    "RELEASED": ("- released", "faint"),
    "KILLED": ("x killed", "watch"),
}
"""State of a container → (short word, style)."""

_MEANS = {
    "RESERVED": "It is no container yet: the node is held until this much is free.",
    "ALLOCATED": "The application's master has not fetched it yet.",
    "ACQUIRED": "The application's master has it; the node has not started it yet.",
    "RUNNING": "The node runs it.",
}
_LEAVES = "Its application no longer pays for it; its node has not let go of it yet."


def identity(row: ContainerRow) -> str:
    """What the cursor holds on to."""
    return row.id


def is_marked(row: ContainerRow) -> bool:
    """Whether it is to be preempted."""
    return isinstance(row.marked_ms, int)


def short_id(container: str) -> str:
    """What people say for a container: its number, after its attempt's when that is not the first.

    >>> short_id("container_1507795051888_0007_01_000002"), short_id("container_1507795051888_0007_02_000015")
    ('2', '2/15')
    """
    parts = container.rsplit("_", 2)
    if len(parts) != 3 or not (parts[1].isdecimal() and parts[2].isdecimal()):
        return container
    attempt, number = int(parts[1]), int(parts[2])
    return str(number) if attempt == 1 else f"{attempt}/{number}"


def _application(row: ContainerRow, look: Look, width: int) -> Span:
    return text.short_id(row.application), "strong"


def _id(row: ContainerRow, look: Look, width: int) -> Span:
    return short_id(row.id), "text"


def _role(row: ContainerRow, look: Look, width: int) -> Span:
    return "AM" if row.is_am else "", "bold accent"


def _node(row: ContainerRow, look: Look, width: int) -> Span:
    return text.plain(text.short_node(row.node)), "text"


def _state(row: ContainerRow, look: Look, width: int) -> Span:
    if is_marked(row):
        return "! preempt", "watch"
    return STATE_WORDS.get(row.state, (row.state, "text"))


def _size(row: ContainerRow, look: Look, width: int) -> Span:
    return text.amounts(row.size, look.dimensions), "text"


def _age(row: ContainerRow, look: Look, width: int) -> Span:
    return text.age(row.since_ms, look.now_ms), "faint"


def _user(row: ContainerRow, look: Look, width: int) -> Span:
    return text.plain(row.user), "text"


def _queue(row: ContainerRow, look: Look, width: int) -> Span:
    return text.plain(text.short_queue(row.queue)), "text"


def _priority(row: ContainerRow, look: Look, width: int) -> Span:
    return str(row.priority), "faint"


COLUMNS: tuple[Column[ContainerRow], ...] = (
    Column("APP", 6, 0, _application),
    Column("CONT", 5, 0, _id, right=True),
    Column("AM", 2, 2, _role),
    Column("NODE", 14, 0, _node, grow=1),
    Column("STATE", 10, 1, _state),
    Column("SIZE", 8, 1, _size),
    Column("AGE", 6, 3, _age, right=True),
    Column("PRIO", 4, 6, _priority, right=True),
    Column("USER", 8, 4, _user),
    Column("QUEUE", 10, 5, _queue, grow=1),
)


def details(row: ContainerRow, look: Look) -> list[Spans]:
    """What the strip says about one container."""
    style = STATE_WORDS.get(row.state, ("", "text"))[1]
    began = "held for" if row.state == "RESERVED" else "allocated"
    age = text.age(row.since_ms, look.now_ms)
    means = _MEANS.get(row.state, _LEAVES)
    marked = ""
    if not isinstance(row.marked_ms, Unknown) and row.marked_ms is not None:
        marked = f"Marked for preemption {text.age(row.marked_ms, look.now_ms)} ago. "
    return [
        [(row.id, "strong"), ("  AM  " if row.is_am else "  ", "bold accent"), (row.state, style)],
        [
            ("has  ", "faint"),
            (f"{text.amounts(row.size, look.dimensions)} on {text.plain(row.node)}", "text"),
            (f"   {began} ", "faint"),
            (age if row.state == "RESERVED" else f"{age} ago", "text"),
            ("   priority ", "faint"),
            (str(row.priority), "text"),
        ],
        [(marked, "watch"), (means, "faint")],
        [("of   ", "faint"), (f"{row.application}  {text.plain(row.user)}  {text.plain(row.queue)}", "text")],
    ]


# The pane


def _state_words(row: ContainerRow, look: Look) -> str:
    words = [row.state, STATE_WORDS.get(row.state, ("",))[0]]
    return " ".join([*words, *(["am"] if row.is_am else []), *(["preempt"] if is_marked(row) else [])])


FIELDS = (
    RowField("app", "a", TEXT, lambda row, look: row.application, "application"),
    RowField("container", "c", TEXT, lambda row, look: row.id, "container"),
    RowField("node", "n", TEXT, lambda row, look: row.node, "node"),
    RowField("queue", "q", TEXT, lambda row, look: row.queue, "queue"),
    RowField("user", "u", TEXT, lambda row, look: row.user, "user"),
    RowField("state", "s", TEXT, _state_words, "state"),
    RowField("memory", "m", MEMORY, lambda row, look: row.size[0], "memory"),
    RowField("vcores", "v", COUNT, lambda row, look: at(row.size, 1), "vcores"),
    RowField("priority", "p", COUNT, lambda row, look: row.priority, "priority"),
    RowField("age", "g", SPAN, lambda row, look: since(row.since_ms, look), "age"),
)


def is_problem(row: ContainerRow, look: Look) -> bool:
    """Whether it is to be preempted, only reserved, or was ended by force."""
    return is_marked(row) or row.state in {"RESERVED", "KILLED", "EXPIRED"}


def _rows(picture: Picture, arrangement: Arrangement) -> Rows:
    """Those of one application or node are listed by themselves: there may be very many in all."""
    scope, snapshot = arrangement.scope, picture.snapshot
    if isinstance(scope, Scope) and scope.kind == APPLICATION:
        return snapshot.containers(application=scope.id), arrangement._replace(scope=None)
    if isinstance(scope, Scope) and scope.kind == NODE:
        return snapshot.containers(node=scope.id), arrangement._replace(scope=None)
    return snapshot.containers(), arrangement


def _enter(row: ContainerRow, picture: Picture, scope: Scope | Filter | None) -> Lead | str:
    if isinstance(scope, Scope) and scope.kind == NODE:
        return to_application(NOUN, row, picture) or Lead("nodes", row.node)
    return Lead("nodes", row.node)


NOUN = Noun(
    "containers",
    "Containers",
    Source(_rows, lambda picture: picture.snapshot.version("containers")),
    COLUMNS,
    identity,
    details,
    "No container is allocated here.",
    table="containers",
    criteria=Criteria(
        FIELDS,
        is_problem,
        scopes={
            QUEUE: lambda row, path: is_under(row.queue, path),
            USER: lambda row, user: bool(row.user == user),
            APPLICATION: lambda row, application: bool(row.application == application),
            NODE: lambda row, node: bool(row.node == node),
        },
    ),
    about=lambda row, look: (Reference(APPLICATION, row.application), Reference(NODE, row.node)),
    enter=_enter,
    enter_help="Go to its node; from what is on one node, to its application.",
    crumb=lambda row_id: f"container:{short_id(row_id)}",
    facts=grouped(
        Group("container", ("id", "application", "user", "queue", "is_am")),
        Group("state", ("state", "since_ms", "marked_ms")),
        Group("place", ("node", "size", "priority")),
    ),
)
