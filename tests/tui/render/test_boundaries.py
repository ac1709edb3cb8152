"""Figures at their boundaries: blocks of nodes and workers, rows of dots, scales, plots side by side."""

from typing import Any

import pytest

from tests.tui import fakes
from tui.format import Beside
from tui.render import worker
from tui.render.line import Look, flat
from tui.render.multiples import Arranged, arranged
from tui.render.node_bar import Block, node_bar
from tui.render.plot import row_of, scale

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
CORES = LOOK._replace(dimensions=("memory_mb", "cores"))
DAY = Beside(fakes.NOW, 8 * 3_600_000)


# Blocks and bars


def _bar(width: int, capacity: int, *sizes: int, **more: Any) -> str:
    blocks = tuple(Block("root.a", "a", f"{at}", size, "q1", "abc") for at, size in enumerate(sizes))
    return flat(node_bar(width, capacity, blocks, **more))


@pytest.mark.parametrize(
    ("width", "capacity", "sizes", "bar"),
    [
        (10, 10, (), "▁" * 10),
        (10, 10, (10,), "▄" * 9 + "▖"),
        (10, 10, (5, 5), "▄▄▄▄▖▄▄▄▄▖"),
        (10, 10, (20,), "▄" * 9 + "▖"),
        (4, 1, (1,), "▄▄▄▖"),
        (4, 0, (1,), "▁▁▁▁"),
        (4, 8, (1, 7), "▄▄▄▗"),
        (4, 8, (2, 2), "▖▖▁▁"),
        (4, 8, (3,), "▄▁▁▁"),
    ],
)
def test_a_node_has_a_block_for_each_container(width: int, capacity: int, sizes: tuple[int, ...], bar: str) -> None:
    """In half cells; the last half of a block parts it from the next."""
    assert _bar(width, capacity, *sizes) == bar


def _worker(cores: int, used: int, state: str = "ALIVE", width: int = 60, most: int = 10) -> str:
    base = fakes.node_row("w1", state=state, total=(10_240, cores), used=(1536, used), free=(8704, cores - used))
    blocks = (Block("1", "1", "0", 4, "q1", "etl"),)
    look = CORES._replace(scales={"most": most}, blocks=lambda node: blocks)
    column = next(each for each in worker.NOUN.shape.columns if each.is_bar)
    cell: Any = column.cell(base, look, width)
    return flat(cell)


@pytest.mark.parametrize(
    ("cores", "used", "state", "width", "cells"),
    [
        (10, 4, "ALIVE", 60, 40),
        (5, 4, "ALIVE", 60, 20),
        (10, 4, "ALIVE", 39, 30),
        (10, 4, "ALIVE", 9, 9),
        (10, 4, "DEAD", 60, 40),
    ],
)
def test_a_core_has_as_many_cells_on_every_worker(cores: int, used: int, state: str, width: int, cells: int) -> None:
    """Four at most, one at least; a worker that is out has none of its own."""
    bar = _worker(cores, used, state, width)

    assert len(bar) == width
    assert len(bar.rstrip()) == cells
    assert ("╌" in bar) is (state == "DEAD")


@pytest.mark.parametrize(("used", "blocks"), [(4, 1), (5, 2), (3, 1)])
def test_cores_of_drivers_are_a_block_of_their_own(used: int, blocks: int) -> None:
    """Where there are any."""
    assert _worker(10, used).count("▖") == blocks


# Plots


@pytest.mark.parametrize(
    ("value", "top", "rows", "row"),
    [
        (0, 100, 8, 7),
        (7, 100, 8, 7),
        (7.2, 100, 8, 6),
        (50, 100, 8, 3),
        (92.8, 100, 8, 1),
        (92.9, 100, 8, 0),
        (100, 100, 8, 0),
        (130, 100, 8, 0),
        (-30, 100, 8, 7),
    ],
)
def test_a_value_lies_in_the_nearest_row_of_dots(value: float, top: float, rows: int, row: int) -> None:
    """What is beyond an end lies at it."""
    assert row_of(value, top, rows) == row


@pytest.mark.parametrize(
    ("highest", "lines", "top", "step"),
    [
        (0, 6, 1, 1),
        (1, 6, 1, 1),
        (6, 6, 6, 1),
        (7, 6, 8, 2),
        (60, 6, 60, 10),
        (61, 6, 80, 20),
        (107, 6, 120, 20),
        (120, 6, 120, 20),
        (121, 6, 150, 50),
        (63, 10, 70, 10),
    ],
)
def test_a_scale_ends_at_a_round_number(highest: float, lines: int, top: float, step: float) -> None:
    """With at most so many gridlines."""
    assert (scale(highest, lines).top, scale(highest, lines).step) == (top, step)


@pytest.mark.parametrize(
    ("count", "width", "height", "found"),
    [
        (13, 80, 12, Arranged(3, 25, 6, 2)),
        (6, 114, 8, Arranged(3, 36, 8, 1)),
        (1, 80, 12, Arranged(1, 80, 8, 1)),
        (2, 80, 12, Arranged(2, 39, 8, 1)),
        (1, 10, 3, Arranged(1, 10, 3, 1)),
    ],
)
def test_plots_are_arranged_in_as_few_rows_as_show_the_first(
    count: int, width: int, height: int, found: Arranged
) -> None:
    """None is too high or too narrow."""
    got = arranged(count, width, height)

    assert (got.columns, got.visible) == (found.columns, found.visible)
    assert got.columns * got.width <= width
    assert got.visible * got.height <= height
