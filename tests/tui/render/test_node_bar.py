"""The bar of a node: which half cells containers take, and how the rest is drawn."""

from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.render.line import Spans, flat, length
from tui.render.node_bar import Block, letter_of, node_bar

WIDTH, CAPACITY = 25, 100
"""Four units a cell, two a half cell."""


def _block(number: int, size: int, queue: str = "a", application: str = "x") -> Block:
    return Block(queue, application, f"{number:04d}", size, f"hue-{queue}", queue)


def _bar(*sizes: int) -> str:
    return flat(node_bar(WIDTH, CAPACITY, tuple(_block(number, size) for number, size in enumerate(sizes))))


def _styles(spans: Spans) -> list[str]:
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


@pytest.mark.parametrize(("size", "begin"), [(4, "▖▁▁"), (5, "▄▁▁"), (6, "▄▁▁"), (7, "▄▖▁"), (8, "▄▖▁"), (9, "▄▄▁")])
def test_a_container_ends_with_a_gap(size: int, begin: str) -> None:
    """The last of its half cells, of which each stands for two units here."""
    assert _bar(size).startswith(begin)


def test_one_half_cell_has_no_gap() -> None:
    assert flat(node_bar(4, 8, (_block(0, 1),))) == "▖▁▁▁"


def test_containers_beyond_the_capacity_are_cut() -> None:
    assert _bar(100, 50) == "▄" * 24 + "▖"


def test_a_node_without_capacity_is_free() -> None:
    assert node_bar(3, 0, (_block(0, 4),)) == [("▁▁▁", "room")]


def test_blocks_stand_by_queue_then_application_then_container() -> None:
    blocks = (_block(2, 8, "b"), _block(1, 12, "a", "y"), _block(0, 8, "a", "y"), _block(9, 4, "a", "x"))

    assert flat(node_bar(WIDTH, CAPACITY, blocks)).startswith("▖▄▖▄▄▖▄▖▁")
    assert _styles(node_bar(WIDTH, CAPACITY, blocks))[5:9] == ["hue-a", "hue-b", "hue-b", "room"]


def test_the_hue_of_a_cell_is_that_of_its_left_half() -> None:
    blocks = (_block(0, 1, "a"), _block(1, 1, "b"))

    assert node_bar(1, 2, blocks) == [("▄", "hue-a")]


@pytest.mark.parametrize(("size", "words"), [(3, "▄▁"), (4, "▖▖▁")])
def test_containers_smaller_than_a_cell_merge_by_queue(size: int, words: str) -> None:
    assert _bar(size, size).startswith(words)


def test_small_containers_of_two_queues_do_not_merge() -> None:
    blocks = (_block(0, 2, "a"), _block(1, 2, "a"), _block(2, 2, "b"), _block(3, 2, "b"))

    assert node_bar(WIDTH, CAPACITY, blocks)[:2] == [("▖", "hue-a"), ("▖", "hue-b")]


def test_small_containers_stand_behind_the_others_of_their_queue() -> None:
    """Before all of the next queue, as the running sum goes by queue first."""
    blocks = (_block(0, 2, "a"), _block(1, 2, "a"), _block(2, 8, "a"), _block(3, 4, "b"))

    assert node_bar(WIDTH, CAPACITY, blocks)[:2] == [("▄▖▖", "hue-a"), ("▖", "hue-b")]


def test_free_cells_of_a_reserved_node_are_dashes() -> None:
    assert node_bar(4, 16, (_block(0, 8),), reserved="z") == [("▄▖", "hue-a"), ("╌╌", "held")]


@pytest.mark.parametrize(("size", "words"), [(4, "▖╌╌"), (5, "▄ ╌"), (6, "▄ ╌"), (7, "▄▖╌")])
def test_a_cell_with_a_gap_only_is_no_reserved_one(size: int, words: str) -> None:
    assert flat(node_bar(3, 12, (_block(0, size),), reserved="z")) == words


@pytest.mark.parametrize(
    ("selected", "expected"),
    [
        ("", [("▖", "hue-a"), ("▖", "hue-b"), ("╌", "held")]),
        ("x", [("▖", "accent"), ("▖╌", "room")]),
        ("y", [("▖", "room"), ("▖", "accent"), ("╌", "held")]),
    ],
)
def test_the_selected_application_stands_out(selected: str, expected: Spans) -> None:
    """All others are dim; what is reserved stays as held only where the selected one is the holder."""
    blocks = (_block(0, 4, "a", "x"), _block(1, 4, "b", "y"))

    assert node_bar(3, 12, blocks, selected=selected, reserved="y") == expected


def test_letters_stand_for_hues_and_a_stroke_ends_a_container() -> None:
    blocks = (_block(0, 8, "a", "x"), _block(1, 8, "b", "y"))
    bar = node_bar(5, 20, blocks, selected="y", has_letters=True)

    assert flat(bar) == "a'B'▁"


@pytest.mark.parametrize(("name", "letter"), [("etl", "e"), ("Etl", "e"), ("_2x", "2"), ("", "o"), ("--", "o")])
def test_a_letter_is_the_first_of_the_name(name: str, letter: str) -> None:
    assert letter_of(name) == letter


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
