"""Infers why applications of a live cluster wait, a sentence each, as far as its server's answers allow."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from itertools import chain, combinations
from typing import Final, NamedTuple

import msgspec

from engine.model.lifecycle import FINAL_APPLICATION_STATES, still_live
from engine.model.request import upwards
from engine.observe.documents import FixedSnapshot
from engine.observe.obstacles import NodeTally
from engine.observe.snapshot import (
    Amounts,
    ApplicationRow,
    AskRow,
    CapacityQueueRow,
    Header,
    NodeRow,
    ObstacleSummary,
    QueueRow,
    ReservationRow,
    Snapshot,
    Unknown,
    missing,
    summed,
)
from engine.schedulers.obstacle_texts import Obstacle, Reason, answer_of, part_of, short_id

# Finds what stands in the way of a live cluster's applications, in queues and on nodes, and how sure that is.
#
# The model's own words are used. `known` is what the server or its log says, or follows from its numbers whatever the
# scheduler counts; `inferred` what follows only if the scheduler counts as the model does; `unknown` what is stated
# nowhere.

COUNTS_VCORES: Final = "FairScheduler"
"""The scheduler that never gives more vcores than a node has; the others may count memory alone."""

HAS_PARTITIONS: Final = "CapacityScheduler"

OTHERS: Final = "others"  # Stands for the holder of a reserved node, where none is named
KNOWN, INFERRED, UNSAID = "known", "inferred", "unknown"  # How sure a reason is
UNKNOWN_ASK: Final = "UNKNOWN_ASK"  # Code of an obstacle: the ask is not known, so its obstacle is not either


class RatedObstacle(NamedTuple):
    """An obstacle, and how sure it is."""

    obstacle: Obstacle
    certainty: str


class LiveObstacleFinder:
    """The nodes and queues of one snapshot, as obstacles are looked for in them."""

    def __init__(self, snapshot: Snapshot) -> None:
        header = snapshot.header
        self.nodes = [node for node in snapshot.nodes() if node.state == "RUNNING"]  # nodes that may be given something
        self._holders_are = INFERRED if "nodes" in header.inferred else KNOWN
        self._queues = {queue.path: queue for queue in snapshot.queues()}
        self._has_partitions = header.scheduler.startswith(HAS_PARTITIONS)
        self._total = header.total
        self._parts = 2 if header.scheduler.startswith(COUNTS_VCORES) else 1
        self.are_some_reserved = header.nodes_reserved != 0  # whether the server counts reservations
        self._are_all_reserved = header.nodes_reserved == header.nodes and header.nodes > 0
        holders, named = holders_of(snapshot), len(snapshot.reservations())
        self._only_holder = holders[0] if len(holders) == 1 and named in {0, header.nodes_reserved} else ""
        self._are_some_named = named > 0
        self.holders = frozenset({*holders, *(node.reserved_by for node in self.nodes)})
        """Applications that hold nodes, as far as they can be concluded."""
        self._users: dict[tuple[str, str], int] = {}  # (queue, user) → memory that the user has there [MB]
        self._wanted: dict[str, int] = {}
        """Application that holds nodes → memory of its largest ask, which it holds them for [MB]."""
        for row in snapshot.applications(why=False):
            key = row.queue, row.user
            self._users[key] = self._users.get(key, 0) + row.used[0]
            if row.id in self.holders and isinstance(row.asks, tuple):
                self._wanted[row.id] = max((ask.size[0] for ask in row.asks), default=0)

    def at(self, node: str) -> "LiveObstacleFinder":
        found = copy(self)
        found.nodes = [each for each in self.nodes if each.id == node]
        return found

    def in_queues(self, row: ApplicationRow, ask: AskRow) -> Iterator[RatedObstacle]:
        """Limits that an ask would exceed, from the leaf up; all of them are inferred."""
        leaf = self._queues.get(row.queue)
        for path in upwards(row.queue):
            queue = self._queues.get(path)
            counts_reserved = isinstance(queue, CapacityQueueRow) and row.id in self.holders  # its own, as used
            if queue is not None and not counts_reserved:
                yield from self._over_maximum(queue, ask)
        if isinstance(leaf, CapacityQueueRow):
            yield from self._over_limits(leaf, row, ask)

    def on_node(self, asker: str, ask: AskRow, node: NodeRow) -> RatedObstacle | None:
        """What a node says to an ask; None: it has room. `asker` is empty unless it may hold the node itself."""
        size = ask.size
        if not _may_run_on(ask, node):
            return RatedObstacle(Obstacle(Reason.LOCALITY_NOT_RELAXED), KNOWN)
        if self._has_partitions and node.partition:
            return RatedObstacle(Obstacle(Reason.NOT_IN_PARTITION), INFERRED)
        if not self._fits(size, node.total):
            return RatedObstacle(Obstacle(Reason.NODE_TOO_SMALL, self._numbers(size, node.total)), KNOWN)
        if not self._fits(size, node.free):
            return RatedObstacle(Obstacle(Reason.DOES_NOT_FIT, self._numbers(size, node.free)), KNOWN)
        return self._held(asker, node)

    def of_unknown_ask(self, asker: str) -> tuple[RatedObstacle, str]:
        """Return the obstacle of an application's ask of an unknown size, and it in a sentence."""
        if not self._are_all_reserved or asker in self.holders:
            return RatedObstacle(Obstacle(Reason.OTHER_FIRST), UNSAID), "what it asks for is not known"
        count, holder = len(self.nodes), self._only_holder
        by = f" for {short_id(holder)}" if holder else ""
        words = f"{part_of(count, count)} {'is' if count == 1 else 'are'} reserved{by}"
        return RatedObstacle(Obstacle(Reason.NODE_RESERVED, (), holder), INFERRED), words

    def _held(self, asker: str, node: NodeRow) -> RatedObstacle | None:
        holder = node.reserved_by
        if isinstance(holder, str):
            return None if holder == asker else RatedObstacle(self._reserved(node, holder), self._holders_are)
        if self._are_all_reserved and self._only_holder:
            return (
                None if self._only_holder == asker else RatedObstacle(self._reserved(node, self._only_holder), INFERRED)
            )
        is_unsaid = self._are_some_named and isinstance(holder, Unknown)
        if self._are_all_reserved and is_unsaid and not asker:
            return RatedObstacle(Obstacle(Reason.NODE_RESERVED, (), OTHERS), INFERRED)
        return None

    def _reserved(self, node: NodeRow, holder: str) -> Obstacle:
        return Obstacle(Reason.NODE_RESERVED, (self._wanted.get(holder, 0), node.free[0]), holder)

    def _over_maximum(self, queue: QueueRow, ask: AskRow) -> Iterator[RatedObstacle]:
        if isinstance(queue, CapacityQueueRow) and not queue.depth:
            return  # the root's maximum is the partition itself
        partitions = queue.partitions if isinstance(queue, CapacityQueueRow) else ()
        default = next((each for each in partitions if not each.label), None)
        used, most = (queue.used, queue.max_share) if default is None else (default.used, default.limit)
        is_limit = isinstance(most, tuple) and not self._fits(self._total, most)  # one of that size limits nothing now
        if isinstance(most, tuple) and is_limit and not self._fits(summed((used, ask.size)), most):
            numbers = self._numbers(used, most, ask.size)
            yield RatedObstacle(Obstacle(Reason.QUEUE_OVER_MAXIMUM, numbers, queue.path), INFERRED)

    def _over_limits(self, queue: CapacityQueueRow, row: ApplicationRow, ask: AskRow) -> Iterator[RatedObstacle]:
        used, limit = queue.am_used, queue.am_limit
        if row.state == "ACCEPTED" and used and limit and used[0] + ask.size[0] > limit[0]:
            numbers = self._numbers(used, limit, ask.size)
            yield RatedObstacle(Obstacle(Reason.AM_SHARE_EXHAUSTED, numbers, queue.path), INFERRED)
        most, has_mb = queue.user_limit, self._users[row.queue, row.user]
        if isinstance(most, tuple) and most[0] and has_mb > most[0]:  # a server says 0 until it has computed a limit
            yield RatedObstacle(Obstacle(Reason.USER_OVER_LIMIT, (has_mb, most[0]), row.user), INFERRED)

    def _fits(self, wanted: Amounts, there: Amounts) -> bool:
        return fits(wanted[: self._parts], there[: self._parts])

    def _numbers(self, *amounts: Amounts) -> tuple[int, ...]:
        return tuple(chain.from_iterable(zip(*(each[: self._parts] for each in amounts), strict=True)))


def _may_run_on(ask: AskRow, node: NodeRow) -> bool:
    """Tell whether an ask does not insist on other hosts and racks."""
    return ask.relax_locality or not ask.places or not {node.host, node.rack, node.id}.isdisjoint(ask.places)


def holders_of(snapshot: Snapshot) -> tuple[str, ...]:
    """The holders of reservations, as the server or its log says; else inferred: those that no node has room for."""
    reserved = snapshot.header.nodes_reserved
    if isinstance(reserved, Unknown) or not reserved:
        return ()
    named = {row.application: None for row in snapshot.reservations()}
    rows = still_live(snapshot.applications(why=False))
    if not named:
        named = {row.id: None for row in rows if isinstance(row.reserved, tuple) and any(row.reserved)}
    if not named:
        nodes = [node for node in snapshot.nodes() if node.state == "RUNNING"]
        named = {row.id: None for row in rows if _fits_totals_only(row, nodes)}
    return tuple(named)


def _fits_totals_only(row: ApplicationRow, nodes: list[NodeRow]) -> bool:
    return any(
        any(node.total[0] >= ask.size[0] for node in nodes) and all(node.free[0] < ask.size[0] for node in nodes)
        for ask in row.listed_asks
    )


SAID: Final = "the ResourceManager says: "  # How a sentence of the server begins

_SAID_REASONS: Final = {
    "has reached the maximum limit of runnable applications": Reason.QUEUE_NOT_RUNNING_IT,
    "Queue's AM resource limit exceeded": Reason.AM_SHARE_EXHAUSTED,
    "User's AM resource limit exceeded": Reason.USER_AM_SHARE_EXHAUSTED,
    "exceeds maximum AM resource allowed": Reason.AM_SHARE_EXHAUSTED,
    "exceeds current queue or its parents maximum resource allowed": Reason.QUEUE_OVER_MAXIMUM,
    "exceeds the available resources of the node": Reason.DOES_NOT_FIT,
}
"""Part of what a server says of an application → the reason it is.

Source: FSAppAttempt, MaxRunningAppsEnforcer, CSAMContainerLaunchDiagnosticsConstants, 3.4.1.
"""


def with_obstacles(snapshot: FixedSnapshot) -> FixedSnapshot:
    """The same snapshot, in which applications that wait have an obstacle."""
    scene = LiveObstacleFinder(snapshot)
    known: dict[tuple[object, ...], ObstacleSummary] = {}
    """Sentences of asks that were looked at: many applications ask for the same."""
    rows = [_explained(row, scene, known) for row in snapshot.applications()]
    return snapshot.with_obstacles(rows)


def _explained(
    row: ApplicationRow, scene: LiveObstacleFinder, known: dict[tuple[object, ...], ObstacleSummary]
) -> ApplicationRow:
    """With the obstacle of its first ask in order of priority; the server's own words where it has any."""
    if waits_for_unknown(row):
        marked, words = scene.of_unknown_ask(row.id)
        code = UNKNOWN_ASK if marked.certainty == UNSAID else marked.obstacle.reason.name
        return msgspec.structs.replace(row, obstacle=ObstacleSummary(code, words, marked.certainty))
    if not waits(row) or isinstance(row.asks, Unknown):
        return row
    ask = row.asks[0]
    words = words_of_server(row)
    in_queue = None if words else next(scene.in_queues(row, ask), None)
    if words:
        found = ObstacleSummary(reason_said(words).name, SAID + words, KNOWN)
    elif in_queue is not None:
        found = ObstacleSummary(in_queue.obstacle.reason.name, answer_of(in_queue.obstacle), in_queue.certainty)
    elif not scene.nodes:
        found = ObstacleSummary(Reason.NO_NODE.name, "there is no node", KNOWN)
    else:
        asker = row.id if row.id in scene.holders else ""
        key = (ask.size, asker, () if ask.relax_locality else ask.places)
        found = known.get(key) or known.setdefault(key, _on_nodes(scene, asker, ask))
    return msgspec.structs.replace(row, obstacle=found)


def _on_nodes(scene: LiveObstacleFinder, asker: str, ask: AskRow) -> ObstacleSummary:
    """Return the obstacles of an ask on all nodes; `asker` is empty for one that holds nothing."""
    tally, certainty = NodeTally(), KNOWN
    for node in scene.nodes:
        found = scene.on_node(asker, ask, node)
        tally.add(node.host, None if found is None else found.obstacle)
        certainty = UNSAID if found is None else INFERRED if certainty == KNOWN != found.certainty else certainty
    return tally.sum_up(certainty)


def waits(row: ApplicationRow) -> bool:
    """Tell whether an application asks for something."""
    return row.state not in FINAL_APPLICATION_STATES and bool(row.listed_asks)


def waits_for_unknown(row: ApplicationRow) -> bool:
    """Tells whether an application waits for an ask of unknown size: its first container, or one it holds nodes for."""
    is_waiting = row.waiting_since_ms is not None or (row.state == "ACCEPTED" and not row.containers)
    return is_waiting and row.state not in FINAL_APPLICATION_STATES and isinstance(row.asks, Unknown)


def words_of_server(row: ApplicationRow) -> str:
    """Return what the server itself says of one that waits for its master; empty where it says nothing."""
    return said_of(row.diagnostics) if row.state == "ACCEPTED" else ""


def said_of(words: str) -> str:
    """A server's diagnostics without the date in brackets that 3.x begins with, and without the figures at the end."""
    text = " ".join(words.split())
    if text.startswith("["):
        text = text.partition("]")[2].strip() or text
    return text.partition(" Details :")[0].rstrip(". ")


def reason_said(words: str) -> Reason:
    """The reason that a server's diagnostics name; `OTHER_FIRST` where they name none that is known."""
    return next((reason for part, reason in _SAID_REASONS.items() if part in words), Reason.OTHER_FIRST)


# Which nodes are reserved for which application: as the source names them, else inferred.
#
# ResourceManager 2.7 says how many nodes are reserved and how much in all, 3.x how much for each application; which
# nodes these are stands in the log only. Inferred is: for asks that some node has no room for, so many that count and
# sums are met, on nodes that could hold them and have most free, as a reserved node is given nothing else. Where
# another node, or another holder of it, is as likely, that is said.

MOST_HOLDERS: Final = 3  # How many different asks hold reservations at most, where that is inferred from sums
MOST_FOR_THREE: Final = 100  # How many nodes are reserved at most where three asks are looked for
MOST_ASKS: Final = 12  # How many asks are looked at for that
ALIKE: Final = 2  # How many asks of one size in one queue are looked at: sums do not say which of them holds nodes


class _Wanted(NamedTuple):
    application: ApplicationRow
    ask: AskRow


class InferredReservations(NamedTuple):
    """Reservations that explain what a source says in sum."""

    rows: Sequence[ReservationRow]
    certain: frozenset[str]  # Applications whose part is the same in every explanation by as few asks
    unsure: frozenset[str] = frozenset()  # Nodes that may as well be another application's, or no one's


class _Explanation(NamedTuple):  # Asks that hold reservations, and how many each
    counts: Sequence[tuple[_Wanted, int]] = ()
    certain: frozenset[str] = frozenset()


def inferred_reservations(
    header: Header, nodes: Sequence[NodeRow], applications: Sequence[ApplicationRow], queues: Sequence[QueueRow]
) -> InferredReservations:
    """Reservations that meet in sum what the header says, and some `queues` of what is reserved in them."""
    count = header.nodes_held
    if not count:
        return InferredReservations((), frozenset())
    choices = _Choices(nodes)
    found = _by_application(applications)
    if not found.counts:
        in_queues = {row.path: row.reserved for row in queues if row.is_leaf and isinstance(row.reserved, tuple)}
        some = [row for row in applications if any(in_queues.get(row.queue, (1,)))]
        found = _by_sums(header, count, _candidates(choices, some), in_queues)
    if not found.counts:  # what a server says of queues may be ten seconds old
        found = _by_sums(header, count, _candidates(choices, applications), {})
    rows = list(_placed(found.counts, choices, header.time_ms))
    return InferredReservations(rows, found.certain, _unsure(rows, found.counts, choices))


class _Choices:  # Asks that are alike are looked at once
    def __init__(self, nodes: Sequence[NodeRow]) -> None:
        self._nodes = nodes
        self._known: dict[tuple[object, ...], list[NodeRow]] = {}

    def of(self, ask: AskRow) -> list[NodeRow]:
        key = ask.size, () if ask.relax_locality else ask.places
        if key not in self._known:
            eligible = (node for node in self._nodes if _may_run_on(ask, node))
            short = [node for node in eligible if fits(ask.size, node.total) and not fits(ask.size, node.free)]
            self._known[key] = sorted(short, key=lambda node: (-node.free[0], node.id))
        return self._known[key]


def _candidates(choices: _Choices, applications: Sequence[ApplicationRow]) -> list[_Wanted]:
    """Asks that some node is short of, those that most nodes are short of first; of each queue and size two at most."""
    found = [_Wanted(row, ask) for row in applications for ask in row.listed_asks if choices.of(ask)]
    alike: Counter[tuple[str, Amounts]] = Counter()
    kept = []
    for wanted in sorted(found, key=lambda one: -len(choices.of(one.ask))):
        key = wanted.application.queue, wanted.ask.size
        alike[key] += 1
        if alike[key] <= ALIKE:
            kept.append(wanted)
    return kept[:MOST_ASKS]


def _by_application(applications: Sequence[ApplicationRow]) -> _Explanation:
    """Return where the source says how much each application has reserved; none where it does not."""
    found = []
    for row in applications:
        if isinstance(row.reserved, Unknown) or isinstance(row.asks, Unknown) or not row.reserved[0]:
            continue
        for ask in row.asks:
            number, rest = divmod(row.reserved[0], max(ask.size[0], 1))
            if number and not rest:
                found.append((_Wanted(row, ask), number))
                break
    return _Explanation(found, frozenset(wanted.application.id for wanted, _ in found))


def _by_sums(header: Header, count: int, wanted: Sequence[_Wanted], in_queues: Mapping[str, Amounts]) -> _Explanation:
    """So many that number and amounts are met, also in each queue, by as few asks as can be; else none."""
    if isinstance(header.reserved, Unknown):
        return _Explanation()
    for size in range(1, MOST_HOLDERS + (count <= MOST_FOR_THREE)):
        ways = [
            list(zip(chosen, counts, strict=True))
            for chosen in combinations(wanted, size)
            for counts in _splits(count, [one.ask.size for one in chosen], header.reserved)
        ]
        ways = [way for way in ways if _meets(way, in_queues)]
        if ways:
            held = [{one.application.id: number for one, number in way} for way in ways]
            certain = set(held[0].items()).intersection(*(way.items() for way in held))
            return _Explanation(ways[0], frozenset(name for name, _ in certain))
    return _Explanation()


def _meets(counts: Sequence[tuple[_Wanted, int]], in_queues: Mapping[str, Amounts]) -> bool:
    sums: dict[str, list[int]] = {}
    for (row, ask), number in counts:
        of_queue = sums.setdefault(row.queue, [0] * len(ask.size))
        sums[row.queue] = [have + number * each for have, each in zip(of_queue, ask.size, strict=True)]
    return all(tuple(sums.get(path, (0,) * len(amounts))) == amounts for path, amounts in in_queues.items())


def _splits(count: int, sizes: Sequence[Amounts], amounts: Amounts) -> Iterator[tuple[int, ...]]:
    """Every way to have so many of these sizes, of each at least one, that are so much together."""
    if len(sizes) == 1:
        if all(count * each == amount for each, amount in zip(sizes[0], amounts, strict=True)):
            yield (count,)
        return
    first, *others = sizes
    for number in range(1, count - len(others) + 1):
        left = tuple(amount - number * each for each, amount in zip(first, amounts, strict=True))
        if min(left) < 0:
            return
        for rest in _splits(count - number, others, left):
            yield (number, *rest)


def _placed(counts: Sequence[tuple[_Wanted, int]], choices: _Choices, now_ms: int) -> Iterator[ReservationRow]:
    taken: set[str] = set()
    found = [(choices.of(wanted.ask), wanted, number) for wanted, number in counts]
    for choice, (row, ask), number in sorted(found, key=lambda one: len(one[0]) - one[2]):
        free = [node for node in choice if node.id not in taken][:number]
        taken |= {node.id for node in free}
        for node in free:
            short = missing(ask.size, node.free)
            yield ReservationRow(node.id, row.id, row.queue, ask.size, node.free, short, now_ms)


def _unsure(rows: Sequence[ReservationRow], counts: Sequence[tuple[_Wanted, int]], choices: _Choices) -> frozenset[str]:
    """Nodes that could change places with one of another holder, or with an unreserved one that has as much free."""
    holder = {row.node: row.application for row in rows}
    may_hold: dict[str, dict[str, int]] = {}
    for (application, ask), _ in counts:
        may_hold.setdefault(application.id, {}).update({node.id: node.free[0] for node in choices.of(ask)})
    found: set[str] = set()
    for one, other in combinations(may_hold, 2):
        ones = {node for node in may_hold[other] if holder.get(node) == one}
        others = {node for node in may_hold[one] if holder.get(node) == other}
        found |= ones | others if ones and others else set()
    for one, free_mb in may_hold.items():
        spare_mb = {free_mb[node] for node in free_mb if node not in holder}
        taken_mb = {free_mb[node] for node in free_mb if holder.get(node) == one}
        tied_mb = spare_mb & taken_mb
        found |= {node for node, free in free_mb.items() if free in tied_mb and holder.get(node, one) == one}
    return frozenset(found)


def fits(wanted: tuple[int, ...], there: tuple[int, ...]) -> bool:
    """Tell whether there is as much of everything as is wanted."""
    return all(want <= have for want, have in zip(wanted, there, strict=True))
