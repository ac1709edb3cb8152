"""What the rows under the cursor stand for: which application, which node, which question to ask before harm.

Pure functions from a row and a picture; no widget.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.observe.snapshot import (
    ApplicationRow,
    ContainerRow,
    ExecutorRow,
    NodeRow,
    QueueRow,
    ReservationRow,
    Unknown,
)
from engine.observe.spark_view import StandaloneRow
from tui import format as text
from tui.render.application import LIVE_STATES
from tui.render.event import told
from tui.render.line import Look
from tui.render.node import is_out
from tui.view_state import EventRow, Picture

RULES = ("strict", "limited", "off")
"""The reservation rules in the order they are cycled."""


class Question(NamedTuple):
    """What a dialog asks."""

    title: str
    lines: tuple[str, ...]
    yes: str


def _application(picture: Picture, key: str | int) -> ApplicationRow | None:
    """The application with an id or a number."""
    rows = picture.snapshot.applications()
    return next((row for row in rows if key in (row.id, row.number)), None)


def _node(picture: Picture, node: str) -> NodeRow | None:
    return next((row for row in picture.snapshot.nodes() if row.id == node), None)


def _look(picture: Picture) -> Look:
    header = picture.snapshot.header
    return Look(header.time_ms, header.dimensions, header.total)


def application_at(pane: str, row: Any, picture: Picture | None) -> ApplicationRow | None:
    """The application a row is about; None where it is about none."""
    if picture is None or row is None:
        return None
    if isinstance(row, ApplicationRow):
        return row
    if isinstance(row, ReservationRow):
        return _application(picture, row.application)
    if isinstance(row, NodeRow):
        return _application(picture, row.reserved_by) if isinstance(row.reserved_by, str) else None
    if isinstance(row, EventRow):
        number = told(row, _look(picture)).application
        return None if number is None else _application(picture, number)
    if isinstance(row, ContainerRow | ExecutorRow):
        return _application(picture, row.application)
    return None


def node_at(pane: str, row: Any, picture: Picture | None) -> NodeRow | None:
    """The node a row is about; None where it is about none."""
    if picture is None or row is None:
        return None
    if isinstance(row, NodeRow):
        return row
    if isinstance(row, ReservationRow | ContainerRow):
        return _node(picture, row.node)
    if isinstance(row, EventRow):
        node = told(row, _look(picture)).node
        return None if node is None else _node(picture, node)
    if isinstance(row, ExecutorRow):
        return _node(picture, row.worker)
    return None


def branch_question(picture: Picture) -> Question:
    """What going on from the instant looked at does."""
    look, run = picture.snapshot.header.time_ms, picture.run
    now, present = text.clock(look, run.offset_ms), text.clock(run.present_ms or look, run.offset_ms)
    lines = (f"The run goes on from {now} instead.", f"What happened from then to {present} is left behind.")
    return Question(f"Branch at {now}?", lines, "Branch")


def kill_question(row: ApplicationRow, picture: Picture) -> Question | None:
    """What killing an application would do; None when it has ended."""
    if row.state not in LIVE_STATES:
        return None
    dimensions = picture.snapshot.header.dimensions
    if isinstance(row, StandaloneRow):
        return _kill_standalone(row)
    held = [one for one in picture.snapshot.reservations() if one.application == row.id]
    nodes = ", ".join(text.short_node(one.node) for one in held[:4]) + (" ..." if len(held) > 4 else "")
    lines = [
        f"Kill {row.id}?",
        "",
        f"name   {text.plain(row.name) or '-'}",
        f"user   {text.plain(row.user)}    queue {text.plain(row.queue)}    state {row.state}",
        f"frees  {text.plural(row.containers, 'container')}, {text.amounts(row.used, dimensions)}",
        f"lifts  {text.plural(len(held), 'reservation')}{': ' + nodes if held else ''}",
        "",
        "Its work is lost. The clock stands while this is open.",
    ]
    return Question("Kill an application", tuple(lines), "Kill it")


def _kill_standalone(row: StandaloneRow) -> Question:
    lines = (
        f"Kill {row.id}?",
        "",
        f"name   {text.plain(row.name) or '-'}",
        f"user   {text.plain(row.user)}    state {row.state}",
        f"frees  {text.plural(row.used[1], 'core')} in {text.plural(row.containers, 'executor')}",
        "",
        "Its work is lost; its cores go to the list from the top.",
        "The clock stands while this is open.",
    )
    return Question("Kill an application", lines, "Kill it")


def drain_question(row: NodeRow, picture: Picture) -> Question | None:
    """What taking a node out of service would do; None when it is out already (then it comes back)."""
    if is_out(row):
        return None
    dimensions = picture.snapshot.header.dimensions
    if row.state == "ALIVE":
        return _decommission(row, dimensions)
    held = "" if row.reserved_by is None or isinstance(row.reserved_by, Unknown) else text.short_id(row.reserved_by)
    lines = [
        f"Take {row.id} out of service?",
        "",
        f"state  {row.state}    rack {text.plain(row.rack)}",
        f"keeps  {text.plural(row.containers, 'container')}, {text.amounts(row.used, dimensions)}, until they end",
        f"takes  {text.amounts(row.free, dimensions)} from the cluster at once, the rest as they end",
        f"held   {f'reserved by {held}' if held else 'by no reservation'}",
        "",
        "It gets no further containers. D on it later brings it back.",
        "The clock stands while this is open.",
    ]
    return Question("Drain a node", tuple(lines), "Drain it")


def _decommission(row: NodeRow, dimensions: tuple[str, ...]) -> Question:
    lines = (
        f"Decommission {row.id}?",
        "",
        f"rack   {text.plain(row.rack)}",
        f"loses  what runs here: {row.containers}, with {text.amounts(row.used, dimensions)}",
        f"takes  {text.amounts(row.total, dimensions)} from the cluster",
        "",
        "It takes no more work and its executors go. D on it later brings it back as a new worker.",
        "The clock stands while this is open.",
    )
    return Question("Decommission a worker", lines, "Do it")


def next_rule(now: str | Unknown | None) -> str | None:
    """The reservation rule after this one; None where there is no rule to change."""
    if not isinstance(now, str) or not now:
        return None
    return RULES[(RULES.index(now) + 1) % len(RULES)] if now in RULES else RULES[0]


def beginnings(pane: str, row: Any) -> dict[str, str]:
    """What the form may already know from the row under the cursor."""
    if isinstance(row, QueueRow) and row.is_leaf:
        return {"queue": row.path}
    if isinstance(row, ApplicationRow):
        return {"queue": row.queue, "user": row.user}
    return {}


def count_words(pane: str, rows: Sequence[Any], picture: Picture) -> str:
    """How many rows a pane has, in its title."""
    header = picture.snapshot.header
    if pane == "applications":
        return f"{header.applications_running} run, {header.applications_pending} wait / {len(rows)}"
    if pane == "nodes":
        return f"{header.nodes}" + (f", {header.nodes_down} down" if header.nodes_down else "")
    if isinstance(header.spread_out, bool) and pane == "queues":
        return f"{len(rows)}, {'spread out' if header.spread_out else 'packing'}"
    if isinstance(header.spread_out, bool) and pane == "reservations":
        return "none"
    return str(len(rows))
