"""A ResourceManager as a snapshot, and the sentences that say why an application waits."""

import pytest

from engine.control_plane.protocol import (
    ApplicationFinished,
    ApplicationMasterHeartbeat,
    Ask,
    DriverSubmitted,
    Event,
    ExecutorProfile,
    ExecutorsRequested,
    NodeLost,
    SettingsChanged,
    SparkApplicationRegistered,
    WorkerRegistered,
)
from engine.control_plane.spark_master import SparkMaster
from engine.observe.snapshot import UNKNOWN, AskRow, ObstacleSummary, Snapshot, lazy_rows
from engine.observe.spark_snapshot import NOTHING_GIVEN, PlanTables, SparkSnapshot, plan_tables
from engine.observe.yarn_snapshot import Silence, YarnSnapshot
from engine.schedulers.spark.scheduling_pass import PassRecorder
from tests.build import START_MS, ask, heartbeat, resource_manager, submit, update


def test_a_starved_queue_says_since_when() -> None:
    rm = resource_manager(nodes=1, queues='<queue name="a"><minResources>4096 mb, 1 vcores</minResources></queue>')
    update(rm)
    ask(rm, submit(rm, "root.a"), 4)
    update(rm, START_MS + 500)

    rows = {row.path: row.starved_since_ms for row in YarnSnapshot(rm, START_MS + 1000).queues()}

    assert rows["root.a"] == START_MS + 500


@pytest.mark.parametrize(("scheduler", "short_by"), [("fair-2.7", (2048, 2)), ("capacity-2.7", (2048, 0))])
def test_a_reservation_is_told_with_its_application_and_what_is_missing_of_what_counts(
    scheduler: str, short_by: tuple[int, int]
) -> None:
    """CapacityScheduler counts memory alone, unless it is given another calculator."""
    rm = resource_manager(scheduler, nodes=2, memory_mb=8192, vcores=4)
    for count, memory_mb, vcores in ((2, 6144, 2), (1, 4096, 4)):
        ask(rm, submit(rm, "default"), count, memory_mb, vcores)
        update(rm)
        heartbeat(rm)
        heartbeat(rm, 2)
    row = YarnSnapshot(rm, START_MS).reservations()[0]

    assert (row.application, row.queue[:5]) == (f"application_{START_MS}_0002", "root.")
    assert (row.short_by, row.released) == (short_by, UNKNOWN)


def test_asks_tell_their_places_and_from_afar_only_their_size() -> None:
    """Of each priority still wanted; places where nothing is wanted any more are left out."""
    rm = resource_manager(nodes=1)
    number = submit(rm)
    rm.handle(
        ApplicationMasterHeartbeat(
            number,
            (
                Ask(1, "n7", 1024, 1, 1),
                Ask(1, "n8", 1024, 1, 0),
                Ask(1, "n9", 1024, 1, 2),
                Ask(1, "*", 1024, 1, 3, False),
                Ask(2, "*", 2048, 1, 1),
                Ask(3, "*", 512, 1, 0),
            ),
        ),
        START_MS,
    )
    rows = YarnSnapshot(rm, START_MS).applications()
    (glimpse,) = lazy_rows(rows)

    assert rows[0].asks == (
        AskRow(1, 3, (1024, 1), ("n7", "n9"), relax_locality=False),
        AskRow(2, 1, (2048, 1), (), relax_locality=True),
    )
    assert glimpse.asks == (AskRow(1, 3, (1024, 1)), AskRow(2, 1, (2048, 1)))


@pytest.mark.parametrize(
    ("expires_ms", "lost"), [(START_MS + 60_999, "counted as lost in 1m"), (None, "never counted as lost")]
)
def test_a_master_on_a_silent_node_says_so(expires_ms: int | None, lost: str) -> None:
    """The node, since when it is silent, when it expires; the ResourceManager itself does not know yet."""
    rm = resource_manager(nodes=1, memory_mb=8192)
    submit(rm, "root.one", am_mb=1024)
    update(rm)
    heartbeat(rm)
    silent = {id: Silence(START_MS - 5000, expires_ms) for id in rm.cluster.nodes}

    snapshot = YarnSnapshot(rm, START_MS, silent=silent)
    (row,), (node,) = snapshot.applications(), snapshot.nodes()
    host = next(iter(rm.cluster.nodes.values())).host

    assert row.obstacle == ObstacleSummary("MASTER_SILENT", f"its master is on {host}, silent for 5s: {lost}")
    assert node.last_heartbeat_ms == START_MS - 5000
    assert snapshot.version("nodes") != YarnSnapshot(rm, START_MS).version("nodes")


@pytest.mark.parametrize(("label", "told"), [("gpu", "gpu"), ("", UNKNOWN)])
def test_the_labels_of_an_application_are_those_of_its_nodes(label: str, told: object) -> None:
    rm = resource_manager(nodes=1, memory_mb=8192)
    submit(rm, "root.one", am_mb=1024)
    update(rm)
    heartbeat(rm)
    next(iter(rm.cluster.nodes.values())).partition = label

    (row,) = YarnSnapshot(rm, START_MS).applications()

    assert row.partition == told


# Why a Spark application is not given more, at the boundaries of each reason.

SMALL = WorkerRegistered("s:1", "w0", 1, 256, "/r")


def _reason(*events: Event) -> ObstacleSummary:
    found = refusal(*events)
    assert found is not None
    return found


def test_one_worker_with_room_makes_it_wait_for_an_event() -> None:
    """The Master looks only when something happens; a worker without room changes nothing about that."""
    other = WorkerRegistered("b:1", "w2", 4, 4096)
    reason = _reason(WORKER, SMALL, application(64, 4, 4), other, NodeLost("a:1", "DECOMMISSIONED"))

    assert reason.code == "WAITS_FOR_EVENT"


# The rows drawn from what a Spark Master believes.


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

    rows = [(row.id, row.rack, row.state, row.free, row.containers, row.drivers) for row in snapshot.nodes()]
    assert rows == [("a:1", "/r", "ALIVE", (3584, 3), 0, 1), ("b:1", "", "DEAD", (512, 2), 0, 0)]
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


def test_versions_follow_the_masters_belief() -> None:
    before, then = SparkSnapshot(after(WORKER), 0), SparkSnapshot(after(WORKER, application()), 0)

    assert before.version("nodes") != then.version("nodes")
    assert before.version("reservations") == then.version("reservations")


OTHER, DRIVER = WorkerRegistered("b:1", "w2", 4, 4096), DriverSubmitted(3, 64)


@pytest.mark.parametrize(
    ("code", "events"),
    [
        ("NO_WORKER", (application(),)),
        ("NODE_TOO_SMALL", (WORKER, application(9999))),
        ("DOES_NOT_FIT", (WORKER, OTHER, DRIVER, DRIVER, application(64, 4, 2))),
        ("DOES_NOT_FIT", (WORKER, DriverSubmitted(1, 4000), application(512, 4, 2))),
        ("", (WORKER, application(512, 4, 2, 0))),
        ("MAXIMUM_TOO_SMALL", (WORKER, application(512, 1, 2))),
        ("WAITS_FOR_EVENT", (WORKER, application(64, 4, 4), OTHER, NodeLost("a:1", "DECOMMISSIONED"))),
        ("", (WORKER, application(512, 4, 2))),
    ],
)
def test_reasons_of_waiting(code: str, events: tuple[Event, ...]) -> None:
    """No worker, none large enough, no cores, no memory, a limit of 0, a maximum below one executor, no event yet."""
    found = refusal(*events)

    assert ("" if found is None else found.code) == code
    if code == "NODE_TOO_SMALL":
        words = "one executor of 1 cores and 9999 MB (the nearest has 4 cores and 4096 MB); it has not accepted any"
        assert found is not None
        assert found.sentence == f"no worker is large enough for {words} resources"


# The plans of a Spark Master as tables, against the worked tables of the textbook.

TEXTBOOK = (
    ("worker1", 10, 10_240),
    ("worker2", 7, 1024),
    ("worker3", 3, 2048),
    ("worker4", 2, 215),
    ("worker5", 1, 1024),
)
"""(host, cores, memory in MB) of five workers."""


def master(*, spread_out: bool = True, workers: tuple[tuple[str, int, int], ...] = TEXTBOOK) -> SparkMaster:
    """A Master with the textbook's workers that remembers what it gave."""
    new = SparkMaster({"spark.deploy.spreadOutApps": str(spread_out).lower()})
    new.recorder = PassRecorder(9, only_given=True)
    for number, (host, cores, memory_mb) in enumerate(workers):
        new.handle(WorkerRegistered(f"{host}:{7078 + number}", f"w{9 - number}", cores, memory_mb), 0)
    return new


def given(cores: int | None = 12, each: int | None = 2, *, spread_out: bool = True) -> PlanTables:
    one = master(spread_out=spread_out)
    one.handle(SparkApplicationRegistered(512, "etl", "ann", cores, each), 5)
    (plan, *_) = plan_tables(one, 5)
    return plan


def amounts(plan: PlanTables) -> list[tuple[int, ...]]:
    usable = len(plan.table(0).lines) - 2
    return [tuple(line.cores for line in plan.table(n).lines[:usable]) for n in range(plan.count + 1)]


def test_spreading_out_goes_round_as_the_first_table_does() -> None:
    """Two cores at a time: 2/2/2, then worker 3 has one core left, then worker 2 has no memory left."""
    assert amounts(given()) == [(0, 0, 0), (2, 0, 0), (2, 2, 0), (2, 2, 2), (4, 2, 2), (4, 4, 2), (6, 4, 2)]


def test_a_step_says_who_got_cores_and_why_not_the_others() -> None:
    table = given().table(5)

    assert (table.number, table.round, table.cores_left) == (5, 2, 2)
    assert [(line.worker, line.words) for line in table.lines] == [
        ("worker1", "its turn comes"),
        ("worker2", "got the next 2 cores"),
        ("worker3", "too few cores are left on this worker"),
        ("worker4", "215 MB free, an executor needs 512"),
        ("worker5", "1 core free, an executor needs 2"),
    ]
    assert [(line.got, line.waits) for line in table.lines[:3]] == [(False, True), (True, False), (False, False)]
    assert table.sentence == "worker2 gets 2 cores: 4 in 2 executors; 2 left to give"


def test_one_executor_for_each_worker_grows_core_by_core() -> None:
    """Without cores for each executor a step is a single core, and memory is taken once."""
    one = master()
    one.handle(SparkApplicationRegistered(512, "etl", "ann", 12, None), 5)
    plan = plan_tables(one, 5)[0]

    table = plan.table(12)
    assert plan.count == 12
    assert [(line.cores, line.executors) for line in table.lines] == [(4, 1), (4, 1), (3, 1), (1, 1), (0, 0)]
    assert table.lines[1].memory_free_mb == 512
    assert "gets 1 core:" in table.sentence


def test_what_a_pass_would_do_comes_last_and_changes_nothing() -> None:
    """A second application that nobody can serve has a plan ahead, without a step."""
    one = master()
    one.handle(SparkApplicationRegistered(512, "etl", "ann", None, None), 5)
    one.handle(SparkApplicationRegistered(512, "late", "bob", 4, 2), 6)
    version = one.cluster.version
    plans = plan_tables(one, 7)

    assert [(plan.name, plan.ahead, plan.count > 0) for plan in plans] == [
        ("etl", False, True),
        ("etl", True, False),
        ("late", True, False),
    ]
    assert (plans[-1].table(0).sentence, one.cluster.version) == (NOTHING_GIVEN, version)
    assert plans[-1].table(0).lines[0].words == "0 cores free, an executor needs 2"
