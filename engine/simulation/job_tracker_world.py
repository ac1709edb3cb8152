"""Holds the state of a simulation with a JobTracker: trackers, which report at the interval it sets, and jobs' tasks.

A JobTracker spaces heartbeats so that there are at most a hundred a second, but for small clusters; `idle_trackers`
skips those of an idle one. Source: TaskTracker#offerService, Hadoop 1.2.1. Differs: a silent tracker is missed when the
expiry interval has passed, the real JobTracker looks every third of it; setup and cleanup tasks take one second.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final, cast

from engine.control_plane.attempt_containers import container_of, size_of
from engine.control_plane.job_tracker import JobTracker
from engine.control_plane.job_tracker_events import (
    HeartbeatResponse,
    JobSubmitted,
    JobTrackerStarted,
    JobTrackerStopped,
)
from engine.control_plane.job_tracker_requests import priority_named, tracker_of
from engine.control_plane.protocol import Answer, ControlPlane, Event, NodeJoined, NodeRegisteredAgain
from engine.errors import RefusedError
from engine.model.mr1.attempt import MAP, AttemptId, Launch
from engine.model.mr1.job_description import InputSplit, JobDescription
from engine.model.mr1.job_in_progress import JobInProgress
from engine.scenario import ApplicationSpec, MapReduceSpec
from engine.scenario.acts import ONLY_YARN, Act, DrainNode, ResizeNode, RestartJobTracker
from engine.settings.mapreduce1 import JOB_TRACKER, MAP_SLOTS, REDUCE_SLOTS, SLOW_START, SPECULATION
from engine.settings.mapreduce1_fair import POOL
from engine.simulation.act_handlers import node_named
from engine.simulation.events import JOB_TRACKER_STARTS, NODE_EXPIRES, NODE_HEARTBEAT, OUTSIDE_ACTION, TRACKER_HEARTBEAT
from engine.simulation.events import Event as ClockEvent
from engine.simulation.ground import Ground
from engine.simulation.idle_trackers import skip_idle
from engine.simulation.node_heartbeats import leave
from engine.simulation.node_manager import NodeManager
from engine.simulation.passes import schedule_passes
from engine.simulation.records import Started, Submitted
from engine.simulation.tracker_process import FOREVER_MS, AttemptPlan, TrackerProcess
from engine.simulation.world import World
from engine.state import Owned
from engine.workload.mapreduce import Tasks
from engine.workload.master import HELD

CONNECT_RETRY_MS: Final = 1_000
"""Wait of a tracker or a client before it tries again to connect [ms]. Source: ipc.Client#handleConnectionFailure."""

CHORE_MS: Final = 1_000
"""Duration of a setup or cleanup task [ms]."""


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
        world.records.append(JobTrackerStopped())
        world.send(JobTrackerStopped())
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
    world.records.append(JobTrackerStarted())
    world.since_ms = world.clock.now_ms
    world.send(JobTrackerStarted())
    schedule_passes(world)


def _refuse(world: World, act: Act) -> Answer:
    """Refuse an act: a tracker's slots are fixed when it starts, and it starts again with nothing (`return`)."""
    raise RefusedError("UnsupportedOperationException", f"a TaskTracker knows no {type(act).__name__}")


class JobTrackerWorld(World):
    """The state of a simulation with a JobTracker; `masters` stays empty, jobs are here."""

    trackers: dict[int, TrackerProcess] = {}
    """The trackers of nodes that are up, by the places of the nodes."""
    next_beats: dict[int, int] = {}
    """Time at which each tracker reports next [epoch ms]."""
    looks_ms: int = 0
    """Time from which on it is looked again whether heartbeats can be skipped [epoch ms]."""
    plays_all: bool
    """True where no heartbeat is skipped; for comparison."""
    specs: dict[int, MapReduceSpec] = {}
    """The specifications of jobs, by number."""
    tasks: Owned[dict[int, Tasks]] = {}
    """The durations and failures drawn for the tasks of jobs, by number."""

    own_acts: ClassVar[Mapping[type[Act], Callable[[Any, Any], Answer]]] = MappingProxyType(
        {
            DrainNode: _exclude,
            RestartJobTracker: _restart,
            ResizeNode: _refuse,
            **dict.fromkeys(ONLY_YARN, _refuse),
        }
    )

    def __init__(self, ground: Ground, control_plane: ControlPlane, nodes: list[NodeManager], now_ms: int) -> None:
        super().__init__(ground._replace(naive=False), control_plane, nodes, now_ms)
        self.plays_all = ground.naive

    @property
    def job_tracker(self) -> JobTracker:
        """The control plane."""
        return cast("JobTracker", self.control_plane)

    # Trackers.

    def send(self, event: Event) -> Answer:
        """Send an event to the JobTracker; a node that joins starts its tracker."""
        answer = super().send(event)
        if isinstance(event, NodeJoined | NodeRegisteredAgain):
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
        assert isinstance(answer, HeartbeatResponse), "a JobTracker answers heartbeats so"
        if not node.member and not answer.restarts:
            self.records.append(NodeRegisteredAgain(node.id, node.rack, node.memory_mb, node.vcores, node.partition))
        node.member = not answer.restarts
        self.settle(answer)
        tracker.obey(answer, self._plan, now_ms)
        node.running = {
            container_of(name, is_cleanup=each.is_cleanup): size_of(name[1], each.slots)
            for name, each in tracker.attempts.items()
        }
        for launch in answer.launches:
            self.records.append(Started(container_of(launch.attempt, is_cleanup=launch.is_cleanup), node.id))
        self._beat_at(node, now_ms + answer.interval_ms)
        if now_ms >= self.looks_ms and not self.plays_all and not self.records and self.job_tracker.is_idle:
            self.looks_ms = now_ms + answer.interval_ms
            skip_idle(self, self.job_tracker, self.trackers, self.next_beats)

    def comes_back(self, node: NodeManager) -> bool:
        """Do as `World` does; a tracker that runs finds a JobTracker by itself."""
        return True

    def _missing(self, job: JobInProgress) -> tuple[AttemptId, ...]:
        """Return the maps of a job whose output is on trackers that died and that the JobTracker believes alive."""
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

    def kill_processes(self, node: NodeManager) -> None:
        """Kill everything on a node."""
        node.lose_everything()
        self.trackers.pop(node.index, None)
        self.next_beats.pop(node.index, None)

    # Jobs.

    def submit(self, spec: ApplicationSpec, number: int | None) -> Answer:
        """Submit a job.

        Raises:
            RefusedError: It is of another kind.
        """
        if not isinstance(spec, MapReduceSpec):
            raise RefusedError("UnsupportedApplication", f"type {spec.type} does not run on a JobTracker")
        number = self.next_application if number is None else number
        self.next_application = max(self.next_application, number + 1)
        tasks = Tasks(number, spec, self.ground.topology, self.ground.seed)
        event = JobSubmitted(self._description(spec, tasks), number)
        answer = self.control_plane.handle(event, self.clock.now_ms)
        queue = spec.queue or ""
        self.records.append(Submitted(number, spec.name, spec.user, queue, "MAPREDUCE", answer.rejected, answer.detail))
        if not answer.rejected:
            self.specs[number], self.tasks[number] = spec, tasks
        self.settle(answer)
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
        """Return the specification of a live job; None when there is none of that number."""
        return self.specs.get(number) if number in self.job_tracker.cluster.live else None


def tracker_heartbeat_is_due(world: World, event: ClockEvent) -> None:
    """Have a tracker report, unless it died or was started anew meanwhile."""
    assert isinstance(world, JobTrackerWorld), "only a JobTracker has trackers"
    if world.next_beats.get(event[2]) == event[0]:
        world.heartbeat(world.nodes[event[2]])
