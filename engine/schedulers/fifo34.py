"""The FIFO scheduler of Hadoop 3.4.1: as in 2.7.2, with containers, asks and maximum of 3.x.

Source: FifoScheduler, Hadoop 3.4.1.
"""

from collections.abc import Mapping

from engine.model.application import Application, Attempt
from engine.model.cluster import Cluster
from engine.model.container import Container
from engine.model.decision import Decision
from engine.model.resource import NONE, Resource
from engine.schedulers.calculator import normalise_memory
from engine.schedulers.fifo import FifoScheduler
from engine.schedulers.yarn34 import Attempt34, Yarn34, with_defaults


class FifoScheduler34(Yarn34, FifoScheduler):
    """The policy `fifo-3.4`."""

    name = "fifo-3.4"

    def __init__(self, cluster: Cluster, values: Mapping[str, str], now_ms: int) -> None:
        super().__init__(cluster, with_defaults(values), now_ms)
        self.freed_twice: Resource = NONE
        """What was taken from the used total a second time; only headroom sees it. Source: #removeNode."""

    def normalise_to(self, ask: Resource, maximum: Resource) -> Resource:
        """By memory alone, with the minimum as step."""
        return normalise_memory(ask, self.minimum, maximum, self.minimum)

    def add_attempt(self, application: Application, now_ms: int) -> Attempt:
        """Begin an attempt."""
        application.attempts_made += 1
        application.attempt = Attempt34(application, application.attempts_made, self.queue, now_ms)
        self.headrooms[application.number] = NONE
        self.cluster.version += 1
        return application.attempt

    def complete(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        """A container ends; one that had ended is subtracted from the used total again."""
        attempt = container.attempt
        if not attempt.stopped and container.id[2] not in attempt.live:
            self.freed_twice = self.freed_twice.plus(Resource(container.memory_mb, container.vcores))
        return super().complete(container, happening, now_ms, cause)

    def headroom(self, attempt: Attempt) -> Resource:
        """The cluster's free resources as of the last offer, never below 0."""
        headroom = self.headrooms[attempt.application.number]
        return Resource(max(headroom.memory_mb, 0), max(headroom.vcores, 0))

    def _update_headrooms(self) -> None:
        cluster, twice = self.cluster, self.freed_twice
        headroom = Resource(
            cluster.total_memory_mb - cluster.used_memory_mb + twice.memory_mb,
            cluster.total_vcores - cluster.used_vcores + twice.vcores,
        )
        for number in self.headrooms:
            self.headrooms[number] = headroom
