"""The events of workers, drivers and clients that only a Spark Master knows.

Nodes are `host:port`, applications, drivers and executors are numbers. Source: DeployMessages, Spark 4.x.
"""

import msgspec

from engine.control_plane.protocol import Event


class WorkerRegistered(Event, frozen=True, gc=False, tag=True):
    """A worker registers. `NodeJoined` does the same with an id made from time and address."""

    node: str
    worker: str  # Its id; ties between workers hang on it
    cores: int
    memory_mb: int
    rack: str = ""


class WorkerDecommissioned(Event, frozen=True, gc=False, tag=True):
    """A worker is to take no more work; causes no pass."""

    node: str


class ExecutorProfile(msgspec.Struct, frozen=True, gc=False):
    """The shape of a resource profile's executors; None takes the default profile's."""

    id: int  # Greater than 0; smaller ids are served first
    cores: int | None = None
    memory_mb: int | None = None


class SparkApplicationRegistered(Event, frozen=True, gc=False, tag=True):
    """An application's driver registers it."""

    executor_memory_mb: int  # `spark.executor.memory`
    name: str = ""
    user: str = ""
    max_cores: int | None = None  # `spark.cores.max`; None takes the Master's default cores
    executor_cores: int | None = None  # `spark.executor.cores`; None: one executor for each worker and pass
    executor_limit: int | None = None  # Executors wanted at first, 0 under dynamic allocation; None is no limit
    application: int | None = None  # Its number; None takes the next


class ExecutorsRequested(Event, frozen=True, gc=False, tag=True):
    """An application sets how many executors it wants altogether; kills none when that is fewer than it has."""

    application: int
    totals: tuple[tuple[int, int], ...]  # (profile id, executors)
    profiles: tuple[ExecutorProfile, ...] = ()  # Shapes of profiles named for the first time


class ExecutorsKilled(Event, frozen=True, gc=False, tag=True):
    """An application gives executors back; what they held is free at once."""

    application: int
    executors: tuple[int, ...]


class ExecutorStateChanged(Event, frozen=True, gc=False, tag=True):
    """A worker reports an executor's state."""

    application: int
    executor: int
    state: str  # `RUNNING`, `EXITED`, `FAILED`, `KILLED` or `LOST`
    exit_status: int | None = None  # Anything but 0 counts as a failure, None too


class DriverSubmitted(Event, frozen=True, gc=False, tag=True):
    """A client submits a driver in cluster mode."""

    cores: int
    memory_mb: int
    supervise: bool = False  # Relaunch it when its worker is lost
    name: str = ""


class DriverKilled(Event, frozen=True, gc=False, tag=True):
    """A client asks for the end of a driver: a waiting one ends at once, a running one when its worker says so."""

    driver: int


class DriverStateChanged(Event, frozen=True, gc=False, tag=True):
    """A worker reports a driver's end."""

    driver: int
    state: str  # `FINISHED`, `FAILED`, `KILLED` or `ERROR`
