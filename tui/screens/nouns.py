"""The five panes as data: each noun with its columns, words and rows."""

from typing import Any

from tui.keymap import PANES
from tui.render import application, event, node, queue, reservation
from tui.widgets.pane import Noun

NOUNS: dict[str, Noun[Any]] = {
    "applications": Noun(
        "applications",
        application.COLUMNS,
        application.identity,
        application.details,
        "No application yet. S submits one.",
    ),
    "queues": Noun("queues", queue.COLUMNS, queue.identity, queue.details, "No queue."),
    "nodes": Noun("nodes", node.COLUMNS, node.identity, node.details, "No node has registered yet."),
    "reservations": Noun(
        "reservations",
        reservation.COLUMNS,
        reservation.identity,
        reservation.details,
        "No node is reserved.",
    ),
    "events": Noun(
        "events",
        event.COLUMNS,
        event.identity,
        event.details,
        "Nothing has happened yet. t makes a step.",
        follows=True,
    ),
}
"""Name of a pane → what it shows; the order is `keymap.PANES`."""

TITLES = {name: f"{digit} {name.capitalize()}" for digit, name in enumerate(PANES, start=1)}
"""Name of a pane → its title with its digit."""
