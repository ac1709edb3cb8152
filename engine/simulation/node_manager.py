"""Holds the real state of a node: what runs there, and what its node manager has reported.

The control plane's view of the node is in its own model. A container granted is launched after a delay,
reported started at the node's next heartbeat, and reported ended at the heartbeat after its end. Orders to stop a
container come with the answer to a heartbeat and are obeyed at once, so the next heartbeat reports the end.

Source: NodeStatusUpdaterImpl, ContainerManagerImpl, Hadoop 2.7.2. Differs: a container stops the
instant it is ordered to; a real one has `yarn.nodemanager.sleep-delay-before-sigkill.ms` to end by itself.
"""

from collections.abc import Sequence
from typing import Final

from engine.control_plane.protocol import Grant, NodeContainer
from engine.model.decision import ContainerId
from engine.state import State

TERMINATED: Final = 143  # Exit status of a container stopped by order. Source: ContainerExecutor.ExitCode.TERMINATED.


class NodeManager(metaclass=State):
    """The real state of one node."""

    index: int  # Its place among the scenario's nodes
    id: str  # `host:port`
    host: str
    rack: str
    memory_mb: int  # Its real size [MB]; `shown` is the size it has reported
    vcores: int
    shown: tuple[int, int]  # (memory, vcores) it has reported; less than its real size while it is drained
    partition: str
    phase_ms: int = 0  # One instant of its heartbeat's rhythm [epoch ms]
    up: bool = True  # True while its process runs
    member: bool = False  # True while the control plane counts it as a member
    adrift: bool = False  # True while it has lost its ResourceManager and tries to reach one
    retry_ms: int = -1  # Time of its next try [epoch ms]
    healthy: bool = True
    draining: bool = False
    life: int = 0  # Grows each time it dies; events of an earlier life do not happen
    launching: dict[ContainerId, tuple[int, int, int, int, int, int]] = {}
    """(memory, vcores, priority, created [epoch ms], duration, exit status) of containers that are launched."""
    running: dict[ContainerId, tuple[int, ...]] = {}
    """(memory, vcores, priority, created [epoch ms]) of containers that run."""
    started: list[ContainerId] = []  # Containers that started since the last heartbeat
    completed: list[tuple[ContainerId, int]] = []
    """(container, exit status) of containers that ended since the last heartbeat."""
    orders: list[ContainerId] = []  # Containers to stop; the next heartbeat's answer brings the order
    silent_ms: int = -1  # Time of its last call when it fell silent or left [epoch ms]; -1 where it never did
    last_beat_ms: int = -1  # Time of its last heartbeat [epoch ms]
    starts_ms: int = -1  # Time at which its process starts again [epoch ms]
    expected_ms: int = -1  # Time for which its heartbeat was last scheduled while the cursor slept [epoch ms]

    def __init__(self, index: int, node_id: str, rack: str, memory_mb: int, vcores: int, partition: str) -> None:
        self.index = index
        self.id = node_id
        self.host = node_id.partition(":")[0]
        self.rack = rack
        self.memory_mb = memory_mb
        self.vcores = vcores
        self.shown = (memory_mb, vcores)
        self.partition = partition

    def has_news(self) -> bool:
        """Tell whether its next heartbeat, or the answer to it, carries something that has changed."""
        return bool(self.completed or self.started or self.orders or self.healthy is not self.member)

    def has_report(self) -> bool:
        """Tell whether its next heartbeat has to happen whatever the control plane does with it."""
        return self.draining or self.has_news()

    def launch(self, grant: Grant, duration_ms: int, exit_status: int) -> bool:
        """Take a container to launch; return False where the node is dead."""
        if self.up:
            self.launching[grant.container] = (
                grant.memory_mb,
                grant.vcores,
                grant.priority,
                grant.created_ms,
                duration_ms,
                exit_status,
            )
        return self.up

    def begin(self, container: ContainerId) -> tuple[int, int] | None:
        """Let a launched container run: (duration, exit status), or None when it ended meanwhile."""
        launched = self.launching.pop(container, None)
        if launched is None:
            return None
        self.running[container] = launched[:4]
        self.started.append(container)
        return launched[4:]

    def recover(self, known: NodeContainer) -> None:
        self.running[known.container] = (known.memory_mb, known.vcores, known.priority, known.created_ms)

    def end(self, container: ContainerId, exit_status: int) -> bool:
        """End a container by itself; return False when it does not run any more."""
        if self.running.pop(container, None) is None:
            return False
        self.completed.append((container, exit_status))
        return True

    def stop(self, containers: Sequence[ContainerId]) -> None:
        for container in containers:
            known = self.launching.pop(container, None) or self.running.pop(container, None)
            if known is not None:
                self.completed.append((container, TERMINATED))

    def report(self) -> tuple[tuple[ContainerId, ...], tuple[tuple[ContainerId, int], ...]]:
        """Return what started and ended since the last report; each is reported once."""
        started, completed = tuple(self.started), tuple(self.completed)
        if started:
            self.started = []
        if completed:
            self.completed = []
        return started, completed

    def known_containers(self) -> tuple[NodeContainer, ...]:
        """Return the containers that it names when it registers again; those that ended count as reported then."""
        ended = [NodeContainer(name, 0, 0, 0, 0, exit_status) for name, exit_status in self.completed]
        self.completed = []
        return (*self.live(), *ended)

    def live(self) -> tuple[NodeContainer, ...]:
        held = {**self.running, **{name: launched[:4] for name, launched in self.launching.items()}}
        return tuple(
            NodeContainer(name, priority, memory_mb, vcores, created_ms)
            for name, (memory_mb, vcores, priority, created_ms) in held.items()
        )

    def kill_everything(self, exit_status: int) -> None:
        self.completed += [(name, exit_status) for name in (*self.running, *self.launching)]
        self.running, self.launching, self.started = {}, {}, []

    def lose_everything(self) -> None:
        self.life += 1
        self.launching, self.running = {}, {}
        self.started, self.completed, self.orders = [], [], []

    def load(self) -> tuple[int, int]:
        """Return (memory, vcores) of everything that is launched here."""
        held = [*self.running.values(), *self.launching.values()]
        return sum(item[0] for item in held), sum(item[1] for item in held)
