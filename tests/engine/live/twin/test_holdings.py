"""What applications hold and will ask for, as containers are named or as totals let one conclude."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.live.twin.cluster_holdings import steps_of
from engine.live.twin.holdings import (
    LEAST_AM,
    UnseenAsk,
    unseen_asks,
)
from engine.live.twin.inferred_holdings import InferredHoldings
from engine.observe.snapshot import ApplicationRow
from tests.engine.live.rows import app, ask, node

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
    assert unseen_asks([*begun, WAITER], {})[WAITER.id] == found


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
    assert steps_of(values) == steps


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
    row = app(1, *asks, used=used, containers=count)
    found = InferredHoldings([node("n", used=used, containers=count)], [row], (10, 1)).by_application()
    flat = [(each.size, each.is_am) for each in found.get(row.id, ()) for _ in range(each.count)]

    assert sorted(size for size, _ in flat) == sorted(sizes)
    assert [size for size, is_am in flat if is_am] == sizes[-1:]


@st.composite
def clusters(draw: st.DrawFn) -> tuple[list[Any], list[ApplicationRow]]:
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
