"""The bar of a node: which half cells containers take, and how the rest is drawn."""

from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.panes.line import Fragments, flat, length
from tui.panes.nodes import Block, node_bar

WIDTH, CAPACITY = 25, 100
"""Four units a cell, two a half cell."""


def _block(number: int, size: int, queue: str = "a", application: str = "x") -> Block:
    return Block(queue, application, f"{number:04d}", size, f"hue-{queue}", queue)


def _styles(spans: Fragments) -> list[str]:
    return [style for words, style in spans for _ in words]


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


def test_blocks_stand_by_queue_then_application_then_container() -> None:
    blocks = (_block(2, 8, "b"), _block(1, 12, "a", "y"), _block(0, 8, "a", "y"), _block(9, 4, "a", "x"))

    assert flat(node_bar(WIDTH, CAPACITY, blocks)).startswith("▖▄▖▄▄▖▄▖▁")
    assert _styles(node_bar(WIDTH, CAPACITY, blocks))[5:9] == ["hue-a", "hue-b", "hue-b", "room"]


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


@given(
    width=st.integers(1, 50),
    capacity=st.integers(0, 200),
    sizes=st.lists(st.integers(0, 120), max_size=12),
    reserved=st.sampled_from(["", "x"]),
    has_letters=st.booleans(),
)
def test_a_bar_is_as_wide_as_its_cells(
    width: int, capacity: int, sizes: list[int], reserved: str, *, has_letters: bool
) -> None:
    blocks = tuple(_block(number, size, "ab"[number % 2]) for number, size in enumerate(sizes))

    assert length(node_bar(width, capacity, blocks, reserved=reserved, has_letters=has_letters)) == width
