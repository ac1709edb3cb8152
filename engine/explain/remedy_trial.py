"""Tries one remedy on a copy: when its applications start, what it frees, which others it delays, what work is lost.

Everything is compared with the closed world without the remedy, the `Baseline`, as far as both were played.
"""

from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final, cast

import msgspec

from engine.control_plane.spark_cluster_view import SparkClusterView, wanted_shapes
from engine.explain.counterfactuals import GAIN_MS, NEARLY_ALL, SLOW_MS, Ask, Lookahead, gain_of
from engine.explain.remedy import AGAIN_MS, Remedy
from engine.incremental import Incremental
from engine.model.decision import Allocated, Completed, ContainerId, Killed
from engine.observe.snapshots import RunningContainer, held_now, loses_work, snapshot_of
from engine.scenario.acts import KillApplication, SubmitApplication
from engine.schedulers.interface import Unknown
from engine.schedulers.spark.scheduling_pass import DRIVER_ATTEMPT
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation
from engine.simulation.spark_world import SparkWorld

FOLLOW_MS: Final = 30 * 60_000  # Time over which the worlds with and without a remedy are compared at least [ms]

LAST_MS: Final = 60_000  # Time in which an application that got something is to get more [ms]

ACT_MS: Final = 1
"""Time after the instant at which a remedy is done [ms]: before anything else of its instant, as a step of a script."""


class Baseline(msgspec.Struct, frozen=True):
    """The closed world without any act, as far as it was played."""

    from_ms: int
    until_ms: int  # Instant up to which it was played [epoch ms]
    ends: bool  # True if nothing can come after that
    starts: dict[Ask, int]  # When each ask in question is given something [epoch ms]
    first: dict[int, int]  # When each application is first given something [epoch ms]
    over_ms: dict[int, int]  # When each application ends [epoch ms]
    lost_ms: int  # Run time of containers that are preempted or lost [container ms]
    lost_containers: int
    losing: tuple[int, ...] = ()  # As of `Lookahead`
    unheard: tuple[int, ...] = ()  # As of `Lookahead`
    wanted: dict[Ask, int] = {}  # As of `Lookahead`


class Start(msgspec.Struct, frozen=True):
    """An application that a remedy starts."""

    application: int
    start_ms: int  # When it is given something [epoch ms]
    expected_ms: int | None  # When it would be without the remedy [epoch ms]; None when not as far as was looked
    is_last: bool = False  # True if it waits for more, and is given nothing else as far as was played


class Delay(msgspec.Struct, frozen=True):
    """An application that starts or ends later because of a remedy."""

    application: int
    by_ms: int
    is_least: bool  # True if it has not started, or ended, as far as was looked, so that it is at least that much


class Trial(msgspec.Struct, frozen=True):
    """The result of a remedy."""

    remedy: Remedy
    starts: tuple[Start, ...] = ()  # Applications it is for that start by it, the soonest first
    also_start: int = 0
    """Number of others that are given something by it and nothing without it, as far as both were played."""
    frees_mb: int = 0
    frees_vcores: int = 0
    drops: int = 0  # Reservations gone at once
    delays: tuple[Delay, ...] = ()  # The longest first
    lost_containers: int = 0
    lost_drivers: int = 0  # Drivers of a Spark Master that its act ends
    lost_ms: int = 0  # Run time of containers killed by it, and preempted or lost because of it [container ms]
    until_ms: int = 0  # Instant up to which it was played [epoch ms]
    refused: str = ""  # Why the control plane does not take it; empty when it does
    given: int = 0  # Containers given to the applications it is for, as far as was played
    is_whole: bool = False
    """True if it was played until all had started, or nothing more could come; else others may start later."""
    is_least: bool = True  # True if no smaller value helps; False while that is not known
    alike: tuple[Remedy, ...] = ()  # Others of its family that do the same
    then: tuple[SubmitApplication, ...] = ()  # What is done `AGAIN_MS` after its act
    numbers: dict[int, int] = {}  # Old numbers of the applications that are submitted again, and their new ones

    @property
    def helps(self) -> bool:
        return bool(self.starts)

    @property
    def is_last(self) -> bool:
        """Tell whether an application that starts is given one container alone, like a master that then waits on."""
        return any(each.is_last for each in self.starts)

    @property
    def start_ms(self) -> int:
        """Return when the first of them starts [epoch ms]."""
        return self.starts[0].start_ms

    @property
    def harm_s(self) -> int:
        """The harm it does: run time lost by containers and time lost by others, summed up [s]."""
        return (self.lost_ms + sum(each.by_ms for each in self.delays)) // 1000


class Losses:
    """Listens to a closed world for work that is thrown away."""

    def __init__(self, held: Mapping[ContainerId, RunningContainer]) -> None:
        """Know since when everything runs that runs now, as of `held_now`; many worlds share that."""
        self._held = ChainMap[ContainerId, RunningContainer]({}, cast("dict[ContainerId, RunningContainer]", held))
        self._acting = False
        self._killed: int | None = None
        """Number of a job that was killed; trackers end its containers with their next reports."""
        self.containers = 0
        self.drivers = 0  # Drivers of a Spark Master that the act itself ended
        self.lost_ms = 0  # Run time [container ms]
        self.freed_mb = self.freed_vcores = 0  # Resources of the containers that the act itself ended

    def act(self, simulation: Simulation, remedy: Remedy) -> str:
        """Do what a remedy says; why it is refused, or nothing."""
        self._acting = True
        answer = simulation.act(remedy.act)
        self._acting = False
        if remedy.kind == "kill" and not answer.rejected:
            self._killed = with_driven(simulation, remedy.application)[-1]
        return answer.detail or answer.rejected

    def held_mb(self, number: int) -> int:
        """Return what an application held at the instant [MB]."""
        return sum(held.memory_mb for container, held in self._held.maps[-1].items() if container[0] == number)

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated):
                self._held[record.container] = RunningContainer(time_ms, record.memory_mb, record.vcores)
            elif isinstance(record, Killed | Completed) and self._loses(record):
                self._lose(record, time_ms)

    def _loses(self, record: Killed | Completed) -> bool:
        return loses_work(record) or (self._acting if isinstance(record, Completed) else self._is_of_act(record))

    def _is_of_act(self, record: Killed | Completed) -> bool:
        """Tell whether the act ended it; what goes with its silent node was to be lost anyway, and frees nothing."""
        is_reported = isinstance(record, Completed) or record.cause != "LOST"
        return self._acting or (is_reported and record.container[0] == self._killed)

    def _lose(self, record: Killed | Completed, time_ms: int) -> None:
        held = self._held.get(record.container)
        is_of_act = self._is_of_act(record)
        if held is None or (is_of_act and held.since_ms == time_ms):  # work begun by the act itself is no loss
            return
        self.containers += 1
        self.lost_ms += time_ms - held.since_ms
        if is_of_act:
            self.drivers += record.container[1] == DRIVER_ATTEMPT
            self.freed_mb += held.memory_mb
            self.freed_vcores += held.vcores


class BaselineRun:
    """The closed world without any act, played as far as remedies are compared with it."""

    def __init__(
        self,
        simulation: Simulation,
        losing: tuple[int, ...] = (),
        unheard: tuple[int, ...] = (),
        wanted: dict[Ask, int] | None = None,
    ) -> None:
        """Begin; `simulation` is a closed copy of the instant, which is used up."""
        self.ahead = Lookahead(simulation, is_own=True, losing=losing, unheard=unheard, wanted=wanted)
        self._losing, self._unheard, self._wanted = losing, unheard, wanted or {}
        self.targets: tuple[Ask, ...] = ()  # Asks that remedies are looked for; set when they are known
        self._losses = Losses(_on_live_nodes(simulation))
        simulation.listeners.append(self._losses)

    def play(self, pieces: int, asks: Sequence[Ask]) -> Incremental[None]:
        """Play on for some pieces, until some asks are settled and everything can be compared."""
        ahead = self.ahead

        def is_enough() -> bool:
            return ahead.now_ms - ahead.from_ms >= FOLLOW_MS and all(ahead.is_settled(*each) for each in asks)

        for _ in range(pieces):
            if is_enough() or ahead.advance(is_enough):
                return
            yield

    def baseline(self) -> Baseline:
        ahead = self.ahead
        return Baseline(
            from_ms=ahead.from_ms,
            until_ms=ahead.now_ms,
            ends=ahead.over,
            starts=starts_of(ahead, self.targets),
            first=dict(ahead.first),
            over_ms=dict(ahead.over_ms),
            lost_ms=self._losses.lost_ms,
            lost_containers=self._losses.containers,
            losing=self._losing,
            unheard=self._unheard,
            wanted=self._wanted,
        )


def starts_of(ahead: Lookahead, targets: Sequence[Ask]) -> dict[Ask, int]:
    """Return when each of some asks was first given something [epoch ms]; asks that got nothing are left out."""
    return {each: served.time_ms for each in targets if (served := ahead.start_of(*each)) is not None}


def wanted_of(ahead: Lookahead, targets: Sequence[Ask]) -> dict[Ask, int]:
    """Return nearly all the containers that a single ask was given which is slow, not stuck; nothing of any other.

    The last one may be kept for other reasons, as by a reservation.
    """
    starts = starts_of(ahead, targets)
    is_slow = len(targets) == len(starts) == 1 and starts[targets[0]] - ahead.from_ms < SLOW_MS
    counts = {ask: ahead.given_for[ask] - ahead.given_for[ask] // NEARLY_ALL for ask in targets if is_slow}
    return {ask: count for ask, count in counts.items() if count > 1}


def then_of(simulation: Simulation, remedy: Remedy) -> tuple[SubmitApplication, ...]:
    """Return the submissions that follow the act of a remedy, by `Remedy.again`; asked before that."""
    specs = (simulation.world.specification_of(number) for number in remedy.again)
    return tuple(SubmitApplication.of(spec.model_copy(update={"number": None})) for spec in specs if spec is not None)


def submit_again(simulation: Simulation, then: Sequence[SubmitApplication]) -> list[int]:
    """Submit applications again that an act has just lost; their new numbers."""
    if then:
        simulation.run_before(simulation.now_ms + AGAIN_MS)
    first = simulation.world.next_application
    for submission in then:
        _ = simulation.act(submission)
    return list(range(first, first + len(then)))


def tried(
    here: Simulation,
    targets: Sequence[Ask],
    remedy: Remedy,
    base: Baseline,
    pieces: int,
    *,
    follow_ms: int = FOLLOW_MS,
) -> Incremental[Trial | None]:
    """Try a remedy on a copy of an instant, beside what comes without it; None when more is needed to know if it helps.

    It is played for some pieces at most and, also when all have started, for `follow_ms` at least.
    """
    simulation = yield from here.fork_in_steps()
    try:
        return (
            yield from _tried_on(
                simulation, Losses(_held(here, here.state_key())), targets, remedy, base, pieces, follow_ms
            )
        )
    finally:
        # A copy is a large cycle: hundreds of them would wait for the collector.
        simulation.discard()


@lru_cache(maxsize=2)  # the same for all that is tried at an instant, and in a smaller world of it
def _held(here: Simulation, state: tuple[object, ...]) -> Mapping[ContainerId, RunningContainer]:
    return _on_live_nodes(here)


def _on_live_nodes(simulation: Simulation) -> Mapping[ContainerId, RunningContainer]:
    """What runs now; what a ResourceManager still believes on a node that is down was lost with it."""
    down = {node.id for node in simulation.world.nodes if not node.up}
    return {container: held for container, held in held_now(simulation).items() if held.node not in down}


def _tried_on(
    simulation: Simulation,
    losses: Losses,
    targets: Sequence[Ask],
    remedy: Remedy,
    base: Baseline,
    pieces: int,
    follow_ms: int,
) -> Incremental[Trial | None]:
    simulation.listeners.append(losses)
    # As a step of a script would be: before anything else of that instant.
    simulation.run_before(simulation.now_ms + ACT_MS)
    view = simulation.control_plane.view()
    reserved = view.figures().nodes_reserved
    ahead = Lookahead(simulation, is_own=True, losing=base.losing, unheard=base.unheard, wanted=base.wanted)
    then = then_of(simulation, remedy)
    if refused := losses.act(simulation, remedy):
        return Trial(remedy, refused=refused)
    numbers = dict(zip(remedy.again, submit_again(simulation, then), strict=True))
    if numbers:
        targets = [(numbers.get(number, number), priority) for number, priority in targets]
        starts_ms = {(numbers.get(each[0], each[0]), each[1]): time_ms for each, time_ms in base.starts.items()}
        base = msgspec.structs.replace(base, starts=starts_ms)
    drops = _dropped(reserved, view.figures().nodes_reserved)
    is_decided = partial(_is_decided, ahead, targets, base, follow_ms)
    for _ in range(pieces):
        if is_decided() or ahead.advance(is_decided):
            break
        yield
    else:
        if not is_decided() and not starts_of(ahead, targets):
            return None
    killed = with_driven(simulation, remedy.application) if isinstance(remedy.act, KillApplication) else ()
    meant = _meant(targets, killed, losses, drops)
    if not (starts := _starts(ahead, meant, base)):
        # A start later than what is known without the act may come from the act, or may come anyway.
        is_open = not base.ends and starts_of(ahead, meant).keys() - base.starts.keys()
        return None if is_open else Trial(remedy, until_ms=ahead.now_ms)
    own = {*killed, *numbers, *(number for number, _ in targets)}
    before = {new: old for old, new in numbers.items()}
    is_compared = ahead.now_ms >= base.until_ms  # else what was lost without the act may come after it
    lost_ms = max(0, losses.lost_ms - (base.lost_ms if is_compared else 0))
    lost = max(0, losses.containers - (base.lost_containers if is_compared else 0)) if lost_ms else 0
    return Trial(
        remedy,
        starts=tuple(msgspec.structs.replace(e, application=before.get(e.application, e.application)) for e in starts),
        also_start=len(ahead.first.keys() - base.first.keys() - own),
        frees_mb=losses.freed_mb,
        frees_vcores=losses.freed_vcores,
        drops=drops,
        delays=delays((base.first, base.over_ms), (ahead.first, ahead.over_ms), ahead.now_ms, own),
        lost_containers=lost,
        lost_drivers=min(lost, losses.drivers),
        lost_ms=lost_ms,
        until_ms=ahead.now_ms,
        given=sum(ahead.given[number] for number, _ in targets),
        is_whole=ahead.over or all(ahead.is_settled(*each) for each in targets),
        then=then,
        numbers=numbers,
    )


def _meant(targets: Sequence[Ask], killed: Collection[int], losses: Losses, drops: int) -> Sequence[Ask]:
    """The asks that an act is for.

    An application that waits, too, and holds less is not killed for one that holds more, unless its reservations are in
    the way.
    """
    others = [each for each in targets if each[0] not in killed]
    if len(others) == len(targets) or losses.containers <= drops:
        return others
    return [each for each in others if losses.held_mb(each[0]) <= losses.freed_mb]


def _is_decided(ahead: Lookahead, targets: Sequence[Ask], base: Baseline, follow_ms: int) -> bool:
    missing = 0
    for target in targets:
        if ahead.is_settled(*target):
            continue
        # An application that has not started by the time it would have started anyway is not helped.
        if target not in base.starts or ahead.now_ms < base.starts[target]:
            return False
        missing += 1
    return 0 < missing == len(targets) or ahead.now_ms - ahead.from_ms >= follow_ms


def _starts(ahead: Lookahead, targets: Sequence[Ask], base: Baseline) -> tuple[Start, ...]:
    found = []
    for target, start_ms in starts_of(ahead, targets).items():
        number, expected_ms = target[0], base.starts.get(target)
        is_never = expected_ms is None and (base.ends or number in base.losing)
        by_ms = base.until_ms if expected_ms is None else expected_ms
        if is_never or by_ms - start_ms >= gain_of(by_ms - base.from_ms):
            both = with_driven(ahead.simulation, number)
            is_known = ahead.over or ahead.now_ms - start_ms >= LAST_MS
            is_last = is_known and sum(ahead.given[each] for each in both) == 1
            found.append(Start(number, start_ms, expected_ms, is_last and waits_on(ahead.simulation, both)))
    return tuple(sorted(found, key=lambda each: each.start_ms))


def with_driven(simulation: Simulation, number: int) -> tuple[int, ...]:
    """An application; or a driver of a Spark Master, and the application that it has registered."""
    world = simulation.world
    driven = world.driven.get(-1 - number) if isinstance(world, SparkWorld) else None
    return (number,) if driven is None else (number, driven)


def waits_on(simulation: Simulation, numbers: Sequence[int]) -> bool:
    """Tell whether applications that have something still wait for more."""
    found = map(simulation.control_plane.view().application, numbers)
    return any(each is not None and each.waits for each in found)


def pending(simulation: Simulation, target: Ask) -> int:
    """Return how many containers an ask still wants; 1 where that is not told."""
    rows = snapshot_of(simulation).applications(why=False)
    row = next((each for each in rows if each.number == target[0]), None)
    asks = [] if row is None else [each.count for each in row.listed_asks if target[1] in (None, each.priority)]
    return sum(asks) or 1


def largest_ask(simulation: Simulation) -> int:
    """The largest container that somebody waits for or a node is reserved for [MB]; 0 when there is none."""
    snapshot = snapshot_of(simulation)
    rows = snapshot.applications(why=False)
    asked = [ask.size[0] for row in rows for ask in row.listed_asks]
    reserved = [held.memory_mb for held in simulation.control_plane.view().reservations()]
    return max([*asked, *reserved], default=0)


def has_share(simulation: Simulation, asks: Iterable[Ask], given: Callable[[int], int], cores: int) -> bool:
    """Tell whether each that asks a Spark Master was given so many cores, or has all it asks for."""
    view = simulation.control_plane.view()
    live = view.cluster.applications if isinstance(view, SparkClusterView) else {}
    asking = [with_driven(simulation, number) for number in {number for number, _ in asks}]
    short = [number for both in asking if sum(map(given, both)) < cores for number in both]
    return not any(wanted_shapes(live[number]) for number in short if number in live)


def _dropped(before: int | Unknown, after: int | Unknown) -> int:
    return max(0, before - after) if isinstance(before, int) and isinstance(after, int) else 0


Ends = tuple[Mapping[int, int], Mapping[int, int]]
"""When each application is first given something, and when it ends [epoch ms]."""


def delays(then: Ends, now: Ends, until_ms: int, without: Collection[int]) -> tuple[Delay, ...]:
    """Return the applications that start or end later in one world than in another, the longest delay first.

    Both worlds count as far as both go. `without` are reported elsewhere; so is an application that ends without having
    been given anything.
    """
    found: dict[int, Delay] = {}
    for before, after in zip(then, now, strict=True):
        for number, expected_ms in before.items():
            delay = Delay(number, after.get(number, until_ms) - expected_ms, number not in after)
            is_told = number in without or (delay.is_least and number in now[1])
            if not is_told and delay.by_ms >= GAIN_MS and (number not in found or found[number].by_ms < delay.by_ms):
                found[number] = delay
    return tuple(sorted(found.values(), key=lambda each: (-each.by_ms, each.application)))
