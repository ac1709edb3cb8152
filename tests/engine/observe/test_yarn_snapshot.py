"""A ResourceManager as a snapshot, and the sentences that say why an application waits."""

import pytest

from engine.control_plane.protocol import (
    ApplicationFinished,
    ApplicationMasterHeartbeat,
    Ask,
    NodeLost,
    SettingsChanged,
)
from engine.control_plane.resource_manager import ResourceManager
from engine.observe.obstacles import obstacle_summary
from engine.observe.snapshot import UNKNOWN, AskRow, ContainerRow, ObstacleSummary, glimpses
from engine.observe.yarn_snapshot import Silence, YarnSnapshot, containers_of
from tests.build import START_MS, ask, attempt_of, heartbeat, resource_manager, submit, update


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


def test_the_header_counts_what_there_is() -> None:
    header = YarnSnapshot(_held_by_a_large_ask(), START_MS).header

    assert (header.total, header.used, header.reserved) == ((16384, 16), (8192, 2), (16384, 2))
    assert (header.nodes, header.nodes_reserved, header.containers, header.containers_pending) == (2, 2, 2, 2)
    assert (header.preemption, header.reservation_rule) == (False, "strict")


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


def test_nodes_that_left_stay_on_the_list() -> None:
    rm = _held_by_a_large_ask()
    rm.handle(NodeLost("n1:1"), START_MS)

    rows = YarnSnapshot(rm, START_MS).nodes()

    assert [(row.id, row.state, row.containers) for row in rows] == [("n1:1", "LOST", 0), ("n2:1", "RUNNING", 1)]
    assert (rows[0].reserved_by, rows[1].reserved_by) == (None, f"application_{START_MS}_0002")


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


def test_who_waits_behind_reservations_is_told_whose_they_are() -> None:
    why = _why(_held_by_a_large_ask(), 3)

    assert why == ObstacleSummary("NODE_RESERVED", "2 of 2 nodes reserved by 0002")


def test_who_holds_reservations_is_told_what_comes_nearest() -> None:
    why = _why(_held_by_a_large_ask(), 2)

    assert why is not None
    assert why.code == "DOES_NOT_FIT"
    assert "best n1: 4096 MB free of 8192 MB wanted" in why.sentence


def test_who_could_be_served_waits_for_its_turn() -> None:
    rm = resource_manager(nodes=2)
    number = submit(rm)
    ask(rm, number, 1)
    update(rm)

    assert _why(rm, number) == ObstacleSummary("OTHER_FIRST", "2 of 2 nodes have room: waits for its turn")


def test_who_asks_for_nothing_waits_for_nothing() -> None:
    rm = resource_manager()

    assert _why(rm, submit(rm)) is None


def test_limits_of_queues_and_users_are_named() -> None:
    queues = '<queue name="a"><maxRunningApps>1</maxRunningApps></queue><userMaxAppsDefault>1</userMaxAppsDefault>'
    rm = resource_manager(queues=queues)
    first, second, third = submit(rm, "root.a"), submit(rm, "root.a", user="bob"), submit(rm, "root.b")
    for number in (first, second, third):
        ask(rm, number, 1)

    sentences = [why.sentence for number in (second, third) if (why := _why(rm, number)) is not None]

    assert sentences == ["queue root.a already runs 1 of 1 applications", "user ann already runs 1 of 1 applications"]


def test_a_queue_over_its_maximum_is_named() -> None:
    rm = resource_manager(queues='<queue name="a"><maxResources>1024 mb, 8 vcores</maxResources></queue>')
    number = submit(rm, "root.a")
    ask(rm, number, 3, 2048)
    update(rm)
    heartbeat(rm)

    assert _why(rm, number) == ObstacleSummary("QUEUE_OVER_MAXIMUM", "queue root.a uses 2048 MB of its maximum 1024 MB")


def test_the_share_for_application_masters_is_named() -> None:
    rm = resource_manager()

    why = _why(rm, submit(rm, am_mb=1024))

    assert why is not None
    assert why.code == "AM_SHARE_EXHAUSTED"
    assert "this one needs 1024 MB" in why.sentence


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
        "2 of 2 nodes not near enough yet",
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


def test_without_nodes_there_is_nothing_to_wait_for() -> None:
    rm = resource_manager(nodes=0)
    number = submit(rm)
    ask(rm, number, 1)

    assert _why(rm, number) == ObstacleSummary("NO_NODE", "there is no node")


def test_fifo_has_one_queue_and_no_shares() -> None:
    rm = resource_manager("fifo", nodes=1)
    ask(rm, submit(rm), 1)
    heartbeat(rm)

    snapshot = YarnSnapshot(rm, START_MS)

    (row,) = snapshot.queues()
    assert (row.path, row.used, row.fair_share, row.starved_since_ms) == ("default", (1024, 1), UNKNOWN, UNKNOWN)
    assert (snapshot.header.preemption, snapshot.header.reservation_rule) == (UNKNOWN, "")
    assert snapshot.version("queues") == rm.version


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
    (glimpse,) = glimpses(rows)

    assert rows[0].asks == (
        AskRow(1, 3, (1024, 1), ("n7", "n9"), relax_locality=False),
        AskRow(2, 1, (2048, 1), (), relax_locality=True),
    )
    assert glimpse.asks == (AskRow(1, 3, (1024, 1)), AskRow(2, 1, (2048, 1)))


def test_an_ended_application_asks_for_nothing() -> None:
    rm = resource_manager(nodes=1)
    rm.handle(ApplicationFinished(submit(rm)), START_MS)
    rows = YarnSnapshot(rm, START_MS).applications()
    (glimpse,) = glimpses(rows)

    assert (rows[0].asks, glimpse.asks) == ((), ())


def test_one_application_is_told_with_its_obstacle() -> None:
    snapshot = YarnSnapshot(_held_by_a_large_ask(), START_MS)
    row = next(row for row in snapshot.applications() if row.number == 3)

    assert row.obstacle == ObstacleSummary("NODE_RESERVED", "2 of 2 nodes reserved by 0002")


def test_draining_nodes_are_a_version_of_their_own() -> None:
    rm = resource_manager()
    plain, one, other = (YarnSnapshot(rm, START_MS, draining=nodes) for nodes in ((), ("n1:1",), ("n2:1",)))

    assert len({each.version("nodes") for each in (plain, one, other)}) == 3
    assert len({each.version("queues") for each in (plain, one, other)}) == 1


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


def _ids(rm: ResourceManager, **which: str) -> list[tuple[str, str, str]]:
    rows = YarnSnapshot(rm, START_MS).containers(**which)
    return [(row.id.removeprefix(f"container_{START_MS}_"), row.node, row.state) for row in rows]


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


def test_the_whole_cluster_goes_node_by_node_with_reservations() -> None:
    assert _ids(_cluster()) == [
        ("0001_01_000001", "n1:1", "ALLOCATED"),
        ("0002_01_000001", "n1:1", "RESERVED"),
        ("0001_01_000002", "n2:1", "ALLOCATED"),
    ]


def test_containers_of_an_application_of_a_node_and_of_both() -> None:
    rm, one = _cluster(), f"application_{START_MS}_0001"

    assert [
        [id_ for id_, _, _ in _ids(rm, **which)]
        for which in (
            {"application": one},
            {"node": "n1:1"},
            {"application": one, "node": "n2:1"},
            {"application": "application_7_0001"},
            {"application": "nobody"},
            {"node": "nowhere"},
        )
    ] == [
        ["0001_01_000001", "0001_01_000002"],
        ["0001_01_000001", "0002_01_000001"],
        ["0001_01_000002"],
        [],
        [],
        [],
    ]


def test_a_container_is_found_by_id_without_making_rows() -> None:
    rows = containers_of(_cluster().cluster)
    ids = [row.id for row in rows]

    assert [rows.place_of(one) for one in [*ids, "container_7_0001_01_000001", "n1:1", ""]] == [
        0,
        1,
        2,
        None,
        None,
        None,
    ]


def test_a_slice_keeps_the_order() -> None:
    rows = YarnSnapshot(_cluster(), START_MS).containers()

    assert (len(rows), [row.id for row in rows[::-1]]) == (3, [row.id for row in rows][::-1])


def test_an_id_of_anything_but_numbers_is_nowhere() -> None:
    rows = containers_of(_cluster().cluster)
    ids = [f"container_{START_MS}_{rest}" for rest in ("x_01_000001", "0001_x_000001", "0001_01_x", "0001_01_000001")]

    assert [rows.place_of(one) for one in ids] == [None, None, None, 0]
