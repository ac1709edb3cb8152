"""Which nodes are reserved for whom: as the source names them, else inferred.

ResourceManager 2.7 says how many nodes are reserved and how much in all, 3.x how much for each application; which
nodes these are stands in the log only. Inferred is: for asks that some node has no room for, so many that count and
sums are met, on nodes that could hold them and have most free, as a reserved node is given nothing else. Where another
node, or another holder of it, is as likely, that is said.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from engine.live.scene import insisted_on
from engine.observe.snapshot import Amounts, ApplicationRow, AskRow, Header, NodeRow, QueueRow, ReservationRow, Unknown

MOST_HOLDERS: Final = 3
"""How many different asks hold reservations at most, where that is inferred from sums."""

MOST_FOR_THREE: Final = 100
"""How many nodes are reserved at most where three asks are looked for."""

MOST_ASKS: Final = 12
"""How many asks are looked at for that."""

ALIKE: Final = 2
"""How many asks of one size in one queue are looked at: who of them holds nodes, sums do not say."""


class _Wanted(NamedTuple):
    """An ask that may hold reservations."""

    application: ApplicationRow
    ask: AskRow


class InferredReservations(NamedTuple):
    """Reservations that explain what a source says in sum."""

    rows: Sequence[ReservationRow]
    certain: frozenset[str]
    """Applications whose part is the same in every explanation by as few asks."""
    unsure: frozenset[str] = frozenset()
    """Nodes that may as well be another application's, or nobody's."""


class _Explanation(NamedTuple):
    """Asks that hold reservations, and how many each."""

    counts: Sequence[tuple[_Wanted, int]] = ()
    certain: frozenset[str] = frozenset()


def inferred_reservations(
    header: Header, nodes: Sequence[NodeRow], applications: Sequence[ApplicationRow], queues: Sequence[QueueRow]
) -> InferredReservations:
    """Reservations that meet what the source says of them in sum.

    The header tells how many nodes are reserved, and how much; some `queues` say how much is reserved in them.
    """
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


class _Choices:
    """Which nodes may be reserved for an ask; asks that are alike are looked at once."""

    def __init__(self, nodes: Sequence[NodeRow]) -> None:
        self._nodes = nodes
        self._known: dict[tuple[object, ...], list[NodeRow]] = {}

    def of(self, ask: AskRow) -> list[NodeRow]:
        """Return those that have not enough free, where most is free first."""
        key = ask.size, () if ask.relax_locality else ask.places
        if key not in self._known:
            places = insisted_on(ask, {node.host for node in self._nodes})
            eligible = [node for node in self._nodes if not places or node.host in places or node.rack in places]
            short = [node for node in eligible if _fits(ask.size, node.total) and not _fits(ask.size, node.free)]
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
    """Tell whether as much is reserved in each queue as it says."""
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
    """So many nodes for each ask, for the one with least choice first."""
    taken: set[str] = set()
    found = [(choices.of(wanted.ask), wanted, number) for wanted, number in counts]
    for choice, (row, ask), number in sorted(found, key=lambda one: len(one[0]) - one[2]):
        free = [node for node in choice if node.id not in taken][:number]
        taken |= {node.id for node in free}
        for node in free:
            short = tuple(max(want - have, 0) for want, have in zip(ask.size, node.free, strict=True))
            yield ReservationRow(node.id, row.id, row.queue, ask.size, node.free, short, now_ms)


def _unsure(rows: Sequence[ReservationRow], counts: Sequence[tuple[_Wanted, int]], choices: _Choices) -> frozenset[str]:
    """Nodes that could change places with one of another holder, or with one that has as much free and is nobody's."""
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


def _fits(wanted: Amounts, there: Amounts) -> bool:
    return all(want <= have for want, have in zip(wanted, there, strict=True))
