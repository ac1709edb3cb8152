"""The picture of a cluster as Spark's standalone Master believes it.

Workers are nodes, the FIFO list of applications is the one queue, executors are containers. What has no meaning here
(fair shares, reservations, preemption) is `UNKNOWN`. Amounts are (memory [MB], cores).

Asks the questions a pass asks, in its order, and changes nothing. Source: Master#canLaunchExecutor, Spark 4.x; the
driver's own words for it are "Initial job has not accepted any resources".
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

import msgspec

from engine.control_plane.spark_cluster_view import (
    NO_LIMIT,
    QUEUE,
    SparkClusterView,
    executors_pending,
    has_obstacle,
    helpings,
    id_of,
    waiting_drivers,
    wanted_shapes,
)
from engine.control_plane.spark_master import SparkMaster
from engine.model.spark.application import DEFAULT_PROFILE, ExecutorShape, SparkApplication, Worker
from engine.observe.releases import users_of
from engine.observe.snapshot import (
    SECTIONS,
    UNKNOWN,
    Amounts,
    ApplicationRow,
    AskRow,
    ExecutorRow,
    NodeRow,
    ObstacleSummary,
    QueueRow,
    Snapshot,
    Unknown,
    UserRow,
    header_of,
)
from engine.schedulers.obstacle_texts import Reason, part_of
from engine.schedulers.spark.assignment import RemainingDemand
from engine.schedulers.spark.scheduling_pass import (
    ExecutorPlan,
    PassRecorder,
    PlanRecord,
    PlanStep,
    Unusable,
    WorkerSlot,
    WorkerStatus,
)
from engine.units import plural

UNASKED = "has not accepted any resources"


def spark_obstacle(application: SparkApplication, view: SparkClusterView) -> ObstacleSummary | None:
    """Find the obstacle of an application; None when it does not wait, as `has_obstacle` tells."""
    if not has_obstacle(application):
        return None
    shapes = wanted_shapes(application)
    if shapes:
        return _no_worker(application, shapes, view)
    step = min(shape.step for profile, shape in application.shapes.items() if application.executors_left(profile) > 0)
    sentence = f"its maximum of {plural(application.cores_wanted, 'core')} is less than the {step} of one executor"
    return ObstacleSummary("MAXIMUM_TOO_SMALL", sentence)


def left_over(most: int | None | Unknown, each: int | None | Unknown) -> int:
    """Cores of a maximum that make no whole executor, so that they are never given; 0 where either is not known.

    Source: Master#scheduleExecutorsOnWorkers, Spark 4.x; the Master calls such an application RUNNING, its page shows
    them as cores left.
    """
    return most % each if isinstance(most, int) and isinstance(each, int) else 0


def left_over_words(most: int | None | Unknown, each: int | None | Unknown) -> str:
    """Say what is never given of a maximum; empty where all of it is.

    >>> left_over_words(10, 4), left_over_words(8, 4)
    ('2 of its 10 cores are never given: an executor takes 4', '')
    """
    count = left_over(most, each)
    verb = "is" if count == 1 else "are"
    return f"{count} of its {most} cores {verb} never given: an executor takes {each}" if count else ""


def _no_worker(
    application: SparkApplication, wanting: Sequence[ExecutorShape], view: SparkClusterView
) -> ObstacleSummary:
    alive = [worker for worker in view.cluster.workers if worker.state == "ALIVE"]
    shape = wanting[0]
    need = f"{shape.step} cores and {shape.memory_mb} MB"
    is_driver = application.number < 0
    end = f"; it {UNASKED}" if application.state == "WAITING" and not is_driver else ""
    if not alive:
        return ObstacleSummary("NO_WORKER", f"no worker is alive{end}")
    if not any(
        worker.cores >= each.step and worker.memory_mb >= each.memory_mb for worker in alive for each in wanting
    ):
        best = largest_for(shape, alive)
        size = f"{best.cores} cores and {best.memory_mb} MB"
        thing = "the driver" if is_driver else "one executor"
        sentence = f"no worker is large enough for {thing} of {need} (the nearest has {size}){end}"
        return ObstacleSummary("NODE_TOO_SMALL", sentence)
    if is_driver and view.drivers_running >= view.options.max_drivers:
        sentence = f"{plural(view.drivers_running, 'driver')} run{'s' * (view.drivers_running == 1)}, as many as may"
        return ObstacleSummary(Reason.QUEUE_NOT_RUNNING_IT.name, sentence)
    if any(worker.fits(each.step, each.memory_mb) for worker in alive for each in wanting):
        return ObstacleSummary(
            "WAITS_FOR_EVENT", f"a worker has {need} free; the next event makes the Master look{end}"
        )
    with_cores = [worker for worker in alive if worker.cores_free >= shape.step]
    if with_cores:
        sentence = f"{cores_without_memory(len(with_cores), len(alive), shape.memory_mb)}{end}"
        return ObstacleSummary("DOES_NOT_FIT", sentence)
    most = max(worker.cores_free for worker in alive)
    return ObstacleSummary("DOES_NOT_FIT", f"no worker has {plural(shape.step, 'core')} free (the most is {most}){end}")


def cores_without_memory(count: int, of: int, memory_mb: int) -> str:
    """The workers that have the cores of an executor free, and not its memory [MB].

    >>> cores_without_memory(2, 3, 512), cores_without_memory(1, 3, 512)
    ('2 of 3 workers have the cores, none of them 512 MB', '1 of 3 workers has the cores, but not 512 MB')
    """
    part = part_of(count, of, "worker")
    if count == 1:
        return f"{part} has the cores, but not {memory_mb} MB"
    return f"{part} have the cores, none of them {memory_mb} MB"


def largest_for(shape: ExecutorShape, workers: Sequence[Worker]) -> Worker:
    """The worker that comes nearest to holding an executor: what it lacks most of, it lacks least."""

    def lacks(worker: Worker) -> float:
        return max((shape.step - worker.cores) / shape.step, (shape.memory_mb - worker.memory_mb) / shape.memory_mb)

    return min(workers, key=lacks)


NOTHING_GIVEN = "no usable worker has room"  # Outcome of a plan that ends before its first step


class WorkerLine(msgspec.Struct, frozen=True):
    """One worker in the table of one step."""

    worker: str  # Its host, with the port where a host has several; the id of a worker no longer listed
    cores_free: int  # Left for this plan's next steps
    memory_free_mb: int
    executors: int  # This plan's, up to this step
    cores: int  # This plan's, up to this step
    words: str  # That it got the cores of this step, or where it stands for the next
    got: bool = False
    waits: bool = False  # True if it could be given more


class Table(msgspec.Struct, frozen=True):
    """One plan after one step."""

    number: int  # From 1; 0 is before the first step
    round: int  # From 1; one time through the workers. 0 before the first step.
    lines: tuple[WorkerLine, ...]  # Usable workers in the order they are offered, then those left out
    cores_left: int  # That may still be given in this plan
    sentence: str


class PlanTables(msgspec.Struct, frozen=True, dict=True):
    """One application's plan in one pass, step by step; a table is made when it is looked at."""

    time_ms: int
    cause: str  # Type of the event that made the Master run the pass
    plan: PlanRecord
    nodes: dict[str, str]  # Worker id → what it is called
    name: str  # The application's; empty when it is forgotten
    ahead: bool  # True if it is what a pass would do now, not what one has done

    @property
    def application(self) -> int:
        return self.plan.application

    @property
    def profile(self) -> int:
        return self.plan.profile

    @property
    def want(self) -> RemainingDemand:
        return self.plan.want

    @property
    def spread_out(self) -> bool:
        return self.plan.spread_out

    @property
    def step_cores(self) -> int:
        return self.want.executor_cores or 1

    @property
    def count(self) -> int:
        return sum(self.plan.assigned_cores) // self.step_cores

    @cached_property
    def _made(self) -> tuple[list[PlanStep], Iterator[PlanStep]]:
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


Busy = Callable[[], Mapping[tuple[int, int], int]]
"""Cores that run a task, by (application number, executor id), as far as drivers tell."""


class StandaloneRow(ApplicationRow, frozen=True, kw_only=True):
    """One application, and what only a Spark Master tells of it."""

    cores_wanted: int | None | Unknown  # `spark.cores.max`, else the Master's default cores; None is no limit
    executor_cores: int | None | Unknown
    """`spark.executor.cores`; None: one executor for each worker, with all the cores it is given there."""
    executor_memory_mb: int
    driver: Amounts = (0, 0)  # Held by its driver on a worker, as far as it is known whose driver is whose


class WorkerRow(NodeRow, frozen=True, kw_only=True):
    """One worker, whose containers are executors; drivers in cluster mode are counted apart, as the Master's pages do.

    Source: WorkerPage#render, Spark 4.0.1.
    """

    drivers: int | Unknown = UNKNOWN


class SparkSnapshot(Snapshot):
    """A picture at one instant; sections are built when asked for."""

    dialect = SparkClusterView.kind
    sections: Mapping[str, type[msgspec.Struct]] = {
        **{name: row for name, row in SECTIONS.items() if name != "containers"},
        "applications": StandaloneRow,
        "nodes": WorkerRow,
    }

    def __init__(
        self,
        master: SparkMaster,
        now_ms: int,
        busy: Busy = dict,
        driven: Mapping[int, int] = MappingProxyType({}),
    ) -> None:
        """Look at the cluster as a whole. `busy` is asked when executors are looked at; `driven` is driver → owner."""
        self._cluster = master.cluster
        self._version = master.cluster.version
        self._view = master.view()
        self._now_ms = now_ms
        self._busy = busy
        self._driven = driven
        self.header = header_of(master, now_ms)

    def version(self, section: str) -> int:
        """Changes when anything the Master believes changes; reservations never do, busy executors with the time."""
        if section == "executors":
            return hash((self._version, self._now_ms))
        return 0 if section == "reservations" else self._version

    def queues(self) -> Sequence[QueueRow]:
        return self._view.policy.queues()

    def nodes(self) -> Sequence[WorkerRow]:
        return tuple(_node_row(worker) for worker in self._cluster.workers)

    def applications(self, *, why: bool = True) -> Sequence[StandaloneRow]:
        listed = (*waiting_drivers(self._cluster), *self._cluster.applications.values())
        drivers = [driver for worker in self._cluster.workers for driver in worker.drivers.values()]
        held = {self._driven.get(each.number): (each.memory_mb, each.cores) for each in drivers}
        live = [_application_row(each, self._view, held.get(each.number, (0, 0)), why=why) for each in listed]
        ended = [_application_row(each, self._view, why=why) for each in reversed(self._cluster.completed_applications)]
        return (*live, *ended)

    def users(self) -> Sequence[UserRow]:
        return users_of([row for row in self.applications(why=False) if row.user], self.header.total)

    def executors(self) -> Sequence[ExecutorRow]:
        busy = self._busy()
        return tuple(
            ExecutorRow(
                executor.application,
                executor.id,
                executor.worker.node,
                executor.cores,
                executor.memory_mb,
                executor.profile,
                executor.state,
                executor.launched_ms,
                busy.get((executor.application, executor.id), UNKNOWN),
            )
            for application in self._cluster.applications.values()
            for executor in application.executors.values()
        )


def _node_row(worker: Worker) -> WorkerRow:
    return WorkerRow(
        id=worker.node,
        host=worker.node.rpartition(":")[0],
        rack=worker.rack,
        state=worker.state,
        partition="",
        total=(worker.memory_mb, worker.cores),
        used=(worker.memory_mb - worker.memory_free_mb, worker.cores - worker.cores_free),
        free=(worker.memory_free_mb, worker.cores_free),
        containers=len(worker.executors),
        reserved_by=None,
        reserved=None,
        last_heartbeat_ms=UNKNOWN,
        drivers=len(worker.drivers),
    )


def _application_row(
    application: SparkApplication, view: SparkClusterView, driver: Amounts = (0, 0), *, why: bool
) -> StandaloneRow:
    live = application.number < 0 or application.number in view.cluster.applications
    asks = _asks(application) if live else ()
    pending = executors_pending(application) if live else 0
    refusal = spark_obstacle(application, view) if live and why else None
    shape = application.shapes[DEFAULT_PROFILE]
    held_mb = sum(each.memory_mb for each in application.executors.values())
    return StandaloneRow(
        id=id_of(application),
        number=application.number,
        name=application.name,
        user=application.user,
        queue=QUEUE,
        type="SPARK",
        state=application.state,
        submitted_ms=application.submitted_ms,
        waiting_since_ms=application.unmet_since_ms if live else None,
        finished_ms=application.finished_ms,
        used=(held_mb, application.cores_granted) if live else (0, 0),
        containers=len(application.executors) if live else 0,
        reserved=UNKNOWN,
        reservations=UNKNOWN,
        asks=asks,
        pending_containers=pending,
        obstacle=refusal,
        cores_wanted=None if application.cores_wanted > NO_LIMIT else application.cores_wanted,
        executor_cores=shape.cores,
        executor_memory_mb=shape.memory_mb,
        driver=driver,
    )


def _asks(application: SparkApplication) -> tuple[AskRow, ...] | Unknown:
    """List its unmet asks, profile by profile: helpings of cores, or `UNKNOWN` without a maximum."""
    if application.cores_left > NO_LIMIT:
        return UNKNOWN
    return tuple(
        AskRow(profile, count, (shape.memory_mb, shape.step))
        for profile, shape in sorted(application.shapes.items())
        if (count := helpings(application, profile))
    )
