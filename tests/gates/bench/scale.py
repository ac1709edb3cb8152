"""The sizes that MapReduce 1 and YARN were made for: heartbeats a control plane must take, and how many ours can.

A JobTracker of 4,000 trackers with 40,000 tasks has 100 heartbeats a second, each with ten task reports; a
ResourceManager of 10,000 nodes has 10,000 a second, which here holds a quarter of a million containers, more than the
100,000 it was made for. Both clusters are full and stay full; the figures are of rounds after they have been filled.
"""

import time
from typing import Any, Final

from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.protocol import Answer, HeartbeatResponse, JobSubmitted, TrackerHeartbeat
from engine.model.mr1.task_in_progress import InputSplit, JobDescription
from engine.model.mr1.tracker import MAP, REDUCE, RUNNING, SUCCEEDED, AttemptId, TaskReport, TrackerReport
from tests.gates.bench.clock import peak_memory_mb
from tests.gates.bench.schedulers import control_plane
from tests.gates.bench.workload import Case, Player

SLOTS: Final = (6, 4)
"""Of each tracker: ten tasks on a machine, as in both claims."""
JOB: Final = (1_200, 800)
"""Maps and reduces of each job."""
TASK_ROUNDS: Final = 20
"""A task ends after at most so many heartbeats of its tracker."""
WARM_ROUNDS: Final = 20
ROUNDS: Final = 3
TRACKERS: Final = 4_000


class Trackers:
    """A JobTracker and trackers whose tasks end in turn; when a job ends another is submitted."""

    def __init__(self, count: int) -> None:
        self.job_tracker = JobTracker({}, scheduler="mr1-fifo")
        self.count = count
        self.responses = [0] * count
        self.running: list[dict[AttemptId, int]] = [{} for _ in range(count)]
        """Tracker → the round in which each of its attempts ends."""
        self.submitted = 0
        self.launched = 0
        self.cpu_s = 0.0

    def play_round(self, number: int, interval_ms: int) -> None:
        """Every tracker reports once, spread over the interval."""
        self._submit(number * interval_ms)
        for tracker in range(self.count):
            now_ms = number * interval_ms + tracker * interval_ms // self.count
            event = self._report(tracker, number, now_ms)
            begin = time.process_time()
            answer = self.job_tracker.handle(event, now_ms)
            self.cpu_s += time.process_time() - begin
            self._obey(tracker, number, answer)

    def _submit(self, now_ms: int) -> None:
        """Keep at least as many tasks waiting as there are slots."""
        while self.submitted * sum(JOB) - self.launched < sum(SLOTS) * self.count:
            job = JobDescription(
                f"job-{self.submitted}",
                "ann",
                (InputSplit(()),) * JOB[MAP],
                JOB[REDUCE],
                speculates=(False, False),
                settings={"mapred.reduce.slowstart.completed.maps": "0"},
            )
            self.job_tracker.handle(JobSubmitted(job), now_ms)
            self.submitted += 1

    def _report(self, tracker: int, number: int, now_ms: int) -> TrackerHeartbeat:
        reports = []
        for attempt, end in self.running[tracker].items():
            state = SUCCEEDED if number >= end else RUNNING
            reports.append(TaskReport(attempt, state, 0.5, 1, now_ms, now_ms if state == SUCCEEDED else 0))
        name = f"node{tracker}"
        report = TrackerReport(f"tracker_{name}:1", name, SLOTS, tuple(reports))
        return TrackerHeartbeat(report, number == 0, asks_for_work=True, response=self.responses[tracker])

    def _obey(self, tracker: int, number: int, answer: Answer) -> None:
        assert isinstance(answer, HeartbeatResponse), "a JobTracker answers heartbeats so"
        mine = self.running[tracker]
        self.responses[tracker] = answer.response
        for attempt in [attempt for attempt, end in mine.items() if number >= end or attempt in answer.kills]:
            del mine[attempt]
        for launch in answer.launches:
            is_chore = launch.attempt[2] >= JOB[launch.attempt[1]]
            mine[launch.attempt] = number + 1 + (0 if is_chore else hash(launch.attempt) % TASK_ROUNDS)
        self.launched += len(answer.launches)


def job_tracker() -> dict[str, Any]:
    """Heartbeats per CPU second of a full JobTracker, and what part of a second its cluster needs."""
    trackers = Trackers(TRACKERS)
    interval_ms = TRACKERS * 10
    for number in range(WARM_ROUNDS):
        trackers.play_round(number, interval_ms)
    before, trackers.cpu_s = trackers.launched, 0.0
    for number in range(WARM_ROUNDS, WARM_ROUNDS + ROUNDS):
        trackers.play_round(number, interval_ms)
    per_cpu_s = TRACKERS * ROUNDS / trackers.cpu_s
    needed = 1000 * TRACKERS / interval_ms
    return {
        "bench": f"mr1-{TRACKERS}",
        "trackers": TRACKERS,
        "tasks": sum(map(len, trackers.running)),
        "interval_ms": trackers.job_tracker.cluster.heartbeat_ms(),
        "launches": trackers.launched - before,
        "heartbeats_per_cpu_s": round(per_cpu_s),
        "heartbeats_needed_per_s": round(needed),
        "times_real_time": round(per_cpu_s / needed, 1),
        "peak_memory_mb": peak_memory_mb(),
    }


def resource_manager() -> dict[str, Any]:
    """The same of a ResourceManager with 10,000 nodes."""
    case = Case("yarn-10000", "fifo", 10_000, 100, 10, 20, 5, 1, 0)
    player = Player(case, control_plane(case), lambda _time_ms, _decisions: None)
    played = player.play()
    per_cpu_s = played.heartbeats / played.heartbeat_cpu_s
    return {
        "bench": case.name,
        "nodes": case.nodes,
        "containers": sum(len(ends) for node in player.ends for ends in node),
        "interval_ms": 1_000,
        "launches": played.containers,
        "heartbeats_per_cpu_s": round(per_cpu_s),
        "heartbeats_needed_per_s": case.nodes,
        "times_real_time": round(per_cpu_s / case.nodes, 1),
        "peak_memory_mb": peak_memory_mb(),
    }


MEASURES: Final = {f"mr1-{TRACKERS}": job_tracker, "yarn-10000": resource_manager}
