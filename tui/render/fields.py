"""What rows can be sorted and filtered by: one table of named fields for each kind of row.

The letters of the applications' fields are those of `yarn top`, where it has the field.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from engine.observe.snapshot import (
    ApplicationRow,
    ContainerRow,
    ExecutorRow,
    NodeRow,
    QueueRow,
    ReservationRow,
    Unknown,
    UserRow,
)
from tui import format as text
from tui.render import application, container, event, node, queue, reservation
from tui.render.line import Look
from tui.render.rack import RackRow
from tui.render.release import release_words
from tui.render.trace import Trace
from tui.view_state import EventRow

TEXT, COUNT, MEMORY, SPAN = "text", "count", "memory", "duration"
"""Kinds of fields: words, a number, an amount of memory [MB], a length of time [ms]."""

Value = str | int | None
"""None is nothing to compare: it matches no comparison and is sorted last."""


class Field(NamedTuple):
    """One thing a row can be sorted or filtered by."""

    name: str
    """As in `name:value`."""
    letter: str
    """In the sort menu; empty: only the filter knows it."""
    kind: str
    value: Callable[[Any, Look], Value]
    help: str


def _known(value: Any) -> int | None:
    """A number the source can tell."""
    return None if isinstance(value, Unknown) else value


def _at(amounts: Any, place: int) -> int | None:
    """One dimension of an amount."""
    return amounts[place] if isinstance(amounts, tuple) and len(amounts) > place else None


def _since(moment: Any, look: Look) -> int | None:
    """How long ago [ms]."""
    return look.now_ms - moment if isinstance(moment, int) else None


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
"""State of an application → what people call it; `state:` finds any of them."""


def _state_words(row: ApplicationRow, look: Look) -> str:
    return f"{row.state} {_WORDS.get(row.state, '')}"


def _container_words(row: ContainerRow) -> str:
    words = [row.state, container.STATE_WORDS.get(row.state, ("",))[0]]
    return " ".join([*words, *(["am"] if row.is_am else []), *(["preempt"] if container.is_marked(row) else [])])


def _why(row: ApplicationRow, look: Look) -> str:
    return row.obstacle.sentence if row.obstacle is not None else row.diagnostics


APPLICATIONS = (
    Field("app", "a", TEXT, lambda row, look: row.id, "application"),
    Field("user", "u", TEXT, lambda row, look: row.user, "user"),
    Field("type", "t", TEXT, lambda row, look: row.type, "type"),
    Field("queue", "q", TEXT, lambda row, look: row.queue, "queue"),
    Field("containers", "c", COUNT, lambda row, look: row.containers, "containers"),
    Field("reserved", "r", COUNT, lambda row, look: _known(row.reservations), "reserved containers"),
    Field("vcores", "v", COUNT, lambda row, look: _at(row.used, 1), "vcores"),
    Field("rvcores", "o", COUNT, lambda row, look: _at(row.reserved, 1), "reserved vcores"),
    Field("memory", "m", MEMORY, lambda row, look: _at(row.used, 0), "memory"),
    Field("rmemory", "w", MEMORY, lambda row, look: _at(row.reserved, 0), "reserved memory"),
    Field("time", "i", SPAN, lambda row, look: (row.finished_ms or look.now_ms) - row.submitted_ms, "time"),
    Field("name", "n", TEXT, lambda row, look: row.name, "name"),
    Field("state", "s", TEXT, _state_words, "state"),
    Field("wait", "p", SPAN, lambda row, look: _since(row.waiting_since_ms, look), "how long it waits"),
    Field("pending", "k", COUNT, lambda row, look: _known(row.pending_containers), "containers asked for"),
    Field("why", "", TEXT, _why, "why it waits"),
)

QUEUES = (
    Field("queue", "q", TEXT, lambda row, look: row.path, "path"),
    Field("policy", "p", TEXT, lambda row, look: row.policy, "policy"),
    Field("memory", "m", MEMORY, lambda row, look: _at(row.used, 0), "used memory"),
    Field("vcores", "v", COUNT, lambda row, look: _at(row.used, 1), "used vcores"),
    Field("fair", "f", MEMORY, lambda row, look: _at(row.fair_share, 0), "fair share"),
    Field("demand", "d", MEMORY, lambda row, look: _at(row.demand, 0), "demand"),
    Field("running", "r", COUNT, lambda row, look: row.applications_running, "running applications"),
    Field("waiting", "w", COUNT, lambda row, look: row.applications_pending, "waiting applications"),
    Field("starved", "s", SPAN, lambda row, look: _since(row.starved_since_ms, look), "how long it is starved"),
)

NODES = (
    Field("node", "n", TEXT, lambda row, look: row.id, "node"),
    Field("rack", "r", TEXT, lambda row, look: row.rack, "rack"),
    Field("state", "s", TEXT, lambda row, look: f"{row.state} {node.STATE_WORDS.get(row.state, ('',))[0]}", "state"),
    Field("label", "l", TEXT, lambda row, look: row.partition, "label"),
    Field("used", "u", MEMORY, lambda row, look: row.used[0], "used memory"),
    Field("free", "f", MEMORY, lambda row, look: row.free[0], "free memory"),
    Field("vcores", "v", COUNT, lambda row, look: _at(row.used, 1), "used vcores"),
    Field("containers", "c", COUNT, lambda row, look: row.containers, "containers"),
    Field("app", "a", TEXT, lambda row, look: row.reserved_by if isinstance(row.reserved_by, str) else "", "held for"),
)

RACKS = (
    Field("rack", "r", TEXT, lambda row, look: row.rack, "rack"),
    Field("nodes", "n", COUNT, lambda row, look: row.nodes, "nodes in service"),
    Field("down", "d", COUNT, lambda row, look: row.nodes_down, "nodes out of service"),
    Field("used", "u", MEMORY, lambda row, look: row.used[0], "used memory"),
    Field("free", "f", MEMORY, lambda row, look: row.free[0], "free memory"),
    Field("largest", "l", MEMORY, lambda row, look: row.largest_free[0], "most free on one node"),
    Field("containers", "c", COUNT, lambda row, look: row.containers, "containers"),
    Field("reserved", "s", COUNT, lambda row, look: row.reservations, "reservations"),
)

RESERVATIONS = (
    Field("node", "n", TEXT, lambda row, look: row.node, "node"),
    Field("app", "a", TEXT, lambda row, look: row.application, "application"),
    Field("queue", "q", TEXT, lambda row, look: row.queue, "queue"),
    Field("size", "z", MEMORY, lambda row, look: row.size[0], "size"),
    Field("free", "f", MEMORY, lambda row, look: row.free[0], "free on the node"),
    Field("short", "s", MEMORY, lambda row, look: row.short_by[0], "missing"),
    Field("age", "g", SPAN, lambda row, look: _since(row.since_ms, look), "age"),
    Field("released", "r", TEXT, lambda row, look: release_words(row.released, look), "who frees the node, and when"),
)

CONTAINERS = (
    Field("app", "a", TEXT, lambda row, look: row.application, "application"),
    Field("container", "c", TEXT, lambda row, look: row.id, "container"),
    Field("node", "n", TEXT, lambda row, look: row.node, "node"),
    Field("queue", "q", TEXT, lambda row, look: row.queue, "queue"),
    Field("user", "u", TEXT, lambda row, look: row.user, "user"),
    Field("state", "s", TEXT, lambda row, look: _container_words(row), "state"),
    Field("memory", "m", MEMORY, lambda row, look: row.size[0], "memory"),
    Field("vcores", "v", COUNT, lambda row, look: _at(row.size, 1), "vcores"),
    Field("priority", "p", COUNT, lambda row, look: row.priority, "priority"),
    Field("age", "g", SPAN, lambda row, look: _since(row.since_ms, look), "age"),
)

USERS = (
    Field("user", "u", TEXT, lambda row, look: row.user, "user"),
    Field("queues", "q", TEXT, lambda row, look: " ".join(row.queues), "queues"),
    Field("share", "s", COUNT, lambda row, look: round(100 * row.share), "share of the cluster [%]"),
    Field("running", "r", COUNT, lambda row, look: row.applications_running, "running applications"),
    Field("waiting", "w", COUNT, lambda row, look: row.applications_pending, "waiting applications"),
    Field("containers", "c", COUNT, lambda row, look: row.containers, "containers"),
    Field("memory", "m", MEMORY, lambda row, look: _at(row.used, 0), "used memory"),
    Field("vcores", "v", COUNT, lambda row, look: _at(row.used, 1), "used vcores"),
    Field("pending", "k", COUNT, lambda row, look: _known(row.pending_containers), "containers asked for"),
    Field("rmemory", "o", MEMORY, lambda row, look: _at(row.reserved, 0), "reserved memory"),
)

EXECUTORS = (
    Field("app", "a", COUNT, lambda row, look: row.application, "application"),
    Field("node", "n", TEXT, lambda row, look: row.worker, "worker"),
    Field("state", "s", TEXT, lambda row, look: row.state, "state"),
    Field("cores", "c", COUNT, lambda row, look: row.cores, "cores"),
    Field("busy", "b", COUNT, lambda row, look: _known(row.busy), "busy cores"),
    Field("memory", "m", MEMORY, lambda row, look: row.memory_mb, "memory"),
    Field("age", "g", SPAN, lambda row, look: _since(row.launched_ms, look), "age"),
)


def _event_app(row: EventRow, look: Look) -> str:
    number = event.told(row, look).application
    return "" if number is None else str(number)


EVENTS = (
    Field("verb", "", TEXT, lambda row, look: event.told(row, look).verb, "what happened"),
    Field("app", "", TEXT, _event_app, "application"),
    Field("node", "", TEXT, lambda row, look: event.told(row, look).node or "", "node"),
    Field("text", "", TEXT, lambda row, look: event.told(row, look).sentence, "sentence"),
    Field("ago", "", SPAN, lambda row, look: look.now_ms - row.time_ms, "how long ago"),
)

GRAPHS = (
    Field("series", "", TEXT, lambda row, look: row.name, "series"),
    Field("now", "", COUNT, lambda row, look: round(row.now), "value now"),
    Field("lowest", "", COUNT, lambda row, look: round(row.extremes.low), "lowest value"),
    Field("highest", "", COUNT, lambda row, look: round(row.extremes.high), "highest value"),
)

FIELDS: Mapping[str, tuple[Field, ...]] = {
    "applications": APPLICATIONS,
    "queues": QUEUES,
    "nodes": NODES,
    "reservations": RESERVATIONS,
    "events": EVENTS,
    "containers": CONTAINERS,
    "users": USERS,
    "graphs": GRAPHS,
}
"""Pane → what its rows can be sorted and filtered by, of a YARN cluster."""

STANDALONE_FIELDS: Mapping[str, tuple[Field, ...]] = {**FIELDS, "queues": APPLICATIONS, "containers": EXECUTORS}
"""The same of Spark's standalone Master, whose one queue is a list of applications."""


def fields_of(pane: str, *, standalone: bool = False) -> tuple[Field, ...]:
    """What a pane's rows can be sorted and filtered by."""
    return (STANDALONE_FIELDS if standalone else FIELDS).get(pane, ())


class Order(NamedTuple):
    """How a pane stands where the user chose no order."""

    reads: tuple[str, ...]
    """Fields of a row that it goes by."""
    key: Callable[..., Any]
    """Of the values of these."""


def _application_order(
    state: str, waiting_ms: int | None, submitted_ms: int, finished_ms: int | None, number: int
) -> tuple[int, int, int]:
    if state not in application.LIVE_STATES:
        return 3, -(finished_ms or 0), number
    if state != "RUNNING":
        return 0, waiting_ms or submitted_ms, number
    return (2, submitted_ms, number) if waiting_ms is None else (1, waiting_ms, number)


ORDERS: Mapping[str, Order] = {
    "applications": Order(("state", "waiting_since_ms", "submitted_ms", "finished_ms", "number"), _application_order)
}
"""Pane → its order where the user chose none; other panes keep the order of the snapshot.

Applications: those without a master first, longest wait first; then running ones that wait for more, then the other
running ones; finished ones last, latest first.
"""


def is_problem(row: Any, look: Look) -> bool:
    """Whether an operator should look at it: it waits, starves, is out of service or short, or was ended by force."""
    if isinstance(row, ApplicationRow):
        return row.state in {"FAILED", "KILLED"} or (
            row.state in application.LIVE_STATES and row.waiting_since_ms is not None
        )
    if isinstance(row, QueueRow):
        return queue.is_starved(row) or row.applications_pending > 0
    if isinstance(row, NodeRow):
        return node.is_out(row) or row.free[0] < 0 or isinstance(row.reserved_by, str)
    if isinstance(row, RackRow):
        return row.nodes_down > 0 or row.reservations > 0
    if isinstance(row, ReservationRow):
        return reservation.missing(row, look.dimensions) != "fits"
    if isinstance(row, ContainerRow):
        return container.is_marked(row) or row.state in {"RESERVED", "KILLED", "EXPIRED"}
    if isinstance(row, UserRow):
        return row.applications_pending > 0
    if isinstance(row, ExecutorRow):
        return row.busy == 0 or row.state != "RUNNING"
    if isinstance(row, Trace):
        return row.is_problem
    return isinstance(row, EventRow) and event.told(row, look).style in {"bad", "warn"}


def words_of(row: Any, fields: tuple[Field, ...], look: Look) -> str:
    """All words of a row, in lower case, for a search without a field."""
    values = (field.value(row, look) for field in fields if field.kind == TEXT)
    return " ".join(text.plain(str(value)) for value in values if value).lower()
