"""Settings of a Spark application made as loose as they can be, on a copy, to see whether they decide anything."""

from collections.abc import Sequence
from typing import Final

from engine.control_plane.spark_events import ExecutorsKilled
from engine.explain.obstacle_rows import ObstacleRow
from engine.model.resource import INT_MAX
from engine.model.spark.application import SparkApplication
from engine.model.spark.cluster import SparkCluster
from engine.simulation.actions import KillApplication
from engine.simulation.simulation import Simulation

DEFAULT_CORES: Final = "spark.deploy.defaultCores"


def loose_values(row: ObstacleRow) -> Sequence[str]:
    """One value of no meaning, as there is one way to loosen each setting; nothing where there is none."""
    return ("",) if row.decided_by is not None else ()


def loosen(simulation: Simulation, cluster: SparkCluster, application: SparkApplication, row: ObstacleRow) -> None:
    """Loosen the setting of an obstacle, and have the Master look again.

    Those that took all cores as they had no maximum are ended: with a maximum they would have left room.
    """
    assert row.decided_by is not None, "there is a setting to loosen"
    key = row.decided_by.key
    if key == DEFAULT_CORES:
        for each in hoarders(application, cluster):
            simulation.act(KillApplication(each.number))
    if key == "spark.cores.max":
        application.cores_wanted = INT_MAX
    for profile, shape in application.shapes.items():
        cores = 1 if key == "spark.executor.cores" else shape.cores
        memory_mb = 1 if key == "spark.executor.memory" else shape.memory_mb
        application.shapes[profile] = shape._replace(cores=cores, memory_mb=memory_mb)
    simulation.world.send(ExecutorsKilled(application.number, ()))


def hoarders(application: SparkApplication, cluster: SparkCluster) -> list[SparkApplication]:
    """Others that hold cores and set no maximum, so that they are given whatever comes free."""
    others = cluster.applications.values()
    return [each for each in others if each is not application and each.cores_wanted == INT_MAX and each.executors]
