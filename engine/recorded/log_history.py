"""Builds a log's history of the cluster, counted from one change to the next, without a snapshot for each."""

from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import Final

from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.observe.history import YARN, Reading
from engine.recorded.log_facts import LogFacts

PLACES: Final = {name: place for place, name in enumerate(YARN)}
Counts = tuple[tuple[str, int], ...]
"""(name of `YARN` or path of a queue, how much more), each."""
Change = tuple[int, Counts]
"""(epoch ms, what changes)."""


def readings_of(changes: Iterable[Change]) -> Iterator[tuple[int, Reading, dict[str, int]]]:
    """(epoch ms, reading, queues whose used memory [MB] changed) at each instant at which a count changes."""
    values, queues = [0] * len(YARN), dict[str, int]()
    for time_ms, together in groupby(changes, key=itemgetter(0)):
        touched = dict[str, int]()
        for name, more in chain.from_iterable(map(itemgetter(1), together)):
            place = PLACES.get(name)
            if place is not None:
                values[place] += more
            else:
                queues[name] = touched[name] = queues.get(name, 0) + more
        yield time_ms, tuple(values), touched


def changes_of(facts: LogFacts) -> list[Change]:
    """Yield the changes, in order of time."""
    known: dict[Counts, Counts] = {}  # one of each: there are few, and a million changes
    of_each = chain(_of_nodes(facts), _of_applications(facts), _of_containers(facts), _of_reservations(facts))
    found = [(time_ms, known.setdefault(counts, counts)) for time_ms, counts in of_each]
    found.sort(key=itemgetter(0))
    return found


def _of_reservations(facts: LogFacts) -> Iterator[Change]:
    placed = [each for each in facts.timeline.reservations if each.node is not None]
    ends = [(each, each.since_ms, 1) for each in placed]
    ends += [(each, each.until_ms, -1) for each in placed if each.until_ms is not None]
    for held, time_ms, sign in ends:
        yield time_ms, (("reservations", sign), ("reserved_memory_mb", sign * (held.memory_mb or 0)))


def _of_nodes(facts: LogFacts) -> Iterator[Change]:
    for node, states in facts.node_states.items():
        memory_mb, vcores = facts.node_size(node)
        is_up = False
        for since_ms, state in states:
            sign = (state == "RUNNING") - is_up
            is_up = state == "RUNNING"
            if sign:
                yield (
                    since_ms,
                    (("nodes", sign), ("total_memory_mb", sign * memory_mb), ("total_vcores", sign * vcores)),
                )


def _of_applications(facts: LogFacts) -> Iterator[Change]:
    for states in facts.states.values():
        before = ""
        for since_ms, state in states:
            gone, come = _counted_as(before), _counted_as(state)
            if gone or come:
                yield since_ms, (*((name, -1) for name in gone), *((name, 1) for name in come))
            before = state


def _counted_as(state: str) -> tuple[str, ...]:
    if not state or state in FINAL_APPLICATION_STATES:
        return ()
    return ("applications_running" if state == "RUNNING" else "applications_pending",)


def _of_containers(facts: LogFacts) -> Iterator[Change]:
    """A container counts in the queue its application is in, and moves with it."""
    for each in facts.timeline.containers.values():
        memory_mb, vcores = each.memory_mb or 0, each.vcores or 0
        begin_ms, end_ms = each.allocated_ms, each.ended_ms
        queue = facts.queue_at(each.application, begin_ms)
        yield begin_ms, (("allocated_containers", 1), *_held(1, memory_mb, vcores), (queue, memory_mb))
        for moved_ms, to in facts.queues[each.application][1:]:
            if moved_ms > begin_ms and (end_ms is None or moved_ms < end_ms):
                yield moved_ms, ((queue, -memory_mb), (to, memory_mb))
                queue = to
        if end_ms is not None:
            was_preempted = ("preempted_containers", int(each.preempted_ms is not None))
            yield end_ms, (was_preempted, *_held(-1, memory_mb, vcores), (queue, -memory_mb))


def _held(sign: int, memory_mb: int, vcores: int) -> Counts:
    return ("containers", sign), ("used_memory_mb", sign * memory_mb), ("used_vcores", sign * vcores)
