"""Nodes that are out of service, as obstacles: who asks for room is offered none there.

Source: RMNodeImpl (states), NodeHealthCheckerService, Hadoop 2.7.2.
"""

from typing import Final

from engine.explain.obstacles import NODES_NAMED, ObstacleRow
from engine.model.cluster import Cluster
from engine.model.ledger import Node

_WORDS: Final = {
    "UNHEALTHY": "unhealthy",
    "LOST": "lost, no heartbeat within the expiry interval",
    "DECOMMISSIONED": "decommissioned",
}
"""State of a node → why nothing runs there."""

_NAMED: Final = 4


def rows_of_gone(cluster: Cluster) -> tuple[ObstacleRow, ...]:
    """A row for each state in which nodes of a ResourceManager are out of service, counted over all it has known."""
    of, states = len(cluster.nodes) + len(cluster.down), dict[str, list[Node]]()
    for node in cluster.down.values():
        states.setdefault(node.state, []).append(node)
    return tuple(_row(state, nodes, of) for state, nodes in states.items() if state in _WORDS)


def _row(state: str, nodes: list[Node], of: int) -> ObstacleRow:
    hosts = tuple(node.host for node in nodes[:NODES_NAMED])
    return ObstacleRow(
        code=f"NODE_{state}",
        answer=f"{_WORDS[state]} ({named(hosts, len(nodes))})",
        level="NODE",
        state="REJECTED",
        count=len(nodes),
        of=of,
        nodes=hosts,
        noun="node",
    )


def named(hosts: tuple[str, ...], count: int) -> str:
    """The first hosts of so many.

    >>> named(("n1", "n2"), 2), named(("n1", "n2", "n3", "n4", "n5"), 9)
    ('n1, n2', 'n1, n2, n3, n4 and 5 more')
    """
    more = f" and {count - _NAMED} more" if count > _NAMED else ""
    return f"{', '.join(hosts[:_NAMED])}{more}"
