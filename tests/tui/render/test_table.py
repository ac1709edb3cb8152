"""Columns by rank and by what is in them; cells at their widths."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.render.line import Look, Span, Spans, flat
from tui.render.table import Column, cells_of, head_line, place, row_line, widths_of

LOOK = Look(0, ("memory_mb",), (0,))


def _word(row: str, look: Look, width: int) -> Span:
    return row, "text"


def _bar(row: str, look: Look, width: int) -> Spans:
    return [("━" * width, "data")]


def _column(title: str, width: int, rank: int, **more: Any) -> Column[str]:
    return Column(title, width, rank, _word, **more)


def _titles(columns: list[Column[str]], width: int, *, is_tight: bool = False) -> list[str]:
    return [one.column.title for one in place(columns, width, is_tight=is_tight)]


THREE = [_column("A", 4, 0), _column("B", 4, 1), _column("C", 4, 1)]


@pytest.mark.parametrize(("width", "titles"), [(16, "ABC"), (15, "AB"), (10, "AB"), (9, "A"), (1, "A")])
def test_among_columns_of_one_rank_the_last_goes_first(width: int, titles: str) -> None:
    assert "".join(_titles(THREE, width)) == titles


def test_the_highest_rank_goes_first_wherever_it_stands() -> None:
    assert _titles([_column("A", 4, 3), _column("B", 4, 0), _column("C", 4, 2)], 10) == ["B", "C"]


@pytest.mark.parametrize(("width", "titles"), [(16, "ABC"), (14, "ABC"), (13, "AB")])
def test_in_a_tight_table_one_blank_is_enough(width: int, titles: str) -> None:
    placed = place(THREE, width, is_tight=True)

    assert "".join(one.column.title for one in placed) == titles
    assert {one.gap for one in placed[1:]} == {2 if width == 16 else 1}


@pytest.mark.parametrize(("width", "widths"), [(14, [8, 4]), (13, [7, 4]), (11, [5, 4]), (10, [8]), (7, [7])])
def test_a_column_shrinks_before_one_of_rank_1_goes(width: int, widths: list[int]) -> None:
    """Down to its least width; then the other goes all the same, and it has the room again."""
    columns = [_column("A", 8, 0, least=5), _column("B", 4, 1)]

    assert [one.width for one in place(columns, width)] == widths


def test_a_column_of_rank_2_goes_before_another_shrinks() -> None:
    columns = [_column("A", 8, 0, least=5), _column("B", 4, 2)]

    assert [one.width for one in place(columns, 13)] == [8]


@pytest.mark.parametrize(("need", "width"), [(0, None), (1, 4), (4, 4), (5, 5), (8, 8), (9, 8)])
def test_a_column_is_as_wide_as_its_values_and_its_title(need: int, width: int | None) -> None:
    placed = place([_column("A", 2, 0), _column("NAME", 8, 1)], 40, (2, need))

    assert [one.width for one in placed] == ([2] if width is None else [2, width])


@pytest.mark.parametrize(("need", "width"), [(0, None), (1, 4), (4, 4), (5, 5)])
def test_numbers_are_never_cut(need: int, width: int | None) -> None:
    placed = place([_column("A", 2, 0), _column("SIZE", 4, 1, right=True)], 40, (2, need))

    assert [one.width for one in placed] == ([2] if width is None else [2, width])


def test_bars_and_columns_of_rank_0_stay_without_values() -> None:
    columns = [_column("A", 3, 0), Column("", 5, 1, _bar, is_bar=True), _column("N", 4, 0, right=True)]

    assert [one.width for one in place(columns, 40, (0, 0, 0))] == [1, 5, 4]


@given(width=st.integers(20, 80), shares=st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_spare_width_is_shared_by_growing_columns(width: int, shares: list[int]) -> None:
    placed = place([_column(str(at), 2, 0, grow=share) for at, share in enumerate(shares)], width)
    more = [one.width - 2 for one in placed]

    assert sum(more) == (width - 4 * len(shares) + 2 if any(shares) else 0)
    assert all(
        abs(extra - sum(more) * share / max(1, sum(shares))) < 2 for extra, share in zip(more, shares, strict=True)
    )


@pytest.mark.parametrize(("width", "words"), [(12, "━ used"), (6, "━ used"), (5, "use"), (3, "use"), (2, "T…")])
def test_the_longest_legend_that_fits_is_the_title(width: int, words: str) -> None:
    column = _column("TITLE", width, 0, legend=("━ used", "use"))

    assert flat(head_line(place([column], width))).rstrip() == words


@pytest.mark.parametrize(("width", "words"), [(7, "NAME ↓"), (6, "NAME ↓"), (5, "NAME↓"), (4, "NAM↓")])
def test_an_arrow_stands_after_the_title_rows_are_sorted_by(width: int, words: str) -> None:
    assert flat(head_line(place([_column("NAME", width, 0)._replace(sorts="name")], width), "name")).rstrip() == words


def test_no_arrow_stands_after_another_title() -> None:
    placed = place([_column("NAME", 8, 0)._replace(sorts="name")], 8)

    assert [flat(head_line(placed, by)).rstrip() for by in ("", "size")] == ["NAME", "NAME"]


def test_a_value_equal_to_the_one_above_is_faint() -> None:
    columns = [_column("A", 1, 0), _column("B", 1, 0, repeats=False), Column("", 2, 0, _bar, is_bar=True)]
    cells = cells_of(columns, "x", LOOK)
    above = [
        row_line(place(columns, 8), "x", LOOK, cells, over) for over in (None, cells_of(columns, "y", LOOK), cells)
    ]

    assert [[style for words, style in line if words.strip()] for line in above] == [
        ["text", "text", "data"],
        ["text", "text", "data"],
        ["faint", "text", "data"],
    ]


def test_the_mark_before_a_repeated_value_keeps_its_hue() -> None:
    def dotted(row: str, look: Look, width: int) -> Spans:
        return [("• ", "q1"), (row, "text")]

    columns = [Column("A", 3, 0, dotted)]
    cells = cells_of(columns, "x", LOOK)

    assert row_line(place(columns, 3), "x", LOOK, cells, cells) == [("• ", "q1"), ("x", "faint")]


def test_a_bar_is_drawn_for_the_width_it_gets() -> None:
    columns = [_column("A", 2, 0), Column("", 3, 0, _bar, is_bar=True, grow=1)]
    cells = cells_of(columns, "x", LOOK)

    assert widths_of(cells) == [1, 0]
    assert flat(row_line(place(columns, 12), "x", LOOK, cells)) == "x   ━━━━━━━━"


@pytest.mark.parametrize(("width", "words"), [(6, "• long"), (5, "• lo…"), (3, "• …")])
def test_a_cell_of_spans_is_cut_at_its_last_words(width: int, words: str) -> None:
    def dotted(row: str, look: Look, width: int) -> Spans:
        return [("• ", "q1"), (row, "text")]

    assert flat(row_line(place([Column("A", width, 0, dotted)], width), "long", LOOK)) == words


@pytest.mark.parametrize(("width", "gap", "bar"), [(17, 2, 5), (16, 1, 6), (15, 1, 5), (14, 2, 2), (13, 1, 3)])
def test_a_tight_table_is_tight_where_a_bar_gets_a_larger_size(width: int, gap: int, bar: int) -> None:
    columns = [
        _column("A", 4, 0),
        Column("BAR", 2, 0, _bar, grow=1, is_bar=True, steps=(5, 2)),
        _column("B", 4, 0, right=True),
    ]
    placed = place(columns, width, is_tight=True)

    assert (placed[1].gap, placed[1].width) == (gap, bar)
