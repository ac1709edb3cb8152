"""Plays a recorded case of a real JobTracker 1.2.1 on ours; TaskTrackers are played as the recorder played them."""

from typing import Any

from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.job_tracker_parts import node_of
from engine.control_plane.protocol import (
    Answer,
    ApplicationFinished,
    ApplicationPriorityChanged,
    HeartbeatResponse,
    JobSubmitted,
    NodeLost,
)
from engine.errors import RefusedError
from engine.fork import fork
from engine.formats.fair_placement import read_pools
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.task_in_progress import PRIORITIES, InputSplit, JobDescription
from engine.model.mr1.task_search import HOST_LEVEL, RACK_LEVEL
from engine.model.mr1.tracker import MAP, REDUCE, RUNNING, AttemptId, Launch
from engine.schedulers.mr1.capacity import CapacityTaskQueue, CapacityTaskScheduler
from engine.schedulers.mr1.fair import FairTaskScheduler
from engine.schedulers.mr1.fair_pools import JobInfo, PoolSchedulable
from engine.simulation.task_tracker import AttemptPlan, TrackerProcess

Json = dict[str, Any]


def state_of(jt: JobTracker, specs: dict[int, Json], now_ms: int, *, whole: bool) -> Json:
    """Cluster and jobs; `whole` leaves out nothing."""
    cluster = jt.cluster
    state: Json = {}
    if whole:
        state["cluster"] = {
            "trackers": cluster.active_trackers,
            "blacklisted": cluster.faulty.blacklisted,
            "graylisted": cluster.faulty.graylisted,
            "maps": cluster.running[MAP],
            "reduces": cluster.running[REDUCE],
            "map_slots": cluster.slots[MAP],
            "reduce_slots": cluster.slots[REDUCE],
        }
    state["jobs"] = {spec["job"]: job_figures(cluster.jobs[number]) if whole else {} for number, spec in specs.items()}
    if isinstance(jt.scheduler, FairTaskScheduler):
        _add_fair(state, jt.scheduler, specs, now_ms)
    if whole and isinstance(jt.scheduler, CapacityTaskScheduler):
        _add_capacity(state, jt, jt.scheduler, specs)
    return state


def _add_capacity(state: Json, jt: JobTracker, scheduler: CapacityTaskScheduler, specs: dict[int, Json]) -> None:
    state["queues"] = {name: _queue_figures(queue) for name, queue in scheduler.queues.items()}
    names = {number: spec["job"] for number, spec in specs.items()}
    reserved = {
        tracker.name.partition(":")[2]: [job and names[job.number] for job in tracker.reserved_for]
        for tracker in jt.cluster.trackers.values()
        if any(tracker.reserved_for)
    }
    if reserved:
        state["reserved"] = reserved
    for number, name in names.items():
        job = jt.cluster.jobs[number]
        state["jobs"][name] |= {"slots_per_task": list(job.slots_per_task), "opportunities": job.opportunities}


def _queue_figures(queue: CapacityTaskQueue) -> Json:
    rows = [
        {"capacity": use.capacity, "max": use.maximum, "running": use.running, "occupied": use.occupied}
        for use in queue.usage
    ]
    jobs = [len(queue.waiting), len(queue.initializing), len(queue.running)]
    return {"map": rows[MAP], "reduce": rows[REDUCE], "jobs": jobs}


def _add_fair(state: Json, scheduler: FairTaskScheduler, specs: dict[int, Json], now_ms: int) -> None:
    parts = zip(scheduler.pools(MAP), scheduler.pools(REDUCE), strict=True)
    state["pools"] = {
        maps.name: {"map": _pool_figures(maps, now_ms), "reduce": _pool_figures(reduces, now_ms)}
        for maps, reduces in parts
    }
    for number, spec in specs.items():
        info = scheduler.jobs.get(number)
        row = state["jobs"][spec["job"]]
        if info is not None:
            row |= _fair_figures(info)
        elif not row:
            del state["jobs"][spec["job"]]


def _pool_figures(pool: PoolSchedulable, now_ms: int) -> Json:
    return {
        "demand": pool.demand,
        "running": pool.running(),
        "fair": pool.fair_share,
        "min": pool.min_share(),
        "starved_min_ms": now_ms - pool.at_min_share_ms,
        "starved_fair_ms": now_ms - pool.at_half_share_ms,
    }


def _fair_figures(info: JobInfo) -> Json:
    parts = info.schedulables
    return {
        "runnable": info.is_runnable,
        "fair": [part.fair_share for part in parts],
        "demand": [part.demand for part in parts],
        "weight": [part.weight() for part in parts],
        "last_level": {HOST_LEVEL: "NODE", RACK_LEVEL: "RACK"}.get(info.last_level, "ANY"),
        "waited_ms": info.waited_ms,
        "skipped": info.was_skipped,
    }


def job_figures(job: JobInProgress) -> Json:
    figures: Json = {
        "state": job.state,
        "maps": [job.running[MAP], job.finished[MAP], job.failed_tasks[MAP], job.pending(MAP)],
        "reduces": [job.running[REDUCE], job.finished[REDUCE], job.failed_tasks[REDUCE], job.pending(REDUCE)],
        "failed_attempts": list(job.failed_attempts),
    }
    if job.flaky_trackers > 0:
        figures["flaky"] = job.flaky_hosts()
    figures["local"] = [*job.local_maps, job.launched_maps]
    figures["slot_ms"] = [*job.slot_ms, *job.fallow_slot_ms]
    return figures


# What the recorder of MapReduce 1 had attempts do: durations by attempt, failures and commits of a submission.


def recorded_plan(launch: Launch, specs: dict[int, Json], cluster: MapReduceCluster) -> AttemptPlan:
    """What an attempt is to do, by the submission of its job."""
    number, kind, task, count = launch.attempt
    spec, tasks = specs[number], cluster.jobs[number].wanted(kind)
    is_user = task < tasks
    if launch.is_cleanup:
        state = cluster.attempts.tasks[launch.attempt].statuses[launch.attempt].state
        return AttemptPlan(spec.get("task_cleanup_ms", 500), is_user, state=state)
    if not is_user:
        return AttemptPlan(spec.get("cleanup_ms" if task == tasks else "setup_ms", 500), is_user, state=RUNNING)
    own = spec[("maps", "reduces")[kind]][task]
    duration = own["ms"][min(count, len(own["ms"]) - 1)] if isinstance(own["ms"], list) else own["ms"]
    return AttemptPlan(duration, is_user, count in (own.get("fail") or ()), spec.get("commit", False))


# Plays a recorded case of a real JobTracker 1.2.1 on ours; TaskTrackers are played as the recorder played them.

START_MS = 1_000_000_000
"""The recorder's clock at the start of a case."""

KEYS = {"slowstart": "mapred.reduce.slowstart.completed.maps", "pool": "mapred.fairscheduler.pool"}
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
        self.jt.handle(NodeLost(node_of(tracker.name)), self.now_ms)
        if not op.get("alive", False):
            tracker.restart()

    def _restart(self, op: Json, told: Json) -> None:
        self.trackers[op["tracker"]].restart()

    def _kill_job(self, op: Json, told: Json) -> None:
        self.jt.handle(ApplicationFinished(self.numbers[op["job"]]), self.now_ms)

    def _priority(self, op: Json, told: Json) -> None:
        priority = PRIORITIES[::-1].index(op.get("priority", "NORMAL"))
        event = ApplicationPriorityChanged(self.numbers[op["job"]], priority)
        self.jt.handle(event, self.now_ms)

    def _kill_task(self, op: Json, told: Json) -> None:
        for attempt in list(self.jt.cluster.attempts.tasks):
            if self._name(attempt) == op["attempt"]:
                try:
                    self.jt.kill_attempt(attempt, counts=op.get("fail", False))
                except RefusedError:
                    told["accepted"] = False
                else:
                    told["accepted"] = True
