"""Spark on YARN in cluster mode: the driver is the application master, executors are held to the end.

Source: YarnAllocator, Spark 1.6 to 3.x, without dynamic allocation. Differs: work is one stretch of time that begins
with the first executor (or, where the application waits, with its last one) and takes as long with few executors as
with many.
"""

from engine.control_plane.protocol import Ask, Grant
from engine.model.decision import ContainerId
from engine.scenario import SparkSpec
from engine.workload.chance import drawn, stream
from engine.workload.master import HELD, ApplicationMaster, Topology

PRIORITY = 1
"""Source: YarnSparkHadoopUtil.RM_REQUEST_PRIORITY."""


class SparkMaster(ApplicationMaster):
    """Asks for all executors at once, asks again for lost ones, ends after its time of work."""

    __slots__ = ("duration_ms", "executors")

    spec: SparkSpec

    def __init__(self, number: int, phase_ms: int, topology: Topology, spec: SparkSpec, seed: int) -> None:
        super().__init__(number, phase_ms, topology)
        self.spec = spec
        span = spec.duration_ms
        self.duration_ms = None if span is None else drawn(stream(seed, "application", number), span)
        """How long it works once it has begun; None for ever."""
        self.executors: dict[ContainerId, None] = {}

    def registered(self, now_ms: int) -> None:
        """Ask for all executors."""
        self.want(PRIORITY, "*", self.spec.executors)

    def restart(self) -> None:
        """Executors and work do not outlive the driver."""
        self.executors = {}

    def use(self, grant: Grant, host: str, now_ms: int) -> int | None:
        """An executor; the one that completes what it waits for starts the work."""
        if self.wanted.get((PRIORITY, "*"), 0) <= 0:
            return None
        self.want(PRIORITY, "*", -1)
        self.executors[grant.container] = None
        needed = self.spec.executors if self.spec.waits else 1
        if self.duration_ms is not None and not self.wake_ms and len(self.executors) >= needed:
            self.wake_ms = now_ms + max(1, self.duration_ms)
        return HELD

    def lost(self, container: ContainerId, cause: str, now_ms: int) -> None:
        """Ask for a lost executor again."""
        if container in self.executors:
            del self.executors[container]
            self.want(PRIORITY, "*", 1)

    def act(self, now_ms: int) -> None:
        """End when the work is done."""
        if 0 < self.wake_ms <= now_ms:
            self.outcome = "FINISHED"

    def form(self, priority: int, name: str, count: int) -> Ask:
        """Executors are of one size and run anywhere."""
        executor = self.spec.executor
        return Ask(priority, name, executor.memory_mb, executor.vcores, count)

    def copy_work(self, other: "SparkMaster") -> None:
        """Own table of executors."""
        other.duration_ms = self.duration_ms
        other.executors = self.executors.copy()
