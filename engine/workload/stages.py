"""Stages of tasks on executors: what a Spark driver has to do and who does it, whichever cluster gave the executors.

A task takes one core of an executor. Executors are looked at round robin, one task for each free core and round, and
take a task whose input is on their host first. Tasks of a lost executor are done again; a stage begins when all tasks
of the one before have ended.

Source: TaskSchedulerImpl#resourceOffers, TaskSetManager, Spark 4.x. Differs: offers are in order of executor id, not
shuffled; a task does not wait for a better place (`spark.locality.wait` 0); results of lost executors are not lost.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engine.scenario import StageSpec
from engine.state import State
from engine.workload.random_streams import drawn, stream

FOREVER = -1
"""A task that never ends."""


class TaskStart(NamedTuple):
    """A task begins on an executor."""

    executor: int
    task: int
    turn: int
    """Which try of all tries so far; tells the end of this one from that of an earlier one."""
    duration_ms: int
    """`FOREVER` for ever."""


class _Place(metaclass=State):
    """An executor's host and cores, and how many are busy."""

    host: str
    cores: int
    busy: int

    def __init__(self, host: str, cores: int, busy: int = 0) -> None:
        self.host = host
        self.cores = cores
        self.busy = busy


class Stages(metaclass=State):
    """All stages of one application and the executors they run on."""

    specs: tuple[StageSpec, ...]
    number: int
    seed: int
    stage: int = 0
    """Place of the present stage; as many as there are when all have ended."""
    places: dict[int, _Place] = {}
    """Live executors by id."""
    free: dict[int, None] = {}
    """Those of them with a core that does nothing."""
    live: dict[int, tuple[int, int]] = {}
    """Task → (executor, turn)."""
    turn: int = 0
    near: dict[str, list[int]]
    spans: tuple[int, ...]
    waiting: dict[int, None]

    def __init__(self, specs: Sequence[StageSpec], number: int, seed: int) -> None:
        self.specs = tuple(specs)
        self.number = number
        self.seed = seed
        self._open()

    def _open(self) -> None:
        """The tasks of the present stage wait."""
        spec = self.specs[self.stage] if self.stage < len(self.specs) else None
        tasks = range(spec.tasks if spec else 0)
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
        """Whether there was something to do and all of it is done."""
        return bool(self.specs) and self.stage >= len(self.specs)

    @property
    def caches(self) -> bool:
        """Whether executors keep what tasks of the present stage read."""
        return self.stage < len(self.specs) and self.specs[self.stage].caches

    @property
    def pending(self) -> int:
        """Tasks of the present stage that wait for a core."""
        return len(self.waiting)

    @property
    def running(self) -> int:
        """Tasks that run."""
        return len(self.live)

    def busy(self, executor: int) -> int:
        """Cores of an executor that run a task; 0 for an unknown one."""
        place = self.places.get(executor)
        return 0 if place is None else place.busy

    def join(self, executor: int, host: str, cores: int) -> None:
        """An executor is ready."""
        self.places[executor] = _Place(host, cores)
        self.free[executor] = None

    def leave(self, executor: int) -> None:
        """An executor is gone; what it was doing waits again."""
        if self.places.pop(executor, None) is None:
            return
        self.free.pop(executor, None)
        for task in [task for task, (where, _) in self.live.items() if where == executor]:
            del self.live[task]
            self.waiting[task] = None
            self._file(task)

    def _file(self, task: int) -> None:
        """A task may be found by the hosts of its input."""
        hosts = self.specs[self.stage].hosts
        for host in hosts[task % len(hosts)] if hosts else ():
            self.near.setdefault(host, []).append(task)

    def hand_out(self) -> list[TaskStart]:
        """Give waiting tasks to free cores."""
        starts: list[TaskStart] = []
        while self.free and self.waiting:
            starts += [self._start(executor) for executor in sorted(self.free)[: len(self.waiting)]]
        return starts

    def _start(self, executor: int) -> TaskStart:
        place = self.places[executor]
        task = self._task_for(place.host)
        del self.waiting[task]
        place.busy += 1
        if place.busy >= place.cores:
            del self.free[executor]
        self.turn += 1
        self.live[task] = (executor, self.turn)
        span = self.spans[task]
        hosts = self.specs[self.stage].hosts
        if span != FOREVER and hosts and place.host not in hosts[task % len(hosts)]:
            span = round(span * self.specs[self.stage].away)
        return TaskStart(executor, task, self.turn, span)

    def _task_for(self, host: str) -> int:
        """The first waiting task whose input is on this host, else the first of all."""
        tasks = self.near.get(host, [])
        while tasks:
            task = tasks.pop()
            if task in self.waiting:
                return task
        return next(iter(self.waiting))

    def end(self, task: int, turn: int) -> bool:
        """A task has ended; False when that try of it was lost before."""
        executor, running = self.live.get(task, (-1, 0))
        if running != turn:
            return False
        del self.live[task]
        self.places[executor].busy -= 1
        self.free[executor] = None
        if not self.waiting and not self.live:
            self.stage += 1
            self._open()
        return True
