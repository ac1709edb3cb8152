"""A TaskTracker as the recorder of MapReduce 1 played it: attempts that run for their time, fail and commit as told."""

from dataclasses import dataclass, replace
from typing import Any

from engine.control_plane.job_tracker_events import HeartbeatResponse, TrackerHeartbeat
from engine.model.java_number import float32
from engine.model.mr1.attempt import (
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
)
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.task_tracker import TrackerReport

Json = dict[str, Any]


@dataclass
class PlayedAttempt:
    """An attempt on a played tracker."""

    attempt: AttemptId
    slots: int
    start_ms: int
    ms: int
    is_user: bool
    is_cleanup: bool
    state: str = RUNNING
    fails: bool = False
    commits: bool = False
    may_commit: bool = False
    killed: bool = False
    ready_ms: int = -1

    @property
    def is_reduce_work(self) -> bool:
        """Whether it waits for maps before its own time runs."""
        return self.is_user and self.attempt[1] == REDUCE and not self.is_cleanup

    def ended_state(self) -> str:
        """What its cleanup attempt leaves."""
        return FAILED if self.state == FAILED_UNCLEAN else KILLED

    def report(self, cluster: MapReduceCluster, now_ms: int) -> TaskReport:
        """What the tracker says of it now."""
        job = cluster.jobs[self.attempt[0]]
        finished, maps = job.finished[MAP], job.wanted(MAP)
        if self.is_reduce_work and self.ready_ms < 0 and finished + job.failed_tasks[MAP] >= maps:
            self.ready_ms = max(now_ms, self.start_ms)
        begun_ms = self.ready_ms if self.is_reduce_work else self.start_ms
        fraction = 0.0 if begun_ms < 0 else 1.0 if self.ms <= 0 else max(0.0, min(1.0, (now_ms - begun_ms) / self.ms))
        if self.is_reduce_work:
            copied = finished / maps if maps else 1.0
            fraction = copied / 3 if self.ready_ms < 0 else 1 / 3.0 + fraction * 2 / 3
        progress, finish_ms = self._advance(float32(fraction), begun_ms, now_ms)
        return TaskReport(
            self.attempt, self.state, progress, self.slots, self.start_ms, finish_ms, in_cleanup=self.is_cleanup
        )

    def _advance(self, progress: float, begun_ms: int, now_ms: int) -> tuple[float, int]:
        half_ms = int(0.5 * self.ms)
        if self.killed:
            self.state = KILLED_UNCLEAN if self.is_user and not self.is_cleanup else self.ended_state()
            return progress, now_ms
        if self.fails and begun_ms >= 0 and now_ms >= begun_ms + half_ms:
            self.state = FAILED_UNCLEAN if self.is_user else FAILED
            return 0.0, begun_ms + half_ms
        if begun_ms < 0 or now_ms < begun_ms + self.ms:
            return progress, 0
        if self.is_cleanup:
            self.state = self.ended_state()
            return 0.0, begun_ms + self.ms
        if self.commits and not self.may_commit:
            self.state = COMMIT_PENDING
            return 1.0, 0
        self.state = SUCCEEDED
        return 1.0, now_ms if self.may_commit else begun_ms + self.ms

    @property
    def is_over(self) -> bool:
        """Whether it is forgotten once it was reported."""
        return self.state not in (RUNNING, COMMIT_PENDING) and not (self.is_cleanup and self.state in UNCLEAN)


class PlayedTracker:
    """A tracker's process."""

    def __init__(self, process: str, host: str, slots: tuple[int, int]) -> None:
        self.name = f"tracker_{host}:{process}"
        self.host = host
        self.slots = slots
        self.is_healthy = True
        self.restart()

    def restart(self) -> None:
        """The process starts anew."""
        self.attempts: dict[AttemptId, PlayedAttempt] = {}
        self.is_first = True
        self.response = 0

    def fork(self) -> "PlayedTracker":
        """An independent copy."""
        copy = PlayedTracker.__new__(PlayedTracker)
        copy.__dict__.update(self.__dict__)
        copy.attempts = {name: replace(attempt) for name, attempt in self.attempts.items()}
        return copy

    @staticmethod
    def occupied(report: TrackerReport) -> tuple[int, int]:
        """Map and reduce slots that a report says are taken."""
        busy = [each for each in report.attempts if each.occupies_slots]
        maps = sum(each.slots for each in busy if each.attempt[1] == MAP)
        return maps, sum(each.slots for each in busy) - maps

    def heartbeat(
        self, cluster: MapReduceCluster, specs: dict[int, Json], now_ms: int
    ) -> tuple[TrackerHeartbeat, list[tuple[AttemptId, str]]]:
        """The heartbeat it sends now, and the attempts in it that run no more."""
        reports = tuple(attempt.report(cluster, now_ms) for attempt in self.attempts.values())
        ended = [
            (each.attempt, each.state)
            for each in reports
            if each.state != RUNNING and not (each.in_cleanup and each.state in UNCLEAN)
        ]
        report = TrackerReport(self.name, self.host, self.slots, reports, self.is_healthy)
        occupied = self.occupied(report)
        asks = occupied[MAP] < self.slots[MAP] or occupied[REDUCE] < self.slots[REDUCE]
        return TrackerHeartbeat(report, self.is_first, asks, self.response), ended

    def obey(self, answer: HeartbeatResponse, specs: dict[int, Json], cluster: MapReduceCluster, now_ms: int) -> None:
        """Do what the JobTracker says."""
        self.response, self.is_first = answer.response, False
        self.attempts = {name: attempt for name, attempt in self.attempts.items() if not attempt.is_over}
        for place, launch in enumerate(answer.launches):
            self.attempts[launch.attempt] = self._started(launch, specs, cluster, now_ms + place)
        for name in answer.kills:
            if name in self.attempts:
                self.attempts[name].killed = True
        for attempt in self.attempts.values():
            if attempt.attempt[0] in answer.ended_jobs:
                attempt.killed = True
        for name in answer.commits:
            if name in self.attempts:
                self.attempts[name].may_commit = True
        if answer.restarts:
            self.restart()

    @staticmethod
    def _started(launch: Launch, specs: dict[int, Json], cluster: MapReduceCluster, start_ms: int) -> PlayedAttempt:
        number, kind, task, count = launch.attempt
        spec, tasks = specs[number], cluster.jobs[number].wanted(kind)
        is_user = task < tasks
        state = RUNNING
        fails = False
        if launch.is_cleanup:
            ms = spec.get("task_cleanup_ms", 500)
            state = cluster.attempts.tasks[launch.attempt].statuses[launch.attempt].state
        elif not is_user:
            ms = spec.get("cleanup_ms" if task == tasks else "setup_ms", 500)
        else:
            own = spec[("maps", "reduces")[kind]][task]
            ms = own["ms"][min(count, len(own["ms"]) - 1)] if isinstance(own["ms"], list) else own["ms"]
            fails = count in (own.get("fail") or ())
        commits = is_user and not launch.is_cleanup and spec.get("commit", False)
        return PlayedAttempt(
            launch.attempt, launch.slots, start_ms, ms, is_user, launch.is_cleanup, state, fails, commits
        )
