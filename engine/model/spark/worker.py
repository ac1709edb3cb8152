"""A worker, what runs on it, and a driver, as the Master believes them.

Slotted and mutable; only `engine.model.spark.cluster` changes them. Source: WorkerInfo, ExecutorDesc, DriverInfo,
Spark 4.x. Custom resources (GPU, FPGA) are left out.
"""

from engine.model.spark.hash_order import FIRST_BUCKETS

ExecutorKey = tuple[int, int]
"""(application number, executor id)."""


class Executor:
    """One executor of an application on a worker."""

    __slots__ = ("application", "cores", "id", "launched_ms", "memory_mb", "profile", "state", "worker")

    def __init__(
        self, application: int, id: int, worker: "Worker", cores: int, memory_mb: int, profile: int, launched_ms: int
    ) -> None:
        self.application = application
        self.id = id
        self.worker = worker
        self.cores = cores
        self.memory_mb = memory_mb
        self.profile = profile
        self.state = "LAUNCHING"
        self.launched_ms = launched_ms

    def copied_to(self, worker: "Worker") -> "Executor":
        """An equal executor on another worker object."""
        copy = Executor(self.application, self.id, worker, self.cores, self.memory_mb, self.profile, self.launched_ms)
        copy.state = self.state
        return copy


class Worker:
    """One worker; while it is DEAD its used figures stay as they were."""

    __slots__ = (
        "cores",
        "cores_free",
        "driver_buckets",
        "drivers",
        "executors",
        "id",
        "last_heartbeat_ms",
        "memory_free_mb",
        "memory_mb",
        "node",
        "rack",
        "sequence",
        "state",
    )

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
        self.state = "ALIVE"
        self.cores_free = cores
        self.memory_free_mb = memory_mb
        self.executors: dict[ExecutorKey, Executor] = {}
        self.drivers: dict[int, Driver] = {}
        self.driver_buckets = FIRST_BUCKETS

    def fits(self, cores: int, memory_mb: int) -> bool:
        """Whether that much is free. Source: Master#canLaunch, Spark 4.x (both compared with >=)."""
        return self.memory_free_mb >= memory_mb and self.cores_free >= cores


class Driver:
    """A driver submitted in cluster mode; a relaunched one is a new driver with a new number."""

    __slots__ = ("cores", "memory_mb", "name", "number", "origin", "state", "submitted_ms", "supervise", "worker")

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
        """Number of the driver first submitted; its own number unless it is a relaunch."""
        self.state = "SUBMITTED"
        self.worker: Worker | None = None
