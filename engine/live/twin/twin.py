"""A snapshot with its configuration as a scenario that stands as the cluster stands."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from engine.control_plane.cluster_view import somebody_waits
from engine.errors import ConfigError, Problem
from engine.explain.lookahead import Ahead
from engine.instants import moment_at, zone_of
from engine.live.twin.applications import Surroundings, assumed_of, recovered_of
from engine.live.twin.assumptions import NOTHING_GIVEN, Assumptions
from engine.live.twin.cluster_holdings import by_application, holdings_of
from engine.live.twin.configuration import TwinConfiguration
from engine.live.twin.durations import estimates, with_durations, work_by_kind
from engine.live.twin.holdings import reserved_priorities, unseen_asks
from engine.live.twin.reservation_sizes import covering
from engine.model.lifecycle import still_live
from engine.observe.snapshot import ApplicationRow, Snapshot
from engine.scenario import Assumption, ClusterSpec, NodeSpec, Scenario
from engine.settings.capacity import CAPACITY_27
from engine.simulation.build import build_simulation
from engine.units import format_duration

DURATION_MS: Final = 3_600_000
"""How long a twin is played where nobody says otherwise."""

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
    snapshot: Snapshot,
    configuration: TwinConfiguration,
    assumptions: Assumptions = NOTHING_GIVEN,
    offset_ms: int = 0,
) -> Scenario:
    """The twin of a cluster. The snapshot is of YARN; `assumptions` say what to take for what is not known.

    Its clock is so far east of Greenwich, unless it is like a scenario.

    Raises:
        ConfigError: It is no cluster of YARN, has no nodes, or no application of a name given.
    """
    if snapshot.dialect != "yarn":
        raise ConfigError([Problem(f"only a cluster of YARN has a twin; this one is of {snapshot.dialect}")])
    now_ms, nodes = snapshot.header.time_ms, snapshot.nodes()
    rows = still_live(snapshot.applications(why=False))
    if not nodes:
        raise ConfigError([Problem("the cluster has no nodes")])
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
            "assumed": (*configuration.assumed, *held.assumed, *assumed_of(rows, seen), *rhythm),
            "recovered": tuple(recovered_of(row, seen) for row in rows),
            "cluster_timestamp": _timestamp(rows, now_ms),
            "first_application": max((row.number for row in snapshot.applications(why=False)), default=0) + 1,
        }
    )


def is_frozen(twin: Scenario) -> bool:
    """Tells whether somebody waits in a twin and nothing starts any more; it is played for a day at most.

    Raises:
        ConfigError: What it was made of cannot be.
    """
    simulation = build_simulation(twin)
    ahead, waits = Ahead(simulation), somebody_waits(simulation.control_plane.view(), ())
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
    specs = tuple(
        NodeSpec(
            host=node.host,
            port=int(node.id.rpartition(":")[2]),
            rack=node.rack,
            memory_mb=node.total[0],
            vcores=node.total[1],
            partition=node.partition,
            phase_ms=phases.get(node.id),
            state=STATES.get(node.state, node.state),
        )
        for node in snapshot.nodes()
    )
    starts_ms = snapshot.header.master_start_ms or 0
    base = ClusterSpec(register_delay_ms=starts_ms, am_own_rhythm=True) if like is None else like.cluster
    return base.model_copy(update={"nodes": specs, "groups": ()})


def _phases(like: Scenario, now_ms: int) -> Mapping[str, int]:
    """Phases that a scenario gives its nodes, counted from an instant."""
    every_ms = like.cluster.heartbeat_ms
    return {
        node.id: (like.start_ms + node.phase_ms - now_ms) % every_ms
        for node in like.cluster.all_nodes()
        if node.phase_ms is not None
    }


def _timestamp(rows: Sequence[ApplicationRow], now_ms: int) -> int:
    """The number in every id: `application_<timestamp>_<number>`."""
    return int(rows[0].id.split("_")[1]) if rows else now_ms
