"""Bars, meters, maps and lines of panes, cell by cell."""

from collections.abc import Sequence
from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui import fakes
from tui.panes.fragments import Fragment, Fragments, RenderContext, cell_width, difference, flat, half_cells, line_meter
from tui.panes.heat import NodeMap, codes, line, node_map
from tui.panes.nodes import Block, node_bar
from tui.panes.table import Column, head_line, place, row_line

WIDTHS = st.integers(1, 60)
SCALES = st.integers(1, 2_000_000)


def _rounded(share: Fraction) -> int:
    return floor(share + Fraction(1, 2))


@given(width=WIDTHS, value=st.integers(-5, 3_000_000), scale=SCALES)
def test_half_cells_follow_the_formula(width: int, value: int, scale: int) -> None:
    """They are the rounded share of both halves of all cells; one at least, and all of them only for the whole."""
    share = Fraction(value, scale)
    most = 2 * width - (1 if share < 1 else 0)
    expected = 0 if share <= 0 else min(most, max(1, _rounded(2 * width * share)))

    assert half_cells(width, value, scale) == expected


@given(width=WIDTHS, value=st.integers(0, 3_000_000), scale=SCALES)
def test_each_cell_shows_its_two_halves(width: int, value: int, scale: int) -> None:
    halves = half_cells(width, value, scale)
    expected = "".join(
        "━" if halves >= 2 * cell + 2 else "╸" if halves == 2 * cell + 1 else "─" for cell in range(width)
    )

    assert flat(line_meter(width, value, scale)) == expected


@pytest.mark.parametrize(
    ("maximum", "words"),
    [(0, "━━        "), (51, "━━────    "), (50, "━━───     "), (100, "━━────────"), (None, "━━────────")],
)
def test_the_track_ends_at_the_maximum(maximum: int | None, words: str) -> None:
    """A cell that the maximum cuts has track; what is filled is never blank."""
    assert flat(line_meter(10, 20, 100, maximum=maximum)) == words


# The bar of a node: which half cells containers take, and how the rest is drawn.

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
    for at, size in enumerate(sizes):
        begin, end = (_half(sum(sizes[:at]) + more, WIDTH, capacity) for more in (0, size))
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


# Nodes as a map: where they stand, and what their cells say.


def _drawn(plan: NodeMap, shown: Sequence[int], cursor: int | None = None) -> list[str]:
    return [flat(line(plan, y, shown, cursor, "cursor", is_ascii=True)) for y in range(len(plan.lines))]


@pytest.mark.parametrize("count", [0, 1, 7, 250, 10_000])
@pytest.mark.parametrize("size", [(1, 1), (38, 5), (98, 14), (198, 54)])
def test_every_node_has_a_cell_on_the_screen(count: int, size: tuple[int, int]) -> None:
    """However many there are, and however little room; what a cell says it holds leads back to it."""
    plan = node_map(sorted(f"/rack{n % 250:03d}" for n in range(count)), *size)
    places = {node: plan.place_of(node) for node in range(count)}

    assert len(plan.lines) <= max(size[1], 1)
    assert all(x < size[0] for _, x in places.values())
    held = {place: set(plan.nodes_at(*place)) for place in {*places.values()}}
    assert all(node in held[place] for node, place in places.items())


@pytest.mark.parametrize(
    ("changes", "mark"),
    [
        ({}, "R"),
        ({"reserved": None}, "*"),
        ({"state": "LOST"}, "x"),
        ({"state": "DEAD"}, "x"),
        ({"state": "UNHEALTHY"}, "!"),
        ({"state": "DECOMMISSIONING"}, "−"),
        ({"state": "DECOMMISSIONED"}, "D"),
    ],
)
def test_what_is_wrong_with_a_node_stands_in_place_of_its_level(changes: dict[str, str | None], mark: str) -> None:
    shown = codes([fakes.node_row("n", **changes)], "memory")

    assert _drawn(node_map(["/r"], 10, 1), shown) == [f"/r {mark}"]


# Columns, bars and cropping.

LOOK = RenderContext(0, ("memory_mb",), (0,))


def _name(row: str, look: RenderContext, width: int) -> Fragment:
    return row, "text"


def _size(row: str, look: RenderContext, width: int) -> Fragment:
    return str(len(row)), "faint"


def _box(row: str, look: RenderContext, width: int) -> Fragments:
    return [("#" * min(width, 2), "good")]


COLUMNS = (Column("NAME", 6, 0, _name, grow=1), Column("BOX", 4, 2, _box), Column("SIZE", 4, 1, _size, right=True))


@pytest.mark.parametrize("width", range(1, 60))
def test_a_table_line_is_exactly_as_wide_as_its_pane(width: int) -> None:
    """Head and row fill the width, no more and no less, also with wide characters."""
    placed = place(COLUMNS, width)

    assert (cell_width(head_line(placed)), cell_width(row_line(placed, "日报daily-report", LOOK))) == (width, width)


# What differs between two drawings of a line

LINE: Fragments = [("n1  ", "text"), ("12", "good"), (" ok", "text")]


@pytest.mark.parametrize(
    ("new", "cells"),
    [
        (LINE, None),
        ([("n1  ", "text"), ("13", "good"), (" ok", "text")], (4, 6)),
        ([("n1  ", "text"), ("12", "watch"), (" ok", "text")], (4, 6)),
        ([("n2  ", "text"), ("12", "good"), (" no", "text")], (0, 9)),
        ([("n1  ", "text"), ("12", "good")], (6, 9)),
        ([("n1  ", "text"), ("日报", "good"), ("k", "text")], (4, 9)),
        ([("n1  12 ok", "text on raise")], (0, 9)),
        ([], (0, 9)),
    ],
)
def test_the_cells_that_differ_are_named(new: Fragments, cells: tuple[int, int] | None) -> None:
    """By text and by style, from the first to behind the last; a shorter line differs to the end of the longer."""
    assert difference(LINE, new) == cells
