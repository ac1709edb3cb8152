"""What applications hold and will ask for, as containers are named or as totals let one conclude."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.live.twin.cluster_holdings import InferredHoldings, steps_of
from engine.observe.snapshot import ApplicationRow
from tests.engine.live.rows import app, node


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
