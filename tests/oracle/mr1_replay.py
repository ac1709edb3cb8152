"""Plays a recorded case of a real JobTracker 1.2.1 on ours; TaskTrackers are played as the recorder played them."""

from typing import Any

from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.job_tracker_events import (
    AttemptKilled,
    HeartbeatResponse,
    JobKilled,
    JobPriorityChanged,
    JobSubmitted,
    TrackerLost,
)
from engine.control_plane.protocol import Answer
from engine.fork import fork
from engine.formats.fair_placement import read_pools
from engine.model.mr1.job_description import InputSplit, JobDescription
from engine.model.mr1.tracker import MAP, REDUCE, RUNNING, AttemptId, Launch
from engine.simulation.job_tracker_world import TrackerProcess
from tests.oracle.mr1_state import state_of
from tests.oracle.mr1_tracker import recorded_plan

Json = dict[str, Any]

START_MS = 1_000_000_000
"""The recorder's clock at the start of a case."""

KEYS = {
    "slowstart": "mapred.reduce.slowstart.completed.maps",
    "pool": "mapred.fairscheduler.pool",
}
"""Field of a submission → the job's property."""


class Mr1Replay:
    """One case, op by op."""

    def __init__(self, case: Json) -> None:
        conf = {key: str(value) for key, value in case.get("conf", {}).items()}
        capacity = {f"mapred.capacity-scheduler.{key}": str(value) for key, value in case.get("capacity", {}).items()}
        self.now_ms = START_MS
        self.trackers: dict[str, TrackerProcess] = {}
        self.specs: dict[int, Json] = {}
        self.numbers: dict[str, int] = {}
        self.submitted = 0
        self.jt = JobTracker(
            conf | capacity,
            scheduler=f"mr1-{case['scheduler']}",
            racks=case["racks"],
            allocations=read_pools(case["allocations"]).allocations if "allocations" in case else None,
            now_ms=self.now_ms,
        )

    def fork(self) -> "Mr1Replay":
        """An independent copy that has seen the same ops."""
        copy = Mr1Replay.__new__(Mr1Replay)
        copy.now_ms, copy.submitted = self.now_ms, self.submitted
        copy.specs, copy.numbers = dict(self.specs), dict(self.numbers)
        copy.jt = fork(self.jt)
        copy.trackers = {name: fork(tracker) for name, tracker in self.trackers.items()}
        return copy

    def step(self, op: Json, *, last: bool) -> Json:
        """Do one op; what came of it, in the recording's keys."""
        self.now_ms += op.get("ms", 0)
        told: Json = {}
        getattr(self, f"_{op['op']}")(op, told)
        whole = last or op["op"] == "state"
        if whole or op["op"] == "tick":
            told["state"] = state_of(self.jt, self.specs, self.now_ms, whole=whole)
        return told

    # Ops.

    def _advance(self, op: Json, told: Json) -> None:
        pass

    _state = _advance

    def _tracker(self, op: Json, told: Json) -> None:
        slots = (op.get("map_slots", 2), op.get("reduce_slots", 2))
        host = op.get("host") or op["tracker"]
        self.trackers[op["tracker"]] = TrackerProcess(f"tracker_{host}:{op['tracker']}", host, slots)

    def _heartbeat(self, op: Json, told: Json) -> None:
        tracker = self.trackers[op["tracker"]]
        tracker.is_healthy = op.get("healthy", tracker.is_healthy)
        event = tracker.heartbeat(self.jt.cluster.jobs, self.now_ms)
        attempts = event.report.attempts
        if event.is_first:
            told["first"] = True
        busy = [(each.attempt[1], each.slots) for each in attempts if each.occupies_slots]
        told["occupied"] = [sum(slots for kind, slots in busy if kind == which) for which in (MAP, REDUCE)]
        answer = self.jt.handle(event, self.now_ms)
        assert isinstance(answer, HeartbeatResponse), answer
        ended = [(each.attempt, each.state) for each in attempts if each.state != RUNNING and not each.occupies_slots]
        self._tell(told, answer, ended)
        tracker.obey(answer, lambda launch: recorded_plan(launch, self.specs, self.jt.cluster), self.now_ms)

    def _tell(self, told: Json, answer: HeartbeatResponse, ended: list[tuple[AttemptId, str]]) -> None:
        if answer.restarts:
            told["reinit"] = True
        rows = {
            "ended": [[self._name(attempt), state] for attempt, state in ended],
            "launched": [self._launched(launch) for launch in answer.launches],
            "killed": [self._name(attempt) for attempt in answer.kills],
            "kill_jobs": sorted(self.specs[number]["job"] for number in answer.ended_jobs),
            "commit": [self._name(attempt) for attempt in answer.commits],
        }
        told |= {key: row for key, row in rows.items() if row}
        told["interval"] = answer.interval_ms

    def _launched(self, launch: Launch) -> Json:
        row = {"attempt": self._name(launch.attempt), "slots": launch.slots}
        if launch.is_cleanup:
            row["cleanup"] = True
        return row if launch.level is None else row | {"level": launch.level}

    def _name(self, attempt: AttemptId) -> str:
        number, kind, task, count = attempt
        job = self.jt.cluster.jobs[number]
        letter, tasks = "mr"[kind], job.wanted(kind)
        word = f"{letter}{task}" if task < tasks else ("cleanup_" if task == tasks else "setup_") + letter
        return f"{self.specs[number]['job']}.{word}.{count}"

    def _submit(self, op: Json, told: Json) -> None:
        self.submitted += 1
        conf = {key: str(value) for key, value in op.get("conf", {}).items()}
        fields = {"user": "alice", "queue": "default"} | op
        conf |= {key: str(fields[field]) for field, key in KEYS.items() if field in fields}
        description = JobDescription(
            op["job"],
            fields["user"],
            tuple(InputSplit(tuple(each.get("hosts") or ()), each.get("bytes", 0)) for each in op.get("maps", ())),
            len(op.get("reduces", ())),
            fields["queue"],
            op.get("priority", "NORMAL"),
            (op.get("speculative_maps", False), op.get("speculative_reduces", False)),
            (op.get("map_mb", -1), op.get("reduce_mb", -1)),
            conf,
        )
        self.specs[self.submitted] = op
        self.numbers[op["job"]] = self.submitted
        self._rejected(self.jt.handle(JobSubmitted(description, self.submitted), self.now_ms), told)
        if self.submitted not in self.jt.cluster.jobs:
            del self.specs[self.submitted], self.numbers[op["job"]]

    @staticmethod
    def _rejected(answer: Answer, told: Json) -> None:
        if answer.rejected:
            told["rejected"] = answer.rejected

    def _tick(self, op: Json, told: Json) -> None:
        for each in self.jt.passes():
            self.jt.run_pass(each.name, self.now_ms)

    _poll = _tick

    def _lose(self, op: Json, told: Json) -> None:
        tracker = self.trackers[op["tracker"]]
        self.jt.handle(TrackerLost(tracker.name), self.now_ms)
        if not op.get("alive", False):
            tracker.restart()

    def _restart(self, op: Json, told: Json) -> None:
        self.trackers[op["tracker"]].restart()

    def _kill_job(self, op: Json, told: Json) -> None:
        self.jt.handle(JobKilled(self.numbers[op["job"]]), self.now_ms)

    def _priority(self, op: Json, told: Json) -> None:
        event = JobPriorityChanged(self.numbers[op["job"]], op.get("priority", "NORMAL"))
        self.jt.handle(event, self.now_ms)

    def _kill_task(self, op: Json, told: Json) -> None:
        for attempt in list(self.jt.cluster.attempts.tasks):
            if self._name(attempt) == op["attempt"]:
                answer = self.jt.handle(AttemptKilled(attempt, counts=op.get("fail", False)), self.now_ms)
                told["accepted"] = not answer.rejected
