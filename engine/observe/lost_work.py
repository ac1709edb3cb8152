"""Containers that run at an instant, and the ends that lose their work."""

from typing import Final, NamedTuple

from engine.control_plane.attempt_containers import container_named
from engine.control_plane.cluster_view import ClusterView
from engine.control_plane.spark_cluster_view import SparkClusterView
from engine.control_plane.yarn_cluster_view import YarnClusterView
from engine.model.decision import ContainerId
from engine.model.identity import container_of_name
from engine.observe.snapshots import snapshot_of
from engine.schedulers.spark.scheduling_pass import DRIVER_ATTEMPT, EXECUTOR_ATTEMPT
from engine.simulation.simulation import Simulation

LOSING: Final = ("PREEMPTED", "LOST", "RELABELLED", "KILLED_BY_USER", "ORPHANED")
"""Causes of a container's end that lose its work whenever they come."""


class Held(NamedTuple):
    """A container that runs."""

    since_ms: int
    memory_mb: int
    """Memory; of a JobTracker's attempt its map slots."""
    vcores: int
    """Vcores; of a JobTracker's attempt its reduce slots."""


def held_now(simulation: Simulation) -> dict[ContainerId, Held]:
    """The containers, executors, drivers or attempts that run now, with when they were allocated.

    Those on nodes that have yet to register with a ResourceManager that started again run, too.
    """
    snapshot = snapshot_of(simulation)
    held = {
        (row.application, EXECUTOR_ATTEMPT, row.executor): Held(row.launched_ms, row.memory_mb, row.cores)
        for row in snapshot.executors()
    }
    for one in snapshot.containers():
        if isinstance(one.since_ms, int) and one.state != "RESERVED":
            held[_numbers(one.id)] = Held(one.since_ms, one.size[0], one.size[1])
    view = simulation.control_plane.view()
    nodes = simulation.world.nodes if isinstance(view, YarnClusterView) else []
    for node in nodes:
        if not node.member:
            held.update((one.container, Held(one.created_ms, one.memory_mb, one.vcores)) for one in node.live())
    return held | _drivers(view)


def _drivers(view: ClusterView) -> dict[ContainerId, Held]:
    """The drivers that run on the workers of a Spark Master."""
    drivers = view.cluster.drivers.values() if isinstance(view, SparkClusterView) else ()
    return {
        (each.number, DRIVER_ATTEMPT, 0): Held(each.launched_ms, each.memory_mb, each.cores)
        for each in drivers
        if each.launched_ms is not None
    }


def _numbers(container: str) -> ContainerId:
    """The numbers of a container's id, or of an attempt's of MapReduce 1."""
    found = container_named(container) if container.startswith("attempt_") else container_of_name(container)
    assert found is not None, "the control plane gave the id"
    return found
