"""What a question can be about: the row under the cursor, or what a command names."""

from typing import Any

from engine.errors import nearest
from tui.answers import WhySubject
from tui.format import short_id
from tui.screens import moving
from tui.screens.subjects import subject_of
from tui.view_state import APPLICATION, Picture


def subject_at(pane: str, row: Any, picture: Picture | None) -> WhySubject | None:
    """What a row's question is about: its application, else its queue or node; None where it is about none."""
    found = None if picture is None else subject_of(pane, row, picture)
    if found is None:
        return None
    return WhySubject(found.kind, str(found.number) if found.kind == APPLICATION else found.name)


def subject_named(name: str, picture: Picture) -> WhySubject | str:
    """What an id, a number, a path or a host means; in words why it means nothing."""
    application = moving.application_named(name, picture)
    if application is not None:
        return WhySubject("application", str(application.number))
    paths = [row.path for row in picture.snapshot.queues()]
    path = next((each for each in (name, f"root.{name}") if each in paths), None)
    if path is not None:
        return WhySubject("queue", path)
    node = moving.node_named(name, picture)
    if node is not None:
        return WhySubject("node", node.id)
    known = [short_id(row.id) for row in picture.snapshot.applications(why=False)]
    hint = nearest(name, [*known, *paths, *(row.host for row in picture.snapshot.nodes())])
    return f"There is no application, queue or node {name}" + (f"; {hint}" if hint else ".")
