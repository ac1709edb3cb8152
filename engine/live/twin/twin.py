"""A snapshot with its configuration as a scenario that stands as the cluster stands."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from engine.control_plane.cluster_view import somebody_waits
from engine.control_plane.resource_manager import ResourceManager
from engine.errors import ConfigError
from engine.explain.counterfactuals import Lookahead
from engine.formats.traces.rm_timeline import SCHEDULERS
from engine.live.twin.applications import (
    NOTHING_GIVEN,
    Assumptions,
    Span,
    Surroundings,
    assumed_of,
    estimates,
    recovered_of,
    with_durations,
    work_by_kind,
)
from engine.live.twin.cluster_holdings import by_application, covering, holdings_of, reserved_priorities, unseen_asks
from engine.live.yarn_answers import SCHEDULING
from engine.model.identity import container_name
from engine.model.lifecycle import still_live
from engine.observe.snapshot import Amounts, CapacityQueueRow, NodeRow, QueueRow, Snapshot, Unknown
from engine.observe.snapshots import snapshot_of_simulation
from engine.scenario import Assumption, ClusterSpec, NodeSpec, QueueSpec, Scenario, ScriptedSpec, ServiceSpec
from engine.scenario.scenario import family_of
from engine.settings.capacity import CAPACITY_27
from engine.settings.capacity_queue import CAPACITY, MAXIMUM_CAPACITY, QUEUES, STATE, STOPPED
from engine.settings.capacity_scheduler import PREFIX
from engine.settings.known import differences
from engine.settings.site import ACL_ENABLE, MAXIMA, YARN_27
from engine.simulation.build import build_simulation
from engine.simulation.simulation import Simulation
from engine.simulation.world import CONTAINER_ENDS
from engine.units import format_duration, moment_at, zone_of

# The configuration of a cluster as its twin needs it: scheduler, settings, queues, and how its processes talk.

POLICIES = {"fair": "fair", "fifo": "fifo", "drf": "drf", "dominantresourcefairness": "drf"}
"""What a server calls a policy of FairScheduler, in small letters → what the allocation file calls it."""


def fair_queues(rows: Sequence[QueueRow]) -> Iterator[QueueSpec]:
    """Queues of FairScheduler with their limits, policies and weights, which are not said: see `_weights`."""
    weights = _weights(rows)
    for row in rows:
        if row.path == "root":
            continue
        policy = row.policy.lower()
        yield QueueSpec(
            name=row.path.removeprefix("root."),
            min_resources=_words(row.min_share) if isinstance(row.min_share, tuple) and any(row.min_share) else None,
            max_resources=None
            if row.max_share is None or isinstance(row.max_share, Unknown)
            else _words(row.max_share),
            weight=weights.get(row.path),
            policy=POLICIES.get(policy),
        )


def _weights(rows: Sequence[QueueRow]) -> Mapping[str, float]:
    # As its steady share lets one conclude, that of the smallest sibling being 1; a share that is the queue's minimum
    # or maximum says nothing. Source: ComputeFairShares.computeSteadyShares, 2.7.2.
    shares: dict[str, dict[str, int]] = {}
    for row in rows:
        steady = 0 if isinstance(row.steady_share, Unknown) else row.steady_share[0]
        bounds = [each[0] for each in (row.min_share, row.max_share) if isinstance(each, tuple)]
        if steady and steady not in bounds:
            shares.setdefault(row.path.rpartition(".")[0], {})[row.path] = steady
    return {
        path: round(share / min(siblings.values()), 2)
        for siblings in shares.values()
        for path, share in siblings.items()
    }


def _words(amounts: Amounts) -> str:
    return f"{amounts[0]} mb, {amounts[1]} vcores"


def capacity_settings(rows: Sequence[CapacityQueueRow], *, by_path: bool) -> Iterator[tuple[str, str]]:
    """(key, value) of capacity-scheduler.xml: queues, their capacities and largest capacities, in percent.

    The rows are in order, parents before their children. States are given with `by_path` alone.
    """
    by_name = {row.path: row for row in rows}
    for row in rows:
        children = [each for each in rows if each.path.rpartition(".")[0] == row.path]
        if children:
            yield QUEUES.of(row.path), ",".join(each.path.rpartition(".")[2] for each in children)
            yield from _shares(children)
        if row.state == STOPPED and by_path:
            yield STATE.of(row.path), row.state
        parent = by_name.get(row.path.rpartition(".")[0])
        if parent is not None:
            most, whole = _largest(row), _largest(parent)
            yield MAXIMUM_CAPACITY.of(row.path), f"{min(100.0, 100 * most / max(whole, 1e-9)):.3f}"


def _shares(children: Sequence[CapacityQueueRow]) -> Iterator[tuple[str, str]]:
    whole, left = sum(each.guaranteed[0] for each in children) or 1, 100.0
    for each in children[:-1]:
        share = round(100 * each.guaranteed[0] / whole, 3)
        left -= share
        yield CAPACITY.of(each.path), f"{share:.3f}"
    yield CAPACITY.of(children[-1].path), f"{left:.3f}"


def _largest(row: CapacityQueueRow) -> float:
    return next((each.maximum for each in row.partitions if not each.label), 0.0) or (
        1.0 if not isinstance(row.max_share, tuple) else float(row.max_share[0])
    )


NAMES: Final = {kind.lower(): names for kind, names in SCHEDULERS.items()}
"""What a server calls its scheduler, in small letters → how scenarios call that of 2.7, and that of 3.4."""


class TwinConfiguration(NamedTuple):
    scheduler: str  # As scenarios call it
    settings: Mapping[str, str]  # Hadoop keys; of the Capacity Scheduler with its queues
    allocations: str | None = None  # Text of fair-scheduler.xml
    queues: tuple[QueueSpec, ...] = ()  # The queues of the Fair Scheduler where there is no such text
    like: Scenario | None = None  # A scenario of the same cluster, for its processes' intervals and its users' groups
    assumed: tuple[Assumption, ...] = ()


def scheduler_named(words: str) -> str:
    """Return the name by which scenarios know the scheduler of a snapshot.

    >>> scheduler_named("FairScheduler 2.7.2"), scheduler_named("CapacityScheduler 3.3.6"), scheduler_named("fifo")
    ('fair-2.7', 'capacity-3.4', 'fifo')

    Raises:
        ConfigError: It is none of YARN's.
    """
    known = list(chain.from_iterable(NAMES.values()))
    if words in known:
        return words
    kind, _, version = words.partition(" ")
    if kind.lower() not in NAMES:
        raise ConfigError.of(
            f"{words!r} is none of YARN's schedulers", hint=f"--set scheduler=NAME names it: {', '.join(known)}"
        )
    return NAMES[kind.lower()][version.startswith("3")]


def configuration_of_cluster(
    snapshot: Snapshot,
    settings: Mapping[str, str] | None = None,
    allocations: str | None = None,
    scheduler: str | None = None,
) -> TwinConfiguration:
    """That of a running cluster, as far as it is given; the rest is inferred from the snapshot.

    `settings` are Hadoop keys, those of capacity-scheduler.xml among them; None where none was given. Raises
    ConfigError if its scheduler is none of YARN's.
    """
    named, scheduler = snapshot.header.scheduler, scheduler_named(scheduler or snapshot.header.scheduler)
    chosen = {key: text for key, text in (settings or {}).items() if key.startswith(SCHEDULING)}
    assumed = []
    if words := differences(family_of(scheduler), named.partition(" ")[2]):
        assumed.append(Assumption(what="release", sentence=words))
    if settings is None:
        chosen |= _limits(snapshot)
        assumed.append(Assumption(what="settings", sentence="no yarn-site.xml is given: Hadoop's defaults hold"))
    if chosen.get(ACL_ENABLE.name, "").strip().lower() == "true":
        chosen[ACL_ENABLE.name] = "false"
        assumed.append(
            Assumption(what="settings", sentence="the groups of users are not known: queues are open to all users")
        )
    queues: tuple[QueueSpec, ...] = ()
    if family_of(scheduler) == "fair" and allocations is None:
        queues = tuple(fair_queues(snapshot.queues()))
        assumed.append(
            Assumption(
                what="queues",
                sentence="no fair-scheduler.xml is given: queues have the limits and shares shown, the rest is default",
            )
        )
    if family_of(scheduler) == "capacity" and not any(key.startswith(f"{PREFIX}root.") for key in chosen):
        rows = [row for row in snapshot.queues() if isinstance(row, CapacityQueueRow)]
        if not rows:
            words = "a log does not say how CapacityScheduler's queues are set"
            raise ConfigError.of(words, hint="--config capacity-scheduler.xml, or a folder with the other files, too")
        chosen |= dict(capacity_settings(rows, by_path=scheduler != CAPACITY_27.name))
        assumed.append(
            Assumption(
                what="queues",
                sentence="no capacity-scheduler.xml is given: queues have the capacities shown, the rest is default",
            )
        )
    return TwinConfiguration(scheduler, chosen, allocations, queues, assumed=tuple(assumed))


def _limits(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """The largest container: no smaller than what is asked for, and than the mean of what an application has."""
    live = still_live(snapshot.applications(why=False))
    sizes: list[Amounts] = [ask.size for row in live for ask in row.listed_asks]
    sizes += [tuple(-(-each // row.containers) for each in row.used) for row in live if row.containers]
    for dimension, key in enumerate(MAXIMA):
        yield key.name, str(max((YARN_27.default(key), *(size[dimension] for size in sizes))))


def configuration_of_scenario(scenario: Scenario) -> TwinConfiguration:
    return TwinConfiguration(scenario.scheduler, scenario.settings, scenario.allocations_xml(), like=scenario)


DURATION_MS: Final = 3_600_000  # How long a twin is played by default

STATES: Final = {"NEW": "LOST", "REBOOTED": "LOST", "SHUTDOWN": "DECOMMISSIONED"}
"""States of a node that a scenario does not know → what they come to for a scheduler."""

UNCERTAIN_MS: Final = 15_000
"""How long times depend on when nodes and masters call; on ResourceManagers of 2.7.2 starts agreed from 14 s on."""

BEGINS_ANEW: Final = Assumption(
    what="rhythm",
    sentence="when nodes and masters call is not known, and waits for locality and for preemption begin anew: "
    f"starts within the first {format_duration(UNCERTAIN_MS)} may come some seconds sooner or later",
)


def twin_of(
    snapshot: Snapshot, configuration: TwinConfiguration, assumptions: Assumptions = NOTHING_GIVEN, offset_ms: int = 0
) -> Scenario:
    """The twin of a cluster. The snapshot is of YARN; `assumptions` say what to take for what is not known.

    Its clock is so far east of Greenwich, unless it is like a scenario. Raises ConfigError if it is no cluster of YARN,
    has no nodes, or no application of a name given.
    """
    if snapshot.dialect != "yarn":
        raise ConfigError.of(f"only a cluster of YARN has a twin; this one is of {snapshot.dialect}")
    now_ms, nodes = snapshot.header.time_ms, snapshot.nodes()
    rows = still_live(snapshot.applications(why=False))
    if not nodes:
        raise ConfigError.of("the cluster has no nodes")
    assumptions.check(rows)
    held = holdings_of(snapshot, rows, configuration.settings, assumptions.known_ms)
    work = work_by_kind(snapshot.applications(why=False))
    seen = Surroundings(
        now_ms,
        frozenset(node.host for node in nodes),
        configuration.scheduler == CAPACITY_27.name,
        held.containers,
        by_application(held.reservations),
        reserved_priorities(snapshot),
        with_durations(rows, unseen_asks(rows, held.containers), work),
        estimates(rows, held.containers, work, now_ms),
        frozenset(number for number, count in Counter(row.number for row in rows).items() if count > 1),
        assumptions,
        snapshot.header.master_start_ms,
    )
    rhythm = (BEGINS_ANEW,) if configuration.like is not None else (_starts(snapshot), BEGINS_ANEW)
    base = _scenario(now_ms, configuration, offset_ms)
    return base.model_copy(
        update={
            "settings": covering(base.settings, held.reservations),
            "cluster": _cluster(snapshot, configuration.like),
            "assumed": (*configuration.assumed, *held.assumed, *assumed_of(rows, seen), *_down(snapshot), *rhythm),
            "recovered": tuple(recovered_of(row, seen) for row in rows),
            "cluster_timestamp": int(rows[0].id.split("_")[1]) if rows else now_ms,
            "first_application": max((row.number for row in snapshot.applications(why=False)), default=0) + 1,
        }
    )


def is_frozen(twin: Scenario) -> bool:
    """Whether an application waits and nothing starts within a day. Raises ConfigError if its scenario cannot be."""
    simulation = build_simulation(twin)
    ahead, waits = Lookahead(simulation), somebody_waits(simulation.control_plane.view(), ())
    while ahead.last_ms is None and not ahead.over:
        ahead.advance()
    return waits and ahead.still and ahead.last_ms is None


def _starts(snapshot: Snapshot) -> Assumption:
    took_ms = snapshot.header.master_start_ms
    if took_ms is None:
        when = "as soon as their container runs: too few starts were watched"
    else:
        when = f"{format_duration(took_ms)} after their container runs, the mean of those watched"
    return Assumption(what="rhythm", sentence=f"masters register {when}")


def _scenario(now_ms: int, configuration: TwinConfiguration, offset_ms: int) -> Scenario:
    like = configuration.like
    return Scenario(
        name="twin" if like is None else f"{like.name}-twin",
        start=moment_at(now_ms, zone_of(offset_ms) if like is None else like.start.tzinfo),
        seed=0 if like is None else like.seed,
        duration_ms=DURATION_MS,
        scheduler=configuration.scheduler,
        settings=dict(configuration.settings),
        allocations=configuration.allocations,
        queues=configuration.queues,
        groups={} if like is None else like.groups,
        cluster=ClusterSpec(),
    )


def _cluster(snapshot: Snapshot, like: Scenario | None) -> ClusterSpec:
    phases = {} if like is None else _phases(like, snapshot.header.time_ms)
    usual = _usual_size(snapshot)
    specs = tuple(
        NodeSpec(
            host=node.host,
            port=int(node.id.rpartition(":")[2]),
            rack=node.rack,
            memory_mb=(node.total if all(node.total[:2]) else usual)[0],
            vcores=(node.total if all(node.total[:2]) else usual)[1],
            partition=node.partition,
            phase_ms=phases.get(node.id),
            state=STATES.get(node.state, node.state),
        )
        for node in snapshot.nodes()
    )
    starts_ms = snapshot.header.master_start_ms or 0
    base = ClusterSpec(register_delay_ms=starts_ms, am_own_rhythm=True) if like is None else like.cluster
    return base.model_copy(update={"nodes": specs, "groups": ()})


def _unsized(snapshot: Snapshot) -> list[NodeRow]:
    return [node for node in snapshot.nodes() if not all(node.total[:2])]


def _usual_size(snapshot: Snapshot) -> Sequence[int]:
    # What is down may be given it, as it takes no part. Raises ConfigError if none, or not each that runs, says it
    sizes = Counter(tuple(node.total) for node in snapshot.nodes() if all(node.total[:2]))
    unsized = [node.host for node in _unsized(snapshot) if node.state == "RUNNING" or not sizes]
    if unsized:
        more = f" and {len(unsized) - 1} more" if len(unsized) > 1 else ""
        raise ConfigError.of(f"the size of {unsized[0]}{more} is not reported")
    return sizes.most_common(1)[0][0]


def _down(snapshot: Snapshot) -> Iterator[Assumption]:
    names = [node.host for node in _unsized(snapshot)]
    if names:
        words = f"{', '.join(names[:5])}{' and more' if len(names) > 5 else ''}"
        yield Assumption(what="sizes", sentence=f"nodes that are down and report no size are as large as most: {words}")


def _phases(like: Scenario, now_ms: int) -> Mapping[str, int]:
    every_ms = like.cluster.heartbeat_ms
    return {
        node.id: (like.start_ms + node.phase_ms - now_ms) % every_ms
        for node in like.cluster.all_nodes()
        if node.phase_ms is not None
    }


# The twin of a simulation: how long its containers will run is known.

CHANGED: Final = Assumption(what="settings", sentence="settings that operators changed while it ran are not taken over")
CLOSED: Final = Assumption(what="arrivals", sentence="no more applications are submitted, and nothing fails")


def twin_of_simulation(simulation: Simulation, scenario: Scenario, assumptions: Assumptions) -> Scenario:
    """The twin of a simulation as it stands. Raises ConfigError if it is of no cluster of YARN.

    The simulation is looked at only; `assumptions` say what to take for what even here is not known, as when an
    application will let go of a container.
    """
    configuration = configuration_of_scenario(scenario)
    control_plane = simulation.control_plane
    is_changed = isinstance(control_plane, ResourceManager) and bool(control_plane.configuration.changes)
    configuration = configuration._replace(assumed=(*scenario.assumed, *((CHANGED,) if is_changed else ()), CLOSED))
    known = assumptions._replace(known_ms=_remaining(simulation, scenario.timestamp))
    return twin_of(snapshot_of_simulation(simulation), configuration, known)


def _remaining(simulation: Simulation, timestamp: int) -> Mapping[str, Span]:
    """Id of a container → how long it will run by itself; those are left out whose masters decide that."""
    world, now_ms = simulation.world, simulation.now_ms
    found: dict[str, Span] = {
        container_name(timestamp, (event[4], event[5], event[6])): event[0] - now_ms
        for event in world.clock.heap
        if event[3] == CONTAINER_ENDS
    }
    for node in world.nodes:
        for container in (*node.running, *node.launching):
            spec = world.specification_of(container[0])
            stays = isinstance(spec, ServiceSpec) or (isinstance(spec, ScriptedSpec) and not spec.waits)
            if stays:
                found.setdefault(container_name(timestamp, container), None)
    return found
