"""MapReduce 1's JobTracker: the front door of a cluster of TaskTrackers with map and reduce slots.

Source: JobTracker, Hadoop 1.2.1. Differs: disk, RPC, history and web server are left out; it never retires jobs.
After a restart ids keep the first identifier and numbers of jobs go on; the real ones begin again at 1 under a new one.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec.structs import replace

from engine.control_plane import protocol
from engine.control_plane.job_tracker_parts import (
    AttemptContainers,
    JobTrackerRecovery,
    attempt_of,
    commits,
    kills,
    node_of,
    priority_named,
    setup_or_cleanup,
    tracker_of,
)
from engine.control_plane.job_tracker_view import JobTrackerView
from engine.control_plane.protocol import NOTHING, Answer, Event, Pass
from engine.control_plane.recovery import ORPHANED
from engine.errors import RefusedError
from engine.model.decision import ApplicationTransitioned, Decision, Killed
from engine.model.mr1.attempt_reports import attempt_lost, fetch_failed, take_report, terminate
from engine.model.mr1.cluster import MapReduceCluster
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.task_in_progress import PRIORITIES
from engine.model.mr1.tracker import FAILED, KILLED, MAP, REDUCE, AttemptId, Launch, TrackerReport
from engine.model.request import MAPREDUCE_1_DIMENSIONS
from engine.schedulers.mr1.capacity_view import TaskSchedulerView
from engine.schedulers.mr1.interface import TaskScheduler
from engine.schedulers.mr1.settings import PoolAllocations, check_settings, job_settings, job_tracker_settings
from engine.schedulers.registry import TASK_SCHEDULERS
from engine.settings.mapreduce1 import JOB_RECOVERS, JOB_TRACKER, MOST_TASKS, RESTART_RECOVERS
from engine.state import State

LAUNCHES: Final = "launches"  # The pass that looks for attempts that were never reported


class JobTracker(metaclass=State):
    """The JobTracker; it answers events one at a time."""

    name: str
    decisions: list[Decision] = []  # The decisions of the present event
    next_job: int = 1
    recovery: JobTrackerRecovery
    cluster: MapReduceCluster
    containers: AttemptContainers
    launching: dict[AttemptId, int]
    responses: dict[str, protocol.HeartbeatResponse]
    scheduler: TaskScheduler
    scheduler_view: TaskSchedulerView
    to_drop: dict[str, dict[AttemptId, None]]

    dimensions: tuple[str, ...] = MAPREDUCE_1_DIMENSIONS

    def __init__(
        self,
        settings: Mapping[str, str],
        *,
        scheduler: str = "mr1-fifo",
        racks: Mapping[str, str] = MappingProxyType({}),
        allocations: PoolAllocations | None = None,
        now_ms: int = 0,
    ) -> None:
        """A JobTracker without trackers. Raises ConfigError if the settings cannot be.

        `scheduler` is a name of `TASK_SCHEDULERS`, `racks` has hosts → racks; without `allocations` there is the
        default pool alone.
        """
        check_settings(settings, scheduler)
        self.name = scheduler
        cluster = MapReduceCluster(settings, job_tracker_settings(settings), racks, now_ms)
        self.begin_life(cluster, allocations or PoolAllocations())
        self.recovery = JobTrackerRecovery(settings, self.cluster.limits.expiry_ms, now_ms)

    def begin_life(self, cluster: MapReduceCluster, allocations: PoolAllocations) -> None:
        self.cluster = cluster
        self.scheduler, self.scheduler_view = TASK_SCHEDULERS[self.name](cluster, allocations)
        self.containers = AttemptContainers()
        self.launching = {}
        """Attempts given to a tracker that has not reported them yet → since when [epoch ms], oldest first."""
        self.responses = {}  # tracker → the last answer, sent again when the tracker did not get it
        self.to_drop = {}  # tracker → attempts of jobs that are not initialized; it has to end them

    @property
    def answers(self) -> bool:
        return self.recovery.answers

    @property
    def version(self) -> int:
        return self.cluster.version

    def handle(self, event: Event, now_ms: int) -> Answer:
        handler = HANDLERS.get(type(event))
        if type(event) is protocol.NodeHeartbeat:  # trackers send heartbeats of their own
            return NOTHING
        if handler is None:
            detail = f"a JobTracker knows no {type(event).__name__}"
            return Answer(rejected="UnsupportedOperationException", detail=detail)
        if not self.answers and handler is not JobTracker.started:
            return Answer(rejected="ConnectException", detail="no JobTracker answers")
        self.cluster.now_ms = now_ms
        self.cluster.version += 1
        self.decisions.clear()
        try:
            answer = handler(self, event)
        except RefusedError as error:
            return Answer(rejected=error.kind, detail=str(error))
        return replace(answer, decisions=self._noted()) if self.decisions else answer

    def _noted(self) -> tuple[Decision, ...]:
        """The decisions of the present event, after which it is noted whose tasks are to be launched."""
        jobs = (
            each.application if isinstance(each, ApplicationTransitioned) else each.container[0]
            for each in self.decisions
        )
        self.containers.note_pending(jobs, self.cluster, self.view().pending)
        return tuple(self.decisions)

    def view(self) -> JobTrackerView:
        return JobTrackerView(self.cluster, self.scheduler, self.scheduler_view, self.containers, self.recovery)

    def pass_is_idle(self, name: str) -> bool:
        return False

    def resume_pass(self, name: str, last_ms: int) -> None:
        pass

    def heartbeat_is_idle(self, node: str) -> bool:
        return True

    def all_nodes_idle(self) -> bool:
        return True

    def knows_label(self, label: str) -> bool:
        return not label

    def passes(self) -> tuple[Pass, ...]:
        if not self.answers:
            return ()
        expiry = Pass(LAUNCHES, max(1, self.cluster.limits.expiry_ms // 3))
        return (*(Pass(name, interval_ms) for name, interval_ms in self.scheduler.passes), expiry)

    def run_pass(self, name: str, now_ms: int) -> Answer:
        self.cluster.now_ms = now_ms
        self.cluster.version += 1
        self.decisions.clear()
        if name == LAUNCHES:
            self.recovery.look(now_ms)
            self._expire_launches()
            return Answer(decisions=self._noted()) if self.decisions else NOTHING
        self.scheduler.run_pass(name)
        return NOTHING

    def _expire_launches(self) -> None:
        """Fail attempts that their trackers have not reported for too long. Source: ExpireLaunchingTasks."""
        cluster = self.cluster
        for attempt, since_ms in list(self.launching.items()):
            if cluster.now_ms - since_ms <= cluster.limits.expiry_ms:
                break
            del self.launching[attempt]
            task, tracker = cluster.attempts.tasks.get(attempt), cluster.attempts.trackers.get(attempt, "")
            if task is not None and tracker in cluster.trackers:
                self.decisions += self.containers.expired(attempt)
                attempt_lost(cluster.jobs[attempt[0]], task, attempt, FAILED, cluster.trackers[tracker])

    # Heartbeats.

    def heartbeat(self, event: protocol.TrackerHeartbeat) -> Answer:
        """Take over a report and say what to do next. Source: #heartbeat."""
        report, cluster = event.report, self.cluster
        if event.is_first:
            cluster.faulty.forget(report.host)
        else:
            cluster.faulty.check_timeout(report.host)
        last = self.responses.get(report.tracker)
        if not event.is_first:
            if last is None:
                return protocol.HeartbeatResponse(response=event.response, restarts=True)
            if last.response != event.response:
                return last
        response = event.response + 1
        node = node_of(report.tracker)
        if event.is_first:
            self.decisions += self.containers.lost(node)
        self.decisions += self.containers.reported(report.attempts, cluster)
        if not self._process(report, is_first=event.is_first):
            self.responses.pop(report.tracker, None)
            return protocol.HeartbeatResponse(response=response, restarts=True)
        tracker = cluster.trackers[report.tracker]
        launches: list[Launch] = []
        chore: Launch | None = None
        if event.asks_for_work and not cluster.faulty.is_blacklisted(report.host):
            chore = setup_or_cleanup(cluster, tracker)
            launches = [chore] if chore is not None else self.scheduler.assign(tracker)
        if launches:
            is_chore = launches[0] is chore
            self.decisions += self.containers.launched(launches, node, cluster.now_ms, are_chores=is_chore)
            self.launching |= {launch.attempt: cluster.now_ms for launch in launches}
        answer = protocol.HeartbeatResponse(
            response=response,
            launches=tuple(launches),
            kills=(*kills(cluster, tracker), *self.to_drop.pop(tracker.name, ())),
            ended_jobs=tuple(sorted(cluster.jobs_to_end.pop(tracker.name, ()))),
            commits=commits(cluster, report),
            interval_ms=cluster.heartbeat_ms(),
        )
        self.responses[report.tracker] = answer
        cluster.attempts.forget_marked(report.tracker)
        return answer

    @property
    def is_idle(self) -> bool:
        """Tell whether no job lives and no tracker is missed or faulty, so that it waits for nothing."""
        cluster = self.cluster
        is_busy = cluster.live or self.launching or self.to_drop or cluster.faulty.has_listed
        return not is_busy and self.recovery.state == "ACTIVE" and self.scheduler.is_idle

    @property
    def is_quiet(self) -> bool:
        """Tell whether jobs live and none waits for time to pass: for launches, faults to be forgotten, places."""
        cluster = self.cluster
        is_busy = self.launching or self.to_drop or cluster.faulty.has_listed
        return not is_busy and self.recovery.state == "ACTIVE" and self.scheduler.is_quiet

    def told_nothing(self, tracker: str, response: int, *, is_busy: bool = False) -> bool:
        """Whether the last response told a tracker nothing and nothing waits; unless `is_busy` it runs nothing, too."""
        known = self.cluster.trackers.get(tracker)
        if known is None or tracker in self.cluster.jobs_to_end:
            return False
        nothing_said = protocol.HeartbeatResponse(response=response, interval_ms=self.cluster.heartbeat_ms())
        return (is_busy or not any(known.occupied)) and self.responses.get(tracker) == nothing_said

    def heartbeats_skipped(self, tracker: str, count: int, last_ms: int) -> None:
        """Have an idle tracker's heartbeats, the last one then, as if they had been sent."""
        last = self.responses[tracker]
        self.responses[tracker] = replace(last, response=last.response + count)
        self.cluster.trackers[tracker].last_seen_ms = self.cluster.now_ms = last_ms
        self.cluster.version += count
        self.scheduler.heartbeats_skipped(self.cluster.trackers[tracker], count, last_ms)

    def progressed(self, report: TrackerReport, now_ms: int) -> None:
        """Take over how far the attempts of a tracker are, and nothing else."""
        self.cluster.now_ms = now_ms
        self._update_statuses(report)

    def passes_skipped(self, name: str, count: int, last_ms: int) -> None:
        self.cluster.version += count - 1
        if name != LAUNCHES:
            self.scheduler.passes_skipped(count, last_ms)
        self.run_pass(name, last_ms)

    def _process(self, report: TrackerReport, *, is_first: bool) -> bool:
        """Source: #processHeartbeat."""
        cluster = self.cluster
        was_known = cluster.update_tracker(report)
        tracker = cluster.trackers[report.tracker]
        tracker.last_seen_ms = cluster.now_ms
        if is_first:
            self.recovery.missing.pop(report.tracker, None)
            self.recovery.look(cluster.now_ms)
            if was_known:
                cluster.lose_attempts(tracker)
            cluster.racks.join(report.host)
        elif not was_known:
            cluster.drop_tracker(report.tracker)
            return False
        self._update_statuses(report)
        cluster.faulty.set_health(report.host, is_healthy=report.is_healthy)
        return True

    def _update_statuses(self, report: TrackerReport) -> None:
        """Source: #updateTaskStatuses."""
        cluster = self.cluster
        for each in report.attempts:
            self.launching.pop(each.attempt, None)
            job = cluster.jobs.get(each.attempt[0])
            if job is None:
                cluster.jobs_to_end.setdefault(report.tracker, {})[each.attempt[0]] = None
                continue
            if not job.is_initialized:
                self.to_drop.setdefault(report.tracker, {})[each.attempt] = None
                continue
            task = cluster.attempts.tasks.get(each.attempt)
            if task is not None:
                before = job.state
                take_report(job, task, each, report.tracker)
                if job.state != before:
                    self.state_changed(job)
            for attempt in each.failed_fetches:
                failed = cluster.attempts.tasks.get(attempt)
                if failed is not None:
                    fetch_failed(job, failed, attempt)

    # Trackers, jobs and attempts.

    def node_joined(self, event: protocol.NodeJoined | protocol.NodeRegisteredAgain) -> Answer:
        racks = self.cluster.racks
        racks.racks = {**racks.racks, event.node.partition(":")[0]: event.rack}
        return NOTHING

    def node_lost(self, event: protocol.NodeLost) -> Answer:
        """A tracker was not heard of for the expiry interval, or was excluded."""
        tracker = self.cluster.trackers.get(tracker_of(event.node))
        if tracker is not None:
            self.cluster.remove_tracker(tracker)
        self.decisions += self.containers.lost(event.node)
        return Answer()

    def submit(self, event: protocol.JobSubmitted) -> Answer:
        """Enter a job. Source: #submitJob, #addJob, JobInProgress#checkTaskLimits."""
        number = self.next_job if event.number is None else event.number
        self.next_job = max(self.next_job, number + 1)
        job = JobInProgress(number, event.job, job_settings(event.job.settings), self.cluster)
        most, tasks = JOB_TRACKER.value(self.cluster.settings, MOST_TASKS), job.wanted(MAP) + job.wanted(REDUCE)
        if 0 < most < tasks:
            raise RefusedError("IOException", f"the job has {tasks} tasks, the limit is {most}")
        self.scheduler.check_submission(job)
        self.cluster.add_job(job)
        self.decisions.append(ApplicationTransitioned(number, job.state, job.description.queue))
        try:
            self.scheduler.job_added(job)
        except RefusedError as error:
            job.failure = str(error)
            self.end(job, FAILED)
            return Answer(application=number, rejected=error.kind, detail=str(error))
        return Answer(application=number)

    def end(self, job: JobInProgress, state: str) -> None:
        before = job.state
        terminate(job, state)
        if job.state != before:
            self.state_changed(job)

    def state_changed(self, job: JobInProgress) -> None:
        self.scheduler.state_changed(job)
        self.decisions.append(ApplicationTransitioned(job.number, job.state, job.description.queue))

    def application_finished(self, event: protocol.ApplicationFinished) -> Answer:
        """A user kills a job, after its cleanup task if it runs; raises RefusedError if there is none."""
        job = self.cluster.live.get(event.application)
        if job is None:
            raise RefusedError("JobNotFound", f"there is no live job {event.application}")
        self.end(job, KILLED)
        self.containers.note_pending([job.number], self.cluster, self.view().pending)
        return Answer()

    def container_killed(self, event: protocol.ContainerKilled) -> Answer:
        self.kill_attempt(attempt_of(event.container))
        return NOTHING

    def kill_attempt(self, attempt: AttemptId, *, counts: bool = False) -> None:
        """End an attempt with the next heartbeat; `counts` is whether it failed. Raises RefusedError if it cannot."""
        task = self.cluster.attempts.tasks.get(attempt)
        if task is None or not task.ask_to_kill(attempt, counts=counts):
            raise RefusedError("NotRunning", "the attempt does not run, or its end was asked for already")
        self.containers.by_user.add(attempt)

    def priority_changed(self, event: protocol.ApplicationPriorityChanged) -> Answer:
        """A number as YARN has it, the higher the sooner: 0 is VERY_LOW, 4 and more VERY_HIGH."""
        job = self.cluster.jobs.get(event.application)
        if job is not None:
            before, job.priority = job.priority, PRIORITIES.index(priority_named(event.priority))
            self.scheduler.priority_changed(job, before)
        return NOTHING

    # Restart.

    def stopped(self, event: protocol.JobTrackerStopped) -> Answer:
        """Stop; its last state stays readable, and nothing is decided."""
        self.recovery.stop(self.cluster.trackers, self.cluster.now_ms)
        return NOTHING

    def started(self, event: protocol.JobTrackerStarted) -> Answer:
        """Recovered jobs are submitted again, all others are lost. Raises RefusedError if one is there already."""
        if self.recovery.answers:
            raise RefusedError("IllegalStateException", "a JobTracker is there already")
        decisions: list[Decision] = [Killed(name, live.node, ORPHANED) for name, live in self.containers.live.items()]
        jobs = sorted(self.cluster.live.values(), key=lambda job: job.number)
        self.begin_life(self.cluster.after_restart(), self.scheduler.after_restart())
        self.recovery.start(self.cluster.now_ms)
        self.decisions += decisions
        for job in jobs:
            if self.recovery.recovers(job):
                try:
                    self.submit(protocol.JobSubmitted(job.description, job.number))
                except RefusedError as error:
                    self._lose(job, f"cannot be recovered: {error}")
            else:
                key = JOB_RECOVERS if self.recovery.is_enabled else RESTART_RECOVERS
                self._lose(job, f"lost with the JobTracker: {key} is not true")
        return Answer()

    def _lose(self, job: JobInProgress, detail: str) -> None:
        self.decisions.append(ApplicationTransitioned(job.number, "FAILED", job.description.queue, detail))

    # Settings.

    def pools_reloaded(self, event: protocol.AllocationsReloaded) -> Answer:
        """The fair scheduler reads its file when it looks next; raises RefusedError under another one."""
        assert isinstance(event.allocations, PoolAllocations), "the simulation reads files of pools for a JobTracker"
        self.scheduler.file_changed(event.allocations)
        return NOTHING

    def settings_changed(self, event: protocol.SettingsChanged) -> Answer:
        self.scheduler.change_settings(event.values)
        return NOTHING


HANDLERS: Mapping[type[Event], Callable[[JobTracker, Any], Answer]] = MappingProxyType(
    {
        protocol.TrackerHeartbeat: JobTracker.heartbeat,
        protocol.JobSubmitted: JobTracker.submit,
        protocol.JobTrackerStopped: JobTracker.stopped,
        protocol.JobTrackerStarted: JobTracker.started,
        protocol.NodeJoined: JobTracker.node_joined,
        protocol.NodeRegisteredAgain: JobTracker.node_joined,
        protocol.NodeLost: JobTracker.node_lost,
        protocol.ApplicationFinished: JobTracker.application_finished,
        protocol.ContainerKilled: JobTracker.container_killed,
        protocol.ApplicationPriorityChanged: JobTracker.priority_changed,
        protocol.AllocationsReloaded: JobTracker.pools_reloaded,
        protocol.SettingsChanged: JobTracker.settings_changed,
    }
)
"""What the JobTracker understands; everything else is refused."""
