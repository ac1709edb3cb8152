"""Where a row leads: into what it is made of, and up to what it belongs to. Pure functions of a row and a picture."""

from collections import Counter
from typing import Any, NamedTuple

from engine.observe.section import column, glimpses
from engine.observe.snapshot import ApplicationRow, ContainerRow, ExecutorRow, NodeRow, QueueRow, UserRow
from engine.observe.spark_view import SparkSnapshot, StandaloneRow
from tui.render.filter import Filter
from tui.render.scope import APPLICATION, NODE, QUEUE, USER, Scope, is_under
from tui.render.trace import Trace
from tui.screens import choices
from tui.view_state import Picture


class Lead(NamedTuple):
    """A place to go to."""

    pane: str
    id: str = ""
    """The row to stand on there; empty is the first."""
    scope: Scope | Filter | None = None
    """What of the pane belongs to the row that was left; None is all."""


def into(pane: str, row: Any, picture: Picture, scope: Scope | Filter | None = None) -> Lead | str:
    """Where `enter` leads from a row of a pane: down the chain of queue, application, container, node; or why nowhere.

    Args:
        pane: Where the row stands.
        row: Of the pane.
        picture: The cluster.
        scope: What the pane is narrowed to; from the containers of a node the way goes on to the application.
    """
    if isinstance(row, QueueRow):
        inside = any(is_under(one.queue, row.path) for one in glimpses(picture.snapshot.applications(why=False)))
        return Lead("applications", scope=Scope(QUEUE, row.path)) if inside else f"No application is in {row.path}."
    if isinstance(row, UserRow):
        return Lead("applications", scope=Scope(USER, row.user))
    if isinstance(row, StandaloneRow) and pane == "queues":
        return Lead("applications", row.id)
    if isinstance(row, ApplicationRow):
        holds = row.containers > 0 or (isinstance(row.reservations, int) and row.reservations > 0)
        return Lead("containers", scope=Scope(APPLICATION, row.id)) if holds else f"{row.id} holds nothing."
    if isinstance(row, NodeRow):
        holds = row.containers > 0 or isinstance(row.reserved_by, str)
        return Lead("containers", scope=Scope(NODE, row.id)) if holds else f"Nothing is on {row.id}."
    if isinstance(row, ContainerRow | ExecutorRow) and not (isinstance(scope, Scope) and scope.kind == NODE):
        return Lead("nodes", row.node if isinstance(row, ContainerRow) else row.worker)
    application = choices.application_at(pane, row, picture)
    if application is not None:
        return Lead("applications", application.id)
    node = choices.node_at(pane, row, picture)
    return "This row leads nowhere else." if node is None else Lead("nodes", node.id)


def owner(pane: str, row: Any, picture: Picture) -> Lead | str:
    """What a row belongs to: a container or node to an application, that to its queue, a queue to its parent.

    A node belongs to the application that reserved it, else to the one with most containers there.
    """
    if isinstance(row, QueueRow):
        parent = row.path.rpartition(".")[0]
        return Lead("queues", parent) if parent else f"{row.path} belongs to no other queue."
    if isinstance(row, Trace):
        return Lead("queues", row.key) if row.is_queue else "This series is the whole cluster's."
    if isinstance(row, StandaloneRow):
        return Lead("queues", row.id) if pane != "queues" else "The list is the one queue there is."
    if isinstance(row, ApplicationRow):
        return Lead("queues", row.queue)
    application = choices.application_at(pane, row, picture)
    if application is not None:
        return Lead("applications", application.id)
    if isinstance(row, NodeRow):
        return _most_on(row, picture)
    return "This row belongs to no application."


def _most_on(row: NodeRow, picture: Picture) -> Lead | str:
    if isinstance(picture.snapshot, SparkSnapshot):
        here = Counter(one.application for one in picture.snapshot.executors() if one.worker == row.id)
        numbers = {one.number: one.id for one in glimpses(picture.snapshot.applications(why=False))}
        held = Counter({numbers[number]: count for number, count in here.items() if number in numbers})
    else:
        held = Counter(column(picture.snapshot.containers(node=row.id), "application"))
    return Lead("applications", held.most_common(1)[0][0]) if held else f"Nothing is on {row.id}."
