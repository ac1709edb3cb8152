"""Can it ever run? A verdict on one application, with its proof.

`waiting`: the closed world gives it something, at a known instant. `starving`: others that came later keep passing it,
or the closed world goes on without ever giving it anything. `deadlocked`: the closed world makes no allocation, and
who waits for whom comes round to itself. `blocked`: holders that wait for nothing, or would not end whatever they were
given, keep for ever what it needs.
`impossible`: alone in the cluster it would not be given anything either. `none`: it asks for nothing; `ended`: it is
over.
"""

from collections.abc import Collection, Generator
from typing import Final, TypeVar

import msgspec

from engine.control_plane.resource_manager import ResourceManager
from engine.explain.ahead import Ahead
from engine.explain.facts import Facts
from engine.explain.reasons import ReasonRow, reason_rows
from engine.explain.standing import standing
from engine.explain.waits import Wait, Waits
from engine.model.decision import Allocated
from engine.run.views import snapshot_of
from engine.schedulers.yarn_scheduler import YarnScheduler
from engine.simulation.actions import KillApplication
from engine.simulation.simulation import Simulation

Result = TypeVar("Result")

PASSED: Final = 10
"""How many decisions in favour of later ones make waiting starving."""

LONG_MS: Final = 60_000
"""How long it has waited, and has still to wait, before that is called starving [ms]."""

TOLD: Final = 5
"""How many of the decisions that passed it a proof names."""


class Passing(msgspec.Struct, frozen=True):
    """A decision that gave something to another application."""

    time_ms: int
    application: int
    node: str
    memory_mb: int


class Proof(msgspec.Struct, frozen=True):
    """What a verdict rests on."""

    from_ms: int
    """Where the closed world began [epoch ms]."""
    looked_until_ms: int
    """How far it was played."""
    allocations: int
    """Containers it allocated, to anybody."""
    last_allocation_ms: int | None
    still: bool
    """Whether nothing could happen in it any more at its end."""
    cycle: tuple[Wait, ...] = ()
    """Who waits for whom, round to where it began."""
    ends: tuple[int, ...] = ()
    """Holders that wait for nothing and keep what they have for ever."""
    passed_by: tuple[Passing, ...] = ()
    """The last decisions that passed it."""
    bound: tuple[ReasonRow, ...] = ()
    """What stands in its way when it is alone in the cluster."""


class Verdict(msgspec.Struct, frozen=True):
    """The verdict on one application at one instant."""

    verdict: str
    expected_start_ms: int | None
    """When the closed world gives it something [epoch ms]; None when never."""
    proof: Proof


Work = Generator[None, None, Result]
"""Something that takes a while; it pauses after each piece."""


class Inquiry:
    """Finds the verdict on one application, a piece at a time; nothing it is given is changed."""

    def __init__(self, simulation: Simulation, number: int, facts: Facts | None = None) -> None:
        """Begin.

        Args:
            simulation: Where to ask; between two instants.
            number: The application, which asks for something.
            facts: What was decided before, for telling who passed it; None when nobody watched.
        """
        self._simulation = simulation
        self._number = number
        self._passed = passed_by(simulation, number, facts) if facts is not None else ()
        self.ahead = Ahead(simulation)
        self._work = self._find()
        self._found: Verdict | None = None

    def advance(self, pieces: int = 1) -> bool:
        """Do some pieces of the work; whether the verdict is found. How many at a time makes no difference to it."""
        while pieces > 0 and self._found is None:
            try:
                next(self._work)
            except StopIteration as found:
                self._found = found.value
            pieces -= 1
        return self._found is not None

    def verdict(self) -> Verdict:
        """The verdict; the rest of the work is done first."""
        while self._found is None:
            self.advance()
        return self._found

    def _find(self) -> Work[Verdict]:
        number, ahead = self._number, self.ahead
        while number not in ahead.first and not ahead.advance():
            yield
        start_ms = ahead.first.get(number)
        if start_ms is not None:
            is_passed = len(self._passed) >= PASSED and start_ms - ahead.from_ms > LONG_MS
            return self._verdict("starving" if is_passed else "waiting", passed_by=self._passed[-TOLD:])
        alone = yield from beside(self._simulation, number)
        while number not in alone.first and not alone.advance():
            yield
        if number not in alone.first:
            return self._verdict("impossible", bound=_standing(alone.simulation, number))
        if not ahead.still:
            return self._verdict("starving", passed_by=self._latest())
        control_plane = ahead.simulation.control_plane
        if isinstance(control_plane, ResourceManager):
            return (yield from self._never(control_plane.scheduler))
        rows = snapshot_of(control_plane, ahead.now_ms).applications(why=False)
        return self._verdict("blocked", ends=tuple(row.number for row in rows if row.containers))

    def _never(self, scheduler: YarnScheduler) -> Work[Verdict]:
        """It never starts, but would if it were alone: who keeps it from it."""
        cycle, keepers = yield from self._cycle(scheduler)
        if cycle and not self.ahead.allocations:
            return self._verdict("deadlocked", cycle=cycle)
        if cycle:
            return self._verdict("starving", cycle=cycle, passed_by=self._latest())
        waits = Waits(scheduler, self.ahead.now_ms)
        reached = [self._number]
        for number in reached:  # asked one by one, so that what follows is known already
            reached += [hold.application for hold in waits.of(number) if hold.application not in reached]
            yield
        ends = waits.ends_of(self._number, lambda number: not waits.of(number))
        ends = ends or waits.ends_of(self._number, keepers.__contains__)
        own = (self._number,) if self._number in keepers and not ends else ()
        return self._verdict("blocked", ends=(*own, *ends))

    def _cycle(self, scheduler: YarnScheduler) -> Work[tuple[tuple[Wait, ...], set[int]]]:
        """A cycle of applications that would all end if it were broken, and the applications that never will.

        Whoever waits for nothing in a world that is still never ends; nor does who would not end with only those
        beside him. Nobody of them is somebody a deadlock could be about.
        """
        still = self.ahead.simulation
        waits = Waits(scheduler, still.now_ms)
        attempts = [each.attempt for each in scheduler.cluster.applications.values() if each.attempt is not None]
        keepers = {attempt.application.number for attempt in attempts if not attempt.pending}
        beside_whom: dict[int, int] = {}  # who would end, and how many keepers there were when that was found
        while cycle := tuple(waits.cycle_from(self._number)):
            members = [self._number, *(step.application for step in cycle)]  # who asks may spare the others' test
            unknown = [each for each in members if each not in beside_whom]
            stale = [each for each in members if beside_whom.get(each, len(keepers)) < len(keepers)]
            if not unknown and not stale:
                break
            number = (unknown or stale)[0]
            world = yield from beside(still, number, keepers)
            while number not in world.over_ms and not world.advance():
                yield
            beside_whom[number] = len(keepers)
            if number not in world.over_ms:
                keepers.add(number)
                waits.keeps(number)
        return cycle, keepers

    def _latest(self) -> tuple[Passing, ...]:
        return tuple(_passing(*each) for each in self.ahead.latest)[-TOLD:]

    def _verdict(
        self,
        verdict: str,
        *,
        cycle: tuple[Wait, ...] = (),
        ends: tuple[int, ...] = (),
        passed_by: tuple[Passing, ...] = (),
        bound: tuple[ReasonRow, ...] = (),
    ) -> Verdict:
        ahead = self.ahead
        proof = Proof(
            from_ms=ahead.from_ms,
            looked_until_ms=ahead.now_ms,
            allocations=ahead.allocations,
            last_allocation_ms=ahead.last_ms,
            still=ahead.still,
            cycle=cycle,
            ends=ends,
            passed_by=passed_by,
            bound=bound,
        )
        return Verdict(verdict, ahead.first.get(self._number), proof)


def living(simulation: Simulation) -> list[int]:
    """Numbers of all applications that have not ended."""
    rows = snapshot_of(simulation.control_plane, simulation.now_ms).applications(why=False)
    return [row.number for row in rows if row.finished_ms is None]


def beside(simulation: Simulation, number: int, others: Collection[int] = ()) -> Work[Ahead]:
    """A closed world in which everybody but an application and some others has just been killed."""
    ahead = Ahead(simulation)
    for each in living(simulation):
        if each != number and each not in others:
            ahead.simulation.act(KillApplication(each))
            yield
    return ahead


def passed_by(simulation: Simulation, number: int, facts: Facts) -> tuple[Passing, ...]:
    """Decisions in favour of applications submitted later, since it has been waiting at least `LONG_MS`."""
    control_plane = simulation.control_plane
    if not isinstance(control_plane, ResourceManager):
        return ()
    cluster = control_plane.cluster
    application = cluster.applications.get(number)
    since_ms = application.waiting_since_ms if application is not None else None
    if application is None or since_ms is None or simulation.now_ms - since_ms < LONG_MS:
        return ()
    later = frozenset(
        other.number
        for other in (*cluster.applications.values(), *cluster.finished)
        if other.submitted_ms > application.submitted_ms
    )
    return tuple(_passing(*each) for each in facts.passing(number, since_ms, later))


def _passing(time_ms: int, record: Allocated) -> Passing:
    return Passing(time_ms, record.container[0], record.node, record.memory_mb)


def _standing(simulation: Simulation, number: int) -> tuple[ReasonRow, ...]:
    control_plane = simulation.control_plane
    if not isinstance(control_plane, ResourceManager):
        return ()
    application = control_plane.cluster.applications.get(number)
    if application is None or application.attempt is None:
        return ()
    scheduler, attempt = control_plane.scheduler, application.attempt
    return reason_rows(scheduler, attempt, standing(scheduler, attempt, simulation.now_ms))
