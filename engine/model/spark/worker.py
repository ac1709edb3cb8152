"""A worker, what runs on it, and a driver, as the Master believes them.

Slotted and mutable; only `engine.model.spark.cluster` changes them. Source: WorkerInfo, ExecutorDesc, DriverInfo,
Spark 4.x. Custom resources (GPU, FPGA) are left out.
"""

from engine.model.spark.hash_order import FIRST_BUCKETS
from engine.state import State

ExecutorKey = tuple[int, int]
"""(application number, executor id)."""


class Executor(metaclass=State):
    """One executor of an application on a worker."""

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
        """Whether that much is free. Source: Master#canLaunch, Spark 4.x (both compared with >=)."""
        return self.memory_free_mb >= memory_mb and self.cores_free >= cores


class Driver(metaclass=State):
    """A driver submitted in cluster mode; a relaunched one is a new driver with a new number."""

    number: int
    name: str
    cores: int
    memory_mb: int
    supervise: bool
    submitted_ms: int
    origin: int
    """Number of the driver first submitted; its own number unless it is a relaunch."""
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
