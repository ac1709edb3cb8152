"""Figures of a report."""

import matplotlib as mpl

from tui.report.drawing import FigureCanvas, tone


def drawn() -> str:
    """A figure with a line, an area and a title that looks like markup and like a formula."""
    with FigureCanvas("time", 100) as canvas:
        axes = canvas.axes(40, 10, 700, 60)
        axes.plot([0, 1], [1, 2], color=tone("q1"))
        axes.fill_between([0, 1], [1, 2], color=tone("fill"))
        axes.set_title("<b> $x$")
        return canvas.html("what it shows")


def test_colours_are_those_of_the_page() -> None:
    """No colour of its own is left, so light and dark both fit."""
    text = drawn()
    assert "stroke: var(--q1)" in text
    assert "#0ab" not in text


def test_text_stays_text_and_ids_are_its_own() -> None:
    """Names are escaped text, and no two figures of a page have an id in common."""
    text = drawn()
    assert "&lt;b&gt; $x$</text>" in text
    assert text.count('id="') == text.count('id="time-')


def test_the_same_figure_gives_the_same_bytes_whatever_the_user_set() -> None:
    """Neither the date nor settings of matplotlib show in it."""
    plain = drawn()
    with mpl.rc_context({"svg.fonttype": "path", "font.size": 30, "lines.linewidth": 9}):
        assert drawn() == plain
