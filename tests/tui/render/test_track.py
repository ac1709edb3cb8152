"""The timeline on one line."""

import pytest

from tui.render.line import ASCII, Look
from tui.render.track import cell_of, line, time_at
from tui.view_state import Track

TRACK = Track(start_ms=0, first_ms=0, marks=(250_000, 750_000))
PRESENT_MS = 1_000_000


def _look(now_ms: int) -> Look:
    return Look(now_ms, ("memory_mb",), (0,), glyphs=ASCII)


def test_a_wide_line_has_times_at_its_ends_and_marks_between() -> None:
    """Here stands out by its own character."""
    shown = "".join(words for words, _ in line(TRACK, PRESENT_MS, _look(500_000), 59))

    assert shown == "00:00:00 ..........!.........=.........!.......... 00:16:40"


def test_acts_and_alerts_differ() -> None:
    """By their characters, so that no colour is needed; an alert hides an act in the same cell."""
    track = Track(0, 0, (250_000, 500_000, 510_000, 750_000), {250_000: "KillApplication", 510_000: "Reload"})
    shown = "".join(words for words, _ in line(track, PRESENT_MS, _look(0), 21))

    assert shown == "=....^....!....!....."


def test_a_narrow_line_is_all_way() -> None:
    """Below forty cells there is no room for times."""
    shown = "".join(words for words, _ in line(TRACK, PRESENT_MS, _look(0), 21))

    assert shown == "=....!.........!....."


@pytest.mark.parametrize("width", [1, 21, 59, 200])
def test_a_marks_cell_is_the_mark(width: int) -> None:
    """Whoever points at it goes exactly there; both ends are the ends."""
    for mark in TRACK.marks[1:]:
        assert time_at(cell_of(mark, TRACK, PRESENT_MS, width), TRACK, PRESENT_MS, width) == mark
    assert time_at(-5, Track(0, 0), PRESENT_MS, width) == 0


def test_the_last_cell_is_the_present() -> None:
    """And what lies beyond it too."""
    assert [time_at(cell, TRACK, PRESENT_MS, 21) for cell in (20, 99)] == [PRESENT_MS, PRESENT_MS]


@pytest.mark.parametrize(("width", "cells"), [(0, [0, 0, 0]), (1, [0, 0, 0]), (2, [0, 0, 1])])
def test_the_narrowest_line_has_one_cell(width: int, cells: list[int]) -> None:
    """Also without any width."""
    assert [cell_of(time_ms, TRACK, PRESENT_MS, width) for time_ms in (0, 500_000, PRESENT_MS)] == cells


def test_a_run_across_midnight_says_of_which_day_it_began() -> None:
    """The weekday stands in place of the seconds, and the line is as wide as before."""
    night = Track(start_ms=82_800_000, first_ms=82_800_000, marks=())
    shown = "".join(words for words, _ in line(night, 90_000_000, _look(90_000_000), 59))

    assert (shown[:10], shown[-9:], len(shown)) == ("Thu 23:00.", " 01:00:00", 59)
