"""What observers are told of a Spark Master's cluster."""

import pytest

from engine.control_plane.cluster_view import ApplicationSummary, ClusterModes
from engine.control_plane.protocol import ApplicationFinished, Event, NodeLost
from engine.control_plane.spark_cluster_view import (
    NO_LIMIT,
    QUEUE,
    executors_pending,
    has_obstacle,
    helpings,
    waiting_drivers,
    wanted_shapes,
)
from engine.control_plane.spark_events import (
    DriverSubmitted,
    ExecutorProfile,
    ExecutorsRequested,
    WorkerRegistered,
)
from engine.control_plane.spark_master import SparkMaster
from engine.model.spark.application import ExecutorShape, SparkApplication
from engine.schedulers.scheduler_view import UNKNOWN
from engine.settings.spark import SPARK
from tests.engine.observe.test_spark_snapshot import WORKER, after, application


def _pending(*events: Event) -> object:
    return after(*events).view().figures().containers_pending


def test_figures_count_live_workers() -> None:
    figures = (
        after(WORKER, WorkerRegistered("b:1", "w2", 2, 512), DriverSubmitted(1, 256), NodeLost("b:1")).view().figures()
    )

    assert (figures.total, figures.used, figures.nodes, figures.nodes_down) == ((4096, 4), (256, 1), 1, 1)
    assert (figures.reserved, figures.nodes_reserved) == (UNKNOWN, UNKNOWN)


def test_pending_executors_are_added_up() -> None:
    assert _pending(application(512, 4, 2), application(512, 6, 2)) == 5
    assert _pending(application(512, 4, 2), application(512)) is UNKNOWN


def test_an_application_with_executors_works_and_does_not_wait() -> None:
    """Without any it waits since it asked; with a maximum not met it has an obstacle all the same."""
    view = after(WORKER, application(512, 6, 2), application(512, 2, 2)).view()

    assert view.applications() == [
        ApplicationSummary(0, "etl", "ann", QUEUE, 1_000, None, True, True, 1_000),
        ApplicationSummary(1, "etl", "ann", QUEUE, 2_000, 2_000, True, False, 2_000),
    ]
    assert view.somebody_waits()
    assert (view.application(9), view.numbers_running()) == (None, [0])


def test_nobody_waits_who_is_served_or_asks_for_nothing() -> None:
    assert not after(WORKER, application(512, 4, 2)).view().somebody_waits()
    assert not after(WORKER, application(512, 4, 2, 0)).view().somebody_waits()


def test_ids_are_written_as_spark_does() -> None:
    view = after(WORKER, application(), application(), ApplicationFinished(0)).view()

    assert [view.application_id(number) for number in (0, 1, 7)] == [
        "app-19700101000001-0000",
        "app-19700101000002-0001",
        "0007",
    ]
    assert view.container_id((1, 0, 3)) == "app-19700101000002-0001/3"
    assert list(view.ended()) == [(0, 1_000)]


@pytest.mark.parametrize(
    ("memory_mb", "cores", "fits"), [(4096, 4, True), (4097, 4, False), (4096, 5, False), (1, 1, True)]
)
def test_an_executor_fits_some_worker_or_none(memory_mb: int, cores: int, *, fits: bool) -> None:
    assert after(WORKER).view().has_room_ever(memory_mb, cores) is fits
    assert after().view().has_room_ever(memory_mb, cores)


def test_a_master_reserves_nothing_and_records_no_refusals() -> None:
    view = SparkMaster({}).view()

    assert (view.records_refusals, view.reservations(), view.longest_timer_ms()) == (False, [], 0)


def test_a_profile_is_wanted_while_cores_and_executors_are_left() -> None:
    master = after(application(512, 5, 2, 2))
    (found,) = master.cluster.applications.values()
    wanted = [helpings(found, 0)]
    for granted, limit in ((3, 2), (4, 2), (0, 0), (0, 1)):
        found.cores_granted = granted
        master.handle(ExecutorsRequested(0, ((0, limit),), ()), 9_000)
        wanted.append(helpings(found, 0))

    assert wanted == [2, 1, 0, 0, 1]


def test_who_has_executors_and_no_maximum_has_no_obstacle() -> None:
    served, unserved = after(WORKER, application(512), application(512, 4, 4)).cluster.applications.values()

    assert [has_obstacle(served), has_obstacle(unserved)] == [False, True]
    assert [len(wanted_shapes(served)), len(wanted_shapes(unserved))] == [1, 1]


def test_profiles_that_compete_are_not_added_up() -> None:
    """Two that fit into the maximum together are; those that just do not fit are unknown."""
    request = ExecutorsRequested(0, ((0, 1), (1, 2)), (ExecutorProfile(1, 1, 256),))

    assert _pending(application(512, 4, 2), request) == 3
    assert _pending(application(512, 3, 2), request) is UNKNOWN


def test_the_queue_is_the_fifo_list() -> None:
    master = after(WORKER, WorkerRegistered("b:1", "w2", 2, 512), application(512, 3, 1), application(512, 4, 4))
    master.handle(NodeLost("b:1"), 9_000)

    (row,) = master.view().policy.queues()

    assert (row.path, row.depth, row.is_leaf, row.policy, row.max_share) == (QUEUE, 0, True, "fifo, spread out", None)
    assert (row.used, row.containers) == ((1536, 3), 3)
    assert (row.applications_running, row.applications_pending) == (1, 1)
    policy = master.view().policy
    assert (policy.queue_name("fifo"), policy.settings()) == ("fifo", SPARK.live)


def test_packing_is_told_apart_from_spreading() -> None:
    view = SparkMaster({"spark.deploy.spreadOutApps": "false"}).view()

    assert (view.modes(), view.policy.queues()[0].policy) == (ClusterModes(UNKNOWN, "", False), "fifo, packing")
    assert SparkMaster({}).view().modes().spread_out is True
    assert (view.delay_offers(0), view.kind) == (0, "spark")


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


def test_one_profile_without_a_size_leaves_the_number_unknown() -> None:
    found = one(5, None)
    found.add_profile(1, 2, 256)

    assert executors_pending(found) is UNKNOWN


@pytest.mark.parametrize(
    ("each", "limit", "granted", "times"),
    [(None, None, 1, 4), (None, 2, 1, 4), (None, 0, 1, 0), (2, 1, 0, 1), (2, 9, 6, 0)],
)
def test_an_executor_that_takes_all_it_gets_is_helped_core_by_core(
    each: int | None, limit: int | None, granted: int, times: int
) -> None:
    assert helpings(one(5, each, limit, granted), 0) == times


@pytest.mark.parametrize(
    ("cores", "limit", "waits"), [(4, None, True), (1, 0, False), (1, 1, True), (4, 0, False), (1, None, True)]
)
def test_who_wants_cores_or_executors_waits(cores: int, limit: int | None, waits: bool) -> None:
    """One of both is enough: an executor is wanted though the cores left are too few for it."""
    (row,) = after(application(512, cores, 2, limit)).view().applications()

    assert (row.waiting_since_ms is not None) is waits
    assert row.waits


def test_ended_applications_have_their_ids() -> None:
    view = after(application(), ApplicationFinished(0)).view()

    assert (view.application_id(0), view.application(0)) == ("app-19700101000000-0000", None)
