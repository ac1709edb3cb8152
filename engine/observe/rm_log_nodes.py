"""The amounts that lines of a ResourceManager's log carry: what a node has, what an application has reserved."""

from collections.abc import Callable
from typing import NamedTuple

from engine.model.decision import ContainerId


def resource(memory_mb: int, vcores: int) -> str:
    """An amount as Hadoop prints it.

    >>> resource(1024, 1)
    '<memory:1024, vCores:1>'
    """
    return f"<memory:{memory_mb}, vCores:{vcores}>"


class NodeFigures(NamedTuple):
    """The figures a log states of a node."""

    containers: int
    used: tuple[int, ...]
    """Memory [MB], vcores."""
    total: tuple[int, ...]

    @property
    def free(self) -> tuple[int, ...]:
        """Total less used."""
        return tuple(total - used for total, used in zip(self.total, self.used, strict=True))


class NodeAmounts:
    """Tracks the size of each node and the containers that run on it."""

    def __init__(self, reported: Callable[[str, NodeFigures], NodeFigures]) -> None:
        """Know no node yet; `reported` has what is said of one of a name."""
        self._reported = reported
        self._total: dict[str, tuple[int, int]] = {}
        self._used: dict[str, tuple[int, int, int]] = {}
        """Node → containers, memory [MB], vcores."""

    def join(self, node: str, memory_mb: int, vcores: int) -> None:
        """A node is there, empty."""
        self._total[node] = memory_mb, vcores
        self._used[node] = 0, 0, 0

    def resize(self, node: str, memory_mb: int, vcores: int) -> None:
        """A node's total changed."""
        self._total[node] = memory_mb, vcores

    def total(self, node: str) -> str:
        """The total of a node."""
        return resource(*self._total.get(node, (0, 0)))

    def assign(self, node: str, memory_mb: int, vcores: int) -> str:
        """A container runs there; how the line on it ends."""
        self._change(node, 1, memory_mb, vcores)
        count, used, free = self._words(node)
        return f"which has {count} containers, {used} used and {free} available after allocation"

    def release(self, node: str, memory_mb: int, vcores: int) -> str:
        """A container's room was given back; how the line on it ends."""
        self._change(node, -1, memory_mb, vcores)
        count, used, free = self._words(node)
        return f"which currently has {count} containers, {used} used and {free} available, release resources=true"

    def words(self, node: str) -> str:
        """A node as it prints itself."""
        count, used, free = self._words(node)
        return f"{node} #containers={count} available={free} used={used}"

    def _change(self, node: str, sign: int, memory_mb: int, vcores: int) -> None:
        count, used_mb, used_vcores = self._used.get(node, (0, 0, 0))
        self._used[node] = count + sign, used_mb + sign * memory_mb, used_vcores + sign * vcores

    def _words(self, node: str) -> tuple[int, str, str]:
        """Containers, used, free."""
        count, *used = self._used.get(node, (0, 0, 0))
        said = self._reported(node, NodeFigures(count, tuple(used), self._total.get(node, (0, 0))))
        return said.containers, resource(*said.used), resource(*said.free)


class ReservedAmounts:
    """Tracks the reservations of applications."""

    def __init__(self) -> None:
        self._held: dict[ContainerId, tuple[int, int, int]] = {}
        """Container → priority, memory [MB], vcores."""

    def add(self, container: ContainerId, priority: int, memory_mb: int, vcores: int) -> bool:
        """Count a reservation; False where it was counted before."""
        if container in self._held:
            return False
        self._held[container] = priority, memory_mb, vcores
        return True

    def forget(self, container: ContainerId) -> bool:
        """A reservation is over; False where there was none."""
        return self._held.pop(container, None) is not None

    def of(self, application: int, priority: int) -> tuple[int, str]:
        """Count an application's reservations at a priority, and sum up all of its reservations."""
        own = [held for container, held in self._held.items() if container[0] == application]
        count = sum(each == priority for each, _, _ in own)
        return count, resource(sum(memory_mb for _, memory_mb, _ in own), sum(vcores for _, _, vcores in own))
