"""Columns by rank and by what is in them; cells at their widths."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.panes.line import Fragments, RenderContext, Span, flat
from tui.panes.table import Column, place, row_line

LOOK = RenderContext(0, ("memory_mb",), (0,))


def _word(row: str, look: RenderContext, width: int) -> Span:
    return row, "text"


def _column(title: str, width: int, rank: int, **more: Any) -> Column[str]:
    return Column(title, width, rank, _word, **more)


@pytest.mark.parametrize(("width", "widths"), [(14, [8, 4]), (13, [7, 4]), (11, [5, 4]), (10, [8]), (7, [7])])
def test_a_column_shrinks_before_one_of_rank_1_goes(width: int, widths: list[int]) -> None:
    """Down to its least width; then the other goes all the same, and it has the room again."""
    columns = [_column("A", 8, 0, least=5), _column("B", 4, 1)]

    assert [one.width for one in place(columns, width)] == widths


@pytest.mark.parametrize(("need", "width"), [(0, None), (1, 4), (4, 4), (5, 5)])
def test_numbers_are_never_cut(need: int, width: int | None) -> None:
    placed = place([_column("A", 2, 0), _column("SIZE", 4, 1, right=True)], 40, (2, need))

    assert [one.width for one in placed] == ([2] if width is None else [2, width])


@given(width=st.integers(20, 80), shares=st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_spare_width_is_shared_by_growing_columns(width: int, shares: list[int]) -> None:
    placed = place([_column(str(at), 2, 0, grow=share) for at, share in enumerate(shares)], width)
    more = [one.width - 2 for one in placed]

    assert sum(more) == (width - 4 * len(shares) + 2 if any(shares) else 0)
    assert all(
        abs(extra - sum(more) * share / max(1, sum(shares))) < 2 for extra, share in zip(more, shares, strict=True)
    )


@pytest.mark.parametrize(("width", "words"), [(6, "• long"), (5, "• lo…"), (3, "• …")])
def test_a_cell_of_spans_is_cut_at_its_last_words(width: int, words: str) -> None:
    def dotted(row: str, look: RenderContext, width: int) -> Fragments:
        return [("• ", "q1"), (row, "text")]

    assert flat(row_line(place([Column("A", width, 0, dotted)], width), "long", LOOK)) == words
