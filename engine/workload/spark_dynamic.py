"""Spark on YARN with dynamic allocation, or with jobs given to it one after another: a shell, a session, a server.

Source: YarnAllocator, ExecutorAllocationManager, Spark 3.x and 4.x. Differs: the allocator calls in the rhythm of all
application masters, not every 3 s after a first 200 ms.
"""

from engine.control_plane.protocol import Ask, Grant
from engine.model.decision import ContainerId
from engine.scenario import SparkSpec
from engine.workload.executor_allocation import NEVER, ExecutorAllocation, TaskCounts
from engine.workload.lifespan import JOB, SERVICE, SESSION, Lifespan
from engine.workload.master import HELD, ApplicationMaster, Topology
from engine.workload.spark import PRIORITY
from engine.workload.successive_jobs import SuccessiveJobs


class DynamicSparkMaster(ApplicationMaster):
    """Keeps as many executors as its target says, and ends with its last job unless it stays."""

    jobs: SuccessiveJobs
    allocation: None | ExecutorAllocation
    executors: dict[int, ContainerId]

    spec: SparkSpec

    def __init__(self, number: int, phase_ms: int, topology: Topology, spec: SparkSpec, seed: int) -> None:
        super().__init__(number, phase_ms, topology)
        self.spec = spec
        self.jobs = SuccessiveJobs(spec.all_jobs, number, seed)
        self.restart()

    def restart(self) -> None:
        """Executors and the present job's work do not outlive the driver."""
        self.executors = {}
        """Executor → its container."""
        self.jobs.restart()
        dynamic = self.spec.dynamic
        self.allocation = None if dynamic is None else ExecutorAllocation(dynamic, self._slots)

    @property
    def _slots(self) -> int:
        """Tasks of an executor at a time."""
        return max(1, self.spec.executor.vcores)

    @property
    def _tasks(self) -> TaskCounts:
        return TaskCounts(self.jobs.pending, self.jobs.running)

    @property
    def target(self) -> int:
        """Executors it wants altogether."""
        return self.spec.executors if self.allocation is None else self.allocation.target

    def registered(self, now_ms: int) -> None:
        """Ask for the first executors."""
        self.jobs.begin(now_ms)
        if self.allocation is not None:
            self.allocation.begin(self._tasks, now_ms)
            self.allocation.target = max(self.allocation.target, self.spec.executors)
        self._follow(now_ms)

    def use(self, grant: Grant, host: str, now_ms: int) -> int | None:
        """An executor, as long as one is wanted."""
        if self.wanted.get((PRIORITY, "*"), 0) <= 0:
            return None
        executor = grant.container[2]
        self.executors[executor] = grant.container
        self.jobs.join(executor, host, self._slots, now_ms)
        self._follow(now_ms)
        return HELD

    def lost(self, container: ContainerId, cause: str, now_ms: int) -> None:
        """Its tasks wait again; another is asked for while the target says so."""
        if self.executors.pop(container[2], None) is not None:
            self.jobs.leave(container[2], now_ms)

    def act(self, now_ms: int) -> None:
        """Tasks end and begin, the target moves, idle executors beyond it are given back."""
        self.jobs.advance(now_ms)
        if self.jobs.are_done and not self.spec.stays:
            self.outcome = "FINISHED"
        elif self.allocation is not None:
            self.allocation.catch_up(self._tasks, now_ms)
            tired = [executor for executor, until_ms in self._idle_until(self.allocation).items() if until_ms <= now_ms]
            for executor in tired[: self.allocation.spare(len(self.executors))]:
                self.releases.append(self.executors.pop(executor))
                self.jobs.leave(executor, now_ms)
        self._follow(now_ms)

    def _idle_until(self, allocation: ExecutorAllocation) -> dict[int, int]:
        return allocation.idle_until(self.jobs.idle, self.jobs.cached, self.jobs.shuffled, self.jobs.shuffling)

    def _follow(self, now_ms: int) -> None:
        """Ask for what is missing to the target, and call again when something is due."""
        self.want_exactly(PRIORITY, "*", max(0, self.target - len(self.executors)))
        due = [self.jobs.next_ms()]
        if self.allocation is not None:
            until = self._idle_until(self.allocation)
            due.append(self.allocation.next_ms(self._tasks, until, len(self.executors), now_ms))
        self.wake_ms = min((time_ms for time_ms in due if time_ms != NEVER), default=0)

    def form(self, priority: int, name: str, count: int) -> Ask:
        """Executors are of one size and run anywhere."""
        executor = self.spec.executor
        return Ask(priority, name, executor.memory_mb, executor.vcores, count)

    def lifespan(self) -> Lifespan:
        """One job, a session of jobs, or a server."""
        kind = JOB if not self.spec.jobs else SERVICE if self.spec.stays else SESSION
        return self.jobs.lifespan(kind)
