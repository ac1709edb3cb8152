"""Stages of tasks on executors: a Spark driver's work and the executor that does it, in any cluster.

A task takes one core of an executor. Executors are looked at round robin, one task for each free core and round, and
take a task whose input is on their host first. Tasks of a lost executor are done again; a stage begins when all tasks
of the one before have ended. Jobs may run side by side; tasks of the earlier one come first, as in Spark's FIFO mode.

Source: TaskSchedulerImpl#resourceOffers, TaskSetManager, Spark 4.x. A stage writes shuffle data where another one
comes after it. Differs: offers are in order of executor id, not
shuffled; a task does not wait for a better place (`spark.locality.wait` 0); results of lost executors are not lost.

A job is submitted at its instant and begins when those before it have ended, or at once where it overlaps. Tasks end at
instants of their own, which the application learns when it calls next; an executor that became free in between took its
next task then. Differs: a job that is not said to overlap waits for those before it; Spark gives a later job
the cores that the first one does not need.
"""

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from engine.scenario import JobSpec, StageSpec
from engine.state import State
from engine.workload.master import CoreShortage, Lifespan, drawn, stream

FOREVER = -1  # A task that never ends


class TaskStart(NamedTuple):
    executor: int
    task: int
    turn: int  # Which try of all tries so far; tells the end of this one from that of an earlier one
    duration_ms: int  # `FOREVER` for ever


class _Place(NamedTuple):
    host: str
    cores: int


class _Chain(metaclass=State):
    specs: tuple[StageSpec, ...]
    number: int
    seed: int
    stage: int = 0  # Place of the present stage; as many as there are when all have ended
    first: int = 0  # Number of the present stage's first task
    left: int = 0  # Tasks of it that have not ended
    near: dict[str, list[int]]
    spans: tuple[int, ...]
    waiting: dict[int, None]
    writers: dict[int, None] = {}  # Executors that ended a task of a stage that another one reads

    def __init__(self, specs: Sequence[StageSpec], number: int, seed: int, first: int = 0) -> None:
        self.specs = tuple(specs)
        self.number = number
        self.seed = seed
        self.open(first)

    def open(self, first: int) -> None:
        """The tasks of the present stage wait; they are numbered from `first` on."""
        spec = self.specs[self.stage] if self.stage < len(self.specs) else None
        self.left = spec.tasks if spec else 0
        self.first = first
        tasks = range(first, first + self.left)
        self.waiting = dict.fromkeys(tasks)
        self.near = {}
        """Tasks by host of their input, latest first; those that do not wait any more are dropped when met."""
        if spec is not None and spec.hosts:
            for task in reversed(tasks):
                self._file(task)
        random = stream(self.seed, "application", self.number, "stage", self.stage)
        self.spans = tuple(
            FOREVER if spec is None or spec.duration_ms is None else drawn(random, spec.duration_ms) for _ in tasks
        )

    @property
    def is_done(self) -> bool:
        return self.stage >= len(self.specs)

    @property
    def writes(self) -> bool:
        """Tell whether a later stage reads what the present one leaves on its executors."""
        return self.stage + 1 < len(self.specs)

    def is_endless(self, task: int) -> bool:
        return self.spans[task - self.first] == FOREVER

    def has(self, task: int) -> bool:
        return self.first <= task < self.first + len(self.spans)

    def hosts_of(self, task: int) -> tuple[str, ...]:
        """The hosts of a task's input; empty for anywhere."""
        hosts = self.specs[self.stage].hosts
        return hosts[(task - self.first) % len(hosts)] if hosts else ()

    def put_back(self, task: int) -> None:
        self.waiting[task] = None
        self._file(task)

    def _file(self, task: int) -> None:
        for host in self.hosts_of(task):
            self.near.setdefault(host, []).append(task)

    def take(self, host: str) -> int:
        """Take the first waiting task whose input is on this host, else the first of all; one waits."""
        tasks, found = self.near.get(host, []), next(iter(self.waiting))
        while tasks:
            task = tasks.pop()
            if task in self.waiting:
                found = task
                break
        del self.waiting[found]
        return found

    def span_on(self, task: int, host: str) -> int:
        span, spec = self.spans[task - self.first], self.specs[self.stage]
        is_away = span != FOREVER and spec.hosts and host not in self.hosts_of(task)
        return round(span * spec.away) if is_away else span


class Stages(metaclass=State):
    """The stages of the jobs that one application runs, and the executors they run on; earlier jobs come first."""

    chains: list[_Chain]  # The chain of each job that has not ended, in order of submission; at least one
    places: dict[int, _Place] = {}  # Live executors by id
    free: dict[int, int] = {}  # How many cores of them do nothing; those without one are left out
    live: dict[int, tuple[int, int]] = {}  # Task → (executor, turn)
    turn: int = 0

    def __init__(self, specs: Sequence[StageSpec], number: int, seed: int) -> None:
        self.chains = [_Chain(specs, number, seed)]

    def add(self, specs: Sequence[StageSpec], number: int, seed: int) -> None:
        self.chains.append(_Chain(specs, number, seed, self._unused()))

    def _unused(self, but: _Chain | None = None) -> int:
        return max((chain.first + len(chain.spans) for chain in self.chains if chain is not but), default=0)

    @property
    def is_done(self) -> bool:
        return all(chain.specs and chain.is_done for chain in self.chains)

    def caches(self, task: int) -> bool:
        """Tell whether executors keep what a task that runs reads."""
        return any(chain.has(task) and chain.specs[chain.stage].caches for chain in self.chains)

    def writes(self, task: int) -> bool:
        """Tell whether a task that runs leaves shuffle data on its executor."""
        return any(chain.has(task) and chain.writes for chain in self.chains)

    @property
    def writers(self) -> set[int]:
        return {executor for chain in self.chains if not chain.is_done for executor in chain.writers}

    @property
    def pending(self) -> int:
        return sum(len(chain.waiting) for chain in self.chains)

    @property
    def running(self) -> int:
        return len(self.live)

    @property
    def core_shortage(self) -> CoreShortage:
        if not self.live or self.free or not self.pending:
            return CoreShortage()
        are_endless = all(self._chain_of(task).is_endless(task) for task in self.live)
        cores = sum(place.cores for place in self.places.values())
        return CoreShortage(len(self.live) if are_endless else 0, self.pending, len(self.places), cores)

    def busy(self, executor: int) -> int:
        """Cores of an executor that run a task; 0 for an unknown one."""
        place = self.places.get(executor)
        return 0 if place is None else place.cores - self.free.get(executor, 0)

    def join(self, executor: int, host: str, cores: int) -> None:
        """An executor is ready; without a core it still runs one task at a time."""
        self.free[executor] = max(cores, 1)
        self.places[executor] = _Place(host, self.free[executor])

    def leave(self, executor: int) -> None:
        """An executor is gone; what it was doing waits again."""
        if self.places.pop(executor, None) is None:
            return
        self.free.pop(executor, None)
        for task in [task for task, (where, _) in self.live.items() if where == executor]:
            del self.live[task]
            self._chain_of(task).put_back(task)

    def _chain_of(self, task: int) -> _Chain:
        return next(chain for chain in self.chains if chain.has(task))

    def hand_out(self) -> list[TaskStart]:
        starts: list[TaskStart] = []
        while self.free and (pending := self.pending):
            starts += [self._start(executor) for executor in sorted(self.free)[:pending]]
        return starts

    def _start(self, executor: int) -> TaskStart:
        place = self.places[executor]
        chain = next(chain for chain in self.chains if chain.waiting)
        task = chain.take(place.host)
        self.free[executor] -= 1
        if not self.free[executor]:
            del self.free[executor]
        self.turn += 1
        self.live[task] = (executor, self.turn)
        return TaskStart(executor, task, self.turn, chain.span_on(task, place.host))

    def end(self, task: int, turn: int) -> bool:
        """A task has ended; False when that try of it was lost before."""
        if task not in self.live or self.live[task][1] != turn:
            return False
        executor, _ = self.live.pop(task)
        self.free[executor] = self.free.get(executor, 0) + 1
        chain = self._chain_of(task)
        if chain.writes:
            chain.writers[executor] = None
        chain.left -= 1
        if not chain.left:
            chain.stage += 1
            chain.open(self._unused(but=chain))
            if chain.is_done and len(self.chains) > 1:
                self.chains.remove(chain)
        return True


# Jobs of one application on the executors it holds: which are busy or idle, and since when.

NEVER = 0  # No instant


class SuccessiveJobs(metaclass=State):
    specs: tuple[JobSpec, ...]
    reuses: bool
    number: int
    seed: int
    began_ms: int  # When the application began [epoch ms]; jobs count from there
    done: int = 0  # Jobs that have ended; those that run side by side are counted when all of them have
    opened: int = 0  # Jobs that have begun
    opened_ms: int  # When the latest of them did [epoch ms]
    cached: dict[int, None]
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
        self.opened, self.opened_ms = self.done, NEVER
        self.idle = {}  # since when each executor without a task is idle [epoch ms]
        self.shuffled = {}  # executors that hold shuffle data, also of jobs that have ended
        self.cached = {}  # executors that hold cached blocks
        self.spent = []  # executors that are not used again and still held
        self.tasks = []  # heap of (end [epoch ms], task, turn) of the tasks that run
        self.stages = Stages((), self.number, self.seed)
        self.rested_ms = NEVER  # since when there is no job [epoch ms]; `NEVER` while there is one

    def begin(self, now_ms: int) -> None:
        """The application has registered; a job that went on without its master is not begun anew."""
        self.began_ms = self.began_ms or now_ms
        if self.opened == self.done:
            self.rested_ms = self.rested_ms or now_ms
        self.advance(now_ms)

    def join(self, executor: int, host: str, cores: int, now_ms: int) -> None:
        self.stages.join(executor, host, cores)
        self._hand_out(now_ms, executor)

    def leave(self, executor: int, now_ms: int) -> None:
        for known in (self.idle, self.shuffled, self.cached):
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
        stages, seed = self.specs[self.opened].stages, self.seed + self.opened
        if self.rested_ms == NEVER:
            self.stages.add(stages, self.number, seed)
        else:
            executors = self.stages.places
            self.stages = Stages(stages, self.number, seed)
            for executor, (host, cores) in executors.items():
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
        self._hand_out(now_ms, executor)
        if self.stages.is_done:
            self.done = self.opened
            self.rested_ms = now_ms

    def _hand_out(self, now_ms: int, freed: int = -1) -> None:
        for start in self.stages.hand_out():
            self.idle.pop(start.executor, None)
            if start.duration_ms != FOREVER:
                heappush(self.tasks, (now_ms + start.duration_ms, start.task, start.turn))
        if freed in self.stages.places and not self.stages.busy(freed):
            self.idle.setdefault(freed, now_ms)

    def lifespan(self, kind: str) -> Lifespan:
        rested = NEVER not in (self.began_ms, self.rested_ms)
        return Lifespan(kind, len(self.specs), self.done, self.rested_ms if rested else None, len(self.idle))

    @property
    def pending(self) -> int:
        return self.stages.pending

    @property
    def running(self) -> int:
        return self.stages.running

    @property
    def are_done(self) -> bool:
        return self.done >= len(self.specs)
