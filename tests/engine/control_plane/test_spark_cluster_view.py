"""What observers are told of a Spark Master's cluster."""

import pytest

from engine.control_plane.protocol import NodeLost
from engine.control_plane.spark_cluster_view import (
    NO_LIMIT,
    QUEUE,
    executors_pending,
    has_obstacle,
    waiting_drivers,
    wanted_shapes,
)
from engine.control_plane.spark_events import (
    DriverSubmitted,
    WorkerRegistered,
)
from engine.model.spark.application import ExecutorShape, SparkApplication
from engine.schedulers.interface import UNKNOWN
from engine.settings.spark import SPARK
from tests.engine.observe.test_spark_snapshot import WORKER, after, application


def test_figures_count_live_workers() -> None:
    figures = (
        after(WORKER, WorkerRegistered("b:1", "w2", 2, 512), DriverSubmitted(1, 256), NodeLost("b:1")).view().figures()
    )

    assert (figures.total, figures.used, figures.nodes, figures.nodes_down) == ((4096, 4), (256, 1), 1, 1)
    assert (figures.reserved, figures.nodes_reserved) == (UNKNOWN, UNKNOWN)


def test_who_has_executors_and_no_maximum_has_no_obstacle() -> None:
    served, unserved = after(WORKER, application(512), application(512, 4, 4)).cluster.applications.values()

    assert [has_obstacle(served), has_obstacle(unserved)] == [False, True]
    assert [len(wanted_shapes(served)), len(wanted_shapes(unserved))] == [1, 1]


def test_the_queue_is_the_fifo_list() -> None:
    master = after(WORKER, WorkerRegistered("b:1", "w2", 2, 512), application(512, 3, 1), application(512, 4, 4))
    master.handle(NodeLost("b:1"), 9_000)

    (row,) = master.view().policy.queues()

    assert (row.path, row.depth, row.is_leaf, row.policy, row.max_share) == (QUEUE, 0, True, "fifo, spread out", None)
    assert (row.used, row.containers) == ((1536, 3), 3)
    assert (row.applications_running, row.applications_pending) == (1, 1)
    policy = master.view().policy
    assert (policy.queue_name("fifo"), policy.settings()) == ("fifo", SPARK.live)


def test_a_driver_that_waits_is_an_application_of_one_executor() -> None:
    """Numbered from -1 down, before the others; it has the id of a driver."""
    view = after(DriverSubmitted(2, 256, name="etl"), DriverSubmitted(1, 128), application()).view()

    assert [(row.number, row.name, row.submitted_ms, row.waits) for row in view.applications()] == [
        (-1, "etl", 0, True),
        (-2, "", 1_000, True),
        (0, "etl", 2_000, True),
    ]
    assert view.application(-2) == view.applications()[1]
    assert (view.application(-3), view.somebody_waits()) == (None, True)
    assert [view.application_id(number) for number in (-1, -2)] == [
        "driver-19700101000000-0000",
        "driver-19700101000001-0001",
    ]
    driver = waiting_drivers(view.cluster)[0]
    assert (driver.shapes, driver.cores_wanted, driver.targets, driver.state) == (
        *({0: ExecutorShape(2, 256)}, 2),
        *({0: 1}, "SUBMITTED"),
    )


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
    """One of both is enough: an executor is wanted though the cores left are too few for it."""
    (row,) = after(application(512, cores, 2, limit)).view().applications()

    assert (row.waiting_since_ms is not None) is waits
    assert row.waits
