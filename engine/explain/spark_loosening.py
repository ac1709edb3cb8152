"""Settings of a Spark application or a waiting driver, loosened on a copy to see whether they decide anything."""

from collections.abc import Sequence

from engine.control_plane.spark_cluster_view import known_application
from engine.control_plane.spark_master import SCHEDULE
from engine.explain.obstacle_rows import ObstacleRow
from engine.model.java_number import INT_MAX
from engine.model.spark.application import SparkApplication
from engine.model.spark.cluster import SparkCluster
from engine.scenario.acts import KillApplication
from engine.settings.spark import DEFAULT_CORES
from engine.simulation.simulation import Simulation


def loose_values(row: ObstacleRow) -> Sequence[str]:
    """One value of no meaning, as there is one way to loosen each setting; nothing where there is none."""
    return ("",) if row.decided_by is not None else ()


def loosen(simulation: Simulation, cluster: SparkCluster, number: int, row: ObstacleRow) -> None:
    """Loosen the setting of an obstacle, and have the Master look again.

    Those that took all cores as they had no maximum are ended: with a maximum they would have left room.
    """
    assert row.decided_by is not None, "there is a setting to loosen"
    key, world = row.decided_by.key, simulation.world
    application = known_application(cluster, number)
    assert application is not None, "who waits is known"
    if key == DEFAULT_CORES.name:
        for each in hoarders(application, cluster):
            simulation.act(KillApplication(each.number))
    if key == "spark.cores.max":
        application.cores_wanted = INT_MAX
    if number < 0:
        _shrink_driver(cluster, number, key)
    else:
        _shrink_executors(application, key)
    world.settle(world.control_plane.run_pass(SCHEDULE, simulation.now_ms))


def _shrink_driver(cluster: SparkCluster, number: int, key: str) -> None:
    for driver in cluster.waiting_drivers:
        if driver.number == -1 - number:
            driver.cores = 1 if key == "spark.driver.cores" else driver.cores
            driver.memory_mb = 1 if key == "spark.driver.memory" else driver.memory_mb


def _shrink_executors(application: SparkApplication, key: str) -> None:
    for profile, shape in application.shapes.items():
        cores = 1 if key == "spark.executor.cores" else shape.cores
        memory_mb = 1 if key == "spark.executor.memory" else shape.memory_mb
        application.shapes[profile] = shape._replace(cores=cores, memory_mb=memory_mb)


def hoarders(application: SparkApplication, cluster: SparkCluster) -> list[SparkApplication]:
    """Others that hold cores and set no maximum, so that they are given whatever comes free."""
    others = cluster.applications.values()
    return [each for each in others if each is not application and each.cores_wanted == INT_MAX and each.executors]
