"""What observers are told of a ResourceManager's cluster."""

import pytest

from engine.control_plane.cluster_view import RecoveryFigures
from engine.control_plane.protocol import (
    DriverSubmitted,
    ExecutorsRequested,
    NodeJoined,
    ResourceManagerStarted,
    ResourceManagerStopped,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.control_plane.spark_cluster_view import NO_LIMIT, executors_pending, waiting_drivers
from engine.model.spark.application import ExecutorShape, SparkApplication
from engine.schedulers.interface import UNKNOWN
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update
from tests.engine.observe.test_yarn_snapshot import after, application


def _held(nodes: int = 2) -> ResourceManager:
    """Nodes half full with application 1, all reserved by application 2."""
    rm = resource_manager(nodes=nodes, memory_mb=8192)
    ask(rm, submit(rm, "root.filler"), nodes, 4096)
    update(rm)
    for node in range(1, nodes + 1):
        heartbeat(rm, node)
    ask(rm, submit(rm, "root.large"), nodes, 8192)
    update(rm)
    for node in range(nodes, 0, -1):
        heartbeat(rm, node)
    return rm


def test_an_application_waits_for_what_it_asks_and_works_with_what_it_has() -> None:
    """The container of its master is no work; one that asks for nothing waits for nothing."""
    rm = resource_manager(nodes=1)
    works, idle = submit(rm, "root.a"), submit(rm, "root.b")
    ask(rm, works, 2)
    update(rm)
    heartbeat(rm)
    managed = submit(rm, "root.c", am_mb=1024)
    update(rm)
    for _ in range(3):
        heartbeat(rm)
    rows = {row.number: (row.waits, row.works) for row in rm.view().applications()}

    assert attempt_of(rm, managed).master is not None
    assert rows == {works: (False, True), idle: (False, False), managed: (False, False)}


@pytest.mark.parametrize("nodes", [2, 20])
def test_reservations_come_in_order_of_node(nodes: int) -> None:
    rm = _held(nodes)
    few = resource_manager(nodes=20, memory_mb=8192)
    ask(few, submit(few, "root.filler"), 20, 4096)
    update(few)
    for node in range(1, 21):
        heartbeat(few, node)
    ask(few, submit(few, "root.large"), 1, 8192)
    update(few)
    for node in (9, 4):
        heartbeat(few, node)

    assert [one.node.id for one in rm.view().reservations()] == [f"n{node}:1" for node in range(1, nodes + 1)]
    assert [one.node.id for one in few.view().reservations()] == ["n4:1", "n9:1"]


@pytest.mark.parametrize(
    ("scheduler", "memory_mb", "vcores", "fits"),
    [
        ("fair-2.7", 8192, 8, True),
        ("fair-2.7", 8193, 8, False),
        ("fair-2.7", 8192, 9, False),
        ("fifo", 8192, 9, True),
        ("fifo", 8193, 1, False),
    ],
)
def test_a_container_fits_some_node_or_none(scheduler: str, memory_mb: int, vcores: int, *, fits: bool) -> None:
    """As large as the largest node; FIFO does not look at vcores; without nodes nobody can say."""
    view = resource_manager(scheduler, nodes=2).view()

    assert view.has_room_ever(memory_mb, vcores) is fits
    assert resource_manager(scheduler, nodes=1, vcores=0).view().has_room_ever(1, 0)
    assert resource_manager(scheduler, nodes=0).view().has_room_ever(memory_mb, vcores)


def test_recovery_is_told_until_all_are_back() -> None:
    """Nodes that were up and those that are back, masters that have not registered, and until when it waits."""
    settings = {
        "yarn.resourcemanager.recovery.enabled": "true",
        "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": "1000",
    }
    rm = resource_manager(nodes=2, settings=settings)
    submit(rm)
    assert rm.view().recovery() is None

    rm.handle(ResourceManagerStopped(), START_MS + 1)
    assert rm.view().recovery() == RecoveryFigures(True, START_MS + 1, 0, 2, 0, -1)

    rm.handle(ResourceManagerStarted(), START_MS + 5)
    rm.handle(NodeJoined("n1:1", "/r1", 8192, 8), START_MS + 6)
    assert rm.view().recovery() == RecoveryFigures(False, START_MS + 5, 1, 2, 1, START_MS + 1005)


# What observers are told of a Spark Master's cluster.


def test_a_driver_that_waits_is_an_application_of_one_executor() -> None:
    """Numbered from -1 down, before the others; it has the id of a driver."""
    view = after(DriverSubmitted(2, 256, name="etl"), DriverSubmitted(1, 128), application()).view()

    rows = [(row.number, row.name, row.submitted_ms, row.waits) for row in view.applications()]
    assert rows == [(-1, "etl", 0, True), (-2, "", 1_000, True), (0, "etl", 2_000, True)]
    assert view.application(-2) == view.applications()[1]
    assert (view.application(-3), view.somebody_waits()) == (None, True)
    ids = [view.application_id(number) for number in (-1, -2)]
    assert ids == ["driver-19700101000000-0000", "driver-19700101000001-0001"]
    driver = waiting_drivers(view.cluster)[0]
    assert (driver.shapes, driver.cores_wanted) == ({0: ExecutorShape(2, 256)}, 2)
    assert (driver.targets, driver.state) == ({0: 1}, "SUBMITTED")


def one(cores: int | None, each: int | None, limit: int | None = None, granted: int = 0) -> SparkApplication:
    (found,) = after(application(512, cores, each, limit)).cluster.applications.values()
    found.cores_granted = granted
    return found


@pytest.mark.parametrize(
    ("cores", "each", "limit", "granted", "pending"),
    [
        (5, 2, None, 0, 2),
        (5, 2, None, 4, 0),
        (5, 2, 1, 0, 1),
        (5, 2, None, 7, 0),
        (5, None, None, 0, UNKNOWN),
        (5, None, None, 5, 0),
        (5, None, None, 6, 0),
        (5, None, None, 4, UNKNOWN),
        (NO_LIMIT + 1, 1, 3, 0, UNKNOWN),
        (NO_LIMIT, 1, 3, 0, 3),
        (None, 1, 3, 0, UNKNOWN),
        (None, 1, 0, 0, 0),
    ],
)
def test_executors_pending_are_known_where_their_size_and_a_maximum_are(
    cores: int | None, each: int | None, limit: int | None, granted: int, pending: object
) -> None:
    assert executors_pending(one(cores, each, limit, granted)) == pending


@pytest.mark.parametrize(
    ("cores", "limit", "waits"), [(4, None, True), (1, 0, False), (1, 1, True), (4, 0, False), (1, None, True)]
)
def test_who_wants_cores_or_executors_waits(cores: int, limit: int | None, waits: bool) -> None:
    """An executor is wanted though the cores left are too few for it; who asks later waits from then on."""
    (row,) = after(application(512, cores, 2, limit)).view().applications()
    (later,) = after(application(512, 4, 2, 0), ExecutorsRequested(0, ((0, 1),))).view().applications()

    assert later.waiting_since_ms == 1000
    assert (row.waiting_since_ms is not None, row.waits) == (waits, waits)
