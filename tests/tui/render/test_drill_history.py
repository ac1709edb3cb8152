"""Scores over time as a plot."""

from engine.training.history import PlayedDrill
from tui.render.drill_history import HEIGHT, history_lines, plot


def played(*scores: int) -> list[PlayedDrill]:
    return [PlayedDrill("a", "2026-01-01T00:00:00+00:00", score, None if score < 50 else 5.0) for score in scores]


def drawn(*scores: int, width: int = 80) -> list[str]:
    return ["".join(words for words, _ in spans) for spans in plot(played(*scores), width)]


def test_scores_rise_from_left_to_right() -> None:
    """100 is at the top, 0 and less at the foot; the scale stands beside it."""
    lines = drawn(-20, 0, 100)
    assert lines[1].startswith("  100 ")
    assert lines[HEIGHT].startswith("    0 ")
    top, foot = lines[1][6:], lines[HEIGHT][6:]
    assert all(ord(sign) < 0x2800 for sign in top[:15])
    assert all(ord(sign) >= 0x2800 for sign in top[-7:])
    assert all(ord(sign) >= 0x2800 for sign in foot[:15])
    assert lines[-1].split() == ["1", "3"]


def test_many_tries_fit_on_a_narrow_screen() -> None:
    assert max(map(len, drawn(*range(100), width=60))) <= 60


def test_one_try_is_a_line_of_its_own() -> None:
    lines = history_lines(played(90), None)
    assert lines[0].endswith("  a    90  solved in 0m05s")
    assert "a  best 90 in 1 exercise, solved in 0m05s" in lines
    assert lines[-1] == "next    every drill is solved, and well"


def test_an_empty_history_only_says_what_is_next() -> None:
    assert history_lines([], None) == ["next    every drill is solved, and well"]
