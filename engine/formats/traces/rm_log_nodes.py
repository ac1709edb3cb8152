"""Keeps the nodes that a ResourceManager's log names, by host before their ids are known.

Source: RMNodeImpl, ResourceTrackerService, RackResolver, AbstractYarnScheduler, Hadoop 2.7.2, 3.4.1.
"""

from collections.abc import Sequence

from engine.formats.traces.application import whole
from engine.formats.traces.rm_reservations import LogReservations
from engine.formats.traces.rm_timeline import LogNode, ResourceManagerTimeline

Groups = tuple[str, ...]


class LogNodes:
    """The nodes of a timeline; its methods take the time of a line and what its pattern found."""

    def __init__(self, timeline: ResourceManagerTimeline, reservations: LogReservations) -> None:
        self._timeline = timeline
        self._reservations = reservations
        self._ids: dict[str, str] = {}
        """Host → the node's id."""
        self._racks: dict[str, str] = {}

    def id_of(self, name: str) -> str:
        """The id of a node named by its host or its id."""
        host = name.partition(":")[0]
        known = self._ids.get(host)
        if known is None:
            known = self._ids[host] = name
            self._timeline.nodes[name] = LogNode(name, self._racks.get(host))
        elif known == host and name != host:
            self._name_port(host, name)
            known = name
        return known

    def _name_port(self, host: str, identity: str) -> None:
        """Give everything known of a host the id of its node."""
        self._ids[host] = identity
        node = self._timeline.nodes.pop(host)
        node.id = identity
        self._timeline.nodes[identity] = node
        self._reservations.rename(host, identity)
        for each in self._timeline.containers.values():
            if each.node == host:
                each.node = identity

    def resolved(self, time_ms: int, groups: Groups) -> None:
        """The rack of a host was looked up."""
        host, rack = groups
        self._racks[host] = rack
        if host in self._ids:
            self._timeline.nodes[self._ids[host]].rack = rack

    def registered(self, time_ms: int, groups: Groups) -> None:
        """A node registered with its size."""
        memory_mb, vcores, name = groups
        node = self._timeline.nodes[self.id_of(name)]
        node.memory_mb, node.vcores = whole(memory_mb), whole(vcores)

    def filled(self, identity: str, room: Sequence[str]) -> None:
        """Add up the size of a node from what is used and left, where no line has given it."""
        node = self._timeline.nodes[identity]
        if node.memory_mb is None and any(room):
            used_mb, used_vcores, left_mb, left_vcores = map(int, room)
            node.memory_mb, node.vcores = used_mb + left_mb, used_vcores + left_vcores

    def resized(self, time_ms: int, groups: Groups) -> None:
        """A node's total changed."""
        name, _, _, memory_mb, vcores = groups
        self.registered(time_ms, (memory_mb, vcores, name))

    def changed_state(self, time_ms: int, groups: Groups) -> None:
        """A node changed its state."""
        name, state = groups
        self._timeline.nodes[self.id_of(name)].states.append((time_ms, state))
