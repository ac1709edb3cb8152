"""Finds who could free a reserved node, and when: containers whose end makes room for it, in a closed world.

The closed world is played ahead in pieces until every reservation is settled: its node has room, it is dropped, or
nothing is allocated any more. Whoever asks may stop before that; what is not settled by then happens later, or never.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from engine.control_plane.cluster_view import ClusterView
from engine.explain.lookahead import Ahead
from engine.incremental import Incremental, Task
from engine.model.decision import Allocated, Completed, ContainerId, Killed
from engine.model.ledger import Container, Node
from engine.observe.releases import Held
from engine.observe.snapshot import NodeHolder, Release
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation

PIECE: Final = 500
"""Reservations looked at in one piece."""
NEVER_PIECE: Final = 50
"""Reservations that are never met and are reported in one piece, with everybody on the node."""


class _Reservation:
    """A reserved node at the instant asked about, and what became of it."""

    __slots__ = ("ended", "held", "node", "preempted", "release", "reserved")

    def __init__(self, node: Node, reserved: Container) -> None:
        self.node, self.reserved = node, reserved
        self.held: Held = (node.id, reserved.id)
        self.ended: dict[ContainerId, Container] = {}
        """Containers on the node that ended since, in that order."""
        self.preempted = False
        """True if the last of them was preempted."""
        self.release: Release | None = None

    @property
    def has_room(self) -> bool:
        """Tell whether it fits."""
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

    def _copy(self, simulation: Simulation) -> Incremental[Ahead]:
        ahead = Ahead((yield from simulation.forking(closed=True)), is_own=True)
        for count, reserved in enumerate(ahead.simulation.control_plane.view().reservations()):
            self._write_down(reserved.node, reserved, ahead)
            if count % PIECE == PIECE - 1:
                yield
        ahead.simulation.listeners.append(self)
        return ahead

    def _write_down(self, node: Node, reserved: Container, ahead: Ahead) -> None:
        each = self._reservations[node.id] = _Reservation(node, reserved)
        self._sizes.update(node.containers)
        if each.has_room:
            each.release = Release("fits", from_ms=ahead.from_ms)
        else:
            self._open.add(node.id)

    # What happens in the closed world

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Note who ended on the nodes, then look which of them have room."""
        given = dict(self._note(records))
        for node in [*given, *sorted(self._touched & self._open)]:
            each = self._reservations[node]
            if node in given or each.has_room:
                self._settle(each, "preempted" if each.preempted else "ends", time_ms)
        for node in self._lost():
            each = self._reservations[node]
            self._settle(each, self._why_lost(each), time_ms)

    def _note(self, records: Iterable[Record]) -> Iterator[tuple[str, None]]:
        """The nodes where what was reserved is allocated."""
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
        """Nodes that are not reserved for the same application any more."""
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
        """Some of those whose nodes nobody will free, now that nothing is allocated any more."""
        ahead = self._copying.result()
        for node in sorted(self._open)[:NEVER_PIECE]:
            each = self._reservations[node]
            by = self._holders(each.node.containers.values(), ahead)
            most_first = tuple(sorted(by, key=lambda holder: -holder.size[0]))
            each.release = Release("never", None, most_first, ahead.from_ms)
            self._open.discard(node)

    def _holders(self, containers: Iterable[Container], ahead: Ahead) -> tuple[NodeHolder, ...]:
        """Return the owners of containers, in their order."""
        view = ahead.simulation.control_plane.view()
        found: dict[int, list[Container]] = {}
        for container in containers:
            found.setdefault(container.id[0], []).append(container)
        return tuple(_holder(view, number, own) for number, own in found.items())


def _holder(view: ClusterView, number: int, own: Sequence[Container]) -> NodeHolder:
    known = view.application(number)
    size = (sum(one.memory_mb for one in own), sum(one.vcores for one in own))
    return NodeHolder(view.application_id(number), len(own), size, known is not None and known.waits)
