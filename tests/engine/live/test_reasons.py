"""Why applications of a live cluster wait: the sentence of a row, and the report with every reason."""

from typing import Any

import pytest

from engine.explain.obstacle_rows import ObstacleRow
from engine.explain.report import END_UNKNOWN, HolderReport
from engine.live.inference import waits, waits_for_unknown, with_obstacles, words_of_server
from engine.live.live_why import HELD_UNSAID, NOT_SAID, why_application, why_place
from engine.live.yarn_settings import read_scheduling
from engine.observe.snapshot import UNKNOWN, ObstacleSummary, ReservationRow
from tests.engine.live.rows import NOW_MS, app, ask, capacity_queue, header, node, queue, snapshot

WAITER = app(1, ask(50, 2), state="ACCEPTED", containers=0)
QUEUE_WORDS = "Queue's AM resource limit exceeded"
ROOM = node("room", (90, 9))


def sentence(*rows: Any, nodes: tuple[Any, ...] = (ROOM,), **more: Any) -> ObstacleSummary | None:
    """Why the first of some applications waits."""
    queues = more.pop("queues", [])
    found = with_obstacles(snapshot(header(**more), nodes=list(nodes), applications=list(rows), queues=queues))
    return found.applications()[0].obstacle


def test_one_with_room_waits_for_its_turn() -> None:
    """As far as anybody says."""
    found = sentence(WAITER)

    assert found is not None
    assert (found.code, found.certainty) == ("OTHER_FIRST", "unknown")


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
    """Of one that is accepted."""
    found = sentence(app(1, ask(50, 2), state="ACCEPTED", diagnostics=words), queues=[queue("root", max_share=(1, 1))])

    assert found == ObstacleSummary(code, f"the ResourceManager says: {said}", "known")
    assert words_of_server(app(1, diagnostics=words)) == ""


def test_limits_of_queues_go_before_nodes() -> None:
    """They are inferred."""
    found = sentence(WAITER, queues=[queue("root.q", used=(8, 1), max_share=(57, 9))], total=(500, 50))

    assert found is not None
    assert (found.code, found.certainty) == ("QUEUE_OVER_MAXIMUM", "inferred")
    assert "57 MB" in found.sentence


def test_a_cluster_without_nodes_has_none() -> None:
    """That is known."""
    assert sentence(WAITER, nodes=()) == ObstacleSummary("NO_NODE", "there is no node", "known")


@pytest.mark.parametrize(
    ("nodes", "certainty"),
    [
        ((node("a"),), "known"),
        ((node("a"), node("b", (90, 9), reserved_by="application_1_0009")), "known"),
        ((node("b", (90, 9), reserved_by="application_1_0009"), node("a")), "known"),
        ((node("a"), ROOM), "unknown"),
    ],
)
def test_a_sentence_is_as_sure_as_the_least_sure_of_nodes(nodes: tuple[Any, ...], certainty: str) -> None:
    """What is on one of them may be known, inferred or unknown."""
    found = sentence(WAITER, nodes=nodes)
    inferred = sentence(WAITER, nodes=nodes, inferred=("nodes",))

    assert found is not None
    assert inferred is not None
    assert found.certainty == certainty
    is_held = any(isinstance(each.reserved_by, str) for each in nodes)
    assert inferred.certainty == ("inferred" if is_held else certainty)


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
    """For something that is known."""
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
    """Its first container, or what nodes are held for."""
    row = app(1, **{"asks": UNKNOWN, **changes})

    assert waits_for_unknown(row) == does
    if does:
        assert sentence(row) == ObstacleSummary("OTHER_FIRST", "what it asks for is not known", "unknown")


def reasons(row: Any, *others: Any, nodes: tuple[Any, ...] = (ROOM,), **more: Any) -> tuple[ObstacleRow, ...]:
    """All that stands in its way."""
    queues = more.pop("queues", [])
    picture = snapshot(header(**more), nodes=list(nodes), applications=[row, *others], queues=queues)
    return why_application(picture, row.number).reasons


def test_nodes_are_grouped_by_what_they_say_the_largest_group_first() -> None:
    """With the one that comes nearest, and how many of all; hosts are named."""
    nodes = (node("a", (90, 1)), node("b", (10, 9)), node("c", (30, 9)), ROOM)
    first, second, third = reasons(WAITER, nodes=nodes)

    assert (first.code, first.count, first.of, first.nodes, first.certainty) == (
        "DOES_NOT_FIT",
        2,
        4,
        ("b", "c"),
        "known",
    )
    assert first.numbers == {"wanted_mb": 50, "free_mb": 30, "wanted_vcores": 2, "free_vcores": 9}
    assert (first.level, first.state, first.decided_by) == ("NODE", "SKIPPED", None)
    assert (second.count, second.nodes, second.numbers["free_vcores"]) == (1, ("a",), 1)
    assert (third.code, third.answer, third.count, third.nodes, third.certainty, third.noun) == (
        "OTHER_FIRST",
        NOT_SAID,
        1,
        ("room",),
        "unknown",
        "node",
    )


@pytest.mark.parametrize(
    ("count", "by", "found"),
    [(0, UNKNOWN, NOT_SAID), (1, UNKNOWN, HELD_UNSAID), (1, None, NOT_SAID), (UNKNOWN, UNKNOWN, HELD_UNSAID)],
)
def test_a_node_with_room_may_be_reserved_where_reservations_are_counted(count: Any, by: Any, found: str) -> None:
    """Nobody says for whom."""
    nodes = (node("a", (90, 9), reserved_by=by), node("b", (90, 9), reserved_by=by))

    assert [each.answer for each in reasons(WAITER, nodes=nodes, nodes_reserved=count)] == [found]


def test_words_limits_and_nodes_come_in_that_order() -> None:
    """The words as they are."""
    row = app(1, ask(50, 2), state="ACCEPTED", diagnostics="User's AM resource limit exceeded")
    queues = [capacity_queue("root.q", used=(8, 1), max_share=(57, 9))]
    found = reasons(row, queues=queues, total=(500, 50), scheduler="CapacityScheduler 3.4.1")

    assert [(each.code, each.certainty, each.count, each.of) for each in found] == [
        ("USER_AM_SHARE_EXHAUSTED", "known", 0, 0),
        ("QUEUE_OVER_MAXIMUM", "inferred", 0, 1),
        ("OTHER_FIRST", "unknown", 1, 1),
    ]
    assert found[0].answer == "the ResourceManager says: User's AM resource limit exceeded"
    assert (found[1].subject, found[1].numbers["maximum_mb"]) == ("root.q", 57)


def test_who_holds_nodes_itself_is_not_in_its_own_way() -> None:
    """Of what it is held up by only the room counts."""
    nodes = (node("a", (90, 9), reserved_by=WAITER.id),)
    held = [ReservationRow("a:1", WAITER.id, "", (1, 1), (1, 1), (0, 0), 0)]
    picture = snapshot(header(1, nodes=1), nodes=list(nodes), applications=[WAITER], reservations=held)

    assert [each.code for each in why_application(picture, 1).reasons] == ["OTHER_FIRST"]
    assert why_application(picture, 1).holders == ()


def test_others_that_hold_nodes_are_named_with_what_they_have() -> None:
    """Until when is not known; who is not named has no nodes."""
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


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (app(1, state="FINISHED", finished_ms=5), "ended"),
        (app(1, ask(1, 1)), "live"),
        (app(1, asks=UNKNOWN), "live"),
        (app(1, asks=UNKNOWN, waiting_since_ms=None), "unknown"),
        (app(1), "none"),
    ],
)
def test_a_verdict_needs_no_play(row: Any, verdict: str) -> None:
    """By its row."""
    found = why_application(snapshot(header(), nodes=[ROOM], applications=[row]), 1)

    assert (found.verdict, found.is_live, found.at_ms) == (verdict, True, NOW_MS)
    assert (found.expected_start_ms, found.proof, found.pattern) == (None, None, "")


def test_an_application_that_is_not_there_is_named_by_its_number() -> None:
    """Nothing is known of it."""
    found = why_application(snapshot(header()), 7)

    assert (found.application.id, found.application.number, found.verdict) == ("application 7", 7, "unknown")
    assert (found.reasons, found.holders) == ((), ())


def test_who_waits_in_a_queue_is_who_waits_below_it() -> None:
    """Those whose ask nobody knows among them; root is above all, also above queues without a path."""
    rows = [
        app(1, ask(1, 1), queue="root.a"),
        app(2, ask(1, 1), queue="root.a.b"),
        app(3, ask(1, 1), queue="root.ab"),
        app(4, queue="root.a"),
        app(5, asks=UNKNOWN, queue="root.a"),
        app(6, ask(1, 1), queue="b"),
    ]
    picture = snapshot(header(), nodes=[ROOM], applications=rows)

    def waiting(name: str) -> list[int]:
        return [int(each.application[-4:]) for each in why_place(picture, "queue", name).waiting]

    assert (waiting("root.a"), waiting("root"), waiting("b")) == ([1, 2, 5], [1, 2, 3, 5, 6], [6])
    found = why_place(picture, "queue", "root.a").waiting[0]
    assert (found.name, found.queue, found.waiting_since_ms, found.pending) == ("job", "root.a", 0, 1)


def test_settings_that_decide_what_is_scheduled_are_told_by_their_beginnings() -> None:
    """Files of the server are not among them, nor what has no value."""
    keys = ("yarn.scheduler.capacity.root.queues", "yarn.scheduler.fair.allocation.file", "yarn.nodemanager.x")
    body = ", ".join(f'{{"key": "{key}", "value": "v"}}' for key in keys)
    page = f'{{"properties": [{body}, {{"key": "yarn.scheduler.fair.x"}}]}}'

    assert read_scheduling(page.encode()) == {"yarn.scheduler.capacity.root.queues": "v"}
