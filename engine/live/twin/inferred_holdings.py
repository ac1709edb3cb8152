"""Which containers run where, inferred where a source has totals only: of nodes, and of applications.

A ResourceManager's REST interface counts containers and sums amounts, node by node and application by application.
Sizes are guessed first (a master, and others alike), then placed, the largest first where most is not explained yet;
at last amounts are shifted between containers of one application until the sums of nodes are right. So what each node
has free and what each application and queue uses are the cluster's; a single container may be another's.
"""

from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import Final

from engine.live.twin.holdings import HeldContainers
from engine.observe.snapshot import Amounts, ApplicationRow, NodeRow

LEAST: Final = (1, 0)
"""Below this nothing is taken from a container when amounts are shifted."""


class _Piece:
    """One container, while it is being placed."""

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
        self._left = {node.id: list(node.used) for node in nodes}
        """Node → what no container placed so far explains."""
        self._pieces = [piece for row in applications for piece in _pieces(row, steps)]
        if nodes:
            self._place({node.id: node.containers for node in nodes})
            for dimension in range(len(LEAST)):
                self._shift(dimension)
        self.unexplained_mb = sum(abs(left[0]) for left in self._left.values())
        """What nodes use more or less than the containers placed on them [MB]."""

    def by_application(self) -> Mapping[str, Sequence[HeldContainers]]:
        """Application → what it holds, its master first."""
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
        larger: dict[str, list[_Piece]] = {}
        for piece in self._pieces:
            if piece.node and left[piece.node][dimension] > 0:
                larger.setdefault(piece.application, []).append(piece)
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
    """Return the size of containers but the master's: what it still asks for if possible.

    Else the largest multiple of `steps` that leaves one for the master, and no less than the master has.
    """
    asked = tuple(ask.size for ask in row.listed_asks)
    for size in asked:
        rest = [used - others * each for used, each in zip(row.used, size, strict=True)]
        if rest[0] >= steps[0] and rest[1] >= steps[1] and rest[0] <= 2 * size[0]:
            return size
    return tuple(
        max((used - step) // others // step * step, used // (others + 1))
        for used, step in zip(row.used, steps, strict=True)
    )
