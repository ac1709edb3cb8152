"""Why applications of a live cluster wait, concluded from recorded answers."""

from collections import Counter
from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.explain.alert import STILL_MS
from engine.live.alarms import LiveFreezeDetector
from engine.live.inference import (
    MOST_FOR_THREE,
    InferredReservations,
    holders_of,
    inferred_reservations,
    reason_said,
    said_of,
    with_obstacles,
)
from engine.live.live_why import why_application, why_place
from engine.live.yarn_answers import NodeInfo
from engine.live.yarn_poll import ObservedReservation, Round, snapshot_of_round
from engine.live.yarn_source import with_containers
from engine.observe.documents import FixedSnapshot
from engine.observe.snapshot import UNKNOWN, Amounts, ApplicationRow, AskRow, Header, ReservationRow, asked_places
from tests.build.rows import NOW_MS, app, ask, header, node, queue
from tests.engine.live.recorded import round_of, rounds_of, snapshot_of

FROZEN = round_of("2.7.2-fair")
"""Every node is reserved."""
CULPRIT = 10


def explained(answers: Round) -> dict[int, ApplicationRow]:
    """The applications of a round by number, with why they wait."""
    return {row.number: row for row in with_obstacles(snapshot_of(answers)).applications()}


def code_of(row: ApplicationRow) -> str:
    """The reason it waits for; empty when it does not."""
    return "" if row.obstacle is None else row.obstacle.code


def test_the_applications_behind_the_reservations_are_found() -> None:
    """On 2.7.2, which says nobody's reservations: eleven nodes of one, and one of another, as its log says."""
    last = with_obstacles(snapshot_of(FROZEN))
    held = Counter(row.application.rpartition("_")[2] for row in last.reservations())

    assert held == {"0010": 11, "0016": 1}
    assert {name.rpartition("_")[2] for name in holders_of(last)} == set(held)


def test_others_wait_for_the_reserved_nodes() -> None:
    rows = explained(FROZEN)
    waiting = [row for row in rows.values() if row.state == "ACCEPTED" and row.asks]

    assert waiting
    assert {row.obstacle and (row.obstacle.code, row.obstacle.certainty) for row in waiting} == {
        ("NODE_RESERVED", "inferred")
    }
    assert code_of(rows[CULPRIT]) == "DOES_NOT_FIT"


def with_nodes(answers: Round, **changes: int) -> Round:
    nodes: list[NodeInfo] = [msgspec.structs.replace(each, **changes) for each in answers.nodes]
    return answers._replace(nodes=nodes)


def test_what_a_server_says_is_whole_without_its_date_and_figures() -> None:
    """3.x writes a date in brackets before and numbers after it; the cause may be the second sentence."""
    date, not_yet = (
        "[Sat Nov 21 00:25:36 +0000 2026] ",
        "Application is added to the scheduler and is not yet activated. ",
    )
    cause = "The queue root.dev has reached the maximum limit of runnable applications."

    assert said_of(f"{date}Application is Activated, waiting.  Details : AM Partition = <X> ; ") == (
        "Application is Activated, waiting"
    )
    assert said_of(f"{date}{not_yet} {cause}") == f"{not_yet}{cause}".rstrip(".")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("The queue root.dev has reached the maximum limit of runnable applications", "QUEUE_NOT_RUNNING_IT"),
        ("Queue's AM resource limit exceeded", "AM_SHARE_EXHAUSTED"),
        ("User's AM resource limit exceeded", "USER_AM_SHARE_EXHAUSTED"),
        ("Application is Activated, waiting for resources to be assigned for AM", "OTHER_FIRST"),
    ],
)
def test_who_waits_is_grouped_by_the_cause_that_the_server_names(words: str, code: str) -> None:
    assert reason_said(f"Application is added to the scheduler and is not yet activated. {words}").name == code


def test_an_ask_over_the_maximum_of_a_queue_above_is_said_with_both_amounts() -> None:
    answers = FROZEN
    body = bytes(answers.scheduler.body).replace(
        b'"maxResources":{"memory":1228800', b'"maxResources":{"memory":716000'
    )
    body = bytes(answers.scheduler.body).replace(
        b'"maxResources": {"memory": 1228800', b'"maxResources": {"memory": 716000'
    )
    limited = answers._replace(scheduler=answers.scheduler._replace(body=msgspec.Raw(body)))
    found = explained(limited)[CULPRIT].obstacle

    assert found is not None
    assert (found.code, "716000 MB" in found.sentence) == ("QUEUE_OVER_MAXIMUM", True)


@pytest.mark.parametrize(("free_mb", "code"), [(64_000, "OTHER_FIRST"), (63_999, "DOES_NOT_FIT")])
def test_an_ask_fits_on_a_node_that_has_just_as_much_free(free_mb: int, code: str) -> None:
    rows = explained(with_nodes(FROZEN, avail_memory_mb=free_mb))

    assert code_of(rows[CULPRIT]) == code


def with_rows(snapshot: FixedSnapshot, section: str, rows: list[Any]) -> FixedSnapshot:
    return snapshot.with_section(snapshot.header, section, rows, 0)


def test_a_reserved_node_of_an_unknown_holder_is_not_said_to_be_the_known_holders() -> None:
    """Where every node is reserved, and it is known for whom all but one are."""
    snapshot = snapshot_of(FROZEN)
    other = next(row.node for row in snapshot.reservations() if row.application.endswith("_0016"))
    nodes = [
        msgspec.structs.replace(node, reserved_by=UNKNOWN) if node.id == other else node for node in snapshot.nodes()
    ]
    known = [row for row in snapshot.reservations() if row.node != other]
    seen = with_rows(with_rows(snapshot, "nodes", nodes), "reservations", known)
    rows = with_obstacles(seen).applications()

    obstacles = [row.obstacle for row in rows if row.state == "ACCEPTED" and row.obstacle is not None]
    assert {each.sentence for each in obstacles} == {"12 of 12 nodes reserved by 0010 and others"}


@pytest.mark.parametrize(
    ("near", "is_relaxed", "wanted"),
    [(False, False, ("n1",)), (True, False, ("n1", "/r")), (False, True, ("n1", "/r"))],
)
def test_who_insists_on_a_host_does_not_want_its_rack(wanted: tuple[str, ...], *, near: bool, is_relaxed: bool) -> None:
    """A rack counts where locality may be relaxed to it."""
    assert asked_places([("n1", True), ("/r", near)], is_relaxed=is_relaxed) == wanted


# Which nodes are reserved for whom, as far as sums let one conclude: the counts, the nodes, and what is certain.


def counts(found: InferredReservations) -> dict[int, int]:
    """Number of an application → how many nodes it holds."""
    held: dict[int, int] = {}
    for row in found.rows:
        number = int(row.application[-4:])
        held[number] = held.get(number, 0) + 1
    return held


NODES = [node(f"n{number}") for number in range(6)]


def test_a_reservation_stands_on_a_node_that_has_too_little_free() -> None:
    nodes = [node("full", (60, 5)), node("small", total=(49, 10)), node("short", (20, 3))]
    asker = app(1, ask(50, 2))

    assert inferred_reservations(header(1, (50, 2)), nodes, [asker], []) == InferredReservations(
        [ReservationRow("short:1", asker.id, "root.q", (50, 2), (20, 3), (30, 0), NOW_MS)], frozenset({asker.id})
    )


@pytest.mark.parametrize(
    ("free", "is_short"), [((50, 2), False), ((49, 2), True), ((50, 1), True), ((51, 3), False), ((0, 0), True)]
)
def test_a_node_is_short_of_an_ask_in_any_dimension(free: Amounts, *, is_short: bool) -> None:
    found = inferred_reservations(header(1, (50, 2)), [node("n", free)], [app(1, ask(50, 2))], [])

    assert bool(found.rows) == is_short


@pytest.mark.parametrize(
    ("places", "relax", "held"),
    [(("n1",), False, ["n1:1"]), (("/s",), False, ["n2:1"]), (("n1",), True, ["n0:1"]), ((), False, ["n0:1"])],
)
def test_who_insists_on_places_holds_nodes_there(places: tuple[str, ...], held: list[str], *, relax: bool) -> None:
    nodes = [node("n0"), node("n1"), node("n2", rack="/s")]
    asker = app(1, ask(50, 2, places=places, relax=relax))

    assert [row.node for row in inferred_reservations(header(1, (50, 2)), nodes, [asker], []).rows] == held


def test_a_node_that_may_as_well_be_another_ones_is_not_named() -> None:
    """It has too little free for both, or as little as a node that is nobody's; a node that has more is taken first."""
    alike = [node("a", (40, 1)), node("b", (40, 1)), node("c", (60, 1)), node("d", (10, 1))]
    two = [app(1, ask(80, 1)), app(2, ask(50, 1))]
    both = inferred_reservations(header(3, (210, 3)), alike[:3], two, [])
    one = inferred_reservations(header(2, (160, 2)), alike, two[:1], [])
    both_of_two = inferred_reservations(header(2, (160, 2)), alike[2:], two[:1], [])

    assert (counts(both), sorted(both.unsure)) == ({1: 2, 2: 1}, ["a:1", "b:1"])
    assert (counts(one), sorted(one.unsure)) == ({1: 2}, ["a:1", "b:1"])
    assert (counts(both_of_two), sorted(both_of_two.unsure)) == ({1: 2}, [])


def test_sums_of_queues_tell_who_of_two_alike_it_is() -> None:
    """A queue that has none reserved has no holder; parents, and queues that do not say, tell nothing."""
    askers = [app(1, ask(50, 2), queue="root.p"), app(2, ask(50, 2))]
    rows = [queue("root", (7, 7), is_leaf=False), queue("root.p", (0, 0)), queue("root.q", (100, 4))]
    found = inferred_reservations(header(2, (100, 4)), NODES, askers, rows)

    assert (counts(found), found.certain) == ({2: 2}, frozenset({askers[1].id}))


@pytest.mark.parametrize(("extra", "count"), [(0, 3), (1, 0)])
def test_three_asks_are_looked_for_where_not_too_many_nodes_are_reserved(extra: int, count: int) -> None:
    nodes = [node(f"n{number:03d}") for number in range(MOST_FOR_THREE + 1)]
    askers = [app(1, ask(50, 1)), app(2, ask(49, 2)), app(3, ask(48, 4))]
    ones = MOST_FOR_THREE - 2 + extra
    whole = header(ones + 2, (50 * ones + 49 + 48, ones + 2 + 4))

    assert len(counts(inferred_reservations(whole, nodes, askers, []))) == count


def test_the_one_with_least_choice_has_its_nodes_first() -> None:
    nodes = [node("a", (9, 0)), node("b")]
    askers = [app(1, ask(50, 2)), app(2, ask(20, 1, places=("a",), relax=False))]
    found = inferred_reservations(header(2, (70, 3)), nodes, askers, [])

    assert {row.node: row.application for row in found.rows} == {"a:1": askers[1].id, "b:1": askers[0].id}


SIZES = st.tuples(st.integers(1, 4), st.integers(1, 3))


@settings(max_examples=60, deadline=None)
@given(st.lists(SIZES, min_size=1, max_size=3, unique=True), st.integers(1, 5), st.data())
def test_whatever_holds_explains_number_and_sums_by_as_few_asks_as_can_be(
    sizes: list[tuple[int, int]], count: int, data: st.DataObject
) -> None:
    held = data.draw(st.lists(st.sampled_from(sizes), min_size=count, max_size=count))
    whole = sum(each[0] for each in held), sum(each[1] for each in held)
    found = inferred_reservations(
        header(count, whole), NODES, [app(number, ask(*size)) for number, size in enumerate(sizes)], []
    )
    ways = [
        way
        for way in product(range(count + 1), repeat=len(sizes))
        if sum(way) == count
        and tuple(sum(number * size[at] for number, size in zip(way, sizes, strict=True)) for at in (0, 1)) == whole
    ]
    fewest = min(sum(map(bool, way)) for way in ways)
    best = [{number: each for number, each in enumerate(way) if each} for way in ways if sum(map(bool, way)) == fewest]

    assert counts(found) in best
    sure = set(best[0].items()).intersection(*(way.items() for way in best))
    assert {int(name[-4:]) for name in found.certain} == {number for number, _ in sure}


# Containers that a ResourceManager counts and does not name are inferred, and marked so.

PLAIN = snapshot_of(round_of("2.7.2-fair"))


def inferred() -> FixedSnapshot:
    return with_containers(PLAIN, {})


def test_every_node_and_application_has_as_many_as_the_server_counts() -> None:
    rows = [row for row in inferred().containers() if row.state != "RESERVED"]

    used, counts = Counter[str](), Counter(row.node for row in rows)
    used.update({node: sum(row.size[0] for row in rows if row.node == node) for node in counts})
    assert [(counts[node.id], used[node.id]) for node in PLAIN.nodes()] == [
        (node.containers, node.used[0]) for node in PLAIN.nodes()
    ]
    held = Counter(row.application for row in rows)
    live = [row for row in PLAIN.applications() if row.finished_ms is None]
    assert [held[row.id] for row in live] == [row.containers for row in live]


def test_what_nobody_says_is_unknown() -> None:
    found = inferred()

    assert "containers" in found.header.inferred
    assert {(row.id.split("_")[3], row.since_ms, row.priority) for row in found.containers()} == {
        ("?", UNKNOWN, UNKNOWN)
    }
    assert len({row.id for row in found.containers()}) == len(found.containers())


# Since when a live cluster stands still, and when its twin is asked about that.

FULL = snapshot_of(rounds_of("2.7.2-fair-kill")[0]).header
FREED = msgspec.structs.replace(FULL, used=(FULL.used[0] - 1, FULL.used[1]))


def looked(*rounds: tuple[int, Header]) -> LiveFreezeDetector:
    """After rounds, each at a time [ms] of the steady clock."""
    found = LiveFreezeDetector()
    for steady_ms, one in rounds:
        found.look(msgspec.structs.replace(one, time_ms=steady_ms), steady_ms)
    return found


def test_the_twin_is_asked_when_nothing_has_started_or_ended_for_so_long() -> None:
    assert not looked((0, FULL), (STILL_MS - 1, FULL)).is_due(FULL)
    assert looked((0, FULL), (STILL_MS, FULL)).is_due(FULL)
    assert not looked((0, FREED), (STILL_MS - 1, FULL), (STILL_MS, FULL)).is_due(FULL)


def test_a_twin_of_another_state_proves_nothing() -> None:
    found = looked((0, FULL), (STILL_MS, FULL))
    found.judge(FREED, "proved")

    assert (found.is_due(FREED), found.freeze) == (False, None)


def test_a_freeze_lasts_until_something_ends() -> None:
    found = looked((0, FULL), (STILL_MS, FULL))
    found.judge(FULL, "proved")
    freeze = found.freeze
    found.look(FREED, STILL_MS + 1)

    assert freeze is not None
    assert (freeze.since_ms, freeze.sentence, found.freeze) == (0, "proved", None)


# Why something of a live cluster waits, with how sure each reason is.


CULPRIT_ID = "application_1795220500481_0010"
WAITER = 12
"""It waits for its master."""


def reasons_of(snapshot: FixedSnapshot, number: int = WAITER) -> list[tuple[str, int, str]]:
    found = why_application(snapshot, number).reasons
    return [(each.code, each.count, each.certainty) for each in found]


def with_log(count: int) -> FixedSnapshot:
    """The frozen cluster with so many reservations read from the log, all of the culprit."""
    held = [ObservedReservation(each.id, CULPRIT_ID, FROZEN.time_ms) for each in FROZEN.nodes[:count]]
    return snapshot_of_round(FROZEN, 1, {}, held)


def test_nodes_that_one_application_must_hold_are_inferred() -> None:
    """Eleven and one are what the sums say; on four nodes that are alike, whose each is is not known.

    Nothing is inferred of values that are of different rounds.
    """
    mixed = snapshot_of(FROZEN._replace(pages_ms=FROZEN.time_ms - 1))

    assert reasons_of(snapshot_of(FROZEN)) == [("NODE_RESERVED", 8, "inferred"), ("NODE_RESERVED", 4, "inferred")]
    holders = why_application(snapshot_of(FROZEN), WAITER).holders
    assert [len(each.reservations) for each in holders] == [11, 1]
    assert [each.reservations[-1] for each in holders] == ["one of the 4 nodes"] * 2
    assert not mixed.reservations()


def test_where_nobody_says_who_holds_a_node_that_is_unknown() -> None:
    """Two of three reservations stand in the log; with a third holder nobody knows of."""
    metrics = msgspec.structs.replace(FROZEN.metrics, containers_reserved=3)
    held = [ObservedReservation(each.id, CULPRIT_ID, FROZEN.time_ms) for each in FROZEN.nodes[:2]]
    snapshot = snapshot_of_round(FROZEN._replace(metrics=metrics), 1, {}, held)

    assert reasons_of(snapshot) == [("NODE_RESERVED", 2, "known"), ("NODE_RESERVED", 10, "unknown")]


def test_where_there_is_room_the_rest_is_unknown() -> None:
    metrics = msgspec.structs.replace(FROZEN.metrics, containers_reserved=0)

    assert reasons_of(snapshot_of(FROZEN._replace(metrics=metrics))) == [("OTHER_FIRST", 12, "unknown")]


def with_ask(snapshot: FixedSnapshot, ask: AskRow) -> FixedSnapshot:
    """The same in which the waiter asks for something else."""
    rows = [
        msgspec.structs.replace(row, asks=(ask,)) if row.number == WAITER else row for row in snapshot.applications()
    ]
    return with_rows(snapshot, "applications", rows)


@pytest.mark.parametrize(
    ("places", "relax", "elsewhere"),
    [(("node01",), False, 11), (("/rack2",), False, 8), (("node01",), True, 0), ((), False, 0)],
)
def test_an_ask_that_insists_on_places_is_refused_elsewhere(
    places: tuple[str, ...], *, relax: bool, elsewhere: int
) -> None:
    """On hosts and racks; one that relaxes locality, or names no place, is not."""
    snapshot = with_ask(with_log(0), AskRow(1, 1, (1024, 1), places, relax))
    found = [count for code, count, sure in reasons_of(snapshot) if (code, sure) == ("LOCALITY_NOT_RELAXED", "known")]

    assert sum(found) == elsewhere


def capacity(**changes: Any) -> list[str]:
    """Codes of the reasons of one that waits under CapacityScheduler, whose queue is so."""
    answers = round_of("3.4.1-capacity")
    snapshot = snapshot_of(answers)
    row = next(each for each in snapshot.applications() if each.state == "ACCEPTED" and each.asks)
    queues = [
        msgspec.structs.replace(each, partitions=(), **changes) if each.path == row.queue else each
        for each in snapshot.queues()
    ]
    return [each.code for each in why_application(with_rows(snapshot, "queues", queues), row.number).reasons]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"max_share": (1024, 1), "used": (1024, 1)}, "QUEUE_OVER_MAXIMUM"),
        ({"am_used": (2048, 2), "am_limit": (2048, 2)}, "AM_SHARE_EXHAUSTED"),
        ({"user_limit": (-1, 0)}, "USER_OVER_LIMIT"),
    ],
)
def test_limits_of_queues_are_inferred(changes: dict[str, Any], code: str) -> None:
    roomy = dict.fromkeys(("max_share", "am_limit", "user_limit"), (10**9, 10**6))

    assert code in capacity(**{**roomy, **changes})
    assert code not in capacity(**roomy)


@pytest.mark.parametrize(("number", "verdict"), [(999, "unknown"), (4, "ended"), (1, "none"), (WAITER, "live")])
def test_a_verdict_is_only_given_where_nothing_has_to_be_played(number: int, verdict: str) -> None:
    """One that is not there, has ended, or asks for nothing; of others none is given."""
    assert why_application(snapshot_of(FROZEN), number).verdict == verdict


def test_where_no_node_is_that_is_the_reason() -> None:
    assert ("NO_NODE", 0, "known") in reasons_of(with_rows(snapshot_of(FROZEN), "nodes", []))


def test_who_waits_for_a_node_hears_of_that_node_alone() -> None:
    snapshot = with_log(12)
    found = why_place(snapshot, "node", FROZEN.nodes[3].id).waiting

    assert found
    assert {tuple(reason.nodes) for each in found for reason in each.reasons} == {("node04",)}
