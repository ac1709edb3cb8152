"""The screen of a comparison, from two runs made by hand."""

import pytest

from engine.compare import Comparison
from tests.tui.render.compared import PARTINGS, comparison
from tests.tui.render.drawing import stored
from tui.pages.compare import APPLICATIONS as WAITS
from tui.pages.compare import DIFFERS, PARTS, TIME, CompareView, compare_page
from tui.panes.line import length


def view_of(found: Comparison, chosen: int = 0) -> CompareView:
    return CompareView(found, PARTINGS if found.divergences else (), chosen)


@pytest.mark.parametrize(
    ("name", "size", "part", "chosen"),
    [
        ("wide", (180, 60), "", 0),
        ("middle", (120, 60), "", 1),
        ("differs", (100, 60), DIFFERS, 0),
        ("differs-80", (80, 24), "", 0),
        ("parts-80", (80, 24), PARTS, 0),
        ("time-60", (60, 24), TIME, 0),
        ("waits-60", (60, 24), WAITS, 0),
        ("waits-62", (62, 24), WAITS, 0),
    ],
)
def test_a_comparison_is_drawn_as_it_is_stored(name: str, size: tuple[int, int], part: str, chosen: int) -> None:
    """All parts where there is room, else one: what differs most, where they part, curves, waits."""
    page = compare_page(view_of(comparison(), chosen), size, part)
    drawn, kept = stored(f"compare-{name}", page.lines)

    assert drawn == kept


@pytest.mark.parametrize("width", [60, 80, 99, 100, 120, 169, 170, 200])
def test_no_line_of_a_comparison_is_wider_than_its_screen(width: int) -> None:
    widths = {length(line) for line in compare_page(view_of(comparison()), (width, 40), "").lines}

    assert max(widths) <= width
    assert width < 100 or widths == {width}
