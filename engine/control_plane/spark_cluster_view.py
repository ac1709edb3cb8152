"""Reads a Spark Master's cluster for observers.

Workers are nodes, executors are containers, the FIFO list of applications is the one queue. What has no meaning here
(fair shares, reservations, preemption) is `UNKNOWN`. Amounts are (memory [MB], cores).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.control_plane.cluster_view import ApplicationSummary, ClusterFigures, ClusterModes, ClusterView
from engine.model.java_values import INT_MAX
from engine.model.spark.application import Driver, ExecutorShape, SparkApplication
from engine.model.spark.cluster import SparkCluster, application_id, driver_id
from engine.schedulers.interface import UNKNOWN, PolicyView, QueueRow, Unknown
from engine.schedulers.spark.scheduling_pass import DRIVER_ATTEMPT, SparkSettings
from engine.settings.spark import SPARK

QUEUE: Final = "fifo"  # Path of the one queue
NO_LIMIT: Final = INT_MAX // 2  # More cores than this are no number anybody asked for


class SparkPolicyView(PolicyView):
    """Implements `PolicyView`: the FIFO list of applications is the one queue."""

    queue_row = QueueRow

    def __init__(self, cluster: SparkCluster, options: SparkSettings) -> None:
        self._cluster = cluster
        self._options = options

    def queues(self) -> Sequence[QueueRow]:
        applications = self._cluster.applications.values()
        up = [worker for worker in self._cluster.workers if worker.state == "ALIVE"]
        running = sum(each.state == "RUNNING" for each in applications)
        row = QueueRow(
            path=QUEUE,
            depth=0,
            is_leaf=True,
            policy=f"fifo, {'spread out' if self._options.spread_out else 'packing'}",
            used=(
                sum(each.memory_mb - each.memory_free_mb for each in up),
                sum(each.cores - each.cores_free for each in up),
            ),
            max_share=None,
            applications_running=running,
            applications_pending=len(applications) - running,
            containers=sum(len(each.executors) for each in applications),
        )
        return (row,)

    def settings(self) -> tuple[str, ...]:
        return SPARK.live


class SparkClusterView(ClusterView):
    kind = "spark"

    def __init__(self, cluster: SparkCluster, options: SparkSettings) -> None:
        self.cluster = cluster
        self.options = options
        self.policy = SparkPolicyView(cluster, options)

    @property
    def drivers_running(self) -> int:
        """How many drivers have a worker; `spark.deploy.maxDrivers` limits them."""
        return len(self.cluster.drivers) - len(self.cluster.waiting_drivers)

    def figures(self) -> ClusterFigures:
        cluster = self.cluster
        up = [worker for worker in cluster.workers if worker.state == "ALIVE"]
        memory_mb, cores = sum(worker.memory_mb for worker in up), sum(worker.cores for worker in up)
        waiting = waiting_drivers(cluster)
        pending = [executors_pending(each) for each in (*waiting, *cluster.applications.values())]
        known = [each for each in pending if not isinstance(each, Unknown)]
        free_mb, cores_free = sum(worker.memory_free_mb for worker in up), sum(worker.cores_free for worker in up)
        return ClusterFigures(
            total=(memory_mb, cores),
            used=(memory_mb - free_mb, cores - cores_free),
            reserved=UNKNOWN,
            nodes=len(up),
            nodes_down=len(cluster.workers) - len(up),
            nodes_reserved=UNKNOWN,
            applications=len(waiting) + len(cluster.applications),
            containers=sum(len(application.executors) for application in cluster.applications.values()),
            containers_pending=UNKNOWN if any(isinstance(each, Unknown) for each in pending) else sum(known),
            pending_at_least=sum(known),
        )

    def modes(self) -> ClusterModes:
        return ClusterModes(UNKNOWN, "", self.options.spread_out)

    def applications(self) -> list[ApplicationSummary]:
        return [_summary(each) for each in (*waiting_drivers(self.cluster), *self.cluster.applications.values())]

    def application(self, number: int) -> ApplicationSummary | None:
        application = known_application(self.cluster, number)
        return _summary(application) if application is not None else None

    def service_fields(self, number: int) -> tuple[str, int | Unknown, int | None, int] | None:
        each = known_application(self.cluster, number)
        if each is None:
            return None
        return each.state, executors_pending(each), each.unmet_since_ms, len(each.executors)

    def numbers_running(self) -> list[int]:
        return [each.number for each in self.cluster.applications.values() if each.state == "RUNNING"]

    def ended(self) -> Iterator[tuple[int, int]]:
        return ((each.number, each.submitted_ms) for each in self.cluster.completed_applications)

    def somebody_waits(self) -> bool:
        waits = (_summary(each).waiting_since_ms is not None for each in self.cluster.applications.values())
        return bool(self.cluster.waiting_drivers) or any(waits)

    def application_id(self, number: int) -> str:
        """`app-<submission>-<number>`, of a driver its own id; the number alone of an application that is not known."""
        if number < 0:
            return self._driver_id(-1 - number)
        known = known_application(self.cluster, number)
        ended = (each for each in self.cluster.completed_applications if each.number == number)
        found = known or next(ended, None)
        return id_of(found) if found is not None else f"{number:04d}"

    def container_id(self, container: tuple[int, int, int]) -> str:
        """`<application>/<executor>`; of a driver its own id."""
        if container[1:] == (DRIVER_ATTEMPT, 0):
            return self._driver_id(container[0])
        return f"{self.application_id(container[0])}/{container[2]}"

    def _driver_id(self, number: int) -> str:
        ended = (each for each in self.cluster.completed_drivers if each.number == number)
        driver = self.cluster.drivers.get(number) or next(ended, None)
        return driver_id(driver.submitted_ms if driver is not None else 0, number)

    def has_room_ever(self, memory_mb: int, vcores: int) -> bool:
        workers = self.cluster.workers
        return not workers or any(memory_mb <= one.memory_mb and vcores <= one.cores for one in workers)


def waiting_drivers(cluster: SparkCluster) -> list[SparkApplication]:
    """Drivers that wait for a worker, as applications of one executor of the driver's size; numbered from -1 down."""
    return [_driver(each) for each in cluster.waiting_drivers]


def _driver(driver: Driver) -> SparkApplication:
    shape, number = ExecutorShape(driver.cores, driver.memory_mb), -1 - driver.number
    found = SparkApplication(number, driver.name, "", driver.cores, shape, 1, driver.submitted_ms)
    found.state = driver.state
    return found


def known_application(cluster: SparkCluster, number: int) -> SparkApplication | None:
    """A registered application that has not ended, or a waiting driver; None when there is none of that number."""
    if number >= 0:
        return cluster.applications.get(number)
    return next((each for each in waiting_drivers(cluster) if each.number == number), None)


def id_of(application: SparkApplication) -> str:
    """The id of an application, or of a driver that stands for one."""
    if application.number < 0:
        return driver_id(application.submitted_ms, -1 - application.number)
    return application_id(application.submitted_ms, application.number)


def wanted_shapes(application: SparkApplication) -> list[ExecutorShape]:
    """Return the sizes of executors that it may still be given, profile by profile."""
    return [
        application.shapes[profile]
        for profile in application.profiles
        if application.cores_left >= application.shapes[profile].step and application.executors_left(profile) > 0
    ]


def has_obstacle(application: SparkApplication) -> bool:
    """Tell whether it waits: not when it has all it asks for, or has executors and asked for no maximum.

    Without executors it waits where it asks for one, even for one that its maximum never allows.
    """
    if application.executors:
        return application.cores_wanted != INT_MAX and bool(wanted_shapes(application))
    return asks_for_executors(application)


def asks_for_executors(application: SparkApplication) -> bool:
    """Tell whether its executor limit leaves any to ask for; with dynamic allocation it is often 0."""
    return any(application.executors_left(profile) > 0 for profile in application.profiles)


def helpings(application: SparkApplication, profile: int) -> int:
    shape = application.shapes[profile]
    steps = max(0, application.cores_left) // shape.step
    left = application.executors_left(profile)
    return min(steps, left) if shape.cores is not None or left == 0 else steps


def executors_pending(application: SparkApplication) -> int | Unknown:
    """Executors it may still be given; `UNKNOWN` without a maximum, or where a worker decides their size."""
    if application.cores_left > NO_LIMIT or any(shape.cores is None for shape in application.shapes.values()):
        return 0 if application.cores_left <= 0 or not asks_for_executors(application) else UNKNOWN
    steps = [helpings(application, profile) for profile in application.profiles]
    cores = sum(
        count * application.shapes[profile].step for count, profile in zip(steps, application.profiles, strict=True)
    )
    return sum(steps) if cores <= application.cores_left or len(steps) == 1 else UNKNOWN


def _summary(each: SparkApplication) -> ApplicationSummary:
    waits, works = has_obstacle(each), bool(each.executors)
    unmet_since_ms = each.unmet_since_ms if waits else None
    since_ms = None
    if waits and not works and each.waiting_since_ms is not None:
        since_ms = max(each.waiting_since_ms, unmet_since_ms or 0)  # it may have lost all, or only now ask for any
    about = (each.number, each.name, each.user, QUEUE, each.submitted_ms)
    return ApplicationSummary(*about, since_ms, waits, works, unmet_since_ms)
