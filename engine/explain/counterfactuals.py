"""The closed world: a copy of a simulation that runs on without arrivals, faults and operators.

Every verdict and expected start is defined on it. It is driven in small pieces (`advance`): the caller decides how much
is done at a time, and the result does not depend on the pieces.

It is *still* when nothing can happen any more: only heartbeats and passes are left on the clock, and they have changed
only reservations for longer than any timer of the scheduler, and for as many rounds as an application may let offers
pass to get a better place. It need not be still at the horizon: whatever has not happened by then comes later, or
never.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import Final, NamedTuple

from engine.control_plane.protocol import ControlPlane
from engine.explain.obstacles import TRIED_TOGETHER, ObstacleRow
from engine.incremental import Incremental, one_minimal
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
from engine.model.java_values import INT_MAX
from engine.model.ledger import Attempt
from engine.model.request import OFF_SWITCH
from engine.scenario.acts import (
    Act,
    KillApplication,
    KillContainer,
    ResizeNode,
    SetPreemption,
    SetQueueSetting,
    SetReservationRule,
    SetSetting,
)
from engine.schedulers.fair.settings import FairAllocation
from engine.schedulers.fair.view import USER_MAX_APPS_DEFAULT
from engine.schedulers.obstacle_texts import Reason
from engine.schedulers.yarn_scheduler import YarnScheduler
from engine.settings.capacity import TUNABLE as CAPACITY_TUNABLE
from engine.settings.fair import PREEMPTION, RESERVABLE_NODES, RESERVATION_RULE, UTILIZATION_THRESHOLD
from engine.settings.site import NODE_MEMORY, NODE_VCORES, SLOW_START
from engine.settings.tunable_yarn import FAIR, Tunable, ValueChoices
from engine.simulation.heartbeats import rest_until_changed
from engine.simulation.records import Record
from engine.simulation.simulation import Simulation
from engine.simulation.world import (
    ARRIVAL,
    FAULT,
    JOB_TRACKER_STARTS,
    LONE_HEARTBEAT,
    PASS_RUNS,
    RESOURCE_MANAGER_STARTS,
    ROUND,
    TRACKER_HEARTBEAT,
)
from engine.workload.mapreduce import MapReduceMaster
from engine.workload.master import HUNG

ROUNDS: Final = 10  # Rounds of heartbeats without effect after which counters of missed opportunities can bring no more

HORIZON_MS: Final = 24 * 3_600_000  # Time it looks ahead at most [ms]

HANDFUL: Final = 4  # Events between two looks at whether it is over, at most

SPAN_MS: Final = 30_000  # Time between two looks, at most [simulated ms]

LOOKS: Final = 16  # Looks after events in one piece of work

STARTS: Final = (RESOURCE_MANAGER_STARTS, JOB_TRACKER_STARTS)  # Events that end an outage of a control plane

_AIMLESS: Final = (ROUND, LONE_HEARTBEAT, PASS_RUNS, TRACKER_HEARTBEAT, ARRIVAL, FAULT)
_IDLE: Final = frozenset({Reserved, Unreserved, Warned})


HELD_BEFORE: Final = -1  # The priority noted for containers held before

Ask = tuple[int, int | None]  # An application, and the priority of what it asks for; None for all it asks for


def _never() -> bool:
    return False


class FirstAllocation(NamedTuple):
    """The first container of an ask."""

    time_ms: int  # When [epoch ms]
    allocations: int  # Number of containers allocated by then, that one included


class Stillness:
    """Tells whether nothing can happen any more in a run but what comes from outside; a listener."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._moved_ms = self._again_ms = simulation.now_ms
        """When something happened last, and when it may be still at the earliest: before, somebody waits for a better
        place [epoch ms]."""
        self._recorded_ms = self._rested_ms = simulation.now_ms
        """When anything was recorded last, and when it was last asked whether heartbeats bring nothing [epoch ms]."""

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._recorded_ms = time_ms
        if not _IDLE.issuperset(map(type, records)):
            self._moved_ms = time_ms

    @cached_property
    def patience_ms(self) -> int:
        """Return the `patience_ms` once a change at the beginning is made, as it may set other timers."""
        return patience_ms(self._simulation.control_plane, self._simulation.world.ground.heartbeat_ms)

    @property
    def due_ms(self) -> int:
        """Return when it is still, at the earliest, if nothing happens before [epoch ms]."""
        return max(self._moved_ms + self.patience_ms + 1, self._again_ms)

    @property
    def is_aimless(self) -> bool:
        """Tell whether only heartbeats and passes are left on the clock, but for what comes from outside."""
        world = self._simulation.world
        # A node that is drained beats for nothing while its last containers go on.
        return not world.has_news() and all(event[3] in _AIMLESS for event in world.clock.heap)

    def holds(self) -> bool:
        world, now_ms = self._simulation.world, self._simulation.now_ms
        if now_ms < self.due_ms:
            return False
        if not world.control_plane.answers:  # tries to reach it bring nothing before it starts
            return all(event[3] not in STARTS for event in world.clock.heap)
        if not self.is_aimless:
            return False
        self._again_ms = now_ms + self.patience_ms
        return now_ms - self._moved_ms > self._enough_ms()

    def is_idle(self) -> bool:
        """Tell whether heartbeats and passes are known to bring nothing before something else happens."""
        now_ms = self._simulation.now_ms
        if now_ms <= max(self._recorded_ms, self._rested_ms) + self.patience_ms:
            return False
        self._rested_ms = now_ms
        is_enough = now_ms - self._recorded_ms > self._enough_ms()
        return is_enough and not self._simulation.control_plane.view().repeats(now_ms)

    def _enough_ms(self) -> int:
        """Return how long heartbeats must have brought nothing so that they never will [ms]."""
        # An application that lets offers pass may be offered only one node a round, when all others are held.
        offers = self._simulation.control_plane.view().delay_offers(self._simulation.now_ms)
        return self.patience_ms + offers * self._simulation.world.ground.heartbeat_ms


class Lookahead:
    """A closed-world copy that runs on, and what it has seen."""

    def __init__(
        self,
        simulation: Simulation,
        horizon_ms: int = HORIZON_MS,
        *,
        is_own: bool = False,
        is_shared: bool = False,
        losing: Collection[int] = (),
        unheard: Collection[int] = (),
        wanted: Mapping[Ask, int] | None = None,
    ) -> None:
        """Copy a simulation, between two instants and not from within a listener; the original is not touched.

        A closed copy of the caller's own (`is_own`) is played itself. A copy that `is_shared` by questions at later
        instants keeps its records, so that it can `count_from` each. `losing` are applications that lose again and
        again what they are given: for them only a container that ends by itself counts as given. The same counts for
        applications that are `unheard` of, as no control plane answers. An ask of which so many containers are `wanted`
        counts as served with the last of them.
        """
        self.simulation = simulation if is_own else simulation.fork(closed=True)
        world = self.simulation.world
        world.ground = world.ground._replace(naive=False)
        self.simulation.listeners.append(self)
        self._horizon_ms = horizon_ms
        self.begun_ms = simulation.now_ms  # When it was copied [epoch ms]
        self._stillness = Stillness(self.simulation)
        self.still = False  # True if nothing can happen any more
        self.ends_beside: dict[tuple[int, frozenset[int]], bool] = {}
        """Which applications would end once it is still, with only some others beside them, as far as asked."""
        self._is_shared = is_shared
        self._log: list[tuple[int, Sequence[Record]]] = []
        self._unused: set[ContainerId] = set()  # Containers given to a master that hung, which did not use them
        self._losing, self._ending = frozenset(losing), frozenset((*losing, *unheard))
        self._wanted: Mapping[Ask, int] = wanted or {}
        self.count_from(self.begun_ms)

    def count_from(self, time_ms: int) -> None:
        """From now on count what comes after an instant [epoch ms] up to which it was played, and end later."""
        self.from_ms = time_ms
        self.end_ms = time_ms + self._horizon_ms
        self.first: dict[int, int] = {}  # When each application was first given something [epoch ms]
        self.served: dict[tuple[int, int], FirstAllocation] = {}
        """When each ask (application, priority) was first given something."""
        self.before: dict[int, int] = {}  # Number of containers allocated by the end of each application that ended
        self.ended: dict[ContainerId, int] = {}
        """When each container ended [epoch ms], first: a JobTracker that starts again gives names again."""
        self.over_ms: dict[int, int] = {}  # When each application ended [epoch ms]
        self.failed: set[int] = set()
        """The ones that did not end well: they failed, or were lost with their control plane."""
        self.preempted_ms: int | None = None  # When a container was first preempted [epoch ms]; None when none was
        self.latest: deque[tuple[int, Allocated]] = deque(maxlen=32)  # The last allocations, oldest first
        self.allocations = 0
        self.last_ms: int | None = None  # When something was last allocated; None when never
        self.given: Counter[int] = Counter()  # Number of containers allocated to each application
        self.given_for: Counter[Ask] = Counter()  # The same for each ask
        self.latest_of: dict[int, int] = {}  # When something was last allocated to each application [epoch ms]
        self._unsure: dict[ContainerId, tuple[tuple[int, int], FirstAllocation]] = {}
        """Containers that may be lost again, each with its ask."""
        self._log = [each for each in self._log if each[0] > time_ms]
        for entry in self._log:
            self._take(*entry)

    @property
    def now_ms(self) -> int:
        """Return the instant it has reached [epoch ms]."""
        return self.simulation.now_ms

    @property
    def over(self) -> bool:
        """Tell whether there is nothing more to see: it is still, or the horizon is reached."""
        return self.still or self.now_ms >= self.end_ms

    def on_records(self, time_ms: int, records: Sequence[Record]) -> None:
        self._unused.update(each.container for each in records if isinstance(each, Allocated) and self._is_unused(each))
        if self._is_shared:
            self._log.append((time_ms, records))
        self._take(time_ms, records)
        self._stillness.on_records(time_ms, records)

    def _take(self, time_ms: int, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Allocated):
                self.latest.append((time_ms, record))
                self.allocations += 1
                self.last_ms = time_ms
                ask = (owner_of(record.container), record.priority)
                self.latest_of[ask[0]] = time_ms
                self.given[ask[0]] += 1
                self.given_for[ask] += 1
                is_enough = self.given_for[ask] >= self._wanted.get(ask, 1)
                if is_enough and ask not in self.served and record.container not in self._unused:
                    self._serve(record.container, ask, FirstAllocation(time_ms, self.allocations))
            elif isinstance(record, Ended | Killed):
                self._note_end(record, time_ms)
            elif isinstance(record, ApplicationTransitioned) and record.is_end:
                self.over_ms[record.application] = time_ms
                if record.state == "FAILED":
                    self.failed.add(record.application)
                self.before.setdefault(record.application, self.allocations)

    def _is_unused(self, record: Allocated) -> bool:
        """Tell whether a container is given to a master that hangs, which does not use it."""
        master = self.simulation.world.masters.get(owner_of(record.container))
        return master is not None and master.stage == HUNG and master.attempt == record.container[1]

    def _serve(self, container: ContainerId, ask: tuple[int, int], given: FirstAllocation) -> None:
        if ask[0] in self._losing:
            self._unsure[container] = (ask, given)
        else:
            self.served[ask] = given
            self.first.setdefault(ask[0], given.time_ms)

    def _note_end(self, record: Ended | Killed, time_ms: int) -> None:
        self.ended.setdefault(record.container, time_ms)
        held = ((owner_of(record.container), HELD_BEFORE), FirstAllocation(time_ms, self.allocations))
        ask, given = self._unsure.pop(record.container, held)
        if ask[0] in self._ending and isinstance(record, Ended):
            self.served.setdefault(ask, given)
            self.first.setdefault(ask[0], given.time_ms)
        if self.preempted_ms is None and isinstance(record, Killed) and record.cause == "PREEMPTED":
            self.preempted_ms = time_ms

    def is_given_after(self, time_ms: int) -> bool:
        """Tell whether something was allocated after an instant [epoch ms]."""
        return self.last_ms is not None and self.last_ms > time_ms

    def advance(self, is_known: Callable[[], bool] = _never) -> bool:
        """Let some events happen, until what is asked `is_known`; time that passes without one is no work.

        Returns:
            Whether it is over.
        """
        simulation, looks = self.simulation, 0
        while looks < LOOKS and not self.over and not is_known():
            until_ms = min(self.end_ms, self.now_ms + SPAN_MS)
            next_ms = simulation.next_event_ms()
            looks += next_ms is not None and next_ms <= until_ms
            if not simulation.run_events(HANDFUL, until_ms):
                simulation.run_until(until_ms)
            self.still = self._stillness.holds()
            if self._stillness.is_idle():
                rest_until_changed(simulation.world)
        return self.over

    def start_of(self, number: int, priority: int | None) -> FirstAllocation | None:
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


def ahead_of(
    simulation: Simulation, horizon_ms: int = HORIZON_MS, *, is_shared: bool = False
) -> Incremental[Lookahead]:
    """A closed world that begins where a simulation stands, which must stand still while it is copied in pieces."""
    copy = yield from simulation.fork_in_steps(closed=True)
    return Lookahead(copy, horizon_ms, is_own=True, is_shared=is_shared)


def patience_ms(control_plane: ControlPlane, heartbeat_ms: int) -> int:
    """After how long without effect heartbeats and passes will never have any [ms]."""
    return ROUNDS * heartbeat_ms + control_plane.view().longest_timer_ms()


# Finds the applications whose end would start a waiting one; each that is named makes a difference.
#
# Each suspect is killed in a closed world of its own. Where the end of no single one helps, a smallest set is looked
# for without which the application starts.

GAIN_MS: Final = 1000  # Less than that sooner is no help [ms]

GAIN_PART: Final = 20  # Nor is less than this part of the wait that is left

SLOW_MS: Final = 5_000
"""An application that gets something within this is slow, not stuck: it is judged by many containers [ms]."""

PIECES: Final = 1_200
"""Pieces of work for all suspects of one question, shared out alike; a suspect that takes longer is not confirmed."""

SETTING_PIECES: Final = (100, 400)  # The least and the most pieces of work for each setting

NODE_PIECES: Final = 40_000  # The same times nodes in between: on few nodes a long wait is seen whole

SUSPECTS: Final = 12  # Number of suspects that are tried, the first ones; the others are not named

FEW: Final = 4
"""Number of them that are tried first where there are more; if one of these matters, the others are not named."""


def confirmed(
    here: Simulation, ask: Ask, suspects: Sequence[int], expected_ms: int | None
) -> Incremental[tuple[int, ...]]:
    """Return the applications without which another one starts sooner, in their order.

    These are all whose end alone helps or, where there is none, a smallest set whose end helps together; empty where
    even the end of all does not help. `suspects` come sorted, the likeliest first; without any change the ask starts at
    `expected_ms`, None when never. `here` must stand still while it is copied.
    """

    def is_enough(some: Sequence[int]) -> Incremental[bool]:
        return starts_sooner(here, ask, partial(_kill, numbers=some), expected_ms, PIECES // SUSPECTS)

    tried = tuple(each for each in suspects[:SUSPECTS] if each != ask[0])
    is_many = len(suspects) > SUSPECTS
    helps: dict[int, bool] = {}
    for suspect in tried:
        # The first ones seem to matter most; a crowd behind them is not tried once one of them counts.
        if is_many and len(helps) >= FEW and any(helps.values()):
            return tuple(number for number, is_needed in helps.items() if is_needed)
        helps[suspect] = yield from is_enough((suspect,))
    # Together they are tried only where no single end is enough.
    alone = [each for each in tried if helps[each]]
    if alone or len(tried) < 2 or not (yield from is_enough(tried)):
        return tuple(alone)
    return tuple((yield from one_minimal(tried, is_enough)))


def gain_of(wait_ms: int) -> int:
    """Return how much sooner an application that waits so long has to start for a change to count as a help [ms].

    >>> gain_of(4_000), gain_of(300_000)
    (1000, 15000)
    """
    return max(GAIN_MS, wait_ms // GAIN_PART)


HALF: Final = 2
NEARLY_ALL: Final = 10
"""A smaller value may lose one part in this many of what the furthest value gains: half where it takes machines or
takes from others, else a tenth."""


def is_near(start_ms: int, best_ms: int, expected_ms: int, parts: int) -> bool:
    """Tell whether a start is near enough to the best there is, beside the one that is expected without a change.

    >>> [is_near(start_ms, 0, 100, NEARLY_ALL) for start_ms in (10, 11)]
    [True, False]
    >>> [is_near(start_ms, 0, 100, HALF) for start_ms in (50, 51)]
    [True, False]
    """
    return parts * (start_ms - best_ms) <= expected_ms - best_ms


def starts_sooner(
    here: Simulation, ask: Ask, change: Callable[[Simulation], None], expected_ms: int | None, pieces: int | None = None
) -> Incremental[bool]:
    """Tell whether an ask is given something, and sooner than expected, in a closed world that begins with a change.

    `here` must stand still while it is copied; an ask that never starts is expected at None.
    """
    ahead = yield from played_with(here, ask, change, expected_ms, pieces)
    served = ahead.start_of(*ask)
    ahead.simulation.discard()
    return served is not None and (expected_ms is None or served.time_ms < expected_ms)


def is_never_without(here: Simulation, ask: Ask, numbers: Sequence[int]) -> Incremental[bool]:
    """Tell whether an ask is seen to be never given anything, also when some applications end at once.

    Where others go on for long it is not seen. `here` must stand still while it is copied.
    """
    ahead = yield from played_with(here, ask, partial(_kill, numbers=numbers), None, PIECES // SUSPECTS)
    ahead.simulation.discard()
    return ahead.still and not ahead.is_settled(*ask)


def played_with(
    here: Simulation, ask: Ask, change: Callable[[Simulation], None], expected_ms: int | None, pieces: int | None = None
) -> Incremental[Lookahead]:
    """The closed world that begins with a change, played until an ask is settled or it can start no sooner.

    It is played for so many pieces of work at most; None is as many as for a setting.
    """
    if pieces is None:
        least, most = SETTING_PIECES
        pieces = max(least, min(most, NODE_PIECES // max(1, len(here.world.nodes))))
    horizon_ms = HORIZON_MS if expected_ms is None else max(0, expected_ms - here.now_ms - 1)
    ahead = yield from ahead_of(here, horizon_ms)
    change(ahead.simulation)
    for _ in range(pieces):
        if ahead.is_settled(*ask) or ahead.advance():
            break
        yield
    return ahead


def _kill(copy: Simulation, numbers: Collection[int]) -> None:
    _ = copy.act_all(map(KillApplication, numbers))


# Settings of YARN made as loose as they can be, on a copy, to see whether they decide anything.
#
# What can only be changed before a scheduler starts is not changed; the copy is given the state that the loose setting
# would have led to.

LARGE_MB: Final = 1 << 24
LARGE_VCORES: Final = 1 << 14

_TABLES: Final = (*CAPACITY_TUNABLE, *FAIR)  # Rows of the settings that decide obstacles

_UNBOUNDED: Final = {"users": "1", "apps": str(INT_MAX), "all_resources": f"{INT_MAX} mb, {INT_MAX} vcores"}
"""Bound of a limit that is a figure of the cluster → the loosest value."""


def _loosest(row: Tunable) -> tuple[str, ...]:
    """The value of a row that goes furthest, or all there are to choose from; none where a cluster lists them."""
    vary = row.vary
    if isinstance(vary, ValueChoices):
        return tuple(each for each in vary.values if not each.startswith("@"))
    bound = vary.free or _UNBOUNDED.get(vary.bound, vary.bound)
    return (str(vary.scale) if vary.way == "sooner" else bound,)


class LoosenedCopy:
    """A copy in which one setting is loosened, for one waiting attempt."""

    def __init__(self, simulation: Simulation, scheduler: YarnScheduler, attempt: Attempt, ask: Ask) -> None:
        self._simulation = simulation
        self._scheduler = scheduler
        self._attempt = attempt
        self._ask = ask

    def loosen(self, row: ObstacleRow, value: str) -> None:
        """Give the setting that decides an obstacle a value of `loose_values`."""
        assert row.decided_by is not None, "there is a setting to loosen"
        key = row.decided_by.key
        if (special := _SPECIAL.get(key)) is not None:
            special(self, row)
        elif key in _ACTS:
            self._simulation.act(_ACTS[key])
        elif "locality" in key:
            for group in self._attempt.groups.values():
                group.missed_opportunities, group.allowed_locality = LARGE_VCORES, OFF_SWITCH
            self._scheduler.cluster.version += 1
        elif key.startswith("yarn."):
            self._simulation.act(SetSetting(key, value))
        elif key.startswith("user ") or key == USER_MAX_APPS_DEFAULT:
            self._unlimit_user(self._attempt.user)
        else:
            path, _, element = key.rpartition(".")
            self._simulation.act(SetQueueSetting(path, element, value))
        self._simulation.changed()

    def relax(self, _: ObstacleRow) -> None:
        """Have what is asked for taken anywhere."""
        for group in self._attempt.groups.values():
            if self._ask[1] in (None, group.priority):
                for request in group.by_name.values():
                    request.relax_locality = True
        self._scheduler.cluster.version += 1

    def clear_blacklist(self, _: ObstacleRow) -> None:
        self._attempt.blacklist.clear()
        self._scheduler.cluster.version += 1

    def end_early_reduces(self, _: ObstacleRow) -> None:
        """Have no reduce run, or asked for, while maps of its job are still to come."""
        masters = [each for each in self._simulation.world.masters.values() if isinstance(each, MapReduceMaster)]
        held = [container for master in masters for container in master.hold_reduces()]
        self._simulation.act_all(map(KillContainer, held))

    def enlarge(self, row: ObstacleRow) -> None:
        """Give the nodes of a row more of the resource that its setting is about than any ask can need."""
        is_memory = row.decided_by is not None and row.decided_by.key == NODE_MEMORY.name
        memory_mb, vcores = (LARGE_MB, 0) if is_memory else (0, LARGE_VCORES)
        nodes = [node for node in self._simulation.world.nodes if node.host in row.nodes]
        self._simulation.act_all(
            [ResizeNode(node.id, node.memory_mb + memory_mb, node.vcores + vcores) for node in nodes]
        )

    def _unlimit_user(self, user: str) -> None:
        allocation = self._scheduler.policy.view().allocation()
        if isinstance(allocation, FairAllocation):
            loose = allocation.copy()
            loose.user_max_running_apps = {**loose.user_max_running_apps, user: INT_MAX}
            self._scheduler.policy.reload(loose, self._simulation.now_ms)


_SPECIAL: Final[Mapping[str, Callable[[LoosenedCopy, ObstacleRow], None]]] = {
    NODE_MEMORY.name: LoosenedCopy.enlarge,
    NODE_VCORES.name: LoosenedCopy.enlarge,
    "relaxLocality": LoosenedCopy.relax,
    "blacklist": LoosenedCopy.clear_blacklist,
    SLOW_START: LoosenedCopy.end_early_reduces,
}
"""Key → how it is loosened, where no act does it."""

_ACTS: Final[Mapping[str, Act]] = {
    RESERVATION_RULE.name: SetReservationRule("off"),
    RESERVABLE_NODES.name: SetSetting("reservation.ratio", "1.0"),
    PREEMPTION.name: SetPreemption(True),
    UTILIZATION_THRESHOLD.name: SetSetting("preemption.threshold", "0"),
}
"""Key of a setting that is in no file which is read again → the act that loosens it."""


def loose_values(row: ObstacleRow) -> Sequence[str]:
    """The values to try for the setting of an obstacle, but for the present one; one of no meaning where it is not set.

    None where it has no setting, or one of which nothing looser is known.
    """
    if row.decided_by is None:
        return ()
    key, value = row.decided_by
    if key in _SPECIAL or key in _ACTS or "locality" in key:
        return ("",)
    names = (key, key.rpartition(".")[2])
    code = Reason.DOES_NOT_FIT.name if row.code in TRIED_TOGETHER else row.code
    rows = [each for each in _TABLES if each.key in names and not each.is_cap]
    # A row about the application that comes first has the setting that keeps that application waiting.
    loose = [_loosest(each) for each in [each for each in rows if code in each.governs] or rows]
    return [each for each in dict.fromkeys(chain.from_iterable(loose)) if each != value]
