"""Spark: on YARN in cluster mode the driver is the application master; a standalone Master launches executors itself.

Work is either stages of tasks on the executors' cores, or one stretch of time that begins with the first executor (or,
where the application waits, with its last one) and takes as long with few executors as with many. Without dynamic
allocation executors are held to the end, and a driver on a standalone Master never speaks until it is done; with it,
the driver registers there with a limit of 0 and from then on names totals.

While tasks wait the target grows by one, then by twice as many each time; it falls with the tasks there are. Where a
log's totals are given they are the target until the last of them, and idle executors beyond it go at once.

Source: YarnAllocator, Spark 1.6 to 4.x; ExecutorAllocationManager, ExecutorMonitor, StandaloneSchedulerBackend, Spark
4.x. Differs: an executor runs tasks from the instant its container is granted; a real one starts first.
Differs: the number of executors is reckoned anew when something happens or a time-out is due; Spark does so every 100
ms. Differs: the allocator calls in the rhythm of all application masters, not every 3 s after a first 200 ms.
"""

from collections.abc import Container, Mapping
from math import ceil
from typing import Final, NamedTuple

from engine.control_plane.protocol import Ask, Grant
from engine.model.decision import ContainerId
from engine.scenario import DynamicAllocation, SparkSpec, StandaloneSpec
from engine.state import State
from engine.workload.master import (
    HELD,
    JOB,
    SERVICE,
    SESSION,
    ApplicationMaster,
    CoreShortage,
    Lifespan,
    Topology,
    drawn,
    stream,
)
from engine.workload.stages import FOREVER, Stages, SuccessiveJobs

# Dynamic allocation of a Spark application: how many executors it wants, and which idle ones it gives back.

NEVER: Final = 0  # No time-out runs


class TaskCounts(NamedTuple):
    pending: int
    running: int


class ExecutorAllocation(metaclass=State):
    """The target of one application and its time-outs."""

    spec: DynamicAllocation
    slots: int
    target: int = -1  # Executors it last asked for; -1 before it has
    add: int = 1  # Executors it asks for at the next time-out of waiting tasks
    add_ms: int = NEVER  # When that is [epoch ms]
    began_ms: int = NEVER  # When the application registered [epoch ms]
    total: int = 0  # Which of the totals comes next; as many as there are when the last is past

    def __init__(self, spec: DynamicAllocation, slots: int) -> None:
        """`slots` are the tasks that an executor runs at a time."""
        self.spec = spec
        self.slots = slots

    def begin(self, tasks: TaskCounts, now_ms: int) -> None:
        self.began_ms = now_ms
        self.target = 0 if self.spec.totals else max(self.spec.initial, self.spec.least)
        self._follow_totals(now_ms)
        if self._total_ms == NEVER:
            self._time_backlog(tasks, now_ms)

    @property
    def will_ask(self) -> bool:
        """True before it has asked for anything, and while tasks wait."""
        return self.target < 0 or self.add_ms != NEVER

    @property
    def _total_ms(self) -> int:
        """Return when the total changes next [epoch ms]; `NEVER` when tasks decide."""
        totals = self.spec.totals
        return self.began_ms + totals[self.total].at_ms if self.total < len(totals) else NEVER

    def _follow_totals(self, now_ms: int) -> None:
        while self._total_ms != NEVER and self._total_ms <= now_ms:
            self.target = self.spec.totals[self.total].executors
            self.total += 1

    def adjust(self, tasks: TaskCounts, now_ms: int) -> None:
        """Bring the target up to date. Source: #updateAndSyncNumExecutorsTarget."""
        self._follow_totals(now_ms)
        if self._total_ms != NEVER:
            return
        needed = self._needed(tasks)
        if self.add_ms != NEVER and self.add_ms < now_ms:
            self.add_ms += -(-(now_ms - self.add_ms) // self._again_ms) * self._again_ms
            self.add = 1
        self._time_backlog(tasks, now_ms)
        if needed < self.target:
            self.target = max(needed, self.spec.least)
            self.add = 1
        elif self.add_ms != NEVER and now_ms >= self.add_ms:
            self._ask_for_more(tasks, now_ms)

    def catch_up(self, tasks: TaskCounts, now_ms: int) -> None:
        """Let the time-outs up to now happen, each at its instant; for a caller that is not woken at each of them."""
        while NEVER < self.add_ms < now_ms and self.target < self._most(tasks):
            self.adjust(tasks, self.add_ms)
        self.adjust(tasks, now_ms)

    def _time_backlog(self, tasks: TaskCounts, now_ms: int) -> None:
        """Start the time-out while tasks wait. Source: ExecutorAllocationListener#onStageSubmitted, #onTaskStart."""
        if tasks.pending == 0:
            self.add, self.add_ms = 1, NEVER
        elif self.add_ms == NEVER:
            self.add_ms = now_ms + self.spec.backlog_ms

    def _needed(self, tasks: TaskCounts) -> int:
        return ceil((tasks.pending + tasks.running) * self.spec.ratio / self.slots)

    def _most(self, tasks: TaskCounts) -> int:
        needed = self._needed(tasks)
        return needed if self.spec.most is None else min(needed, self.spec.most)

    @property
    def _again_ms(self) -> int:
        again_ms = self.spec.backlog_ms if self.spec.sustained_ms is None else self.spec.sustained_ms
        return max(1, again_ms)

    def _ask_for_more(self, tasks: TaskCounts, now_ms: int) -> None:
        """One more at first, then twice as many each time. Source: #addExecutors."""
        grown = max(self.target, min(self.target + self.add, self._most(tasks)))
        self.add = self.add * 2 if grown - self.target == self.add else 1
        self.target = grown
        self.add_ms = now_ms + self._again_ms

    def spare(self, live: int) -> int:
        """Executors beyond the target and the least."""
        least = self.spec.least if self._total_ms == NEVER else 0
        return max(0, live - max(self.target, least))

    def idle_until(
        self,
        idle: Mapping[int, int],
        cached: Container[int] = (),
        shuffled: Container[int] = (),
        shuffling: Container[int] = (),
    ) -> dict[int, int]:
        """When each `idle` executor, since when [epoch ms], may be given back; those that are kept are left out.

        The others have cached blocks, or shuffle data: of whichever job, and (`shuffling`) of one that runs.
        Source: ExecutorMonitor#timedOutExecutors, Tracker#updateTimeout. Differs: the driver forgets no shuffle; Spark
        does when a collection of garbage finds it unused, by `spark.cleaner.periodicGC.interval` every 30 minutes.
        """
        if self._total_ms != NEVER:
            return dict(idle)
        until, tracks = {}, self.spec.shuffle == "tracking"
        for executor, since_ms in idle.items():
            patience_ms = self._patience_ms(executor in cached, tracks and executor in shuffled)
            if patience_ms is not None and not (tracks and executor in shuffling):
                until[executor] = since_ms + patience_ms
        return until

    def _patience_ms(self, is_cached: bool, is_shuffled: bool) -> int | None:
        """The time of what an executor holds, the shorter one where it holds both; None for ever."""
        spec = self.spec
        if not (is_cached or is_shuffled):
            return spec.idle_ms
        limits = (spec.cached_idle_ms if is_cached else None, spec.shuffle_timeout_ms if is_shuffled else None)
        return min((each for each in limits if each is not None), default=None)

    def next_ms(self, tasks: TaskCounts, idle_until: Mapping[int, int], live: int, now_ms: int) -> int:
        """Return when a time-out is due next; `NEVER` when none runs."""
        due = [self._total_ms, *(idle_until.values() if self.spare(live) else ())]
        if self.add_ms != NEVER and self.target < self._most(tasks):
            due.append(self.add_ms)
        return min((time_ms for time_ms in due if time_ms > now_ms), default=NEVER)


PRIORITY = 1  # Source: YarnSparkHadoopUtil.RM_REQUEST_PRIORITY


class SparkOnYarnMaster(ApplicationMaster):
    """Asks for all executors at once, asks again for lost ones, ends after its time of work."""

    duration_ms: None | int  # How long it works once it has begun; None for ever
    executors: dict[ContainerId, None] = {}

    spec: SparkSpec

    def __init__(self, number: int, phase_ms: int, topology: Topology, spec: SparkSpec, seed: int) -> None:
        super().__init__(number, phase_ms, topology)
        self.spec = spec
        span = spec.duration_ms
        self.duration_ms = None if span is None else drawn(stream(seed, "application", number), span)

    def registered(self, now_ms: int) -> None:
        self.want(PRIORITY, "*", self.spec.executors)

    def restart(self) -> None:
        self.executors = {}

    def use(self, grant: Grant, host: str, now_ms: int) -> int | None:
        if self.wanted.get((PRIORITY, "*"), 0) <= 0:
            return None
        self.want(PRIORITY, "*", -1)
        self.executors[grant.container] = None
        has_begun = not self.spec.waits or len(self.executors) >= self.spec.executors
        if has_begun and self.duration_ms is not None and not self.wake_ms:
            self.wake_ms = now_ms + max(1, self.duration_ms)
        return HELD

    def lost(self, container: ContainerId, cause: str, now_ms: int) -> None:
        if container in self.executors:
            del self.executors[container]
            self.want(PRIORITY, "*", 1)

    def act(self, now_ms: int) -> None:
        if 0 < self.wake_ms <= now_ms:
            self.outcome = "FINISHED"

    def form(self, priority: int, name: str, count: int) -> Ask:
        executor = self.spec.executor
        return Ask(priority, name, executor.memory_mb, executor.vcores, count)


# Spark on YARN with tasks: one application, or jobs given to it one after another: a shell, a session, a server.


class SparkJobsMaster(ApplicationMaster):
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
        self.executors = {}  # executor → its container
        self.jobs.restart()
        dynamic = self.spec.dynamic
        self.allocation = None if dynamic is None else ExecutorAllocation(dynamic, self._slots)

    @property
    def core_shortage(self) -> CoreShortage:
        return self.jobs.stages.core_shortage

    @property
    def _slots(self) -> int:
        return max(1, self.spec.executor.vcores)

    @property
    def _tasks(self) -> TaskCounts:
        return TaskCounts(self.jobs.pending, self.jobs.running)

    @property
    def target(self) -> int:
        return self.spec.executors if self.allocation is None else self.allocation.target

    def registered(self, now_ms: int) -> None:
        if not self.spec.waits:
            self.jobs.begin(now_ms)
        if self.allocation is not None:
            self.allocation.begin(self._tasks, now_ms)
            self.allocation.target = max(self.allocation.target, self.spec.executors)
        self._follow(now_ms)

    def use(self, grant: Grant, host: str, now_ms: int) -> int | None:
        if self.wanted.get((PRIORITY, "*"), 0) <= 0:
            return None
        executor = grant.container[2]
        self.executors[executor] = grant.container
        self.jobs.join(executor, host, self._slots, now_ms)
        if self.spec.waits and len(self.executors) >= self.spec.executors:
            self.jobs.begin(now_ms)
        self._follow(now_ms)
        return HELD

    def lost(self, container: ContainerId, cause: str, now_ms: int) -> None:
        if self.executors.pop(container[2], None) is not None:
            self.jobs.leave(container[2], now_ms)

    def act(self, now_ms: int) -> None:
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
        return allocation.idle_until(self.jobs.idle, self.jobs.cached, self.jobs.shuffled, self.jobs.stages.writers)

    def _follow(self, now_ms: int) -> None:
        self.want_exactly(PRIORITY, "*", max(0, self.target - len(self.executors)))
        due = [self.jobs.next_ms()]
        if self.allocation is not None:
            until = self._idle_until(self.allocation)
            due.append(self.allocation.next_ms(self._tasks, until, len(self.executors), now_ms))
        self.wake_ms = min((time_ms for time_ms in due if time_ms != NEVER), default=0)

    def form(self, priority: int, name: str, count: int) -> Ask:
        executor = self.spec.executor
        return Ask(priority, name, executor.memory_mb, executor.vcores, count)

    def lifespan(self) -> Lifespan:
        kind = JOB if not self.spec.jobs else SERVICE if self.spec.stays else SESSION
        return self.jobs.lifespan(kind)


class DriverRequest(NamedTuple):
    total: int | None = None  # Executors it wants altogether; None: nothing new
    give_back: tuple[int, ...] = ()  # Executors to kill
    done: bool = False  # The application has ended


class StandaloneDriver(metaclass=State):
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
