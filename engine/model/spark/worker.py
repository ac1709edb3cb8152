"""A worker, what runs on it, and a driver, as the Master believes them.

Slotted and mutable; only `engine.model.spark.cluster` changes them. Source: WorkerInfo, ExecutorDesc, DriverInfo,
Spark 4.x. Custom resources (GPU, FPGA) are left out.

Spark kills the executors of an ended application, and relaunches the drivers of a lost worker, in the order of a
`scala.collection.mutable.HashMap`: by bucket, within a bucket by hash. The number of buckets only grows.
Source: scala.collection.mutable.HashMap, Scala 2.13 (16 buckets at first, doubled when the entry to be added
reaches three quarters). Differs: executors are killed and drivers launched again in the order of
Scala 2.13; Spark 3.x built with Scala 2.12 has another order.
"""

from collections.abc import Iterable

from engine.model.identity import string_hash
from engine.model.java_number import int32
from engine.state import State

FIRST_BUCKETS = 16
"""Buckets of an empty map."""


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
