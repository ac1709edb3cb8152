"""Queues by their names: full names, and short ones where only one queue has them.

Source: CSQueueStore, Hadoop 3.4.1.
"""

from collections.abc import Iterator

from engine.schedulers.capacity34.queue import ROOT, CapacityQueue
from engine.state import State


class QueueNames(metaclass=State):
    """All queues of a tree, by name."""

    by_path: dict[str, CapacityQueue] = {}
    by_short_name: dict[str, dict[str, None]] = {}
    """Full names by last part; root's are not listed."""

    def __iter__(self) -> Iterator[CapacityQueue]:
        return iter(list(self.by_path.values()))

    def add(self, queue: CapacityQueue) -> None:
        """Put a queue in; it takes the place of another one of its full name."""
        self.by_path[queue.path] = queue
        if queue.name != ROOT:
            self.by_short_name.setdefault(queue.name, {})[queue.path] = None

    def remove(self, path: str) -> None:
        """Take a queue out."""
        queue = self.by_path.pop(path)
        paths = self.by_short_name.get(queue.name, {})
        paths.pop(path, None)
        if not paths:
            self.by_short_name.pop(queue.name, None)

    def get(self, name: str | None) -> CapacityQueue | None:
        """The queue of a full name, or of a short name that only one has."""
        if name is None:
            return None
        queue = self.by_path.get(name)
        if queue is not None or name == ROOT:
            return queue
        paths = self.by_short_name.get(name, {})
        return self.by_path[next(iter(paths))] if len(paths) == 1 else None

    def is_ambiguous(self, name: str) -> bool:
        """Whether a short name belongs to more than one queue."""
        return len(self.by_short_name.get(name, ())) > 1
