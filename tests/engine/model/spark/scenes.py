"""Workers, applications, executors and drivers of a Master's state in few words."""

from engine.model.spark.application import DEFAULT_PROFILE, Driver, Executor, ExecutorShape, SparkApplication, Worker
from engine.model.spark.cluster import SparkCluster


def cluster_of(*workers: tuple[int, int]) -> SparkCluster:
    """Workers `w0`, `w1` … of so many cores and MB, at `n0:1`, `n1:1` and so on."""
    cluster = SparkCluster()
    for number, (cores, memory_mb) in enumerate(workers):
        cluster.add_worker(f"w{number}", f"n{number}:1", "/r", cores, memory_mb, 5)
    return cluster


def submitted(cluster: SparkCluster, cores: int = 100) -> SparkApplication:
    """An application of executors of 2 cores and 1024 MB."""
    return cluster.add_application(None, "etl", "ann", cores, ExecutorShape(2, 1024), None, 7)


def launched(cluster: SparkCluster, application: SparkApplication, worker: Worker) -> Executor:
    """An executor of 2 cores and 1024 MB."""
    return cluster.launch_executor(application, worker, 2, 1024, DEFAULT_PROFILE, 9)


def drive(cluster: SparkCluster, worker: Worker | None, cores: int = 1, memory_mb: int = 512) -> Driver:
    """A driver, launched on a worker if there is one."""
    driver = cluster.add_driver("d", cores, memory_mb, True, 11)
    if worker is not None:
        cluster.launch_driver(driver, worker, 13)
    return driver
