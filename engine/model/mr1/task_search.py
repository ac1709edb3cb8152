"""Which map or reduce a job gives to a tracker: failed ones first, then by distance, then speculative ones.

Source: JobInProgress#createCache, #findNewMapTask, #findNewReduceTask, #scheduleMap, #retireMap, ResourceEstimator,
JobInProgress#findTaskFromList, #findSpeculativeTask and the collections they walk, Hadoop 1.2.1.
"""

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

from engine.model.mr1.task_in_progress import JobDescription, TaskInProgress
from engine.model.mr1.tracker import MAP, REDUCE, AttemptStatus, TaskTracker, TrackerHosts
from engine.state import State

# The lists in which a job looks for its next task: tasks not running, in order, and running ones that may lag.


class IdleTasks(metaclass=State):
    """Numbers of tasks to run, in order; those that run or are done are dropped when they are met."""

    numbers: deque[int]

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self.numbers = deque(numbers)

    def __bool__(self) -> bool:
        return bool(self.numbers)

    def append(self, number: int) -> None:
        """Add a task at the end, unless it is the last one already."""
        if not self.numbers or self.numbers[-1] != number:
            self.numbers.append(number)

    def add_failed(self, tasks: Sequence[TaskInProgress], number: int) -> None:
        """Add a task where it belongs by most failures, then by number. Source: JobInProgress.failComparator."""
        key = _failures_first(tasks, number)
        place = bisect_left(self.numbers, key, key=lambda other: _failures_first(tasks, other))
        if place == len(self.numbers) or self.numbers[place] != number:
            self.numbers.insert(place, number)

    def take(
        self, tasks: Sequence[TaskInProgress], host: str, hosts: int, *, drops_failed_here: bool = False
    ) -> TaskInProgress | None:
        """Take out the first task that may run on a host.

        A task that failed on the host waits, unless it failed on every host; with `drops_failed_here` such tasks leave
        the list.
        """
        kept: list[int] = []
        found = None
        while self.numbers and found is None:
            task = tasks[self.numbers.popleft()]
            if not task.is_runnable or task.active:
                continue
            if host not in task.failed_hosts or len(task.failed_hosts) >= hosts:
                found = task
            elif not drops_failed_here:
                kept.append(task.number)
        self.numbers.extendleft(reversed(kept))
        return found


def _failures_first(tasks: Sequence[TaskInProgress], number: int) -> tuple[int, int]:
    return -tasks[number].failures, number


class RunningTasks(metaclass=State):
    """Numbers of tasks that run, in the order in which they were launched."""

    numbers: dict[int, None] = {}

    def lagging(
        self,
        tasks: Sequence[TaskInProgress],
        place: tuple[str, str],
        average: float,
        now_ms: int,
        *,
        drops: bool = False,
    ) -> TaskInProgress | None:
        """The first task for a speculative attempt on a tracker; `drops` others that lag or cannot run there."""
        for number in list(self.numbers):
            task = tasks[number]
            if not task.active or not task.is_runnable:
                del self.numbers[number]
                continue
            lags = task.may_be_speculated(now_ms, average)
            was_here = (lags or drops) and task.has_run_on(*place)
            if drops and (lags or was_here):
                del self.numbers[number]
            if lags and not was_here:
                return task
        return None


class ResourceEstimator(metaclass=State):
    """The estimate of one job; 0 until enough maps have completed."""

    description: JobDescription
    threshold: int
    completed: int = 0
    input_bytes: int = 0
    output_bytes: int = 0

    def __init__(self, description: JobDescription) -> None:
        self.description = description
        self.threshold = len(description.maps) // 10

    def task_completed(self, task: TaskInProgress, status: AttemptStatus) -> None:
        """Learn from a task in a map slot; setup and cleanup count as well."""
        if task.kind == MAP and status.output_bytes != -1:
            self.completed += 1
            self.input_bytes += task.input_bytes + 1
            self.output_bytes += status.output_bytes

    def _total_bytes(self) -> int:
        if self.completed < self.threshold or self.input_bytes == 0:
            return 0
        maps = self.description.maps
        expected = sum(split.bytes for split in maps) + len(maps)
        return math.floor(expected * self.output_bytes * 2.0 / self.input_bytes + 0.5)

    def map_output_bytes(self) -> int:
        """Return the output that one map is expected to write [bytes]."""
        maps = len(self.description.maps)
        return self._total_bytes() // maps if maps else 0

    def reduce_input_bytes(self) -> int:
        reduces = self.description.reduces
        return self._total_bytes() // reduces if reduces else 0

    def limit_threshold(self, maps: int) -> None:
        """At most this many maps need to complete before there is an estimate."""
        self.threshold = min(self.threshold, maps)


HOST_LEVEL: Final = 1
RACK_LEVEL: Final = 2
ANY_LEVEL: Final = 3
NON_LOCAL: Final = -1
"""How far a map may be from its data; `NON_LOCAL` looks only where it is neither on the host nor in the rack."""


class SearchedJob(Protocol):
    """A job as the search for its tasks sees it."""

    tasks: list[list[TaskInProgress]]
    progress: list[float]
    speculates: tuple[bool, bool]
    estimator: ResourceEstimator

    @property
    def cluster(self) -> TrackerHosts:
        """Whose trackers it is searched for."""

    def serves(self, tracker: TaskTracker) -> bool:
        """Tell whether it gives tasks to a tracker."""


class TaskSearch(metaclass=State):
    job: SearchedJob
    idle_by_place: dict[str, IdleTasks] = {}  # Host path or rack → maps with data there
    idle_anywhere: IdleTasks  # Maps whose split names no host
    failed_maps: IdleTasks
    idle_reduces: IdleTasks
    running_by_place: dict[str, RunningTasks] = {}
    running_anywhere: RunningTasks
    running_reduces: RunningTasks
    is_closed: bool = False  # Whether the job has ended and its lists are gone

    def __init__(self, job: SearchedJob) -> None:
        self.job = job
        self.idle_anywhere = IdleTasks()
        self.failed_maps = IdleTasks()
        self.idle_reduces = IdleTasks()
        self.running_anywhere = RunningTasks()
        self.running_reduces = RunningTasks()

    def fill(self) -> set[str]:
        """Enter all tasks of the job; the hosts that hold data. Their racks join the cluster's in this order."""
        hosts: set[str] = set()
        racks = self.job.cluster.racks
        for task in self.job.tasks[MAP]:
            if not task.hosts:
                self.idle_anywhere.append(task.number)
            for host in task.hosts:
                racks.join(host)
                hosts.add(host)
                for place in racks.places(host):
                    self.idle_by_place.setdefault(place, IdleTasks()).append(task.number)
        self.idle_reduces = IdleTasks(range(len(self.job.tasks[REDUCE])))
        return hosts

    def close(self) -> None:
        self.is_closed = True
        self.failed_maps = IdleTasks()
        self.idle_by_place = {}
        self.running_by_place = {}
        self.idle_reduces = IdleTasks()
        self.running_reduces = RunningTasks()

    # What runs and what does not.

    def started(self, task: TaskInProgress) -> None:
        for running in self._running_lists(task):
            running.numbers.setdefault(task.number)

    def _running_lists(self, task: TaskInProgress) -> Iterator[RunningTasks]:
        if self.is_closed:
            return
        if task.kind == REDUCE:
            yield self.running_reduces
        elif not task.hosts:
            yield self.running_anywhere
        else:
            for host in task.hosts:
                for place in self.job.cluster.racks.places(host):
                    yield self.running_by_place.setdefault(place, RunningTasks())

    def stopped(self, task: TaskInProgress) -> None:
        if self.is_closed:
            return
        if task.kind == REDUCE:
            self.running_reduces.numbers.pop(task.number, None)
        elif not task.hosts:
            self.running_anywhere.numbers.pop(task.number, None)
        for host in task.hosts:
            for place in self.job.cluster.racks.places(host):
                running = self.running_by_place.get(place)
                if running is not None:
                    running.numbers.pop(task.number, None)
                    self._drop_empty(place)

    def _drop_empty(self, place: str) -> None:
        if not self.running_by_place[place].numbers:
            del self.running_by_place[place]

    def failed(self, task: TaskInProgress) -> None:
        """A task must run again; it goes before those that never ran."""
        if task.kind == MAP:
            self.failed_maps.add_failed(self.job.tasks[MAP], task.number)
        elif not self.is_closed:
            self.idle_reduces.add_failed(self.job.tasks[REDUCE], task.number)

    def running_tasks(self, kind: int) -> list[TaskInProgress]:
        lists = [self.running_reduces] if kind else [self.running_anywhere, *self.running_by_place.values()]
        numbers = dict.fromkeys(number for each in lists for number in each.numbers)
        return [self.job.tasks[kind][number] for number in numbers]

    # What a tracker gets.

    def find_reduce(self, tracker: TaskTracker) -> TaskInProgress | None:
        job = self.job
        reduces = job.tasks[REDUCE]
        if not reduces or not job.serves(tracker):
            return None
        task = self.idle_reduces.take(reduces, tracker.host, len(job.cluster.hosts))
        if task is None and job.speculates[REDUCE]:
            place = (tracker.host, tracker.name)
            task = self.running_reduces.lagging(reduces, place, job.progress[REDUCE], job.cluster.now_ms)
        if task is not None:
            self.started(task)
        return task

    def find_map(self, tracker: TaskTracker, level: int) -> TaskInProgress | None:
        """The map to launch on a tracker, at most this far from its data; failed maps go first whatever the level."""
        job = self.job
        maps = job.tasks[MAP]
        if not maps or not job.serves(tracker):
            return None
        if tracker.available_bytes < job.estimator.map_output_bytes():
            return None
        task = self.failed_maps.take(maps, tracker.host, len(job.cluster.hosts))
        task = task or self._find_near(tracker, level)
        if task is None and level in (ANY_LEVEL, NON_LOCAL):
            task = self._find_far(tracker)
            if task is None:
                return self._find_lagging(tracker) if job.speculates[MAP] else None
        if task is not None:
            self.started(task)
        return task

    def _find_near(self, tracker: TaskTracker, level: int) -> TaskInProgress | None:
        places = self.job.cluster.racks.places(tracker.host)
        for distance, place in enumerate(places[: max(0, level)]):
            task = self._take_idle(tracker, place, drops_failed_here=distance == 0)
            if task is not None:
                return task
        return None

    def _take_idle(self, tracker: TaskTracker, place: str, *, drops_failed_here: bool = False) -> TaskInProgress | None:
        idle = self.idle_by_place.get(place)
        if idle is None:
            return None
        hosts = len(self.job.cluster.hosts)
        return idle.take(self.job.tasks[MAP], tracker.host, hosts, drops_failed_here=drops_failed_here)

    def _other_racks(self, tracker: TaskTracker) -> list[str]:
        racks = self.job.cluster.racks
        own = racks.rack_of(tracker.host)
        return [rack for rack in racks.joined if rack != own]

    def _find_far(self, tracker: TaskTracker) -> TaskInProgress | None:
        for rack in self._other_racks(tracker):
            task = self._take_idle(tracker, rack)
            if task is not None:
                return task
        return self.idle_anywhere.take(self.job.tasks[MAP], tracker.host, len(self.job.cluster.hosts))

    def _find_lagging(self, tracker: TaskTracker) -> TaskInProgress | None:
        job = self.job
        maps, now_ms, average = job.tasks[MAP], job.cluster.now_ms, job.progress[MAP]
        at = (tracker.host, tracker.name)
        near = job.cluster.racks.places(tracker.host)
        for place in (*near, *self._other_racks(tracker)):
            running = self.running_by_place.get(place)
            if running is None:
                continue
            task = running.lagging(maps, at, average, now_ms, drops=place == near[0])
            if task is not None:
                self._drop_empty(place)
                return task
        return self.running_anywhere.lagging(maps, at, average, now_ms)
