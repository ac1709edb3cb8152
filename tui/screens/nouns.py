"""The panes as data: each noun with its columns, words and rows, for each kind of cluster."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engine.observe.snapshot import Snapshot
from engine.observe.spark_view import SparkSnapshot
from tui.keymap import PANES
from tui.render import (
    application,
    container,
    event,
    executor,
    graph,
    node,
    queue,
    reservation,
    standalone,
    user,
    worker,
)
from tui.render.arrangement import Arrangement
from tui.render.line import Column
from tui.render.noun import Noun
from tui.render.scope import APPLICATION, NODE, Scope
from tui.screens.layout import DETAIL, Band, Plan, Plans, Slot

EVENTS = Noun(
    "events",
    event.COLUMNS,
    event.identity,
    event.details,
    "Nothing has happened yet. t makes a step.",
    follows=True,
)

GRAPHS = Noun("graphs", graph.COLUMNS, graph.identity, graph.details, "Nothing was noted yet. t makes a step.")

NOUNS: dict[str, Noun[Any]] = {
    "applications": Noun(
        "applications",
        application.COLUMNS,
        application.identity,
        application.details,
        "No application yet. S submits one.",
        marks=True,
    ),
    "queues": Noun("queues", queue.COLUMNS, queue.identity, queue.details, "No queue."),
    "nodes": Noun(
        "nodes",
        node.COLUMNS,
        node.identity,
        node.details,
        "No node has registered yet.",
        marks=True,
    ),
    "reservations": Noun(
        "reservations",
        reservation.COLUMNS,
        reservation.identity,
        reservation.details,
        "No node is reserved.",
    ),
    "events": EVENTS,
    "containers": Noun(
        "containers", container.COLUMNS, container.identity, container.details, "No container is allocated here."
    ),
    "users": Noun("users", user.COLUMNS, user.identity, user.details, "Nobody has a live application."),
    "graphs": GRAPHS,
}
"""Of a YARN cluster: name of a pane → what it shows."""

STANDALONE_NOUNS: dict[str, Noun[Any]] = {
    "applications": Noun(
        "applications",
        standalone.COLUMNS,
        standalone.identity,
        standalone.details,
        "No application yet. S submits one.",
        marks=True,
    ),
    "queues": Noun(
        "queues",
        standalone.FIFO_COLUMNS,
        standalone.identity,
        standalone.fifo_details,
        "Nobody is in the list.",
    ),
    "nodes": Noun(
        "nodes",
        worker.COLUMNS,
        worker.identity,
        worker.details,
        "No worker has registered yet.",
        marks=True,
    ),
    "reservations": Noun(
        "reservations",
        (Column("", 1, 0, reservation.nothing, grow=1),),
        reservation.identity,
        reservation.details,
        "Spark reserves nothing: what does not fit waits for the next pass.",
    ),
    "events": EVENTS,
    "containers": Noun("containers", executor.COLUMNS, executor.identity, executor.details, "No executor runs."),
    "users": Noun("users", user.STANDALONE_COLUMNS, user.identity, user.details, "Nobody is in the list."),
    "graphs": GRAPHS,
}
"""Of Spark's standalone Master."""


class Dialect(NamedTuple):
    """How one kind of cluster is shown, and what it has no use for."""

    nouns: Mapping[str, Noun[Any]]
    titles: Mapping[str, str]
    """Name of a pane → its title with its digit, in the order of the digits."""
    plans: Plans
    """Where the panes stand."""
    greyed: Mapping[str, str]
    """What a key would call → why it does nothing here."""
    footer: tuple[str, str] = ("", "")
    """Why keys are greyed in the hints, in a word and at length; empty where they are left out of the hints."""
    is_standalone: bool = False

    def section(self, pane: str) -> str:
        """The section of a snapshot that a pane draws."""
        return _STANDALONE_SECTIONS.get(pane, pane) if self.is_standalone else pane

    def table(self, pane: str) -> str:
        """What a saved table of a pane is called."""
        return pane if pane == "queues" else self.section(pane)

    def narrowed(self, pane: str, snapshot: Snapshot, arrangement: Arrangement) -> tuple[Sequence[Any], Arrangement]:
        """The rows to choose from, and what is still to be chosen: containers are listed by application or node."""
        scope = arrangement.scope if pane == "containers" and not self.is_standalone else None
        if isinstance(scope, Scope) and scope.kind == APPLICATION:
            return snapshot.containers(application=scope.id), arrangement._replace(scope=None)
        if isinstance(scope, Scope) and scope.kind == NODE:
            return snapshot.containers(node=scope.id), arrangement._replace(scope=None)
        return self.rows_of(pane, snapshot), arrangement

    def rows_of(self, pane: str, snapshot: Snapshot) -> Sequence[Any]:
        """The rows a pane draws; of Spark's FIFO list only those still in it."""
        rows: Sequence[Any] = getattr(snapshot, self.section(pane))()
        is_list = self.is_standalone and pane == "queues"
        return [row for row in rows if standalone.is_live(row)] if is_list else rows


_STANDALONE_SECTIONS = {"queues": "applications", "containers": "executors"}
"""Panes that draw a section of another name."""

_YARN_PLANS = Plans(
    beside=Plan(
        (
            Band(3, (Slot(7, ("queues",)), Slot(6, ("reservations",)))),
            Band(4, (Slot(1, ("applications",)),)),
            Band(4, (Slot(1, ("nodes",)), Slot(1, ("events", "containers", "users", "graphs")))),
        )
    ),
    columns=Plan(
        (
            Band(
                4,
                (
                    Slot(3, ("queues",)),
                    Slot(3, ("reservations",)),
                    Slot(2, ("graphs",)),
                    Slot(4, ("events", "containers", "users")),
                ),
            ),
            Band(7, (Slot(7, ("applications",)), Slot(6, ("nodes",)), Slot(3, (DETAIL,)))),
        ),
        is_columns=True,
    ),
)

_STANDALONE_PLANS = Plans(
    beside=Plan(
        (
            Band(3, (Slot(5, ("queues",)), Slot(6, ("containers",)))),
            Band(4, (Slot(1, ("applications",)),)),
            Band(4, (Slot(1, ("nodes",)), Slot(1, ("events", "users", "reservations", "graphs")))),
        )
    ),
    columns=Plan(
        (
            Band(
                4,
                (
                    Slot(3, ("queues",)),
                    Slot(3, ("containers",)),
                    Slot(2, ("graphs",)),
                    Slot(4, ("events", "users", "reservations")),
                ),
            ),
            Band(7, (Slot(7, ("applications",)), Slot(6, ("nodes",)), Slot(3, (DETAIL,)))),
        ),
        is_columns=True,
    ),
)

_ONLY_SPARK = "Only Spark's Master {}"

YARN = Dialect(
    NOUNS,
    {name: f"{digit} {name.capitalize()}" for digit, name in enumerate(PANES, start=1) if name in NOUNS},
    _YARN_PLANS,
    {
        "toggle_spread_out": _ONLY_SPARK.format("spreads executors out or packs them; this is YARN"),
        "plans": _ONLY_SPARK.format("hands out cores step by step; this is YARN"),
    },
)

STANDALONE = Dialect(
    STANDALONE_NOUNS,
    {
        "applications": "1 Applications",
        "queues": "2 Fifo",
        "nodes": "3 Workers",
        "reservations": "4 Reservations",
        "events": "5 Events",
        "containers": "6 Executors",
        "users": "7 Users",
        "graphs": "8 Graphs",
    },
    _STANDALONE_PLANS,
    {
        "toggle_preemption": "Spark's Master preempts nobody: executors stay while they are wanted",
        "move": "Spark's Master has one list and no queues",
        "edit_queue": "Spark's Master has one list and no queues",
        "cycle_reservation": "Spark's Master reserves nothing: what does not fit waits for the next pass",
    },
    footer=("none", "Spark has neither"),
    is_standalone=True,
)


def dialect_of(snapshot: Snapshot) -> Dialect:
    """How a cluster is to be shown."""
    return STANDALONE if isinstance(snapshot, SparkSnapshot) else YARN
