"""Which nodes are reserved for whom: as the source names them, else inferred.

ResourceManager 2.7 says how many nodes are reserved and how much in all, 3.x how much for each application; which
nodes these are stands in the log only. Inferred is: for asks that some node has no room for, so many that count and
sums are met, on nodes that could hold them and have most free, as a reserved node is given nothing else.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from engine.observe.snapshot import Amounts, ApplicationRow, AskRow, Header, NodeRow, QueueRow, ReservationRow, Unknown

MOST_HOLDERS: Final = 3
"""How many different asks hold reservations at most, where that is inferred from sums."""

MOST_FOR_THREE: Final = 100
"""How many nodes are reserved at most where three asks are looked for."""

MOST_ASKS: Final = 12
"""How many asks are looked at for that."""


class _Wanted(NamedTuple):
    """An ask that may hold reservations."""

    application: ApplicationRow
    ask: AskRow


class InferredReservations(NamedTuple):
    """Reservations, and how many are known to be there but could not be placed."""

    rows: Sequence[ReservationRow]
    missing: int


def inferred_reservations(
    header: Header, nodes: Sequence[NodeRow], applications: Sequence[ApplicationRow], queues: Sequence[QueueRow]
) -> InferredReservations:
    """Reservations that meet what the source says of them in sum.

    Args:
        header: How many nodes are reserved, and how much.
        queues: Some say how much is reserved in them.
    """
    without = {row.path for row in queues if row.is_leaf and row.reserved == (0, 0)}
    applications = [row for row in applications if row.queue not in without]
    count = 0 if isinstance(header.nodes_reserved, Unknown) else header.nodes_reserved
    if not count:
        return InferredReservations((), 0)
    counts = _by_application(applications) or _by_sums(header, count, _candidates(nodes, applications))
    rows = list(_placed(counts, nodes, header.time_ms))
    return InferredReservations(rows, count - len(rows))


def _candidates(nodes: Sequence[NodeRow], applications: Sequence[ApplicationRow]) -> list[_Wanted]:
    """Asks that some node is short of, one of each size; those that no node has room for first."""
    found: dict[Amounts, tuple[bool, _Wanted]] = {}
    for row in applications:
        for ask in [] if isinstance(row.asks, Unknown) else row.asks:
            if not _choice(ask, nodes):
                continue
            fits = any(_fits(ask.size, node.free) for node in _eligible(ask, nodes))
            known = found.get(ask.size)
            if known is None or (known[0] and not fits):
                found[ask.size] = (fits, _Wanted(row, ask))
    return [wanted for _, wanted in sorted(found.values(), key=lambda one: one[0])][:MOST_ASKS]


def _eligible(ask: AskRow, nodes: Sequence[NodeRow]) -> list[NodeRow]:
    """Nodes it may run on."""
    if ask.relax_locality or not ask.places:
        return list(nodes)
    hosts = {node.host for node in nodes}
    named = {place for place in ask.places if place in hosts} or set(ask.places)
    return [node for node in nodes if node.host in named or node.rack in named]


def _by_application(applications: Sequence[ApplicationRow]) -> list[tuple[_Wanted, int]]:
    """(ask, how many) where the source says how much each application has reserved; none where it does not."""
    found = []
    for row in applications:
        if isinstance(row.reserved, Unknown) or isinstance(row.asks, Unknown) or not row.reserved[0]:
            continue
        for ask in row.asks:
            number, rest = divmod(row.reserved[0], max(ask.size[0], 1))
            if number and not rest:
                found.append((_Wanted(row, ask), number))
                break
    return found


def _by_sums(header: Header, count: int, wanted: Sequence[_Wanted]) -> list[tuple[_Wanted, int]]:
    """(ask, how many) such that number and amounts are met, by as few asks as can be; none where nothing does."""
    if isinstance(header.reserved, Unknown):
        return []
    for size in range(1, MOST_HOLDERS + (count <= MOST_FOR_THREE)):
        for chosen in combinations(wanted, size):
            for counts in _splits(count, [one.ask.size for one in chosen], header.reserved):
                return list(zip(chosen, counts, strict=True))
    return []


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


def _placed(counts: Sequence[tuple[_Wanted, int]], nodes: Sequence[NodeRow], now_ms: int) -> Iterator[ReservationRow]:
    """So many nodes for each ask, for the one with least choice first."""
    taken: set[str] = set()
    choices = [(_choice(wanted.ask, nodes), wanted, number) for wanted, number in counts]
    for choice, (row, ask), number in sorted(choices, key=lambda one: len(one[0]) - one[2]):
        free = [node for node in choice if node.id not in taken][:number]
        taken |= {node.id for node in free}
        for node in free:
            short = tuple(max(want - have, 0) for want, have in zip(ask.size, node.free, strict=True))
            yield ReservationRow(node.id, row.id, row.queue, ask.size, node.free, short, now_ms)


def _choice(ask: AskRow, nodes: Sequence[NodeRow]) -> list[NodeRow]:
    """Nodes that may be reserved for it: those that have not enough free, where most is free first."""
    fitting = [node for node in _eligible(ask, nodes) if _fits(ask.size, node.total)]
    return sorted(
        (node for node in fitting if not _fits(ask.size, node.free)), key=lambda node: (-node.free[0], node.id)
    )


def _fits(wanted: Amounts, there: Amounts) -> bool:
    return all(want <= have for want, have in zip(wanted, there, strict=True))
