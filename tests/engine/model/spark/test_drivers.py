"""Drivers on their workers, and the ids that orders hang on."""

from engine.model.spark.cluster import application_id, driver_id, worker_id
from tests.engine.model.spark.scenes import cluster_of, drive

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
