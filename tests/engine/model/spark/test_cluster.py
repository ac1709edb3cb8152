"""What the Master believes, and the mutators that keep it right."""

import pytest

from engine.errors import InvariantError
from engine.fork import fork
from engine.model.spark.application import DEFAULT_PROFILE, ExecutorShape, SparkApplication, Worker
from engine.model.spark.cluster import SparkCluster
from tests.engine.model.spark.invariants import check
from tests.engine.model.spark.scenes import cluster_of, drive, launched, submitted


def small() -> tuple[SparkCluster, Worker, SparkApplication]:
    """One worker of 4 cores and 4096 MB, one application of 2-core executors."""
    cluster = SparkCluster()
    worker = cluster.add_worker("w1", "a:1", "", 4, 4096, 0)
    application = cluster.add_application(None, "etl", "u", 4, ExecutorShape(2, 1024), None, 0)
    return cluster, worker, application


def test_launching_takes_from_application_and_worker() -> None:
    """Cores from both, memory from the worker, the next executor id, and the application runs."""
    cluster, worker, application = small()

    executor = cluster.launch_executor(application, worker, 2, 1024, DEFAULT_PROFILE, 5)

    assert (executor.id, application.cores_left, application.state) == (0, 2, "RUNNING")
    assert (worker.cores_free, worker.memory_free_mb) == (2, 3072)
    assert check(cluster) == ()


def test_an_overfull_worker_is_a_bug() -> None:
    cluster, worker, application = small()
    driver = cluster.add_driver("d", 9, 1, False, 0)

    with pytest.raises(InvariantError):
        cluster.launch_executor(application, worker, 5, 1, DEFAULT_PROFILE, 0)
    with pytest.raises(InvariantError):
        cluster.launch_driver(driver, worker, 0)


def test_a_dead_workers_figures_freeze() -> None:
    cluster, worker, application = small()
    cluster.launch_executor(application, worker, 2, 1024, DEFAULT_PROFILE, 0)

    lost = cluster.mark_dead(worker)

    assert [executor.state for executor in lost] == ["LOST"]
    assert (application.cores_left, application.executors) == (4, {})
    assert (worker.cores_free, len(worker.executors)) == (2, 1)


def test_a_dead_worker_leaves_the_list_when_its_address_registers_again() -> None:
    cluster, worker, _ = small()
    other = cluster.add_worker("w2", "b:1", "", 1, 1, 7)
    cluster.mark_dead(worker)
    cluster.mark_dead(other)

    cluster.add_worker("w3", "a:1", "", 4, 4096, 9)

    assert [each.id for each in cluster.workers] == ["w2", "w3"]
    assert (cluster.drop_dead(7), cluster.drop_dead(8)) == (0, 1)


def test_a_profile_keeps_its_first_shape() -> None:
    """What it does not say is the default's; ids are served ascending; a target is 0 until requested."""
    _, _, application = small()

    application.add_profile(3, None, 512)
    application.add_profile(1, 1, None)
    application.add_profile(3, 4, 4)

    assert application.profiles == (0, 1, 3)
    assert application.shapes[3] == ExecutorShape(2, 512)
    assert application.shapes[1] == ExecutorShape(1, 1024)
    assert application.executors_left(3) == 0


def test_a_copy_shares_nothing_that_changes() -> None:
    """Ending executor, driver and worker in the original leaves the copy as it was, and it is sound."""
    cluster, worker, application = small()
    executor = cluster.launch_executor(application, worker, 2, 1024, DEFAULT_PROFILE, 0)
    driver = cluster.add_driver("d", 1, 512, True, 0)
    cluster.launch_driver(driver, worker, 0)
    cluster.add_driver("waits", 9, 512, False, 0)

    copy = fork(cluster)
    cluster.end_executor(executor, "EXITED")
    cluster.end_driver(driver, "FINISHED")
    cluster.mark_dead(worker)

    twin = copy.by_node["a:1"]
    assert (twin.cores_free, twin.state, len(twin.executors), len(twin.drivers)) == (1, "ALIVE", 1, 1)
    assert copy.waiting_drivers[0] is copy.drivers[1]
    assert check(copy) == ()


def test_violations_are_told() -> None:
    cluster, worker, application = small()
    executor = cluster.launch_executor(application, worker, 2, 1024, DEFAULT_PROFILE, 0)
    cluster.add_driver("d", 1, 512, True, 0).state = "RUNNING"
    worker.cores_free = -1
    worker.memory_free_mb = 0
    application.cores_granted = 9
    application.live_by_profile[DEFAULT_PROFILE] = 0
    executor.worker = Worker("x", "x:1", "", 1, 1, 9, 0)

    assert len(check(cluster)) == 9


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


@pytest.mark.parametrize("state", ["DEAD", "DECOMMISSIONED"])
def test_nothing_is_launched_on_a_worker_that_is_not_alive(state: str) -> None:
    cluster = cluster_of((4, 4096))
    worker, application = cluster.workers[0], submitted(cluster)
    (cluster.mark_dead if state == "DEAD" else cluster.decommission)(worker)
    assert cluster.with_cores == {}

    with pytest.raises(InvariantError, match=state):
        launched(cluster, application, worker)
    with pytest.raises(InvariantError, match=state):
        drive(cluster, worker)


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


def test_dead_workers_are_dropped_by_their_last_heartbeat() -> None:
    cluster = cluster_of((1, 1), (1, 1), (1, 1))
    for worker, heard_ms in zip(cluster.workers, (9, 10, 0), strict=True):
        worker.last_heartbeat_ms = heard_ms
    for worker in cluster.workers[:2]:
        cluster.mark_dead(worker)

    assert (cluster.drop_dead(10), [worker.id for worker in cluster.workers]) == (1, ["w1", "w2"])


def test_every_change_is_counted_once() -> None:
    cluster = cluster_of((8, 8192))
    worker, application = cluster.workers[0], submitted(cluster)
    executor = launched(cluster, application, worker)
    assert cluster.version == 3

    cluster.mark_running(executor)
    assert cluster.version == 4
    cluster.end_executor(executor, "EXITED")
    assert cluster.version == 5

    driver = drive(cluster, None)
    assert cluster.version == 6
    cluster.launch_driver(driver, worker, 0)
    assert cluster.version == 7
    cluster.end_driver(driver, "FINISHED")
    assert cluster.version == 8

    cluster.decommission(worker)
    assert cluster.version == 9
    cluster.mark_dead(worker)
    assert cluster.version == 10
    cluster.end_application(application, "FINISHED", 0)
    cluster.drop_dead(99)
    assert cluster.version == 11
