"""Keeps figures of a cluster over time, for graphs: a listener that reads the control plane's own counters.

It notes them at every instant at which something was recorded, when all of it has happened. It keeps nothing else, so
the history of a run that branches is cut and goes on. A kept run's series are sampled from it.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, Generic, NamedTuple, TypeVar

import msgspec

from engine.control_plane.cluster_view import ClusterFigures, ClusterView
from engine.control_plane.job_tracker_view import JobTrackerView
from engine.control_plane.protocol import ControlPlane, NodeJoined, NodeResized
from engine.control_plane.spark_cluster_view import SparkClusterView
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, Killed
from engine.observe.snapshot import Header
from engine.observe.snapshots import WaitTotal, wait_of
from engine.schedulers.spark.scheduling_pass import DRIVER_ATTEMPT
from engine.simulation.records import Record

MOST: Final = 4096  # Values kept
LEAST_MS: Final = 1000  # The shortest stretch of which only one value is kept

Value = TypeVar("Value")


class Steps(Generic[Value]):
    """A step function in bounded memory: values by the instants they began at; times never go back.

    While there is room everything is kept. Then the past is thinned out: of ever wider stretches of time, the longer
    ago the wider, only the last change is kept, and the very first. So a window of any length that ends now is known
    about equally well.
    """

    __slots__ = ("_most", "_share", "count", "times", "values")

    def __init__(self, most: int = MOST) -> None:
        """Begin with nothing. `most` values are kept, at least 8; after thinning out there are at most half as many."""
        self._most = most
        self._share = most // 8  # stretches that an age is divided into, in which one value is kept
        self.times: list[int] = []  # since when each value held [epoch ms], oldest first
        self.values: list[Value] = []
        self.count = 0  # changes whenever anything here does

    def note(self, time_ms: int, value: Value) -> None:
        values = self.values
        if values:
            if values[-1] == value:
                return
            if self.times[-1] == time_ms:
                values[-1] = value
                self.count += 1
                return
        self.times.append(time_ms)
        values.append(value)
        self.count += 1
        if len(values) > self._most:
            kept = self._last_of_stretches()
            while len(kept) > self._most // 2 and self._share:
                self._share //= 2
                kept = self._last_of_stretches()
            if len(kept) > self._most // 2:  # where even one value in each stretch is too much
                kept = [0, *kept[1 - self._most // 2 :]]
            self.times = [self.times[place] for place in kept]
            self.values = [self.values[place] for place in kept]

    def at(self, time_ms: int) -> Value | None:
        place = bisect_right(self.times, time_ms)
        return self.values[place - 1] if place else None

    def cut(self, time_ms: int) -> None:
        place = bisect_right(self.times, time_ms)
        del self.times[place:], self.values[place:]
        self.count += 1

    def __len__(self) -> int:
        return len(self.times)

    def _last_of_stretches(self) -> list[int]:
        """The places of the first value and of the last in each stretch, oldest first."""
        times, unit_ms = self.times, LEAST_MS * max(1, self._share)
        now_ms, begin = times[-1], 1
        kept = [0]
        for doublings in range(((now_ms - times[0]) // unit_ms).bit_length(), -1, -1):
            youngest_ms = now_ms - (unit_ms << doublings >> 1) if doublings else now_ms
            end = max(begin, bisect_right(times, youngest_ms))
            width_ms = LEAST_MS << doublings
            kept += {times[place] // width_ms: place for place in range(begin, end)}.values()
            begin = end
        return kept


Reading = tuple[int, ...]  # One int for each name of `YARN` or `SPARK`, in their order

YARN: Final = (
    "total_memory_mb",
    "total_vcores",
    "used_memory_mb",
    "used_vcores",
    "pending_containers",
    "reserved_memory_mb",
    "reservations",
    "preempted_containers",
    "allocated_containers",
    "containers",
    "applications_running",
    "applications_pending",
    "nodes",
    "waiting_first",
    "waiting",
)
"""Names of a ResourceManager's reading; containers preempted and allocated are counted from the beginning.

`waiting` counts the applications that ask for more than they have, `waiting_first` those of them that have nothing:
none yet, or none any more.
"""
LOGGED: Final = YARN[: YARN.index("waiting_first")]
"""What can be read off a ResourceManager's log, which does not say what is asked for."""

SPARK: Final = (
    "total_memory_mb",
    "total_cores",
    "used_memory_mb",
    "used_cores",
    "pending_executors",
    "lost_executors",
    "allocated_containers",
    "executors",
    "applications_running",
    "applications_pending",
    "workers",
    "waiting_first",
    "waiting",
)
"""Names of the reading of Spark's standalone Master; of workers only those alive count.

Executors lost and containers allocated, which are executors and drivers, are counted from the beginning. No executor is
pending of an application that leaves their size to the workers.
"""

ALLOCATED: Final = "allocated_containers"
PREEMPTED: Final = "preempted_containers"
LOST: Final = "lost_executors"


class ApplicationCounts(NamedTuple):
    """Live applications by how they are served."""

    running: int
    first: int  # Those that wait and have nothing
    waiting: int  # Those that wait, whether they have something or not


class Counts(msgspec.Struct):
    """Events counted from the beginning of a run."""

    allocated: int = 0
    preempted: int = 0
    lost: int = 0  # Executors lost with their worker or ended by it


MOST_OF_QUEUE: Final = 1024  # Values kept of one queue
MOST_STARVED: Final = 256  # Starved queues kept
STARVED_MS: Final = 30_000  # A queue that was starved for less is not kept [ms]


class StarvedQueue(NamedTuple):
    queue: str
    since_ms: int
    until_ms: int
    waiting: WaitTotal  # The largest number that waited in it


class History:
    """A listener that keeps what a cluster was; it notes nothing before `follow`."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = YARN  # names of a reading's figures
        self.cluster: Steps[Reading] = Steps()
        self.queues: dict[str, Steps[int]] = {}
        """Used memory [MB] by path of a leaf queue, in order of first use; of policies that tell queues apart."""
        self.starved: list[StarvedQueue] = []
        """Queues that were starved and are not any more, in order of when that was over."""
        self._starving: dict[str, tuple[int, WaitTotal]] = {}
        """Queue that is starved → since when [epoch ms], and the largest number that waited in it."""
        self._plane: ControlPlane | None = None
        self._read: _Read = _of_yarn
        self._counts = Counts()
        self._running: set[int] = set()
        self._waits: dict[int, tuple[str, bool]] = {}  # live application that waits → its queue, whether it has nothing
        self._waiting = Counter[tuple[str, bool]]()  # number of those, by the same
        self._first = 0  # number of those that have nothing
        self._queue_of: dict[int, str] = {}  # live application → its queue

    def follow(self, control_plane: ControlPlane, now_ms: int) -> None:
        """Read this control plane from now [epoch ms] on; what was noted after now is forgotten."""
        self.cluster.cut(now_ms)
        for steps in self.queues.values():
            steps.cut(now_ms)
        self.starved = [one for one in self.starved if one.until_ms <= now_ms]
        self._starving = {}
        self._plane, view = control_plane, control_plane.view()
        self.names, self._read = SERIES[view.kind]
        self._running = set(view.numbers_running())
        self._queue_of = {each.number: each.queue for each in view.applications()}
        self._counts = self._counts_by(now_ms)
        self._note_waits(view, None)
        self.cluster.note(now_ms, self._reading(view))
        self._note_queues(view, [*self.queues, *self._queue_of.values()], now_ms)

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        if self._plane is None:
            return
        view = self._plane.view()
        touched = self._touched(records)
        self._note_waits(view, _named(records) if view.kind == YarnClusterView.kind else None)
        self.cluster.note(time_ms, self._reading(view))
        if touched:
            self._note_queues(view, touched, time_ms)
            self._note_starved(view.policy.starved_queues(), time_ms)

    def last_allocated_ms(self, now_ms: int) -> int | None:
        """Return when a container was last allocated up to an instant, as far as that is kept [epoch ms]; else None."""
        place, noted = self.names.index(ALLOCATED), self.cluster
        for index in range(bisect_right(noted.times, now_ms) - 1, 0, -1):
            if noted.values[index][place] != noted.values[index - 1][place]:
                return noted.times[index]
        # A run that is followed counts from its first instant on; how long a poll or a log has counted is not known.
        is_at_first = self._plane is not None and noted.times and noted.times[0] <= now_ms and noted.values[0][place]
        return noted.times[0] if is_at_first else None

    def latest(self) -> dict[str, int]:
        """The last reading by name, and used memory [MB] by path of a leaf queue; empty before `follow`."""
        if not self.cluster.values:
            return {}
        queues = {path: steps.values[-1] for path, steps in self.queues.items()}
        return dict(zip(self.names, self.cluster.values[-1], strict=True)) | queues

    def reading(self, control_plane: ControlPlane, now_ms: int) -> Reading:
        """Reads a cluster, also a copy of the one followed as it was at an instant [epoch ms]."""
        view = control_plane.view()
        read = SERIES[view.kind][1]
        waits = [wait for each in view.applications() if (wait := wait_of(view, each.number)) is not None]
        counts = ApplicationCounts(len(view.numbers_running()), sum(waits), len(waits))
        return read(view.figures(), counts, self._counts_by(now_ms))

    def _reading(self, view: ClusterView) -> Reading:
        return self._read(
            view.figures(), ApplicationCounts(len(self._running), self._first, len(self._waits)), self._counts
        )

    def _note_waits(self, view: ClusterView, numbers: Collection[int] | None) -> None:
        """Note which of some applications wait; None stands for all."""
        if numbers is None:
            self._waits, self._first = {}, 0
            self._waiting.clear()
            numbers = [each.number for each in view.applications()]
        for number in numbers:
            known = self._waits.pop(number, None)
            if known is not None:
                self._first -= known[1]
                self._waiting[known] -= 1
            wait = wait_of(view, number)
            if wait is not None:
                self._waits[number] = found = self._queue_of.get(number, ""), wait
                self._first += wait
                self._waiting[found] += 1

    def _counts_by(self, now_ms: int) -> Counts:
        last = self.cluster.at(now_ms)
        if last is None:
            return Counts()
        noted = dict(zip(self.names, last, strict=True))
        return Counts(noted.get(ALLOCATED, 0), noted.get(PREEMPTED, 0), noted.get(LOST, 0))

    def _touched(self, records: Sequence[Any]) -> Collection[str]:
        # It runs for every record of a run, so it compares types and leaves them unchecked
        touched: dict[str, None] = {}
        queue_of, counts = self._queue_of, self._counts
        for record in records:
            kind = type(record)
            if kind is Allocated or kind is Completed or kind is Killed:
                path = queue_of.get(record.container[0])
                if path is not None:
                    touched[path] = None
                if kind is Allocated:
                    counts.allocated += 1
                elif kind is Killed:
                    counts.preempted += record.cause == "PREEMPTED"
                    counts.lost += record.cause == "LOST" and record.container[1] != DRIVER_ATTEMPT
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
        if record.is_end:
            self._queue_of.pop(number, None)
        elif record.queue:
            self._queue_of[number] = record.queue

    def _note_queues(self, view: ClusterView, paths: Iterable[str], time_ms: int) -> None:
        for path in paths:
            used_mb = view.policy.used_memory_mb(path)
            if used_mb is None:
                return
            self.note_queue(path, time_ms, used_mb)

    def _note_starved(self, since: Mapping[str, int], time_ms: int) -> None:
        for path in sorted(self._starving.keys() - since.keys()):
            at_ms, waiting = self._starving.pop(path)
            if time_ms - at_ms >= STARVED_MS:
                self.starved = [*self.starved[1 - MOST_STARVED :], StarvedQueue(path, at_ms, time_ms, waiting)]
        for path, begin_ms in since.items():
            at_ms, most = self._starving.get(path, (begin_ms, WaitTotal()))
            waiting = WaitTotal(self._waiting[path, True], self._waiting[path, False])
            self._starving[path] = at_ms, max(most, waiting, key=attrgetter("number"))

    def note_queue(self, path: str, time_ms: int, used_mb: int) -> None:
        """A leaf queue uses so much memory [MB] from an instant [epoch ms] on; one that never used any is left out."""
        steps = self.queues.get(path)
        if steps is None:
            if not used_mb:
                return
            steps = self.queues[path] = Steps(MOST_OF_QUEUE)
            steps.note(self.cluster.times[0], 0)
        steps.note(time_ms, used_mb)


MAPREDUCE_1: Final = (
    "total_map_slots",
    "total_reduce_slots",
    "used_map_slots",
    "used_reduce_slots",
    "pending_tasks",
    "allocated_containers",
    "attempts",
    "jobs_running",
    "jobs_pending",
    "trackers",
    "waiting_first",
    "waiting",
)
"""Names of a JobTracker's reading; attempts allocated, cleanup attempts included, are counted from the beginning."""


def _named(records: Sequence[Any]) -> Collection[int] | None:
    """Return the applications that records are about; None where one is about the cluster."""
    numbers: set[int] = set()
    for record in records:
        container = getattr(record, "container", None)
        number = container[0] if container is not None else getattr(record, "application", None)
        if number is not None:
            numbers.add(number)
        elif type(record) not in _OF_NODES:
            return None
    return numbers


_OF_NODES: Final = frozenset({NodeJoined, NodeResized})  # records about nodes alone, which come by the thousand

_Figures = ClusterFigures | Header  # What is known of the cluster as a whole, of a run or of a live one
_Read = Callable[[_Figures, ApplicationCounts, Counts], Reading]
"""(figures, live applications, what was counted so far) → a reading."""


def _of_yarn(figures: _Figures, live: ApplicationCounts, counts: Counts) -> Reading:
    reserved, held = figures.reserved, figures.nodes_reserved
    return (
        *_sums(figures),
        reserved[0] if isinstance(reserved, tuple) else 0,
        held if isinstance(held, int) else 0,
        counts.preempted,
        counts.allocated,
        *_numbers(figures, live),
    )


def _sums(figures: _Figures) -> Reading:
    pending, least = figures.containers_pending, figures.pending_at_least if isinstance(figures, ClusterFigures) else 0
    return (*figures.total, *figures.used, pending if isinstance(pending, int) else least)


def _numbers(figures: _Figures, live: ApplicationCounts) -> Reading:
    not_running = figures.applications - live.running
    return (figures.containers, live.running, not_running, figures.nodes, live.first, live.waiting)


SERIES: Final[Mapping[str, tuple[tuple[str, ...], _Read]]] = {
    YarnClusterView.kind: (YARN, _of_yarn),
    SparkClusterView.kind: (
        SPARK,
        lambda of, live, counts: (*_sums(of), counts.lost, counts.allocated, *_numbers(of, live)),
    ),
    JobTrackerView.kind: (
        MAPREDUCE_1,
        lambda of, live, counts: (*_sums(of), counts.allocated, *_numbers(of, live)),
    ),
}
"""`ClusterView.kind` → the names of a reading, and how it is read."""
