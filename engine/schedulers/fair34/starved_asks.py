"""Which of a starved application's asks containers are taken back for, and for how many.

Asks are looked at in the order of Java's hash maps until the starvation is used up. Of one priority and size, only one
level of locality counts on each rack: hosts or the rack, and neither once any node was looked at.

Source: FSAppAttempt#getStarvedResourceRequests, VisitedResourceRequestTracker, Hadoop 3.4.1.
"""

from math import floor
from typing import NamedTuple

from engine.model.identity import ConcurrentHashOrder, request_key_hash, string_hash
from engine.model.java_number import float32
from engine.model.request import ANY, ResourceRequest
from engine.schedulers.fair.schedulable import FairAttempt
from engine.schedulers.fair34.following import NodeIndex


class StarvedAsk(NamedTuple):
    """A part of an ask."""

    resource_name: str
    memory_mb: int
    vcores: int
    containers: int
    relax_locality: bool


class _Visited:
    """The nodes looked at for one priority and size."""

    __slots__ = ("anywhere", "racks", "racks_of_hosts")

    def __init__(self) -> None:
        self.anywhere = False
        self.racks: set[str] = set()
        self.racks_of_hosts: set[str] = set()

    def visit(self, name: str, nodes: NodeIndex) -> bool:
        """Tell whether an ask at this place is to be looked at; notes that it was."""
        if name == ANY:
            # The ask at `*` counts the same containers as those at hosts and racks: only one of the levels is looked
            # at.
            self.anywhere = self.anywhere or not (self.racks or self.racks_of_hosts)
            return self.anywhere
        found = nodes.named(name)
        if not found or self.anywhere:
            return False
        if len(found) == 1 and found[0].name == name:
            rack = found[0].rack
            if rack in self.racks:
                return False
            self.racks_of_hosts.add(rack)
            return True
        if name in self.racks_of_hosts:
            return False
        self.racks.add(name)
        return True


def starved_asks(attempt: FairAttempt, nodes: NodeIndex) -> list[StarvedAsk]:
    """The asks, each for at most as many containers as fit into what is left of the starvation, by memory."""
    memory_mb, vcores = attempt.starvation
    visited: dict[tuple[int, int, int], _Visited] = {}
    asks: list[StarvedAsk] = []
    for request in _in_hash_order(attempt):
        # More than the starvation is not taken back, whatever is asked.
        if memory_mb == 0 and vcores == 0:
            break
        size = (request.priority, request.memory_mb, request.vcores)
        if not visited.setdefault(size, _Visited()).visit(request.resource_name, nodes):
            continue
        fitting = _how_many(memory_mb, request.memory_mb)
        if fitting == 0:
            continue
        count, relax = request.count, request.relax_locality
        if fitting < count:
            # The copy Hadoop makes relaxes locality, whatever the original said.
            count, relax = fitting, True
        asks.append(StarvedAsk(request.resource_name, request.memory_mb, request.vcores, count, relax))
        memory_mb = max(memory_mb - request.memory_mb * count, 0)
        vcores = max(vcores - request.vcores * count, 0)
    return asks


def _how_many(memory_mb: int, size_mb: int) -> int:
    if size_mb:
        return floor(float32(float32(memory_mb) / float32(size_mb)))
    return 2**31 - 1 if memory_mb else 0


def _in_hash_order(attempt: FairAttempt) -> list[ResourceRequest]:
    """All requests, by priority and name in the order of ConcurrentHashMaps."""
    priorities = ConcurrentHashOrder()
    for priority, group in attempt.groups.items():
        if any(request.count > 0 or name != ANY for name, request in group.by_name.items()):
            priorities.add(str(priority), request_key_hash(priority))
    requests: list[ResourceRequest] = []
    for priority_name in priorities.keys():  # noqa: SIM118  # no dict
        by_name = attempt.groups[int(priority_name)].by_name
        names = ConcurrentHashOrder()
        for name, request in by_name.items():
            if name != ANY or request.count > 0:
                names.add(name, string_hash(name))
        requests += [by_name[name] for name in names.keys()]  # noqa: SIM118  # no dict
    return requests
