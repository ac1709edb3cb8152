"""One pass of the Master: waiting drivers, then every application in order of arrival.

An application that cannot be served blocks nobody and keeps its place; so cores that come free go to the oldest that
still wants them. Source: Master#schedule, Master#startExecutorsOnWorkers, Spark 4.x. Differs: the shuffle that
spreads drivers is seeded, and drawn only when a driver waits.

Source: Master#startExecutorsOnWorkers and Deploy.WorkerSelectionPolicy, Spark 4.x.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Self

from engine.model.decision import Allocated, ApplicationTransitioned, Decision
from engine.model.resource import Resource
from engine.model.spark.application import ExecutorShape, SparkApplication
from engine.model.spark.cluster import SparkCluster
from engine.model.spark.worker import Worker
from engine.schedulers.spark.assignment import Want, assign
from engine.schedulers.spark.driver_placement import place_drivers
from engine.schedulers.spark.pass_record import PassRecord, PassRecorder, PlanRecord, Unusable
from engine.schedulers.spark.plan_steps import WorkerSlot, WorkerStatus
from engine.schedulers.spark.settings import SparkSettings
from engine.settings.spark import SELECTION_POLICIES, TIES_BY_WORKER_ID

_FREE_CORES = attrgetter("cores_free")
_FREE_MEMORY = attrgetter("memory_free_mb")
_ID = attrgetter("id")
_SEQUENCE = attrgetter("sequence")

_ORDERS: tuple[tuple[Callable[[Worker], Any], bool], ...] = (
    (_FREE_CORES, True),
    (_FREE_CORES, False),
    (_FREE_MEMORY, True),
    (_FREE_MEMORY, False),
    (_ID, False),
)
"""(key, whether descending) of each selection policy."""

_POLICIES: Mapping[str, tuple[Callable[[Worker], Any], bool]] = MappingProxyType(
    dict(zip(SELECTION_POLICIES, _ORDERS, strict=True))
)


def in_order(workers: Iterable[Worker], policy: str, ties: str = TIES_BY_WORKER_ID) -> list[Worker]:
    """Usable workers in the order they are offered, however they are given."""
    key, descending = _POLICIES[policy]
    # Two stable sorts: a key of (amount, id) would build a tuple for every worker.
    ordered = sorted(workers, key=_ID if ties == TIES_BY_WORKER_ID else _SEQUENCE)
    ordered.sort(key=key)
    if descending:
        ordered.reverse()
    return ordered


DRIVER_ATTEMPT = 0
"""Attempt number in the container id of a driver: `(driver number, 0, 0)`."""

EXECUTOR_ATTEMPT = 1
"""Attempt number in the container id of an executor: `(application number, 1, executor id)`."""


class ShuffleStream(random.Random):
    """The seeded stream that drivers are shuffled with; a copy draws the same."""

    def copy(self) -> Self:
        """An independent stream that goes on alike."""
        other = type(self)(0)
        other.setstate(self.getstate())
        return other


class SchedulingPass:
    """One pass over a cluster; made for a single `run`."""

    def __init__(
        self,
        cluster: SparkCluster,
        settings: SparkSettings,
        stream: random.Random,
        now_ms: int,
        recorder: PassRecorder | None = None,
        cause: str = "",
    ) -> None:
        self._cluster = cluster
        self._settings = settings
        self._stream = stream
        self._now_ms = now_ms
        self._recorder = recorder
        self._cause = cause
        self._plans: list[PlanRecord] = []
        self._decisions: list[Decision] = []

    def run(self) -> list[Decision]:
        """Decide and apply; the decisions in order."""
        cluster = self._cluster
        placed = self._start_drivers() if cluster.waiting_drivers else ()
        if cluster.with_cores or self._recorder is not None:
            self._start_executors()
        # It waits again only if this pass has given it nothing.
        for application in cluster.lost_all_executors:
            if not application.executors:
                application.waiting_since_ms = self._now_ms
        cluster.lost_all_executors = []
        if self._recorder is not None:
            self._recorder.add(PassRecord(self._now_ms, self._cause, placed, tuple(self._plans)))
        return self._decisions

    def _start_drivers(self) -> tuple[tuple[int, str], ...]:
        cluster, settings = self._cluster, self._settings
        alive = [worker for worker in cluster.workers if worker.state == "ALIVE"]
        spread = settings.spread_out_drivers
        workers = shuffled(alive, self._stream) if spread else sorted(alive, key=lambda worker: worker.id)
        waiting = list(cluster.waiting_drivers)
        places = place_drivers(
            [Resource(worker.memory_free_mb, worker.cores_free) for worker in workers],
            [Resource(driver.memory_mb, driver.cores) for driver in waiting],
            settings.max_drivers - (len(cluster.drivers) - len(waiting)),
            spread,
        )
        for place in places:
            driver, worker = waiting[place.driver], workers[place.worker]
            cluster.launch_driver(driver, worker, self._now_ms)
            container = (driver.number, DRIVER_ATTEMPT, 0)
            self._decisions.append(Allocated(container, worker.node, 0, driver.memory_mb, driver.cores))
        return tuple((waiting[place.driver].number, workers[place.worker].id) for place in places)

    def _start_executors(self) -> None:
        with_cores = self._cluster.with_cores
        for application in self._cluster.applications.values():
            # It has all the cores it may have, so the order of workers need not be found.
            if application.cores_wanted == application.cores_granted:
                continue
            for profile in application.profiles:
                shape = application.shapes[profile]
                if application.cores_left >= shape.step:
                    self._serve(application, profile, shape, tuple(with_cores.values()))

    def _serve(
        self,
        application: SparkApplication,
        profile: int,
        shape: ExecutorShape,
        with_cores: Sequence[Worker],
    ) -> None:
        step, memory_mb = shape.step, shape.memory_mb
        if self._recorder is None and not application.executors_left(profile):
            return
        usable = [worker for worker in with_cores if worker.cores_free >= step and worker.memory_free_mb >= memory_mb]
        if not usable and self._recorder is None:
            return
        ordered = in_order(usable, self._settings.policy, self._settings.ties)
        want = Want(application.cores_left, shape.cores, memory_mb, application.executors_left(profile))
        cores = [worker.cores_free for worker in ordered]
        free_mb = [worker.memory_free_mb for worker in ordered]
        spread_out = self._settings.spread_out
        assigned = assign(cores, free_mb, want, spread_out)
        if self._recorder is not None:
            slots = tuple(WorkerSlot(worker.id, worker.cores_free, worker.memory_free_mb) for worker in ordered)
            left_out = _left_out(self._cluster.workers, step, memory_mb)
            self._plans.append(
                PlanRecord(application.number, profile, want, spread_out, slots, left_out, tuple(assigned))
            )
        for worker, given in zip(ordered, assigned, strict=True):
            if given > 0:
                self._launch(application, worker, given, shape, profile)

    def _launch(
        self, application: SparkApplication, worker: Worker, given: int, shape: ExecutorShape, profile: int
    ) -> None:
        """Start the executors of one worker. Source: Master#allocateWorkerResourceToExecutors, Spark 4.x."""
        if application.state == "WAITING":
            self._decisions.append(ApplicationTransitioned(application.number, "RUNNING"))
        # Executors without a size take all the cores the plan gave on this worker.
        each = shape.cores or given
        for _ in range(given // each):
            executor = self._cluster.launch_executor(application, worker, each, shape.memory_mb, profile, self._now_ms)
            container = (application.number, EXECUTOR_ATTEMPT, executor.id)
            self._decisions.append(Allocated(container, worker.node, profile, shape.memory_mb, each))


def shuffled(workers: Sequence[Worker], stream: random.Random) -> list[Worker]:
    """A permutation drawn from a seeded stream. Source: scala.util.Random#shuffle, which draws from the same end."""
    order = list(workers)
    for last in range(len(order) - 1, 0, -1):
        other = int(stream.random() * (last + 1))
        order[last], order[other] = order[other], order[last]
    return order


def _left_out(workers: Sequence[Worker], step: int, memory_mb: int) -> tuple[Unusable, ...]:
    """Return why workers are not usable, in order of registration."""
    found = []
    for worker in workers:
        if worker.state != "ALIVE":
            reason = WorkerStatus.NOT_ALIVE
        elif worker.cores_free < step:
            reason = WorkerStatus.NO_CORES
        elif worker.memory_free_mb < memory_mb:
            reason = WorkerStatus.NO_MEMORY
        else:
            continue
        found.append(Unusable(worker.id, reason, worker.cores_free, worker.memory_free_mb))
    return tuple(found)
