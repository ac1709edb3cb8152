"""Runs a simulation: lets time pass, carries out acts, forks, and delivers records to listeners.

A simulation is a value: the same scenario, seed and acts give the same records, byte for byte, however it
was driven. Nothing here reads a wall clock, and no state is a closure, generator or thread, so `fork` copies it.
"""

import gc
from collections.abc import Callable, Iterable, Sequence
from heapq import heappop
from typing import Final

from engine.control_plane.protocol import Answer, ControlPlane
from engine.errors import InvariantError
from engine.fork import Copies, fork_in_steps
from engine.incremental import Incremental, run_to_end, without_gc
from engine.model.ledger import Node
from engine.scenario.acts import Act
from engine.simulation import act_handlers, job_tracker_world, outages, spark_world
from engine.simulation import heartbeats as node_heartbeats
from engine.simulation import world as kinds
from engine.simulation.records import Listener
from engine.simulation.world import Event, World


def _arrives(world: World, event: Event) -> None:
    """Submit the next arrival; without an answer its client tries again, and later arrivals wait with it."""
    if not world.control_plane.answers:
        world.clock.schedule(
            (
                event[0] + node_heartbeats.retry_ms(world, "client", event[2]),
                kinds.OUTSIDE_ACTION,
                event[2],
                kinds.ARRIVAL,
            )
        )
        return
    arrival = world.ground.arrivals[event[2]]
    world.submit(arrival.spec, arrival.number)
    schedule_arrival(world, event[2] + 1)


def schedule_arrival(world: World, index: int) -> None:
    """Put the scenario's submission of this place on the clock, if there is one."""
    if index < len(world.ground.arrivals):
        due = world.ground.start_ms + world.ground.arrivals[index].at_ms
        world.clock.schedule((max(due, world.clock.now_ms), kinds.OUTSIDE_ACTION, index, kinds.ARRIVAL))


def _node_manager_starts(world: World, event: Event) -> None:
    node = world.nodes[event[2]]
    # A later order to start has taken the place of this one.
    if node.up or node.starts_ms != event[0]:
        return
    node.up = True
    if node.adrift:
        outages.reconnect(world, node)
    else:
        node_heartbeats.node_manager_starts(world, node)


def _begins(world: World, event: Event) -> None:
    world.begin(world.nodes[event[2]], (event[4], event[5], event[6]))


def _ends(world: World, event: Event) -> None:
    node = world.nodes[event[2]]
    if node.end((event[4], event[5], event[6]), event[7]):
        world.expect_report(node)


def _notice(world: World) -> None:
    world.watched_version = world.control_plane.version
    if world.asleep:
        node_heartbeats.wake_rounds_if_changed(world)
    if world.resting:
        node_heartbeats.wake_passes(world)


HANDLERS: Final[tuple[Callable[[World, Event], None], ...]] = tuple(
    handler
    for _, handler in sorted(
        {
            kinds.ARRIVAL: _arrives,
            kinds.FAULT: act_handlers.fault_strikes,
            kinds.CONTAINER_BEGINS: _begins,
            kinds.CONTAINER_ENDS: _ends,
            kinds.NODE_EXPIRES: node_heartbeats.node_expires,
            kinds.AM_HEARTBEAT_DUE: outages.am_heartbeat_is_due,
            kinds.ROUND: node_heartbeats.cursor_arrives,
            kinds.LONE_HEARTBEAT: node_heartbeats.node_comes_alone,
            kinds.PASS_RUNS: node_heartbeats.pass_runs,
            kinds.TASK_ENDS: spark_world.task_ends,
            kinds.DRIVER_DUE: spark_world.driver_is_due,
            kinds.APPLICATION_REGISTERS: spark_world.application_registers,
            kinds.NODE_MANAGER_STARTS: _node_manager_starts,
            kinds.TRACKER_HEARTBEAT: job_tracker_world.tracker_heartbeat_is_due,
            kinds.JOB_TRACKER_STARTS: job_tracker_world.job_tracker_starts,
            kinds.NODE_RECONNECTS: outages.node_reconnects,
            kinds.RESOURCE_MANAGER_STARTS: outages.resource_manager_starts,
            kinds.RECOVERY_DUE: outages.recovery_is_due,
            kinds.MASTER_EXPIRES: outages.master_expires,
        }.items()
    )
)
"""The handler of each kind of event, by its number."""


class Simulation:
    """A cluster in time; `build.build_simulation` makes one of a scenario."""

    __slots__ = ("acts", "copies", "listeners", "stands", "world")

    def __init__(self, world: World, listeners: Sequence[Listener] = ()) -> None:
        self.world = world
        self.listeners = list(listeners)  # the listeners, which get all records; a fork has none
        self.acts: list[tuple[tuple[int, ...], Act]] = []  # the acts so far, each with the event it came after
        self.copies = Copies()  # what a fork was made with
        self.stands = False
        """True if it is never played again: each of its copies copies containers when it first looks at them."""

    @property
    def now_ms(self) -> int:
        """Time of the last event, or the time up to which it was run [epoch ms]."""
        return self.world.clock.now_ms

    @property
    def control_plane(self) -> ControlPlane:
        return self.world.control_plane

    def next_event_ms(self) -> int | None:
        """Return when the next event is due [epoch ms]; None when nothing will ever happen by itself."""
        return self.world.clock.peek()

    def step(self) -> bool:
        """Let the next event happen; return False when there is none."""
        due = self.next_event_ms()
        if due is None:
            return False
        self.run_events(1, due)
        return True

    def run_until(self, time_ms: int, latest: Callable[[], int] | None = None) -> None:
        """Let everything up to and including an instant happen. Nothing happens when `time_ms` [epoch ms] is past.

        Once something was recorded, it stands at the `latest` where that tells, which may be earlier [epoch ms].
        """
        self.world.clock.advance_to(self._run((time_ms + 1,), latest) - 1)

    def run_before(self, time_ms: int) -> None:
        """Let everything before an instant happen, so that an act comes first in it."""
        _ = self._run((time_ms,))
        self.world.clock.advance_to(time_ms, ended=False)

    def run_to(self, position: tuple[int, ...]) -> None:
        """Let everything up to and including a recorded position happen (see `acts`)."""
        self._ensure_goes_on()
        clock, size = self.world.clock, len(position)
        self.world.horizon_ms = position[0]
        while clock.heap and clock.heap[0][:size] <= position:
            self._take()
        if position > clock.position:
            if position[0] > clock.now_ms:
                self.flush()
            clock.now_ms, clock.position = position[0], position
        self.flush()

    def run_events(self, most: int, until_ms: int) -> bool:
        """Let so many events happen, none after an instant; whether more are due by then."""
        self._ensure_goes_on()
        heap = self.world.clock.heap
        self.world.horizon_ms = until_ms
        while most > 0 and heap and heap[0][0] <= until_ms:
            self._take()
            most -= 1
        self.flush()
        return bool(heap) and heap[0][0] <= until_ms

    def act(self, act: Act) -> Answer:
        """Carry out an act now and keep it for replay; a refusal is in the answer."""
        return self.act_all([act])[0]

    def act_all(self, acts: Iterable[Act]) -> list[Answer]:
        """Carry out acts now, one after the other, as `act` does; what they change together is looked at once."""
        self._ensure_goes_on()
        position = self.world.clock.position
        # Beyond instant and node the event of a heartbeat may be another one in a replay.
        if len(position) > 3 and position[1] == kinds.NODE_HEARTBEAT:
            position = position[:3]
        answers = []
        for act in acts:
            self.acts.append((position, act))
            answers.append(act_handlers.carry_out(self.world, act, position))
        self.changed()
        self.flush()
        return answers

    def changed(self) -> None:
        """Note that its state was changed from outside: heartbeats and passes that rest may matter again."""
        self._ensure_goes_on()
        node_heartbeats.restart_rounds(self.world)
        _notice(self.world)

    def fork(self, *, closed: bool = False) -> "Simulation":
        """An independent copy without listeners; a `closed` one has no later arrivals and faults."""
        # All that is made here lives on: the collector would walk the whole heap several times for nothing.
        was_collecting = gc.isenabled()
        gc.disable()
        try:
            other = run_to_end(self.fork_in_steps(closed=closed))
            other.copies.groups.clear()  # it may live for long, and what it drops must not
            return other
        finally:
            if was_collecting:
                gc.enable()

    def fork_in_steps(self, *, closed: bool = False, stands: bool = False) -> "Incremental[Simulation]":
        """Fork in pieces, anew when this one goes on meanwhile; a copy that `stands` is never played."""
        while True:
            copies = Copies(is_lazy=self.stands)
            world = yield from self._copied(copies)
            if world is not None:
                break
        if not copies.is_lazy:
            copies.known.clear()  # the copy does not keep its original
        other = Simulation(world)
        other.copies = copies
        other.flush()  # records not yet delivered by the original count as delivered
        other.acts = self.acts.copy()
        if closed:
            other.drop_future_events()
        other.stands = stands
        return other

    def drop_future_events(self) -> None:
        self.world.close()

    def discard(self) -> None:
        """Let go of what `fork_in_steps` made, at once and not by the garbage collector: it is not used again."""
        self.listeners.clear()
        groups = self.copies.groups
        for each in groups:
            if type(each) is dict and type(next(iter(each.values()), None)) is Node:
                for node in each.values():
                    node.reserved = None  # a node and what reserves it name each other without a group
            each.clear()
        groups.clear()
        self.copies.known.clear()

    def _copied(self, copies: Copies) -> "Incremental[World | None]":
        """Return a copy of its world; None when it went on meanwhile."""
        stands_at = self.state_key()
        work = without_gc(fork_in_steps(self.world, copies))
        while self.state_key() == stands_at:
            try:
                next(work)
            except StopIteration as done:
                world: World = done.value
                return world
            yield
        return None

    def state_key(self) -> tuple[object, ...]:
        """Return a key that differs between any two states in which it can be looked at."""
        world = self.world
        return (
            world.clock.position,
            world.clock.now_ms,
            len(self.acts),
            world.control_plane.version,
            len(world.records),
        )

    def flush(self) -> None:
        world = self.world
        if world.records:
            records, world.records = world.records, []
            world.delivered += len(records)
            for listener in self.listeners:
                listener.on_records(world.clock.now_ms, records)

    def _ensure_goes_on(self) -> None:
        if self.stands:
            raise InvariantError("what stands still is not played: its copies rest on it")

    def _run(self, end: Event, latest: Callable[[], int] | None = None) -> int:
        """Let everything before `end` happen, or up to `latest` as of `run_until`; before what instant all happened."""
        self._ensure_goes_on()
        world, clock = self.world, self.world.clock
        heap, whole = clock.heap, end
        control_plane = world.control_plane
        world.horizon_ms = end[0] - 1
        while heap and heap[0] < end:
            if heap[0][0] != clock.now_ms and world.records:
                self.flush()
                if latest is not None:
                    end = min(whole, (latest() + 1,))
                    world.horizon_ms = end[0] - 1
                    continue
            event = heappop(heap)
            clock.now_ms = event[0]
            clock.position = event
            HANDLERS[event[3]](world, event)
            if control_plane.version != world.watched_version:
                _notice(world)
        if world.records:
            self.flush()
            end = end if latest is None else min(whole, (latest() + 1,))
        return end[0]

    def _take(self) -> None:
        clock = self.world.clock
        if clock.heap[0][0] != clock.now_ms:
            self.flush()
        event = clock.pop()
        HANDLERS[event[3]](self.world, event)
        if self.world.control_plane.version != self.world.watched_version:
            _notice(self.world)
