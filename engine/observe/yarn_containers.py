"""The containers of a ResourceManager as rows that are made when they are looked at.

A cluster may have a hundred thousand; a screen shows forty. What is listed is fixed when it is asked for; a row tells
of its container as it is when the row is made.
"""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Final

from engine.model.cluster import Cluster
from engine.model.identity import application_name, container_name, container_of_name
from engine.model.ledger import Container, Node
from engine.observe.section import Read, Section
from engine.observe.snapshot import ContainerRow


class ContainerRows(Section[ContainerRow]):
    """Rows of some containers, in their order."""

    __slots__ = ("_timestamp",)

    def __init__(self, containers: Sequence[Container], cluster_timestamp: int) -> None:
        super().__init__(containers, ContainerRow, _fields(cluster_timestamp))
        self._timestamp = cluster_timestamp

    def place_of(self, row_id: str) -> int | None:
        """Return the place of the container with an id; None when it is not here. Makes no row."""
        wanted = container_of_name(row_id)
        if wanted is None or row_id != container_name(self._timestamp, wanted):
            return None
        ids = [one.id for one in self.things]
        return ids.index(wanted) if wanted in ids else None


def containers_of(cluster: Cluster, application: str = "", node: str = "") -> ContainerRows:
    """All containers node by node, or those of one application (by id), of one node, or of both; none of a stranger.

    A node's are those placed on it, then its reservation; an application's those it holds, then its reservations.
    """
    if application:
        found = _of_application(cluster, application)
        return ContainerRows([one for one in found if node in {"", one.node.id}], cluster.cluster_timestamp)
    if node:
        known = cluster.nodes.get(node)
        return ContainerRows([] if known is None else _of_node(known), cluster.cluster_timestamp)
    everything: list[Container] = []
    for each in cluster.nodes.values():
        everything.extend(each.containers.values())
        if each.reserved is not None:
            everything.append(each.reserved)
    return ContainerRows(everything, cluster.cluster_timestamp)


def _of_application(cluster: Cluster, application: str) -> list[Container]:
    number = application.rpartition("_")[2]
    known = cluster.applications.get(int(number)) if number.isdigit() else None
    if (
        known is None
        or known.attempt is None
        or application != application_name(cluster.cluster_timestamp, known.number)
    ):
        return []
    return [*known.attempt.live.values(), *known.attempt.reserved.values()]


def _of_node(node: Node) -> list[Container]:
    return [*node.containers.values(), *([node.reserved] if node.reserved is not None else [])]


def _fields(timestamp: int) -> Mapping[str, Read]:
    return {
        "id": lambda one: container_name(timestamp, one.id),
        "application": lambda one: application_name(timestamp, one.id[0]),
        **_CONTAINER,
    }


_CONTAINER: Final[Mapping[str, Read]] = {
    "node": attrgetter("node.id"),
    "queue": attrgetter("attempt.queue.path"),
    "user": attrgetter("attempt.user"),
    "priority": attrgetter("priority"),
    "size": attrgetter("memory_mb", "vcores"),
    "state": attrgetter("state"),
    "since_ms": attrgetter("created_ms"),
    "is_am": attrgetter("is_am"),
    "marked_ms": attrgetter("warned_ms"),
}
