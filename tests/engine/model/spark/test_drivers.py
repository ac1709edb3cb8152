"""Drivers on their workers, and the ids that orders hang on."""

from engine.model.spark.cluster import application_id, driver_id, worker_id
from tests.engine.model.spark.scenes import cluster_of, drive, free

NOON_MS = 1_510_315_199_999
"""2017-11-10, the last ms of the second before noon."""


def test_ids_have_the_second_of_their_instant() -> None:
    """Numbers have at least four digits; a worker's id has its host and its port."""
    assert application_id(NOON_MS, 12345) == "app-20171110115959-12345"
    assert application_id(NOON_MS + 1, 0) == "app-20171110120000-0000"
    assert driver_id(NOON_MS, 1) == "driver-20171110115959-0001"
    assert worker_id(NOON_MS, "fe80::1:7078") == "worker-20171110115959-fe80::1-7078"


def test_drivers_wait_in_the_order_of_their_arrival() -> None:
    """A relaunched one has the number it had at first as its origin."""
    cluster = cluster_of()
    first = cluster.add_driver("d", 2, 512, True, 11)
    second = cluster.add_driver("e", 1, 256, False, 12, origin=0)

    assert (first.number, first.name, first.cores, first.memory_mb, first.supervise) == (0, "d", 2, 512, True)
    assert (first.submitted_ms, first.origin, first.state, first.worker, first.launched_ms) == (
        *(11, 0, "SUBMITTED"),
        *(None, None),
    )
    assert (second.number, second.origin, second.supervise) == (1, 0, False)
    assert (cluster.drivers, cluster.waiting_drivers, cluster.next_driver) == (
        {0: first, 1: second},
        [first, second],
        2,
    )


def test_a_launched_driver_takes_of_its_worker_what_it_gives_back() -> None:
    """One that waited when it ended gives nothing back."""
    cluster = cluster_of((2, 600))
    worker = cluster.workers[0]
    driver, waits = drive(cluster, worker, 2, 512), drive(cluster, None)
    assert (driver.state, driver.worker, driver.launched_ms) == ("RUNNING", worker, 13)
    assert (free(worker), worker.drivers, cluster.with_cores) == ((0, 88), {0: driver}, {})
    assert cluster.waiting_drivers == [waits]

    cluster.end_driver(driver, "FINISHED")
    assert (driver.state, free(worker), worker.drivers, cluster.with_cores) == ("FINISHED", (2, 600), {}, {0: worker})
    assert (cluster.drivers, cluster.completed_drivers) == ({1: waits}, [driver])

    cluster.end_driver(waits, "KILLED")
    assert (free(worker), cluster.drivers, cluster.completed_drivers) == ((2, 600), {}, [driver, waits])


def test_a_dead_workers_figures_change_when_its_driver_ends() -> None:
    """But it takes no work."""
    cluster = cluster_of((2, 600))
    worker = cluster.workers[0]
    driver = drive(cluster, worker)
    cluster.mark_dead(worker)

    cluster.end_driver(driver, "RELAUNCHING")

    assert (free(worker), cluster.with_cores) == ((2, 600), {})


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
    """Scala's improved hash of a text of ASCII, signed."""
    value = 0
    for character in name:
        value = (31 * value + ord(character)) % 2**32
    value ^= value >> 16
    return value - 2**32 if value >= 2**31 else value
