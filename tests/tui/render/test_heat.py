"""Nodes as a map: where they stand, and what their cells say."""

from collections.abc import Sequence

import pytest

from tests.tui import fakes
from tui.panes import heat
from tui.panes.line import flat


def _drawn(plan: heat.NodeMap, shown: Sequence[int], cursor: int | None = None) -> list[str]:
    return [flat(heat.line(plan, y, shown, cursor, "cursor", is_ascii=True)) for y in range(len(plan.lines))]


@pytest.mark.parametrize("count", [0, 1, 7, 250, 10_000])
@pytest.mark.parametrize("size", [(1, 1), (38, 5), (98, 14), (198, 54)])
def test_every_node_has_a_cell_on_the_screen(count: int, size: tuple[int, int]) -> None:
    """However many there are, and however little room; what a cell says it holds leads back to it."""
    plan = heat.node_map(sorted(f"/rack{n % 250:03d}" for n in range(count)), *size)
    places = {node: plan.place_of(node) for node in range(count)}

    assert len(plan.lines) <= max(size[1], 1)
    assert all(x < size[0] for _, x in places.values())
    assert all(node in plan.nodes_at(*place) for node, place in places.items())


@pytest.mark.parametrize(
    ("changes", "mark"),
    [
        ({}, "R"),
        ({"reserved": None}, "*"),
        ({"state": "LOST"}, "x"),
        ({"state": "DEAD"}, "x"),
        ({"state": "UNHEALTHY"}, "!"),
        ({"state": "DECOMMISSIONING"}, "−"),
    ],
)
def test_what_is_wrong_with_a_node_stands_in_place_of_its_level(changes: dict[str, str | None], mark: str) -> None:
    shown = heat.codes([fakes.node_row("n", **changes)], "memory")

    assert _drawn(heat.node_map(["/r"], 10, 1), shown) == [f"/r {mark}"]
