"""A log's cluster at an instant as rows, field by field."""

from typing import Any

import pytest

from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.snapshot import (
    UNKNOWN,
    ApplicationRow,
    AskRow,
    ContainerRow,
    Header,
    NodeRow,
    ReservationRow,
)
from engine.recorded.log_cluster import LogCluster
from engine.recorded.log_facts import LogFacts
from engine.recorded.log_records import application_number
from tests.engine.recorded.timelines import app, container, held, node, timeline

NAME = "application_7_0001"


def at(time_ms: int, *parts: Any, **more: Any) -> FixedSnapshot:
    """The cluster of a log at an instant."""
    return LogCluster(LogFacts(timeline(*parts, **more))).snapshot_at(time_ms)


def test_a_node_has_what_runs_there_at_that_instant() -> None:
    """From its allocation up to its end, and who holds it."""
    parts = [
        app(1),
        node("n1:1", rack="/r"),
        container(1, 20, 50),
        container(2, 30, memory_mb=None, vcores=None),
        held(40, 60),
    ]
    row = NodeRow(
        id="n1:1",
        host="n1",
        rack="/r",
        state="RUNNING",
        partition="",
        total=(1000, 8),
        used=(100, 1),
        free=(900, 7),
        containers=2,
        reserved_by=NAME,
        reserved=(300, 2),
        last_heartbeat_ms=UNKNOWN,
    )

    assert list(at(40, *parts).nodes()) == [row]
    found = {ms: at(ms, *parts).nodes()[0] for ms in (19, 20, 39, 49, 50, 59, 60)}
    assert {ms: (each.used[0], each.containers) for ms, each in found.items()} == {
        19: (0, 0),
        20: (100, 1),
        39: (100, 2),
        49: (100, 2),
        50: (0, 1),
        59: (0, 1),
        60: (0, 1),
    }
    assert [found[ms].reserved_by for ms in (39, 59, 60)] == [None, NAME, None]
    assert (found[60].reserved, at(40, app(1), node("n1:1"), held(9, memory_mb=None)).nodes()[0].reserved) == (
        None,
        UNKNOWN,
    )


def test_nodes_are_there_once_they_are_and_have_their_state() -> None:
    """Those that are up count."""
    parts = [app(1), node("n1:1", (50, "NEW"), (60, "LOST")), node("n2", (20, "RUNNING"))]

    assert [(row.id, row.state) for row in at(49, *parts).nodes()] == [("n2", "RUNNING")]
    later = at(60, *parts)
    assert [(row.id, row.state) for row in later.nodes()] == [("n1:1", "LOST"), ("n2", "RUNNING")]
    assert (later.header.nodes, later.header.nodes_down, later.header.total) == (1, 1, (1000, 8))


def test_the_header_is_what_the_rows_add_up_to() -> None:
    """What no line says is unknown."""
    parts = [
        app(1, (10, "ACCEPTED"), (20, "RUNNING")),
        app(2, (10, "ACCEPTED")),
        app(3, (10, "RUNNING"), (30, "KILLED")),
        node("n1:1"),
        container(1, 20),
        container(2, 20, of=3, vcores=5),
        held(25),
    ]
    header = Header(
        time_ms=40,
        scheduler="FairScheduler 2.7.2",
        dimensions=("memory_mb", "vcores"),
        total=(1000, 8),
        used=(200, 6),
        reserved=(300, 2),
        nodes=1,
        nodes_down=0,
        nodes_reserved=1,
        applications_running=1,
        applications_pending=1,
        containers=2,
        containers_pending=UNKNOWN,
        preemption=UNKNOWN,
        reservation_rule=UNKNOWN,
    )
    found = at(40, *parts, scheduler="FairScheduler", version="2.7.2")

    assert found.header == header
    assert {found.version(name) for name in found.sections} == {40}
    assert (at(24, *parts).header.scheduler, at(24, *parts).header.reserved) == ("a ResourceManager", (0, 0))
    assert at(40, *parts, held(30, of=2, memory_mb=None)).header.reserved == UNKNOWN


def row_of(one: Any, *parts: Any, at_ms: int = 40) -> ApplicationRow:
    """An application at an instant, without why it waits."""
    return at(at_ms, one, *parts).applications(why=False)[0]


def test_an_application_has_what_it_holds() -> None:
    """What it asks for is unknown, but for what is reserved."""
    one = app(1, (20, "RUNNING"), user="ann", name="job", type="TEZ", queue="q", submitted_ms=5)
    row = ApplicationRow(
        id=NAME,
        number=1,
        name="job",
        user="ann",
        queue="q",
        type="TEZ",
        state="RUNNING",
        submitted_ms=5,
        waiting_since_ms=30,
        finished_ms=None,
        used=(200, 2),
        containers=2,
        reserved=(600, 4),
        reservations=2,
        asks=(AskRow(1, 1, (300, 2)),),
        pending_containers=1,
        obstacle=None,
    )
    parts = [container(1, 20), container(2, 20), held(35), held(30, node=None)]

    assert row_of(one, *parts) == row
    unsized = row_of(one, *parts, held(35, memory_mb=None))
    assert (unsized.reserved, unsized.asks, unsized.pending_containers) == (UNKNOWN, UNKNOWN, UNKNOWN)
    sizes = row_of(one, held(30), held(31, memory_mb=5, vcores=None))
    assert (sizes.asks, sizes.pending_containers) == ((AskRow(1, 1, (300, 2)), AskRow(1, 1, (5, 0))), 2)


@pytest.mark.parametrize(
    ("one", "parts", "found"),
    [
        (app(1), [], ("RUNNING", UNKNOWN, 10)),
        (app(1, submitted_ms=5), [], ("RUNNING", UNKNOWN, 5)),
        (app(1), [container(1, 20)], ("RUNNING", UNKNOWN, None)),
        (app(1, (20, "ACCEPTED")), [], ("ACCEPTED", UNKNOWN, 10)),
        (
            app(1, (20, "ACCEPTED")),
            [container(1, 50, is_master=True, vcores=None)],
            ("ACCEPTED", (AskRow(0, 1, (100, 0)),), 10),
        ),
        (app(1, (20, "ACCEPTED")), [container(1, 50, is_master=True, memory_mb=None)], ("ACCEPTED", UNKNOWN, 10)),
        (app(1, (20, "ACCEPTED")), [container(1, 50)], ("ACCEPTED", UNKNOWN, 10)),
        (app(1, (20, "RUNNING")), [container(1, 50, is_master=True)], ("RUNNING", UNKNOWN, 10)),
        (app(1, (20, "ACCEPTED")), [container(1, 30, is_master=True)], ("ACCEPTED", UNKNOWN, None)),
        (app(1, (20, "KILLED"), finished_ms=20), [container(1, 10), held(10)], ("KILLED", (), None)),
    ],
)
def test_one_that_waits_for_its_first_container_asks_for_the_master_it_got_later(
    one: Any, parts: list[Any], found: tuple[str, Any, int | None]
) -> None:
    """Of others nobody says; one that ended asks for nothing and has nothing reserved."""
    row = row_of(one, *parts)

    assert (row.state, row.asks, row.waiting_since_ms) == found


def test_one_that_ended_may_hold_containers_until_its_nodes_report() -> None:
    """But no reservation."""
    row = row_of(app(1, (20, "KILLED"), finished_ms=25), container(1, 10), held(10))

    assert (row.finished_ms, row.containers, row.reservations, row.reserved) == (25, 1, 0, (0, 0))
    assert row.pending_containers == 0
    live = row_of(app(1, (20, "KILLED"), finished_ms=25), at_ms=19)
    assert (live.state, live.finished_ms, live.user, live.queue) == ("RUNNING", None, "", "")


def test_applications_come_live_ones_first() -> None:
    """By submission, then those that ended, latest first; none before it is there."""
    rows = [
        app(1, (10, "RUNNING"), (20, "FINISHED"), finished_ms=20),
        app(2, (10, "RUNNING"), (30, "FINISHED"), finished_ms=30),
        app(4),
        app(3),
        app(5, first_ms=41),
    ]

    assert [row.number for row in at(40, *rows).applications()] == [3, 4, 2, 1]
    assert application_number("application_7_0042") == 42
    assert application_number("application_7_x") == 0


def test_reservations_say_what_is_missing_on_their_node() -> None:
    """In order of nodes; those of no node are left out."""
    parts = [app(1, queue="q"), node("n1:1", memory_mb=250, vcores=9), node("n2:1"), container(1, 20)]
    found = at(40, *parts, held(31, node="n2:1", memory_mb=None), held(30), held(30, node=None)).reservations()

    assert list(found) == [
        ReservationRow("n1:1", NAME, "q", (300, 2), (150, 8), (150, 0), 30),
        ReservationRow("n2:1", NAME, "q", UNKNOWN, (1000, 8), UNKNOWN, 31),
    ]


def test_containers_come_by_node() -> None:
    """Those of nodes that no line names are left out."""
    parts = [app(1, queue="q", user="ann"), node("n1:1")]
    first = container(1, 20, running_ms=21, is_master=True, preempted_ms=39)
    other = container(2, 25, memory_mb=None, vcores=None)
    found = at(40, *parts, first, other, container(3, 20, node="n9"), container(4, 20, node=None)).containers()
    row = ContainerRow(
        id=first.id,
        application=NAME,
        node="n1:1",
        queue="q",
        user="ann",
        priority=UNKNOWN,
        size=(100, 1),
        state="RUNNING",
        since_ms=20,
        is_am=True,
        marked_ms=39,
    )

    assert found[0] == row
    assert [(each.id, each.state, each.size, each.is_am, each.marked_ms) for each in found[1:]] == [
        (other.id, "ALLOCATED", (0, 0), False, None)
    ]


def test_queues_are_those_that_applications_name_and_those_above() -> None:
    """In tree order, with who lives in them and below."""
    rows = [
        app(1, (20, "RUNNING"), queue="root.a.x"),
        app(2, (20, "ACCEPTED"), queue="root.a"),
        app(3, (20, "KILLED"), finished_ms=20, queue="root.b"),
        app(4),
    ]
    found = at(40, *rows, container(1, 20), container(2, 20, of=2), container(3, 20, of=3))

    assert [
        (row.path, row.depth, row.is_leaf, row.used, row.applications_running, row.applications_pending, row.containers)
        for row in found.queues()
    ] == [
        ("root", 0, False, (200, 2), 1, 1, 2),
        ("root.a", 1, True, (200, 2), 1, 1, 2),
        ("root.a.x", 2, True, (100, 1), 1, 0, 1),
        ("root.b", 1, True, (0, 0), 0, 0, 0),
    ]
    assert {row.policy for row in found.queues()} == {""}


def test_holders_are_found_without_the_rest() -> None:
    """By their numbers, with the reservations of their nodes."""
    facts = LogFacts(timeline(app(2), app(1), node("n1:1"), node("n2:1")))
    reserved = [held(30, of=2), held(31, node="n2:1")]
    found = LogCluster(facts).holders_at(at(40, app(1)).header, reserved)

    assert [row.number for row in found.applications()] == [1, 2]
    assert [(row.node, row.application[-1]) for row in found.reservations()] == [("n1:1", "2"), ("n2:1", "1")]
