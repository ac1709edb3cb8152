"""Meters: how many half cells a value takes, and where marks stand."""

from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.panes.line import flat, half_cells, line_meter, wait_bar

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


@pytest.mark.parametrize(
    ("value", "halves"), [(0, 0), (1, 1), (74, 1), (75, 2), (124, 2), (125, 3), (974, 19), (999, 19), (1000, 20)]
)
def test_half_of_a_half_cell_rounds_up(value: int, halves: int) -> None:
    assert half_cells(10, value, 1000) == halves


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


@given(width=WIDTHS, mark=st.integers(1, 3_000_000), scale=SCALES)
def test_a_mark_stands_at_its_rounded_cell(width: int, mark: int, scale: int) -> None:
    """In the last cell where it lies at the end of the scale or beyond."""
    expected = min(width - 1, _rounded(Fraction(width * mark, scale)))

    assert flat(line_meter(width, 0, scale, share=mark)).index("│") == expected
    assert flat(line_meter(width, 0, scale, minimum=mark)).index("╎") == expected


@pytest.mark.parametrize(("value", "share", "minimum"), [(40, "│", "╎"), (45, "┃", "┿"), (50, "┃", "┿")])
def test_a_mark_on_the_fill_is_another_sign(value: int, share: str, minimum: str) -> None:
    shown = [flat(line_meter(10, value, 100, share=40)), flat(line_meter(10, value, 100, minimum=40))]

    assert [words[4] for words in shown] == [share, minimum]


def test_the_share_covers_the_minimum_and_both_cover_the_fill() -> None:
    assert flat(line_meter(10, 100, 100, share=30, minimum=30)) == "━━━┃━━━━━━"
    assert flat(line_meter(10, 100, 100, share=60, minimum=30)) == "━━━┿━━┃━━━"


@given(width=WIDTHS, waited=st.integers(0, 3_000_000), longest=SCALES)
def test_a_wait_bar_has_half_cells_and_no_track(width: int, waited: int, longest: int) -> None:
    halves = half_cells(width, waited, longest)
    expected = "━" * (halves // 2) + "╸" * (halves % 2)

    assert wait_bar(width, waited, longest) == [(expected.ljust(width), "room")]
