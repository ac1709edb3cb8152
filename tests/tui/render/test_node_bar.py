"""The bar of a node: which half cells containers take, and how the rest is drawn."""

from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.panes.line import Fragments, flat
from tui.panes.nodes import Block, node_bar

WIDTH, CAPACITY = 25, 100
"""Four units a cell, two a half cell."""


def _block(number: int, size: int, queue: str = "a", application: str = "x") -> Block:
    return Block(queue, application, f"{number:04d}", size, f"hue-{queue}", queue)


def _half(amount: int, width: int, capacity: int) -> int:
    return floor(Fraction(2 * width * amount, capacity) + Fraction(1, 2))


@st.composite
def _full_nodes(draw: st.DrawFn) -> tuple[int, list[int]]:
    """A capacity and containers of a cell or more that fit into it."""
    capacity = draw(st.integers(25, 200))
    least = -(-capacity // WIDTH)
    sizes: list[int] = []
    while capacity - sum(sizes) >= least and draw(st.booleans()):
        sizes.append(draw(st.integers(least, capacity - sum(sizes))))
    return capacity, sizes


@given(node=_full_nodes())
def test_half_cells_follow_the_running_sum(node: tuple[int, list[int]]) -> None:
    """Each container takes those between its two sums; from two on the last is left out."""
    capacity, sizes = node
    halves = [False] * (2 * WIDTH)
    for place, size in enumerate(sizes):
        begin, end = (_half(sum(sizes[:place]) + more, WIDTH, capacity) for more in (0, size))
        for half in range(begin, end - 1 if end - begin >= 2 else end):
            halves[half] = True
    signs = {(True, True): "▄", (True, False): "▖", (False, True): "▗", (False, False): "▁"}
    expected = "".join(signs[left, right] for left, right in zip(halves[::2], halves[1::2], strict=True))
    blocks = tuple(_block(number, size) for number, size in enumerate(sizes))

    assert flat(node_bar(WIDTH, capacity, blocks)) == expected


@pytest.mark.parametrize(
    ("selected", "expected"),
    [
        ("", [("▖", "hue-a"), ("▖", "hue-b"), ("╌", "held")]),
        ("x", [("▖", "accent"), ("▖╌", "room")]),
        ("y", [("▖", "room"), ("▖", "accent"), ("╌", "held")]),
    ],
)
def test_the_selected_application_stands_out(selected: str, expected: Fragments) -> None:
    """All others are dim; what is reserved stays as held only where the selected one is the holder."""
    blocks = (_block(0, 4, "a", "x"), _block(1, 4, "b", "y"))

    assert node_bar(3, 12, blocks, selected=selected, reserved="y") == expected
