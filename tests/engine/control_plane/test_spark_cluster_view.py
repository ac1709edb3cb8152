"""What observers are told of a Spark Master's cluster."""

import pytest

from engine.control_plane.cluster_view import ApplicationSummary
from engine.control_plane.protocol import ApplicationFinished, Event, NodeLost
from engine.control_plane.spark_cluster_view import QUEUE, has_obstacle, helpings, wanted_shapes
from engine.control_plane.spark_events import (
    DriverSubmitted,
    ExecutorProfile,
    ExecutorsRequested,
    WorkerRegistered,
)
from engine.control_plane.spark_master import SparkMaster
from engine.schedulers.scheduler_view import UNKNOWN
from tests.engine.observe.test_spark_snapshot import WORKER, after, application


def _pending(*events: Event) -> object:
    """Executors that the cluster still has to give."""
    return after(*events).view().figures().containers_pending


def test_figures_count_live_workers() -> None:
    """A dead one is down; what a driver holds is used."""
    figures = (
        after(WORKER, WorkerRegistered("b:1", "w2", 2, 512), DriverSubmitted(1, 256), NodeLost("b:1")).view().figures()
    )

    assert (figures.total, figures.used, figures.nodes, figures.nodes_down) == ((4096, 4), (256, 1), 1, 1)
    assert (figures.reserved, figures.nodes_reserved) == (UNKNOWN, UNKNOWN)


def test_pending_executors_are_added_up() -> None:
    """Over all applications; unknown where one has no maximum."""
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
    """An executor limit of 0 is no wish."""
    assert not after(WORKER, application(512, 4, 2)).view().somebody_waits()
    assert not after(WORKER, application(512, 4, 2, 0)).view().somebody_waits()


def test_ids_are_written_as_spark_does() -> None:
    """Live or ended; of an application never seen the number alone."""
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
    """As large as a worker; without workers nobody can say."""
    assert after(WORKER).view().has_room_ever(memory_mb, cores) is fits
    assert after().view().has_room_ever(memory_mb, cores)


def test_a_master_reserves_nothing_and_records_no_refusals() -> None:
    """Nor has it timers."""
    view = SparkMaster({}).view()

    assert (view.records_refusals, view.reservations(), view.longest_timer_ms()) == (False, [], 0)


def test_a_profile_is_wanted_while_cores_and_executors_are_left() -> None:
    """Exactly the cores of one executor are enough for it."""
    master = after(application(512, 5, 2, 2))
    (one,) = master.cluster.applications.values()
    wanted = [helpings(one, 0)]
    for granted, limit in ((3, 2), (4, 2), (0, 0), (0, 1)):
        one.cores_granted = granted
        master.handle(ExecutorsRequested(0, ((0, limit),), ()), 9_000)
        wanted.append(helpings(one, 0))

    assert wanted == [2, 1, 0, 0, 1]


def test_who_has_executors_and_no_maximum_has_no_obstacle() -> None:
    """Without executors everybody has one."""
    served, unserved = after(WORKER, application(512), application(512, 4, 4)).cluster.applications.values()

    assert [has_obstacle(served), has_obstacle(unserved)] == [False, True]
    assert [len(wanted_shapes(served)), len(wanted_shapes(unserved))] == [1, 1]


def test_profiles_that_compete_are_not_added_up() -> None:
    """Two that fit into the maximum together are; those that just do not fit are unknown."""
    request = ExecutorsRequested(0, ((0, 1), (1, 2)), (ExecutorProfile(1, 1, 256),))

    assert _pending(application(512, 4, 2), request) == 3
    assert _pending(application(512, 3, 2), request) is UNKNOWN
