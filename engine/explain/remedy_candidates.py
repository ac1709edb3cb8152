"""Lists the remedies to try for an application: every act an operator has, those that free what it needs first.

An act that the control plane refuses is no remedy; the trial finds that out, and the report gives the reason. Dropping
a reservation is no remedy: no real control plane can be asked to, but draining its node does the same. Settings,
priorities and moves come from the tables of what may be varied.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.control_plane.cluster_view import ApplicationSummary, ClusterView
from engine.control_plane.job_tracker_view import JobTrackerView
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.explain.change import Candidate, ValuePlace
from engine.explain.counterfactuals import Ask
from engine.explain.explainers import explainer_of
from engine.explain.obstacles import labels_asked
from engine.explain.outages import is_lossy
from engine.explain.remedy import Remedy, RemedyRange, only
from engine.explain.remedy_trial import Baseline, BaselineRun, tried, with_driven
from engine.explain.tunable_places import Setup
from engine.explain.tunable_values import Possibilities
from engine.explain.verdict_search import isolated_lookahead
from engine.incremental import Incremental, run_to_end
from engine.model.ledger import Node
from engine.observe.snapshots import snapshot_of
from engine.observe.spark_snapshot import StandaloneRow
from engine.scenario import acts
from engine.scenario.acts import KillApplication, SetPreemption
from engine.scenario.cluster import DEFAULT_PORT
from engine.schedulers.fair.settings import QUEUE_SETTINGS, parse_resources
from engine.schedulers.mr1.settings import POOL_ELEMENTS
from engine.settings.capacity import MONITORS
from engine.settings.capacity_queue import CAPACITY
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.fair import PREEMPTION, RESERVATION_RULE
from engine.settings.tunable_yarn import GROUPS, Ladder, Tunable
from engine.simulation.node_manager import NodeManager
from engine.simulation.simulation import Simulation
from engine.simulation.spark_world import SparkWorld
from engine.simulation.world import World
from engine.workload.master import HUNG

# What may be changed of an instant while the cluster runs: the rows of the tables that an act can change there.
#
# The values of a family are places in the list of values to try, from 1 on; 0 is what is in force. Of an amount of
# memory and vcores each is searched by itself.

_WAITING: Final = frozenset[str]().union(*GROUPS.values())  # Every code of an obstacle of a live application

_SWITCHES: Final[Mapping[str, Callable[[str], acts.Act]]] = {
    PREEMPTION.name: lambda value: acts.SetPreemption(value == "true"),
    MONITORS.name: lambda value: acts.SetPreemption(value == "true"),
    RESERVATION_RULE.name: acts.SetReservationRule,
}
"""Switches of a whole scheduler → the act that throws one while it runs."""


def settings_for(simulation: Simulation, numbers: Sequence[int]) -> list[RemedyRange]:
    """Every value that an act changes and that governs a wait of one of the first of some applications; each once."""
    found: dict[tuple[Tunable, ValuePlace], list[RemedyRange]] = {}
    for number in numbers[:VARIED]:
        for candidate, families in setting_families(simulation, number):
            _ = found.setdefault((candidate.tunable, candidate.place), families)
    return [each for families in found.values() for each in families]


def setting_families(simulation: Simulation, number: int) -> Iterator[tuple[Candidate, list[RemedyRange]]]:
    """Every value that an act changes and that governs a wait of an application."""
    view, control_plane = simulation.control_plane.view(), simulation.control_plane
    possible = Possibilities(simulation, Setup(control_plane.name, settings_of(simulation)), number)
    codes = _WAITING
    if view.kind == JobTrackerView.kind:  # its plays are dear, so that what governs nothing in the way is left out
        codes = frozenset(row.code for row in run_to_end(explainer_of(simulation).obstacles(number)))
    for varied in [_movable(view, candidate) for candidate in possible.candidates(codes)]:
        is_paired = varied.tunable.key == str(CAPACITY)
        if is_paired or (varied.tunable.needs and not view.modes().preemption) or varied.tunable.is_cap:
            continue  # it is refused alone, it has no effect, or none yet
        remedy = _maker(view, varied, number)
        if remedy is not None:
            yield varied, list(_families(varied, remedy))


def _movable(view: ClusterView, each: Candidate) -> Candidate:
    """A candidate without queues that are not there: an application moves only to one that is."""
    if each.tunable.key != "queue":
        return each
    names = {view.policy.queue_name(queue.path) for queue in view.policy.queues()}
    return each._replace(values=tuple(value for value in each.values if value in names))


def settings_of(simulation: Simulation) -> Mapping[str, str]:
    """The settings of the whole scheduler that a control plane was started with; none where it does not tell them."""
    control_plane = simulation.control_plane
    holder = getattr(control_plane, "configuration", None) or getattr(control_plane.view(), "cluster", None)
    return getattr(holder, "settings", {})


def switches(simulation: Simulation) -> Iterator[RemedyRange]:
    """Switches of the whole scheduler alone."""
    setup = Setup(simulation.control_plane.name, settings_of(simulation))
    view = simulation.control_plane.view()
    for candidate in Possibilities(simulation, setup, None).candidates(_WAITING):
        if candidate.tunable.key in _SWITCHES and (remedy := _maker(view, candidate, 0)) is not None:
            yield from _families(candidate, remedy)


def _families(each: Candidate, make: Callable[[str], Remedy]) -> Iterator[RemedyRange]:
    if not each.is_ordered:
        yield from (only(make(value)) for value in each.values)
    elif "," in each.values[-1] and "[" not in each.values[-1]:
        yield _of_amounts(each, make)
    else:
        values = (each.before, *_short(each))
        kind = make(values[-1]).kind
        yield RemedyRange(kind, lambda value: make(values[value[0]]), (0,), (len(values) - 1,))


def _short(each: Candidate) -> Sequence[str]:
    """The values of a row; for a time that may be shortened, only values of a minute at most, where there are any."""
    vary = each.tunable.vary
    if not isinstance(vary, Ladder) or vary.way != "sooner":
        return each.values
    return [value for value in each.values if int(value) <= MINUTE_S * vary.scale] or each.values


def _of_amounts(each: Candidate, make: Callable[[str], Remedy]) -> RemedyRange:
    most, least = parse_resources(each.values[-1]), parse_resources(each.before or "0 mb, 0 vcores")
    lows = (min(least.memory_mb, most.memory_mb), min(least.vcores, most.vcores))
    kind = make(each.values[-1]).kind
    highs = (most.memory_mb, most.vcores)
    return RemedyRange(kind, lambda value: make(f"{value[0]} mb, {value[1]} vcores"), lows, highs)


def _maker(view: ClusterView, each: Candidate, number: int) -> Callable[[str], Remedy] | None:
    """Return what makes the remedy of a value; None where no act changes it while the cluster runs."""
    row = each.tunable
    match row.where:
        case "whole" if row.key in _SWITCHES:
            switch = _SWITCHES[row.key]
            return lambda value: Remedy(switch(value))
        case "whole" | "user" if row.takes == "refresh" and each.change("").property.startswith(PREFIX):
            key = each.change("").property
            return lambda value: Remedy(acts.SetSetting(key, value))
        case "queue" | "leaf" | "others" if row.takes == "refresh":
            return _of_queue(each)
        case "own" if row.key == "priority":
            name = _name(view, number)
            return lambda value: Remedy(acts.SetPriority(number, int(value)), name=name)
        case "own" if row.key == "queue" and not each.scheduler.startswith("mr1"):
            name, path_of = _name(view, number), {view.policy.queue_name(p.path): p.path for p in view.policy.queues()}
            return lambda value: Remedy(acts.MoveApplication(number, value), name=name, queue=path_of[value])
    return None


def _of_queue(each: Candidate) -> Callable[[str], Remedy] | None:
    key, path, full = each.tunable.key, each.place.path, each.change("").property
    if full.startswith(PREFIX):
        return lambda value: Remedy(acts.SetSetting(full, value), queue=path, setting=key)
    if each.scheduler.startswith("fair") and key not in QUEUE_SETTINGS:
        return None
    if each.scheduler == "mr1-fair" and key not in POOL_ELEMENTS:
        return None
    return lambda value: Remedy(acts.SetQueueSetting(path, key, value), queue=path, setting=key)


def _name(view: ClusterView, number: int) -> str:
    own = view.application(number)
    return "" if own is None else own.name


# Finds out without much work that a remedy cannot help: in a smaller world, where only what blocks an ask is left.
#
# Where applications that wait for nothing suffice to keep an ask from ever starting, all others are ended in a copy.
# An act that does not start the ask there does not start it beside the others either. Preemption is the exception, as
# it may depend on how full a cluster is.

PIECES: Final = 100  # Pieces of work for the smaller world at most, without an act and with each


class BlockingSet(NamedTuple):
    """An ask alone with the applications that keep it from ever starting."""

    simulation: Simulation  # At the instant, closed; it is not changed
    base: Baseline  # The course of events there without any act: nothing for the ask


def core_of(here: Simulation, targets: Sequence[Ask]) -> Incremental[BlockingSet | None]:
    """The smaller world of an instant, for a single ask; None where it would be no smaller or does not block it."""
    view = here.control_plane.view()
    if len(targets) != 1 or view.modes().preemption is True or not here.control_plane.answers:
        return None
    number, priority = targets[0]
    everybody = view.applications()
    keepers = {each.number for each in everybody if not each.waits and each.number != number}
    if not keepers or len(keepers) + 1 == len(everybody):
        return None
    ahead = yield from isolated_lookahead(here, number, keepers)
    if ahead.is_settled(number, priority):  # the others' end alone starts it, as Spark's Master gives at once
        return None
    explainer_of(ahead.simulation).drop_other_asks(number, priority)
    unacted = BaselineRun((yield from ahead.simulation.fork_in_steps()))
    unacted.targets = tuple(targets)
    yield from unacted.play(PIECES, targets)
    if not unacted.ahead.still or unacted.ahead.is_settled(number, priority):
        return None
    return BlockingSet(ahead.simulation, unacted.baseline())


def may_help(core: BlockingSet, targets: Sequence[Ask], remedy: Remedy) -> Incremental[bool]:
    """Tell whether a remedy starts the ask in the smaller world, or that cannot be known there."""
    act = remedy.act
    if isinstance(act, SetPreemption):
        return True
    if isinstance(act, KillApplication):
        view = core.simulation.control_plane.view()
        if not any(map(view.application, with_driven(core.simulation, remedy.application))):
            return False
    trial = yield from tried(core.simulation, targets, remedy, core.base, PIECES, follow_ms=0)
    return trial is None or trial.helps or bool(trial.refused)


MINUTE_S: Final = 60  # A wait that lasts is not ended by a time-out of half an hour [s]

VARIED: Final = 3  # Number of applications whose queues, users and fields are varied, the longest waiting first

_NUMBER: Final = re.compile(r"\d+")

KILLS: Final = 200  # Number of applications whose kill is tried, holders of what is needed first

RESIZED: Final = 3  # Number of nodes that are tried with more room, or in another partition, the likeliest first

DRAINED: Final = 12  # Number of reserved nodes whose drain is tried

SMALLEST_MB: Final = 1024  # The smallest node that is added [MB]

STEP_MB: Final = 512  # Sizes of nodes are tried in steps of this [MB]

DOUBLED: Final = 2  # A node is tried with up to so many times what it has


def candidates(simulation: Simulation, targets: Sequence[int]) -> list[RemedyRange]:
    """The remedies to try so that some waiting applications start, the one that matters most first; one kind in turn.

    What an absent control plane would have to carry out is none.
    """
    view = simulation.control_plane.view()
    found = [*_starts(simulation, targets), *_hung_masters(simulation), *_returns(simulation.world.nodes)]
    if simulation.control_plane.answers:
        machines = _machines(view, targets[0]) if isinstance(view, YarnClusterView) else ()
        mine = settings_for(simulation, targets)
        found += [*kills(simulation, targets), *_added(simulation, targets), *mine, *machines]
    return [_of_system(each, simulation.control_plane.dimensions) for each in _in_turn(found)]


def _returns(nodes: Sequence[NodeManager]) -> Iterator[RemedyRange]:
    """What brings back each node that is away, and all: one that is heard of and unhealthy need not start again."""
    ill = [node for node in nodes if node.up and not node.healthy and not node.draining]
    gone = [node for node in nodes if node.draining or not node.up or (not node.member and node.healthy)]
    healed = partial(acts.SetHealth, healthy=True)
    for back, some in ((healed, ill), (acts.ReturnNode, gone)):
        yield from (only(Remedy(back(node.id), host=node.host, family="node")) for node in some)
        if len(some) > 1:
            act = back(some[0].id, also=tuple(node.id for node in some[1:]))
            yield only(Remedy(act, host=some[0].host, family="nodes"))


def _of_system(family: RemedyRange, dimensions: tuple[str, ...]) -> RemedyRange:
    return family._replace(make=lambda value: replace(family.make(value), dimensions=dimensions))


def _in_turn(families: Sequence[RemedyRange]) -> list[RemedyRange]:
    seen: Counter[str] = Counter()
    turns: list[int] = []
    for family in families:
        turns.append(seen[family.kind])
        seen[family.kind] += 1
    return [each for _, each in sorted(zip(turns, families, strict=True), key=lambda pair: pair[0])]


def _machines(view: YarnClusterView, number: int) -> Iterator[RemedyRange]:
    nodes = list(view.scheduler.cluster.nodes.values())
    yield from _labelled(view, nodes, number)
    sizes = [(node.total_memory_mb, node.total_vcores) for node in nodes]
    largest_mb, largest_vcores = (max(amounts) for amounts in zip(*sizes, strict=True)) if sizes else (0, 0)
    likely = sorted(nodes, key=_lacking)
    shrunk = [node for node in likely[RESIZED:] if DOUBLED * node.total_memory_mb < largest_mb]
    for node in [*likely[:RESIZED], *shrunk[:1]]:
        yield _resized(node, largest_mb, largest_vcores)
    for node in [each for each in nodes if each.reserved is not None][:DRAINED]:
        yield only(Remedy(acts.DrainNode(node.id), host=node.host, family="node"))


def _labelled(view: YarnClusterView, nodes: Sequence[Node], number: int) -> Iterator[RemedyRange]:
    for label in _labels_of(view, number):
        others = [node for node in nodes if node.partition != label]
        for node in sorted(others, key=lambda each: each.used_memory_mb)[:RESIZED]:
            yield only(Remedy(acts.LabelNode(node.id, label), host=node.host, family="node"))


def _labels_of(view: ClusterView, number: int) -> list[str]:
    known = view.scheduler.cluster.applications.get(number) if isinstance(view, YarnClusterView) else None
    return sorted(labels_asked(known.attempt)) if known is not None and known.attempt is not None else []


def _lacking(node: Node) -> tuple[bool, int]:
    """Sorts reserved nodes by what the reservation lacks, then the others by what is free."""
    free_mb = node.total_memory_mb - node.used_memory_mb
    return (node.reserved is None, (node.reserved.memory_mb if node.reserved is not None else 0) - free_mb)


def _resized(node: Node, largest_mb: int, largest_vcores: int) -> RemedyRange:
    memory_mb, vcores = node.total_memory_mb, node.total_vcores

    def make(value: tuple[int, ...]) -> Remedy:
        act = acts.ResizeNode(node.id, memory_mb + STEP_MB * value[0], vcores + value[1])
        return Remedy(act, host=node.host, family="node")

    most_mb, most_vcores = max(DOUBLED * memory_mb, largest_mb), max(DOUBLED * vcores, largest_vcores)
    return RemedyRange("resize", make, (0, 0), (-(-(most_mb - memory_mb) // STEP_MB), most_vcores - vcores))


def _added(simulation: Simulation, targets: Sequence[int]) -> Iterator[RemedyRange]:
    """One node more where the first target asks for something.

    It is at most as large as the largest there is, or as the largest container that a target asks for.
    """
    world = simulation.world
    names = (f"added{place}" for place in range(1, len(world.nodes) + 2))
    host = next(name for name in names if name not in world.ground.node_index)
    sizes = [(node.memory_mb, node.vcores) for node in world.nodes] + _asked(simulation, targets)
    largest = tuple(max(amounts) for amounts in zip(*sizes, strict=True)) or (SMALLEST_MB, 1)

    def make(label: str, value: tuple[int, ...]) -> Remedy:
        memory_mb = min(largest[0], SMALLEST_MB + STEP_MB * value[0])
        return Remedy(acts.AddNode(f"{host}:{DEFAULT_PORT}", memory_mb, value[1], partition=label))

    highs = (max(0, -(-(largest[0] - SMALLEST_MB) // STEP_MB)), largest[1])
    for label in _labels_of(simulation.control_plane.view(), targets[0]) or [""]:
        yield RemedyRange("add-node", partial(make, label), (0, 1), highs)


def _asked(simulation: Simulation, targets: Sequence[int]) -> list[tuple[int, int]]:
    rows = snapshot_of(simulation).applications(why=False)
    found: list[tuple[int, int]] = []
    for row in [each for each in rows if each.number in targets]:
        found += [(ask.size[0], ask.size[1]) for ask in row.listed_asks]
        if isinstance(row, StandaloneRow):
            found.append((row.executor_memory_mb, row.executor_cores if isinstance(row.executor_cores, int) else 1))
    return found


_START: Final[Mapping[str, acts.Act]] = {
    YarnClusterView.kind: acts.RestartResourceManager(1),
    JobTrackerView.kind: acts.RestartJobTracker(1),
}
"""`ClusterView.kind` → what starts a control plane that is away; a Spark Master never is."""


def _starts(simulation: Simulation, targets: Sequence[int]) -> Iterator[RemedyRange]:
    view, world = simulation.control_plane.view(), simulation.world
    if view.kind in _START and not simulation.control_plane.answers:
        lost = targets if is_lossy(view) else ()
        again = tuple(number for number in lost if world.specification_of(number) is not None)
        yield only(Remedy(_START[view.kind], again=again))


def _hung_masters(simulation: Simulation) -> Iterator[RemedyRange]:
    view = simulation.control_plane.view()
    for number, master in simulation.world.masters.items():
        own = view.application(number)
        if master.stage == HUNG and master.container is not None and own is not None:
            yield only(Remedy(acts.KillContainer(master.container), name=own.name))


def kills(simulation: Simulation, targets: Sequence[int] = ()) -> list[RemedyRange]:
    """Holders of what the first application needs, then others that reserve or hold anything, then others that wait.

    Among applications that wait, the ones that reserve most nodes come first of all. Killing the only application asked
    about is no remedy.
    """
    view = simulation.control_plane.view()
    holds = run_to_end(explainer_of(simulation).holds(targets[0])) if targets else []
    place = {hold.application: turn for turn, hold in enumerate(holds)}
    reserving = Counter(held.id[0] for held in view.reservations())
    culprits = reserving if len(targets) > 1 else Counter[int]()
    alive = [each for each in view.applications() if list(targets) != [each.number]]

    def turn(each: ApplicationSummary) -> tuple[int, int, bool, bool, int]:
        number = each.number
        return (-culprits[number], place.get(number, len(place)), number not in reserving, not each.works, number)

    found = []
    for each in sorted(alive, key=turn)[:KILLS]:
        family = f"{_NUMBER.sub('', each.name)} {each.user} {each.queue}"  # applications whose names differ by a number
        act = acts.KillApplication(_to_kill(simulation.world, each.number))
        found.append(only(Remedy(act, name=each.name, family=family)))
    return found


def _to_kill(world: World, number: int) -> int:
    """An application, or the driver that would outlive it; drivers are numbered from -1 down."""
    driver = world.supervised_driver(number) if isinstance(world, SparkWorld) else None
    return number if driver is None else -1 - driver
