"""The picture of a cluster as Spark's standalone Master believes it.

Workers are nodes, the FIFO list of applications is the one queue, executors are containers. What has no meaning here
(fair shares, reservations, preemption) is `UNKNOWN`. Amounts are (memory [MB], cores).
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from engine.control_plane.spark_cluster_view import (
    NO_LIMIT,
    QUEUE,
    SparkClusterView,
    executors_pending,
    helpings,
    id_of,
    waiting_drivers,
)
from engine.control_plane.spark_master import SparkMaster
from engine.model.spark.application import DEFAULT_PROFILE, SparkApplication
from engine.model.spark.cluster import SparkCluster
from engine.model.spark.worker import Worker
from engine.observe.snapshot import (
    SECTIONS,
    UNKNOWN,
    Amounts,
    ApplicationRow,
    AskRow,
    ContainerRow,
    ExecutorRow,
    NodeRow,
    QueueRow,
    ReservationRow,
    Unknown,
    UserRow,
    header_of,
)
from engine.observe.spark_obstacle import spark_obstacle
from engine.observe.users import users_of

Busy = Callable[[], Mapping[tuple[int, int], int]]
"""Cores that run a task, by (application number, executor id), as far as drivers tell."""


class StandaloneRow(ApplicationRow, frozen=True, kw_only=True):
    """One application, and what only a Spark Master tells of it."""

    cores_wanted: int | None | Unknown
    """`spark.cores.max`, else the Master's default cores; None is no limit."""
    executor_cores: int | None | Unknown
    """`spark.executor.cores`; None: one executor for each worker, with all the cores it is given there."""
    executor_memory_mb: int


class SparkSnapshot:
    """A picture at one instant; sections are built when asked for. Implements `Snapshot`."""

    dialect = SparkClusterView.kind
    sections: Mapping[str, type[msgspec.Struct]] = {
        **{name: row for name, row in SECTIONS.items() if name != "containers"},
        "applications": StandaloneRow,
    }

    def __init__(self, master: SparkMaster, now_ms: int, busy: Busy = dict) -> None:
        """Look at the cluster as a whole. `busy` is asked when executors are looked at."""
        self._cluster = master.cluster
        self._version = master.cluster.version
        self._view = master.view()
        self._now_ms = now_ms
        self._busy = busy
        self.header = header_of(master, now_ms)

    def version(self, section: str) -> int:
        """Changes when anything the Master believes changes; reservations never do, busy executors with the time."""
        if section == "executors":
            return hash((self._version, self._now_ms))
        return 0 if section == "reservations" else self._version

    def queues(self) -> Sequence[QueueRow]:
        """The FIFO list of applications, with the mode as its policy."""
        return self._view.policy.queues()

    def nodes(self) -> Sequence[NodeRow]:
        """Workers in order of registration, DEAD ones while they are listed."""
        return tuple(_node_row(worker) for worker in self._cluster.workers)

    def applications(self, *, why: bool = True) -> Sequence[StandaloneRow]:
        """Drivers that wait for a worker, the FIFO list, then ended ones, latest first."""
        listed = (*waiting_drivers(self._cluster), *self._cluster.applications.values())
        live = [_application_row(each, self._cluster, why=why) for each in listed]
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
        return users_of([row for row in self.applications(why=False) if row.user], self.header.total)

    def executors(self) -> Sequence[ExecutorRow]:
        """Live executors, application by application."""
        busy = self._busy()
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
                busy.get((executor.application, executor.id), UNKNOWN),
            )
            for application in self._cluster.applications.values()
            for executor in application.executors.values()
        )


def _node_row(worker: Worker) -> NodeRow:
    return NodeRow(
        id=worker.node,
        host=worker.node.rpartition(":")[0],
        rack=worker.rack,
        state=worker.state,
        partition="",
        total=(worker.memory_mb, worker.cores),
        used=(worker.memory_mb - worker.memory_free_mb, worker.cores - worker.cores_free),
        free=(worker.memory_free_mb, worker.cores_free),
        containers=len(worker.executors) + len(worker.drivers),
        reserved_by=None,
        reserved=None,
        last_heartbeat_ms=UNKNOWN,
    )


def _application_row(application: SparkApplication, cluster: SparkCluster, *, why: bool) -> StandaloneRow:
    live = application.number < 0 or application.number in cluster.applications
    asks = _asks(application) if live else ()
    pending = executors_pending(application) if live else 0
    refusal = spark_obstacle(application, cluster) if live and why else None
    shape = application.shapes[DEFAULT_PROFILE]
    return StandaloneRow(
        id=id_of(application),
        number=application.number,
        name=application.name,
        user=application.user,
        queue=QUEUE,
        type="SPARK",
        state=application.state,
        submitted_ms=application.submitted_ms,
        waiting_since_ms=application.unmet_since_ms if live else None,
        finished_ms=application.finished_ms,
        used=_held(application) if live else (0, 0),
        containers=len(application.executors) if live else 0,
        reserved=UNKNOWN,
        reservations=UNKNOWN,
        asks=asks,
        pending_containers=pending,
        obstacle=refusal,
        cores_wanted=None if application.cores_wanted > NO_LIMIT else application.cores_wanted,
        executor_cores=shape.cores,
        executor_memory_mb=shape.memory_mb,
    )


def _held(application: SparkApplication) -> Amounts:
    return (sum(each.memory_mb for each in application.executors.values()), application.cores_granted)


def _asks(application: SparkApplication) -> tuple[AskRow, ...] | Unknown:
    """List its unmet asks, profile by profile: helpings of cores, or `UNKNOWN` without a maximum."""
    if application.cores_left > NO_LIMIT:
        return UNKNOWN
    return tuple(
        AskRow(profile, count, (shape.memory_mb, shape.step))
        for profile, shape in sorted(application.shapes.items())
        if (count := helpings(application, profile))
    )
