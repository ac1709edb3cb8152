"""Why applications of a live cluster wait: the sentence of a row, and the report with every reason."""

from typing import Any

import pytest

from engine.explain.report import END_UNKNOWN, HolderReport
from engine.live.inference import waits, waits_for_unknown, with_obstacles, words_of_server
from engine.live.live_why import why_application
from engine.observe.snapshot import UNKNOWN, ObstacleSummary, ReservationRow
from tests.engine.live.rows import app, ask, header, node, queue, snapshot

WAITER = app(1, ask(50, 2), state="ACCEPTED", containers=0)
ROOM = node("room", (90, 9))


def sentence(*rows: Any, nodes: tuple[Any, ...] = (ROOM,), **more: Any) -> ObstacleSummary | None:
    queues = more.pop("queues", [])
    found = with_obstacles(snapshot(header(**more), nodes=list(nodes), applications=list(rows), queues=queues))
    return found.applications()[0].obstacle


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            "Queue's AM resource limit exceeded.  Details : x",
            "AM_SHARE_EXHAUSTED",
            "Queue's AM resource limit exceeded",
        ),
        ("exceeds maximum AM resource allowed", "AM_SHARE_EXHAUSTED", "exceeds maximum AM resource allowed"),
        (
            "[date] it exceeds current queue or its parents maximum resource allowed. ",
            "QUEUE_OVER_MAXIMUM",
            "it exceeds current queue or its parents maximum resource allowed",
        ),
        (
            "exceeds the available resources of the node",
            "DOES_NOT_FIT",
            "exceeds the available resources of the node",
        ),
        ("[all of it]", "OTHER_FIRST", "[all of it]"),
    ],
)
def test_the_servers_words_are_known_and_go_first(words: str, code: str, said: str) -> None:
    found = sentence(app(1, ask(50, 2), state="ACCEPTED", diagnostics=words), queues=[queue("root", max_share=(1, 1))])

    assert found == ObstacleSummary(code, f"the ResourceManager says: {said}", "known")
    assert words_of_server(app(1, diagnostics=words)) == ""


def test_limits_of_queues_go_before_nodes() -> None:
    found = sentence(WAITER, queues=[queue("root.q", used=(8, 1), max_share=(57, 9))], total=(500, 50))

    assert found is not None
    assert (found.code, found.certainty) == ("QUEUE_OVER_MAXIMUM", "inferred")
    assert "57 MB" in found.sentence


@pytest.mark.parametrize(
    ("changes", "does"),
    [
        ({}, True),
        ({"asks": ()}, False),
        ({"asks": UNKNOWN}, False),
        ({"state": "KILLED"}, False),
    ],
)
def test_one_waits_that_lives_and_asks(changes: dict[str, Any], *, does: bool) -> None:
    assert waits(app(1, ask(1, 1), **{"asks": (ask(1, 1),), **changes})) == does
    if not does:
        assert sentence(app(1, **{"waiting_since_ms": None, **changes})) is None


@pytest.mark.parametrize(
    ("changes", "does"),
    [
        ({"waiting_since_ms": 5}, True),
        ({"waiting_since_ms": None}, False),
        ({"waiting_since_ms": None, "state": "ACCEPTED", "containers": 0}, True),
        ({"waiting_since_ms": None, "state": "ACCEPTED", "containers": 1}, False),
        ({"waiting_since_ms": 5, "state": "FAILED"}, False),
        ({"waiting_since_ms": 5, "asks": (ask(1, 1),)}, False),
    ],
)
def test_one_waits_for_what_nobody_says(changes: dict[str, Any], *, does: bool) -> None:
    row = app(1, **{"asks": UNKNOWN, **changes})

    assert waits_for_unknown(row) == does
    if does:
        assert sentence(row) == ObstacleSummary("OTHER_FIRST", "what it asks for is not known", "unknown")


def test_others_that_hold_nodes_are_named_with_what_they_have() -> None:
    other = app(2, ask(80, 1), used=(7, 3), containers=4, name="big", queue="root.p")
    third = app(3, ask(80, 1))
    held = [ReservationRow("a:1", other.id, "", (1, 1), (1, 1), (0, 0), 0)]
    nodes = [node("a", (60, 1)), node("b", (60, 1))]
    named = snapshot(header(1), nodes=nodes, applications=[WAITER, other, third], reservations=held)
    guessed = snapshot(header(1), nodes=nodes, applications=[WAITER, other])

    holder = HolderReport(
        application=other.id,
        name="big",
        queue="root.p",
        because="NODE_RESERVED",
        memory_mb=7,
        vcores=3,
        containers=(),
        container_count=4,
        nodes=("a:1",),
        reservations=("a:1",),
        waits=True,
        until_ms=END_UNKNOWN,
    )
    assert why_application(named, 1).holders == (holder,)
    assert [(each.name, each.nodes) for each in why_application(guessed, 1).holders] == [("big", ())]
