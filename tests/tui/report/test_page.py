"""A report as a file."""

import re
from html.parser import HTMLParser

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from tui.report import Cell, ReportColumn, ReportGroup, ReportPage, ReportSection, Row, bar, element, key_of, table
from tui.report.sweep_page import WIDTH_PX, FigureCanvas, tone

EVIL = "<script>alert('x')</script>"


class Tags(HTMLParser):
    """Reads the names of elements and checks that each is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page() -> str:
    rows = [Row(EVIL, [Cell(EVIL, "strong"), bar([("bA", 0.5), ("bB", 0.0001), ("bC", 0)])])]
    columns = [ReportColumn(EVIL), ReportColumn(EVIL), ReportColumn("worse", is_figure=False)]
    content = table(columns, [ReportGroup(EVIL, rows, EVIL)], key_of({"A": EVIL}))
    return ReportPage(
        (EVIL, EVIL), EVIL, EVIL, EVIL, element("p", EVIL), [ReportSection(EVIL, (content,), EVIL)], (EVIL, "")
    ).html()


def test_every_name_is_escaped_and_every_element_closed() -> None:
    tags = Tags()
    tags.feed(page())
    assert "script" not in tags.seen
    assert tags.open == []


def test_it_fetches_nothing() -> None:
    text = page()
    assert "default-src 'none'" in text
    assert not re.search(r"https?://|url\(|@import", text)


# Figures of a report.


def drawn() -> str:
    """A figure with a line, an area and a title that looks like markup and like a formula."""
    with FigureCanvas("time", 100) as canvas:
        axes = canvas.axes(40, 10, 700, 60)
        axes.plot([0, 1], [1, 2], color=tone("q1"))
        axes.fill_between([0, 1], [1, 2], color=tone("fill"))
        axes.set_title("<b> $x$")
        return canvas.html("what it shows")


def test_text_stays_text_and_ids_are_its_own() -> None:
    """Names are escaped text, and no two figures of a page have an id in common."""
    text = drawn()
    assert "&lt;b&gt; $x$</text>" in text
    assert text.count('id="') == text.count('id="time-')


def test_the_same_figure_gives_the_same_bytes_whatever_the_user_set() -> None:
    plain = drawn()
    with mpl.rc_context({"svg.fonttype": "path", "font.size": 30, "lines.linewidth": 9}):
        assert drawn() == plain


@pytest.mark.parametrize(
    ("place", "corners"),
    [
        ((0, 0, WIDTH_PX, 100), (0, 0, WIDTH_PX, 100)),
        ((40, 10, 700, 60), (40, 10, 740, 70)),
        ((100, 30, 36, 50), (100, 30, 136, 80)),
    ],
)
def test_axes_stand_at_their_place_in_pixels(
    place: tuple[float, float, float, float], corners: tuple[float, float, float, float]
) -> None:
    with FigureCanvas("time", 100) as canvas:
        axes = canvas.axes(*place)
        figure = axes.figure
        assert isinstance(figure, Figure)
        (left, low), (right, high) = axes.get_window_extent().get_points()

    assert (figure.bbox.width, figure.bbox.height) == pytest.approx((WIDTH_PX, 100))
    assert (left, 100 - high, right, 100 - low) == pytest.approx(corners)
