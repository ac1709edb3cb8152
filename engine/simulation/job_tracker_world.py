"""Holds the state of a simulation with a JobTracker: trackers, which report at the interval it sets, and jobs' tasks.

A JobTracker spaces heartbeats so that there are at most a hundred a second, but for small clusters; those of an idle
one are skipped, and in a closed world those between which nothing is given.

Source: TaskTracker#offerService, Hadoop 1.2.1. Differs: a silent tracker is missed when the expiry interval has passed,
the real JobTracker looks every third of it; setup and cleanup tasks take one second.
"""

from collections.abc import Callable, Mapping
from heapq import heapify
from types import MappingProxyType
from typing import Any, ClassVar, Final, cast

from engine.control_plane import protocol
from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.job_tracker_parts import container_of, priority_named, size_of, tracker_of
from engine.control_plane.protocol import Answer, ControlPlane, Event
from engine.errors import RefusedError
from engine.model.mr1.job import JobInProgress
from engine.model.mr1.task_in_progress import (
    EXTRA_ATTEMPTS,
    SPECULATIVE_GAP,
    SPECULATIVE_LAG_MS,
    InputSplit,
    JobDescription,
    TaskInProgress,
)
from engine.model.mr1.tracker import MAP, REDUCE, AttemptId, Launch
from engine.scenario import ApplicationSpec, MapReduceSpec
from engine.scenario.acts import ONLY_YARN, Act, DrainNode, ResizeNode, RestartJobTracker
from engine.settings.mapreduce1 import JOB_TRACKER, MAP_SLOTS, POOL, REDUCE_SLOTS, SLOW_START, SPECULATION
from engine.simulation.act_handlers import node_named
from engine.simulation.heartbeats import leave, schedule_passes
from engine.simulation.node_manager import NodeManager
from engine.simulation.records import Started, Submitted
from engine.simulation.task_tracker import FOREVER_MS, AttemptPlan, TrackerProcess
from engine.simulation.world import (
    JOB_TRACKER_STARTS,
    NODE_EXPIRES,
    NODE_HEARTBEAT,
    OUTSIDE_ACTION,
    PASS_RUNS,
    TRACKER_HEARTBEAT,
    RunConstants,
    World,
)
from engine.simulation.world import Event as ClockEvent
from engine.state import Owned
from engine.workload.mapreduce import Tasks
from engine.workload.master import HELD

# Skips the heartbeats of trackers and the background passes of a JobTracker while it is idle.
#
# It goes as far as the next event of another kind. State and clock are then as if all had been played, so acts and the
# journal stay the same.

QUIET_ROUNDS: Final = 6  # Fewer rounds of heartbeats are played rather than skipped while attempts run

_ROUTINE: Final = (TRACKER_HEARTBEAT, PASS_RUNS)


def _is_told_nothing(world: "JobTrackerWorld", *, is_busy: bool) -> bool:
    """Tell whether no tracker has news, or was told anything."""
    return all(
        tracker.is_healthy is world.nodes[place].healthy
        and world.job_tracker.told_nothing(tracker.name, tracker.response, is_busy=is_busy)
        for place, tracker in world.trackers.items()
    )


def skip_quiet(world: "JobTrackerWorld") -> None:
    """Skip heartbeats between which attempts run on and nothing is given; the last two rounds are played.

    It is for worlds of which only records count: what attempts have come on since is added up in other steps, so that
    it may differ in its last digits.
    """
    job_tracker = world.job_tracker
    now_ms, interval_ms = world.clock.now_ms, job_tracker.cluster.heartbeat_ms()
    if not _is_told_nothing(world, is_busy=True):
        return
    attempts = {name: each for tracker in world.trackers.values() for name, each in tracker.attempts.items()}
    paces = {name: each.pace for name, each in attempts.items()}
    ends = [each.next_ms(now_ms) for each in attempts.values()]
    lags = [
        lagging_ms(job, paces, interval_ms, is_fair=job_tracker.name == "mr1-fair")
        for job in job_tracker.cluster.live.values()
    ]
    until_ms = min([*ends, *lags], default=now_ms)
    if until_ms > now_ms + QUIET_ROUNDS * interval_ms:
        _skip(world, min(until_ms, world.horizon_ms) - 2 * interval_ms)


def lagging_ms(job: JobInProgress, paces: Mapping[AttemptId, float], interval_ms: int, *, is_fair: bool) -> int:
    """When a task of a job may get a speculative attempt at the soonest, while nothing ends [epoch ms].

    `paces` is what each attempt comes on by in a ms, as a part of its task. Between two heartbeats less is known. Under
    the fair scheduler (`is_fair`) a task that lags may wait for its pool's share, else only for a slot near its data.
    """
    now_ms, soonest_ms = job.cluster.now_ms, FOREVER_MS
    for kind in (MAP, REDUCE):
        running = job.search.running_tasks(kind) if job.speculates[kind] else []
        own = [[paces.get(attempt, 0.0) for attempt in each.active] or [0.0] for each in running]
        has_free = any(tracker.free(kind) > 0 for tracker in job.cluster.trackers.values())
        average = sum(map(max, own)) / len(job.tasks[kind]) if running else 0.0
        for each, pace in zip(running, map(min, own), strict=True):
            lag = job.progress[kind] - each.progress
            round_lag = 4 * interval_ms * (average + pace)
            may_wait = has_free and (is_fair or bool(each.hosts))
            late_ms = each.created_ms + SPECULATIVE_LAG_MS
            if late_ms <= now_ms <= late_ms + 2 * interval_ms or abs(SPECULATIVE_GAP - lag) <= round_lag:
                return now_ms  # not every tracker has asked since
            soonest_ms = min(soonest_ms, _lagging_ms(each, now_ms, may_wait, lag, round_lag, average - pace))
    return soonest_ms


def _lagging_ms(task: TaskInProgress, now_ms: int, may_wait: bool, lag: float, round_lag: float, faster: float) -> int:
    """When one task may: it is `lag` behind, `round_lag` of it not known yet, and `faster` more after each ms."""
    late_ms = task.created_ms + SPECULATIVE_LAG_MS
    if lag < SPECULATIVE_GAP:
        ahead = SPECULATIVE_GAP - lag - round_lag
        return max(late_ms, now_ms + int(ahead / faster)) if faster > 0 else FOREVER_MS
    if late_ms > now_ms:
        return late_ms
    # It waits for a slot near its data, or its job for its share.
    return now_ms if may_wait and len(task.active) <= EXTRA_ATTEMPTS else FOREVER_MS


def _skip(world: "JobTrackerWorld", latest_ms: int) -> None:
    job_tracker, trackers, beats = world.job_tracker, world.trackers, world.next_beats
    heap, interval_ms = world.clock.heap, job_tracker.cluster.heartbeat_ms()
    until_ms = min((event[0] for event in heap if event[3] not in _ROUTINE), default=latest_ms)
    until_ms = min(until_ms, latest_ms)
    skipped: list[tuple[ClockEvent, int]] = []
    kept: list[ClockEvent] = []
    for event in heap:
        due_ms, _, order, kind = event[:4]
        if due_ms >= until_ms or kind not in _ROUTINE:
            kept.append(event)
        elif kind == TRACKER_HEARTBEAT and beats.get(order) != due_ms:
            skipped.append((event, 0))  # of a tracker that died: nothing happens
        else:
            step_ms = interval_ms if kind == TRACKER_HEARTBEAT else world.pass_names[order][1]
            count = -((due_ms - until_ms) // step_ms)
            kept.append((due_ms + count * step_ms, *event[1:]))
            skipped.append(((due_ms + (count - 1) * step_ms, *event[1:]), count))
    heap[:] = kept
    heapify(heap)
    for (last_ms, _, order, kind), count in sorted(skipped):
        if kind == TRACKER_HEARTBEAT and count and trackers[order].attempts:
            job_tracker.progressed(trackers[order].heartbeat(job_tracker.cluster.jobs, last_ms).report, last_ms)
    for (last_ms, _, order, kind), count in sorted(skipped):
        if kind == PASS_RUNS:
            job_tracker.passes_skipped(world.pass_names[order][0], count, last_ms)
        elif count:
            trackers[order].response += count
            world.heartbeats += count
            world.nodes[order].last_beat_ms = last_ms
            beats[order] = last_ms + interval_ms
            job_tracker.heartbeats_skipped(trackers[order].name, count, last_ms)
    if skipped:
        world.clock.position = max(skipped)[0]
        world.clock.now_ms = world.clock.position[0]


CONNECT_RETRY_MS: Final = 1_000
"""Wait of a tracker or a client before it tries again to connect [ms]. Source: ipc.Client#handleConnectionFailure."""

CHORE_MS: Final = 1_000  # Duration of a setup or cleanup task [ms]


def slots_of_tracker(settings: Mapping[str, str]) -> tuple[int, int]:
    """Return the map and reduce slots of every tracker of a scenario."""
    return JOB_TRACKER.value(settings, MAP_SLOTS), JOB_TRACKER.value(settings, REDUCE_SLOTS)


def _exclude(world: World, act: DrainNode) -> Answer:
    """Exclude a tracker; what runs there is lost at once. Source: JobTracker#decommissionNodes."""
    if not world.control_plane.answers:
        raise RefusedError("ConnectException", "no JobTracker answers")
    node = node_named(world, act.node)
    if node.up and node.member:
        leave(world, node, "DECOMMISSIONED")
        node.up = False
    return Answer()


def _restart(world: World, act: RestartJobTracker) -> Answer:
    """Stop the JobTracker and start it again later; one that is stopped already starts then."""
    if world.control_plane.answers:
        world.records.append(protocol.JobTrackerStopped())
        world.send(protocol.JobTrackerStopped())
        world.clock.drop((NODE_EXPIRES,))
        for node in world.nodes:
            node.member = False
        schedule_passes(world)
    world.clock.drop((JOB_TRACKER_STARTS,))
    due = world.clock.now_ms + max(act.down_ms, 1)
    world.clock.schedule((due, OUTSIDE_ACTION, 0, JOB_TRACKER_STARTS))
    return Answer()


def job_tracker_starts(world: World, event: ClockEvent) -> None:
    """Start the JobTracker; trackers and clients find it at their next tries, and trackers drop what they run."""
    world.records.append(protocol.JobTrackerStarted())
    world.since_ms = world.clock.now_ms
    world.send(protocol.JobTrackerStarted())
    schedule_passes(world)


def _refuse(world: World, act: Act) -> Answer:
    """Refuse an act: a tracker's slots are fixed when it starts, and it starts again with nothing (`return`)."""
    raise RefusedError("UnsupportedOperationException", f"a TaskTracker knows no {type(act).__name__}")


class JobTrackerWorld(World):
    """The state of a simulation with a JobTracker; `masters` stays empty, jobs are here."""

    trackers: dict[int, TrackerProcess] = {}  # The trackers of nodes that are up, by the places of the nodes
    next_beats: dict[int, int] = {}  # Time at which each tracker reports next [epoch ms]
    looks_ms: int = 0  # Time from which on it is looked again whether heartbeats can be skipped [epoch ms]
    plays_all: bool  # True where no heartbeat is skipped; for comparison
    skips_quiet: bool = False  # As of `World.skip_unrecorded`
    delivered_then: int = -1  # Records that were delivered when it was last looked whether all is quiet
    quiet_ms: int = 0  # Since when none was delivered [epoch ms]
    specs: dict[int, MapReduceSpec] = {}  # The specifications of jobs, by number
    tasks: Owned[dict[int, Tasks]] = {}  # The durations and failures drawn for the tasks of jobs, by number

    own_acts: ClassVar[Mapping[type[Act], Callable[[Any, Any], Answer]]] = MappingProxyType(
        {
            DrainNode: _exclude,
            RestartJobTracker: _restart,
            ResizeNode: _refuse,
            **dict.fromkeys(ONLY_YARN, _refuse),
        }
    )

    def __init__(
        self, ground: RunConstants, control_plane: ControlPlane, nodes: list[NodeManager], now_ms: int
    ) -> None:
        super().__init__(ground._replace(naive=False), control_plane, nodes, now_ms)
        self.plays_all = ground.naive

    @property
    def job_tracker(self) -> JobTracker:
        return cast("JobTracker", self.control_plane)

    # Trackers.

    def send(self, event: Event) -> Answer:
        answer = super().send(event)
        if isinstance(event, protocol.NodeJoined | protocol.NodeRegisteredAgain):
            node = self.nodes[self.ground.node_index[event.node]]
            self.trackers[node.index] = TrackerProcess(tracker_of(node.id), node.host, (node.memory_mb, node.vcores))
            self._beat_at(node, max(self.clock.now_ms, node.phase_ms))
        return answer

    def _beat_at(self, node: NodeManager, due_ms: int) -> None:
        self.next_beats[node.index] = due_ms
        self.clock.schedule((due_ms, NODE_HEARTBEAT, node.index, TRACKER_HEARTBEAT))

    def heartbeat(self, node: NodeManager) -> None:
        """Have a tracker report and obey the answer, which sets its next report; without one it tries again."""
        if not self.control_plane.answers:
            self._beat_at(node, self.clock.now_ms + CONNECT_RETRY_MS)
            return
        tracker, now_ms = self.trackers[node.index], self.clock.now_ms
        tracker.is_healthy = node.healthy
        self.heartbeats += 1
        node.last_beat_ms = now_ms
        answer = self.control_plane.handle(
            tracker.heartbeat(self.job_tracker.cluster.jobs, now_ms, self._missing), now_ms
        )
        assert isinstance(answer, protocol.HeartbeatResponse), "a JobTracker answers heartbeats so"
        if not node.member and not answer.restarts:
            self.records.append(
                protocol.NodeRegisteredAgain(node.id, node.rack, node.memory_mb, node.vcores, node.partition)
            )
        node.member = not answer.restarts
        self.apply_answer(answer)
        tracker.obey(answer, self._plan, now_ms)
        if answer.launches or len(node.running) != len(tracker.attempts):
            node.running = {
                container_of(name, is_cleanup=each.launch.is_cleanup): size_of(name[1], each.launch.slots)
                for name, each in tracker.attempts.items()
            }
        for launch in answer.launches:
            self.records.append(Started(container_of(launch.attempt, is_cleanup=launch.is_cleanup), node.id))
        self._beat_at(node, now_ms + answer.interval_ms)
        if now_ms >= self.looks_ms and not self.plays_all and not self.records and self.job_tracker.is_idle:
            self.looks_ms = now_ms + answer.interval_ms
            if _is_told_nothing(self, is_busy=False):
                _skip(self, self.horizon_ms)
        elif self.skips_quiet and now_ms >= self.looks_ms and not self.records:
            self.looks_ms = now_ms + answer.interval_ms
            self._skip_quiet(answer.interval_ms)

    def close(self) -> None:
        super().close()
        self.skip_unrecorded()

    def skip_unrecorded(self) -> None:
        self.skips_quiet, self.delivered_then = not self.plays_all, -1

    def _skip_quiet(self, interval_ms: int) -> None:
        """Skip heartbeats once nothing has happened for so long that every pass has run, and every tracker asked.

        What is waited for may come without a record, as a changed file of pools that is read.
        """
        now_ms, job_tracker = self.clock.now_ms, self.job_tracker
        if self.delivered != self.delivered_then or not job_tracker.is_quiet:
            self.delivered_then, self.quiet_ms = self.delivered, now_ms
        settled_ms = 2 * interval_ms + max((each for _, each in job_tracker.scheduler.passes), default=0)
        if now_ms - self.quiet_ms > settled_ms:
            skip_quiet(self)

    def comes_back(self, node: NodeManager) -> bool:
        return True

    def _missing(self, job: JobInProgress) -> tuple[AttemptId, ...]:
        cluster = self.job_tracker.cluster
        if len(self.trackers) == len(cluster.trackers):
            return ()
        dead = cluster.trackers.keys() - {tracker.name for tracker in self.trackers.values()}
        ended = [task.successful for task in job.tasks[MAP] if task.is_complete and task.successful is not None]
        return tuple(attempt for attempt in ended if cluster.attempts.trackers.get(attempt) in dead)

    def expect_report(self, node: NodeManager) -> None:
        """Do nothing: trackers report in their own rhythm."""

    def has_news(self) -> bool:
        """Tell whether any attempt ends by itself; trackers notice it when they report."""
        return any(each.ends_by_itself for tracker in self.trackers.values() for each in tracker.attempts.values())

    def next_move_ms(self) -> int | None:
        attempts = (each for tracker in self.trackers.values() for each in tracker.attempts.values())
        return min((each.next_ms(self.clock.now_ms) for each in attempts), default=None)

    def kill_processes(self, node: NodeManager) -> None:
        node.lose_everything()
        self.trackers.pop(node.index, None)
        self.next_beats.pop(node.index, None)

    # Jobs.

    def submit(self, spec: ApplicationSpec, number: int | None) -> Answer:
        """Submit a job. Raises RefusedError if it is of another kind."""
        if not isinstance(spec, MapReduceSpec):
            raise RefusedError("UnsupportedApplication", f"type {spec.type} does not run on a JobTracker")
        number = self.next_application if number is None else number
        self.next_application = max(self.next_application, number + 1)
        tasks = Tasks(number, spec, self.ground.topology, self.ground.seed)
        event = protocol.JobSubmitted(self._description(spec, tasks), number)
        answer = self.control_plane.handle(event, self.clock.now_ms)
        queue = spec.queue or ""
        self.records.append(Submitted(number, spec.name, spec.user, queue, "MAPREDUCE", answer.rejected, answer.detail))
        if not answer.rejected:
            self.specs[number], self.tasks[number] = spec, tasks
        self.apply_answer(answer)
        return answer

    def _description(self, spec: MapReduceSpec, tasks: Tasks) -> JobDescription:
        site = self.job_tracker.cluster.settings
        maps, reduces = (JOB_TRACKER.value(site, key) for key in SPECULATION)
        pool = {} if spec.queue is None else {POOL.everywhere: spec.queue}
        return JobDescription(
            spec.name,
            spec.user,
            tuple(InputSplit(hosts) for hosts in tasks.hosts_of),
            spec.reduces,
            spec.queue or "default",
            "NORMAL" if spec.priority is None else priority_named(spec.priority),
            (maps, reduces),
            (spec.map.memory_mb, spec.reduce.memory_mb),
            {**site, **pool, str(SLOW_START): str(spec.slow_start)},
        )

    def _plan(self, launch: Launch) -> AttemptPlan:
        """Plan an attempt: it runs as long, and fails as often, as was drawn for its task."""
        number, kind, task, attempt = launch.attempt
        job = self.job_tracker.cluster.jobs[number]
        is_user = task < job.wanted(kind)
        if launch.is_cleanup:
            state = job.tasks[kind][task].statuses[launch.attempt].state
            return AttemptPlan(CHORE_MS, is_user, state=state)
        if not is_user:
            return AttemptPlan(CHORE_MS, is_user)
        tasks, place = self.tasks[number], task + kind * job.wanted(0)
        duration_ms, silent_ms = tasks.duration_ms[place], None
        if duration_ms == HELD:
            duration_ms = FOREVER_MS
        elif tasks.hangs(place, attempt):
            silent_ms = self.specs[number].task_timeout_ms or FOREVER_MS
        return AttemptPlan(duration_ms, is_user, tasks.fails(place, attempt), silent_ms=silent_ms)

    def specification_of(self, number: int) -> ApplicationSpec | None:
        return self.specs.get(number) if number in self.job_tracker.cluster.live else None


def tracker_heartbeat_is_due(world: World, event: ClockEvent) -> None:
    """Have a tracker report, unless it died or was started anew meanwhile."""
    assert isinstance(world, JobTrackerWorld), "only a JobTracker has trackers"
    if world.next_beats.get(event[2]) == event[0]:
        world.heartbeat(world.nodes[event[2]])
