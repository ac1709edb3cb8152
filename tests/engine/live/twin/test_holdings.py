"""What applications hold and will ask for, as containers are named or as totals let one conclude."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.live.twin.cluster_holdings import ClusterHoldings, by_application, holdings_of, steps_of
from engine.live.twin.holdings import (
    LEAST_AM,
    HeldContainers,
    UnseenAsk,
    kinds_of,
    named_holdings,
    reserved_priorities,
    unseen_asks,
)
from engine.live.twin.inferred_holdings import InferredHoldings
from engine.observe.fixed_snapshot import FixedSnapshot
from engine.observe.snapshot import UNKNOWN, ApplicationRow, ContainerRow, ReservationRow
from tests.engine.live.rows import app, ask, header, node, snapshot


def container(number: int, application: int = 1, where: str = "n:1", attempt: int = 1, **changes: Any) -> ContainerRow:
    """A container of 8 MB that runs."""
    fields: dict[str, Any] = {
        "id": f"container_1_{application:04d}_{attempt:02d}_{number:06d}",
        "application": f"application_1_{application:04d}",
        "node": where,
        "queue": "root.q",
        "user": "ann",
        "priority": 20,
        "size": (8, 1),
        "state": "RUNNING",
        "since_ms": 500,
        "is_am": False,
        "marked_ms": None,
    }
    return ContainerRow(**{**fields, **changes})


def named(*containers: ContainerRow, inferred: tuple[str, ...] = ()) -> FixedSnapshot:
    """A picture that names its containers."""
    rows = snapshot(header(inferred=inferred))
    return rows.with_section(rows.header, "containers", list(containers), 1)


def held(where: str, size: tuple[int, int], count: int = 1, *, is_am: bool = False) -> HeldContainers:
    """As is concluded from totals."""
    return HeldContainers(where, size, count, None, is_am, None)


def test_alike_containers_that_follow_one_another_are_one_holding() -> None:
    """By their ids, in order; by whatever differs they are several."""
    rows = [
        container(1, is_am=True, priority=0),
        container(2),
        container(3),
        container(5, where="m:1"),
        container(4),
        container(6, attempt=2, since_ms=UNKNOWN, priority=UNKNOWN),
        container(7, state="ALLOCATED"),
        container(8, state="RESERVED"),
        container(9, state="COMPLETED"),
        container(1, 2, state="ACQUIRED", size=(9, 2)),
    ]
    known_ms = {rows[1].id: 70, rows[2].id: 70, rows[4].id: None}

    assert named_holdings(named(*rows), known_ms) == {
        "application_1_0001": [
            HeldContainers("n:1", (8, 1), 1, 0, True, 500),
            HeldContainers("n:1", (8, 1), 2, 20, False, 500, 70),
            HeldContainers("n:1", (8, 1), 1, 20, False, 500, None),
            HeldContainers("m:1", (8, 1), 1, 20, False, 500),
            HeldContainers("n:1", (8, 1), 1, 20, False, 500),
            HeldContainers("n:1", (8, 1), 1, None, False, None, UNKNOWN, 2),
        ],
        "application_1_0002": [HeldContainers("n:1", (9, 2), 1, 20, False, 500)],
    }


def test_a_container_of_another_name_is_of_the_first_attempt() -> None:
    """As one that was inferred."""
    found = named_holdings(named(container(1, id="container_1_0001_?_000001")), {})

    assert found is not None
    assert [each.attempt for each in found["application_1_0001"]] == [1]


def test_containers_that_are_not_named_or_inferred_tell_nothing() -> None:
    """There may be none, too."""
    assert named_holdings(snapshot(header()), {}) is None
    assert named_holdings(named(container(1), inferred=("containers",)), {}) is None
    assert named_holdings(named(container(1), inferred=("nodes",)), {}) is not None
    assert named_holdings(named(), {}) == {}


def test_priorities_of_reserved_nodes_are_known_where_they_are_said() -> None:
    """By node."""
    rows = [
        container(1, state="RESERVED", where="a:1", priority=5),
        container(2, state="RESERVED", where="b:1", priority=UNKNOWN),
        container(3, where="c:1", priority=6),
    ]

    assert reserved_priorities(named(*rows)) == {"a:1": 5}


def test_digits_of_a_name_count_for_nothing() -> None:
    """Then type and queue, then the type."""
    assert kinds_of(app(1, name="job 17 b2", type="TEZ", queue="root.p")) == (
        ("name", "job  b"),
        ("queue", "TEZ", "root.p"),
        ("type", "TEZ"),
    )


WAITER = app(9, state="ACCEPTED", name="x", type="SPARK", queue="root.p")


@pytest.mark.parametrize(
    ("begun", "found"),
    [
        ([app(1, ask(5, 1), name="x7"), app(2, ask(6, 1), type="SPARK", queue="root.p")], UnseenAsk((5, 1), 1)),
        (
            [app(2, ask(6, 1), type="SPARK", queue="root.p"), app(3, ask(7, 1), type="SPARK")],
            UnseenAsk((6, 1), 1),
        ),
        ([app(3, ask(7, 1), type="SPARK"), app(4, ask(8, 1))], UnseenAsk((7, 1), 1)),
        ([app(4, ask(8, 1)), app(5, ask(1, 1), state="ACCEPTED", type="SPARK")], UnseenAsk(LEAST_AM, 1)),
        ([app(5, type="SPARK")], UnseenAsk(LEAST_AM, 1)),
    ],
)
def test_one_that_has_not_begun_will_ask_for_what_others_like_it_ask_for(
    begun: list[ApplicationRow], found: UnseenAsk
) -> None:
    """Of its name, of its type and queue, of its type; else for a container as large as the smallest master."""
    assert unseen_asks([*begun, WAITER], {})[WAITER.id] == found


def test_what_others_hold_counts_with_what_they_ask_for() -> None:
    """All their containers, of the size of most of them; not their masters. Those that run need no guess."""
    other = app(1, ask(6, 1), name="x")
    holds = {other.id: [held("n", (99, 1), 9, is_am=True), held("n", (5, 1), 4), held("n", (7, 1), 3)]}

    assert unseen_asks([other, WAITER], holds) == {WAITER.id: UnseenAsk((5, 1), 8)}


def test_of_several_like_it_the_one_in_the_middle_counts() -> None:
    """Of an even number the lower one."""
    others = [app(number, ask(number, 1), ask(1, 1), ask(1, 1), name="x") for number in (4, 2, 3, 1)]
    rows = [*others[:3], app(8, ask(1, 1), name="x")]

    assert unseen_asks([*rows, WAITER], {})[WAITER.id] == UnseenAsk((2, 1), 3)


def test_one_that_nothing_is_like_asks_for_as_much_as_its_master() -> None:
    """By its first ask."""
    row = app(9, ask(12, 3), ask(50, 5), state="ACCEPTED")

    assert unseen_asks([row], {}) == {row.id: UnseenAsk((12, 3), 1)}


@pytest.mark.parametrize(
    ("values", "steps"),
    [
        ({}, (1024, 1)),
        ({"yarn.scheduler.minimum-allocation-mb": " 512 "}, (512, 1)),
        ({"yarn.scheduler.minimum-allocation-mb": "512", "yarn.scheduler.increment-allocation-mb": "256"}, (256, 1)),
        ({"yarn.scheduler.minimum-allocation-mb": "0"}, (1024, 1)),
        ({"yarn.scheduler.minimum-allocation-mb": "x"}, (1024, 1)),
    ],
)
def test_sizes_are_multiples_of_the_increment_else_of_the_minimum(
    values: dict[str, str], steps: tuple[int, int]
) -> None:
    """Else of Hadoop's increment."""
    assert steps_of(values) == steps


def test_reservations_are_told_apart_by_application() -> None:
    """In their order."""
    rows = [ReservationRow(f"{at}:1", by, "", (1, 1), (1, 1), (0, 0), 0) for at, by in enumerate("aba")]

    assert by_application(rows) == {"a": [rows[0], rows[2]], "b": [rows[1]]}


PLACES = (
    "containers are not named: sizes and places are inferred from the totals of applications and nodes, "
    "and they are taken to be as old as their application"
)


def test_where_containers_are_named_nothing_is_assumed() -> None:
    """Where nothing is reserved, or it is not known whether."""
    for count in (0, UNKNOWN):
        picture = named(container(1))
        picture.header = header(count)
        found = holdings_of(picture, [app(1)], {}, {container(1).id: 4})

        assert found == ClusterHoldings(
            {"application_1_0001": [HeldContainers("n:1", (8, 1), 1, 20, False, 500, 4)]}, [], ()
        )


def test_what_is_inferred_is_said_with_what_stays_unexplained() -> None:
    """In megabytes, more or less; nodes that are lost hold nothing."""
    nodes = [node("a", (90, 9)), node("b", (100, 10)), node("c", state="LOST")]
    rows = [app(1, used=(7, 1), containers=1)]
    found = holdings_of(snapshot(header(), nodes=nodes, applications=rows), rows, {}, {})

    assert found.containers == {"application_1_0001": [held("a:1", (7, 1), is_am=True)]}
    assert [(each.what, each.sentence) for each in found.assumed] == [
        ("places", f"{PLACES}; nodes use 3 MB more or less than is placed on them")
    ]


@pytest.mark.parametrize(
    ("count", "sums", "words", "holders"),
    [
        (2, (120, 4), "(2 for application_1_0001)", ("application_1_0001",)),
        (2, (1, 1), "(none found)", ()),
    ],
)
def test_reservations_that_nobody_names_are_inferred_and_said(
    count: int, sums: tuple[int, int], words: str, holders: tuple[str, ...]
) -> None:
    """With how many are left over."""
    nodes = [node("a", (90, 1)), node("b", (90, 1)), node("c", state="LOST", free=(99, 1))]
    rows = [app(1, ask(60, 2))]
    found = holdings_of(snapshot(header(count, sums), nodes=nodes, applications=rows), rows, {}, {})

    assert [row.node for row in found.reservations] == (["a:1", "b:1"] if holders else [])
    (said,) = [each for each in found.assumed if each.what == "reservations"]
    assert (said.sentence, said.applications) == (
        f"which nodes are reserved for whom is inferred from sums {words}",
        holders,
    )
    unknown = [each.sentence for each in found.assumed if each.what == "holders"]
    assert unknown == ([] if holders else ["2 nodes are reserved for nobody knows whom, and played as free"])


def test_reservations_that_are_inferred_already_are_kept_where_sums_tell_nothing() -> None:
    """And said again; named ones are believed."""
    row = ReservationRow("a:1", "application_1_0001", "", (1, 1), (1, 1), (0, 0), 0)
    inferred = snapshot(header(1, (1, 1), inferred=("reservations",)), reservations=[row])
    known = snapshot(header(1, (1, 1)), reservations=[row])

    assert list(holdings_of(inferred, [], {}, {}).reservations) == [row]
    assert [each.what for each in holdings_of(inferred, [], {}, {}).assumed] == ["places", "reservations"]
    assert [each.what for each in holdings_of(known, [], {}, {}).assumed] == ["places"]


@pytest.mark.parametrize(
    ("used", "count", "asks", "sizes"),
    [
        ((30, 3), 1, (), [(30, 3)]),
        ((70, 5), 3, (ask(30, 2),), [(30, 2), (30, 2), (10, 1)]),
        ((120, 6), 3, (ask(30, 2),), [(30, 2), (30, 2), (60, 2)]),
        ((121, 6), 3, (ask(30, 2),), [(50, 2), (50, 2), (21, 2)]),
        ((69, 5), 3, (ask(30, 2),), [(23, 2), (23, 2), (23, 1)]),
        ((70, 4), 3, (ask(30, 2),), [(30, 1), (30, 1), (10, 2)]),
        ((70, 5), 3, (ask(99, 2), ask(30, 2)), [(30, 2), (30, 2), (10, 1)]),
        ((25, 3), 2, (), [(12, 2), (13, 1)]),
        ((30, 3), 2, (), [(20, 2), (10, 1)]),
        ((29, 3), 2, (), [(14, 2), (15, 1)]),
        ((20, 2), 2, (), [(10, 1), (10, 1)]),
        ((19, 2), 2, (), [(9, 1), (10, 1)]),
        ((19, 1), 2, (), [(9, 0), (10, 1)]),
        ((5, 0), 0, (), []),
    ],
)
def test_a_master_is_as_small_as_can_be_and_others_are_alike(
    used: tuple[int, int], count: int, asks: tuple[Any, ...], sizes: list[tuple[int, int]]
) -> None:
    """As large as what is asked for, if the master is a step at least and twice that at most.

    Else as large as leaves a step of 10 for the master, by steps of 10, and no smaller than an equal part.
    """
    row = app(1, *asks, used=used, containers=count)
    found = InferredHoldings([node("n", used=used, containers=count)], [row], (10, 1)).by_application()
    flat = [(each.size, each.is_am) for each in found.get(row.id, ()) for _ in range(each.count)]

    assert sorted(size for size, _ in flat) == sorted(sizes)
    assert [size for size, is_am in flat if is_am] == sizes[-1:]


def test_the_largest_containers_go_where_most_is_not_explained() -> None:
    """Each node gets as many as it counts; ties go by name."""
    nodes = [
        node("a", used=(10, 1), containers=1),
        node("b", used=(30, 1), containers=1),
        node("c", used=(50, 1), containers=0),
        node("d", used=(10, 1), containers=1),
    ]
    rows = [app(number, used=(size, 1), containers=1) for number, size in ((1, 10), (2, 30), (3, 10), (4, 10))]
    found = InferredHoldings(nodes, rows, (1, 1))

    assert {name[-1]: [each.node for each in some] for name, some in found.by_application().items()} == {
        "1": ["a:1"],
        "2": ["b:1"],
        "3": ["d:1"],
    }
    assert found.unexplained_mb == 50


def test_amounts_are_shifted_between_containers_of_one_application() -> None:
    """Until nodes use what they use; at least a megabyte stays, and of vcores nothing has to."""
    nodes = [node("a", used=(30, 1), containers=1), node("b", used=(10, 3), containers=1)]
    row = app(1, used=(40, 4), containers=2)
    found = InferredHoldings(nodes, [row], (20, 2))

    assert {each.node: each.size for each in found.by_application()[row.id]} == {"a:1": (30, 1), "b:1": (10, 3)}
    assert found.unexplained_mb == 0


def test_nothing_is_inferred_without_nodes() -> None:
    """And nothing stays unexplained."""
    found = InferredHoldings([], [app(1, used=(1, 1), containers=1)], (1, 1))

    assert (found.by_application(), found.unexplained_mb) == ({}, 0)


@st.composite
def clusters(draw: st.DrawFn) -> tuple[list[Any], list[ApplicationRow]]:
    """Nodes and applications that go together: containers of some sizes on some nodes."""
    pieces = draw(
        st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3), st.integers(1, 40), st.integers(1, 4)), max_size=9)
    )

    def total(some: list[tuple[int, int, int, int]]) -> dict[str, Any]:
        return {"used": (sum(one[2] for one in some), sum(one[3] for one in some)), "containers": len(some)}

    nodes = [node(f"n{at}", **total([one for one in pieces if one[0] == at])) for at in range(3)]
    return nodes, [app(number, **total([one for one in pieces if one[1] == number])) for number in (1, 2, 3)]


@settings(max_examples=80, deadline=None)
@given(clusters())
def test_whatever_is_inferred_every_application_and_node_has_as_many_and_as_much(
    cluster: tuple[list[Any], list[ApplicationRow]],
) -> None:
    """Counts of both, and amounts of applications; what nodes have more or less of memory is what is unexplained."""
    nodes, rows = cluster
    found = InferredHoldings(nodes, rows, (1, 1))
    holds = found.by_application()

    for row in rows:
        some = holds.get(row.id, ())
        assert sum(each.count for each in some) == row.containers
        assert tuple(sum(each.count * each.size[at] for each in some) for at in (0, 1)) == row.used
        assert sum(each.count for each in some if each.is_am) == min(row.containers, 1)
        assert all(each.size[0] > 0 and each.size[1] >= 0 for each in some)
    flat = [each for some in holds.values() for each in some]
    assert [sum(each.count for each in flat if each.node == one.id) for one in nodes] == [
        one.containers for one in nodes
    ]
    differs = [one.used[0] - sum(each.count * each.size[0] for each in flat if each.node == one.id) for one in nodes]
    assert found.unexplained_mb == sum(map(abs, differs))
