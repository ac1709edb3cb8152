"""Finds the holders of what an application needs, and cycles of such waits.

An application waits for the ones that have reserved a node it could use, fill such a node with containers, or use up a
limit of its queue. Only what is really held counts: an application that merely waits as well is not a holder.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from engine.control_plane.cluster_view import ClusterView
from engine.explain.counterfactuals import Lookahead
from engine.explain.obstacles import AttemptObstacles
from engine.grouping import grouped
from engine.incremental import Incremental, Task
from engine.model.decision import Allocated, Completed, ContainerId, Killed
from engine.model.ledger import Attempt, Container, Node
from engine.model.request import is_under
from engine.observe.releases import Held
from engine.observe.snapshot import NodeHolder, Release
from engine.schedulers.interface import subject_of
from engine.schedulers.obstacle_texts import Obstacle, Reason
from engine.schedulers.yarn_scheduler import YarnScheduler
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation

# Finds what could free a reserved node, and when: containers whose end makes room for it, in a closed world.
#
# The closed world is played ahead in pieces until every reservation is settled: its node has room, it is dropped, or
# nothing is allocated any more. The caller may stop before that; what is not settled by then happens later, or never.

PIECE: Final = 500  # Reservations looked at in one piece
NEVER_PIECE: Final = 50  # Reservations that are never met and are reported in one piece, with everybody on the node


class _Reservation:
    """A reserved node at the instant asked about, and what became of it."""

    __slots__ = ("ended", "held", "node", "preempted", "release", "reserved")

    def __init__(self, node: Node, reserved: Container) -> None:
        self.node, self.reserved = node, reserved
        self.held: Held = (node.id, reserved.id)
        self.ended: dict[ContainerId, Container] = {}  # Containers on the node that ended since, in that order
        self.preempted = False  # True if the last of them was preempted
        self.release: Release | None = None

    @property
    def has_room(self) -> bool:
        node, reserved = self.node, self.reserved
        return reserved.memory_mb <= node.free_memory_mb and reserved.vcores <= node.free_vcores


class ReleaseSearch:
    """Looks for the release of every node that is reserved at an instant."""

    def __init__(self, simulation: Simulation) -> None:
        """Begin; the simulation must stand until `copied`, and is never changed."""
        self._copying = Task(self._copy(simulation))
        self._reservations: dict[str, _Reservation] = {}
        self._sizes: dict[ContainerId, Container] = {}
        self._open: set[str] = set()
        self._touched: set[str] = set()
        self._moved: dict[int, str] = {}

    @property
    def copied(self) -> bool:
        """Tell whether the instant is kept, so that the simulation may go on."""
        return self._copying.done

    @property
    def done(self) -> bool:
        """Tell whether every reservation is settled, or nothing more can be found out."""
        if not self.copied or not self._open:
            return self.copied
        ahead = self._copying.result()
        return ahead.over and not ahead.still

    def is_settled(self, some: Iterable[Held]) -> bool:
        """Tell whether the releases of some of the reservations are known; one that is not reserved needs none."""
        return self.copied and not any(node in self._open for node, _ in some)

    def advance(self, pieces: int = 1) -> bool:
        """Do some pieces of work; whether it is done."""
        while pieces > 0 and not self.done:
            if self.copied and self._copying.result().still:
                self._settle_for_ever()
            else:
                _ = self._copying.result().advance() if self.copied else self._copying.advance()
            pieces -= 1
        return self.done

    def found(self) -> dict[Held, Release]:
        """Return the releases known so far; one that is not settled comes later than anybody has looked."""
        if not self.copied:
            return {}
        ahead = self._copying.result()
        later = Release("later", ahead.now_ms, (), ahead.from_ms)
        return {each.held: each.release or later for each in self._reservations.values()}

    def close(self) -> None:
        """Let go of the copy. Its containers, nodes and attempts hold one another, so it would lie about for long."""
        if not self.copied:
            return
        simulation = self._copying.result().simulation
        world, control_plane = simulation.world, simulation.control_plane
        control_plane.view().take_apart()
        for held in (world.clock.heap, world.nodes, world.masters, simulation.listeners):
            held.clear()
        for own in (self._reservations, self._sizes, self._open):
            own.clear()

    # Work

    def _copy(self, simulation: Simulation) -> Incremental[Lookahead]:
        ahead = Lookahead((yield from simulation.fork_in_steps(closed=True)), is_own=True)
        for count, reserved in enumerate(ahead.simulation.control_plane.view().reservations()):
            self._write_down(reserved.node, reserved, ahead)
            if count % PIECE == PIECE - 1:
                yield
        ahead.simulation.listeners.append(self)
        return ahead

    def _write_down(self, node: Node, reserved: Container, ahead: Lookahead) -> None:
        each = self._reservations[node.id] = _Reservation(node, reserved)
        self._sizes.update(node.containers)
        if each.has_room:
            each.release = Release("fits", from_ms=ahead.from_ms)
        else:
            self._open.add(node.id)

    # What happens in the closed world

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Note what ended on the nodes, then look which of them have room."""
        given = dict(self._note(records))
        for node in [*given, *sorted(self._touched & self._open)]:
            each = self._reservations[node]
            if node in given or each.has_room:
                self._settle(each, "preempted" if each.preempted else "ends", time_ms)
        for node in self._lost():
            each = self._reservations[node]
            self._settle(each, self._why_lost(each), time_ms)

    def _note(self, records: Iterable[Record]) -> Iterator[tuple[str, None]]:
        self._moved.clear()
        for record in records:
            if isinstance(record, Allocated):
                each = self._reservations.get(record.node) if record.node in self._open else None
                if each is not None and record.container[0] == each.reserved.id[0]:
                    yield record.node, None
                self._moved[record.container[0]] = record.node
            elif isinstance(record, Completed | Killed) and record.node in self._open:
                self._note_end(record)

    def _note_end(self, record: Completed | Killed) -> None:
        each = self._reservations[record.node]
        container = self._sizes.get(record.container)
        if container is not None:
            _ = each.ended.pop(record.container, None)
            each.ended[record.container] = container
            each.preempted = isinstance(record, Killed) and record.cause == "PREEMPTED"
            self._touched.add(record.node)

    def _lost(self) -> list[str]:
        return sorted(node for node in self._open if not self._is_held(self._reservations[node]))

    def _is_held(self, each: _Reservation) -> bool:
        reserved = each.node.reserved
        return reserved is not None and reserved.id[:2] == each.reserved.id[:2]

    def _why_lost(self, each: _Reservation) -> str:
        ahead, number = self._copying.result(), each.reserved.id[0]
        if number in ahead.over_ms:
            return "ended"
        return "given_elsewhere" if number in self._moved else "dropped"

    # Telling

    def _settle(self, each: _Reservation, outcome: str, time_ms: int) -> None:
        self._open.discard(each.node.id)
        self._touched.discard(each.node.id)
        last_first = list(reversed(each.ended.values())) if outcome in {"ends", "preempted"} else []
        ahead = self._copying.result()
        each.release = Release(outcome, time_ms, self._holders(last_first, ahead), ahead.from_ms)

    def _settle_for_ever(self) -> None:
        """Some whose nodes will not be freed, now that nothing is allocated any more."""
        ahead = self._copying.result()
        for node in sorted(self._open)[:NEVER_PIECE]:
            each = self._reservations[node]
            by = self._holders(each.node.containers.values(), ahead)
            most_first = tuple(sorted(by, key=lambda holder: -holder.size[0]))
            each.release = Release("never", None, most_first, ahead.from_ms)
            self._open.discard(node)

    def _holders(self, containers: Iterable[Container], ahead: Lookahead) -> tuple[NodeHolder, ...]:
        view = ahead.simulation.control_plane.view()
        found = grouped((container.id[0], container) for container in containers)
        return tuple(_holder(view, number, own) for number, own in found.items())


def _holder(view: ClusterView, number: int, own: Sequence[Container]) -> NodeHolder:
    known = view.application(number)
    size = (sum(one.memory_mb for one in own), sum(one.vcores for one in own))
    return NodeHolder(view.application_id(number), len(own), size, known is not None and known.waits)


FULL = (Reason.DOES_NOT_FIT, Reason.RESERVATION_LIMIT, Reason.QUEUE_WOULD_EXCEED_MAXIMUM)
"""Reasons on a node that go away when containers on it end."""

AM_LIMITS = (Reason.AM_SHARE_EXHAUSTED, Reason.USER_AM_SHARE_EXHAUSTED)  # Limits on application masters
OF_USERS = (Reason.USER_OVER_LIMIT, Reason.USER_AM_SHARE_EXHAUSTED)  # Limits on what one user has in a queue

LIMITS = (Reason.QUEUE_OVER_MAXIMUM, Reason.QUEUE_NOT_RUNNING_IT, *AM_LIMITS, *OF_USERS)
"""Reasons that go away when others in the queue, or of the user, release something or end."""

WAITS_PIECE: Final = 5_000  # Containers looked at in one piece, about
STEPS: Final = 2_000  # Steps along the graph in one piece


class BlockingResources(NamedTuple):
    """The resources one application holds that another one needs."""

    application: int
    because: Reason  # The first reason that led to it
    containers: tuple[ContainerId, ...]
    memory_mb: int
    vcores: int
    reservations: tuple[str, ...]  # Ids of nodes reserved for it
    nodes: tuple[str, ...]  # Ids of the nodes its containers are on


class WaitEdge(NamedTuple):
    """One step of a chain: `application` waits for what `holder` holds."""

    application: int
    holder: int
    because: Reason
    node: str  # One node it is about; empty when it is about a queue


class Holders:
    """Collects holds, by application, in the order they are met."""

    def __init__(self) -> None:
        self._because: dict[int, Reason] = {}
        self._containers: dict[int, dict[ContainerId, Container]] = {}
        self._reserved: dict[int, dict[str, None]] = {}

    def reserves(self, held: Container, because: Reason) -> None:
        """A node is reserved by somebody."""
        self._because.setdefault(held.id[0], because)
        self._reserved.setdefault(held.id[0], {})[held.node.id] = None

    def holds(self, containers: Iterable[Container], because: Reason) -> None:
        for container in containers:
            self._because.setdefault(container.id[0], because)
            self._containers.setdefault(container.id[0], {})[container.id] = container

    def found(self) -> list[BlockingResources]:
        """All holders, sorted by the nodes on which they are in the way, then by memory, most first."""
        return sorted((self._hold(number) for number in self._because), key=weight)

    def _hold(self, number: int) -> BlockingResources:
        held = self._containers.get(number, {}).values()
        memory_mb, vcores = sum([one.memory_mb for one in held]), sum([one.vcores for one in held])
        nodes = tuple(dict.fromkeys([one.node.id for one in held]))
        reservations = tuple(self._reserved.get(number, ()))
        ids = tuple([one.id for one in held])
        return BlockingResources(number, self._because[number], ids, memory_mb, vcores, reservations, nodes)


def holders(
    scheduler: YarnScheduler, attempt: Attempt, found: AttemptObstacles
) -> Incremental[list[BlockingResources]]:
    """Return the holders of what an attempt needs, in the way on most nodes first, then by memory."""
    collected, looked_at = Holders(), 0
    for limit in limits_in(found):
        for other in _in_the_limit(scheduler, attempt, limit):
            collected.holds(_charged(other, limit.reason), limit.reason)
    for node, obstacle in found.on_nodes:
        held = node.reserved
        if obstacle.reason is Reason.NODE_RESERVED and held is not None:
            if held.attempt is not attempt:  # else it is reserved for another ask of its own
                collected.reserves(held, obstacle.reason)
        elif is_full(obstacle):
            # Containers of an application that has ended go with the node's next heartbeat.
            live = scheduler.cluster.applications
            collected.holds([one for one in node.containers.values() if one.id[0] in live], obstacle.reason)
            looked_at += len(node.containers)
            if looked_at >= WAITS_PIECE:
                looked_at = 0
                yield
    return collected.found()


def is_full(obstacle: Obstacle) -> bool:
    """Tell whether what runs on a node is in the way there; not where there is room, and only a queue's maximum is."""
    if obstacle.reason is Reason.QUEUE_WOULD_EXCEED_MAXIMUM and obstacle.numbers:
        wanted_mb, free_mb, wanted_vcores, free_vcores = obstacle.numbers
        return wanted_mb > free_mb or wanted_vcores > free_vcores
    return obstacle.reason in FULL


def limits_in(found: AttemptObstacles) -> list[Obstacle]:
    """The limits among some obstacles, each once: the queue's first, then limits for which nodes are refused."""
    known: dict[tuple[Reason, str], Obstacle] = {}
    for obstacle in (found.in_queue, *(each for _, each in found.on_nodes)):
        if obstacle is None:
            continue
        if obstacle.reason in LIMITS or (obstacle.reason in FULL and not is_full(obstacle)):
            known.setdefault((obstacle.reason, obstacle.subject), obstacle)
    return list(known.values())


def weight(hold: BlockingResources) -> tuple[int, int, int]:
    """Sort key: in the way on most nodes first, then most memory."""
    return (-len(hold.reservations) - len(hold.nodes), -hold.memory_mb, hold.application)


def _in_the_limit(scheduler: YarnScheduler, attempt: Attempt, obstacle: Obstacle) -> list[Attempt]:
    subject, is_user = subject_of(obstacle, attempt)
    attempts = [other.attempt for other in scheduler.cluster.applications.values() if other.attempt is not None]
    if is_user:
        return [other for other in attempts if other.user == subject and other.live]
    if obstacle.reason in OF_USERS:
        path = attempt.queue.path
        return [other for other in attempts if other.user == subject and other.queue.path == path and other.live]
    return [other for other in attempts if other.live and is_under(other.queue.path, subject)]


def _charged(other: Attempt, reason: Reason) -> Iterable[Container]:
    """Return the containers that count against a limit; only masters count against a limit on application masters."""
    if reason not in AM_LIMITS:
        return other.live.values()
    return [other.live[other.master]] if other.master in other.live else []


class WaitForGraph:
    """The graph of waits at one instant, read only as far as it is followed."""

    def __init__(self, ask: Callable[[int], Incremental[list[BlockingResources]]]) -> None:
        """Begin; `ask` returns the holders of what an application (by number) waits for, empty if it does not wait."""
        self._ask = ask
        self._holds: dict[int, list[BlockingResources]] = {}

    def of(self, number: int) -> Incremental[list[BlockingResources]]:
        """Return the holders of what an application waits for; empty when it waits for nothing."""
        if number not in self._holds:
            self._holds[number] = yield from self._ask(number)
        return self._holds[number]

    def keeps(self, number: int) -> None:
        """From now on an application counts as waiting for nothing: it keeps what it has whatever it is given."""
        self._holds[number] = []

    def cycle_from(self, number: int) -> Incremental[list[WaitEdge]]:
        """The steps of a cycle that an application is part of or leads to; empty when there is none."""
        path: list[WaitEdge] = []
        places = {number: 0}
        done: set[int] = set()
        branches = [iter((yield from self.of(number)))]
        steps = 0
        while branches:
            steps += 1
            if steps % STEPS == 0:
                yield
            hold = next(branches[-1], None)
            here = path[-1].holder if path else number
            if hold is None:
                branches.pop()
                done.add(here)
                if path:
                    path.pop()
                continue
            if hold.application == here or hold.application in done:
                continue
            step = WaitEdge(here, hold.application, hold.because, next(iter(hold.reservations or hold.nodes), ""))
            if hold.application in places:
                return [*path[places[hold.application] :], step]
            path.append(step)
            places[hold.application] = len(path)
            branches.append(iter((yield from self.of(hold.application))))
        return []

    def ends_of(self, number: int, is_end: Callable[[int], bool]) -> Incremental[list[int]]:
        """Holders reached from an application for which `is_end` says yes, nearest first."""
        seen, queue, ends = {number: None}, [number], []
        for here in queue:
            yield
            for hold in (yield from self.of(here)):
                if hold.application in seen:
                    continue
                seen[hold.application] = None
                queue.append(hold.application)
                if is_end(hold.application):
                    ends.append(hold.application)
        return ends
