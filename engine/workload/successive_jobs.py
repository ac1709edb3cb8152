"""Jobs of one application on the executors it holds: who is busy, who is idle, and since when.

A job is submitted at its instant and begins when those before it have ended, or at once where it overlaps. Tasks end at
instants of their own, which the application learns when it calls next; an executor that became free in between took its
next task then. Differs: a job that is not said to overlap waits for those before it; Spark gives a later job
the cores that the first one does not need.
"""

from heapq import heappop, heappush

from engine.scenario import JobSpec
from engine.state import State
from engine.workload.lifespan import Lifespan
from engine.workload.stages import FOREVER, Stages

NEVER = 0
"""No instant."""


class SuccessiveJobs(metaclass=State):
    """Jobs, their tasks, and executors by id."""

    specs: tuple[JobSpec, ...]
    reuses: bool
    number: int
    seed: int
    began_ms: int
    """When the application began [epoch ms]; jobs count from there."""
    done: int = 0
    """Jobs that have ended; those that run side by side are counted when all of them have."""
    opened: int = 0
    """Jobs that have begun."""
    opened_ms: int
    """When the latest of them did [epoch ms]."""
    cached: dict[int, None]
    hosts: dict[int, tuple[str, int]]
    idle: dict[int, int]
    rested_ms: int
    spent: list[int]
    stages: Stages
    tasks: list[tuple[int, int, int]]
    shuffled: dict[int, None]

    def __init__(self, specs: tuple[JobSpec, ...], number: int, seed: int, *, reuses: bool = True) -> None:
        """Nothing has begun; without `reuses` an executor is spent when its first task has ended."""
        self.specs = specs
        self.reuses = reuses
        self.number = number
        self.seed = seed
        self.began_ms = NEVER
        self.restart()

    def restart(self) -> None:
        """Executors and the present jobs' work are gone; jobs that have ended are not done again."""
        self.opened, self.opened_ms = self.done, NEVER
        self.hosts = {}
        """Executor → host and cores."""
        self.idle = {}
        """Since when each executor without a task is idle [epoch ms]."""
        self.shuffled = {}
        """Executors that hold shuffle data, also of jobs that have ended."""
        self.cached = {}
        """Executors that hold cached blocks."""
        self.spent = []
        """Executors that are not used again and still held."""
        self.tasks = []
        """Heap of (end [epoch ms], task, turn) of the tasks that run."""
        self.stages = Stages((), self.number, self.seed)
        self.rested_ms = NEVER
        """Since when there is no job [epoch ms]; `NEVER` while there is one."""

    def begin(self, now_ms: int) -> None:
        """The application has registered; a job that went on without its master is not begun anew."""
        self.began_ms = self.began_ms or now_ms
        if self.opened == self.done:
            self.rested_ms = self.rested_ms or now_ms
        self.advance(now_ms)

    def join(self, executor: int, host: str, cores: int, now_ms: int) -> None:
        """An executor is ready, and takes tasks that wait."""
        self.hosts[executor] = (host, cores)
        self.stages.join(executor, host, cores)
        self._hand_out(now_ms)

    def leave(self, executor: int, now_ms: int) -> None:
        """An executor is gone; what it did waits again."""
        for known in (self.hosts, self.idle, self.shuffled, self.cached):
            known.pop(executor, None)
        self.stages.leave(executor)
        self._hand_out(now_ms)

    def take_spent(self) -> list[int]:
        """Executors to give back because they are not used again."""
        spent, self.spent = self.spent, []
        return spent

    def advance(self, now_ms: int) -> None:
        """Tasks end and jobs begin, each at its instant, up to now."""
        while (due_ms := self.next_ms()) != NEVER and due_ms <= now_ms:
            if self.tasks and self.tasks[0][0] == due_ms:
                _, task, turn = heappop(self.tasks)
                self._end(task, turn, due_ms)
            else:
                self._open(due_ms)

    def next_ms(self) -> int:
        """Return when a task ends or a job begins next [epoch ms]; `NEVER` when none does."""
        due_ms = self.tasks[0][0] if self.tasks else NEVER
        if self.opened >= len(self.specs):
            return due_ms
        job = self.specs[self.opened]
        if self.rested_ms != NEVER:
            return max(self.began_ms + job.at_ms, self.rested_ms)
        if self.opened_ms != NEVER and job.overlaps:
            job_ms = max(self.began_ms + job.at_ms, self.opened_ms)
            return min(due_ms, job_ms) if self.tasks else job_ms
        return due_ms

    def _open(self, now_ms: int) -> None:
        """The next job begins, on all executors there are."""
        stages, seed = self.specs[self.opened].stages, self.seed + self.opened
        if self.rested_ms == NEVER:
            self.stages.add(stages, self.number, seed)
        else:
            self.stages = Stages(stages, self.number, seed)
            for executor, (host, cores) in self.hosts.items():
                self.stages.join(executor, host, cores)
        self.rested_ms, self.opened_ms = NEVER, now_ms
        self.opened += 1
        self._hand_out(now_ms)

    def _end(self, task: int, turn: int, now_ms: int) -> None:
        executor = self.stages.live.get(task, (-1, 0))[0]
        caches, writes = self.stages.caches(task), self.stages.writes(task)
        if not self.stages.end(task, turn):
            return
        if caches:
            self.cached[executor] = None
        if writes:
            self.shuffled[executor] = None
        if not self.reuses:
            self.spent.append(executor)
            self.leave(executor, now_ms)
        self._hand_out(now_ms)
        if self.stages.is_done:
            self.done = self.opened
            self.rested_ms = now_ms

    def _hand_out(self, now_ms: int) -> None:
        for start in self.stages.hand_out():
            if start.duration_ms != FOREVER:
                heappush(self.tasks, (now_ms + start.duration_ms, start.task, start.turn))
        for executor in self.hosts:
            if self.stages.busy(executor):
                self.idle.pop(executor, None)
            else:
                self.idle.setdefault(executor, now_ms)

    def lifespan(self, kind: str) -> Lifespan:
        """Return what an application of this kind of life is doing."""
        rested = NEVER not in (self.began_ms, self.rested_ms)
        return Lifespan(kind, len(self.specs), self.done, self.rested_ms if rested else None, len(self.idle))

    @property
    def shuffling(self) -> set[int]:
        """Executors with shuffle data of a job that runs."""
        return self.stages.writers

    @property
    def pending(self) -> int:
        """Tasks that wait for an executor."""
        return self.stages.pending

    @property
    def running(self) -> int:
        """Tasks that run."""
        return self.stages.running

    @property
    def are_done(self) -> bool:
        """Tell whether every job has ended."""
        return self.done >= len(self.specs)
