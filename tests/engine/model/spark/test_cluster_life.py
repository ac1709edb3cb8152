"""The life of workers, applications and executors in a Master's state, field by field."""

import pytest

from engine.errors import InvariantError
from engine.model.spark.application import DEFAULT_PROFILE, ExecutorShape
from tests.engine.model.spark.invariants import check
from tests.engine.model.spark.scenes import cluster_of, drive, free, launched, submitted


def test_a_worker_joins_the_end_with_all_of_it_free() -> None:
    """It is known by address and id, and by its sequence while a core is free."""
    cluster = cluster_of((4, 4096))

    worker = cluster.add_worker("w9", "n9:1", "/r2", 8, 1000, 17)

    assert (worker.id, worker.node, worker.rack, worker.cores, worker.memory_mb) == ("w9", "n9:1", "/r2", 8, 1000)
    assert (worker.sequence, worker.last_heartbeat_ms, worker.state, free(worker)) == (1, 17, "ALIVE", (8, 1000))
    assert (worker.executors, worker.drivers) == ({}, {})
    assert cluster.workers[1:] == [worker]
    assert (cluster.by_node["n9:1"], cluster.by_id["w9"], cluster.with_cores[1]) == (worker,) * 3
    assert (list(cluster.with_cores), cluster.next_sequence) == ([0, 1], 2)


def test_a_worker_without_cores_is_not_among_those_with_some() -> None:
    """From the beginning."""
    assert cluster_of((0, 4096)).with_cores == {}


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
    """Whatever is free."""
    cluster = cluster_of((4, 4096))
    worker, application = cluster.workers[0], submitted(cluster)
    (cluster.mark_dead if state == "DEAD" else cluster.decommission)(worker)
    assert cluster.with_cores == {}

    with pytest.raises(InvariantError, match=state):
        launched(cluster, application, worker)
    with pytest.raises(InvariantError, match=state):
        drive(cluster, worker)


def test_applications_are_numbered_in_turn_or_as_they_say() -> None:
    """The next number is beyond all; they keep the order of their arrival."""
    cluster = cluster_of()
    shape = ExecutorShape(None, 512)
    numbers = [
        cluster.add_application(number, "etl", "ann", 8, shape, 3, 7).number for number in (None, 5, 2, None, None)
    ]

    assert (numbers, list(cluster.applications), cluster.next_application) == ([0, 5, 2, 6, 7], [0, 5, 2, 6, 7], 8)
    last = cluster.applications[7]
    assert (last.name, last.user, last.cores_wanted, last.shapes[0], last.submitted_ms) == ("etl", "ann", 8, shape, 7)
    assert last.targets == {0: 3}


def test_a_launched_executor_is_known_to_application_and_worker() -> None:
    """Its application waits no longer; executors are numbered in turn."""
    cluster = cluster_of((4, 4096))
    worker, application = cluster.workers[0], submitted(cluster)
    application.add_profile(3, 1, 100)

    first = launched(cluster, application, worker)
    second = cluster.launch_executor(application, worker, 2, 100, 3, 10)

    assert (second.application, second.id, second.worker, second.profile) == (0, 1, worker, 3)
    assert (second.cores, second.memory_mb, second.state, second.launched_ms) == (2, 100, "LAUNCHING", 10)
    assert (application.executors, worker.executors) == ({0: first, 1: second}, {(0, 0): first, (0, 1): second})
    assert (application.live_by_profile, application.cores_granted) == ({0: 1, 3: 1}, 4)
    assert (application.next_executor, application.waiting_since_ms, application.state) == (2, None, "RUNNING")
    assert (free(worker), cluster.with_cores) == ((0, 2972), {})
    assert check(cluster) == ()


def test_an_ended_executor_gives_back_what_it_held() -> None:
    """An application that lost its last one is noted; an illegal end changes nothing."""
    cluster = cluster_of((4, 4096))
    worker, application = cluster.workers[0], submitted(cluster)
    first, second = launched(cluster, application, worker), launched(cluster, application, worker)
    assert cluster.with_cores == {}

    cluster.end_executor(first, "FAILED")
    assert (first.state, free(worker), cluster.with_cores) == ("FAILED", (2, 3072), {0: worker})
    assert (application.executors, application.live_by_profile, application.cores_granted) == ({1: second}, {0: 1}, 2)
    assert cluster.lost_all_executors == []

    with pytest.raises(InvariantError, match="FAILED may not become EXITED; allowed: nothing"):
        cluster.end_executor(first, "EXITED")

    cluster.end_executor(second, "EXITED")
    assert (application.executors, application.cores_granted, cluster.lost_all_executors) == ({}, 0, [application])
    assert (worker.executors, free(worker)) == ({}, (4, 4096))


def test_an_executor_that_runs_lets_failures_be_forgotten() -> None:
    """It was launching before."""
    cluster = cluster_of((4, 4096))
    application = submitted(cluster)
    executor = launched(cluster, application, cluster.workers[0])
    application.failures = 3

    cluster.mark_running(executor)

    assert (executor.state, application.failures) == ("RUNNING", 0)


def test_a_decommissioned_workers_executors_leave_it_once() -> None:
    """They stay on it until it is dead, when those that have left are not returned again."""
    cluster = cluster_of((4, 4096), (4, 4096))
    worker, application = cluster.workers[0], submitted(cluster)
    executor, other = launched(cluster, application, worker), launched(cluster, application, cluster.workers[1])

    assert cluster.decommission(worker) == (executor,)
    assert (worker.state, executor.state, application.executors) == ("DECOMMISSIONED", "DECOMMISSIONED", {1: other})
    assert (free(worker), list(cluster.with_cores), "n0:1" in cluster.by_node) == ((2, 3072), [1], True)

    assert cluster.mark_dead(worker) == ()
    assert (worker.state, executor.state, list(cluster.by_node), list(cluster.by_id)) == (
        "DEAD",
        "LOST",
        ["n1:1"],
        ["w1"],
    )
    assert (free(worker), application.cores_granted, cluster.lost_all_executors) == ((2, 3072), 2, [])


def test_an_executor_of_a_dead_worker_is_lost() -> None:
    """It is returned, and its application has lost the last one."""
    cluster = cluster_of((4, 4096))
    application = submitted(cluster)
    executor = launched(cluster, application, cluster.workers[0])

    assert cluster.mark_dead(cluster.workers[0]) == (executor,)
    assert (executor.state, cluster.lost_all_executors) == ("LOST", [application])


def test_an_ended_application_leaves_with_its_executors() -> None:
    """They are killed and their workers free; it is remembered after those before it."""
    cluster = cluster_of((8, 9000))
    worker, first, second = cluster.workers[0], submitted(cluster), submitted(cluster)
    mine = [launched(cluster, first, worker) for _ in range(2)]
    other = launched(cluster, second, worker)

    assert cluster.end_application(first, "FINISHED", 33) == tuple(mine)
    assert (first.state, first.finished_ms, first.waiting_since_ms) == ("FINISHED", 33, None)
    assert ([each.state for each in mine], other.state) == (["KILLED", "KILLED"], "LAUNCHING")
    assert (free(worker), worker.executors) == ((6, 9000 - 1024), {(1, 0): other})
    assert (cluster.applications, cluster.completed_applications) == ({1: second}, [first])

    cluster.end_application(second, "KILLED", 34)
    assert (cluster.applications, cluster.completed_applications) == ({}, [first, second])


def test_an_application_that_waits_to_its_end_waits_no_longer() -> None:
    """It had no executor to be killed."""
    cluster = cluster_of()
    application = submitted(cluster)

    assert cluster.end_application(application, "FAILED", 33) == ()
    assert (application.waiting_since_ms, application.state) == (None, "FAILED")


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
    """Those that live stay, and those of the instant itself."""
    cluster = cluster_of((1, 1), (1, 1), (1, 1))
    for worker, heard_ms in zip(cluster.workers, (9, 10, 0), strict=True):
        worker.last_heartbeat_ms = heard_ms
    for worker in cluster.workers[:2]:
        cluster.mark_dead(worker)

    assert (cluster.drop_dead(10), [worker.id for worker in cluster.workers]) == (1, ["w1", "w2"])


def test_every_change_is_counted_once() -> None:
    """Dropping dead workers is none."""
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
