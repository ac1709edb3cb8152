"""A log's cluster at an instant as rows, field by field."""

from typing import Any

import pytest

from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.snapshot import (
    UNKNOWN,
    ApplicationRow,
    AskRow,
    Header,
    NodeRow,
)
from engine.recorded.log_cluster import LogCluster
from engine.recorded.log_facts import LogFacts
from tests.engine.recorded.timelines import app, container, held, node, timeline

NAME = "application_7_0001"


def at(time_ms: int, *parts: Any, **more: Any) -> FixedSnapshot:
    return LogCluster(LogFacts(timeline(*parts, **more))).snapshot_at(time_ms)


def test_a_node_has_what_runs_there_at_that_instant() -> None:
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


def test_the_header_is_what_the_rows_add_up_to() -> None:
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
    return at(at_ms, one, *parts).applications(why=False)[0]


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
