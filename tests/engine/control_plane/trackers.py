"""A JobTracker and trackers that do what a test tells them, in few words."""

from typing import Any

from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.protocol import Answer, Event, HeartbeatResponse, JobSubmitted, TrackerHeartbeat
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.task_in_progress import InputSplit, JobDescription
from engine.model.mr1.tracker import AttemptId, TaskReport, TaskTracker, TrackerReport

NOW_MS = 1_000_000
RACKS = {"a": "/r1", "b": "/r1", "c": "/r2"}


class Site:
    """A JobTracker with trackers `tracker_a:1` … of two slots of each kind, and the last answer of each."""

    def __init__(self, *hosts: str, scheduler: str = "mr1-fifo", **settings: object) -> None:
        texts = {key.replace("_", "."): str(value) for key, value in settings.items()}
        self.jt = JobTracker(texts, scheduler=scheduler, racks=RACKS, now_ms=NOW_MS)
        self.now_ms = NOW_MS
        self.responses: dict[str, int] = {}
        for host in hosts:
            self.beat(host, first=True, asks=False)

    def handle(self, event: Event) -> Answer:
        return self.jt.handle(event, self.now_ms)

    def beat(
        self, host: str, *attempts: TaskReport, first: bool = False, asks: bool = True, **more: Any
    ) -> HeartbeatResponse:
        report = TrackerReport(f"tracker_{host}:1", host, (2, 2), attempts, **more)
        last = 0 if first else self.responses.get(host, 0)
        answer = self.handle(TrackerHeartbeat(report, first, asks, last))
        assert isinstance(answer, HeartbeatResponse)
        self.responses[host] = answer.response
        return answer

    def submit(self, maps: int = 1, reduces: int = 0, **more: Any) -> int:
        """A job of maps without a place; its number."""
        answer = self.handle(JobSubmitted(JobDescription("etl", "ann", (InputSplit(),) * maps, reduces, **more)))
        assert not answer.rejected, answer.detail
        assert answer.application is not None
        return answer.application

    def running(self, maps: int = 1, reduces: int = 0, **more: Any) -> int:
        """A job whose setup has succeeded on host `a`."""
        number = self.submit(maps, reduces, **more)
        (launch,) = self.beat("a").launches
        self.beat("a", said(launch.attempt, "SUCCEEDED"), asks=False)
        return number

    def job(self, number: int = 1) -> JobInProgress:
        return self.jt.cluster.jobs[number]

    def tracker(self, host: str) -> TaskTracker:
        return self.jt.cluster.trackers[f"tracker_{host}:1"]


def said(attempt: AttemptId, state: str = "RUNNING", **more: Any) -> TaskReport:
    """What a tracker says of an attempt that began when the test did."""
    finish_ms = 0 if state in ("RUNNING", "COMMIT_PENDING") else NOW_MS
    keys = {"progress": 0.0, "slots": 1, "start_ms": NOW_MS, "finish_ms": finish_ms} | more
    return TaskReport(attempt, state, **keys)
