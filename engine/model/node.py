"""A node as the control plane believes it to be: totals, what is placed on it, and who has reserved it.

The node's own ledger is *placement*: a container counts here until the node has let go of it, which in 3.x is later
than its application and queue stop paying for it.

Source: SchedulerNode, FSSchedulerNode, Hadoop 2.7.2.
"""

from engine.model.container import Container
from engine.model.decision import ContainerId
from engine.state import State


class Node(metaclass=State):
    """One node manager's machine."""

    id: str
    host: str
    name: str
    """What requests and blacklists call it."""
    port: int
    rack: str
    partition: str
    state: str = "RUNNING"
    joined: int
    """Ordinal among all nodes that ever joined."""
    total_memory_mb: int
    total_vcores: int
    used_memory_mb: int = 0
    used_vcores: int = 0
    free_memory_mb: int
    """Total less used; negative on an over-committed node."""
    free_vcores: int
    containers: dict[ContainerId, Container] = {}
    """What is placed here, in order of placement; reservations are not."""
    reserved: Container | None = None
    heartbeat_ms: int = 0
    """When it last reported; 0 before the first time."""
    idle_version: int = -1
    """The scheduler's version at which an offer of this node last changed nothing."""

    def __init__(
        self, host: str, port: int, rack: str, memory_mb: int, vcores: int, joined: int, partition: str = ""
    ) -> None:
        self.id = f"{host}:{port}"
        self.host = host
        self.name = host
        self.port = port
        self.rack = rack
        self.partition = partition
        self.joined = joined
        self.total_memory_mb = memory_mb
        self.total_vcores = vcores
        self.free_memory_mb = memory_mb
        self.free_vcores = vcores

    def place(self, container: Container) -> None:
        """Count a container as placed here."""
        self.containers[container.id] = container
        self.used_memory_mb += container.memory_mb
        self.used_vcores += container.vcores
        self.free_memory_mb -= container.memory_mb
        self.free_vcores -= container.vcores

    def vacate(self, container: Container) -> bool:
        """Let go of a container; False when it is not placed here (any more)."""
        if self.containers.pop(container.id, None) is None:
            return False
        self.used_memory_mb -= container.memory_mb
        self.used_vcores -= container.vcores
        self.free_memory_mb += container.memory_mb
        self.free_vcores += container.vcores
        return True

    def resize(self, memory_mb: int, vcores: int) -> None:
        """Change the total; what is placed stays, so free may become negative."""
        self.total_memory_mb = memory_mb
        self.total_vcores = vcores
        self.free_memory_mb = memory_mb - self.used_memory_mb
        self.free_vcores = vcores - self.used_vcores
