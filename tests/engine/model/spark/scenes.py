"""Workers, applications, executors and drivers of a Master's state in few words."""

from collections.abc import Iterator

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


# Checks what must always hold of a Master's state; violations are bugs of ours.


def check(cluster: SparkCluster) -> tuple[str, ...]:
    """Violations in words; empty when all is well."""
    found: list[str] = []
    for worker in cluster.workers:
        found += _of_worker(worker)
    open_workers = {worker.sequence for worker in cluster.workers if worker.state == "ALIVE" and worker.cores_free > 0}
    if open_workers != set(cluster.with_cores):
        found.append("the list of workers with free cores is not right")
    for application in cluster.applications.values():
        found += _of_application(application)
    for driver in cluster.waiting_drivers:
        if driver.state != "SUBMITTED" or driver.worker is not None:
            found.append(f"driver {driver.number} waits and is {driver.state}")
    return tuple(found)


def _of_worker(worker: Worker) -> Iterator[str]:
    held: list[Executor | Driver] = [*worker.executors.values(), *worker.drivers.values()]
    if worker.cores_free < 0 or worker.memory_free_mb < 0:
        yield f"{worker.id} is overfilled"
    if worker.cores - worker.cores_free != sum(each.cores for each in held):
        yield f"{worker.id} counts {worker.cores - worker.cores_free} used cores"
    if worker.memory_mb - worker.memory_free_mb != sum(each.memory_mb for each in held):
        yield f"{worker.id} counts {worker.memory_mb - worker.memory_free_mb} MB used"


def _of_application(application: SparkApplication) -> Iterator[str]:
    name = f"application {application.number}"
    if application.cores_granted != sum(each.cores for each in application.executors.values()):
        yield f"{name} counts {application.cores_granted} cores granted"
    if application.cores_left < 0:
        yield f"{name} has more than its maximum"
    if sum(application.live_by_profile.values()) != len(application.executors):
        yield f"{name} counts other executors by profile"
    for executor in application.executors.values():
        if executor.worker.executors.get((application.number, executor.id)) is not executor:
            yield f"{name}: its executor {executor.id} is not on its worker"
