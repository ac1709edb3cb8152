"""The rows drawn from what a Spark Master believes."""

from engine.control_plane.protocol import ApplicationFinished, Event, NodeLost, SettingsChanged
from engine.control_plane.spark_cluster_view import NO_LIMIT
from engine.control_plane.spark_events import (
    DriverSubmitted,
    ExecutorProfile,
    ExecutorsRequested,
    SparkApplicationRegistered,
    WorkerDecommissioned,
    WorkerRegistered,
)
from engine.control_plane.spark_master import SparkMaster
from engine.observe.snapshot import UNKNOWN, AskRow, ExecutorRow, ObstacleSummary, Snapshot
from engine.observe.spark_snapshot import SparkSnapshot

WORKER = WorkerRegistered("a:1", "w1", 4, 4096, "/r")


def application(
    memory_mb: int = 512, cores: int | None = None, each: int | None = None, limit: int | None = None
) -> Event:
    return SparkApplicationRegistered(memory_mb, "etl", "ann", cores, each, limit)


def after(*events: Event) -> SparkMaster:
    """A Master that has lived through the events, a second apart."""
    master = SparkMaster({})
    for second, event in enumerate(events):
        assert not master.handle(event, 1000 * second).rejected
    return master


def refusal(*events: Event) -> ObstacleSummary | None:
    return SparkSnapshot(after(*events), 9_000).applications()[0].obstacle


def test_it_is_a_snapshot_with_its_own_dimensions() -> None:
    snapshot: Snapshot = SparkSnapshot(after(WORKER, application(512, 4, 2)), 9_000)

    header = snapshot.header
    assert (header.dimensions, header.total, header.used) == (("memory_mb", "cores"), (4096, 4), (1024, 4))
    assert (header.containers, header.containers_pending, header.reserved) == (2, 0, UNKNOWN)
    assert snapshot.reservations() == ()


def test_the_queue_is_the_fifo_list_with_its_mode() -> None:
    master = after(WORKER, application(512, 4, 2), application())
    (spread,) = SparkSnapshot(master, 0).queues()
    master.handle(SettingsChanged({"spark.deploy.spreadOutApps": "false"}), 0)
    (packing,) = SparkSnapshot(master, 0).queues()

    assert (spread.policy, packing.policy) == ("fifo, spread out", "fifo, packing")
    assert SparkSnapshot(master, 0).header.spread_out is False
    assert (spread.applications_running, spread.applications_pending, spread.fair_share) == (1, 1, UNKNOWN)


def test_workers_are_nodes_also_when_dead() -> None:
    snapshot = SparkSnapshot(
        after(WORKER, DriverSubmitted(1, 512), WorkerRegistered("b:1", "w2", 2, 512), NodeLost("b:1")), 0
    )

    rows = [(row.id, row.host, row.rack, row.state, row.free, row.containers) for row in snapshot.nodes()]
    assert rows == [("a:1", "a", "/r", "ALIVE", (3584, 3), 1), ("b:1", "b", "", "DEAD", (512, 2), 0)]
    assert (snapshot.header.nodes, snapshot.header.nodes_down) == (1, 1)


def test_applications_come_in_order_then_the_ended() -> None:
    """A row says what is held, what may still come, and since when it has fewer executors than it may have."""
    snapshot = SparkSnapshot(
        after(WORKER, application(), application(512, 7, 2), application(512, 4, 2), ApplicationFinished(0)), 0
    )

    rows = snapshot.applications()
    assert [(row.number, row.state, row.used, row.containers) for row in rows] == [
        (1, "RUNNING", (1024, 4), 2),
        (2, "WAITING", (0, 0), 0),
        (0, "FINISHED", (0, 0), 0),
    ]
    assert rows[0].id == "app-19700101000002-0001"
    assert (rows[0].asks, rows[0].pending_containers) == ((AskRow(0, 1, (512, 2)),), 1)
    assert (rows[0].waiting_since_ms, rows[1].waiting_since_ms, rows[2].finished_ms) == (2_000, 3_000, 4_000)


def test_without_a_maximum_nobody_can_say_how_much_it_asks_for() -> None:
    """Neither asks nor pending executors are told, and it does not count as waiting once it has one."""
    (row,) = SparkSnapshot(after(WORKER, application()), 0).applications()

    assert (row.asks, row.pending_containers, row.obstacle) == (UNKNOWN, UNKNOWN, None)


def test_the_size_of_an_executor_may_be_the_workers_choice() -> None:
    """Without cores for each executor their number is unknown, the cores are not; satisfied it is 0."""
    waiting, satisfied = SparkSnapshot(
        after(WORKER, application(512, 6, None), application(512, 3, None), WorkerRegistered("b:1", "w2", 5, 4096)), 0
    ).applications()

    assert (waiting.pending_containers, waiting.asks) == (0, ())
    assert satisfied.pending_containers == 0
    (short,) = SparkSnapshot(after(WORKER, application(512, 6, None)), 0).applications()
    assert (short.pending_containers, short.asks) == (UNKNOWN, (AskRow(0, 2, (512, 1)),))


def test_profiles_that_compete_for_the_same_cores_are_not_added_up() -> None:
    request = ExecutorsRequested(0, ((0, 3), (1, 3)), (ExecutorProfile(1, 1, 256),))
    (row,) = SparkSnapshot(after(application(512, 4, 2), request), 0).applications()

    assert row.asks == (AskRow(0, 2, (512, 2)), AskRow(1, 3, (256, 1)))
    assert row.pending_containers is UNKNOWN
    assert SparkSnapshot(after(application(512, 4, 2), request), 0).header.containers_pending is UNKNOWN


def test_executors_have_rows_of_their_own() -> None:
    snapshot = SparkSnapshot(after(WORKER, application(512, 2, 2)), 0)

    assert snapshot.executors() == (ExecutorRow(0, 0, "a:1", 2, 512, 0, "LAUNCHING", 1_000, UNKNOWN),)


def test_drivers_are_asked_which_cores_are_busy() -> None:
    """Whoever is named tells it each time; the rows change with time though the Master's belief does not."""
    master = after(WORKER, application(512, 2, 2))
    early, late = SparkSnapshot(master, 0, lambda: {(0, 0): 2}), SparkSnapshot(master, 1)

    assert [row.busy for row in early.executors()] == [2]
    assert early.version("executors") != late.version("executors")
    assert early.version("nodes") == late.version("nodes")


def test_an_application_says_what_it_wants() -> None:
    rows = SparkSnapshot(after(WORKER, application(512, 4, 2), application(256)), 0).applications()

    wants = [(row.cores_wanted, row.executor_cores, row.executor_memory_mb) for row in rows]
    assert wants == [(4, 2, 512), (None, None, 256)]


def test_versions_follow_the_masters_belief() -> None:
    before, then = SparkSnapshot(after(WORKER), 0), SparkSnapshot(after(WORKER, application()), 0)

    assert before.version("nodes") != then.version("nodes")
    assert before.version("reservations") == then.version("reservations")


def test_reasons_of_waiting() -> None:
    """No worker, none large enough, no cores, no memory, a limit of 0, a maximum below one executor, no event yet."""
    other = WorkerRegistered("b:1", "w2", 4, 4096)
    reasons = {
        "none": refusal(application()),
        "small": refusal(WORKER, application(9999)),
        "cores": refusal(WORKER, other, DriverSubmitted(3, 64), DriverSubmitted(3, 64), application(64, 4, 2)),
        "memory": refusal(WORKER, DriverSubmitted(1, 4000), application(512, 4, 2)),
        "limit": refusal(WORKER, application(512, 4, 2, 0)),
        "maximum": refusal(WORKER, application(512, 1, 2)),
        "event": refusal(WORKER, application(64, 4, 4), other, WorkerDecommissioned("a:1")),
        "fine": refusal(WORKER, application(512, 4, 2)),
    }

    assert {key: None if each is None else each.code for key, each in reasons.items()} == {
        "none": "NO_WORKER",
        "small": "NODE_TOO_SMALL",
        "cores": "DOES_NOT_FIT",
        "memory": "DOES_NOT_FIT",
        "limit": "NOTHING_ASKED",
        "maximum": "MAXIMUM_TOO_SMALL",
        "event": "WAITS_FOR_EVENT",
        "fine": None,
    }
    small = reasons["small"]
    assert small is not None
    assert small.sentence == (
        "no worker is large enough for one executor of 1 cores and 9999 MB (the nearest has 4 cores and 4096 MB); "
        "it has not accepted any resources"
    )


def test_an_application_with_executors_waits_for_the_rest() -> None:
    """It has a reason while its maximum is not met, without the words about having none."""
    reason = refusal(WORKER, application(512, 8, 2))

    assert reason == ObstacleSummary("DOES_NOT_FIT", "no worker has 2 cores free (the most is 0)")


def test_a_worker_uses_what_is_not_free() -> None:
    (row,) = SparkSnapshot(after(WORKER, DriverSubmitted(1, 512)), 0).nodes()

    assert (row.total, row.used, row.free) == ((4096, 4), (512, 1), (3584, 3))


def test_only_a_live_application_that_is_looked_at_has_a_reason_to_wait() -> None:
    snapshot = SparkSnapshot(after(application(), application(), ApplicationFinished(0)), 0)

    assert [row.obstacle is None for row in snapshot.applications()] == [False, True]
    assert [row.obstacle for row in snapshot.applications(why=False)] == [None, None]


def test_the_largest_maximum_is_still_one() -> None:
    rows = SparkSnapshot(after(application(512, NO_LIMIT, 2), application(512, NO_LIMIT + 1, 2)), 0).applications()

    assert [row.cores_wanted for row in rows] == [NO_LIMIT, None]
    assert [row.asks is UNKNOWN for row in rows] == [False, True]


def test_nothing_runs_in_containers() -> None:
    assert SparkSnapshot(after(WORKER, application()), 0).containers() == ()
