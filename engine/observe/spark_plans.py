"""The plans of a Spark Master as textbooks print them: a table for each helping of cores, and why the others wait.

A table is made when it is looked at: of a large plan nobody reads every step. Plans that were carried out come from
the Master's recorder, the last ones from a preview of a pass that has not been run.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec

from engine.control_plane.spark_master import SparkMaster
from engine.model.spark.worker import Worker
from engine.schedulers.spark.assignment import Want
from engine.schedulers.spark.pass_record import PassRecorder, PlanRecord, Unusable
from engine.schedulers.spark.plan_steps import ExecutorPlan, PlanStep, WorkerSlot, WorkerStatus
from engine.units import plural

NOTHING_GIVEN = "no usable worker has room"
"""Outcome of a plan that ends before its first step."""


class WorkerLine(msgspec.Struct, frozen=True):
    """One worker in the table of one step."""

    worker: str
    """Its host, with the port where a host has several; the id of a worker no longer listed."""
    cores_free: int
    """Left for this plan's next steps."""
    memory_free_mb: int
    executors: int
    """This plan's, up to this step."""
    cores: int
    """This plan's, up to this step."""
    words: str
    """That it got the cores of this step, or where it stands for the next."""
    got: bool = False
    waits: bool = False
    """True if it could be given more."""


class Table(msgspec.Struct, frozen=True):
    """One plan after one step."""

    number: int
    """From 1; 0 is before the first step."""
    round: int
    """From 1; one time through the workers. 0 before the first step."""
    lines: tuple[WorkerLine, ...]
    """Usable workers in the order they are offered, then those left out."""
    cores_left: int
    """That may still be given in this plan."""
    sentence: str


class PlanTables(msgspec.Struct, frozen=True, dict=True):
    """One application's plan in one pass, step by step."""

    time_ms: int
    cause: str
    """Type of the event that made the Master run the pass."""
    plan: PlanRecord
    nodes: dict[str, str]
    """Worker id → what it is called."""
    name: str
    """The application's; empty when it is forgotten."""
    ahead: bool
    """True if it is what a pass would do now, not what one has done."""

    @property
    def application(self) -> int:
        """Its number."""
        return self.plan.application

    @property
    def profile(self) -> int:
        """The resource profile planned for; 0 is the default."""
        return self.plan.profile

    @property
    def want(self) -> Want:
        """The cores the application wants."""
        return self.plan.want

    @property
    def spread_out(self) -> bool:
        """True if cores are spread over workers."""
        return self.plan.spread_out

    @property
    def given(self) -> int:
        """Cores given in the whole plan."""
        return sum(self.plan.assigned_cores)

    @property
    def step_cores(self) -> int:
        """Cores of each helping."""
        return self.want.executor_cores or 1

    @property
    def count(self) -> int:
        """Steps of the plan."""
        return self.given // self.step_cores

    @cached_property
    def _made(self) -> tuple[list[PlanStep], Iterator[PlanStep]]:
        """Steps that somebody has looked at, and those that follow."""
        return [], self.plan.steps()

    def table(self, number: int) -> Table:
        """The table after a step, 0 to `count`; what is beyond shows the nearest."""
        number = max(0, min(self.count, number))
        steps, rest = self._made
        while len(steps) < number:
            steps.append(next(rest))
        return self._after(steps[number - 1]) if number else self._before()

    def _before(self) -> Table:
        plan = ExecutorPlan(self.plan.slots, self.want, self.spread_out)
        lines = [self._line(slot, standing) for slot, standing in zip(plan.slots, plan.standings(), strict=True)]
        begun = f"{plural(len(lines), 'usable worker')}, in this order; {plural(plan.cores_left, 'core')} to give"
        sentence = begun if self.count else NOTHING_GIVEN
        return Table(0, 0, (*lines, *self._left_out()), plan.cores_left, sentence)

    def _after(self, step: PlanStep) -> Table:
        lines = tuple(
            self._line(slot, standing, got=place == step.position)
            for place, (slot, standing) in enumerate(zip(step.slots, step.standings, strict=True))
        )
        got = lines[step.position]
        gets, executors = plural(self.step_cores, "core"), plural(got.executors, "executor")
        sentence = f"{got.worker} gets {gets}: {got.cores} in {executors}; {step.cores_left} left to give"
        return Table(step.number, step.round, (*lines, *self._left_out()), step.cores_left, sentence)

    def _line(self, slot: WorkerSlot, standing: WorkerStatus, *, got: bool = False) -> WorkerLine:
        helping = "core" if self.step_cores == 1 else f"{self.step_cores} cores"
        words = f"got the next {helping}" if got else standing.value
        waits = standing is WorkerStatus.OPEN
        return WorkerLine(
            self.nodes.get(slot.worker, slot.worker),
            slot.cores_free,
            slot.memory_free_mb,
            slot.assigned_executors,
            slot.assigned_cores,
            words,
            got,
            waits,
        )

    def _left_out(self) -> Iterator[WorkerLine]:
        for one in self.plan.unusable:
            yield WorkerLine(
                self.nodes.get(one.worker, one.worker),
                one.cores_free,
                one.memory_free_mb,
                0,
                0,
                self._reason(one),
            )

    def _reason(self, one: Unusable) -> str:
        if one.reason is WorkerStatus.NO_CORES:
            return f"{plural(one.cores_free, 'core')} free, an executor needs {self.step_cores}"
        if one.reason is WorkerStatus.NO_MEMORY:
            return f"{one.memory_free_mb} MB free, an executor needs {self.want.memory_mb}"
        return str(one.reason.value)


def _called(workers: Sequence[Worker]) -> dict[str, str]:
    """Worker id → host, with the port where a host has several workers."""
    hosts = {worker.id: worker.node.rpartition(":")[0] for worker in workers}
    count = Counter(hosts.values())
    return {worker.id: hosts[worker.id] if count[hosts[worker.id]] == 1 else worker.node for worker in workers}


def keep_plans(master: SparkMaster, count: int) -> None:
    """Have the Master remember the last plans that gave cores; on a large cluster that costs much."""
    master.recorder = PassRecorder(count, only_given=True)


def plan_tables(master: SparkMaster, now_ms: int) -> tuple[PlanTables, ...]:
    """Plans the Master's recorder kept, oldest first, then those of a pass at this instant [epoch ms], not run."""
    nodes = _called(master.cluster.workers)
    names = {each.number: each.name for each in master.cluster.completed_applications}
    names.update((each.number, each.name) for each in master.cluster.applications.values())
    recorder = master.recorder
    done = [] if recorder is None else recorder.records
    ahead = master.preview(now_ms)
    return tuple(
        PlanTables(record.time_ms, record.cause, plan, nodes, names.get(plan.application, ""), record is ahead)
        for record in (*done, ahead)
        for plan in record.plans
        if record is ahead or any(plan.assigned_cores)
    )


def first_to_show(plans: Sequence[PlanTables], application: int | None) -> int:
    """Choose the plan that says most about an application, or all: the latest that gave it cores, else the one ahead.

    A plan ahead that would give it cores comes before both. `plans` is not empty.
    """
    about = [place for place, plan in enumerate(plans) if plan.application == application]
    chosen = about or list(range(len(plans)))
    giving = [place for place in chosen if plans[place].count]
    return giving[-1] if giving else chosen[-1]
