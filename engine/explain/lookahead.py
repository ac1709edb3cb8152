"""The closed world: a copy of a simulation that runs on without arrivals, faults and operators.

Every verdict and expected start is defined on it. It is driven in small pieces (`advance`), so whoever asks decides
how much is done at a time, and its result does not depend on the pieces.

It is *still* when nothing can happen any more: only heartbeats and passes are left on the clock, and they have changed
nothing but reservations for longer than any timer of the scheduler, and for as many rounds as somebody may let offers
pass who waits for a better place. At the horizon it need not be still: what has not happened by then comes later, or
never.
"""

from collections import deque
from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

from engine.control_plane.protocol import ControlPlane
from engine.incremental import Incremental
from engine.model.decision import (
    Allocated,
    ApplicationTransitioned,
    ContainerId,
    Killed,
    Reserved,
    Unreserved,
    Warned,
    owner_of,
)
from engine.model.decision import Completed as Ended
from engine.simulation.events import (
    JOB_TRACKER_STARTS,
    LONE_HEARTBEAT,
    PASS_RUNS,
    RESOURCE_MANAGER_STARTS,
    ROUND,
    TRACKER_HEARTBEAT,
)
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation
from engine.workload.master import HUNG

ROUNDS: Final = 10
"""Rounds of heartbeats without effect after which counters of missed opportunities can bring no more."""

HORIZON_MS: Final = 24 * 3_600_000
"""Time it looks ahead at most [ms]."""

HANDFUL: Final = 4
"""Events between two looks at whether it is over, at most."""

SPAN_MS: Final = 30_000
"""Time between two looks, at most [simulated ms]."""

LOOKS: Final = 16
"""Looks after events in one piece of work."""

STARTS: Final = (RESOURCE_MANAGER_STARTS, JOB_TRACKER_STARTS)
"""Events that end an outage of a control plane."""

_AIMLESS: Final = (ROUND, LONE_HEARTBEAT, PASS_RUNS, TRACKER_HEARTBEAT)
_IDLE: Final = (Reserved, Unreserved, Warned)


class Served(NamedTuple):
    """The first container of an ask."""

    time_ms: int
    """When [epoch ms]."""
    allocations: int
    """Number of containers allocated by then, that one included."""


class Ahead:
    """A closed-world copy that runs on, and what it has seen."""

    def __init__(self, simulation: Simulation, horizon_ms: int = HORIZON_MS, *, is_own: bool = False) -> None:
        """Copy a simulation, between two instants and not from within a listener; the original is not touched.

        A closed copy that nobody else needs (`is_own`) is played itself.
        """
        self.from_ms = simulation.now_ms
        self.end_ms = self.from_ms + horizon_ms
        self.simulation = simulation if is_own else simulation.fork(closed=True)
        world = self.simulation.world
        world.ground = world.ground._replace(naive=False)
        self.simulation.listeners.append(self)
        self.first: dict[int, int] = {}
        """When each application was first given something [epoch ms]."""
        self.served: dict[tuple[int, int], Served] = {}
        """When each ask (application, priority) was first given something."""
        self.before: dict[int, int] = {}
        """Number of containers allocated by the end of each application that ended."""
        self.ended: dict[ContainerId, int] = {}
        """When each container ended [epoch ms]."""
        self.over_ms: dict[int, int] = {}
        """When each application ended [epoch ms]."""
        self.preempted_ms: int | None = None
        """When a container was first preempted [epoch ms]; None when none was."""
        self.latest: deque[tuple[int, Allocated]] = deque(maxlen=32)
        """The last allocations, oldest first."""
        self.allocations = 0
        self.last_ms: int | None = None
        """When something was last allocated; None when never."""
        self._moved_ms = self.from_ms
        self._again_ms = self.from_ms
        """When it may be still at the earliest: before, somebody waits for a better place."""
        self.still = False
        """True if nothing can happen any more."""

    @cached_property
    def _patience_ms(self) -> int:
        """Return the `patience_ms` once a change at the beginning is made, as it may set other timers."""
        return patience_ms(self.simulation.control_plane, self.simulation.world.ground.heartbeat_ms)

    @property
    def now_ms(self) -> int:
        """Return the instant it has reached [epoch ms]."""
        return self.simulation.now_ms

    @property
    def over(self) -> bool:
        """Tell whether there is nothing more to see: it is still, or the horizon is reached."""
        return self.still or self.now_ms >= self.end_ms

    def records(self, time_ms: int, records: Sequence[Record]) -> None:
        """Note what happened at an instant."""
        for record in records:
            if isinstance(record, Allocated):
                self.latest.append((time_ms, record))
                self.allocations += 1
                self.last_ms = time_ms
                ask = (owner_of(record.container), record.priority)
                if ask not in self.served and not self._is_unused(record):
                    self.served[ask] = Served(time_ms, self.allocations)
                    self.first.setdefault(ask[0], time_ms)
            elif isinstance(record, Ended | Killed):
                self._note_end(record, time_ms)
            elif isinstance(record, ApplicationTransitioned) and record.is_end:
                self.over_ms[record.application] = time_ms
                self.before.setdefault(record.application, self.allocations)
            if not isinstance(record, _IDLE):
                self._moved_ms = time_ms

    def _is_unused(self, record: Allocated) -> bool:
        """Tell whether a container is given to a master that hangs, which does not use it."""
        master = self.simulation.world.masters.get(owner_of(record.container))
        return master is not None and master.stage == HUNG and master.attempt == record.container[1]

    def _note_end(self, record: Ended | Killed, time_ms: int) -> None:
        self.ended[record.container] = time_ms
        if self.preempted_ms is None and isinstance(record, Killed) and record.cause == "PREEMPTED":
            self.preempted_ms = time_ms

    def advance(self) -> bool:
        """Let some events happen; time that passes without one is no work.

        Returns:
            Whether it is over.
        """
        simulation, looks = self.simulation, 0
        while looks < LOOKS and not self.over:
            until_ms = min(self.end_ms, self.now_ms + SPAN_MS)
            next_ms = simulation.next_event_ms()
            looks += next_ms is not None and next_ms <= until_ms
            if not simulation.run_events(HANDFUL, until_ms):
                simulation.run_until(until_ms)
            self.still = self._is_still()
        return self.over

    def start_of(self, number: int, priority: int | None) -> Served | None:
        """Return when an ask of a priority (None: any) was first given something; None while it is not."""
        if priority is not None:
            return self.served.get((number, priority))
        found = [served for (each, _), served in self.served.items() if each == number]
        return min(found, default=None)

    def is_settled(self, number: int, priority: int | None) -> bool:
        """Tell whether an application's ask was given something, or the application has ended."""
        if number in self.over_ms:
            return True
        return number in self.first if priority is None else (number, priority) in self.served

    def until_started(self, number: int, priority: int | None = None) -> int | None:
        """Run on until an application's ask is given something (priority None: any of them); None when it never is."""
        while not self.is_settled(number, priority) and not self.advance():
            pass
        served = self.start_of(number, priority)
        return served.time_ms if served is not None else None

    def _is_still(self) -> bool:
        quiet_ms = self.now_ms - self._moved_ms
        if quiet_ms <= self._patience_ms or self.now_ms < self._again_ms:
            return False
        world = self.simulation.world
        if not world.control_plane.answers:  # tries to reach it bring nothing before it starts
            return all(event[3] not in STARTS for event in world.clock.heap)
        if world.has_news():
            return False  # a node that is drained beats for nothing while its last containers go on
        if not all(event[3] in _AIMLESS for event in world.clock.heap):
            return False
        # Who lets offers pass is offered as few as one node a round, when all others are held.
        offers = world.control_plane.view().delay_offers(self.now_ms)
        is_over = quiet_ms > self._patience_ms + offers * world.ground.heartbeat_ms
        self._again_ms = self.now_ms + self._patience_ms
        return is_over


def ahead_of(simulation: Simulation, horizon_ms: int = HORIZON_MS) -> Incremental[Ahead]:
    """A closed world that begins where a simulation stands, which must stand still while it is copied in pieces."""
    return Ahead((yield from simulation.forking(closed=True)), horizon_ms, is_own=True)


def patience_ms(control_plane: ControlPlane, heartbeat_ms: int) -> int:
    """After how long without effect heartbeats and passes will never have any [ms]."""
    return ROUNDS * heartbeat_ms + control_plane.view().longest_timer_ms()
