"""Plays a TaskTracker's process: attempts, which run, fail and commit as planned, and its heartbeats.

Source: TaskTracker#offerService, #transmitHeartBeat, Hadoop 1.2.1. Differs: a tracker sends no heartbeat out
of turn and reuses no JVM; a reduce learns only at its tracker's heartbeats that the last map has ended.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from engine.control_plane.protocol import HeartbeatResponse, TrackerHeartbeat
from engine.model.java_values import float32
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.tracker import (
    COMMIT_PENDING,
    FAILED,
    FAILED_UNCLEAN,
    KILLED,
    KILLED_UNCLEAN,
    MAP,
    REDUCE,
    RUNNING,
    SUCCEEDED,
    UNCLEAN,
    AttemptId,
    Launch,
    TaskReport,
    TrackerReport,
)
from engine.state import State

Jobs = Mapping[int, JobInProgress]

Missing = Callable[[JobInProgress], tuple[AttemptId, ...]]
"""The maps of a job that have ended and whose output cannot be fetched."""

FETCH_REPORT_MS: Final = 150_000
"""Time that a reduce tries to fetch an output before each report that it cannot [ms]. Source: ReduceTask, with ten
tries that wait longer each time; Differs: a reduce gives up all map outputs of a lost
tracker at once; a real one gives up each by itself."""

FOREVER_MS: Final = 2**61  # Duration of an attempt that ends only when it is killed


class AttemptPlan(NamedTuple):
    duration_ms: int  # Its duration; of a reduce it counts from the end of the last map
    is_user: bool  # True for a map or reduce of the job itself, and for its cleanup attempt
    fails: bool = False  # True where it fails half-way
    commits: bool = False  # True where it waits for the order to commit
    silent_ms: int | None = None  # Time that it hangs half-way until its tracker fails it; None where it does not hang
    state: str = RUNNING  # The state; of a cleanup attempt that of the attempt it cleans up after


class AttemptProcess(metaclass=State):
    launch: Launch
    plan: AttemptPlan
    start_ms: int
    state: str
    ready_ms: int = -1  # The time at which a reduce learned that all maps have ended; -1 before
    stuck_ms: int = -1  # The time since which a reduce tries in vain to fetch an output; -1 while it does not
    may_commit: bool = False
    is_killed: bool = False

    def __init__(self, launch: Launch, plan: AttemptPlan, start_ms: int) -> None:
        self.launch = launch
        self.plan = plan
        self.start_ms = start_ms
        self.state = plan.state

    @property
    def _is_reduce_work(self) -> bool:
        return self.plan.is_user and self.launch.attempt[1] == REDUCE and not self.launch.is_cleanup

    @property
    def is_over(self) -> bool:
        return self.state not in (RUNNING, COMMIT_PENDING) and not (self.launch.is_cleanup and self.state in UNCLEAN)

    @property
    def ends_by_itself(self) -> bool:
        """True where it ends without anything else happening; a reduce does not while maps of its job run."""
        if self.plan.silent_ms == FOREVER_MS:
            return False
        return self.plan.duration_ms < FOREVER_MS and (not self._is_reduce_work or self.ready_ms >= 0)

    @property
    def pace(self) -> float:
        """What it comes on by in a ms, as a part of its task, at least; 0 while it waits for maps or may hang."""
        part = 2 / 3 if self._is_reduce_work else 1.0
        is_still = self.plan.silent_ms is not None or (self._is_reduce_work and self.ready_ms < 0)
        return 0.0 if is_still else part / max(1, self.plan.duration_ms)

    def next_ms(self, now_ms: int) -> int:
        """When it does something by itself again [epoch ms]; now where it may at any time."""
        plan, begun_ms = self.plan, self.ready_ms if self._is_reduce_work else self.start_ms
        if self.state != RUNNING or self.is_killed or self.stuck_ms >= 0:
            return now_ms
        if begun_ms < 0:
            return FOREVER_MS
        half_ms = begun_ms + plan.duration_ms // 2
        if plan.silent_ms is not None and now_ms >= half_ms:
            return max(now_ms, half_ms + plan.silent_ms)
        is_cut = plan.fails or plan.silent_ms is not None
        return max(now_ms, half_ms if is_cut else begun_ms + plan.duration_ms)

    def report(self, jobs: Jobs, now_ms: int, missing: Missing = lambda job: ()) -> TaskReport:
        begun_ms, fraction = self.start_ms, 0.0
        failed_fetches: tuple[AttemptId, ...] = ()
        is_reduce = self._is_reduce_work
        job = jobs.get(self.launch.attempt[0]) if is_reduce else None
        if job is not None:
            finished, maps = job.finished[MAP], job.wanted(MAP)
            lost = missing(job) if self.ready_ms < 0 else ()
            failed_fetches = self._give_up(lost, now_ms)
            if self.ready_ms < 0 and not lost and finished + job.failed_tasks[MAP] >= maps:
                self.ready_ms = max(now_ms, self.start_ms)
            begun_ms = self.ready_ms
            fraction = (finished / maps if maps else 1.0) / 3
        if begun_ms >= 0:
            duration_ms = self.plan.duration_ms
            heard_ms = now_ms if self.plan.silent_ms is None else min(now_ms, begun_ms + duration_ms // 2)
            done = (heard_ms - begun_ms) / duration_ms if duration_ms > 0 else 1.0
            done = 0.0 if done < 0.0 else min(done, 1.0)
            fraction = 1 / 3.0 + done * 2 / 3 if is_reduce else done
        progress, finish_ms = self._advance(float32(fraction), begun_ms, now_ms)
        return TaskReport(
            self.launch.attempt,
            self.state,
            progress,
            self.launch.slots,
            self.start_ms,
            finish_ms,
            in_cleanup=self.launch.is_cleanup,
            failed_fetches=failed_fetches,
        )

    def _give_up(self, lost: tuple[AttemptId, ...], now_ms: int) -> tuple[AttemptId, ...]:
        if not lost:
            self.stuck_ms = -1
        elif self.stuck_ms < 0:
            self.stuck_ms = now_ms
        elif now_ms >= self.stuck_ms + FETCH_REPORT_MS:
            self.stuck_ms = now_ms
            return lost
        return ()

    def _advance(self, progress: float, begun_ms: int, now_ms: int) -> tuple[float, int]:
        """Move to the state it is in by now; return its progress and the time of its end."""
        plan = self.plan
        half_ms = plan.duration_ms // 2
        if self.is_killed:
            self.state = KILLED_UNCLEAN if plan.is_user and not self.launch.is_cleanup else self._cleaned()
            return progress, now_ms
        if plan.silent_ms is not None and begun_ms >= 0 and now_ms >= begun_ms + half_ms:
            if now_ms <= begun_ms + half_ms + plan.silent_ms:
                return progress, 0
            self.state = FAILED_UNCLEAN
            return 0.0, now_ms
        if plan.fails and begun_ms >= 0 and now_ms >= begun_ms + half_ms:
            self.state = FAILED_UNCLEAN if plan.is_user else FAILED
            return 0.0, begun_ms + half_ms
        end_ms = begun_ms + plan.duration_ms
        if begun_ms < 0 or now_ms < end_ms:
            return progress, 0
        if self.launch.is_cleanup:
            self.state = self._cleaned()
            return 0.0, end_ms
        if plan.commits and not self.may_commit:
            self.state = COMMIT_PENDING
            return 1.0, 0
        self.state = SUCCEEDED
        return 1.0, now_ms if self.may_commit else end_ms

    def _cleaned(self) -> str:
        return FAILED if self.state == FAILED_UNCLEAN else KILLED


class TrackerProcess(metaclass=State):
    name: str
    host: str
    slots: tuple[int, int]
    is_healthy: bool = True
    attempts: dict[AttemptId, AttemptProcess]
    is_first: bool
    response: int

    def __init__(self, name: str, host: str, slots: tuple[int, int]) -> None:
        self.name = name
        self.host = host
        self.slots = slots
        self.restart()

    def restart(self) -> None:
        self.attempts = {}
        self.is_first = True
        self.response = 0

    def heartbeat(self, jobs: Jobs, now_ms: int, missing: Missing = lambda job: ()) -> TrackerHeartbeat:
        """Return the heartbeat it sends now; it asks for work while any slot is free."""
        reports = tuple(attempt.report(jobs, now_ms, missing) for attempt in self.attempts.values())
        occupied = [0, 0]
        for each in reports:
            if each.occupies_slots:
                occupied[each.attempt[1]] += each.slots
        asks = occupied[MAP] < self.slots[MAP] or occupied[REDUCE] < self.slots[REDUCE]
        report = TrackerReport(self.name, self.host, self.slots, reports, self.is_healthy)
        return TrackerHeartbeat(report, self.is_first, asks, self.response)

    def obey(self, answer: HeartbeatResponse, plan: Callable[[Launch], AttemptPlan], now_ms: int) -> None:
        """Obey an answer: forget attempts that were reported ended, start, end and commit attempts as it says.

        `plan` makes the plan of an attempt; of several attempts launched together each starts 1 ms after the one
        before.
        """
        self.response, self.is_first = answer.response, False
        over = [name for name, attempt in self.attempts.items() if attempt.is_over]
        for name in over:
            del self.attempts[name]
        for place, launch in enumerate(answer.launches):
            self.attempts[launch.attempt] = AttemptProcess(launch, plan(launch), now_ms + place)
        if answer.kills or answer.ended_jobs or answer.commits:
            for name, attempt in self.attempts.items():
                if name in answer.kills or name[0] in answer.ended_jobs:
                    attempt.is_killed = True
                if name in answer.commits:
                    attempt.may_commit = True
        if answer.restarts:
            self.restart()
