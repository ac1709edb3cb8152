"""Spark on YARN in cluster mode: the driver is the application master, executors are held to the end.

Work is either stages of tasks on the executors' cores, as on a standalone Master, or one stretch of time that begins
with the first executor (or, where the application waits, with its last one) and takes as long with few executors as
with many.

Source: YarnAllocator, Spark 1.6 to 3.x, without dynamic allocation. Differs: an executor runs
tasks from the instant its container is granted; a real one starts first.
"""

from heapq import heappop, heappush

from engine.control_plane.protocol import Ask, Grant
from engine.model.decision import ContainerId
from engine.scenario import SparkSpec
from engine.workload.master import HELD, ApplicationMaster, Topology
from engine.workload.random_streams import drawn, stream
from engine.workload.stages import FOREVER, Stages

PRIORITY = 1
"""Source: YarnSparkHadoopUtil.RM_REQUEST_PRIORITY."""


class SparkOnYarnMaster(ApplicationMaster):
    """Asks for all executors at once, asks again for lost ones, ends after its time of work."""

    duration_ms: None | int
    """How long it works once it has begun; None for ever."""
    seed: int
    executors: dict[ContainerId, None] = {}
    stages: Stages
    tasks: list[tuple[int, int, int]]

    spec: SparkSpec

    def __init__(self, number: int, phase_ms: int, topology: Topology, spec: SparkSpec, seed: int) -> None:
        super().__init__(number, phase_ms, topology)
        self.spec = spec
        span = spec.duration_ms
        self.duration_ms = None if span is None else drawn(stream(seed, "application", number), span)
        self.seed = seed
        self._forget_work()

    def _forget_work(self) -> None:
        self.executors = {}
        self.stages = Stages(self.spec.stages, self.number, self.seed)
        self.tasks = []
        """Heap of (end [epoch ms], task, turn) of the tasks that run."""

    def registered(self, now_ms: int) -> None:
        """Ask for all executors."""
        self.want(PRIORITY, "*", self.spec.executors)

    def restart(self) -> None:
        """Executors and work do not outlive the driver."""
        self._forget_work()

    def use(self, grant: Grant, host: str, now_ms: int) -> int | None:
        """An executor; the one that completes what it waits for starts the work."""
        if self.wanted.get((PRIORITY, "*"), 0) <= 0:
            return None
        self.want(PRIORITY, "*", -1)
        self.executors[grant.container] = None
        self.stages.join(grant.container[2], host, self.spec.executor.vcores)
        needed = self.spec.executors if self.spec.waits else 1
        if len(self.executors) >= needed:
            self._begin(now_ms)
        return HELD

    def _begin(self, now_ms: int) -> None:
        """Work, or go on with one executor more."""
        if self.spec.stages:
            self._hand_out(now_ms)
        elif self.duration_ms is not None and not self.wake_ms:
            self.wake_ms = now_ms + max(1, self.duration_ms)

    def _hand_out(self, at_ms: int) -> None:
        for start in self.stages.hand_out():
            if start.duration_ms != FOREVER:
                heappush(self.tasks, (at_ms + start.duration_ms, start.task, start.turn))
        self.wake_ms = self.tasks[0][0] if self.tasks else 0

    def lost(self, container: ContainerId, cause: str, now_ms: int) -> None:
        """Ask for a lost executor again."""
        if container in self.executors:
            del self.executors[container]
            self.stages.leave(container[2])
            self.want(PRIORITY, "*", 1)
            if self.tasks:
                self._hand_out(now_ms)

    def act(self, now_ms: int) -> None:
        """End when the work is done; tasks that ended since the last call made room for others when they did."""
        while self.tasks and self.tasks[0][0] <= now_ms:
            at_ms, task, turn = heappop(self.tasks)
            if self.stages.end(task, turn):
                self._hand_out(at_ms)
        if self.spec.stages:
            self.wake_ms = self.tasks[0][0] if self.tasks else 0
            if self.stages.is_done:
                self.outcome = "FINISHED"
        elif 0 < self.wake_ms <= now_ms:
            self.outcome = "FINISHED"

    def form(self, priority: int, name: str, count: int) -> Ask:
        """Executors are of one size and run anywhere."""
        executor = self.spec.executor
        return Ask(priority, name, executor.memory_mb, executor.vcores, count)
