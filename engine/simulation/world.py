"""Holds the state of a simulation: clock, node managers, application masters and control plane.

The real state of nodes and masters is here; the control plane keeps its own view of them.
Handlers in `node_heartbeats`, `am_heartbeats` and `act_handlers` are plain functions over it.
"""

from collections.abc import Callable, Mapping
from heapq import heappush
from typing import Any, ClassVar

from engine.control_plane.protocol import NOTHING, Answer, ApplicationSubmitted, ControlPlane, Event, Grant
from engine.errors import RefusedError
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, ContainerId, Decision, Killed, Warned
from engine.scenario import ApplicationSpec, StandaloneSpec
from engine.simulation.events import (
    AM_HEARTBEAT,
    AM_HEARTBEAT_DUE,
    CONTAINER_BEGINS,
    CONTAINER_ENDS,
    LONE_HEARTBEAT,
    NODE_FACT,
    NODE_HEARTBEAT,
    Clock,
)
from engine.simulation.ground import Ground
from engine.simulation.node_manager import NodeManager
from engine.simulation.records import EventRefused, Record, Submitted
from engine.state import State
from engine.workload.arrivals import master_of, submission_of
from engine.workload.lifespan import JOB, Lifespan
from engine.workload.master import ADRIFT, GONE, HELD, HUNG, LAUNCHED, REGISTERED, STARTED, WAITING, ApplicationMaster
from engine.workload.random_streams import stream


class World(metaclass=State):
    """The state of a simulation and the few mutators that handlers share."""

    ground: Ground
    control_plane: ControlPlane
    clock: Clock
    nodes: list[NodeManager]
    """The node managers, in the scenario's order."""
    masters: dict[int, ApplicationMaster] = {}
    """The masters of live applications, by number."""
    next_application: int = 1
    """Number of the next application that has none of its own."""
    records: list[Record] = []
    """The records of the present instant that are not delivered to listeners."""
    delivered: int = 0
    """Number of records that were delivered before."""
    reporting: dict[int, None] = {}
    """Nodes whose next heartbeat has to happen whatever the control plane would do with it."""
    heartbeats: int = 0
    """Node heartbeats sent to the control plane so far."""
    decided: int = 0
    """Decisions of the control plane so far."""
    horizon_ms: int
    """Time up to which idle heartbeats may be skipped [epoch ms]."""
    rhythm: tuple[tuple[int, int], ...]
    """(ms after the round's begin, node) in the order heartbeats come."""
    place: int = 0
    """Place of the cursor in the rhythm."""
    round_ms: int
    """Begin of the cursor's round [epoch ms]."""
    asleep: bool = True
    """True while the cursor waits for a change; nodes with a report then have events of their own."""
    idle_beats: int = 0
    """Number of heartbeats in a row that would have changed nothing, at the version seen."""
    seen_version: int = -1
    since_ms: int
    """Begin of the control plane's present life [epoch ms]; its passes count from there."""
    pass_names: tuple[tuple[str, int], ...] = ()
    """(name, interval) of the background passes."""
    resting: dict[int, int] = {}
    """Version at which each resting pass found nothing to do, by its place."""
    watched_version: int = -1
    """The version after the last event."""

    own_acts: ClassVar[Mapping[type, Callable[[Any, Any], Answer]]] = {}
    """Acts that mean something else here than in `act_handlers`."""

    def __init__(self, ground: Ground, control_plane: ControlPlane, nodes: list[NodeManager], now_ms: int) -> None:
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

    def send(self, event: Event) -> Answer:
        """Send an event to the control plane and apply its answer."""
        answer = self.control_plane.handle(event, self.clock.now_ms)
        if answer is not NOTHING:
            self.settle(answer)
        return answer

    def settle(self, answer: Answer) -> None:
        """Record decisions and apply them to the nodes and masters they concern."""
        if answer.decisions:
            self.records.extend(answer.decisions)
            self.decided += len(answer.decisions)
            for decision in answer.decisions:
                self._apply(decision)
        for grant in answer.masters:
            self._launch_master(grant)
        for order in answer.cleanups:
            node = self.nodes[self.ground.node_index[order.node]]
            if node.up:
                node.orders.append(order.container)
                self.expect_report(node)

    def refuse(self, event: str, answer: Answer, application: int = 0) -> None:
        """Record that an event was refused."""
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
            self._clean_up(master, decision)
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

    def _clean_up(self, master: ApplicationMaster, decision: Killed | Completed) -> None:
        """Stop the process of a master that was killed at once; orders for other containers wait for heartbeats.

        Source: RMAppAttemptImpl.FinalTransition, AMLauncher#cleanup (Hadoop 2.7.2, 3.4.1).
        """
        node = self.nodes[master.node]
        if isinstance(decision, Killed) and decision.cause != "LOST" and node.up:
            node.stop((decision.container,))
            self.expect_report(node)

    # Applications.

    def submit(self, spec: ApplicationSpec, number: int | None) -> Answer:
        """Submit an application; its master is made when it is taken.

        Raises:
            RefusedError: It is of a kind that has no application master.
        """
        if isinstance(spec, StandaloneSpec):
            raise RefusedError("UnsupportedApplication", f"type {spec.type} needs scheduler spark")
        number = self.next_application if number is None else number
        submission = submission_of(spec, number)
        return self.hand_in(spec, submission, submission)

    def hand_in(self, spec: ApplicationSpec, submission: ApplicationSubmitted, event: Event) -> Answer:
        """Hand in a submission, or (`event`) an application recovered with it; its master is made when it is taken."""
        number = submission.application or 0
        self.next_application = max(self.next_application, number + 1)
        answer = self.control_plane.handle(event, self.clock.now_ms)
        taken, queue = answer.application or 0, submission.queue or ""
        name, user, kind = submission.name, submission.user, submission.type
        self.records.append(Submitted(taken, name, user, queue, kind, answer.rejected, answer.detail))
        if not answer.rejected:
            self.masters[number] = self._new_master(spec, number)
        self.settle(answer)
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
        """Start a master that needs no container again when its application has another attempt."""
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
        """Start a container that was launched."""
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
        """Start the process of a master; its rhythm counts from its registration."""
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
        """Give a node's next heartbeat an event of its own."""
        due = self.clock.next_beat_ms(node.phase_ms, self.ground.heartbeat_ms, NODE_HEARTBEAT, node.index)
        if node.expected_ms != due:
            node.expected_ms = due
            heappush(self.clock.heap, (due, NODE_HEARTBEAT, node.index, LONE_HEARTBEAT))

    def has_news(self) -> bool:
        """Tell whether any node has something to report that no event stands for."""
        return any(self.nodes[index].has_news() for index in self.reporting)

    def kill_processes(self, node: NodeManager) -> None:
        """Kill everything on a node, application masters included."""
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
        lives = {number: master.lifespan() for number, master in self.masters.items()}
        return {number: life for number, life in lives.items() if life.kind != JOB}

    def specification_of(self, number: int) -> ApplicationSpec | None:
        """Return the specification of a live application; None when it has no application master (any more)."""
        master = self.masters.get(number)
        return master.spec if master is not None else None
