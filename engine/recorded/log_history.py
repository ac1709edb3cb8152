"""What the cluster of a log was over time, counted from one change to the next, without a snapshot for each."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Final

from engine.formats.traces.rm_timeline import LogContainer
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.observe.history import YARN, Reading
from engine.recorded.log_facts import LogFacts

PLACES: Final = {name: place for place, name in enumerate(YARN)}
Change = tuple[int, str, int]
"""(epoch ms, name of `YARN` or path of a queue, how much more)."""


def readings_of(facts: LogFacts) -> Iterator[tuple[int, Reading, dict[str, int]]]:
    """(epoch ms, reading, queues whose used memory [MB] changed) at each instant at which a count changes."""
    values, queues = [0] * len(YARN), dict[str, int]()
    changes = sorted(_changes(facts), key=itemgetter(0))
    for time_ms, together in groupby(changes, key=itemgetter(0)):
        touched = dict[str, int]()
        for _, name, more in together:
            if name in PLACES:
                values[PLACES[name]] += more
            else:
                queues[name] = touched[name] = queues.get(name, 0) + more
        yield time_ms, tuple(values), touched


def _changes(facts: LogFacts) -> Iterator[Change]:
    yield from _of_nodes(facts)
    yield from _of_applications(facts)
    yield from _of_containers(facts)
    yield from _of_reservations(facts)


def _of_reservations(facts: LogFacts) -> Iterator[Change]:
    placed = [each for each in facts.timeline.reservations if each.node is not None]
    ends = [(each, each.since_ms, 1) for each in placed]
    ends += [(each, each.until_ms, -1) for each in placed if each.until_ms is not None]
    for held, time_ms, sign in ends:
        yield time_ms, "reservations", sign
        yield time_ms, "reserved_memory_mb", sign * (held.memory_mb or 0)


def _of_nodes(facts: LogFacts) -> Iterator[Change]:
    for node, states in facts.node_states.items():
        memory_mb, vcores = facts.node_size(node)
        is_up = False
        for since_ms, state in states:
            sign = (state == "RUNNING") - is_up
            is_up = state == "RUNNING"
            if sign:
                yield since_ms, "nodes", sign
                yield since_ms, "total_memory_mb", sign * memory_mb
                yield since_ms, "total_vcores", sign * vcores


def _of_applications(facts: LogFacts) -> Iterator[Change]:
    for states in facts.states.values():
        before = ""
        for since_ms, state in states:
            yield from ((since_ms, name, -1) for name in _counted_as(before))
            yield from ((since_ms, name, 1) for name in _counted_as(state))
            before = state


def _counted_as(state: str) -> tuple[str, ...]:
    if not state or state in FINAL_APPLICATION_STATES:
        return ()
    return ("applications_running" if state == "RUNNING" else "applications_pending",)


def _of_containers(facts: LogFacts) -> Iterator[Change]:
    for each in facts.timeline.containers.values():
        memory_mb, vcores = each.memory_mb or 0, each.vcores or 0
        yield each.allocated_ms, "allocated_containers", 1
        if each.preempted_ms is not None and each.ended_ms is not None:
            yield each.ended_ms, "preempted_containers", 1
        for time_ms, sign in ((each.allocated_ms, 1), (each.ended_ms, -1)):
            if time_ms is not None:
                yield time_ms, "containers", sign
                yield time_ms, "used_memory_mb", sign * memory_mb
                yield time_ms, "used_vcores", sign * vcores
        yield from _of_queues(facts, each, memory_mb)


def _of_queues(facts: LogFacts, one: LogContainer, memory_mb: int) -> Iterator[Change]:
    """A container counts in the queue its application is in, and moves with it."""
    queue = facts.queue_at(one.application, one.allocated_ms)
    yield one.allocated_ms, queue, memory_mb
    for moved_ms, to in facts.queues[one.application][1:]:
        if moved_ms > one.allocated_ms and (one.ended_ms is None or moved_ms < one.ended_ms):
            yield moved_ms, queue, -memory_mb
            yield moved_ms, to, memory_mb
            queue = to
    if one.ended_ms is not None:
        yield one.ended_ms, queue, -memory_mb
