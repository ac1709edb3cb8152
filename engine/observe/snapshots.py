"""Snapshots and plans of every kind of control plane: the one place where those are chosen."""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from engine.control_plane.job_tracker_view import JobTrackerView
from engine.control_plane.protocol import ControlPlane
from engine.control_plane.spark_cluster_view import SparkClusterView
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.observe.mr1_snapshot import JobTrackerSnapshot
from engine.observe.obstacle_cache import ObstacleCache
from engine.observe.releases import Releases
from engine.observe.snapshot import Snapshot
from engine.observe.spark_plans import PlanTables, keep_plans, plan_tables
from engine.observe.spark_snapshot import Busy, SparkSnapshot
from engine.observe.yarn_snapshot import Lifespans, Silence, YarnSnapshot
from engine.simulation.events import NODE_EXPIRES
from engine.simulation.simulation import Simulation


class Known(NamedTuple):
    """Facts for a snapshot beyond what the control plane believes; each kind takes those it has a use for."""

    whys: ObstacleCache | None = None
    """Answers why applications wait, as far as is known, so that a snapshot never takes long."""
    releases: Releases | None = None
    """Answers who frees reserved nodes, as far as that is known."""
    draining: Collection[str] = ()
    """Ids of nodes that are being drained."""
    busy: Busy = dict
    lifespans: Lifespans = dict
    """Answers the progress of sessions and services."""
    silent: Mapping[str, Silence] = MappingProxyType({})
    """Id of a node that is not heard of any more and still believed alive → since when."""


class Observer(NamedTuple):
    """Makes snapshots and plans of one kind of control plane; Any: each takes control planes of its own kind."""

    snapshot: Callable[[Any, int, Known], Snapshot]
    plans: Callable[[Any, int], tuple[PlanTables, ...]] = lambda control_plane, now_ms: ()
    """Plans that can be gone through step by step; none where a control plane makes none."""
    keep_plans: Callable[[Any, int], None] = lambda control_plane, count: None


OBSERVERS: Final[Mapping[str, Observer]] = {
    YarnClusterView.kind: Observer(
        lambda rm, now_ms, known: YarnSnapshot(
            rm, now_ms, known.whys, known.releases, known.draining, known.lifespans, known.silent
        )
    ),
    SparkClusterView.kind: Observer(
        lambda master, now_ms, known: SparkSnapshot(master, now_ms, known.busy), plan_tables, keep_plans
    ),
    JobTrackerView.kind: Observer(lambda jt, now_ms, known: JobTrackerSnapshot(jt, now_ms)),
}
"""`ClusterView.kind` → how it is looked at."""


def snapshot_of(simulation: Simulation, lifespans: Lifespans = dict) -> Snapshot:
    """The cluster as its control plane believes it to be now; `lifespans` tell what sessions and services are at."""
    return _snapshot(simulation, Known(lifespans=lifespans))


def snapshot_of_simulation(
    simulation: Simulation,
    whys: ObstacleCache | None = None,
    releases: Releases | None = None,
    *,
    has_drained: bool = True,
) -> Snapshot:
    """Take a `snapshot_of` with what only the simulated world knows: nodes that drain, cores that run a task.

    Args:
        whys: Why applications wait, as far as is known; with it the snapshot never takes long.
        releases: Who frees reserved nodes, as far as is known.
        has_drained: Whether a node ever began to be drained; False saves looking for one.
    """
    world = simulation.world
    draining = [node.id for node in world.nodes if node.draining] if has_drained else ()
    known = Known(whys, releases, draining, world.busy_cores, world.lifespans, _silent(simulation))
    return _snapshot(simulation, known)


def _snapshot(simulation: Simulation, known: Known) -> Snapshot:
    control_plane = simulation.control_plane
    return _observer(control_plane).snapshot(control_plane, simulation.now_ms, known)


def _silent(simulation: Simulation) -> Mapping[str, Silence]:
    world = simulation.world
    silent = [node for node in world.nodes if node.member and not node.up]
    expires = {event[2]: event[0] for event in world.clock.heap if event[3] == NODE_EXPIRES} if silent else {}
    return {node.id: Silence(node.silent_ms, expires.get(node.index)) for node in silent}


def plans_of(control_plane: ControlPlane, now_ms: int) -> tuple[PlanTables, ...]:
    """Plans that were carried out, oldest first, then those of a pass at this instant [epoch ms], not run."""
    return _observer(control_plane).plans(control_plane, now_ms)


def keep_plans_of(control_plane: ControlPlane, count: int) -> None:
    """Have the last plans that are carried out kept for `plans_of`, where a control plane makes any."""
    _observer(control_plane).keep_plans(control_plane, count)


def _observer(control_plane: ControlPlane) -> Observer:
    return OBSERVERS[control_plane.view().kind]
