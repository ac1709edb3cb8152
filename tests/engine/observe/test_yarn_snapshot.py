"""A ResourceManager as a snapshot, and the sentences that say why an application waits."""

import pytest

from engine.control_plane.protocol import (
    ApplicationFinished,
    ApplicationMasterHeartbeat,
    Ask,
    Event,
    SettingsChanged,
    WorkerDecommissioned,
    WorkerRegistered,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.observe.obstacles import alike, obstacle_summary
from engine.observe.snapshot import UNKNOWN, AskRow, ContainerRow, ObstacleSummary, lazy_rows
from engine.observe.yarn_snapshot import Silence, YarnSnapshot
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update
from tests.engine.observe.test_spark_snapshot import WORKER, application, refusal


def _why(rm: ResourceManager, number: int) -> ObstacleSummary | None:
    return obstacle_summary(rm.scheduler, attempt_of(rm, number), START_MS)


def _held_by_a_large_ask() -> ResourceManager:
    """Two nodes half full, both reserved by application 2; application 3 waits."""
    rm = resource_manager(nodes=2, memory_mb=8192)
    ask(rm, submit(rm, "root.filler"), 2, 4096)
    update(rm)
    for node in (1, 2):
        heartbeat(rm, node)
    ask(rm, submit(rm, "root.large"), 1, 8192)
    update(rm)
    for node in (1, 2):
        heartbeat(rm, node)
    ask(rm, submit(rm, "root.small"), 1, 1024)
    update(rm)
    return rm


def test_queues_come_in_tree_order_with_their_shares() -> None:
    rows = YarnSnapshot(_held_by_a_large_ask(), START_MS).queues()

    assert [(row.path, row.depth) for row in rows] == [
        ("root", 0),
        ("root.default", 1),
        ("root.filler", 1),
        ("root.large", 1),
        ("root.small", 1),
    ]
    assert rows[0].used == (8192, 2)
    assert rows[2].max_share is None
    assert [row.path for row in rows if row.starved_since_ms is not None] == ["root.large", "root.small"]


def test_a_reservation_says_how_much_is_missing() -> None:
    rows = YarnSnapshot(_held_by_a_large_ask(), START_MS).reservations()

    assert [(row.node, row.size, row.free, row.short_by, row.since_ms) for row in rows] == [
        ("n1:1", (8192, 1), (4096, 7), (4096, 0), START_MS),
        ("n2:1", (8192, 1), (4096, 7), (4096, 0), START_MS),
    ]


@pytest.mark.parametrize("nodes", [pytest.param(2, id="of all nodes"), pytest.param(20, id="of few nodes")])
def test_reservations_come_in_order_of_node(nodes: int) -> None:
    rm = resource_manager(nodes=nodes, memory_mb=8192)
    ask(rm, submit(rm, "root.filler"), nodes, 4096)
    update(rm)
    for node in range(1, nodes + 1):
        heartbeat(rm, node)
    ask(rm, submit(rm, "root.large"), 1, 8192)
    update(rm)
    for node in (2, 1):
        heartbeat(rm, node)

    assert [row.node for row in YarnSnapshot(rm, START_MS).reservations()] == ["n1:1", "n2:1"]


def test_an_application_row_tells_asks_and_reservations() -> None:
    rm = _held_by_a_large_ask()
    rm.handle(ApplicationFinished(1), START_MS + 1000)
    snapshot = YarnSnapshot(rm, START_MS)

    rows = snapshot.applications()

    assert [(row.number, row.state) for row in rows] == [(2, "ACCEPTED"), (3, "ACCEPTED"), (1, "FINISHED")]
    assert (rows[0].reservations, rows[0].pending_containers) == (2, 1)
    asks = rows[1].asks
    assert asks is not UNKNOWN
    assert [(row.count, row.size) for row in asks] == [(1, (1024, 1))]


def test_what_stands_in_the_way_on_nodes_is_summed_up() -> None:
    """Too small, blacklisted, not where it insists to run, waiting for a better place."""
    rm = resource_manager(nodes=2, settings={"yarn.scheduler.fair.locality.threshold.node": "1.0",
                                             "yarn.scheduler.fair.locality.threshold.rack": "1.0"})  # fmt: skip
    insists, waits, refuses = submit(rm), submit(rm), submit(rm)
    hosts = (Ask(1, "far", 1024, 1, 1), Ask(1, "/elsewhere", 1024, 1, 1, False), Ask(1, "*", 1024, 1, 1, False))
    rm.handle(ApplicationMasterHeartbeat(insists, hosts), START_MS)
    near = (Ask(1, "far", 1024, 1, 1), Ask(1, "/elsewhere", 1024, 1, 1), Ask(1, "*", 1024, 1, 1))
    rm.handle(ApplicationMasterHeartbeat(waits, near), START_MS)
    rm.handle(ApplicationMasterHeartbeat(refuses, (Ask(1, "*", 1024, 1, 1),), blacklist_add=("/r1",)), START_MS)

    sentences = [why.sentence for number in (insists, waits, refuses) if (why := _why(rm, number)) is not None]

    assert sentences == [
        "2 of 2 nodes not where it insists to run",
        "2 of 2 nodes passed over while it waits for locality",
        "2 of 2 nodes blacklisted by it",
    ]


def test_the_freest_node_is_named_as_the_best() -> None:
    """Of nodes that are all too full, in whatever order they are looked at."""
    for fuller, freer in ((1, 2), (2, 1)):
        rm = resource_manager(nodes=2, memory_mb=4096)
        ask(rm, submit(rm), 1, 3072)
        update(rm)
        heartbeat(rm, fuller)
        ask(rm, submit(rm), 1, 1024)
        update(rm)
        heartbeat(rm, freer)
        number = submit(rm)
        ask(rm, number, 1, 4096)
        update(rm)

        why = _why(rm, number)
        assert why is not None
        assert why.sentence == f"2 of 2 nodes too full; best n{freer}: 3072 MB free of 4096 MB wanted"


def test_where_the_rule_forbids_to_reserve_it_says_so() -> None:
    rm = resource_manager(nodes=1, queues='<queue name="small"><maxResources>2048 mb, 8 vcores</maxResources></queue>')
    rm.handle(SettingsChanged({"reservation.rule": "off"}), START_MS)
    ask(rm, submit(rm, "root.filler"), 1, 6144)
    update(rm)
    heartbeat(rm)
    wants, capped = submit(rm, "root.large"), submit(rm, "root.small")
    ask(rm, wants, 1, 4096)
    ask(rm, capped, 1, 4096)
    off = _why(rm, wants)
    rm.handle(SettingsChanged({"reservation.rule": "strict"}), START_MS)
    strict = _why(rm, capped)

    assert off is not None
    assert strict is not None
    assert (off.code, strict.code) == ("RESERVATION_LIMIT", "QUEUE_WOULD_EXCEED_MAXIMUM")


def test_a_starved_queue_says_since_when() -> None:
    rm = resource_manager(nodes=1, queues='<queue name="a"><minResources>4096 mb, 1 vcores</minResources></queue>')
    update(rm)
    ask(rm, submit(rm, "root.a"), 4)
    update(rm, START_MS + 500)

    rows = {row.path: row.starved_since_ms for row in YarnSnapshot(rm, START_MS + 1000).queues()}

    assert rows["root.a"] == START_MS + 500


def test_a_reservation_is_told_with_its_application_and_what_is_missing_of_vcores() -> None:
    rm = resource_manager(nodes=1, memory_mb=8192, vcores=4)
    ask(rm, submit(rm, "root.filler"), 1, 1024, 3)
    update(rm)
    heartbeat(rm)
    ask(rm, submit(rm, "root.large"), 1, 4096, 4)
    update(rm)
    heartbeat(rm)
    (row,) = YarnSnapshot(rm, START_MS).reservations()

    assert (row.application, row.queue) == (f"application_{START_MS}_0002", "root.large")
    assert (row.short_by, row.released) == ((0, 3), UNKNOWN)


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
    ("expires_ms", "lost"),
    [(START_MS + 60_999, "counted as lost in 1m"), (None, "never counted as lost")],
)
def test_a_master_on_a_silent_node_says_so(expires_ms: int | None, lost: str) -> None:
    """The node, since when it is silent, when it expires; the ResourceManager itself does not know yet."""
    rm = resource_manager(nodes=1, memory_mb=8192)
    submit(rm, "root.one", am_mb=1024)
    update(rm)
    heartbeat(rm)
    silent = {id: Silence(START_MS - 5000, expires_ms) for id in rm.cluster.nodes}

    (row,) = YarnSnapshot(rm, START_MS, silent=silent).applications()
    host = next(iter(rm.cluster.nodes.values())).host

    assert row.obstacle == ObstacleSummary("MASTER_SILENT", f"its master is on {host}, silent for 5s: {lost}")


@pytest.mark.parametrize(("label", "told"), [("gpu", "gpu"), ("", UNKNOWN)])
def test_the_labels_of_an_application_are_those_of_its_nodes(label: str, told: object) -> None:
    rm = resource_manager(nodes=1, memory_mb=8192)
    submit(rm, "root.one", am_mb=1024)
    update(rm)
    heartbeat(rm)
    next(iter(rm.cluster.nodes.values())).partition = label

    (row,) = YarnSnapshot(rm, START_MS).applications()

    assert row.partition == told


# The containers of a ResourceManager as rows.


def _cluster() -> ResourceManager:
    """Two nodes with a container of application 1 each; the first is reserved by application 2."""
    rm = resource_manager(nodes=2, memory_mb=8192)
    ask(rm, submit(rm, "root.filler"), 2, 4096)
    update(rm)
    for node in (1, 2):
        heartbeat(rm, node)
    ask(rm, submit(rm, "root.large"), 1, 8192)
    update(rm)
    heartbeat(rm, 1)
    return rm


def test_a_container_says_where_for_whom_and_how_large() -> None:
    row = YarnSnapshot(_cluster(), START_MS).containers()[0]

    assert row == ContainerRow(
        id=f"container_{START_MS}_0001_01_000001",
        application=f"application_{START_MS}_0001",
        node="n1:1",
        queue="root.filler",
        user="ann",
        priority=1,
        size=(4096, 1),
        state="ALLOCATED",
        since_ms=START_MS,
        is_am=False,
        marked_ms=None,
    )


# Why applications wait, a little at a time.


def test_applications_that_ask_alike_share_an_answer() -> None:
    """Of one user in one queue; how many containers each wants makes no difference, nor what is wanted no more."""
    rm = resource_manager()
    one, more, done = (submit(rm, "root.a") for _ in range(3))
    ask(rm, one, 1)
    ask(rm, more, 2)
    ask(rm, done, 1)
    ask(rm, done, 3, 2048, priority=2)
    ask(rm, done, 0, 2048, priority=2)
    keys = [alike(attempt_of(rm, number)) for number in (one, more, done)]

    assert None not in keys
    assert keys == [keys[0]] * 3


def test_who_has_places_reservations_or_a_blacklist_is_like_nobody() -> None:
    rm = resource_manager(nodes=1, memory_mb=4096)
    ask(rm, submit(rm, "root.filler"), 1, 4096)
    update(rm)
    heartbeat(rm)
    holds, choosy, picky, plain = (submit(rm, f"root.{name}") for name in ("holds", "choosy", "picky", "plain"))
    ask(rm, holds, 1)
    update(rm)
    heartbeat(rm)
    rm.handle(ApplicationMasterHeartbeat(choosy, (Ask(1, "*", 1024, 1, 1),), blacklist_add=("n1",)), START_MS)
    rm.handle(ApplicationMasterHeartbeat(picky, (Ask(1, "n9", 1024, 1, 1), Ask(1, "*", 1024, 1, 1))), START_MS)
    ask(rm, plain, 1)

    assert len(attempt_of(rm, holds).reserved) == 1
    assert [alike(attempt_of(rm, number)) is None for number in (holds, choosy, picky, plain)] == [
        True,
        True,
        True,
        False,
    ]


# The sentence that says why an application waits, where several nodes stand in the way.


# Why a Spark application is not given more, at the boundaries of each reason.

SMALL = WorkerRegistered("s:1", "w0", 1, 256, "/r")


def _reason(*events: Event) -> ObstacleSummary:
    found = refusal(*events)
    assert found is not None
    return found


def test_one_worker_with_room_makes_it_wait_for_an_event() -> None:
    """The Master looks only when something happens; a worker without room changes nothing about that."""
    other = WorkerRegistered("b:1", "w2", 4, 4096)
    reason = _reason(WORKER, SMALL, application(64, 4, 4), other, WorkerDecommissioned("a:1"))

    assert reason.code == "WAITS_FOR_EVENT"
