"""An application as the Master believes it, and the resource profiles of its executors.

Source: ApplicationInfo, ExecutorResourceDescription, Spark 4.x.

Slotted and mutable; only `engine.model.spark.cluster` changes them. Source: WorkerInfo, ExecutorDesc, DriverInfo,
Spark 4.x. Custom resources (GPU, FPGA) are left out.

Spark kills the executors of an ended application, and relaunches the drivers of a lost worker, in the order of a
`scala.collection.mutable.HashMap`: by bucket, within a bucket by hash. The number of buckets only grows.
Source: scala.collection.mutable.HashMap, Scala 2.13 (16 buckets at first, doubled when the entry to be added
reaches three quarters). Differs: executors are killed and drivers launched again in the order of
Scala 2.13; Spark 3.x built with Scala 2.12 has another order.

Every change of state in `engine.model.spark` goes through `check_move`; an illegal move raises and changes nothing.
Source: WorkerState, ApplicationState, ExecutorState, DriverState, Spark 4.x. The states of a recovering Master
(`UNKNOWN`) are left out: there is no standby here.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from engine.errors import InvariantError
from engine.model.identity import string_hash
from engine.model.java_values import INT_MAX, int32
from engine.state import State

# A worker, what runs on it, and a driver, as the Master believes them.

FIRST_BUCKETS = 16  # Buckets of an empty map


def buckets_after_adding(buckets: int, entries: int) -> int:
    """Buckets once one more entry has joined `entries` others.

    >>> buckets_after_adding(16, 10), buckets_after_adding(16, 11)
    (16, 32)
    """
    return buckets * 2 if entries + 1 >= buckets * 3 // 4 else buckets


def _improved(value: int) -> int:
    """The hash as the map spreads it, signed. Source: scala.collection.mutable.HashMap#improveHash."""
    unsigned = value & 0xFFFFFFFF
    return int32(unsigned ^ (unsigned >> 16))


def in_int_order(keys: Iterable[int], buckets: int) -> list[int]:
    """Int keys in the map's order.

    >>> in_int_order([14, 15, 16, 17], 16)
    [16, 17, 14, 15]
    """
    return sorted(keys, key=lambda key: (_improved(key) & (buckets - 1), _improved(key)))


def in_string_order(keys: Iterable[str], buckets: int) -> list[str]:
    """String keys in the map's order; keys of equal hash keep the given order."""
    hashes = [(_improved(string_hash(key)), key) for key in keys]
    return [key for mixed, key in sorted(hashes, key=lambda pair: (pair[0] & (buckets - 1), pair[0]))]


ExecutorKey = tuple[int, int]  # (application number, executor id)


class Executor(metaclass=State):
    application: int
    id: int
    worker: "Worker"
    cores: int
    memory_mb: int
    profile: int
    state: str = "LAUNCHING"
    launched_ms: int

    def __init__(
        self, application: int, id: int, worker: "Worker", cores: int, memory_mb: int, profile: int, launched_ms: int
    ) -> None:
        self.application = application
        self.id = id
        self.worker = worker
        self.cores = cores
        self.memory_mb = memory_mb
        self.profile = profile
        self.launched_ms = launched_ms


class Worker(metaclass=State):
    """One worker; while it is DEAD its used figures stay as they were."""

    id: str
    node: str
    rack: str
    cores: int
    memory_mb: int
    sequence: int
    last_heartbeat_ms: int
    state: str = "ALIVE"
    cores_free: int
    memory_free_mb: int
    executors: dict[ExecutorKey, Executor] = {}
    drivers: "dict[int, Driver]" = {}
    driver_buckets: int = FIRST_BUCKETS

    def __init__(
        self, id: str, node: str, rack: str, cores: int, memory_mb: int, sequence: int, last_heartbeat_ms: int
    ) -> None:
        self.id = id
        self.node = node
        self.rack = rack
        self.cores = cores
        self.memory_mb = memory_mb
        self.sequence = sequence
        self.last_heartbeat_ms = last_heartbeat_ms
        self.cores_free = cores
        self.memory_free_mb = memory_mb

    def fits(self, cores: int, memory_mb: int) -> bool:
        """Tell whether that much is free. Source: Master#canLaunch, Spark 4.x (both compared with >=)."""
        return self.memory_free_mb >= memory_mb and self.cores_free >= cores


class Driver(metaclass=State):
    """A driver submitted in cluster mode; a relaunched one is a new driver with a new number."""

    number: int
    name: str
    cores: int
    memory_mb: int
    supervise: bool
    submitted_ms: int
    origin: int  # Number of the driver first submitted; its own number unless it is a relaunch
    state: str = "SUBMITTED"
    worker: Worker | None = None
    launched_ms: int | None = None

    def __init__(
        self, number: int, name: str, cores: int, memory_mb: int, supervise: bool, submitted_ms: int, origin: int
    ) -> None:
        self.number = number
        self.name = name
        self.cores = cores
        self.memory_mb = memory_mb
        self.supervise = supervise
        self.submitted_ms = submitted_ms
        self.origin = origin

    @property
    def is_lost(self) -> bool:
        """Tell whether its worker was lost; one that is supervised is begun anew. Source: Master#removeWorker."""
        return self.state in ("ERROR", "RELAUNCHING")

    def replaces(self, lost: "Driver") -> bool:
        """Tell whether it was begun in place of one that was lost."""
        return self.origin == lost.origin and self.number > lost.number


# The life cycles of Spark's standalone Master as tables.

Moves = Mapping[str, tuple[str, ...]]  # For each state the states that may follow it

WORKER_MOVES: Moves = MappingProxyType(
    {
        "ALIVE": ("DECOMMISSIONED", "DEAD"),
        "DECOMMISSIONED": ("DEAD",),
        "DEAD": (),
    }
)

APPLICATION_MOVES: Moves = MappingProxyType(
    {
        "WAITING": ("RUNNING", "FINISHED", "FAILED", "KILLED"),
        "RUNNING": ("RUNNING", "FINISHED", "FAILED", "KILLED"),
        "FINISHED": (),
        "FAILED": (),
        "KILLED": (),
    }
)

EXECUTOR_MOVES: Moves = MappingProxyType(
    {
        "LAUNCHING": ("RUNNING", "KILLED", "FAILED", "LOST", "EXITED", "DECOMMISSIONED"),
        "RUNNING": ("KILLED", "FAILED", "LOST", "EXITED", "DECOMMISSIONED"),
        "DECOMMISSIONED": ("LOST",),
        "KILLED": (),
        "FAILED": (),
        "LOST": (),
        "EXITED": (),
    }
)

DRIVER_MOVES: Moves = MappingProxyType(
    {
        "SUBMITTED": ("RUNNING", "KILLED", "FINISHED", "FAILED", "ERROR"),
        "RUNNING": ("FINISHED", "RELAUNCHING", "KILLED", "FAILED", "ERROR"),
        "RELAUNCHING": (),
        "FINISHED": (),
        "KILLED": (),
        "FAILED": (),
        "ERROR": (),
    }
)

EXECUTOR_ENDS = ("KILLED", "FAILED", "LOST", "EXITED")
"""States in which an executor has ended. Source: ExecutorState#isFinished; DECOMMISSIONED is not among them."""

DRIVER_ENDS = ("ERROR", "FINISHED", "KILLED", "FAILED")
"""States a worker may report of a driver. Source: Master#receive, DriverStateChanged."""


def check_move(moves: Moves, state: str, new: str) -> str:
    """The new state. Raises InvariantError if the table does not allow it after `state`.

    >>> check_move(WORKER_MOVES, "ALIVE", "DEAD")
    'DEAD'
    """
    if new not in moves[state]:
        raise InvariantError(f"{state} may not become {new}; allowed: {', '.join(moves[state]) or 'nothing'}")
    return new


DEFAULT_PROFILE = 0  # Id of the profile every application has. Source: ResourceProfile#DEFAULT_RESOURCE_PROFILE_ID.


class ExecutorShape(NamedTuple):
    cores: int | None
    """Cores of each executor; None: one executor takes all it gets on a worker (`spark.executor.cores` unset)."""
    memory_mb: int

    @property
    def step(self) -> int:
        """Cores given at a time, at least 1."""
        return self.cores or 1


class SparkApplication(metaclass=State):
    """One registered application; it keeps its place among the waiting ones until it ends."""

    number: int
    name: str
    user: str
    cores_wanted: int  # `spark.cores.max`, else the Master's default cores; `INT_MAX` is no limit
    submitted_ms: int
    finished_ms: int | None = None
    waiting_since_ms: int | None  # Since when it has had no executor; None while it has one
    unmet_since_ms: int | None  # Since when it could be given more than it has; None while it has all it asks for
    state: str = "WAITING"
    shapes: dict[int, ExecutorShape]
    profiles: tuple[int, ...]  # Profile ids, ascending: the order they are served in
    targets: dict[int, int]
    executors: dict[int, Executor] = {}
    executor_buckets: int = FIRST_BUCKETS
    live_by_profile: dict[int, int]
    cores_granted: int = 0
    next_executor: int = 0
    failures: int = 0  # Abnormal executor ends since an executor last reported RUNNING
    all_failures: int = 0  # Those since it was submitted

    def __init__(
        self, number: int, name: str, user: str, cores_wanted: int, shape: ExecutorShape, limit: int | None, now_ms: int
    ) -> None:
        self.number = number
        self.name = name
        self.user = user
        self.cores_wanted = cores_wanted
        self.submitted_ms = now_ms
        self.waiting_since_ms = self.unmet_since_ms = now_ms
        self.shapes = {DEFAULT_PROFILE: shape}
        self.profiles = (DEFAULT_PROFILE,)
        self.targets = {DEFAULT_PROFILE: INT_MAX if limit is None else limit}
        self.live_by_profile = {DEFAULT_PROFILE: 0}

    @property
    def cores_left(self) -> int:
        """Cores it may still be given; shared by all its profiles. Source: ApplicationInfo#coresLeft."""
        return self.cores_wanted - self.cores_granted

    def executors_left(self, profile: int) -> int:
        """Executors of a profile it may still be given; never below 0. `INT_MAX` or nearly so: no limit."""
        return max(0, self.targets.get(profile, 0) - self.live_by_profile.get(profile, 0))

    def add_profile(self, profile: int, cores: int | None, memory_mb: int | None) -> None:
        """Make a profile known; what it does not say is the default profile's. A known id keeps its first shape.

        Source: ApplicationInfo#createResourceDescForResourceProfile, Spark 4.x.
        """
        if profile in self.shapes:
            return
        default = self.shapes[DEFAULT_PROFILE]
        self.shapes[profile] = ExecutorShape(
            default.cores if cores is None else cores, default.memory_mb if memory_mb is None else memory_mb
        )
        self.live_by_profile[profile] = 0
        self.profiles = tuple(sorted(self.shapes))
