"""Turns the events of a ResourceManager's log into the records of a simulation.

Priorities and exit codes are not in a log: the former are written as 0, and a container that COMPLETED ended by itself.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final

from engine.control_plane.protocol import NodeJoined, NodeLost, ResourceManagerStarted
from engine.formats.traces.rm_log_lines import container_id
from engine.formats.traces.rm_timeline import LogApplication, LogContainer, LogNode, LogReservation
from engine.live.watched import DOWN
from engine.model.decision import (
    Allocated,
    ApplicationTransitioned,
    Completed,
    ContainerId,
    Killed,
    Reserved,
    Unreserved,
    Warned,
)
from engine.recorded.log_facts import LogFacts
from engine.simulation.record_log import NumberedRecord
from engine.simulation.records import Record, Submitted

CAUSES: Final = {
    "RELEASED": "RELEASED",
    "EXPIRED": "EXPIRED",
    "STOPPED": "LOST",
    "KILLED": "APPLICATION_ENDED",
}
"""How a container ended in the log → the cause of `Killed`."""

MOST_MADE: Final = 16_384
"""Records that are not made again when they are asked for again."""

Timed = tuple[int, Record]
"""(epoch ms, what happened)."""
_Item = LogNode | LogApplication | LogContainer | LogReservation | int
"""What records are about; a number is when the ResourceManager started."""


class LogRecords:
    """Everything that happened, in order of time; a record is made when it is asked for."""

    def __init__(self, facts: LogFacts) -> None:
        """Find when everything was."""
        self._facts, timeline = facts, facts.timeline
        self._items: list[_Item] = [
            *timeline.starts_ms,
            *timeline.nodes.values(),
            *timeline.applications.values(),
            *timeline.containers.values(),
            *timeline.reservations,
        ]
        times_ms, whose, which = array("q"), array("I"), array("I")
        for item_place, item in enumerate(self._items):
            for place, (time_ms, _) in enumerate(self._of(item)):
                times_ms.append(time_ms)
                whose.append(item_place)
                which.append(place)
        order = sorted(range(len(times_ms)), key=times_ms.__getitem__)
        self.times_ms, self._whose, self._which = (
            array(some.typecode, map(some.__getitem__, order)) for some in (times_ms, whose, which)
        )
        self._record = lru_cache(MOST_MADE)(self._make)

    def until(self, time_ms: int, most: int) -> list[NumberedRecord]:
        """The latest records up to the end of an instant [epoch ms], oldest first."""
        end = bisect_right(self.times_ms, time_ms)
        return list(map(self._record, range(max(0, end - most), end)))

    def _make(self, number: int) -> NumberedRecord:
        records = self._of(self._items[self._whose[number]])
        return NumberedRecord(number, *next(islice(records, self._which[number], None)))

    def _of(self, item: _Item) -> Iterator[Timed]:
        match item:
            case LogNode():
                return _of_node(item, self._facts)
            case LogApplication():
                return _of_application(item, self._facts)
            case LogContainer():
                return _of_container(item, self._facts.queue_at(item.application, item.allocated_ms))
            case LogReservation():
                return _of_reservation(item)
            case _:
                return iter([(item, ResourceManagerStarted())])


def _of_node(node: LogNode, facts: LogFacts) -> Iterator[Timed]:
    is_up = False
    for since_ms, state in facts.node_states[node.id]:
        if state in DOWN and is_up:
            yield since_ms, NodeLost(node.id, state)
        elif state not in DOWN and not is_up:
            memory_mb, vcores = facts.node_size(node.id)
            yield since_ms, NodeJoined(node.id, node.rack or "", memory_mb, vcores)
        is_up = state not in DOWN


def _of_application(one: LogApplication, facts: LogFacts) -> Iterator[Timed]:
    number = application_number(one.id)
    if one.submitted_ms is not None:
        yield (
            one.submitted_ms,
            Submitted(number, one.name or one.id, one.user or "", facts.queue_at(one.id, one.submitted_ms), one.type),
        )
    for since_ms, state in facts.states[one.id]:
        yield since_ms, ApplicationTransitioned(number, state, facts.queue_at(one.id, since_ms))


def _of_container(one: LogContainer, queue: str) -> Iterator[Timed]:
    key, node = container_id(one.id), one.node or ""
    memory_mb, vcores = one.memory_mb or 0, one.vcores or 0
    yield one.allocated_ms, Allocated(key, node, 0, memory_mb, vcores)
    if one.preempted_ms is not None:
        yield one.preempted_ms, Warned(key, node, queue, memory_mb)
    if one.ended_ms is None:
        return
    if one.end == "COMPLETED":
        yield one.ended_ms, Completed(key, node, 0)
    else:
        yield one.ended_ms, Killed(key, node, "PREEMPTED" if one.preempted_ms else CAUSES.get(one.end, one.end))


def _of_reservation(one: LogReservation) -> Iterator[Timed]:
    number = application_number(one.application)
    key: ContainerId = (number, 1, 0) if one.container is None else container_id(one.container)
    what = key, one.node or "", 0, one.memory_mb or 0, one.vcores or 0
    yield one.since_ms, Reserved(*what)
    if one.until_ms is not None and one.end != "ALLOCATED":
        yield one.until_ms, Unreserved(*what)


def application_number(identity: str) -> int:
    """The number within an application's id."""
    number = identity.rpartition("_")[2]
    return int(number) if number.isdigit() else 0
