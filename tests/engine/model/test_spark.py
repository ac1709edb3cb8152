"""Workers, applications, executors and drivers of a Master's state in few words."""

from collections.abc import Iterator

import pytest

from engine.errors import InvariantError
from engine.model.spark.application import DEFAULT_PROFILE, Driver, Executor, ExecutorShape, SparkApplication, Worker
from engine.model.spark.cluster import SparkCluster, application_id, driver_id, worker_id


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


# The life of workers, applications and executors in a Master's state, field by field.


@pytest.mark.parametrize(
    ("cores", "memory_mb", "fits"), [(4, 4096, True), (5, 4096, False), (4, 4097, False), (0, 0, True)]
)
def test_what_is_free_fits(cores: int, memory_mb: int, fits: bool) -> None:
    """Neither a core nor an MB more; an executor or driver is launched just where it does."""
    cluster = cluster_of((4, 4096))
    worker, application = cluster.workers[0], submitted(cluster)
    assert worker.fits(cores, memory_mb) is fits

    if fits:
        cluster.launch_executor(application, worker, cores, memory_mb, DEFAULT_PROFILE, 0)
        return
    with pytest.raises(InvariantError, match=rf"^w0 \(ALIVE\) cannot take {cores} cores and {memory_mb} MB$"):
        cluster.launch_executor(application, worker, cores, memory_mb, DEFAULT_PROFILE, 0)
    with pytest.raises(InvariantError, match=r"^w0 \(ALIVE\) cannot take driver 0$"):
        drive(cluster, worker, cores, memory_mb)


def test_executors_are_killed_in_the_order_of_sparks_map() -> None:
    """By bucket; from the 12th on there are 32, from the 24th on 64, which stay when executors end."""
    cluster = cluster_of((200, 200_000))
    application = submitted(cluster)
    executors = [launched(cluster, application, cluster.workers[0]) for _ in range(18)]
    assert application.executor_buckets == 32
    for executor in executors[:16]:
        cluster.end_executor(executor, "EXITED")
    executors += [launched(cluster, application, cluster.workers[0]) for _ in range(16)]

    assert [each.id for each in cluster.executors_in_spark_order(application)] == [32, 33, *range(16, 32)]
    assert [each.id for each in cluster.end_application(application, "KILLED", 0)] == [32, 33, *range(16, 32)]


# Drivers on their workers, and the ids that orders hang on.

NOON_MS = 1_510_315_199_999
"""2017-11-10, the last ms of the second before noon."""


def test_ids_have_the_second_of_their_instant() -> None:
    """Numbers have at least four digits; a worker's id has its host and its port."""
    assert application_id(NOON_MS, 12345) == "app-20171110115959-12345"
    assert application_id(NOON_MS + 1, 0) == "app-20171110120000-0000"
    assert driver_id(NOON_MS, 1) == "driver-20171110115959-0001"
    assert worker_id(NOON_MS, "fe80::1:7078") == "worker-20171110115959-fe80::1-7078"


def test_drivers_are_relaunched_in_the_order_of_sparks_map() -> None:
    """By the hashes of their names, in as many buckets as there ever were."""
    cluster = cluster_of((100, 100_000))
    worker = cluster.workers[0]
    drivers = [drive(cluster, worker) for _ in range(13)]
    assert worker.driver_buckets == 32

    order = [each.number for each in cluster.drivers_in_spark_order(worker)]

    assert sorted(order) == list(range(13))
    names = [driver_id(11, number) for number in order]
    assert names == sorted(names, key=lambda name: (_spread(name) & 31, _spread(name)))
    cluster.end_driver(drivers[0], "FINISHED")
    assert worker.driver_buckets == 32


def _spread(name: str) -> int:
    value = 0
    for character in name:
        value = (31 * value + ord(character)) % 2**32
    value ^= value >> 16
    return value - 2**32 if value >= 2**31 else value
