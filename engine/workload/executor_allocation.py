"""Dynamic allocation of a Spark application: how many executors it wants, and which idle ones it gives back.

While tasks wait the target grows by one, then by twice as many each time; it falls with the tasks there are. Where a
log's totals are given they are the target until the last of them, and idle executors beyond it go at once.
Source: ExecutorAllocationManager, ExecutorMonitor, Spark 4.x. Differs: the number of executors is
reckoned anew when something happens or a time-out is due; Spark does so every 100 ms.
"""

from collections.abc import Container, Mapping
from math import ceil
from typing import Final, NamedTuple

from engine.scenario import DynamicAllocation
from engine.state import State

NEVER: Final = 0
"""No time-out runs."""


class TaskCounts(NamedTuple):
    """The tasks of an application now."""

    pending: int
    running: int


class ExecutorAllocation(metaclass=State):
    """The target of one application and its time-outs."""

    spec: DynamicAllocation
    slots: int
    target: int = -1
    """Executors it last asked for; -1 before it has."""
    add: int = 1
    """Executors it asks for at the next time-out of waiting tasks."""
    add_ms: int = NEVER
    """When that is [epoch ms]."""
    began_ms: int = NEVER
    """When the application registered [epoch ms]."""
    total: int = 0
    """Which of the totals comes next; as many as there are when the last is past."""

    def __init__(self, spec: DynamicAllocation, slots: int) -> None:
        """`slots` are the tasks that an executor runs at a time."""
        self.spec = spec
        self.slots = slots

    def begin(self, tasks: TaskCounts, now_ms: int) -> None:
        """The first target."""
        self.began_ms = now_ms
        self.target = 0 if self.spec.totals else max(self.spec.initial, self.spec.least)
        self._follow_totals(now_ms)
        if self._total_ms == NEVER:
            self._time_backlog(tasks, now_ms)

    @property
    def _total_ms(self) -> int:
        """Return when the total changes next [epoch ms]; `NEVER` when tasks decide."""
        totals = self.spec.totals
        return self.began_ms + totals[self.total].at_ms if self.total < len(totals) else NEVER

    def _follow_totals(self, now_ms: int) -> None:
        while self._total_ms != NEVER and self._total_ms <= now_ms:
            self.target = self.spec.totals[self.total].executors
            self.total += 1

    def adjust(self, tasks: TaskCounts, now_ms: int) -> None:
        """Bring the target up to date. Source: #updateAndSyncNumExecutorsTarget."""
        self._follow_totals(now_ms)
        if self._total_ms != NEVER:
            return
        needed = self._needed(tasks)
        if self.add_ms != NEVER and self.add_ms < now_ms:
            self.add_ms += -(-(now_ms - self.add_ms) // self._again_ms) * self._again_ms
            self.add = 1
        self._time_backlog(tasks, now_ms)
        if needed < self.target:
            self.target = max(needed, self.spec.least)
            self.add = 1
        elif self.add_ms != NEVER and now_ms >= self.add_ms:
            self._ask_for_more(tasks, now_ms)

    def catch_up(self, tasks: TaskCounts, now_ms: int) -> None:
        """Let the time-outs up to now happen, each at its instant; for whoever is not woken at each of them."""
        while NEVER < self.add_ms < now_ms and self.target < self._most(tasks):
            self.adjust(tasks, self.add_ms)
        self.adjust(tasks, now_ms)

    def _time_backlog(self, tasks: TaskCounts, now_ms: int) -> None:
        """Start the time-out while tasks wait. Source: ExecutorAllocationListener#onStageSubmitted, #onTaskStart."""
        if tasks.pending == 0:
            self.add, self.add_ms = 1, NEVER
        elif self.add_ms == NEVER:
            self.add_ms = now_ms + self.spec.backlog_ms

    def _needed(self, tasks: TaskCounts) -> int:
        """Executors for all tasks that run or wait."""
        return ceil((tasks.pending + tasks.running) * self.spec.ratio / self.slots)

    def _most(self, tasks: TaskCounts) -> int:
        """Executors it would ask for at most now."""
        needed = self._needed(tasks)
        return needed if self.spec.most is None else min(needed, self.spec.most)

    @property
    def _again_ms(self) -> int:
        """From one time-out to the next."""
        again_ms = self.spec.backlog_ms if self.spec.sustained_ms is None else self.spec.sustained_ms
        return max(1, again_ms)

    def _ask_for_more(self, tasks: TaskCounts, now_ms: int) -> None:
        """One more at first, then twice as many each time. Source: #addExecutors."""
        grown = max(self.target, min(self.target + self.add, self._most(tasks)))
        self.add = self.add * 2 if grown - self.target == self.add else 1
        self.target = grown
        self.add_ms = now_ms + self._again_ms

    def spare(self, live: int) -> int:
        """Executors beyond the target and the least."""
        least = self.spec.least if self._total_ms == NEVER else 0
        return max(0, live - max(self.target, least))

    def idle_until(
        self,
        idle: Mapping[int, int],
        cached: Container[int] = (),
        shuffled: Container[int] = (),
        shuffling: Container[int] = (),
    ) -> dict[int, int]:
        """Return when each idle executor may be given back [epoch ms]; those that are kept for ever are left out.

        Source: ExecutorMonitor#timedOutExecutors, Tracker#updateTimeout. Differs: the driver forgets no shuffle; Spark
        does when a collection of garbage finds it unused, by `spark.cleaner.periodicGC.interval` every 30 minutes.

        Args:
            idle: Since when executors are idle [epoch ms].
            cached: Executors with cached blocks.
            shuffled: Executors with shuffle data, of whichever job.
            shuffling: Executors with shuffle data of a job that runs.
        """
        if self._total_ms != NEVER:
            return dict(idle)
        until, tracks = {}, self.spec.shuffle == "tracking"
        for executor, since_ms in idle.items():
            patience_ms = self._patience_ms(executor in cached, tracks and executor in shuffled)
            if patience_ms is not None and not (tracks and executor in shuffling):
                until[executor] = since_ms + patience_ms
        return until

    def _patience_ms(self, is_cached: bool, is_shuffled: bool) -> int | None:
        """The time of what an executor holds, the shorter one where it holds both; None for ever."""
        spec = self.spec
        if not (is_cached or is_shuffled):
            return spec.idle_ms
        limits = (spec.cached_idle_ms if is_cached else None, spec.shuffle_timeout_ms if is_shuffled else None)
        return min((each for each in limits if each is not None), default=None)

    def next_ms(self, tasks: TaskCounts, idle_until: Mapping[int, int], live: int, now_ms: int) -> int:
        """Return when a time-out is due next; `NEVER` when none runs."""
        due = [self._total_ms, *(idle_until.values() if self.spare(live) else ())]
        if self.add_ms != NEVER and self.target < self._most(tasks):
            due.append(self.add_ms)
        return min((time_ms for time_ms in due if time_ms > now_ms), default=NEVER)
