"""A policy for the tests: one container an offer, to the application that came last."""

from engine.model.cluster import Cluster
from engine.model.decision import Allocated, Decision
from engine.model.ledger import Attempt, Container, Node
from engine.model.request import OFF_SWITCH, Resource
from engine.schedulers.containers import MaximumAllocation, MemoryAsks, OneQueue, Release34, ReleaseRules
from engine.schedulers.interface import FifoView, SchedulerStart
from engine.schedulers.obstacle_texts import Obstacle, Reason, Recorder
from engine.schedulers.settings import HadoopSettings, allocation_bounds, maximum_at_start
from engine.schedulers.yarn_scheduler import YarnScheduler
from engine.settings.site import YARN_27
from engine.state import Dropped, State


class ToyPolicy(metaclass=State):
    """One container an offer, to the application that came last."""

    cluster: Cluster
    minimum: Resource
    maximum: MaximumAllocation
    applications: OneQueue
    release: ReleaseRules
    recorder: Dropped[Recorder | None] = None

    name, kind, probes_by_size = "toy", "fifo", True

    def __init__(self, cluster: Cluster, asks: MemoryAsks) -> None:
        self.cluster, self.minimum, self.maximum = cluster, asks.minimum, asks.maximum
        self.applications = OneQueue(asks, forgets_priorities=True)
        self.release = Release34(cluster)

    def offer(self, node: Node, now_ms: int) -> list[Decision]:
        """Give the newest application its next container, if that fits."""
        attempts = [each.attempt for each in reversed(self.cluster.applications.values()) if each.attempt is not None]
        for attempt in attempts if now_ms > self.cluster.offers_after_ms else ():
            for group in map(attempt.group, attempt.priorities):
                ask = group.anywhere
                if ask is not None and ask.count > 0 and self.obstacle_on(attempt, node, now_ms) is None:
                    number = attempt.next_container_number()
                    one = self.cluster.allocate(attempt, group, ask, ask, node, OFF_SWITCH, number, now_ms)
                    return [Allocated(one.id, node.id, ask.priority, ask.memory_mb, ask.vcores, "OFF_SWITCH")]
        return []

    def is_idle(self, node: Node) -> bool:
        return not self.cluster.pending

    def all_nodes_idle(self) -> bool:
        return not self.cluster.pending

    def complete(self, container: Container, happening: str, now_ms: int, cause: str = "") -> list[Decision]:
        return self.release.end(container, happening, now_ms, cause)

    def headroom(self, attempt: Attempt) -> Resource:
        return Resource(self.cluster.total_memory_mb, self.cluster.total_vcores)

    def obstacle(self, attempt: Attempt) -> Obstacle | None:
        """Only the nodes stand in the way."""
        return None if attempt.pending else Obstacle(Reason.NOTHING_ASKED)

    def obstacle_on(self, attempt: Attempt, node: Node, now_ms: int) -> Obstacle | None:
        """Room for the largest ask is needed."""
        asks = [each.anywhere for each in attempt.groups.values() if each.anywhere is not None]
        most_mb = max((each.memory_mb for each in asks if each.count > 0), default=0)
        does_not_fit = Obstacle(Reason.DOES_NOT_FIT, (most_mb, node.free_memory_mb))
        return does_not_fit if most_mb > node.free_memory_mb else None

    def view(self) -> FifoView:
        return FifoView(self.cluster, self.applications.queue)


def toy(start: SchedulerStart) -> YarnScheduler:
    minimum, maximum = allocation_bounds(HadoopSettings(start.values, YARN_27))
    asks = MemoryAsks(minimum, maximum_at_start(start.values, maximum, start.now_ms, YARN_27, lags=False))
    policy = ToyPolicy(start.cluster, asks)
    return YarnScheduler(policy, policy.applications, asks, port_in_node_name=False)
