"""A line of spans as textual draws it."""

import pytest
from rich.style import Style

from tui.render.line import Spans
from tui.widgets.lines import strip

STYLES = {"text": Style(), "strong": Style(bold=True)}


@pytest.mark.parametrize(
    ("spans", "drawn"),
    [
        pytest.param([("ab", "text"), (" ", "text"), ("", "strong"), ("c", "strong")], ["ab ", "c", "  "], id="short"),
        pytest.param([("ab", "text"), ("界界", "strong")], ["ab", "界界"], id="wide characters"),
        pytest.param([("abcde", "text"), ("fgh", "strong")], ["abcde", "f"], id="too long"),
        pytest.param([], [" " * 6], id="nothing"),
    ],
)
def test_a_line_is_as_wide_as_asked_and_neighbours_of_one_style_are_one(spans: Spans, drawn: list[str]) -> None:
    """What is missing is blank, what is too much is cut, and the terminal gets no more pieces than styles."""
    line = strip(spans, STYLES, 6)
    assert ([segment.text for segment in line], line.cell_length) == (drawn, 6)
