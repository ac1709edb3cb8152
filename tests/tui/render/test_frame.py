"""The frame of a pane: its edges, its thumb, and the titles of panes side by side."""

import pytest

from tui.panes.frame import BorderLabel, PaneFrame, upper
from tui.panes.line import flat

TITLE = (BorderLabel((("1 ", "accent"), ("Applications", "strong")), "one"),)


@pytest.mark.parametrize(
    ("is_sided", "is_doubled", "edge"), [(True, True, "╭═"), (True, False, "╭─"), (False, True, "─ ")]
)
def test_the_focus_is_told_without_colour(is_sided: bool, is_doubled: bool, edge: str) -> None:
    spans = upper(PaneFrame(TITLE, is_focused=True, is_sided=is_sided, is_doubled=is_doubled), 40)

    assert flat(spans)[:2] == edge
