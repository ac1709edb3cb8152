"""A Spark driver on the standalone Master: it uses the executors it is given, and may ask for more or give back.

Without dynamic allocation it never speaks until it is done: the Master launches executors up to the application's
maximum by itself. With it, it registers with a limit of 0 and from then on names totals.

Source: StandaloneSchedulerBackend, Spark 4.x.
"""

from typing import NamedTuple

from engine.model.decision import ContainerId
from engine.scenario import StandaloneSpec
from engine.state import State
from engine.workload.master import drawn, stream
from engine.workload.spark import NEVER, ExecutorAllocation, TaskCounts
from engine.workload.stages import FOREVER, Stages


class DriverRequest(NamedTuple):
    """A driver's registration with the Master."""

    total: int | None = None  # Executors it wants altogether; None: nothing new
    give_back: tuple[int, ...] = ()  # Executors to kill
    done: bool = False  # The application has ended


class StandaloneDriver(metaclass=State):
    """One application's driver."""

    number: int
    spec: StandaloneSpec
    seed: int
    stages: Stages
    container: ContainerId | None = None  # Cluster mode: the container it runs in
    node: int = -1  # Cluster mode: index of its node
    dead: bool = False  # Its process died with its node
    allocation: ExecutorAllocation | None = None  # Dynamic allocation; None where the Master decides by itself
    idle: dict[int, int] = {}  # Since when each executor without a task is idle [epoch ms]
    wake_ms: int = NEVER  # For when it is on the clock [epoch ms]

    def __init__(self, number: int, spec: StandaloneSpec, seed: int) -> None:
        self.number = number
        self.spec = spec
        self.seed = seed
        self.stages = Stages(spec.stages, number, seed)
        if spec.dynamic is not None:
            self.allocation = ExecutorAllocation(spec.dynamic, spec.executor_cores or 1)

    def joined(self, executor: int, host: str, cores: int, now_ms: int) -> None:
        self.stages.join(executor, host, cores)
        self.idle[executor] = now_ms

    def life_of(self, executor: int) -> int:
        """Return how long an executor's process lives once started [ms]; `FOREVER`, or 0 when it does not start."""
        span = self.spec.exits_after_ms
        return FOREVER if span is None else drawn(stream(self.seed, "executor", self.number, executor), span)

    def left(self, executor: int) -> None:
        self.stages.leave(executor)
        self.idle.pop(executor, None)

    def note_idle(self, now_ms: int) -> None:
        """Bring the list of idle executors up to date; only dynamic allocation looks at it."""
        if self.allocation is None:
            return
        for executor in self.stages.places:
            if self.stages.busy(executor):
                self.idle.pop(executor, None)
            else:
                self.idle.setdefault(executor, now_ms)

    def think(self, now_ms: int) -> DriverRequest:
        """Return the messages to send to the Master now."""
        if self.dead or self.stages.is_done:
            return DriverRequest(done=True)
        allocation = self.allocation
        if allocation is None:
            return DriverRequest()
        if allocation.target < 0:
            allocation.begin(self._tasks, now_ms)
            return DriverRequest(total=allocation.target)
        return self._adjusted(allocation, now_ms)

    def _adjusted(self, allocation: ExecutorAllocation, now_ms: int) -> DriverRequest:
        """Source: ExecutorAllocationManager#updateAndSyncNumExecutorsTarget, #removeExecutors."""
        before = allocation.target
        allocation.adjust(self._tasks, now_ms)
        until = allocation.idle_until(self.idle)
        tired = [executor for executor, until_ms in until.items() if now_ms >= until_ms]
        given_back = tuple(tired[: allocation.spare(len(self.stages.places))])
        total = allocation.target if allocation.target != before or given_back else None
        return DriverRequest(total=total, give_back=given_back)

    @property
    def _tasks(self) -> TaskCounts:
        return TaskCounts(self.stages.pending, self.stages.running)

    def next_ms(self, now_ms: int) -> int:
        """Return when a time-out is due next; `NEVER` when none runs."""
        if self.allocation is None:
            return NEVER
        until = self.allocation.idle_until(self.idle)
        return self.allocation.next_ms(self._tasks, until, len(self.stages.places), now_ms)
