"""Explains waits under a Spark Master: obstacles worker by worker, holders of what is needed, patterns.

Source: Master#schedule, Master#canLaunchExecutor, Spark 4.x. Codes are those of `schedulers.obstacle_texts.Reason`
where the
meaning is the same, else Spark's own.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Final, NamedTuple, cast

from engine.control_plane.cluster_view import asking
from engine.control_plane.spark_cluster_view import (
    NO_LIMIT,
    SparkClusterView,
    executors_pending,
    known_application,
    wanted_shapes,
)
from engine.control_plane.spark_master import SCHEDULE
from engine.explain.answer import WaiterReport, waiter_report
from engine.explain.counterfactuals import Ask
from engine.explain.explainer import Explainer
from engine.explain.instant import SharedLookahead
from engine.explain.obstacles import (
    DRIVER_LOST,
    EXITED,
    GIVEN_UP,
    LEFT_OVER,
    NODES_NAMED,
    ObstacleRow,
    own_row,
    without_setting,
)
from engine.explain.verdict import Verdict
from engine.explain.waits import BlockingResources, weight
from engine.grouping import grouped
from engine.incremental import Incremental
from engine.model.java_values import INT_MAX
from engine.model.request import SPARK_DIMENSIONS
from engine.model.spark.application import Driver, Executor, ExecutorShape, SparkApplication, Worker
from engine.model.spark.cluster import SparkCluster, application_id, driver_id
from engine.observe.spark_snapshot import largest_for, left_over_words, spark_obstacle
from engine.scenario.acts import KillApplication
from engine.schedulers.interface import Setting
from engine.schedulers.obstacle_texts import Reason
from engine.schedulers.spark.scheduling_pass import DRIVER_ATTEMPT, EXECUTOR_ATTEMPT
from engine.settings.spark import CORES_MAX, DEFAULT_CORES, EXECUTOR_RETRIES, MAX_DRIVERS, SUPERVISE
from engine.simulation.simulation import Simulation
from engine.simulation.spark_world import SparkWorld
from engine.units import format_duration, plural
from engine.workload.spark import StandaloneDriver

CORES_HELD: Final = "CORES_HELD"  # Code of the row of applications that hold all that their maximum allows
LEAST: Final = "spark.dynamicAllocation.minExecutors"
IDLE_TIMEOUT: Final = "spark.dynamicAllocation.executorIdleTimeout"
BACKLOG_TIMEOUT: Final = "spark.dynamicAllocation.schedulerBacklogTimeout"

ROOM, NO_MEMORY, NO_CORES, TOO_SMALL, DRAINING, DEAD = range(6)
"""Answers of a worker to an executor, the nearest to a yes first."""


class _WorkerText(NamedTuple):
    code: str
    state: str
    answer: str  # With the numbers of the worker that comes nearest


_WORKER_TEXTS: Final = {
    ROOM: _WorkerText("WAITS_FOR_EVENT", "SKIPPED", "room for it; it is served at the next event"),
    NO_MEMORY: _WorkerText(
        "DOES_NOT_FIT", "SKIPPED", "too little memory, {wanted_mb} MB wanted and the most free is {free_mb} MB"
    ),
    NO_CORES: _WorkerText(
        "DOES_NOT_FIT", "SKIPPED", "too few cores, {wanted_cores} wanted and the most free is {free_cores}"
    ),
    TOO_SMALL: _WorkerText("NODE_TOO_SMALL", "REJECTED", "too small, {wanted} wanted and the largest has {total}"),
    DRAINING: _WorkerText("NODE_DECOMMISSIONED", "REJECTED", "being decommissioned"),
    DEAD: _WorkerText("NODE_DEAD", "REJECTED", "dead"),
}
"""Answer of a worker → its text."""


class SparkExplainer(Explainer):
    """Explains a Spark Master; asks have no priority, and one list serves all workers.

    The applications before one in the list are among its obstacles.
    """

    def __init__(self, view: SparkClusterView, simulation: Simulation) -> None:
        self._view = view
        self._cluster = view.cluster
        self._simulation = simulation

    def obstacles(self, number: int, priority: int | None = None) -> Incremental[tuple[ObstacleRow, ...]]:
        yield
        application = known_application(self._cluster, number)
        if application is None:
            return self._failures(number)
        drivers = drivers_hold(application, self._view)
        others = (*_full_holders(application, self._view), *self._idle(application), *self._own(application))
        rows = (*spark_obstacles(application, self._view), *drivers, *others)
        rows = rows or self._not_yet(application) or self._beside(application) or _left_over(application)
        return (*rows, *_exited(application))

    def _failures(self, number: int) -> tuple[ObstacleRow, ...]:
        lost = self._world.lost_driver(number)
        if lost is not None:
            return (_driver_lost(lost),)
        ended = next((each for each in self._cluster.completed_applications if each.number == number), None)
        most = self._view.options.max_executor_retries
        if ended is None or ended.state != "FAILED" or not 0 <= most <= ended.failures:
            return ()
        sentence = f"{plural(ended.failures, 'executor')} failed one after the other, and none ran when the last did"
        sentence += f"; {_WHY_EXITED}"
        decider = Setting(EXECUTOR_RETRIES.name, str(most))
        return (ObstacleRow(GIVEN_UP, sentence, "APP", "SKIPPED", decided_by=decider),)

    def is_served_at(self, number: int, priority: int | None) -> bool:
        application = known_application(self._cluster, number)
        return application is not None and bool(application.executors)

    def without_room(self, numbers: Collection[int], others: Collection[int]) -> set[int]:
        alive = [worker for worker in self._cluster.workers if worker.state == "ALIVE"]
        held = [[each for each in one.executors.values() if each.application in others] for one in alive]
        found = {number: known_application(self._cluster, number) for number in numbers}
        return {
            number
            for number, application in found.items()
            if application is not None
            for shape in wanted_shapes(application)
            if not any(_fits_beside(worker, some, [shape]) for worker, some in zip(alive, held, strict=True))
        }

    def is_too_large(self, number: int, priority: int | None = None) -> Incremental[bool]:
        yield
        application = known_application(self._cluster, number)
        shapes = wanted_shapes(application) if application is not None else ()
        workers = [worker for worker in self._cluster.workers if worker.state == "ALIVE"]
        return {answer_of(worker, shape) for worker in workers for shape in shapes} == {TOO_SMALL}

    def holds(self, number: int, priority: int | None = None) -> Incremental[list[BlockingResources]]:
        yield
        application = known_application(self._cluster, number)
        return [] if application is None else spark_holds(application, self._view, self._driven)

    @property
    def _world(self) -> SparkWorld:
        return cast("SparkWorld", self._simulation.world)

    @property
    def _driven(self) -> dict[int, int]:
        return self._world.driven

    def _own(self, application: SparkApplication) -> tuple[ObstacleRow, ...]:
        refusal = spark_obstacle(application, self._view)
        is_full = refusal is not None and refusal.code == Reason.DOES_NOT_FIT.name
        if not is_full or not application.executors or spark_holds(application, self._view, self._driven):
            return ()
        held = sum(each.cores for each in application.executors.values())
        live, driven = self._cluster.drivers, self._driven
        of_driver = sum(each.cores for number, each in live.items() if driven.get(number) == application.number)
        own = f", {of_driver} of them its driver's" if of_driver else ""
        return (own_row(f"{plural(held + of_driver, 'core')}{own}"),)

    def _idle(self, application: SparkApplication) -> tuple[ObstacleRow, ...]:
        """A row where one with dynamic allocation keeps executors without a task on workers that are too full."""
        keeper = self._keeper(application)
        if keeper is None or keeper.allocation is None:
            return ()
        dynamic, idle, held = keeper.allocation.spec, len(keeper.idle), len(keeper.stages.places)
        id = application_id(self._cluster.applications[keeper.number].submitted_ms, keeper.number)
        least, wait_s = dynamic.least, dynamic.idle_ms // 1000
        is_least = held <= least
        why = f"it is to have {least} at least" if is_least else f"each is given back {wait_s} s after its last task"
        key, value = (LEAST, str(least)) if is_least else (IDLE_TIMEOUT, f"{wait_s}s")
        sentence = f"{id} {keeper.spec.name} keeps {plural(idle, 'idle executor')}: {why}"
        return (ObstacleRow("IDLE_HELD", sentence, "APP", "SKIPPED", subject=id, decided_by=Setting(key, value)),)

    def _not_yet(self, application: SparkApplication) -> tuple[ObstacleRow, ...]:
        """A row where tasks wait and the driver has yet to ask the Master for an executor."""
        driver = self._world.drivers.get(application.number)
        if application.executors or driver is None or driver.allocation is None or not driver.allocation.will_ask:
            return ()
        timeout = format_duration(driver.allocation.spec.backlog_ms)
        sentence = f"it asks for no executor yet: its driver does once tasks have waited for {timeout}"
        decider = Setting(BACKLOG_TIMEOUT, timeout)
        return (ObstacleRow(Reason.NOTHING_ASKED.name, sentence, "APP", "SKIPPED", decided_by=decider),)

    def _beside(self, application: SparkApplication) -> tuple[ObstacleRow, ...]:
        """A row where tasks of one without a maximum wait, and cores stay free on workers with too little memory."""
        shapes, waiting = wanted_shapes(application), self._world.core_shortage(application.number).waiting
        free = [each for each in self._cluster.workers if each.cores_free] if shapes and waiting else []
        groups = grouped((answer_of(each, shapes[0]), each) for each in free)
        answer = next((each for each in (NO_MEMORY, TOO_SMALL) if each in groups), None)
        if answer is None:
            return ()
        full = groups[answer]
        row = _of_workers(application, shapes[0], answer, full, self._cluster)
        cores = plural(sum(each.cores_free for each in full), "core")
        sentence = f"{plural(waiting, 'task')} wait{'s' * (waiting == 1)} beside {cores} free: {row.answer}"
        return (ObstacleRow(LEFT_OVER, sentence, "APP", "SKIPPED", decided_by=row.decided_by),)

    def _keeper(self, application: SparkApplication) -> StandaloneDriver | None:
        holds = {hold.application for hold in spark_holds(application, self._view, self._driven)}
        drivers = [driver for number, driver in self._world.drivers.items() if number in holds and driver.allocation]
        keeper = max(drivers, key=lambda driver: len(driver.idle), default=None)
        return keeper if keeper is not None and keeper.idle else None

    def _release_idle(self, number: int) -> None:
        application = known_application(self._cluster, number)
        keeper = None if application is None else self._keeper(application)
        if keeper is not None and keeper.allocation is not None:
            freed = {"least": 0, "idle_ms": 0}
            keeper.allocation.spec = keeper.allocation.spec.model_copy(update=freed)
            self._world.wake_driver(keeper)

    def loosen(self, ask: Ask, row: ObstacleRow, value: str) -> None:
        if row.code == "IDLE_HELD":
            self._release_idle(ask[0])
            return
        if row.code == Reason.NOTHING_ASKED.name:
            driver = self._world.drivers[ask[0]]
            assert driver.allocation is not None, "what asks for executors as tasks wait has one"
            driver.allocation.add_ms = self._simulation.now_ms
            self._world.wake_driver(driver)
            return
        self._loosen(ask[0], row)

    def _loosen(self, number: int, row: ObstacleRow) -> None:
        """Loosen the setting of an obstacle, and have the Master look again.

        This ends the applications that took all cores for want of a maximum, and the one whose maximum is named: with a
        lower maximum they would have left room. Where fewer drivers are to run, it ends others with a driver as well.
        """
        assert row.decided_by is not None, "there is a setting to loosen"
        key, cluster, world = row.decided_by.key, self._cluster, self._world
        application = known_application(cluster, number)
        assert application is not None, "who waits is known"
        hoarding = [each.number for each in hoarders(application, cluster)]
        live = [each for each in self._driven.values() if each != number and each in cluster.applications]
        others = {DEFAULT_CORES.name: hoarding, MAX_DRIVERS.name: live}.get(key, ())
        if row.code == CORES_HELD:
            ids = {number: application_id(each.submitted_ms, number) for number, each in cluster.applications.items()}
            others = [number for number, id in ids.items() if id == row.subject]
        for other in others:
            self._simulation.act(KillApplication(other))
        if key == CORES_MAX and row.code != CORES_HELD:
            application.cores_wanted = INT_MAX
        if number < 0:
            for driver in cluster.waiting_drivers:
                if driver.number == -1 - number:
                    driver.cores = 1 if key == "spark.driver.cores" else driver.cores
                    driver.memory_mb = 1 if key == "spark.driver.memory" else driver.memory_mb
        else:
            for profile, shape in application.shapes.items():
                cores = 1 if key == "spark.executor.cores" else shape.cores
                memory_mb = 1 if key == "spark.executor.memory" else shape.memory_mb
                application.shapes[profile] = shape._replace(cores=cores, memory_mb=memory_mb)
        world.apply_answer(world.control_plane.run_pass(SCHEDULE, self._simulation.now_ms))

    def waiting_in_queue(self, path: str) -> Iterator[WaiterReport]:
        """All applications that wait, longest first: there is one list."""
        return self.waiting_for_node(path)

    def waiting_for_node(self, node: str) -> Iterator[WaiterReport]:
        """All applications that wait, longest first: each waits for every worker."""
        for summary in asking(self._view):
            application = known_application(self._cluster, summary.number)
            assert application is not None, "whoever waits is known"
            pending = executors_pending(application)
            rows = tuple(map(without_setting, spark_obstacles(application, self._view)))
            yield waiter_report(self._view, summary, pending, rows, SPARK_DIMENSIONS)

    def pattern(self, basis: SharedLookahead, number: int, verdict: Verdict) -> Incremental[str]:
        """`no worker large enough`, `cores hoarded`, or empty."""
        yield
        application = known_application(self._cluster, number)
        refusal = spark_obstacle(application, self._view) if application is not None else None
        if application is None or refusal is None:
            return ""
        if refusal.code == Reason.NODE_TOO_SMALL.name:
            return "no worker large enough"
        is_full = refusal.code == Reason.DOES_NOT_FIT.name
        return "cores hoarded" if is_full and hoarders(application, self._cluster) else ""


def _left_over(application: SparkApplication) -> tuple[ObstacleRow, ...]:
    """What one that does not wait is never given, where all its executors are of one size."""
    most = None if application.cores_wanted > NO_LIMIT else application.cores_wanted
    sizes = {shape.cores for shape in application.shapes.values()}
    sentence = left_over_words(most, sizes.pop()) if len(sizes) == 1 else ""
    return (ObstacleRow(LEFT_OVER, sentence, "APP", "SKIPPED"),) if sentence else ()


_WHY_EXITED: Final = (
    "what each wrote to stderr, in the work folder of its worker, tells why, or the log of that Worker where none began"
)


def _exited(application: SparkApplication) -> tuple[ObstacleRow, ...]:
    if not application.all_failures:
        return ()
    words = f"{plural(application.all_failures, 'executor')} of it ended with an error so far: {_WHY_EXITED}"
    return (ObstacleRow(EXITED, words, "APP", "SKIPPED"),)


def answer_of(worker: Worker, shape: ExecutorShape) -> int:
    if worker.state != "ALIVE":
        return DEAD if worker.state == "DEAD" else DRAINING
    if worker.cores < shape.step or worker.memory_mb < shape.memory_mb:
        return TOO_SMALL
    if worker.cores_free < shape.step:
        return NO_CORES
    return NO_MEMORY if worker.memory_free_mb < shape.memory_mb else ROOM


def spark_obstacles(application: SparkApplication, view: SparkClusterView) -> tuple[ObstacleRow, ...]:
    """All that stands in its way, the first reason first; nothing when it waits for nothing."""
    refusal, cluster = spark_obstacle(application, view), view.cluster
    if refusal is None:
        return ()
    shapes = wanted_shapes(application)
    if not shapes:
        setting = Setting(CORES_MAX, str(application.cores_wanted))
        return (ObstacleRow(refusal.code, refusal.sentence, "APP", "SKIPPED", decided_by=setting),)
    is_limited = refusal.code == Reason.QUEUE_NOT_RUNNING_IT.name
    groups = grouped((min(answer_of(worker, shape) for shape in shapes), worker) for worker in cluster.workers)
    rows = [
        _of_workers(application, shapes[0], answer, workers, cluster)
        for answer, workers in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
        if not (is_limited and answer == ROOM)
    ]
    if is_limited:
        setting = Setting(MAX_DRIVERS.name, str(view.options.max_drivers))
        rows.append(ObstacleRow(refusal.code, refusal.sentence, "QUEUE", "SKIPPED", decided_by=setting))
    rows.sort(key=lambda row: row.code != refusal.code)  # the one its row shows comes first
    return (*rows, *_earlier(application, cluster)) or (ObstacleRow(refusal.code, refusal.sentence, "APP", "SKIPPED"),)


def _of_workers(
    application: SparkApplication, shape: ExecutorShape, answer: int, workers: Sequence[Worker], cluster: SparkCluster
) -> ObstacleRow:
    text = _WORKER_TEXTS[answer]
    numbers = _numbers(shape, answer, workers)
    return ObstacleRow(
        code=text.code,
        answer=text.answer.format(wanted=_amount(numbers, "wanted"), total=_amount(numbers, "total"), **numbers),
        level="NODE",
        state=text.state,
        count=len(workers),
        of=len(cluster.workers),
        nodes=tuple(worker.node.rpartition(":")[0] for worker in workers[:NODES_NAMED]),
        numbers=numbers,
        decided_by=_setting(application, shape, answer, workers, cluster),
        noun="worker",
    )


def _numbers(shape: ExecutorShape, answer: int, workers: Sequence[Worker]) -> dict[str, int]:
    if answer == NO_CORES:
        return {"wanted_cores": shape.step, "free_cores": max(worker.cores_free for worker in workers)}
    if answer == NO_MEMORY:
        return {"wanted_mb": shape.memory_mb, "free_mb": max(worker.memory_free_mb for worker in workers)}
    if answer != TOO_SMALL:
        return {}
    largest = largest_for(shape, workers)
    numbers: dict[str, int] = {}
    if largest.cores < shape.step:
        numbers |= {"wanted_cores": shape.step, "total_cores": largest.cores}
    if largest.memory_mb < shape.memory_mb:
        numbers |= {"wanted_mb": shape.memory_mb, "total_mb": largest.memory_mb}
    return numbers


def _amount(numbers: Mapping[str, int], stem: str) -> str:
    cores, memory_mb = numbers.get(f"{stem}_cores"), numbers.get(f"{stem}_mb")
    parts = (None if cores is None else plural(cores, "core"), None if memory_mb is None else f"{memory_mb} MB")
    return " and ".join(filter(None, parts))


def _setting(
    application: SparkApplication, shape: ExecutorShape, answer: int, workers: Sequence[Worker], cluster: SparkCluster
) -> Setting | None:
    """The setting of the size of its executors, or a driver's; of the default maximum where one without takes all."""
    what = "driver" if application.number < 0 else "executor"
    is_wide = shape.step > max(worker.cores for worker in workers)
    if answer == NO_CORES and hoarders(application, cluster):
        return Setting(DEFAULT_CORES.name, "unset")
    if answer == NO_CORES or (answer == TOO_SMALL and is_wide):
        return Setting(f"spark.{what}.cores", str(shape.step))
    return Setting(f"spark.{what}.memory", f"{shape.memory_mb}m") if answer in (NO_MEMORY, TOO_SMALL) else None


def _earlier(application: SparkApplication, cluster: SparkCluster) -> tuple[ObstacleRow, ...]:
    before = takewhile(lambda each: each is not application, cluster.applications.values())
    earlier = [each for each in before if wanted_shapes(each)]
    if not earlier or application.number < 0:  # drivers come before all executors
        return ()
    first = application_id(earlier[0].submitted_ms, earlier[0].number)
    sentence = f"{len(earlier)} earlier in the FIFO list still want cores, {first} first: free cores go to them first"
    if len(earlier) == 1:
        sentence = f"{first}, earlier in the FIFO list, still wants cores: free cores go to it first"
    numbers = {"earlier": len(earlier)}
    return (ObstacleRow(Reason.OTHER_FIRST.name, sentence, "QUEUE", "SKIPPED", subject=first, numbers=numbers),)


def _driver_lost(driver: Driver) -> ObstacleRow:
    name, is_anew = driver_id(driver.submitted_ms, driver.number), driver.supervise
    sentence = f"its driver {name} was lost with its worker and {'began' if is_anew else 'is not begun'} anew"
    supervise = None if is_anew else Setting(SUPERVISE, "false")
    return ObstacleRow(DRIVER_LOST, sentence, "APP", "SKIPPED", decided_by=supervise)


def drivers_hold(application: SparkApplication, view: SparkClusterView) -> tuple[ObstacleRow, ...]:
    """A row where drivers alone leave no live worker room for an executor, whatever executors are given back.

    Only the most drivers that may run keep them from taking every core.
    """
    cluster, most = view.cluster, view.options.max_drivers
    if application.number < 0:  # a driver itself, which would wait for its turn
        return ()
    shapes = wanted_shapes(application) if spark_obstacle(application, view) is not None else ()
    alive = [worker for worker in cluster.workers if worker.state == "ALIVE"]
    drivers = [driver for worker in alive for driver in worker.drivers.values()]
    if not drivers or not shapes or any(_fits_beside(one, one.drivers.values(), shapes) for one in alive):
        return ()
    if not any(shape.step <= one.cores and shape.memory_mb <= one.memory_mb for one in alive for shape in shapes):
        return ()  # no worker is large enough even without drivers
    used, cores = sum(driver.cores for driver in drivers), sum(worker.cores for worker in alive)
    held_mb, memory_mb = sum(driver.memory_mb for driver in drivers), sum(worker.memory_mb for worker in alive)
    sentence = (
        f"{plural(len(drivers), 'driver')} hold{'s' * (len(drivers) == 1)} {used} of {cores} cores and {held_mb} of"
        f" {memory_mb} MB: executors find no room beside them"
    )
    # A single driver runs whatever the setting is.
    is_many, value = len(drivers) > 1, "unlimited" if most == INT_MAX else str(most)
    setting = Setting(MAX_DRIVERS.name, value) if is_many else None
    return (ObstacleRow("DRIVERS_HOLD", sentence, "QUEUE", "SKIPPED", decided_by=setting),)


def _full_holders(application: SparkApplication, view: SparkClusterView) -> tuple[ObstacleRow, ...]:
    """A row for a cluster without free cores, where others hold all that their maximum allows.

    It names the maximum of the application that holds most; applications without one are told worker by worker.
    """
    cluster = view.cluster
    alive = [worker for worker in cluster.workers if worker.state == "ALIVE"]
    shapes = wanted_shapes(application) if spark_obstacle(application, view) is not None else ()
    answers = {answer_of(worker, shape) for worker in alive for shape in shapes}
    others = [each for each in cluster.applications.values() if each is not application and each.executors]
    if NO_CORES not in answers or ROOM in answers or not others or hoarders(application, cluster):
        return ()
    held, cores = sum(each.cores_granted for each in others), sum(worker.cores for worker in alive)
    most = max(others, key=lambda each: (each.cores_granted, -each.number))
    id = application_id(most.submitted_ms, most.number)
    verb = "holds" if len(others) == 1 else "hold"
    sentence = (
        f"{plural(len(others), 'application')} {verb} {held} of {cores} cores; {id} {most.name} has"
        f" {most.cores_granted} of at most {most.cores_wanted}"
    )
    key = DEFAULT_CORES.name if most.cores_wanted == view.options.default_cores else CORES_MAX
    setting = Setting(key, str(most.cores_wanted))
    return (ObstacleRow(CORES_HELD, sentence, "APP", "SKIPPED", subject=id, decided_by=setting),)


def _fits_beside(worker: Worker, held: Collection[Executor | Driver], shapes: Sequence[ExecutorShape]) -> bool:
    cores = worker.cores - sum(each.cores for each in held)
    memory_mb = worker.memory_mb - sum(each.memory_mb for each in held)
    return any(shape.step <= cores and shape.memory_mb <= memory_mb for shape in shapes)


def spark_holds(
    application: SparkApplication, view: SparkClusterView, driven: Mapping[int, int]
) -> list[BlockingResources]:
    """Return the applications with executors on workers that could take one of its own, those on most workers first.

    An application with its driver there counts too: `driven` maps the number of a driver to that of its application.
    Where no further driver may run, the drivers alone are in the way.
    """
    refusal = spark_obstacle(application, view)
    shapes = wanted_shapes(application) if refusal is not None else ()
    is_limited = refusal is not None and refusal.code == Reason.QUEUE_NOT_RUNNING_IT.name
    held: dict[int, list[Executor | Driver]] = {}
    for worker in view.cluster.workers:
        is_full = min((answer_of(worker, shape) for shape in shapes), default=ROOM) in (NO_MEMORY, NO_CORES)
        if not is_full and not is_limited:
            continue
        for executor in () if is_limited else worker.executors.values():
            held.setdefault(executor.application, []).append(executor)
        for driver in worker.drivers.values():
            held.setdefault(driven.get(driver.number, application.number), []).append(driver)
    held.pop(application.number, None)
    return sorted((_hold(number, some) for number, some in held.items()), key=weight)


def _hold(number: int, some: Sequence[Executor | Driver]) -> BlockingResources:
    return BlockingResources(
        application=number,
        because=Reason.DOES_NOT_FIT,
        containers=tuple(
            (each.number, DRIVER_ATTEMPT, 0) if isinstance(each, Driver) else (number, EXECUTOR_ATTEMPT, each.id)
            for each in some
        ),
        memory_mb=sum(each.memory_mb for each in some),
        vcores=sum(each.cores for each in some),
        reservations=(),
        nodes=tuple(dict.fromkeys(each.worker.node for each in some if each.worker is not None)),
    )


def hoarders(application: SparkApplication, cluster: SparkCluster) -> list[SparkApplication]:
    """Others that hold cores and set no maximum, so that they are given whatever comes free."""
    others = cluster.applications.values()
    return [each for each in others if each is not application and each.cores_wanted == INT_MAX and each.executors]
