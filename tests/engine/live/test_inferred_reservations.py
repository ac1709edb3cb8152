"""Which nodes are reserved for whom, as far as sums let one conclude: the counts, the nodes, and what is certain."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.live.inference import MOST_FOR_THREE, InferredReservations, inferred_reservations
from engine.live.yarn_source import with_containers
from engine.observe.documents import FixedSnapshot
from engine.observe.snapshot import UNKNOWN, Amounts, ReservationRow
from tests.engine.live.recorded import round_of, snapshot_of
from tests.engine.live.rows import NOW_MS, app, ask, header, node, queue


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
    [
        (("n1", "/r"), False, ["n1:1"]),
        (("/s",), False, ["n2:1"]),
        (("n1",), True, ["n0:1"]),
        ((), False, ["n0:1"]),
    ],
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
