"""A Spark driver on the standalone Master: it uses the executors it is given, and may ask for more or give back.

Without dynamic allocation it never speaks until it is done: the Master launches executors up to the application's
maximum by itself. With it, it registers with a limit of 0 and from then on names totals.

Source: StandaloneSchedulerBackend, ExecutorAllocationManager, Spark 4.x. Differs: it is updated when something happened
and when a time-out is due, not every 100 ms.
"""

from typing import ClassVar, Final, NamedTuple

from engine.scenario import StandaloneSpec
from engine.scenario.applications import DynamicAllocation
from engine.state import OWNED, REFERENCE, SHARED, Slots
from engine.workload.random_streams import drawn, stream
from engine.workload.stages import FOREVER, Stages

NEVER: Final = 0
"""No time-out runs."""


class DriverRequest(NamedTuple):
    """What a driver sends to the Master."""

    total: int | None = None
    """Executors it wants altogether; None: nothing new."""
    give_back: tuple[int, ...] = ()
    """Executors to kill."""
    done: bool = False
    """The application has ended."""


class StandaloneDriver:
    """One application's driver."""

    STATE: ClassVar[Slots] = {
        "add": SHARED,
        "add_ms": SHARED,
        "container": SHARED,
        "dead": SHARED,
        "idle": OWNED,
        "node": SHARED,
        "number": SHARED,
        "seed": SHARED,
        "spec": SHARED,
        "stages": REFERENCE,
        "target": SHARED,
        "wake_ms": SHARED,
    }
    __slots__ = STATE

    def __init__(self, number: int, spec: StandaloneSpec, seed: int) -> None:
        self.number = number
        self.spec = spec
        self.seed = seed
        self.stages = Stages(spec.stages, number, seed)
        self.container: tuple[int, int, int] | None = None
        """Cluster mode: the container it runs in."""
        self.node = -1
        """Cluster mode: index of its node."""
        self.dead = False
        """Its process died with its node."""
        self.target = -1
        """Executors it last asked for; -1 before it has."""
        self.idle: dict[int, int] = {}
        """Since when each executor without a task is idle [epoch ms]."""
        self.wake_ms = NEVER
        """For when it is on the clock [epoch ms]."""
        self.add = 1
        """Executors it asks for at the next time-out of waiting tasks."""
        self.add_ms = NEVER
        """When that is [epoch ms]."""

    def joined(self, executor: int, host: str, cores: int, now_ms: int) -> None:
        """An executor is ready."""
        self.stages.join(executor, host, cores)
        self.idle[executor] = now_ms

    def life_of(self, executor: int) -> int:
        """How long an executor's process lives once it is started [ms]; `FOREVER`, or 0 when it does not start."""
        span = self.spec.exits_after_ms
        return FOREVER if span is None else drawn(stream(self.seed, "executor", self.number, executor), span)

    def left(self, executor: int) -> None:
        """An executor is gone."""
        self.stages.leave(executor)
        self.idle.pop(executor, None)

    def note_idle(self, now_ms: int) -> None:
        """Bring the list of idle executors up to date; only dynamic allocation looks at it."""
        if self.spec.dynamic is None:
            return
        for executor, place in self.stages.places.items():
            if place.busy:
                self.idle.pop(executor, None)
            else:
                self.idle.setdefault(executor, now_ms)

    def think(self, now_ms: int) -> DriverRequest:
        """What to send to the Master now."""
        if self.dead or self.stages.is_done:
            return DriverRequest(done=True)
        dynamic = self.spec.dynamic
        if dynamic is None:
            return DriverRequest()
        if self.target < 0:
            self.target = max(dynamic.initial, dynamic.least)
            self._time_backlog(dynamic, now_ms)
            return DriverRequest(total=self.target)
        return self._adjusted(now_ms)

    def _adjusted(self, now_ms: int) -> DriverRequest:
        """Source: ExecutorAllocationManager#updateAndSyncNumExecutorsTarget, #removeExecutors."""
        dynamic = self.spec.dynamic
        assert dynamic is not None, "only dynamic allocation adjusts"
        needed, before = self._needed(), self.target
        self._skip_time_outs(dynamic, now_ms)
        self._time_backlog(dynamic, now_ms)
        if needed < self.target:
            self.target = max(needed, dynamic.least)
            self.add = 1
        elif self.add_ms != NEVER and now_ms >= self.add_ms:
            self._ask_for_more(dynamic, now_ms)
        spare = max(0, len(self.stages.places) - max(self.target, dynamic.least))
        tired = [executor for executor, since_ms in self.idle.items() if now_ms >= since_ms + dynamic.idle_ms]
        total = self.target if self.target != before or tired[:spare] else None
        return DriverRequest(total=total, give_back=tuple(tired[:spare]))

    def _time_backlog(self, dynamic: DynamicAllocation, now_ms: int) -> None:
        """Start the time-out while tasks wait. Source: ExecutorAllocationListener#onStageSubmitted, #onTaskStart."""
        if self.stages.pending == 0:
            self.add, self.add_ms = 1, NEVER
        elif self.add_ms == NEVER:
            self.add_ms = now_ms + dynamic.backlog_ms

    def _needed(self) -> int:
        """Executors for all tasks that run or wait."""
        return -(-(self.stages.pending + self.stages.running) // (self.spec.executor_cores or 1))

    def _most(self, dynamic: DynamicAllocation) -> int:
        """Executors it would ask for at most now."""
        return self._needed() if dynamic.most is None else min(self._needed(), dynamic.most)

    def _skip_time_outs(self, dynamic: DynamicAllocation, now_ms: int) -> None:
        """Do what time-outs would have done at which it could ask for no more; it is not woken for those."""
        if self.add_ms != NEVER and self.add_ms < now_ms:
            step_ms = max(1, dynamic.backlog_ms)
            self.add_ms += -(-(now_ms - self.add_ms) // step_ms) * step_ms
            self.add = 1

    def _ask_for_more(self, dynamic: DynamicAllocation, now_ms: int) -> None:
        """One more at first, then twice as many each time. Source: ExecutorAllocationManager#addExecutors."""
        grown = max(self.target, min(self.target + self.add, self._most(dynamic)))
        self.add = self.add * 2 if grown - self.target == self.add else 1
        self.target = grown
        self.add_ms = now_ms + max(1, dynamic.backlog_ms)

    def next_ms(self, now_ms: int) -> int:
        """When a time-out is due next; `NEVER` when none runs."""
        dynamic = self.spec.dynamic
        if dynamic is None:
            return NEVER
        spare = len(self.stages.places) > max(self.target, dynamic.least)
        due = [since_ms + dynamic.idle_ms for since_ms in self.idle.values()] if spare else []
        if self.add_ms != NEVER and self.target < self._most(dynamic):
            due.append(self.add_ms)
        later = [time_ms for time_ms in due if time_ms > now_ms]
        return min(later, default=NEVER)
