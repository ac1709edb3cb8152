"""What a cluster was over time, for graphs: a listener that reads the control plane's own counters.

It notes them at every instant at which something was recorded, when all of it has happened. It keeps nothing else, so
the history of a run that branches is cut and goes on. A kept run's series are added up from records instead (see
`metrics`); a test proves both equal.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from engine.control_plane.protocol import ControlPlane
from engine.control_plane.resource_manager import ResourceManager
from engine.control_plane.spark_master import SparkMaster
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.model.lifecycle import FINAL_APPLICATION_STATES
from engine.observe.step_series import Steps
from engine.schedulers.fair.scheduler import FairScheduler
from engine.simulation.records import Record

Reading = tuple[int, ...]
"""One int for each name of `YARN` or `SPARK`, in their order."""

YARN: Final = (
    "total_memory_mb",
    "total_vcores",
    "used_memory_mb",
    "used_vcores",
    "pending_containers",
    "reserved_memory_mb",
    "reservations",
    "preempted_containers",
    "containers",
    "applications_running",
    "applications_pending",
    "nodes",
)
"""What is read of a ResourceManager; containers preempted are counted from the beginning."""

SPARK: Final = (
    "total_memory_mb",
    "total_cores",
    "used_memory_mb",
    "used_cores",
    "executors",
    "applications_running",
    "applications_pending",
    "workers",
)
"""What is read of Spark's standalone Master; of workers only those alive count."""

MOST_OF_QUEUE: Final = 1024
"""Values kept of one queue."""


_PREEMPTED: Final = YARN.index("preempted_containers")


class History:
    """A listener that keeps what a cluster was; it notes nothing before `follow`."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = YARN
        """What a reading tells."""
        self.cluster: Steps[Reading] = Steps()
        self.queues: dict[str, Steps[int]] = {}
        """Used memory [MB] by path of a leaf queue, in order of first use; of the fair scheduler only."""
        self._control_plane: ControlPlane | None = None
        self._rm: ResourceManager | None = None
        self._fair: FairScheduler | None = None
        self._preempted = 0
        self._running: set[int] = set()
        self._queue_of: dict[int, str] = {}
        """Live application → its queue."""

    def follow(self, control_plane: ControlPlane, now_ms: int) -> None:
        """Read this control plane from now [epoch ms] on; what was noted after now is forgotten."""
        self.cluster.cut(now_ms)
        for steps in self.queues.values():
            steps.cut(now_ms)
        self._control_plane, self._rm, self._fair = control_plane, None, None
        self._running, self._queue_of = set(), {}
        if isinstance(control_plane, ResourceManager):
            self._rm = control_plane
            live = control_plane.cluster.applications.values()
            self._running = {each.number for each in live if each.state == "RUNNING"}
            self._queue_of = {each.number: each.queue for each in live}
            if isinstance(control_plane.scheduler, FairScheduler):
                self._fair = control_plane.scheduler
        else:
            self.names = SPARK
        self._preempted = self._preempted_by(now_ms)
        self.cluster.note(now_ms, self.reading(control_plane, now_ms))
        if self._fair is not None:
            self._note_queues(self._fair, [*self.queues, *self._queue_of.values()], now_ms)

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Note what the records of one instant changed."""
        control_plane = self._control_plane
        if control_plane is None:
            return
        touched = self._touched(records)
        if self._rm is not None:
            reading = _of_yarn(self._rm, self._fair, self._preempted, len(self._running))
        else:
            reading = self.reading(control_plane, time_ms)
        self.cluster.note(time_ms, reading)
        if touched and self._fair is not None:
            self._note_queues(self._fair, touched, time_ms)

    def reading(self, control_plane: ControlPlane, now_ms: int) -> Reading:
        """What a cluster is, also a copy of the one followed as it was at an instant [epoch ms].

        Raises:
            TypeError: Nothing can be read of this kind of control plane.
        """
        if isinstance(control_plane, ResourceManager):
            scheduler = control_plane.scheduler
            fair = scheduler if isinstance(scheduler, FairScheduler) else None
            states = [each.state for each in control_plane.cluster.applications.values()]
            return _of_yarn(control_plane, fair, self._preempted_by(now_ms), states.count("RUNNING"))
        if isinstance(control_plane, SparkMaster):
            return _of_spark(control_plane)
        raise TypeError(f"there is no history of a {type(control_plane).__name__}")

    def _preempted_by(self, now_ms: int) -> int:
        last = self.cluster.at(now_ms)
        return last[_PREEMPTED] if last is not None and self.names is YARN else 0

    def _touched(self, records: Sequence[Any]) -> Collection[str]:
        """Follow applications and preemptions; the queues that may use more or less than before.

        It runs for every record of a run, so it compares types and leaves them unchecked.
        """
        touched: dict[str, None] = {}
        queue_of = self._queue_of
        for record in records:
            kind = type(record)
            if kind is Allocated or kind is Completed or kind is Killed:
                path = queue_of.get(record.container[0])
                if path is not None:
                    touched[path] = None
                if kind is Killed and record.cause == "PREEMPTED":
                    self._preempted += 1
            elif kind is ApplicationTransitioned:
                touched[queue_of.get(record.application, record.queue)] = None
                touched[record.queue] = None
                self._transition(record)
        return touched

    def _transition(self, record: ApplicationTransitioned) -> None:
        number = record.application
        if record.state == "RUNNING":
            self._running.add(number)
        else:
            self._running.discard(number)
        if record.state in FINAL_APPLICATION_STATES:
            self._queue_of.pop(number, None)
        elif record.queue:
            self._queue_of[number] = record.queue

    def _note_queues(self, fair: FairScheduler, paths: Iterable[str], time_ms: int) -> None:
        queues = fair.tree.queues
        for path in paths:
            queue = queues.get(path)
            used_mb = queue.used_memory_mb if queue is not None else 0
            steps = self.queues.get(path)
            if steps is None:
                if not used_mb:
                    continue
                steps = self.queues[path] = Steps(MOST_OF_QUEUE)
                steps.note(self.cluster.times[0], 0)
            steps.note(time_ms, used_mb)


def _of_yarn(rm: ResourceManager, fair: FairScheduler | None, preempted: int, running: int) -> Reading:
    cluster = rm.cluster
    return (
        cluster.total_memory_mb,
        cluster.total_vcores,
        cluster.used_memory_mb,
        cluster.used_vcores,
        cluster.pending,
        fair.tree.root.reserved_memory_mb if fair is not None else 0,
        cluster.reservations,
        preempted,
        cluster.live,
        running,
        len(cluster.applications) - running,
        len(cluster.nodes),
    )


def _of_spark(master: SparkMaster) -> Reading:
    cluster = master.cluster
    up = [worker for worker in cluster.workers if worker.state == "ALIVE"]
    memory_mb, cores = sum(worker.memory_mb for worker in up), sum(worker.cores for worker in up)
    states = [application.state for application in cluster.applications.values()]
    return (
        memory_mb,
        cores,
        memory_mb - sum(worker.memory_free_mb for worker in up),
        cores - sum(worker.cores_free for worker in up),
        sum(len(application.executors) for application in cluster.applications.values()),
        states.count("RUNNING"),
        states.count("WAITING"),
        len(up),
    )
