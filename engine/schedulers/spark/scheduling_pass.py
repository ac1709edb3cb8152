"""One pass of the Master: waiting drivers, then every application in order of arrival.

An application that cannot be served blocks no other and keeps its place; so cores that come free go to the oldest that
still wants them. Source: Master#schedule, Master#startExecutorsOnWorkers, Spark 4.x. Differs: the shuffle that spreads
drivers is seeded, and drawn only when a driver waits.

Source: Master#startExecutorsOnWorkers and Deploy.WorkerSelectionPolicy, Spark 4.x.

For a screen that shows the plan of one application growing, as the worked tables of textbooks do. The plan touches
no worker; executors are launched only when it is complete, worker by worker. Source:
Master#scheduleExecutorsOnWorkers, Spark 4.x.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, Self

import msgspec

from engine.errors import ConfigError, Problem, nearest, quoted
from engine.model.decision import Allocated, ApplicationTransitioned, Decision
from engine.model.java_values import INT_MAX
from engine.model.request import Resource
from engine.model.spark.application import ExecutorShape, SparkApplication, Worker
from engine.model.spark.cluster import SparkCluster
from engine.schedulers.spark.assignment import RemainingDemand, assign, place_drivers
from engine.settings import spark as keys
from engine.state import State

# The assignment rule one step at a time: which application got the next cores, and why the others did not.


class WorkerStatus(Enum):
    OPEN = "its turn comes"
    CORES_ASSIGNED = "the application has all the cores it may be given"
    NO_CORES = "too few cores are left on this worker"
    NO_MEMORY = "too little memory is left on this worker"
    EXECUTOR_LIMIT = "the application has as many executors as it asked for"
    NOT_ALIVE = "the worker is not alive"


class WorkerSlot(msgspec.Struct, frozen=True):
    worker: str  # Worker id
    cores_free: int  # Left for this plan's next steps
    memory_free_mb: int
    assigned_cores: int = 0
    assigned_executors: int = 0


class PlanStep(msgspec.Struct, frozen=True):
    """One helping of cores and the plan after it."""

    number: int  # From 1
    round: int  # From 1; one time through the workers
    position: int  # Which worker got it
    slots: tuple[WorkerSlot, ...]
    standings: tuple[WorkerStatus, ...]  # The state of each worker, after this step
    cores_left: int  # Cores left for the application, after this step


class ExecutorPlan:
    """A plan for one resource profile, growing step by step."""

    def __init__(self, slots: Sequence[WorkerSlot], want: RemainingDemand, spread_out: bool) -> None:
        self._slots = list(slots)
        self._want = want
        self._spread_out = spread_out
        self._step = want.executor_cores or 1
        self.cores_left = min(want.cores_left, sum(slot.cores_free for slot in slots))

    @property
    def slots(self) -> tuple[WorkerSlot, ...]:
        return tuple(self._slots)

    def standings(self) -> tuple[WorkerStatus, ...]:
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


# The Master's settings in force.


class SparkSettings(msgspec.Struct, frozen=True):
    """Settings of a standalone Master; an application cannot change any of them. Meaning: `engine.settings.spark`."""

    spread_out: bool
    spread_out_drivers: bool
    max_drivers: int
    default_cores: int  # `INT_MAX` is no limit
    policy: str
    ties: str
    max_executor_retries: int
    worker_timeout_ms: int
    dead_worker_persistence: int
    retained_applications: int
    retained_drivers: int
    seed: int


_FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        keys.SPREAD_OUT_FORMER.name: "spread_out",
        keys.SPREAD_OUT.name: "spread_out",
        keys.SPREAD_OUT_DRIVERS.name: "spread_out_drivers",
        keys.MAX_DRIVERS.name: "max_drivers",
        keys.DEFAULT_CORES.name: "default_cores",
        keys.SELECTION_POLICY.name: "policy",
        keys.EXECUTOR_RETRIES.name: "max_executor_retries",
        keys.WORKER_TIMEOUT.name: "worker_timeout_ms",
        keys.PERSISTENCE.name: "dead_worker_persistence",
        keys.RETAINED_APPLICATIONS.name: "retained_applications",
        keys.RETAINED_DRIVERS.name: "retained_drivers",
        keys.TIES.name: "ties",
        keys.SEED.name: "seed",
    }
)
"""Property → field."""

_DEFAULTS: Final = SparkSettings(
    **{_FIELDS[key]: keys.SPARK.default(entry.key) for key, entry in keys.SPARK.whole.items()}
)


def changed(settings: SparkSettings, values: Mapping[str, str], allowed: Iterable[str]) -> SparkSettings:
    """Settings with some values replaced. Raises ConfigError with every unknown key and unreadable value."""
    problems: list[Problem] = []
    fields: dict[str, object] = {}
    # Where both names are given, the newer one holds.
    for key, text in sorted(values.items(), key=lambda item: item[0] == keys.SPREAD_OUT.name):
        if key not in allowed:
            problems.append(Problem("not a setting of the Master", key=key, hint=nearest(key, allowed)))
            continue
        try:
            fields[_FIELDS[key]] = keys.SPARK.whole[key].kind.read(text, None)
        except ValueError as error:
            problems.append(Problem(f"{quoted(text)}: {error if len(text) < 80 else 'too long'}", key=key))
    if problems:
        raise ConfigError(problems)
    return msgspec.structs.replace(settings, **fields)


def parse_settings(values: Mapping[str, str]) -> SparkSettings:
    """The settings a Master starts with, by default Spark's. Raises ConfigError with every problem found."""
    return changed(_DEFAULTS, values, keys.SPARK.whole)


# Records of what scheduling passes looked at and decided, made only when a recorder is set.
#
# A record holds the inputs of each application's plan; the single steps are computed from them on demand.


class Unusable(msgspec.Struct, frozen=True):
    worker: str  # Worker id
    reason: WorkerStatus
    cores_free: int
    memory_free_mb: int


class PlanRecord(msgspec.Struct, frozen=True):
    """One application's plan for one resource profile."""

    application: int
    profile: int
    want: RemainingDemand
    spread_out: bool
    slots: tuple[WorkerSlot, ...]  # Usable workers in the order offered, before the first step
    unusable: tuple[Unusable, ...]
    assigned_cores: tuple[int, ...]  # For each slot; empty where the application wanted too little to be planned for

    def steps(self) -> Iterator[PlanStep]:
        return ExecutorPlan(self.slots, self.want, self.spread_out).steps()


class PassRecord(msgspec.Struct, frozen=True):
    time_ms: int
    cause: str  # The kind of event that made the Master run it
    drivers: tuple[tuple[int, str], ...]  # (driver number, worker id) of each driver placed
    plans: tuple[PlanRecord, ...]

    @property
    def gave(self) -> bool:
        return bool(self.drivers) or any(any(plan.assigned_cores) for plan in self.plans)


class PassRecorder(metaclass=State):
    _keep: int
    _only_given: bool
    records: list[PassRecord] = []  # Oldest first; an event may cause more than one pass

    def __init__(self, keep: int = 1, *, only_given: bool = False) -> None:
        """A recorder of the latest `keep` passes; with `only_given` of those that gave somebody something."""
        self._keep = keep
        self._only_given = only_given

    def add(self, record: PassRecord) -> None:
        if self._only_given and not record.gave:
            return
        self.records.append(record)
        del self.records[: -self._keep]


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
    dict(zip(keys.SELECTION_POLICIES, _ORDERS, strict=True))
)


def in_order(workers: Iterable[Worker], policy: str, ties: str = keys.TIES_BY_WORKER_ID) -> list[Worker]:
    """Usable workers in the order they are offered, however they are given."""
    key, descending = _POLICIES[policy]
    # Two stable sorts: a key of (amount, id) would build a tuple for every worker.
    ordered = sorted(workers, key=_ID if ties == keys.TIES_BY_WORKER_ID else _SEQUENCE)
    ordered.sort(key=key)
    if descending:
        ordered.reverse()
    return ordered


DRIVER_ATTEMPT = 0  # Attempt number in the container id of a driver: `(driver number, 0, 0)`
EXECUTOR_ATTEMPT = 1  # Attempt number in the container id of an executor: `(application number, 1, executor id)`


class ShuffleStream(random.Random):
    """The seeded stream that drivers are shuffled with; a copy draws the same."""

    def copy(self) -> Self:
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
        want = RemainingDemand(application.cores_left, shape.cores, memory_mb, application.executors_left(profile))
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
