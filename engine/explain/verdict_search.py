"""Finds the verdicts on an application, a piece of work at a time: looks ahead, then follows waits and holders.

The worst verdict on an ask is the application's.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.explain.alert import LONG_MS
from engine.explain.answer import OvertakingReport
from engine.explain.counterfactuals import Ask, Lookahead, ahead_of, confirmed, gain_of, played_with, starts_sooner
from engine.explain.explainers import explainer_of
from engine.explain.instant import SharedLookahead
from engine.explain.obstacles import ALL_ITS_OWN, MASTERS_HOLD, TRIED_TOGETHER, ObstacleRow, without_setting
from engine.explain.outages import is_in_service
from engine.explain.recent_decisions import RecentDecisions
from engine.explain.verdict import Proof, Verdict, severity_key
from engine.explain.waits import BlockingResources, WaitEdge, WaitForGraph
from engine.incremental import Incremental, one_minimal
from engine.model.decision import Allocated, owner_of
from engine.observe.snapshots import has_its_part, snapshot_of_simulation
from engine.scenario.acts import KillApplication
from engine.schedulers.interface import Setting
from engine.settings.site import NODE_MEMORY, NODE_VCORES
from engine.simulation.simulation import Simulation
from engine.simulation.world import CONTAINER_ENDS, TASK_ENDS
from engine.workload.master import GONE, WAITING

# Which settings really decide: one is named only if the waiting ask starts sooner with it as loose as it can be.
#
# Of an ask that never starts, and that no single setting would start, a smallest set is looked for that would.

SOON_MS: Final = 10_000  # How long after settings are loosened is looked what is in the way then [ms]

TOGETHER: Final = 12  # Number of settings that are loosened together at most

REVEALED: Final = 4  # Number of times further obstacles are looked for, once all settings known are loose

_OF_NODES: Final = (NODE_MEMORY.name, NODE_VCORES.name)  # Settings that are loosened on the nodes of an obstacle alone

_Known = dict[tuple[str, str, tuple[str, ...]], bool]  # Effect of a loosening → whether the ask starts sooner with it


class _Loosening(NamedTuple):
    """A setting of an obstacle, and one of its loose values."""

    row: ObstacleRow
    value: str
    ask: Ask  # The ask it is an obstacle of

    def effect(self) -> tuple[str, str, tuple[str, ...]]:
        """Return what a loosened copy depends on: of one ask, equal effects make equal copies."""
        assert self.row.decided_by is not None, "there is a setting to loosen"
        key = self.row.decided_by.key
        return key, self.value, self.row.nodes if key in _OF_NODES else ()


def with_confirmed_settings(
    here: Simulation, ask: Ask, rows: Sequence[ObstacleRow], expected_ms: int | None, whose: Ask | None = None
) -> Incremental[tuple[ObstacleRow, ...]]:
    """The obstacles of an ask, or of another one that comes first (`whose`), without settings that change nothing.

    Where no setting alone starts an ask that never would (`expected_ms` None), or one that limits of its queues hold
    back, the first row has those that do together. `here` must stand still while it is copied.
    """
    explainer, whose = explainer_of(here), whose or ask
    if expected_ms is not None:  # little sooner is no sooner
        expected_ms -= gain_of(expected_ms - here.now_ms) - 1
    choices = [(row, *explainer.other_settings(whose, row)) for row in rows]
    known: _Known = {}
    found: list[ObstacleRow] = []
    for choice in choices:
        decisive = without_setting(choice[0])
        if choice[0].code in TRIED_TOGETHER:
            found.append((yield from _with_needed(here, ask, whose, choice[0], expected_ms)))
            continue
        if choice[0].code == MASTERS_HOLD:  # what let them in is too loose already
            found.append(choice[0])
            continue
        for row in choice:
            if (yield from _is_confirmed(here, ask, whose, row, expected_ms, known)):
                decisive = row
                break
        found.append(decisive)
    is_limited = any(row.level == "QUEUE" and row.decided_by for choice in choices for row in choice)
    named = [row for row in found if (row.decided_by or row.together) and row.code != MASTERS_HOLD]
    # Larger nodes raise the limits of queues, which are the cause.
    is_open = all(is_limited and row.decided_by is not None and row.decided_by.key in _OF_NODES for row in named)
    if found and is_open and (expected_ms is None or is_limited):
        some = [row for choice in choices for row in choice if row not in named]
        needed = yield from _needed(here, ask, whose, some, expected_ms)
        if not named or any(setting.key not in _OF_NODES for setting in needed):
            found = [without_setting(row) if row in named else row for row in found]
            found[0] = replace(found[0], together=needed or found[0].together)
    return tuple(found)


def _is_confirmed(
    here: Simulation, ask: Ask, whose: Ask, row: ObstacleRow, expected_ms: int | None, known: _Known
) -> Incremental[bool]:
    for value in explainer_of(here).loose_values(row):
        loosening = _Loosening(row, value, whose)
        effect = loosening.effect()
        if effect not in known:
            known[effect] = yield from starts_sooner(here, ask, partial(_loosen, some=[loosening]), expected_ms)
        if known[effect]:
            return True
    return False


def _needed(
    here: Simulation, ask: Ask, whose: Ask, rows: Sequence[ObstacleRow], expected_ms: int | None
) -> Incremental[tuple[Setting, ...]]:
    """The settings of a smallest set that together start an ask sooner than expected; empty when none is found.

    What stands in the way once the settings of `rows` are loose counts as well.
    """
    explainer, some = explainer_of(here), _first_values(here, whose, rows)
    for _ in range(REVEALED):
        if not some or len(some) > TOGETHER:
            return ()
        ahead = yield from played_with(here, ask, partial(_loosen, some=some), expected_ms)
        served = ahead.start_of(*ask)
        if served is not None and (expected_ms is None or served.time_ms < expected_ms):
            needed = yield from _smallest(here, ask, some, expected_ms)
            return tuple(each.row.decided_by for each in needed if each.row.decided_by is not None)
        late = yield from explainer_of(ahead.simulation).obstacles(*whose)
        soon = yield from here.fork_in_steps(closed=True)  # by the end of the play others may have left a limit
        _loosen(soon, some)
        soon.run_until(soon.now_ms + SOON_MS)
        revealed = (*(yield from explainer_of(soon).obstacles(*whose)), *late)
        soon.discard()
        rows = (*rows, *(row for each in revealed for row in (each, *explainer.other_settings(whose, each))))
        known, some = len(some), _first_values(here, whose, rows)
        if len(some) == known:
            return ()
    return ()


def _with_needed(
    here: Simulation, ask: Ask, whose: Ask, row: ObstacleRow, expected_ms: int | None
) -> Incremental[ObstacleRow]:
    """A row with those of its settings that, loosened together, start the ask sooner, and all of which are needed."""
    some = _first_values(here, whose, [replace(row, decided_by=each) for each in row.together])
    if not some or not (yield from starts_sooner(here, ask, partial(_loosen, some=some), expected_ms)):
        return replace(row, together=())
    needed = yield from _smallest(here, ask, some, expected_ms)
    return replace(row, together=tuple(each.row.decided_by for each in needed if each.row.decided_by is not None))


def _first_values(here: Simulation, whose: Ask, rows: Sequence[ObstacleRow]) -> list[_Loosening]:
    explainer = explainer_of(here)
    found: dict[str, _Loosening] = {}
    for row in rows:
        if row.decided_by is not None and row.decided_by.key not in found and (values := explainer.loose_values(row)):
            found[row.decided_by.key] = _Loosening(row, values[0], whose)
    return list(found.values())


def _smallest(
    here: Simulation, ask: Ask, some: Sequence[_Loosening], expected_ms: int | None = None
) -> Incremental[list[_Loosening]]:
    """Return a set of loosenings all of which the ask needs to start (sooner): it is one-minimal, not smallest."""

    def is_enough(fewer: Sequence[_Loosening]) -> Incremental[bool]:
        return starts_sooner(here, ask, partial(_loosen, some=fewer), expected_ms)

    return (yield from one_minimal(some, is_enough))


def _loosen(copy: Simulation, some: Sequence[_Loosening]) -> None:
    for loosening in some:
        explainer_of(copy).loosen(loosening.ask, loosening.row, loosening.value)


PASSED: Final = 10  # Number of decisions in favour of later applications from which waiting counts as starving

KILLED: Final = 16  # Applications killed in one piece

SHORT: Final = 25  # Pieces of lookahead before it is tried whether applications that never end decide it alone

MOST_PASSING: Final = 5  # Number of decisions that passed it which a proof names


def verdicts(
    basis: SharedLookahead,
    number: int,
    passed: tuple[OvertakingReport, ...] = (),
    told: Callable[[Verdict], None] | None = None,
    *,
    names_causes: bool = True,
) -> Incremental[tuple[Verdict, ...]]:
    """Find the verdict on each ask of an application that waits, by priority.

    `passed` are the decisions that passed it before the instant, as of `passed_by`. The verdict on a single ask is
    `told` as soon as it is known, before the holders of what it needs. Holders and deciding settings are looked for
    only where a proof `names_causes`, as that takes a closed world for each.
    """
    while not basis.advance():
        yield
    found: tuple[Verdict, ...] = ()
    priorities = explainer_of(basis.base_copy).priorities(number) or (None,)
    for priority in priorities:
        telling = told if len(priorities) == 1 else None
        inquiry = _AskInquiry(basis, number, priority, passed, telling, names_causes)
        found = (*found, (yield from inquiry.find()))
    return found


def worst_verdict(
    basis: SharedLookahead, number: int, *, names_causes: bool = True
) -> Incremental[tuple[Verdict, str]]:
    """The verdict on the ask of an application that fares worst, and the pattern it is in; all as of `verdicts`."""
    found = yield from verdicts(basis, number, names_causes=names_causes)
    verdict = max(found, key=severity_key)
    return verdict, (yield from explainer_of(basis.base_copy).pattern(basis, number, verdict))


class _AskInquiry:
    """Finds the verdict on one ask, in the closed world of a basis that is copied already."""

    def __init__(
        self,
        basis: SharedLookahead,
        number: int,
        priority: int | None,
        passed: tuple[OvertakingReport, ...],
        told: Callable[[Verdict], None] | None,
        names_causes: bool,
    ) -> None:
        self._basis = basis
        self._names_causes = names_causes
        self._number = number
        self._priority = priority
        self._passed = passed
        self._told = told
        self._ask = (number, priority)

    def find(self) -> Incremental[Verdict]:
        number, priority = self._number, self._priority
        answers = self._basis.base_copy.control_plane.answers
        if answers and (yield from explainer_of(self._basis.base_copy).is_too_large(number, priority)):  # at once
            bound = yield from self._bound()
            if bound is not None:
                return self._verdict("impossible", bound=bound)
        ahead, pieces = self._basis.ahead, 0
        while not ahead.is_settled(number, priority) and not ahead.advance():
            pieces += 1
            if pieces == SHORT and (kept := (yield from self._kept())) is not None:
                return kept
            yield
        served = ahead.start_of(number, priority)
        if served is not None:
            is_passed = len(self._passed) >= PASSED and served.time_ms - ahead.from_ms > LONG_MS
            is_starving = is_passed and not self._has_its_part()
            return self._verdict("starving" if is_starving else "waiting", passed_by=self._passed[-MOST_PASSING:])
        if number in ahead.over_ms:
            return self._verdict("none")
        return (yield from self._unserved(ahead))

    def _unserved(self, ahead: Lookahead) -> Incremental[Verdict]:
        """The verdict on an ask of a live application that the closed world gave nothing to its end."""
        end = ahead.simulation
        if not end.control_plane.answers or not any(map(is_in_service, end.world.nodes)):
            return self._verdict("outage")
        if self._is_withdrawn(end):
            return self._verdict("none")
        cycle, keepers = (yield from self._cycle()) if ahead.still else ((), set[int]())
        if cycle:  # it would end if that were broken, so it is not impossible
            is_given = ahead.allocations > 0
            return self._verdict("starving" if is_given else "deadlocked", cycle=cycle, passed_by=self._latest())
        bound = yield from self._bound()
        if bound is not None:
            return self._verdict("impossible", bound=bound)
        if not ahead.still:
            passed_by = self._latest(later_than(self._basis.base_copy, self._number))
            is_starving = bool(passed_by) and not self._has_its_part()
            return self._verdict("starving" if is_starving else "later", passed_by=passed_by)
        return (yield from self._never(keepers))

    def _has_its_part(self) -> bool:
        return has_its_part(snapshot_of_simulation(self._basis.base_copy), self._number)

    def _is_withdrawn(self, end: Simulation) -> bool:
        """Tell whether the application lives to the end of the closed world and does not ask for it any more then."""
        master = end.world.masters.get(self._number)
        if master is not None and master.stage in (WAITING, GONE):
            return False  # its attempt is lost, and another one would ask again
        if self._priority is not None:
            return not explainer_of(end).is_due(self._number, self._priority)
        application = end.control_plane.view().application(self._number)
        return application is not None and not application.waits

    def _bound(self) -> Incremental[tuple[ObstacleRow, ...] | None]:
        """Find the obstacles when it is alone in the cluster; None when it is given something then."""
        number, priority = self._number, self._priority
        alone = yield from isolated_lookahead(self._basis.base_copy, number)
        while not alone.is_settled(number, priority) and not alone.advance():
            yield
        if alone.is_settled(number, priority):
            alone.simulation.discard()
            return None
        if not self._names_causes:
            return ()
        rows = yield from explainer_of(alone.simulation).obstacles(number, priority)
        rows = tuple(row for row in rows if row.code != ALL_ITS_OWN)
        return (yield from with_confirmed_settings(alone.simulation, self._ask, rows, None))

    def _kept(self) -> Incremental[Verdict | None]:
        """The verdict `blocked`, where applications that wait for nothing are enough to keep it from ever starting.

        In a closed world with only them and this ask it gets nothing, so with others beside them it gets nothing
        either. Preemption is the exception, as it may depend on how full a cluster is. None there, and wherever they
        leave room.
        """
        here, number, priority = self._basis.base_copy, self._number, self._priority
        view = here.control_plane.view()
        keepers = {each.number for each in view.applications() if not each.waits and each.number != number}
        if not keepers or view.modes().preemption is True or not here.control_plane.answers:
            return None
        explainer = explainer_of(here)
        lasting = keepers - _ending(here)
        if explainer.without_room((number,), lasting):
            keepers = lasting  # they suffice, and in a world without the others nothing takes long
        elif not explainer.without_room((number,), keepers):
            rows = yield from explainer.obstacles(number, priority)
            if not any(row.level == "QUEUE" for row in rows):
                return None
        world = yield from isolated_lookahead(here, number, keepers)
        explainer_of(world.simulation).drop_other_asks(number, priority)
        world.simulation.changed()
        while not world.is_settled(number, priority) and not world.advance():
            yield
        if world.is_settled(number, priority) or not world.still:
            return None
        bound = yield from self._bound()
        if bound is not None:
            return self._verdict("impossible", bound=bound)
        self._tell_blocked(world)
        if not self._names_causes:
            return self._verdict("blocked", world=world)
        ends = yield from self._waits(world.simulation).ends_of(number, keepers.__contains__)
        keeping = yield from confirmed(here, self._ask, ends, None)
        keeping = keeping or (yield from confirmed(world.simulation, self._ask, ends, None))
        return self._verdict("blocked", ends=keeping, world=world)

    def _tell_blocked(self, world: Lookahead | None = None) -> None:
        if self._told is not None:
            self._told(self._verdict("blocked", world=world))

    def _never(self, keepers: Collection[int]) -> Incremental[Verdict]:
        """It never starts, would start alone, and is in no cycle: finds the applications that keep it from starting."""
        self._tell_blocked()
        if not self._names_causes:
            return self._verdict("blocked")
        waits = self._waits(self._basis.ahead.simulation)
        rests: dict[int, bool] = {}
        reached = [self._number]
        for number in reached:  # asked one by one, so that what follows is known already
            if number not in rests:
                holds = yield from waits.of(number)
                rests[number] = all(hold.application == number for hold in holds)  # or it waits for itself alone
                reached += [hold.application for hold in holds]
        ends = yield from waits.ends_of(self._number, rests.__getitem__)
        ends = ends or (yield from waits.ends_of(self._number, keepers.__contains__))
        keeping = yield from confirmed(self._basis.base_copy, self._ask, ends, None)
        if not keeping:  # the others it waits for, then applications that may come before it
            others = dict.fromkeys((*reached, *self._asking()))
            keeping = yield from confirmed(self._basis.base_copy, self._ask, tuple(others), None)
        own = (self._number,) if self._number in keepers and not keeping else ()
        return self._verdict("blocked", ends=(*own, *keeping))

    def _asking(self) -> list[int]:
        applications = self._basis.ahead.simulation.control_plane.view().applications()
        return [each.number for each in applications if each.waits and each.number != self._number]

    def _cycle(self) -> Incremental[tuple[tuple[WaitEdge, ...], set[int]]]:
        """A cycle of applications that would all end if it were broken, and the applications that never will.

        In a world that is still, an application that waits for nothing never ends, and neither does one that would not
        end beside only these. A deadlock is never about any of them.
        """
        still = self._basis.ahead.simulation
        waits = self._waits(still)
        keepers = {each.number for each in still.control_plane.view().applications() if not each.waits}
        beside_whom: dict[int, int] = {}  # which would end, and how many keepers there were when that was found
        while cycle := tuple((yield from waits.cycle_from(self._number))):
            members = [self._number, *(step.application for step in cycle)]  # the one that asks may spare it
            unknown = [each for each in members if each not in beside_whom]
            stale = [each for each in members if beside_whom.get(each, len(keepers)) < len(keepers)]
            if not unknown and not stale:
                break
            number = (unknown or stale)[0]
            beside_whom[number] = len(keepers)
            if not (yield from self._ends_beside(number, keepers)):
                keepers.add(number)
                waits.keeps(number)
        return cycle, keepers

    def _ends_beside(self, number: int, keepers: Collection[int]) -> Incremental[bool]:
        """Tell whether an application would end at the end of the closed world, with only some others beside it."""
        ahead, key = self._basis.ahead, (number, frozenset(keepers))
        if key not in ahead.ends_beside:
            world = yield from isolated_lookahead(ahead.simulation, number, keepers)
            while number not in world.over_ms and not world.advance():
                yield
            ahead.ends_beside[key] = number in world.over_ms
            world.simulation.discard()
        return ahead.ends_beside[key]

    def _waits(self, simulation: Simulation) -> WaitForGraph:
        explainer = explainer_of(simulation)

        def holds(number: int) -> Incremental[list[BlockingResources]]:
            return explainer.holds(number, self._priority if number == self._number else None)

        return WaitForGraph(holds)

    def _latest(self, some: Collection[int] | None = None) -> tuple[OvertakingReport, ...]:
        latest = [*self._basis.ahead.latest][-MOST_PASSING:]
        found = [each for each in latest if some is None or owner_of(each[1].container) in some]
        return _passing(self._basis.base_copy, found)

    def _verdict(
        self,
        verdict: str,
        *,
        cycle: tuple[WaitEdge, ...] = (),
        ends: tuple[int, ...] = (),
        passed_by: tuple[OvertakingReport, ...] = (),
        bound: tuple[ObstacleRow, ...] = (),
        world: Lookahead | None = None,
    ) -> Verdict:
        ahead, number = world or self._basis.ahead, self._number
        served = ahead.start_of(number, self._priority)
        start_ms = served.time_ms if served is not None else None
        over_ms = ahead.over_ms.get(number) if start_ms is None else None
        seen_ms = over_ms if start_ms is None else start_ms  # others may have played what they share further
        proof = Proof(
            from_ms=ahead.from_ms,
            looked_until_ms=ahead.now_ms if seen_ms is None else seen_ms,
            allocations=served.allocations if served is not None else ahead.before.get(number, ahead.allocations),
            last_allocation_ms=ahead.last_ms if seen_ms is None else start_ms,
            still=ahead.still and seen_ms is None,
            cycle=cycle,
            ends=ends,
            passed_by=passed_by,
            bound=bound,
            over_ms=over_ms,
            fails=over_ms is not None and number in ahead.failed,
        )
        return Verdict(verdict, start_ms, proof, self._priority)


def _ending(simulation: Simulation) -> set[int]:
    heap = simulation.world.clock.heap
    ends = {event[4] for event in heap if event[3] == CONTAINER_ENDS}
    return ends | {event[2] for event in heap if event[3] == TASK_ENDS}


def isolated_lookahead(simulation: Simulation, number: int, others: Collection[int] = ()) -> Incremental[Lookahead]:
    """A closed world in which all applications but one and some others have just been killed.

    Where the control plane is away, they are killed as soon as it answers. The last one submitted is killed first, so
    that none starts in place of one that ends. Applications parked to the end stay, as they are in no one's way:
    CapacityScheduler 3.4 forgets the user of a parked application that ends, and allocates nothing to that user any
    more.
    """
    ahead = yield from ahead_of(simulation)
    while not ahead.simulation.control_plane.answers and not ahead.advance():
        yield
    rest = [each.number for each in reversed(simulation.control_plane.view().applications())]
    rest = [each for each in rest if each != number and each not in others]
    while True:
        parked = ahead.simulation.control_plane.view().policy.parked()
        killed = [each for each in rest if each not in parked]
        if not killed:
            return ahead
        for place in range(0, len(killed), KILLED):
            if place:
                yield
            _ = ahead.simulation.act_all(map(KillApplication, killed[place : place + KILLED]))
        rest = [each for each in rest if each in parked]


def overtaking_allocations(simulation: Simulation, number: int, facts: RecentDecisions) -> tuple[OvertakingReport, ...]:
    """Decisions in favour of applications submitted later, since it has been waiting at least `LONG_MS`."""
    view = simulation.control_plane.view()
    own = view.application(number)
    since_ms = own.waiting_since_ms if own is not None else None
    if own is None or since_ms is None or simulation.now_ms - since_ms < LONG_MS:
        return ()
    later = later_than(simulation, number)
    return _passing(simulation, facts.passing(number, since_ms, later))


def later_than(simulation: Simulation, number: int) -> frozenset[int]:
    """Numbers of the applications, ended ones too, that were submitted later than a live one."""
    view = simulation.control_plane.view()
    own = view.application(number)
    others = [(each.number, each.submitted_ms) for each in view.applications()]
    since_ms = own.submitted_ms if own is not None else simulation.now_ms
    return frozenset(other for other, submitted_ms in (*others, *view.ended()) if submitted_ms > since_ms)


def _passing(simulation: Simulation, decisions: Iterable[tuple[int, Allocated]]) -> tuple[OvertakingReport, ...]:
    name = simulation.control_plane.view().application_id
    return tuple(
        OvertakingReport(at_ms=time_ms, application=name(each.container[0]), node=each.node, memory_mb=each.memory_mb)
        for time_ms, each in decisions
    )
