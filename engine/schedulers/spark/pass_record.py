"""Records of what scheduling passes looked at and decided, made only when a recorder is set.

A record holds the inputs of each application's plan; the single steps are computed from them on demand.
"""

from collections.abc import Iterator

import msgspec

from engine.schedulers.spark.assignment import Want
from engine.schedulers.spark.plan_steps import ExecutorPlan, PlanStep, WorkerSlot, WorkerStatus
from engine.state import State


class Unusable(msgspec.Struct, frozen=True):
    """A worker left out of a plan before it began."""

    worker: str
    """Worker id."""
    reason: WorkerStatus
    cores_free: int
    memory_free_mb: int


class PlanRecord(msgspec.Struct, frozen=True):
    """One application's plan for one resource profile."""

    application: int
    profile: int
    want: Want
    spread_out: bool
    slots: tuple[WorkerSlot, ...]
    """Usable workers in the order offered, before the first step."""
    unusable: tuple[Unusable, ...]
    assigned_cores: tuple[int, ...]
    """For each slot; empty where the application wanted too little to be planned for."""

    def steps(self) -> Iterator[PlanStep]:
        """The plan, one helping of cores at a time."""
        return ExecutorPlan(self.slots, self.want, self.spread_out).steps()


class PassRecord(msgspec.Struct, frozen=True):
    """One pass."""

    time_ms: int
    cause: str
    """The kind of event that made the Master run it."""
    drivers: tuple[tuple[int, str], ...]
    """(driver number, worker id) of each driver placed."""
    plans: tuple[PlanRecord, ...]

    @property
    def gave(self) -> bool:
        """Tell whether anything was started."""
        return bool(self.drivers) or any(any(plan.assigned_cores) for plan in self.plans)


class PassRecorder(metaclass=State):
    """Keeps the records of the latest passes."""

    _keep: int
    _only_given: bool
    records: list[PassRecord] = []
    """Oldest first; an event may cause more than one pass."""

    def __init__(self, keep: int = 1, *, only_given: bool = False) -> None:
        """A recorder of the latest `keep` passes; with `only_given` of those that gave somebody something."""
        self._keep = keep
        self._only_given = only_given

    def add(self, record: PassRecord) -> None:
        """Keep a record and drop the oldest beyond the limit."""
        if self._only_given and not record.gave:
            return
        self.records.append(record)
        del self.records[: -self._keep]
