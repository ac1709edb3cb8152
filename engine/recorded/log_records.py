"""Turns the events of a ResourceManager's log into the records of a simulation.

Priorities and exit codes are not in a log: the former are written as 0, and a container that COMPLETED ended by itself.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Final

from engine.control_plane.protocol import NodeJoined, NodeLost, ResourceManagerStarted
from engine.formats.traces.rm_timeline import (
    LogApplication,
    LogContainer,
    LogNode,
    LogReservation,
    ResourceManagerTimeline,
    container_id,
)
from engine.live.watch_metrics import DOWN
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
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.observe.history import LOGGED, Reading
from engine.observe.snapshot import Amounts
from engine.simulation.records import Record, Submitted
from engine.simulation.timeline import NumberedRecord

# Facts of a ResourceManager's log for more than one instant: states by time, queues, sizes, and what it lacks.
#
# Known is what a line says. Inferred are the size of a node that no line gives, and when a node or an application was
# there before its first line.

FAIR_ROOT: Final = "root"

STATES: Final[Mapping[str, str]] = {"FINISHING": "FINISHED"}
"""States of RMApp → the YarnApplicationState that clients see. Source: RMServerUtils.createApplicationState."""
PASSING: Final = frozenset({"FINAL_SAVING", "KILLING"})  # States of RMApp in which clients see the one before
UNPLACED: Final = "the log does not say on which nodes containers run: nodes show less than there is"
NODE_SIZES: Final = "size of nodes that no line gives: the most that was in use there"
ASKS: Final = "what applications ask for: the size of their reservations, of the master they got later"
UNSEEN: Final = "nodes and applications that no line names are not there; what running applications ask for is unknown"


class LogFacts:
    def __init__(self, timeline: ResourceManagerTimeline) -> None:
        self.timeline = timeline
        self.notes = [UNSEEN]  # what was inferred, and what is not known
        self.masters = {each.application: each for each in timeline.containers.values() if each.is_master}
        self._sizes: dict[str, Amounts] = {
            node.id: (node.memory_mb or 0, node.vcores or 0) for node in timeline.nodes.values()
        }
        self._root = FAIR_ROOT if timeline.scheduler == "FairScheduler" else ""
        self._seen_ms = {node.id: _seen_ms(node) for node in timeline.nodes.values()}
        self._find_unregistered()
        self._note_inferred()
        self.states = {each.id: _application_states(each) for each in timeline.applications.values()}
        """Application → (since when [epoch ms], YarnApplicationState), in order."""
        self.queues = {each.id: self._queues_of(each) for each in timeline.applications.values()}
        """Application → (since when [epoch ms], path of its queue), in order."""
        self.node_states = {node.id: self._states_of(node) for node in timeline.nodes.values()}
        """Node → (since when [epoch ms], NodeState), in order."""

    def node_size(self, node: str) -> Amounts:
        """Memory [MB] and vcores of a node, inferred where no line gives them."""
        return self._sizes[node]

    # What holds all the time

    def _find_unregistered(self) -> None:
        """Sizes of nodes that no line gives, and since when nodes were there that others name before they do."""
        first, changes = self._seen_ms, dict[str, list[tuple[int, int, int]]]()
        for each in self.timeline.containers.values():
            if each.node is None or each.node not in first:
                continue
            first[each.node] = min(first[each.node], each.allocated_ms)
            if not self.timeline.nodes[each.node].memory_mb:
                size = each.memory_mb or 0, each.vcores or 0
                changes.setdefault(each.node, []).append((each.allocated_ms, *size))
                if each.ended_ms is not None:
                    changes[each.node].append((each.ended_ms, -size[0], -size[1]))
        for held in self.timeline.reservations:
            if held.node in first:
                first[held.node] = min(first[held.node], held.since_ms)
        for node, some in changes.items():
            self._sizes[node] = _most(some)

    def _note_inferred(self) -> None:
        if any(not node.memory_mb for node in self.timeline.nodes.values()):
            self.notes.append(f"Inferred: {NODE_SIZES}.")
        if self.timeline.reservations or self.masters:
            self.notes.append(f"Inferred: {ASKS}.")
        if any(each.node is None for each in self.timeline.containers.values()):
            self.notes.append(UNPLACED)

    def _states_of(self, node: LogNode) -> list[tuple[int, str]]:
        """States of a node from when it is there; before the first line that gives one it is taken for up."""
        seen_ms = self._seen_ms[node.id] or self.timeline.begin_ms
        later = [(since_ms, "RUNNING" if state == "NEW" else state) for since_ms, state in node.states]
        return [(seen_ms, "RUNNING"), *(each for each in later if each[0] > seen_ms)]

    def _queues_of(self, one: LogApplication) -> list[tuple[int, str]]:
        """Queues of an application; one that moved where no line says went where it was at its end."""
        begin_ms, last = self.states[one.id][0][0], one.queue or ""
        some = one.queues or [(begin_ms, last)]
        paths = [(since_ms, self._path(queue or last)) for since_ms, queue in some]
        return [(begin_ms, paths[0][1]), *paths[1:]]

    def _path(self, queue: str) -> str:
        # FairScheduler writes it as the client did, which may leave the root out. Source:
        # QueueManager.ensureRootPrefix.
        is_short = bool(self._root and queue and queue != self._root and not queue.startswith(f"{self._root}."))
        return f"{self._root}.{queue}" if is_short else queue

    def queue_at(self, application: str, time_ms: int) -> str:
        """The queue of an application at an instant [epoch ms]; empty where no line names one."""
        return state_at(self.queues[application], time_ms)


def _application_states(one: LogApplication) -> list[tuple[int, str]]:
    # One whose first line is not of its beginning ran before the log: an application that holds something runs
    begins = one.states[0][1] if one.states else ""
    before = {"": "RUNNING", "RUNNING": "ACCEPTED", "ACCEPTED": "SUBMITTED"}.get(begins, "RUNNING")
    is_new = one.submitted_ms is not None and begins in {"NEW_SAVING", "SUBMITTED"}
    first_ms = one.first_ms if one.submitted_ms is None else min(one.first_ms, one.submitted_ms)
    found = [(first_ms, "NEW" if is_new else before)]
    for since_ms, state in one.states:
        seen = found[-1][1] if state in PASSING else STATES.get(state, state)
        if seen != found[-1][1]:
            found.append((since_ms, seen))
    ended_ms = one.finished_ms
    if ended_ms is not None and found[-1][0] <= ended_ms and found[-1][1] not in FINAL_APPLICATION_STATES:
        found.append((ended_ms, one.final if one.final in FINAL_APPLICATION_STATES else "FINISHED"))
    return found


def state_at(states: Sequence[tuple[int, str]], time_ms: int) -> str:
    """Return the state at an instant [epoch ms], of (since when, what) in order; before the first that one."""
    return states[max(0, bisect_right(states, time_ms, key=itemgetter(0)) - 1)][1]


def _seen_ms(node: LogNode) -> int:
    """Since when a node is there, by its own lines; one that was there before its first line was so all along."""
    if not node.states or node.states[0][1] not in {"NEW", "RUNNING"}:
        return 0
    return node.states[0][0]


def _most(changes: list[tuple[int, int, int]]) -> Amounts:
    """The most of each dimension that changes add up to; at one instant what ends goes first."""
    memory_mb = vcores = most_mb = most_vcores = 0
    for _, more_mb, more_vcores in sorted(changes):
        memory_mb, vcores = memory_mb + more_mb, vcores + more_vcores
        most_mb, most_vcores = max(most_mb, memory_mb), max(most_vcores, vcores)
    return most_mb, most_vcores


# Builds a log's history of the cluster, counted from one change to the next, without a snapshot for each.

PLACES: Final = {name: place for place, name in enumerate(LOGGED)}
Counts = tuple[tuple[str, int], ...]  # (name of `LOGGED` or path of a queue, how much more), each
Change = tuple[int, Counts]  # (epoch ms, what changes)


def readings_of(changes: Iterable[Change]) -> Iterator[tuple[int, Reading, dict[str, int]]]:
    """(epoch ms, reading, queues whose used memory [MB] changed) at each instant at which a count changes."""
    values, queues = [0] * len(LOGGED), dict[str, int]()
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


CAUSES: Final = {"RELEASED": "RELEASED", "EXPIRED": "EXPIRED", "STOPPED": "LOST", "KILLED": "APPLICATION_ENDED"}
"""How a container ended in the log → the cause of `Killed`."""

MOST_MADE: Final = 16_384  # Records that are not made again when they are asked for again
Timed = tuple[int, Record]  # (epoch ms, what happened)
_Item = LogNode | LogApplication | LogContainer | LogReservation | int
"""What records are about; a number is when the ResourceManager started."""


class LogRecords:
    """Everything that happened, in order of time; a record is made when it is asked for."""

    def __init__(self, facts: LogFacts) -> None:
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
