"""Takes back containers that their application master fetched and no node ever reported as running.

Source: ContainerAllocationExpirer, AbstractLivelinessMonitor, RMContainerImpl.AcquiredTransition, Hadoop 2.7.2 and
3.4.1: a container is watched from the call that fetched it, and looked at every third of the interval. One that was
allocated and never fetched is not watched: it ends with its attempt, when its silent master expires.
"""

from collections.abc import Iterable
from typing import Final

from engine.model.cluster import Cluster
from engine.model.decision import ContainerId
from engine.model.ledger import Container
from engine.state import State

EXPIRE_ALLOCATIONS: Final = "expire_allocations"
"""The name of the pass that looks."""


class AllocationExpiry(metaclass=State):
    """When each fetched container was fetched, until it runs."""

    expiry_ms: int
    fetched_ms: dict[ContainerId, int] = {}
    """Containers fetched since the last look, and those that did not run then; in order of fetching."""

    def __init__(self, expiry_ms: int) -> None:
        self.expiry_ms = expiry_ms

    @property
    def interval_ms(self) -> int:
        """How often it looks."""
        return max(self.expiry_ms // 3, 1)

    def watch(self, containers: Iterable[ContainerId], now_ms: int) -> None:
        """Containers were fetched."""
        for container in containers:
            self.fetched_ms[container] = now_ms

    def look(self, cluster: Cluster, now_ms: int) -> list[Container]:
        """The containers to take back: fetched longer ago than the interval, strictly, and not running."""
        waiting = {
            name: container
            for name in self.fetched_ms
            if (container := cluster.container(name)) is not None and container.state == "ACQUIRED"
        }
        overdue = [one for name, one in waiting.items() if now_ms > self.fetched_ms[name] + self.expiry_ms]
        late = {one.id for one in overdue}
        self.fetched_ms = {name: self.fetched_ms[name] for name in waiting if name not in late}
        return overdue
