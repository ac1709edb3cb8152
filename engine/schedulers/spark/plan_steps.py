"""The assignment rule one step at a time: who got the next cores, and why the others did not.

For a screen that shows the plan of one application growing, as the worked tables of textbooks do. The plan touches
no worker; executors are launched only when it is complete, worker by worker. Source:
Master#scheduleExecutorsOnWorkers, Spark 4.x.
"""

from collections.abc import Iterator, Sequence
from enum import Enum

import msgspec

from engine.model.java_number import INT_MAX
from engine.schedulers.spark.assignment import Want


class WorkerStatus(Enum):
    """The state of a worker in a plan."""

    OPEN = "its turn comes"
    CORES_ASSIGNED = "the application has all the cores it may be given"
    NO_CORES = "too few cores are left on this worker"
    NO_MEMORY = "too little memory is left on this worker"
    EXECUTOR_LIMIT = "the application has as many executors as it asked for"
    NOT_ALIVE = "the worker is not alive"


class WorkerSlot(msgspec.Struct, frozen=True):
    """One usable worker within a plan."""

    worker: str
    """Worker id."""
    cores_free: int
    """Left for this plan's next steps."""
    memory_free_mb: int
    assigned_cores: int = 0
    assigned_executors: int = 0


class PlanStep(msgspec.Struct, frozen=True):
    """One helping of cores and the plan after it."""

    number: int
    """From 1."""
    round: int
    """From 1; one time through the workers."""
    position: int
    """Which worker got it."""
    slots: tuple[WorkerSlot, ...]
    standings: tuple[WorkerStatus, ...]
    """The state of each worker, after this step."""
    cores_left: int
    """Cores left for the application, after this step."""


class ExecutorPlan:
    """A plan for one resource profile, growing step by step."""

    def __init__(self, slots: Sequence[WorkerSlot], want: Want, spread_out: bool) -> None:
        self._slots = list(slots)
        self._want = want
        self._spread_out = spread_out
        self._step = want.executor_cores or 1
        self.cores_left = min(want.cores_left, sum(slot.cores_free for slot in slots))

    @property
    def slots(self) -> tuple[WorkerSlot, ...]:
        """The workers as they stand."""
        return tuple(self._slots)

    def standings(self) -> tuple[WorkerStatus, ...]:
        """Return the standing of each worker now."""
        return tuple(self._standing(position) for position in range(len(self._slots)))

    def _standing(self, position: int) -> WorkerStatus:
        slot = self._slots[position]
        if self.cores_left < self._step:
            return WorkerStatus.CORES_ASSIGNED
        if slot.cores_free < self._step:
            return WorkerStatus.NO_CORES
        if self._want.executor_cores is None and slot.assigned_executors:
            return WorkerStatus.OPEN
        if slot.memory_free_mb < self._want.memory_mb:
            return WorkerStatus.NO_MEMORY
        limit = self._want.executors_left
        if limit < INT_MAX and sum(other.assigned_executors for other in self._slots) >= limit:
            return WorkerStatus.EXECUTOR_LIMIT
        return WorkerStatus.OPEN

    def _give(self, position: int) -> None:
        slot = self._slots[position]
        opens = self._want.executor_cores is not None or not slot.assigned_executors
        self.cores_left -= self._step
        self._slots[position] = WorkerSlot(
            slot.worker,
            slot.cores_free - self._step,
            slot.memory_free_mb - (self._want.memory_mb if opens else 0),
            slot.assigned_cores + self._step,
            slot.assigned_executors + (1 if opens else 0),
        )

    def _is_open(self, position: int) -> bool:
        return self._standing(position) is WorkerStatus.OPEN

    def steps(self) -> Iterator[PlanStep]:
        """Every step in order; afterwards the plan is complete."""
        for number, (turn, position) in enumerate(self._turns(), 1):
            self._give(position)
            yield PlanStep(number, turn, position, self.slots, self.standings(), self.cores_left)

    def _turns(self) -> Iterator[tuple[int, int]]:
        """(round, position) of each next helping; the caller gives it before asking for the next."""
        open_positions = [position for position in range(len(self._slots)) if self._is_open(position)]
        turn = 0
        while open_positions:
            turn += 1
            for position in open_positions:
                yield from self._helpings(turn, position)
            open_positions = [position for position in open_positions if self._is_open(position)]

    def _helpings(self, turn: int, position: int) -> Iterator[tuple[int, int]]:
        while self._is_open(position):
            yield turn, position
            if self._spread_out:
                return
