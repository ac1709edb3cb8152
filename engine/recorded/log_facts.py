"""Facts of a ResourceManager's log for more than one instant: states by time, queues, sizes, and what it lacks.

Known is what a line says. Inferred are the size of a node that no line gives, and when a node or an application was
there before its first line.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Final

from engine.formats.traces.rm_timeline import LogApplication, LogNode, ResourceManagerTimeline
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.observe.snapshot import Amounts

FAIR_ROOT: Final = "root"

STATES: Final[Mapping[str, str]] = {"FINISHING": "FINISHED"}
"""States of RMApp → the YarnApplicationState that clients see. Source: RMServerUtils.createApplicationState."""
PASSING: Final = frozenset({"FINAL_SAVING", "KILLING"})
"""States of RMApp in which clients see the one before."""
UNPLACED: Final = "the log does not say on which nodes containers run: nodes show less than there is"
NODE_SIZES: Final = "size of nodes that no line gives: the most that was in use there"
ASKS: Final = "what applications ask for: the size of their reservations, of the master they got later"
UNSEEN: Final = "nodes and applications that no line names are not there; what running applications ask for is unknown"


class LogFacts:
    """Looks through a timeline once."""

    def __init__(self, timeline: ResourceManagerTimeline) -> None:
        """Look at the whole of it once, for what holds all the time."""
        self.timeline = timeline
        self.notes = [UNSEEN]
        """What was inferred, and what is not known."""
        self.masters = {each.application: each for each in timeline.containers.values() if each.is_master}
        self._sizes = {node.id: self._size(node) for node in timeline.nodes.values()}
        self._root = FAIR_ROOT if timeline.scheduler == "FairScheduler" else ""
        self._seen_ms = {node.id: _seen_ms(node) for node in timeline.nodes.values()}
        self._find_unregistered()
        self._note_inferred()
        self.states = {each.id: application_states(each) for each in timeline.applications.values()}
        """Application → (since when [epoch ms], YarnApplicationState), in order."""
        self.queues = {each.id: self._queues_of(each) for each in timeline.applications.values()}
        """Application → (since when [epoch ms], path of its queue), in order."""
        self.node_states = {node.id: self._states_of(node) for node in timeline.nodes.values()}
        """Node → (since when [epoch ms], NodeState), in order."""

    def node_size(self, node: str) -> Amounts:
        """Memory [MB] and vcores of a node, inferred where no line gives them."""
        return self._sizes[node]

    # What holds all the time

    @staticmethod
    def _size(node: LogNode) -> Amounts:
        return node.memory_mb or 0, node.vcores or 0

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
        """Say what was inferred."""
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
        """The path of a queue; FairScheduler writes it as the client did, who may leave the root out.

        Source: QueueManager.ensureRootPrefix.
        """
        is_short = bool(self._root and queue and queue != self._root and not queue.startswith(f"{self._root}."))
        return f"{self._root}.{queue}" if is_short else queue

    def queue_at(self, application: str, time_ms: int) -> str:
        """The queue of an application at an instant [epoch ms]; empty where no line names one."""
        return state_at(self.queues[application], time_ms)


def application_states(one: LogApplication) -> list[tuple[int, str]]:
    """(since when [epoch ms], YarnApplicationState) of an application, in order.

    One whose first line is not of its beginning ran before the log: who holds something runs.
    """
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
