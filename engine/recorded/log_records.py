"""What a ResourceManager's log says happened, as the records of a simulation.

Priorities and exit codes are not in a log: the former are written as 0, and a container that COMPLETED ended by itself.
"""

from collections.abc import Iterator
from operator import itemgetter
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

Timed = tuple[int, Record]
"""(epoch ms, what happened)."""


def records_of(facts: LogFacts) -> list[NumberedRecord]:
    """Everything that happened, in order of time."""
    timeline = facts.timeline
    found: list[Timed] = [(each, ResourceManagerStarted()) for each in timeline.starts_ms]
    for node in timeline.nodes.values():
        found += _of_node(node, facts)
    for application in timeline.applications.values():
        found += _of_application(application, facts)
    for container in timeline.containers.values():
        found += _of_container(container, facts.queue_at(container.application, container.allocated_ms))
    for reservation in timeline.reservations:
        found += _of_reservation(reservation)
    found.sort(key=itemgetter(0))
    return [NumberedRecord(number, time_ms, record) for number, (time_ms, record) in enumerate(found)]


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
