"""What happened between two snapshots of a live cluster, as records: nobody tells, so it is concluded."""

from collections.abc import Iterator

from engine.control_plane.protocol import NodeJoined, NodeLost
from engine.model.decision import ApplicationTransitioned
from engine.observe.snapshot import ApplicationRow, NodeRow, Snapshot
from engine.simulation.records import Record

DOWN = frozenset({"LOST", "UNHEALTHY", "DECOMMISSIONED", "SHUTDOWN", "REBOOTED", "DEAD"})
"""States of a node that runs nothing."""


def records_between(before: Snapshot | None, after: Snapshot) -> Iterator[Record]:
    """Applications that changed their state, then nodes that left or came.

    Without a snapshot before there is nothing to compare with, and nothing happened.
    """
    if before is None:
        return
    states = {row.id: row.state for row in before.applications(why=False)}
    for row in sorted(after.applications(why=False), key=lambda each: each.number):
        if states.get(row.id) != row.state:
            yield _transition(row)
    nodes = {row.id: row.state for row in before.nodes()}
    for node in after.nodes():
        was = nodes.pop(node.id, "")
        yield from _node(node, was)
    for gone, was in nodes.items():
        if was not in DOWN:
            yield NodeLost(gone, "LOST")


def _transition(row: ApplicationRow) -> ApplicationTransitioned:
    return ApplicationTransitioned(row.number, row.state, row.queue, " ".join(row.diagnostics.split()))


def _node(row: NodeRow, was: str) -> Iterator[Record]:
    if row.state in DOWN and was not in DOWN and was:
        yield NodeLost(row.id, row.state)
    elif row.state not in DOWN and (not was or was in DOWN):
        yield NodeJoined(row.id, row.rack, row.total[0], row.total[1], row.partition)
