"""Dots in cells."""

from tui.render.braille import DOTS, LEFT, RIGHT, DotGrid, sign


def test_a_column_fills_from_the_bottom() -> None:
    assert [LEFT[high] for high in range(5)] == [sum(DOTS[0][4 - high :]) for high in range(5)]
    assert [RIGHT[high] for high in range(5)] == [sum(DOTS[1][4 - high :]) for high in range(5)]
    assert sign(LEFT[2] + RIGHT[4]) == "⣼"


def _drawn(*rows: int | None, every: int = 1) -> list[str]:
    grid = DotGrid(3, 2)
    grid.draw(rows, every)
    return ["".join(sign(bits) for bits in row) for row in grid.bits]


def test_neighbours_are_joined_upright() -> None:
    """A step has all dots between in the column it leads to, up and down; a gap joins nothing."""
    assert _drawn(7, 7, 0, 0, 4, 4) == [" ⡏⡆", "⣀⠇⠉"]
    assert _drawn(3, None, 1, 1, 0, 5) == ["⡀⠒⢱", "  ⠘"]


def test_a_second_line_takes_every_other_column() -> None:
    assert _drawn(1, 1, 1, 1, 1, 1, every=2) == ["⠂⠂⠂", "   "]
