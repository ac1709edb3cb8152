"""An instant of a scenario, rebuilt by replay, with what the scheduler decided in the round of offers before it."""

from collections.abc import Generator, Sequence
from typing import Final, NamedTuple

from engine.errors import RefusedError
from engine.explain.alert import PREEMPTIONS
from engine.explain.counterfactuals import Ask, Lookahead, ahead_of
from engine.explain.recent_decisions import Departure, RecentDecisions
from engine.incremental import Incremental, Task
from engine.model.decision import Allocated, ApplicationTransitioned, Completed, ContainerId, Killed, owner_of
from engine.observe.snapshot import ApplicationRow
from engine.observe.snapshots import snapshot_of
from engine.run.expectations import find_application
from engine.run.player import Run
from engine.run.run_reader import KeptRun, replayed
from engine.scenario import Scenario
from engine.simulation.build import build_simulation, replay_on
from engine.simulation.heartbeats import restart_rounds, wake_rounds
from engine.simulation.records import Acted, DriverQueued, Listener, Record, Submitted
from engine.simulation.simulation import Simulation
from engine.simulation.timeline import Timeline

WORTH_MS: Final = 1000  # Waits shorter than that are not looked for [ms]


class WaitInterval(NamedTuple):
    """A stretch of time in which an application asked for more than it had, and was given nothing."""

    from_ms: int
    until_ms: int


class LongestWaits:
    """Knows the longest wait of each application that is over, of a simulation that it watches."""

    _simulation: Simulation

    def __init__(self) -> None:
        self._since_ms: dict[int, int] = {}
        self._longest: dict[int, WaitInterval] = {}

    def watch(self, simulation: Simulation) -> None:
        """Listen to a simulation from now on."""
        self._simulation = simulation
        simulation.listeners.append(self)

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        given = {owner_of(record.container) for record in records if isinstance(record, Allocated)}
        ended = {owner_of(record.container) for record in records if isinstance(record, Completed | Killed)}
        view = self._simulation.control_plane.view()
        for number in given | ended | {getattr(record, "application", 0) for record in records}:
            one = view.application(number)
            waits = one is not None and one.waits
            if number in given or not waits:
                self._end(number, time_ms)
            if waits:
                self._since_ms.setdefault(number, time_ms)

    def _end(self, number: int, time_ms: int) -> None:
        since_ms, longest = self._since_ms.pop(number, None), self._longest.get(number)
        if since_ms is None:
            return
        wait = WaitInterval(since_ms, time_ms)
        if longest is None or wait.until_ms - wait.from_ms > longest.until_ms - longest.from_ms:
            self._longest[number] = wait

    def of(self, number: int) -> WaitInterval | None:
        """The longest wait of an application; None when it never waited for long."""
        wait = self._longest.get(number)
        return wait if wait is not None and wait.until_ms - wait.from_ms >= WORTH_MS else None


class Instant(NamedTuple):
    """A run at an instant; it is never played on."""

    simulation: Simulation
    facts: RecentDecisions  # Refusals of the last round of offers, and allocations since the start
    spell: WaitInterval | None = None  # The wait it was chosen for; None when the instant was given


def instant_of(scenario: Scenario, at_ms: int, listeners: Sequence[Listener] = ()) -> Instant:
    """Play a scenario, with its script, up to an instant [ms after the start]; `listeners` hear it.

    Raises:
        ConfigError: The scheduler refuses the scenario's settings.
    """
    facts = RecentDecisions()
    run = Run(scenario, [facts, *listeners], until_ms=max(at_ms, 0))
    run.advance(at_ms - scenario.cluster.heartbeat_ms)
    before = run.simulation.fork()
    run.advance(at_ms)
    facts.take_refusals(last_round(before, run.simulation))
    return Instant(run.simulation, facts)


def last_round(before: Simulation, after: Simulation) -> RecentDecisions:
    """Refusals of the offers from one instant, whose copy is used up, to a later one of the same run; all is played."""
    facts = record_round(before)
    replay_on(before, after.acts, after.now_ms)
    return facts


def record_round(simulation: Simulation) -> RecentDecisions:
    """Have a copy play every heartbeat from now on and tell what it decides."""
    facts = RecentDecisions()
    world = simulation.world
    world.ground = world.ground._replace(naive=True)
    restart_rounds(world)
    wake_rounds(world)
    facts.watch(simulation)
    return facts


def longest_wait(scenario: Scenario, application: str) -> Instant | None:
    """The middle of the longest wait of an application that is over at the scenario's end.

    None when it is not over, never waited long, or is not known; the end is the instant to ask about then.
    """
    run, waits = Run(scenario), LongestWaits()
    waits.watch(run.simulation)
    run.advance(run.until_ms)
    spell = _longest(run.simulation, waits, application)
    if spell is None:
        return None
    return instant_of(scenario, _middle_ms(spell) - scenario.start_ms)._replace(spell=spell)


def kept_instant(kept: KeptRun, time_ms: int, listeners: Sequence[Listener] = ()) -> Instant:
    """Replay a kept run, with what came from outside, to the end of an instant [epoch ms], not after its own end.

    Raises:
        ConfigError: The run is damaged, or this program does not replay it as it was.
    """
    facts = RecentDecisions()
    simulation = replayed(kept, time_ms, [facts, *listeners])
    scenario = kept.scenario()
    earlier_ms = max(time_ms - scenario.cluster.heartbeat_ms, scenario.start_ms)
    before = replay_on(build_simulation(scenario), simulation.acts, earlier_ms)
    facts.take_refusals(last_round(before, simulation))
    return Instant(simulation, facts)


def kept_longest_wait(kept: KeptRun, application: str) -> Instant | None:
    """Return the `longest_wait` of a kept run.

    Raises:
        ConfigError: As `kept_instant`.
    """
    waits = LongestWaits()
    simulation = replayed(kept, kept.info.until_ms, begun=waits.watch)
    spell = _longest(simulation, waits, application)
    return kept_instant(kept, _middle_ms(spell))._replace(spell=spell) if spell is not None else None


def application_at(simulation: Simulation, name: str) -> ApplicationRow:
    """The one application that is meant by an id, a unique end of it, or a name.

    Raises:
        RefusedError: No single one is meant.
    """
    rows = snapshot_of(simulation).applications(why=False)
    row = find_application(rows, name)
    if row is None:
        words = f"no application, or more than one, matches {name} at that instant"
        raise RefusedError("ApplicationNotFoundException", words)
    return row


def gone_at(found: Instant, name: str) -> Departure | None:
    """The application that is meant, where the cluster knows none: one it refused, or lost; None where it knows one."""
    rows = snapshot_of(found.simulation).applications(why=False)
    return found.facts.gone(name) if find_application(rows, name) is None else None


def round_before(timeline: Timeline, time_ms: int, heartbeat_ms: int) -> Generator[int, None, RecentDecisions]:
    """Return the recorded offers of the last round of heartbeats up to the end of an instant [epoch ms]."""
    simulation = yield from timeline.reach(time_ms - heartbeat_ms)
    facts = record_round(simulation)
    for _ in timeline.replay(simulation, time_ms):
        yield simulation.now_ms
    return facts


def wait_of(timeline: Timeline, row: ApplicationRow) -> Generator[int, None, WaitInterval | None]:
    """The longest wait of an application that is over; None when it never waited for long."""
    if row.finished_ms is None:
        return None
    simulation = yield from timeline.reach(row.submitted_ms - 1)
    waits = LongestWaits()
    waits.watch(simulation)
    for _ in timeline.replay(simulation, row.finished_ms):
        yield simulation.now_ms
    return waits.of(row.number)


def _longest(simulation: Simulation, waits: LongestWaits, application: str) -> WaitInterval | None:
    row = find_application(snapshot_of(simulation).applications(why=False), application)
    return waits.of(row.number) if row is not None and row.finished_ms is not None else None


def _middle_ms(spell: WaitInterval) -> int:
    return (spell.from_ms + spell.until_ms) // 2


# Shares one closed world, played ahead from an instant, among all questions at that instant.
#
# A run may go on while it is asked about, so the instant is copied first, in a few pieces; the driver lets the run
# stand until that is done (`copied`). The closed world is the dear part. It is played on by whichever question wants to
# know more, and what one found out the next one need not.

HEAD_OF_LINE: Final = "FIFO head of line"

LIVELOCK: Final = "preemption livelock"  # The one pattern that takes playing on to tell

PARTIES: Final = 2  # Least number of applications that take containers from each other
LIVELOCK_MS: Final = 1_800_000  # Time in which they are looked for [ms]


class _Turn(NamedTuple):
    time_ms: int  # [epoch ms]
    ask: Ask  # Its priority is None of a container whose allocation was not recorded
    container: ContainerId | None  # None: all of the application ended
    is_preempted: bool = False


class Preempted:
    """A listener that counts the containers preempted from each ask, until one of the ask ends by itself."""

    def __init__(self) -> None:
        self._turns: list[_Turn] = []  # Oldest first
        self.counts: dict[Ask, int] = {}  # Containers preempted since one ended by itself
        self.first_ms: dict[Ask, int] = {}  # When the first of them was [epoch ms]
        self.completed: set[Ask] = set()  # Asks of which a container ended by itself
        self._priorities: dict[ContainerId, int] = {}

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated):
                self._priorities[record.container] = record.priority
            elif isinstance(record, (Completed, Killed)):
                self._ended(record, time_ms)
            elif self.counts and isinstance(record, ApplicationTransitioned) and record.is_end:
                self._take(_Turn(time_ms, (record.application, None), None))

    def _ended(self, record: Completed | Killed, time_ms: int) -> None:
        ask = record.container[0], self._priorities.pop(record.container, None)
        if isinstance(record, Completed):
            self.completed.add(ask)
            if ask in self.counts:
                self._take(_Turn(time_ms, ask, record.container))
        elif record.cause == "PREEMPTED":
            self._take(_Turn(time_ms, ask, record.container, is_preempted=True))

    def _take(self, turn: _Turn) -> None:
        self._turns.append(turn)
        if turn.container is None:
            self.counts = {ask: count for ask, count in self.counts.items() if ask[0] != turn.ask[0]}
        elif not turn.is_preempted:
            del self.counts[turn.ask]
        else:
            if turn.ask not in self.counts:
                self.first_ms[turn.ask] = turn.time_ms
            self.counts[turn.ask] = self.counts.get(turn.ask, 0) + 1

    def resumed(self, time_ms: int) -> "Preempted":
        """Return the counts of a run that is taken up again at an earlier instant [epoch ms]."""
        other = Preempted()
        other._priorities = dict(self._priorities)
        for turn in self._turns:
            if turn.time_ms <= time_ms:
                other._take(turn)
            elif turn.container is not None and turn.ask[1] is not None:
                other._priorities[turn.container] = turn.ask[1]
        return other

    def often(self, times: int) -> tuple[int, ...]:
        """Applications with an ask preempted at least so many times since one of it ended by itself."""
        return tuple(sorted({number for (number, _), count in self.counts.items() if count >= times}))


def goes_round(simulation: Simulation, parties: int, within_ms: int = LIVELOCK_MS) -> Incremental[tuple[int, ...]]:
    """Applications whose containers of one ask are preempted again and again in the closed world, while none completes.

    At least `parties` of them; fewer only where no other application is given anything, so that what is taken goes back
    to them. The simulation must stand still while it is copied.
    """
    later, preempted = (yield from ahead_of(simulation, within_ms)), Preempted()
    later.simulation.listeners.append(preempted)
    while later.preempted_ms is None and not later.advance():
        yield
    while len(found := preempted.often(PREEMPTIONS)) < parties and not (found and later.first.keys() <= set(found)):
        if preempted.completed >= preempted.first_ms.keys() or later.advance():
            return ()
        yield
    return found


OUTSIDE: Final = frozenset({Submitted, DriverQueued, Acted})  # Records of what comes from outside

BEHIND_MS: Final = 5_000  # How far a copy may be behind the run, which would be played on for nothing [ms]


class ClosedWorld:
    """The closed world of a run, shared by all questions: one copy, kept until something comes from outside.

    Until then the run does what the copy did, so a later question begins where the last one left off.
    """

    def __init__(self) -> None:
        self.ahead: Lookahead | None = None  # The copy; None where there is none yet
        self.version = 0  # How often something has come from outside
        self._preempted = Preempted()  # What the copy has seen
        self._copying: Task[Lookahead] | None = None
        self._lent: Lookahead | None = None  # The last copy that a question rests on, which may outlive its being kept

    @property
    def copying(self) -> bool:
        """Tell whether the run is being copied, until when it should stand."""
        return self._copying is not None

    @property
    def goes_round(self) -> bool:
        """Tell whether one ask got containers in the copy and lost them to preemption each time, and none ended."""
        some = self._preempted.counts.items()  # the priority of containers given before it began is not known
        return any(priority is not None and count >= PREEMPTIONS for (_, priority), count in some)

    def outdate(self) -> None:
        """Something has come from outside."""
        if self.ahead is not None and self.ahead is not self._lent:
            self.ahead.simulation.discard()
        self.ahead = self._copying = self._lent = None
        self._preempted = Preempted()
        self.version += 1

    def copy_on(self, simulation: Simulation) -> bool:
        """Do a piece of copying where there is no copy, or it is far behind; whether there is one then."""
        if self.ahead is not None and not _is_behind(self.ahead, simulation.now_ms):
            return True
        self._copying = self._copying or Task(ahead_of(simulation, is_shared=True))
        if self._copying.advance():
            self._keep(self._copying.result())
            return True
        return False

    def since(self, here: Simulation, version: int) -> Incremental[Lookahead]:
        """The closed world from an instant on; `here` is a copy of it, and `version` what it was then."""
        if version != self.version:
            return (yield from ahead_of(here))
        ahead = self.ahead
        if ahead is None or ahead.begun_ms > here.now_ms or _is_behind(ahead, here.now_ms):
            ahead = yield from ahead_of(here, is_shared=True)
            if version == self.version:
                self._keep(ahead)
        self._lent = ahead
        while ahead.begun_ms < here.now_ms and ahead.now_ms <= here.now_ms and not ahead.advance():
            yield
        ahead.count_from(here.now_ms)
        return ahead

    def _keep(self, ahead: Lookahead) -> None:
        self.ahead, self._copying, self._preempted = ahead, None, Preempted()
        ahead.simulation.listeners.append(self._preempted)


def _is_behind(ahead: Lookahead, now_ms: int) -> bool:
    return not ahead.over and ahead.now_ms < now_ms - BEHIND_MS


def _itself(simulation: Simulation) -> Incremental[Simulation]:
    yield from ()
    return simulation


class SharedLookahead:
    """An instant of a run, and what follows from it in the closed world."""

    def __init__(self, simulation: Simulation, world: ClosedWorld | None = None, *, stands: bool = False) -> None:
        """Begin; when the simulation goes on before it is copied, that begins anew, and the instant is a later one.

        `world` is what is known already of the closed world of the run. A simulation that `stands` until all is
        answered needs no copy.
        """
        self._world = world or ClosedWorld()
        self._version = self._world.version
        self._copying = Task(_itself(simulation) if stands else simulation.fork_in_steps(closed=True, stands=True))
        self._meeting = Task(self._meet())
        self._stands_at = simulation.state_key()
        self._livelocked: dict[tuple[int, int], tuple[int, ...]] = {}

    @property
    def copied(self) -> bool:
        """Tell whether the instant is kept, so that the run may go on."""
        return self._copying.done

    def advance(self) -> bool:
        """Do a piece of the copying; whether all of it is done."""
        return self._copying.advance() and self._meeting.advance()

    def _meet(self) -> Incremental[Lookahead]:
        return (yield from self._world.since(self.base_copy, self._version))

    @property
    def base_copy(self) -> Simulation:
        """The instant, which is never played: the run where that stands, else a copy, closed as of `fork`."""
        return self._copying.result()

    @property
    def ahead(self) -> Lookahead:
        """The closed world, as far as anybody has played it."""
        return self._meeting.result()

    def livelocked(self, parties: int = 1, within_ms: int = LIVELOCK_MS) -> Incremental[tuple[int, ...]]:
        """Applications whose containers are preempted again and again from this instant on, as of `goes_round`."""
        if (parties, within_ms) not in self._livelocked:
            self._livelocked[parties, within_ms] = yield from goes_round(self.base_copy, parties, within_ms)
        return self._livelocked[parties, within_ms]

    def is_of(self, simulation: Simulation) -> bool:
        return self._stands_at == simulation.state_key()

    @property
    def reached_ms(self) -> int | None:
        """Return the instant up to which the closed world was played [epoch ms]; None before there is one."""
        return self.ahead.now_ms if self._meeting.done else None
