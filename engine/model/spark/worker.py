"""A worker, what runs on it, and a driver, as the Master believes them.

Slotted and mutable; only `engine.model.spark.cluster` changes them. Source: WorkerInfo, ExecutorDesc, DriverInfo,
Spark 4.x. Custom resources (GPU, FPGA) are left out.
"""

from typing import ClassVar

from engine.model.spark.hash_order import FIRST_BUCKETS
from engine.state import REFERENCE, REFERENCES, SHARED, Slots

ExecutorKey = tuple[int, int]
"""(application number, executor id)."""


class Executor:
    """One executor of an application on a worker."""

    STATE: ClassVar[Slots] = {
        "application": SHARED,
        "cores": SHARED,
        "id": SHARED,
        "launched_ms": SHARED,
        "memory_mb": SHARED,
        "profile": SHARED,
        "state": SHARED,
        "worker": REFERENCE,
    }
    __slots__ = STATE

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


class Worker:
    """One worker; while it is DEAD its used figures stay as they were."""

    STATE: ClassVar[Slots] = {
        "cores": SHARED,
        "cores_free": SHARED,
        "driver_buckets": SHARED,
        "drivers": REFERENCES,
        "executors": REFERENCES,
        "id": SHARED,
        "last_heartbeat_ms": SHARED,
        "memory_free_mb": SHARED,
        "memory_mb": SHARED,
        "node": SHARED,
        "rack": SHARED,
        "sequence": SHARED,
        "state": SHARED,
    }
    __slots__ = STATE

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

    STATE: ClassVar[Slots] = {
        "cores": SHARED,
        "memory_mb": SHARED,
        "name": SHARED,
        "number": SHARED,
        "origin": SHARED,
        "state": SHARED,
        "submitted_ms": SHARED,
        "supervise": SHARED,
        "worker": REFERENCE,
    }
    __slots__ = STATE

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
