"""Meters: how many half cells a value takes, and where marks stand."""

from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.panes.line import flat, half_cells, line_meter

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
