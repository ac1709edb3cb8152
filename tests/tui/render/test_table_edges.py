"""Tables at their edges: which column a cell belongs to, what shrinks and grows again, where a bar gets a size."""

from typing import Any

import pytest

from tui.render.line import Look, Span, flat
from tui.render.table import Column, head_line, place


def word(row: str, look: Look, width: int) -> Span:
    return row, "text"


def column(title: str, width: int, rank: int = 0, **more: Any) -> Column[str]:
    return Column(title, width, rank, word, **more)


@pytest.mark.parametrize(
    ("width", "widths"),
    [(23, [8, 8, 3]), (22, [7, 8, 3]), (20, [5, 8, 3]), (19, [5, 7, 3]), (17, [5, 5, 3]), (16, [8, 6]), (15, [8, 5])],
)
def test_columns_shrink_from_the_left(width: int, widths: list[int]) -> None:
    """Each to its least; what another leaves when it goes they have again, the left one first."""
    columns = [column("A", 8, least=5), column("B", 8, least=5), column("C", 3, 1)]
    placed = place(columns, width)

    assert [one.width for one in placed] == widths


@pytest.mark.parametrize(
    ("width", "has_letters", "words"),
    [(8, True, "a b  u"), (6, True, "a b  u"), (5, True, "use"), (8, False, "use"), (2, True, "T…"), (2, False, "T…")],
)
def test_letters_stand_over_a_column_where_hues_are_letters(width: int, has_letters: bool, words: str) -> None:
    placed = place([column("TITLE", width, letters="a b  u", legend=("use",))], width)

    assert flat(head_line(placed, has_letters=has_letters)).rstrip() == words
