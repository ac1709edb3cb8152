"""Follows on how many nodes containers are: of all applications over time, and of each at most."""

from collections import Counter
from collections.abc import Mapping, Sequence

from engine.model.decision import Allocated, Completed, ContainerId, Killed, owner_of
from engine.simulation.records import Record


class NodesInUse:
    """A listener."""

    def __init__(self, start_ms: int) -> None:
        """Begin with no containers at an instant [epoch ms]."""
        self._node_of: dict[ContainerId, str] = {}
        self._on: Counter[str] = Counter()
        """Node → containers."""
        self._of: dict[int, Counter[str]] = {}
        self._most: dict[int, int] = {}
        self._start_ms = self._now_ms = start_ms
        self._node_ms = 0

    @property
    def most(self) -> Mapping[int, int]:
        """Application → most nodes that it had containers on at once."""
        return self._most

    def mean(self, until_ms: int) -> float:
        """Return the number of nodes with a container, its mean up to an instant [epoch ms]."""
        self._pass_time(until_ms)
        return self._node_ms / max(1, until_ms - self._start_ms)

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Take the records of one instant."""
        self._pass_time(time_ms)
        for record in records:
            if isinstance(record, Allocated):
                self._begin(record.container, record.node)
            elif isinstance(record, Completed | Killed):
                self._end(record.container)

    def _pass_time(self, time_ms: int) -> None:
        if time_ms > self._now_ms:
            self._node_ms += len(self._on) * (time_ms - self._now_ms)
            self._now_ms = time_ms

    def _begin(self, container: ContainerId, node: str) -> None:
        number = owner_of(container)
        mine = self._of.setdefault(number, Counter())
        self._node_of[container] = node
        self._on[node] += 1
        mine[node] += 1
        self._most[number] = max(self._most.get(number, 0), len(mine))

    def _end(self, container: ContainerId) -> None:
        node = self._node_of.pop(container, None)
        if node is None:
            return
        for counts in (self._on, self._of[owner_of(container)]):
            counts[node] -= 1
            if not counts[node]:
                del counts[node]
