"""Finds what a cluster's applications hold: as the source names it, else inferred from its totals."""

from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from statistics import median_low
from typing import Final, NamedTuple

import msgspec

from engine.explain.remedy import exact_amounts
from engine.grouping import grouped
from engine.live.inference import fits, inferred_reservations
from engine.live.yarn_poll import UP
from engine.model.identity import container_of_name
from engine.model.request import YARN_DIMENSIONS
from engine.observe.snapshot import (
    SOME_NODE,
    UNKNOWN,
    Amounts,
    ApplicationRow,
    ContainerRow,
    NodeRow,
    ReservationRow,
    Snapshot,
    Unknown,
    known,
)
from engine.scenario import Assumption, Size
from engine.settings.fair import FAIR_27, INCREMENT_MB
from engine.settings.site import MAXIMA, MINIMUM_MB

# Which containers run where, application by application.

LEAST_AM: Final = (1024, 1)  # A master's container where nothing is known of it
NAME: Final = "name"  # The closest kind of applications: those of one name
LIVE: Final = frozenset({"ALLOCATED", "ACQUIRED", "RUNNING"})  # States of a container that its application holds


class HeldContainers(msgspec.Struct, frozen=True):
    """Alike containers of one application on one node."""

    node: str  # `host:port`
    size: Amounts
    count: int
    priority: int | None  # None where it is not known
    is_am: bool
    since_ms: int | None  # When they were allocated [epoch ms]; None where it is not known
    remaining_ms: int | None | Unknown = UNKNOWN  # How long each will run; None for ever
    attempt: int = 1  # The number of the application's attempt


class UnseenAsk(NamedTuple):
    """The first ask of an application that has not begun."""

    size: Amounts
    number: int
    duration_ms: int | None = None  # None where nothing tells


HeldByApplication = Mapping[str, Sequence[HeldContainers]]  # Id of an application → what it holds


def _named_holdings(snapshot: Snapshot, known_ms: Mapping[str, int | None]) -> HeldByApplication | None:
    # In order of allocation; None where the source does not name containers. `known_ms` has how long each will run
    if "containers" not in snapshot.sections or "containers" in snapshot.header.inferred:
        return None
    found = grouped(
        (row.application, _holding(row, known_ms.get(row.id, UNKNOWN)))
        for row in sorted(snapshot.containers(), key=lambda row: row.id)
        if row.state in LIVE
    )
    return {name: _together(held) for name, held in found.items()}


def _holding(row: ContainerRow, remaining_ms: int | None | Unknown) -> HeldContainers:
    named = container_of_name(row.id)
    since_ms, priority = known(row.since_ms), known(row.priority)
    return HeldContainers(
        row.node, row.size, 1, priority, row.is_am, since_ms, remaining_ms, 1 if named is None else named[1]
    )


def _together(held: Sequence[HeldContainers]) -> Sequence[HeldContainers]:
    groups: list[HeldContainers] = []
    for each in held:
        if groups and msgspec.structs.replace(groups[-1], count=1) == each:
            groups[-1] = msgspec.structs.replace(each, count=groups[-1].count + 1)
        else:
            groups.append(each)
    return groups


def reserved_priorities(snapshot: Snapshot) -> Mapping[str, int]:
    """Reserved node (`host:port`) → the priority of the ask it is reserved for, where the source says."""
    reserved = [row for row in snapshot.containers() if row.state == "RESERVED"]
    return {row.node: row.priority for row in reserved if not isinstance(row.priority, Unknown)}


def unseen_asks(rows: Sequence[ApplicationRow], holdings: HeldByApplication) -> Mapping[str, UnseenAsk]:
    """Application that has not begun → what it will ask for.

    It is what a running application holds and asks for: one of the same name (digits aside), else of the same type and
    queue, else of the same type; of several the one in the middle. Else it is one container as large as the master.
    """
    begun: dict[tuple[str, ...], list[tuple[int, Amounts]]] = {}
    for row in rows:
        parts = [(each.count, each.size) for each in holdings.get(row.id, ()) if not each.is_am]
        parts += [(ask.count, ask.size) for ask in row.listed_asks]
        if row.state == "RUNNING" and parts:
            for kind in kinds_of(row):
                begun.setdefault(kind, []).append((sum(count for count, _ in parts), max(parts)[1]))
    found = {}
    for row in rows:
        master = row.listed_asks[0].size if row.listed_asks else LEAST_AM
        alike = next((begun[kind] for kind in kinds_of(row) if kind in begun), [(1, master)])
        if row.state != "RUNNING":
            number, size = median_low(alike)
            found[row.id] = UnseenAsk(size, number)
    return found


def kinds_of(row: ApplicationRow) -> tuple[tuple[str, ...], ...]:
    """Return what it is like, the closest first: its name, its type and queue, its type.

    Digits of a name count for nothing, as jobs that come again and again are numbered.
    """
    stem = "".join(letter for letter in row.name if not letter.isdigit())
    return (NAME, stem), ("queue", row.type, row.queue), ("type", row.type)


# Which containers run where, inferred where a source has totals only: of nodes, and of applications.
#
# A ResourceManager's REST interface counts containers and sums amounts, node by node and application by application.
# Sizes are guessed first (a master, and others alike), then placed, the largest first where most is not explained yet;
# at last amounts are shifted between containers of one application until the sums of nodes are right. So what each
# node has free and what each application and queue uses are the cluster's; a single container may be another's.

LEAST: Final = (1, 0)  # Below this nothing is taken from a container when amounts are shifted


class _Piece:
    __slots__ = ("application", "is_am", "node", "size")

    def __init__(self, application: str, size: Amounts, *, is_am: bool) -> None:
        self.application = application
        self.size = list(size)
        self.is_am = is_am
        self.node = ""


class InferredHoldings:
    """Infers holdings of applications from totals."""

    def __init__(self, nodes: Sequence[NodeRow], applications: Sequence[ApplicationRow], steps: Amounts) -> None:
        """Infer it. Sizes are multiples of `steps`, in each dimension."""
        self._left = {node.id: list(node.used) for node in nodes}  # node → what no container placed so far explains
        self._pieces = [piece for row in applications for piece in _pieces(row, steps)]
        if nodes:
            self._place({node.id: node.containers for node in nodes})
            for dimension in range(len(LEAST)):
                self._shift(dimension)
        self.unexplained_mb = sum(abs(left[0]) for left in self._left.values())
        """What nodes use more or less than the containers placed on them [MB]."""

    def by_application(self) -> Mapping[str, Sequence[HeldContainers]]:
        found: dict[str, dict[tuple[bool, str, Amounts], int]] = {}
        for piece in self._pieces:
            if piece.node:
                held = found.setdefault(piece.application, {})
                key = (piece.is_am, piece.node, tuple(piece.size))
                held[key] = held.get(key, 0) + 1
        return {
            name: [HeldContainers(node, size, count, None, is_am, None) for (is_am, node, size), count in held.items()]
            for name, held in found.items()
        }

    def _place(self, counts: dict[str, int]) -> None:
        """Put each container, the largest first, where most memory is not explained yet and a container is missing."""
        heap = [(-left[0], node) for node, left in self._left.items() if counts[node] > 0]
        heapify(heap)
        for piece in sorted(self._pieces, key=lambda piece: piece.size, reverse=True):
            if not heap:  # nodes and applications were asked at different instants
                return
            _, piece.node = heappop(heap)
            left = self._left[piece.node]
            for dimension, amount in enumerate(piece.size):
                left[dimension] -= amount
            counts[piece.node] -= 1
            if counts[piece.node]:
                heappush(heap, (-left[0], piece.node))

    def _shift(self, dimension: int) -> None:
        """Make containers on nodes that use more larger, and others of the same application smaller."""
        left = self._left
        larger = grouped(
            (piece.application, piece) for piece in self._pieces if piece.node and left[piece.node][dimension] > 0
        )
        for piece in self._pieces:
            others = larger.get(piece.application, [])
            while piece.node and others and left[piece.node][dimension] < 0:
                other = others[-1]
                missing, room = left[other.node][dimension], piece.size[dimension] - LEAST[dimension]
                amount = min(missing, -left[piece.node][dimension], room)
                if amount <= 0 and room <= 0:
                    break
                if amount <= 0:
                    others.pop()
                    continue
                piece.size[dimension] -= amount
                other.size[dimension] += amount
                left[piece.node][dimension] += amount
                left[other.node][dimension] -= amount


def _pieces(row: ApplicationRow, steps: Amounts) -> Iterator[_Piece]:
    """The containers of an application: a master as small as can be, and others alike."""
    others = row.containers - 1
    if others < 0:
        return
    size = _usual_size(row, others, steps) if others else row.used
    for _ in range(others):
        yield _Piece(row.id, size, is_am=False)
    master = tuple(used - others * each for used, each in zip(row.used, size, strict=True)) if others else row.used
    yield _Piece(row.id, master, is_am=True)


def _usual_size(row: ApplicationRow, others: int, steps: Amounts) -> Amounts:
    # What it still asks for if possible, else the largest multiple of `steps` that leaves one for the master, and no
    # less than the master has
    for ask in row.listed_asks:
        rest = [used - others * each for used, each in zip(row.used, ask.size, strict=True)]
        if rest[0] >= steps[0] and rest[1] >= steps[1] and rest[0] <= 2 * ask.size[0]:
            return ask.size
    return tuple(
        max((used - step) // others // step * step, used // (others + 1))
        for used, step in zip(row.used, steps, strict=True)
    )


# How large the containers are for which nodes are reserved, where no source says it: what follows from the record.
#
# A node is reserved for a container that it has no room for. So a container is larger than what each of its nodes has
# free, and no larger than the largest node. One that the application holds is a better guess, if it fits on none of
# them.

ONE_VCORE: Final = 1


def _with_sizes(
    rows: Sequence[ReservationRow],
    applications: Sequence[ApplicationRow],
    held: HeldByApplication,
    nodes: Sequence[NodeRow],
    settings: Mapping[str, str],
) -> tuple[Sequence[ReservationRow], list[Assumption]]:
    # That of the ask it is for, else the least that follows from the record.
    by_id = {row.id: row for row in applications}
    asked = [_as_asked(row, by_id.get(row.application)) for row in rows]
    unknown = grouped((row.application, row) for row in asked if isinstance(row.size, Unknown))
    least: dict[str, Amounts] = {}
    assumed, steps = [], steps_of(settings)
    # Limits on masters keep those that have not begun from being much larger than the largest that is there.
    master = max((each.size for some in held.values() for each in some if each.is_am), default=LEAST_AM)
    for name, reserved in unknown.items():
        own = sorted({each.size for each in held.get(name, ()) if not each.is_am})
        fitting = next((size for size in own if not any(fits(size, row.free) for row in reserved)), None)
        least[name] = fitting or _least(reserved, own, steps)
        most = master if by_id[name].state != "RUNNING" else _largest(reserved, nodes, settings)
        assumed.append(_assumption(name, reserved, least[name], most))
    found = [
        msgspec.structs.replace(row, size=least[row.application]) if isinstance(row.size, Unknown) else row
        for row in asked
    ]
    return found, assumed


def _as_asked(row: ReservationRow, application: ApplicationRow | None) -> ReservationRow:
    """A reservation of unknown size with that of the first ask that the node has no room for."""
    sizes = [ask.size for ask in application.listed_asks] if application is not None else []
    if not isinstance(row.size, Unknown) or not sizes:
        return row
    return msgspec.structs.replace(row, size=next((size for size in sizes if not fits(size, row.free)), sizes[0]))


def _least(reserved: Sequence[ReservationRow], own: Sequence[Amounts], steps: Amounts) -> Amounts:
    """The smallest container that none of the nodes has room for; one of usual vcores, so that memory is short."""
    memory_mb, vcores = own[0] if own else (LEAST_AM[0], ONE_VCORE)
    free_mb = [row.free[0] for row in reserved if row.free[1] >= vcores]
    beyond_mb = (max(free_mb) // steps[0] + 1) * steps[0] if free_mb else 0
    return max(memory_mb, beyond_mb), vcores


def _assumption(name: str, reserved: Sequence[ReservationRow], least: Amounts, most: Amounts) -> Assumption:
    nodes = "1 node is" if len(reserved) == 1 else f"{len(reserved)} nodes are"
    free = exact_amounts(max(row.free for row in reserved), YARN_DIMENSIONS) or "nothing"
    return Assumption(
        what="sizes",
        sentence=f"{nodes} reserved for {name.rpartition('_')[2]} for a container of "
        f"{exact_amounts(least, YARN_DIMENSIONS)}: how large it is is not said, and the freest has {free} free",
        applications=(name,),
        least=Size(memory_mb=least[0], vcores=least[1]),
        most=Size(memory_mb=max(least[0], most[0]), vcores=least[1]),
    )


def _largest(reserved: Sequence[ReservationRow], nodes: Sequence[NodeRow], settings: Mapping[str, str]) -> Amounts:
    held = {row.node for row in reserved}
    totals = [node.total for node in nodes if node.id in held]
    largest = tuple(max((total[place] for total in totals), default=0) for place in range(len(YARN_DIMENSIONS)))
    said = [settings.get(key.name, "").strip() for key in MAXIMA]
    return tuple(min(int(words), most) if words.isdigit() else most for words, most in zip(said, largest, strict=True))


def covering(settings: Mapping[str, str], rows: Sequence[ReservationRow]) -> Mapping[str, str]:
    """Settings under which what is reserved may be asked for, as the record shows that it was."""
    raised = dict(settings)
    for place, key in enumerate(MAXIMA):
        largest = max((row.size[place] for row in rows if isinstance(row.size, tuple)), default=0)
        said = settings.get(key.name, "").strip()
        if said.isdigit() and int(said) < largest:
            raised[key.name] = str(largest)
    return raised


class ClusterHoldings(NamedTuple):
    containers: HeldByApplication
    reservations: Sequence[ReservationRow]
    assumed: tuple[Assumption, ...]


def holdings_of(
    snapshot: Snapshot, rows: Sequence[ApplicationRow], settings: Mapping[str, str], known_ms: Mapping[str, int | None]
) -> ClusterHoldings:
    """Return what applications hold, as the source names it, else as its totals let one conclude."""
    up = [node for node in snapshot.nodes() if node.state in UP]
    named = _named_holdings(snapshot, known_ms)
    assumed = []
    if named is None:
        inferred = InferredHoldings(up, rows, steps_of(settings))
        named = inferred.by_application()
        words = "containers are not named: sizes and places are inferred from the totals of applications and nodes, "
        words += "and they are taken to be as old as their application"
        if inferred.unexplained_mb:
            words += f"; nodes use {inferred.unexplained_mb} MB more or less than is placed on them"
        assumed.append(Assumption(what="places", sentence=words))
    reservations, count = snapshot.reservations(), snapshot.header.nodes_reserved
    if (not reservations and count not in (0, UNKNOWN)) or "reservations" in snapshot.header.inferred:
        found = inferred_reservations(snapshot.header, up, rows, snapshot.queues())
        reservations = found.rows or [row for row in reservations if row.node != SOME_NODE]
        holders = by_application(reservations)
        guessed = {name: "" if name in found.certain else "perhaps " for name in holders}
        held = ", ".join(f"{guessed[name]}{len(rows)} for {name}" for name, rows in holders.items())
        words = f"which application reserves which node is inferred from sums ({held or 'none found'})"
        if found.unsure:
            words += f"; which of {len(found.unsure)} equal nodes each of them reserves is a guess"
        assumed.append(Assumption(what="reservations", sentence=words, applications=tuple(holders)))
    if isinstance(count, int) and count > len(reservations):
        more = count - len(reservations)
        nodes = "1 node is" if more == 1 else f"{more} nodes are"
        assumed.append(
            Assumption(what="holders", sentence=f"{nodes} reserved for an unknown application, and played as free")
        )
    reservations, sizes = _with_sizes(reservations, rows, named, up, settings)
    return ClusterHoldings(named, reservations, (*assumed, *sizes))


def steps_of(settings: Mapping[str, str]) -> Amounts:
    """Return what sizes of containers are multiples of."""
    number = settings.get(INCREMENT_MB.name, settings.get(MINIMUM_MB.name, "")).strip()
    return (int(number) if number.isdigit() and int(number) else FAIR_27.default(INCREMENT_MB), 1)


def by_application(reservations: Sequence[ReservationRow]) -> Mapping[str, Sequence[ReservationRow]]:
    return grouped((row.application, row) for row in reservations)
