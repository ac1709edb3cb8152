"""Finds the thing a command names: an application by number or id, a node by id or host, a queue by path."""

from engine.errors import nearest
from engine.model.queue import queue_named
from engine.observe.snapshot import ApplicationRow, NodeRow
from tui.answers import WhySubject
from tui.format import short_id
from tui.picture import APPLICATION, NODE, QUEUE, Picture


def application_named(name: str, picture: Picture) -> ApplicationRow | None:
    """The application of an id or a number."""
    rows = picture.snapshot.applications(why=False)
    number = int(name) if name.isascii() and name.isdigit() else None
    return next((row for row in rows if row.id == name or row.number == number), None)


def node_named(name: str, picture: Picture) -> NodeRow | None:
    """The node of an id or a host."""
    return next((row for row in picture.snapshot.nodes() if name in (row.id, row.host)), None)


def subject_named(name: str, picture: Picture) -> WhySubject | str:
    """Find the application, queue or node that an id, number, path or host names; a sentence where there is none."""
    application = application_named(name, picture)
    if application is not None:
        return WhySubject(APPLICATION, str(application.number))
    paths = [row.path for row in picture.snapshot.queues()]
    path = queue_named(name, paths)
    if path is not None:
        return WhySubject(QUEUE, path)
    node = node_named(name, picture)
    if node is not None:
        return WhySubject(NODE, node.id)
    known = [short_id(row.id) for row in picture.snapshot.applications(why=False)]
    hint = nearest(name, [*known, *paths, *(row.host for row in picture.snapshot.nodes())])
    return f"There is no application, queue or node {name}" + (f"; {hint}" if hint else ".")
