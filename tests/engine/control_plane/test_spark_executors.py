"""What a Spark Master does with executors and with drivers in cluster mode."""

import pytest

from engine.control_plane.protocol import (
    NOTHING,
    Cleanup,
    ContainerKilled,
    NodeLost,
    SettingsChanged,
)
from engine.control_plane.spark_events import (
    DriverKilled,
    DriverStateChanged,
    DriverSubmitted,
    ExecutorProfile,
    ExecutorsKilled,
    ExecutorsRequested,
    ExecutorStateChanged,
)
from engine.fork import fork as forked
from engine.model.decision import Allocated, ApplicationTransitioned, Killed
from tests.engine.control_plane.spark_scenes import application, launches, master_with


def test_a_lowered_total_kills_nobody() -> None:
    """Executors stay; only a kill request frees, and then the total keeps replacements away."""
    master = master_with(("w1", 8, 8192))
    master.handle(application(8, 2), 0)

    lowered = master.handle(ExecutorsRequested(0, ((0, 3),)), 0)
    killed = master.handle(ExecutorsKilled(0, (0, 0, 9)), 0)

    assert lowered.decisions == ()
    assert killed.decisions == (Killed((0, 1, 0), "w1:1", "RELEASED"),)


def test_resource_profiles_share_the_cores() -> None:
    master = master_with(("w1", 8, 8192))
    master.handle(application(8, 4), 0)
    master.handle(ExecutorsKilled(0, (0, 1)), 0)
    master.handle(ExecutorsRequested(0, ((0, 1),)), 0)
    master.handle(ExecutorsKilled(0, (2, 3)), 0)

    answer = master.handle(ExecutorsRequested(0, ((1, 2),), (ExecutorProfile(1, 1, 256),)), 0)

    assert [(each.priority, each.memory_mb, each.vcores) for each in answer.masters] == [(1, 256, 1), (1, 256, 1)]


def test_an_application_is_unmet_since_it_wanted_more_than_it_has() -> None:
    master = master_with(("w1", 2, 8192))
    master.handle(application(8, 2), 3)
    one = master.cluster.applications[0]
    since_ms = [one.unmet_since_ms]
    for now_ms, total in ((5, 1), (7, 7), (9, 9)):
        master.handle(ExecutorsRequested(0, ((0, total),)), now_ms)
        since_ms.append(one.unmet_since_ms)

    assert since_ms == [3, None, 7, 7]


def test_requests_of_strangers_are_refused() -> None:
    master = master_with()
    master.handle(application(), 0)

    rejected = [
        master.handle(event, 0).rejected
        for event in (
            ExecutorsRequested(5, ()),
            ExecutorsKilled(5, ()),
            ExecutorsRequested(0, ((4, 1),)),
            ContainerKilled((5, 1, 0)),
        )
    ]

    assert rejected == ["UnknownApplication", "UnknownApplication", "InvalidResourceProfile", "UnknownApplication"]


def test_a_user_kills_one_executor_and_it_is_replaced() -> None:
    master = master_with(("w1", 2, 4096))
    master.handle(application(2, 2), 0)

    answer = master.handle(ContainerKilled((0, 1, 0)), 0)

    assert answer.decisions == (Killed((0, 1, 0), "w1:1", "KILLED_BY_USER"), Allocated((0, 1, 1), "w1:1", 0, 512, 2))


def test_ten_failures_without_a_running_executor_end_the_application() -> None:
    master = master_with(("w1", 1, 4096))
    master.handle(application(1, 1), 0)
    states = []
    for executor in range(10):
        master.handle(ExecutorStateChanged(0, executor, "EXITED", None if executor else 0), 0)
        states.append(0 in master.cluster.applications)
    last = master.handle(ExecutorStateChanged(0, 10, "EXITED"), 0)

    assert all(states)
    assert last.decisions[-1] == ApplicationTransitioned(
        0, "FAILED", detail="10 executors ended abnormally, none is running"
    )


def test_a_running_executor_keeps_a_failing_application_alive() -> None:
    """With retries 0 and one executor running, another's failure does not end it; negative is never."""
    master = master_with(("w1", 2, 4096), **{"spark.deploy.maxExecutorRetries": "0"})
    master.handle(application(2, 1), 0)
    master.handle(ExecutorStateChanged(0, 0, "RUNNING"), 0)
    master.handle(ExecutorStateChanged(0, 1, "FAILED", 1), 0)
    master.handle(SettingsChanged({"spark.deploy.maxExecutorRetries": "-1"}), 0)
    master.handle(ExecutorStateChanged(0, 0, "FAILED", 1), 0)

    assert 0 in master.cluster.applications


def test_reports_are_checked() -> None:
    master = master_with(("w1", 2, 4096))
    master.handle(application(2, 1), 0)
    master.handle(ExecutorStateChanged(0, 0, "RUNNING"), 0)

    answers = [
        master.handle(ExecutorStateChanged(*args), 0)
        for args in ((9, 0, "EXITED"), (0, 9, "EXITED"), (0, 0, "RUNNING"), (0, 0, "LAUNCHING"))
    ]

    assert [answer.rejected for answer in answers] == ["", "", "AssertionError", "InvalidState"]


def test_drivers_come_before_applications() -> None:
    master = master_with(("w1", 2, 4096))
    master.handle(application(4, 2), 0)
    master.handle(DriverSubmitted(2, 512, name="first"), 0)

    answer = master.handle(ExecutorStateChanged(0, 0, "EXITED", 0), 0)

    assert launches(answer) == [((0, 0, 0), "w1:1", 2)]


def test_no_more_drivers_run_than_allowed() -> None:
    master = master_with(("w1", 4, 4096), **{"spark.deploy.maxDrivers": "1"})
    master.handle(DriverSubmitted(1, 512), 0)
    second = master.handle(DriverSubmitted(1, 512), 0)

    answer = master.handle(DriverStateChanged(0, "KILLED"), 0)

    assert (second.application, second.decisions) == (1, ())
    assert answer.decisions[-1] == Allocated((1, 0, 0), "w1:1", 0, 512, 1)


def test_spread_drivers_follow_the_seed() -> None:
    workers = [(f"w{number}", 4, 4096) for number in range(8)]
    one = master_with(*workers, **{"spark.deploy.spreadOutDrivers": "true", "schedlab.spark.seed": "5"})
    two = forked(one)

    places = [[launches(each.handle(DriverSubmitted(1, 512), 0))[0][1] for _ in range(6)] for each in (one, two)]

    assert places[0] == places[1]
    assert len(set(places[0])) > 1


def test_a_killed_driver_ends_when_its_worker_says_so() -> None:
    master = master_with(("w1", 1, 4096))
    master.handle(DriverSubmitted(1, 512), 0)
    master.handle(DriverSubmitted(1, 512), 0)

    running = master.handle(ContainerKilled((0, 0, 0)), 0)
    waiting = master.handle(DriverKilled(1), 0)

    assert running.cleanups == (Cleanup("w1:1", (0, 0, 0)),)
    assert waiting is NOTHING
    assert [driver.number for driver in master.cluster.completed_drivers] == [1]
    assert master.handle(DriverKilled(7), 0).rejected == "UnknownDriver"


def test_only_ends_of_drivers_are_reported() -> None:
    master = master_with()

    assert master.handle(DriverStateChanged(0, "RUNNING"), 0).rejected == "Exception"
    assert master.handle(DriverStateChanged(0, "FAILED"), 0) is NOTHING


def test_a_supervised_driver_is_relaunched_with_a_new_number() -> None:
    master = master_with(("w1", 4, 4096))
    master.handle(DriverSubmitted(1, 512, supervise=True), 0)
    master.handle(DriverSubmitted(1, 512), 0)

    master.handle(NodeLost("w1:1"), 9)

    ended = {driver.number: driver.state for driver in master.cluster.completed_drivers}
    assert ended == {0: "RELAUNCHING", 1: "ERROR"}
    assert [(driver.number, driver.origin) for driver in master.cluster.waiting_drivers] == [(2, 0)]


def test_a_relaunched_driver_starts_at_once_where_there_is_room() -> None:
    """In the pass of its own relaunch; it is supervised again, and its origin is that of the first."""
    master = master_with(("w1", 4, 4096), ("w2", 4, 4096))
    master.handle(DriverSubmitted(2, 512, supervise=True, name="d"), 0)
    for node in ("w1:1", "w2:1"):
        answer = master.handle(NodeLost(node), 9)
        launched = [each.container for each in answer.decisions if isinstance(each, Allocated)]
        assert launched == ([(1, 0, 0)] if node == "w1:1" else [])

    (driver,) = master.cluster.waiting_drivers
    assert (driver.number, driver.origin, driver.supervise, driver.name) == (2, 0, True, "d")
    assert (driver.cores, driver.memory_mb, driver.submitted_ms) == (2, 512, 9)


@pytest.mark.parametrize(
    ("retries", "failures", "ends"), [(0, 1, True), (1, 1, True), (2, 1, False), (2, 2, True), (-1, 5, False)]
)
def test_an_application_fails_when_its_retries_are_used_up(retries: int, failures: int, ends: bool) -> None:
    master = master_with(("w1", 1, 4096), **{"spark.deploy.maxExecutorRetries": str(retries)})
    master.handle(application(1, 1), 0)

    for executor in range(failures):
        assert 0 in master.cluster.applications
        master.handle(ExecutorStateChanged(0, executor, "FAILED", 1), 0)

    assert (0 not in master.cluster.applications) is ends
