"""Tells why a Spark application is not given more: the obstacle that a pass would find now.

Asks the questions a pass asks, in its order, and changes nothing. Source: Master#canLaunchExecutor, Spark 4.x; the
driver's own words for it are "Initial job has not accepted any resources".
"""

from collections.abc import Sequence

from engine.control_plane.spark_cluster_view import has_obstacle, wanted_shapes
from engine.model.spark.application import ExecutorShape, SparkApplication
from engine.model.spark.cluster import SparkCluster
from engine.model.spark.worker import Worker
from engine.observe.snapshot import ObstacleSummary

UNASKED = "has not accepted any resources"


def spark_obstacle(application: SparkApplication, cluster: SparkCluster) -> ObstacleSummary | None:
    """Find the obstacle of an application; None when it has all it asks for, or executors and no maximum."""
    if not has_obstacle(application):
        return None
    shapes = wanted_shapes(application)
    return _no_worker(application, shapes, cluster) if shapes else _asks_for_nothing(application)


def _asks_for_nothing(application: SparkApplication) -> ObstacleSummary:
    step = min(shape.step for shape in application.shapes.values())
    if application.cores_left < step:
        sentence = f"its maximum of {application.cores_wanted} cores is less than the {step} of one executor"
        return ObstacleSummary("MAXIMUM_TOO_SMALL", sentence)
    return ObstacleSummary("NOTHING_ASKED", "it asks for no executor (its executor limit is 0)")


def _no_worker(
    application: SparkApplication, wanting: Sequence[ExecutorShape], cluster: SparkCluster
) -> ObstacleSummary:
    alive = [worker for worker in cluster.workers if worker.state == "ALIVE"]
    shape = wanting[0]
    need = f"{shape.step} cores and {shape.memory_mb} MB"
    is_driver = application.number < 0
    end = f"; it {UNASKED}" if not application.executors and not is_driver else ""
    if not alive:
        return ObstacleSummary("NO_WORKER", f"no worker is alive{end}")
    if not any(
        worker.cores >= each.step and worker.memory_mb >= each.memory_mb for worker in alive for each in wanting
    ):
        best = largest_for(shape, alive)
        size = f"{best.cores} cores and {best.memory_mb} MB"
        thing = "the driver" if is_driver else "one executor"
        sentence = f"no worker is large enough for {thing} of {need} (the nearest has {size}){end}"
        return ObstacleSummary("NODE_TOO_SMALL", sentence)
    if any(worker.fits(each.step, each.memory_mb) for worker in alive for each in wanting):
        return ObstacleSummary(
            "WAITS_FOR_EVENT", f"a worker has {need} free; the next event makes the Master look{end}"
        )
    with_cores = [worker for worker in alive if worker.cores_free >= shape.step]
    if with_cores:
        sentence = f"{len(with_cores)} of {len(alive)} workers have the cores, none of them {shape.memory_mb} MB{end}"
        return ObstacleSummary("DOES_NOT_FIT", sentence)
    most = max(worker.cores_free for worker in alive)
    return ObstacleSummary("DOES_NOT_FIT", f"no worker has {shape.step} cores free (the most is {most}){end}")


def largest_for(shape: ExecutorShape, workers: Sequence[Worker]) -> Worker:
    """The worker that comes nearest to holding an executor: what it lacks most of, it lacks least."""

    def lacks(worker: Worker) -> float:
        return max((shape.step - worker.cores) / shape.step, (shape.memory_mb - worker.memory_mb) / shape.memory_mb)

    return min(workers, key=lacks)
