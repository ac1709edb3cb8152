"""Says of a divergence what each run decided, and which rule says so, by playing the runs once more up to it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from engine.compare.comparison import ApplicationWaits, ComparisonCandidate, LostApplications
from engine.compare.divergences import Divergence
from engine.explain.explainers import explainer_of
from engine.explain.obstacles import HOLDS_NOBODY, ObstacleRow
from engine.explain.outages import waits_of
from engine.explain.why_question import row_of
from engine.grouping import grouped
from engine.incremental import run_to_end
from engine.model.decision import Allocated, ApplicationTransitioned, Decision, Killed, Reserved
from engine.model.request import YARN_DIMENSIONS
from engine.observe.snapshot import Snapshot
from engine.observe.snapshots import terms_for, translate_terms
from engine.run.player import Run
from engine.scenario.scenario import family_of
from engine.schedulers.obstacle_texts import Reason
from engine.settings.site import MINIMUM_MB, YARN_27
from engine.simulation.simulation import Simulation
from engine.units import plural

RESERVES: Final = {
    ("fair", "strict"): "a node without room is reserved for the application it is offered to, without limit",
    ("fair", "limited"): "one application may have a part of the nodes reserved (yarn.scheduler.fair.reservable-nodes)"
    "; in 3.4 only while it starves",
    ("fair", "off"): "no node is reserved",
    ("capacity", ""): "as many nodes are reserved as it wants containers, more only when it waits long",
    ("fifo", ""): "no node is reserved; the first application waits for room",
}
"""(family of the policy, its rule of reservations) → what reserves a node.

Source: FSAppAttempt#reserve, FSAppAttempt#reservationExceedsThreshold, LeafQueue#shouldAllocOrReserveNewContainer.
"""

PASSED: Final = "a node without room for the smallest container is passed over, so it is not reserved"
"""What a node is not reserved by. Source: CapacityScheduler#allocateContainersToNode, ParentQueue#canAssign."""

MOST_PLACES: Final = 4  # Nodes that are named one by one

_ROOM: Final = {Reason.DOES_NOT_FIT.name, Reason.RESERVATION_LIMIT.name}
"""Codes of obstacles that a reservation is made for, or not."""


class SideReason(msgspec.Struct, frozen=True):
    letter: str
    decided: str  # What it decided on the application, e.g. `reserves n6 for 62.5G/4c`; `passes it by` where nothing.
    rule: str
    """What decided that: what was in the way of the application on the node, else in its queue; where a run reserves,
    also what reserves a node. Empty where nothing was in the way."""
    setting: str  # The setting behind that, `key = value`; empty where there is none
    has: int  # Containers allocated to it by then
    reserved: int  # Nodes reserved for it then


class ExplainedDivergence(msgspec.Struct, frozen=True):
    time_ms: int  # Epoch ms
    application: int
    name: str
    user: str
    queue: str
    node: str  # Host of the node that was decided on; empty where none was
    asks: str  # What it asked for then under the first run, e.g. `2 × 62.5G/4c`.
    sides: tuple[SideReason, ...]
    alike_ms: int | None  # When they were alike again [epoch ms]; None when they were not by the end
    dimensions: tuple[str, ...] = YARN_DIMENSIONS  # Of amounts under the first run


def partings_of(
    contestants: Sequence[ComparisonCandidate],
    divergences: Sequence[Divergence],
    applications: Sequence[ApplicationWaits] = (),
) -> tuple[ExplainedDivergence, ...]:
    """The reasons of divergences, in order of time; `applications` names those that no run knows yet just before."""
    stands = [_Stand(each, contestants[0].scenario.start_ms) for each in contestants]
    rows = {row.number: row for row in applications}
    return tuple(_parting(each, stands, rows.get(each.application)) for each in divergences)


def snapshots_at(contestants: Sequence[ComparisonCandidate], time_ms: int) -> tuple[Snapshot, ...]:
    """Every run as it stands just after an instant of the first [epoch ms]; each is played up to it."""
    found = []
    for each in contestants:
        run = Run(each.scenario, is_judged=False)
        run.advance(time_ms - contestants[0].scenario.start_ms)
        found.append(run.snapshot())
    return tuple(found)


class _Stand:  # One run, which goes on from one divergence to the next
    def __init__(self, contestant: ComparisonCandidate, start_ms: int) -> None:
        self.letter, self.policy = contestant.letter, contestant.scenario.scheduler
        self._settings, self._start_ms = contestant.scenario.settings, start_ms
        self._losses = LostApplications()
        self._run = Run(contestant.scenario, [self._losses], is_judged=False)

    @property
    def dimensions(self) -> tuple[str, ...]:
        return tuple(self._run.simulation.control_plane.dimensions)

    def refusal(self, number: int) -> str:
        return self._losses.reason_of.get(number, "")

    def has_no_room(self, node: str) -> bool:
        """Tell whether a node, `host:port`, has less memory free than the smallest container."""
        least_mb = int(self._settings.get(MINIMUM_MB.name, YARN_27.default(MINIMUM_MB)))
        return any(each.id == node and each.free[0] < least_mb for each in self._run.snapshot().nodes())

    def before(self, time_ms: int) -> Simulation:
        """The simulation just before the events of an instant [epoch ms]."""
        self._run.advance(max(self._run.now_ms, time_ms - self._start_ms - 1))
        return self._run.simulation


def _parting(divergence: Divergence, stands: Sequence[_Stand], named: ApplicationWaits | None) -> ExplainedDivergence:
    rows = [row_of(each.before(divergence.time_ms), divergence.application) for each in stands]
    asking = next((row for row in rows if row is not None), None)
    known = asking or named
    host = divergence.node.rpartition(":")[0]
    dimensions = stands[0].dimensions
    return ExplainedDivergence(
        divergence.time_ms,
        divergence.application,
        "" if known is None else known.name,
        "" if known is None else known.user,
        "" if known is None else known.queue,
        host,
        ", ".join(
            f"{ask.count} × {size_words(ask.size, dimensions)}" for ask in (asking.listed_asks[:2] if asking else ())
        ),
        tuple(_side(each, divergence) for each in stands),
        divergence.alike_ms,
        dimensions,
    )


def size_words(size: Sequence[int], dimensions: Sequence[str]) -> str:
    """A size in few words.

    >>> size_words((64000, 4), ("memory_mb", "vcores")), size_words((0, 1), ("map_slots", "reduce_slots"))
    ('62.5G/4c', '1 reduce')
    """
    if "map_slots" in dimensions:
        kinds = zip(size, ("map", "reduce"), strict=False)
        return " and ".join(plural(slots, kind) for slots, kind in kinds if slots)
    memory_mb, vcores = size[:2]
    gigabytes = memory_mb / 1024
    return f"{gigabytes:.1f}".removesuffix(".0") + f"G/{vcores}c" if memory_mb >= 1024 else f"{memory_mb}M/{vcores}c"


def _side(stand: _Stand, divergence: Divergence) -> SideReason:
    letter, number = stand.letter, divergence.application
    decisions = divergence.decisions.get(letter, ())
    allocated, reserved, *_ = divergence.stands.get(letter, (0, 0, 0, 0))
    simulation = stand.before(divergence.time_ms)
    if not decisions and not _asks(simulation, number):
        simulation = simulation.fork()  # It may ask at that instant, before what the other run decides
        simulation.run_until(divergence.time_ms)
    is_told = any(isinstance(each, Allocated | ApplicationTransitioned | Killed) for each in decisions)
    row = None if is_told or _taken(divergence) else _obstacle(simulation, divergence, letter)
    rule = _reserves(stand, simulation, divergence) if _is_about_reservations(divergence, letter, row) else ""
    decider = None if row is None or rule else row.decided_by
    setting = "" if decider is None else f"{decider.key} = {decider.value}" if decider.value else decider.key
    return SideReason(
        letter,
        "; ".join(_decided(decisions, stand.dimensions)) or _passing(stand, simulation, divergence),
        "; ".join(filter(None, (stand.refusal(number), "" if row is None else row.sentence, rule))),
        setting,
        allocated,
        reserved,
    )


def _asks(simulation: Simulation, number: int) -> bool:
    row = row_of(simulation, number)
    return row is not None and bool(row.listed_asks)


def _obstacle(simulation: Simulation, divergence: Divergence, letter: str) -> ObstacleRow | None:
    # Obstacles on every node first, as a scheduler checks them first; then those of this node. An application that
    # reserves a node has passed what holds everywhere
    number, host = divergence.application, divergence.node.rpartition(":")[0]
    found = (*waits_of(simulation, number), *run_to_end(explainer_of(simulation).obstacles(number)))
    rows = [row for row in found if row.code not in HOLDS_NOBODY]
    here = next((row for row in rows if host and host in row.nodes), None)
    reserves = any(isinstance(each, Reserved) for each in divergence.decisions.get(letter, ()))
    everywhere = next((row for row in rows[:1] if not row.nodes and not reserves), None)
    return everywhere or here or next(iter(rows), None)


def _passing(stand: _Stand, simulation: Simulation, divergence: Divergence) -> str:
    number = divergence.application
    if stand.refusal(number):
        return "refused it when it was submitted"
    row, words = row_of(simulation, number), terms_for(stand.dimensions)
    if row is None:
        return f"knows no such {words.application} then"
    if row.finished_ms is not None:
        return f"has it {row.state} by then"
    if taken := _taken(divergence):
        return f"has it {row.state} then" if ApplicationTransitioned in taken else f"takes no {words.container} from it"
    return "passes it by" if row.listed_asks else "is asked for nothing more by it then"


def _taken(divergence: Divergence) -> set[type]:
    """Kinds of decisions by which runs only took containers or ended the application; else none."""
    found = {type(each) for some in divergence.decisions.values() for each in some}
    return found if found <= {Killed, ApplicationTransitioned} else set()


def _is_about_reservations(divergence: Divergence, letter: str, row: ObstacleRow | None) -> bool:
    own = divergence.decisions.get(letter, ())
    if any(isinstance(each, Allocated) for each in own):
        return False
    if not any(isinstance(each, Reserved) for each in own) and (row is None or row.code not in _ROOM):
        return False
    return any(isinstance(each, Reserved) for some in divergence.decisions.values() for each in some)


def _reserves(stand: _Stand, simulation: Simulation, divergence: Divergence) -> str:
    family = family_of(stand.policy)
    is_reserving = any(isinstance(each, Reserved) for each in divergence.decisions.get(stand.letter, ()))
    if family == "capacity" and not is_reserving and stand.has_no_room(divergence.node):
        return PASSED
    rule = simulation.control_plane.view().modes().reservation_rule
    return RESERVES.get((family, rule if isinstance(rule, str) else ""), "")


def _decided(decisions: Sequence[Decision], dimensions: Sequence[str]) -> Iterator[str]:
    by_kind = grouped((_words(each, dimensions), getattr(each, "node", "").rpartition(":")[0]) for each in decisions)
    for (done, why), hosts in by_kind.items():
        places = Counter(hosts)
        if len(places) > MOST_PLACES:
            places = Counter({plural(len(places), terms_for(dimensions).node): len(hosts)})
        for place, count in places.items():
            words = f"{done} {place}{why}" if place else f"{done}{why}"
            yield words if count == 1 else f"{words}, {count} times"


def _words(decision: Decision, dimensions: Sequence[str]) -> tuple[str, str]:
    """What stands before the node it is about, and what after."""
    match decision:
        case Allocated():
            return f"gives it {size_words((decision.memory_mb, decision.vcores), dimensions)} on", ""
        case Reserved():
            return "reserves", f" for {size_words((decision.memory_mb, decision.vcores), dimensions)}"
        case Killed():
            taken = translate_terms("takes a container from it on", terms_for(dimensions))
            return taken, f" ({decision.cause})"
        case ApplicationTransitioned():
            return f"ends it {decision.state}", f": {decision.detail}" if decision.detail else ""
        case _:
            return "drops its reservation of", ""
