"""The life of workers, applications and executors in a Master's state, field by field."""

import pytest

from engine.errors import InvariantError
from engine.model.spark.application import DEFAULT_PROFILE
from tests.engine.model.spark.scenes import cluster_of, drive, launched, submitted


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
