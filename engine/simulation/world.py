"""Holds the state of a simulation: clock, node managers, application masters and control plane.

The real state of nodes and masters is here; the control plane keeps its own view of them.
Handlers in `node_heartbeats`, `am_heartbeats` and `act_handlers` are plain functions over it.
"""

from collections.abc import Callable, Mapping
from heapq import heapify, heappop, heappush
from typing import Any, ClassVar, Final, NamedTuple

from engine.control_plane.protocol import NOTHING, Answer, ApplicationSubmitted, Cleanup, ControlPlane, Grant
from engine.control_plane.protocol import Event as ProtocolEvent
from engine.errors import RefusedError
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, ContainerId, Decision, Killed, Warned
from engine.scenario import ApplicationSpec, StandaloneSpec
from engine.scenario.acts import Act
from engine.simulation.node_manager import NodeManager
from engine.simulation.records import EventRefused, Record, Submitted
from engine.state import State
from engine.workload.arrivals import Arrival, master_of, submission_of
from engine.workload.master import (
    ADRIFT,
    GONE,
    HELD,
    HUNG,
    JOB,
    LAUNCHED,
    REGISTERED,
    STARTED,
    WAITING,
    ApplicationMaster,
    CoreShortage,
    Lifespan,
    Topology,
    stream,
)

# Defines the events of the clock: plain tuples, and the one table of what comes first within an instant.
#
# An event is `(time_ms, priority, order, kind, *details)`, integers throughout, so tuples compare by themselves and a
# heap of them can be copied with `list`. `order` is a natural number of its kind (node, application, arrival), never a
# running number: leaving out events that would change nothing cannot reorder the others.
#
# Time is epoch ms and never goes back. `position` is the last event that was taken, so "later than now" is a
# comparison of tuples also within one instant.

Event = tuple[int, ...]  # `(time_ms, priority, order, kind, *details)`

# Priorities within an instant.
OUTSIDE_ACTION: Final = 0  # Priority of submissions of clients, faults and acts of operators
NODE_FACT: Final = 1  # Priority of what happens on a node before the node reports it
POSTED: Final = 2  # Priority of what the control plane posted to itself: a silent node expires
AM_HEARTBEAT: Final = 3
NODE_HEARTBEAT: Final = 4
PASS: Final = 5  # Priority of background passes, in the control plane's order
END_OF_INSTANT: Final = 9  # Priority after everything of an instant; no event has it

# Kinds: which handler an event goes to, and its details.
ARRIVAL: Final = 0  # A client submits; order = its place among the arrivals
FAULT: Final = 1  # A fault of the scenario; order = its place among the faults
CONTAINER_BEGINS: Final = 2  # order = node; application, attempt, container
CONTAINER_ENDS: Final = 3  # order = node; application, attempt, container, exit status
NODE_EXPIRES: Final = 4  # order = node; the node's life it belongs to
AM_HEARTBEAT_DUE: Final = 5  # order = application
ROUND: Final = 6  # The cursor over all nodes arrives; order = node; whether it is known to have an effect
LONE_HEARTBEAT: Final = 7  # One node reports while the cursor sleeps; order = node
PASS_RUNS: Final = 8  # order = place among the passes
TASK_ENDS: Final = 9  # A Spark task runs out; order = application; task, which try of it
DRIVER_DUE: Final = 10  # order = application
APPLICATION_REGISTERS: Final = 11
"""A Spark driver on a worker registers its application; order = node; the driver's container."""
TRACKER_HEARTBEAT: Final = 12  # A TaskTracker reports; order = node
NODE_RECONNECTS: Final = 14  # A node without contact tries to reach a ResourceManager; order = node
RESOURCE_MANAGER_STARTS: Final = 15  # A ResourceManager is there again
RECOVERY_DUE: Final = 16  # A wait of a ResourceManager that recovers is over
MASTER_EXPIRES: Final = 17  # order = application; the attempt whose master is silent
JOB_TRACKER_STARTS: Final = 18  # A JobTracker is there again
NODE_MANAGER_STARTS: Final = 13  # A node manager that was stopped starts again; order = node

MOVES: Final = (CONTAINER_BEGINS, CONTAINER_ENDS, TASK_ENDS, DRIVER_DUE, APPLICATION_REGISTERS)
"""Kinds of events by which what runs begins or ends."""


class Clock(metaclass=State):
    """A heap of events and the time of the last one taken."""

    now_ms: int  # Epoch ms
    position: Event  # The last event taken, or the edge of an instant
    heap: list[Event] = []  # Events to come; only `schedule` and `pop` change it

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms
        self.position = (now_ms, -1)

    def schedule(self, event: Event) -> None:
        """Add an event. Raises ValueError if it is earlier than now."""
        if event[0] < self.now_ms:
            raise ValueError(f"event {event} is before {self.now_ms}")
        heappush(self.heap, event)

    def peek(self) -> int | None:
        """Return when the next event is due [epoch ms]; None when there is none."""
        return self.heap[0][0] if self.heap else None

    def pop(self) -> Event:
        """Move to the next event and return it. Raises IndexError if there is none."""
        event = heappop(self.heap)
        self.now_ms = event[0]
        self.position = event
        return event

    def advance_to(self, time_ms: int, *, ended: bool = True) -> None:
        """Let time pass to `time_ms` without an event; `ended` says whether all of that instant has happened."""
        edge: Event = (time_ms, END_OF_INSTANT if ended else -1)
        if edge > self.position:
            self.now_ms = time_ms
            self.position = edge

    def next_beat_ms(self, phase_ms: int, interval_ms: int, priority: int, order: int) -> int:
        """The next instant of a rhythm [epoch ms]; `phase_ms` is any of its instants."""
        due = self.now_ms + (phase_ms - self.now_ms) % interval_ms
        return due if (due, priority, order) > self.position[:3] else due + interval_ms

    def last_beat_ms(self, phase_ms: int, interval_ms: int, priority: int, order: int) -> int:
        """Return the latest instant of a rhythm that has passed [epoch ms]; arguments as of `next_beat_ms`."""
        return self.next_beat_ms(phase_ms, interval_ms, priority, order) - interval_ms

    def drop(self, kinds: tuple[int, ...]) -> None:
        """Forget all events of these kinds; the heap stays the same list."""
        self.heap[:] = [event for event in self.heap if event[3] not in kinds]
        heapify(self.heap)


# Holds what never changes during a run: intervals, places of nodes, arrivals and faults.


class RunConstants(NamedTuple):
    """The fixed facts of a run; all forks share them."""

    seed: int
    start_ms: int  # Epoch ms
    heartbeat_ms: int
    am_heartbeat_ms: int
    launch_delay_ms: int
    register_delay_ms: int
    exit_delay_ms: int
    am_own_rhythm: bool  # True where masters' heartbeats count from their registration, not from a phase that is drawn
    expiry_ms: int  # Time after which a silent node counts as lost
    node_recovery: bool  # True where containers outlive their node manager
    topology: Topology
    node_index: Mapping[str, int]  # Place of each node, by `host:port` and by host
    arrivals: tuple[Arrival, ...]
    faults: tuple[tuple[int, Act], ...]  # (epoch ms, fault), in order of time
    read_allocations: Callable[[str], object]
    """Parses the text of an allocation file for the scheduler; raises `ConfigError`."""
    retry_ms: int  # Wait of nodes, masters and clients before they try a ResourceManager again
    master_expiry_ms: int  # Time after which a silent application master counts as lost
    session_timeout_ms: int
    """Time after which ZooKeeper knows that the active ResourceManager of a pair is gone; 0 where there is no pair."""
    kills_on_resync: bool
    """True where a node kills its containers before it registers with a ResourceManager that has restarted."""
    naive: bool = False  # True where every heartbeat and every call is played, also those without effect


class World(metaclass=State):
    """The state of a simulation and the few mutators that handlers share."""

    ground: RunConstants
    control_plane: ControlPlane
    clock: Clock
    nodes: list[NodeManager]  # The node managers, in the scenario's order
    masters: dict[int, ApplicationMaster] = {}  # The masters of live applications, by number
    next_application: int = 1  # Number of the next application that has none of its own
    records: list[Record] = []  # The records of the present instant that are not delivered to listeners
    delivered: int = 0  # Number of records that were delivered before
    reporting: dict[int, None] = {}
    """Nodes whose next heartbeat has to happen whatever the control plane would do with it."""
    heartbeats: int = 0  # Node heartbeats sent to the control plane so far
    horizon_ms: int  # Time up to which idle heartbeats may be skipped [epoch ms]
    rhythm: tuple[tuple[int, int], ...]  # (ms after the round's begin, node) in the order heartbeats come
    place: int = 0  # Place of the cursor in the rhythm
    round_ms: int  # Begin of the cursor's round [epoch ms]
    asleep: bool = True  # True while the cursor waits for a change; nodes with a report then have events of their own
    idle_beats: int = 0  # Number of heartbeats in a row that would have changed nothing, at the version seen
    seen_version: int = -1
    since_ms: int  # Begin of the control plane's present life [epoch ms]; its passes count from there
    pass_names: tuple[tuple[str, int], ...] = ()  # (name, interval) of the background passes
    resting: dict[int, int] = {}  # Version at which each resting pass found nothing to do, by its place
    watched_version: int = -1  # The version after the last event

    own_acts: ClassVar[Mapping[type, Callable[[Any, Any], Answer]]] = {}
    """Acts that mean something else here than in `act_handlers`."""

    def __init__(
        self, ground: RunConstants, control_plane: ControlPlane, nodes: list[NodeManager], now_ms: int
    ) -> None:
        self.ground = ground
        self.control_plane = control_plane
        self.clock = Clock(now_ms)
        self.nodes = nodes
        self.horizon_ms = now_ms
        self.rhythm = self._rhythm()
        self.round_ms = ground.start_ms
        self.since_ms = ground.start_ms

    def _rhythm(self) -> tuple[tuple[int, int], ...]:
        start_ms, interval_ms = self.ground.start_ms, self.ground.heartbeat_ms
        return tuple(sorted(((node.phase_ms - start_ms) % interval_ms, node.index) for node in self.nodes))

    def take_in(self, node: NodeManager) -> NodeManager:
        """Take in a new node; its rhythm begins now. The caller puts the cursor back after it.

        Differs: application masters know neither the node nor its rack, so none asks for a container there by name.
        """
        node.phase_ms = self.clock.now_ms
        self.nodes.append(node)
        index = {**self.ground.node_index, node.id: node.index, node.host: node.index}
        self.ground = self.ground._replace(node_index=index)
        self.rhythm = self._rhythm()
        return node

    # Events and answers.

    def send(self, event: ProtocolEvent) -> Answer:
        answer = self.control_plane.handle(event, self.clock.now_ms)
        if answer is not NOTHING:
            self.apply_answer(answer)
        return answer

    def apply_answer(self, answer: Answer) -> None:
        if answer.decisions:
            self.records.extend(answer.decisions)
            for decision in answer.decisions:
                self._apply(decision)
        for grant in answer.masters:
            self._launch_master(grant)
        for order in answer.cleanups:
            self._stop(order)

    def _stop(self, order: Cleanup) -> None:
        node = self.nodes[self.ground.node_index[order.node]]
        if node.up:
            node.orders.append(order.container)
            self.expect_report(node)

    def refuse(self, event: str, answer: Answer, application: int = 0) -> None:
        self.records.append(EventRefused(event, answer.rejected, answer.detail, application))

    def _apply(self, decision: Decision) -> None:
        if isinstance(decision, ApplicationTransitioned):
            if decision.is_end:
                self.masters.pop(decision.application, None)
            elif decision.state == "ACCEPTED":
                self._start_unmanaged(decision.application)
            return
        master = self.masters.get(decision.container[0])
        if master is None:
            return
        if isinstance(decision, Killed | Completed):
            self._apply_end(master, decision)
        elif master.stage == REGISTERED and isinstance(decision, Allocated | Warned):
            self.wake(master)

    def _apply_end(self, master: ApplicationMaster, decision: Killed | Completed) -> None:
        if master.container == decision.container:
            node = self.nodes[master.node]
            # The process of a master that was killed is stopped at once; orders for other containers wait for
            # heartbeats. Source: RMAppAttemptImpl.FinalTransition, AMLauncher#cleanup, Hadoop 2.7.2, 3.4.1.
            if isinstance(decision, Killed) and decision.cause != "LOST" and node.up:
                node.stop((decision.container,))
                self.expect_report(node)
            master.container = None
            master.node = -1
            if master.stage != WAITING:
                master.move(WAITING)
        elif master.stage in (REGISTERED, ADRIFT):
            if isinstance(decision, Killed):
                master.note_end(decision.container, decision.cause)
            else:
                master.note_end(decision.container, "FAILED" if decision.exit_status else "COMPLETED")
            if master.stage == REGISTERED:
                self.wake(master)

    # Applications.

    def submit(self, spec: ApplicationSpec, number: int | None) -> Answer:
        """Submit an application; raises RefusedError if its kind has no application master."""
        if isinstance(spec, StandaloneSpec):
            raise RefusedError("UnsupportedApplication", f"type {spec.type} needs scheduler spark")
        number = self.next_application if number is None else number
        submission = submission_of(spec, number)
        return self.hand_in(spec, submission, submission)

    def hand_in(self, spec: ApplicationSpec, submission: ApplicationSubmitted, event: ProtocolEvent) -> Answer:
        """Hand in a submission, or (`event`) an application recovered with it; its master is made when it is taken."""
        number = submission.application or 0
        self.next_application = max(self.next_application, number + 1)
        answer = self.control_plane.handle(event, self.clock.now_ms)
        taken, queue = answer.application or 0, submission.queue or ""
        name, user, kind = submission.name, submission.user, submission.type
        self.records.append(Submitted(taken, name, user, queue, kind, answer.rejected, answer.detail))
        if not answer.rejected:
            self.masters[number] = self._new_master(spec, number)
        self.apply_answer(answer)
        return answer

    def _new_master(self, spec: ApplicationSpec, number: int) -> ApplicationMaster:
        ground = self.ground
        drawn_ms = int(stream(ground.seed, "master", number).random() * ground.am_heartbeat_ms)
        phase_ms = drawn_ms if spec.phase_ms is None else spec.phase_ms
        master = master_of(spec, number, ground.start_ms + phase_ms, ground.topology, ground.seed)
        if spec.am is None:
            master.begin_attempt(1)
            master.move(STARTED)
            self.wake(master)
        return master

    def _start_unmanaged(self, number: int) -> None:
        master = self.masters.get(number)
        if master is None or master.spec.am is not None or master.stage not in (GONE, HUNG):
            return
        master.move(WAITING)
        master.begin_attempt(master.attempt + 1)
        master.move(STARTED)
        self.wake(master)

    def _launch_master(self, grant: Grant) -> None:
        master = self.masters.get(grant.container[0])
        if master is None:
            return
        if master.stage != WAITING:
            master.move(WAITING)
        master.begin_attempt(grant.container[1])
        node = self.nodes[self.ground.node_index[grant.node]]
        master.container = grant.container
        master.node = node.index
        master.move(LAUNCHED if node.up else GONE)
        self.launch(node, grant, HELD, 0)

    def wake(self, master: ApplicationMaster, not_before_ms: int = 0) -> None:
        """Schedule a master's heartbeat: the next of its rhythm, or the first one not before an instant."""
        interval = self.ground.am_heartbeat_ms
        due = self.clock.next_beat_ms(master.phase_ms, interval, AM_HEARTBEAT, master.number)
        if due < not_before_ms:
            due += -((due - not_before_ms) // interval) * interval
        if not master.beat_ms or due < master.beat_ms:
            master.beat_ms = due
            heappush(self.clock.heap, (due, AM_HEARTBEAT, master.number, AM_HEARTBEAT_DUE))

    # Nodes.

    def launch(self, node: NodeManager, grant: Grant, duration_ms: int, exit_status: int) -> None:
        """Start a container on its node; a dead node starts none."""
        container = grant.container
        if not node.launch(grant, duration_ms, exit_status):
            return
        delay_ms = self.launch_delay_ms(duration_ms)
        if delay_ms:
            due = self.clock.now_ms + delay_ms
            heappush(self.clock.heap, (due, NODE_FACT, node.index, CONTAINER_BEGINS, *container))
        else:
            self.begin(node, container)

    def comes_back(self, node: NodeManager) -> bool:
        """Tell whether a node that is up is a member, or becomes one by itself."""
        return node.member or node.adrift

    def launch_delay_ms(self, duration_ms: int) -> int:
        """Return the time from the order to launch a container of some duration until it begins [ms]."""
        return self.ground.launch_delay_ms

    def begin(self, node: NodeManager, container: ContainerId) -> None:
        launched = node.begin(container)
        if launched is None:
            return
        duration_ms, exit_status = launched
        if duration_ms != HELD:
            self.end_later(node, container, self.clock.now_ms + duration_ms, exit_status)
        elif self.ground.am_own_rhythm:
            self._begin_master(container)
        self.expect_report(node)

    def _begin_master(self, container: ContainerId) -> None:
        master = self.masters.get(container[0])
        if master is not None and master.container == container and master.stage == LAUNCHED:
            delay_ms = master.spec.register_delay_ms
            master.move(STARTED)
            master.phase_ms = self.clock.now_ms + (self.ground.register_delay_ms if delay_ms is None else delay_ms)
            self.wake(master, master.phase_ms)

    def end_later(self, node: NodeManager, container: ContainerId, at_ms: int, exit_status: int) -> None:
        """Schedule the end of a container, at the earliest in the next ms, so that no instant goes on for ever."""
        due = max(at_ms, self.clock.now_ms + 1)
        heappush(self.clock.heap, (due, NODE_FACT, node.index, CONTAINER_ENDS, *container, exit_status))

    def expect_report(self, node: NodeManager) -> None:
        """Mark a node whose next heartbeat must happen; while the cursor sleeps it gets an event of its own."""
        if not node.up or node.adrift:
            return
        self.reporting[node.index] = None
        if self.asleep:
            self.schedule_alone(node)

    def schedule_alone(self, node: NodeManager) -> None:
        due = self.clock.next_beat_ms(node.phase_ms, self.ground.heartbeat_ms, NODE_HEARTBEAT, node.index)
        if node.expected_ms != due:
            node.expected_ms = due
            heappush(self.clock.heap, (due, NODE_HEARTBEAT, node.index, LONE_HEARTBEAT))

    def close(self) -> None:
        self.clock.drop((ARRIVAL, FAULT))

    def skip_unrecorded(self) -> None:
        """Skip from now on what leaves no record, also where how far tasks are may differ in its last digits."""

    def has_news(self) -> bool:
        """Tell whether any node has something to report that no event stands for."""
        return any(self.nodes[index].has_news() for index in self.reporting)

    def next_move_ms(self) -> int | None:
        """Return when something that runs begins, ends or is reported next [epoch ms]; None when nothing does."""
        if self.has_news():
            return self.clock.now_ms
        return min((event[0] for event in self.clock.heap if event[3] in MOVES), default=None)

    def kill_processes(self, node: NodeManager) -> None:
        node.lose_everything()
        self.reporting.pop(node.index, None)
        for master in self.masters.values():
            if master.node == node.index and master.stage not in (WAITING, GONE):
                master.move(GONE)

    def busy_cores(self) -> dict[tuple[int, int], int]:
        """Return the cores that run a task, by (application number, executor id); none without simulated tasks."""
        return {}

    def lifespans(self) -> dict[int, Lifespan]:
        """Return the progress of sessions and services, by application number; applications of one job are left out."""
        lives = [(number, master.stage, master.lifespan()) for number, master in self.masters.items()]
        return {
            number: life if stage in (REGISTERED, ADRIFT) else life._replace(idle_since_ms=None, idle_containers=0)
            for number, stage, life in lives
            if life.kind != JOB
        }

    def specification_of(self, number: int) -> ApplicationSpec | None:
        """Return the specification of a live application; None when it has no application master (any more)."""
        master = self.masters.get(number)
        return master.spec if master is not None else None

    def core_shortage(self, number: int) -> CoreShortage:
        master = self.masters.get(number)
        return CoreShortage() if master is None else master.core_shortage

    def goes_on_as(self, application: int) -> int | None:
        """It, or what its driver registered when begun anew; None where the driver was lost for good."""
        return application
