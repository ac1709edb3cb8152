"""The picture of a cluster as Spark's standalone Master believes it.

Workers are nodes, the FIFO list of applications is the one queue, executors are containers. What has no meaning here
(fair shares, reservations, preemption) is `UNKNOWN`. Amounts are (memory [MB], cores).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Self

import msgspec

from engine.control_plane.spark_master import SparkMaster
from engine.model.resource import INT_MAX
from engine.model.spark.application import DEFAULT_PROFILE, SparkApplication
from engine.model.spark.cluster import SparkCluster
from engine.model.spark.naming import application_id
from engine.model.spark.worker import Worker
from engine.observe.snapshot import (
    UNKNOWN,
    Amounts,
    ApplicationRow,
    AskRow,
    ContainerRow,
    Header,
    NodeRow,
    QueueRow,
    ReservationRow,
    Unknown,
    UserRow,
)
from engine.observe.spark_waits import refusal_of
from engine.observe.users import users_of

QUEUE: Final = "fifo"
"""Path of the one queue."""

NO_LIMIT: Final = INT_MAX // 2
"""More cores than this are no number anybody asked for."""


class ExecutorRow(msgspec.Struct, frozen=True):
    """One live executor."""

    application: int
    executor: int
    worker: str
    """`host:port`."""
    cores: int
    memory_mb: int
    profile: int
    state: str
    launched_ms: int
    busy: int | Unknown = UNKNOWN
    """Cores that run a task; only the application's driver can tell."""


class StandaloneRow(ApplicationRow, frozen=True, kw_only=True):
    """One application, and what only a Spark Master tells of it."""

    cores_wanted: int | None
    """`spark.cores.max`, else the Master's default cores; None is no limit."""
    executor_cores: int | None
    """`spark.executor.cores`; None: one executor for each worker, with all the cores it is given there."""
    executor_memory_mb: int


class SparkSnapshot:
    """A picture at one instant; sections are built when asked for. Implements `Snapshot`."""

    def __init__(self, master: SparkMaster, now_ms: int) -> None:
        self._cluster = master.cluster
        self._options = master.options
        self._now_ms = now_ms
        self._busy: Callable[[], Mapping[tuple[int, int], int]] | None = None
        self.header = _header(master, now_ms)

    def told_by(self, busy: Callable[[], Mapping[tuple[int, int], int]]) -> Self:
        """Ask this when executors are looked at: cores that run a task, by (application number, executor id)."""
        self._busy = busy
        return self

    def version(self, section: str) -> int:
        """Changes when anything the Master believes changes; reservations never do, busy executors with the time."""
        if section == "executors":
            return hash((self._cluster.version, self._now_ms))
        return 0 if section == "reservations" else self._cluster.version

    def queues(self) -> Sequence[QueueRow]:
        """The FIFO list of applications, with the mode as its policy."""
        header = self.header
        mode = "spread out" if self._options.spread_out else "packing"
        return (
            QueueRow(
                path=QUEUE,
                depth=0,
                is_leaf=True,
                policy=f"fifo, {mode}",
                weight=UNKNOWN,
                used=header.used,
                demand=UNKNOWN,
                fair_share=UNKNOWN,
                steady_share=UNKNOWN,
                min_share=UNKNOWN,
                max_share=None,
                reserved=UNKNOWN,
                applications_running=header.applications_running,
                applications_pending=header.applications_pending,
                containers=header.containers,
                starved_since_ms=UNKNOWN,
            ),
        )

    def nodes(self) -> Sequence[NodeRow]:
        """Workers in order of registration, DEAD ones while they are listed."""
        return tuple(_node_row(worker) for worker in self._cluster.workers)

    def applications(self, *, why: bool = True) -> Sequence[StandaloneRow]:
        """The FIFO list, then ended ones, latest first."""
        live = [_application_row(each, self._cluster, why=why) for each in self._cluster.applications.values()]
        ended = [
            _application_row(each, self._cluster, why=why) for each in reversed(self._cluster.completed_applications)
        ]
        return (*live, *ended)

    def reservations(self) -> Sequence[ReservationRow]:
        """None: the Master reserves nothing."""
        return ()

    def containers(self, *, application: str = "", node: str = "") -> Sequence[ContainerRow]:
        """None: what runs here are executors."""
        return ()

    def users(self) -> Sequence[UserRow]:
        """Everybody with an application in the list, by name."""
        return users_of(self.applications(why=False), self.header.total)

    def executors(self, busy: Mapping[tuple[int, int], int] | None = None) -> Sequence[ExecutorRow]:
        """Live executors, application by application.

        Args:
            busy: Cores that run a task, by (application number, executor id), as far as drivers tell; None asks who
                was named by `told_by`.
        """
        told = busy if busy is not None else self._busy() if self._busy is not None else {}
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
                told.get((executor.application, executor.id), UNKNOWN),
            )
            for application in self._cluster.applications.values()
            for executor in application.executors.values()
        )


def spark_snapshot(master: SparkMaster, now_ms: int) -> SparkSnapshot:
    """The picture of what a Master believes now [epoch ms]."""
    return SparkSnapshot(master, now_ms)


def _header(master: SparkMaster, now_ms: int) -> Header:
    cluster = master.cluster
    up = [worker for worker in cluster.workers if worker.state == "ALIVE"]
    states = [application.state for application in cluster.applications.values()]
    return Header(
        time_ms=now_ms,
        scheduler=master.name,
        dimensions=master.dimensions,
        total=(sum(worker.memory_mb for worker in up), sum(worker.cores for worker in up)),
        used=_sum([_used(worker) for worker in up]),
        reserved=UNKNOWN,
        nodes=len(up),
        nodes_down=len(cluster.workers) - len(up),
        nodes_reserved=UNKNOWN,
        applications_running=states.count("RUNNING"),
        applications_pending=states.count("WAITING"),
        containers=sum(len(application.executors) for application in cluster.applications.values()),
        containers_pending=_all_pending(cluster),
        preemption=UNKNOWN,
        reservation_rule="",
        spread_out=master.options.spread_out,
    )


def _sum(amounts: Sequence[Amounts]) -> Amounts:
    return (sum(each[0] for each in amounts), sum(each[1] for each in amounts))


def _used(worker: Worker) -> Amounts:
    return (worker.memory_mb - worker.memory_free_mb, worker.cores - worker.cores_free)


def _node_row(worker: Worker) -> NodeRow:
    return NodeRow(
        id=worker.node,
        host=worker.node.rpartition(":")[0],
        rack=worker.rack,
        state=worker.state,
        partition="",
        total=(worker.memory_mb, worker.cores),
        used=_used(worker),
        free=(worker.memory_free_mb, worker.cores_free),
        containers=len(worker.executors) + len(worker.drivers),
        reserved_by=None,
        reserved=None,
        last_heartbeat_ms=UNKNOWN,
    )


def _application_row(application: SparkApplication, cluster: SparkCluster, *, why: bool) -> StandaloneRow:
    live = application.number in cluster.applications
    asks = _asks(application) if live else ()
    pending = _pending(application) if live else 0
    refusal = refusal_of(application, cluster) if live and why else None
    shape = application.shapes[DEFAULT_PROFILE]
    return StandaloneRow(
        id=application_id(application.submitted_ms, application.number),
        number=application.number,
        name=application.name,
        user=application.user,
        queue=QUEUE,
        type="SPARK",
        state=application.state,
        submitted_ms=application.submitted_ms,
        waiting_since_ms=application.waiting_since_ms,
        finished_ms=application.finished_ms,
        used=_held(application) if live else (0, 0),
        containers=len(application.executors) if live else 0,
        reserved=UNKNOWN,
        reservations=UNKNOWN,
        asks=asks,
        pending_containers=pending,
        refusal=refusal,
        cores_wanted=None if application.cores_wanted > NO_LIMIT else application.cores_wanted,
        executor_cores=shape.cores,
        executor_memory_mb=shape.memory_mb,
    )


def _held(application: SparkApplication) -> Amounts:
    return (sum(each.memory_mb for each in application.executors.values()), application.cores_granted)


def _asks(application: SparkApplication) -> tuple[AskRow, ...] | Unknown:
    """What it may still be given, profile by profile: helpings of cores, or `UNKNOWN` without a maximum."""
    if application.cores_left > NO_LIMIT:
        return UNKNOWN
    return tuple(
        AskRow(profile, count, (shape.memory_mb, shape.step))
        for profile, shape in sorted(application.shapes.items())
        if (count := _helpings(application, profile))
    )


def _helpings(application: SparkApplication, profile: int) -> int:
    shape = application.shapes[profile]
    steps = max(0, application.cores_left) // shape.step
    left = application.executors_left(profile)
    return min(steps, left) if shape.cores is not None or left == 0 else steps


def _pending(application: SparkApplication) -> int | Unknown:
    """Executors it may still be given; `UNKNOWN` without a maximum, or where a worker decides their size."""
    if application.cores_left > NO_LIMIT or any(shape.cores is None for shape in application.shapes.values()):
        return 0 if application.cores_left <= 0 else UNKNOWN
    steps = [_helpings(application, profile) for profile in application.profiles]
    cores = sum(
        count * application.shapes[profile].step for count, profile in zip(steps, application.profiles, strict=True)
    )
    return sum(steps) if cores <= application.cores_left or len(steps) == 1 else UNKNOWN


def _all_pending(cluster: SparkCluster) -> int | Unknown:
    total = 0
    for application in cluster.applications.values():
        pending = _pending(application)
        if isinstance(pending, Unknown):
            return UNKNOWN
        total += pending
    return total
