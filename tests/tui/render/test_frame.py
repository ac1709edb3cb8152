"""The frame of a pane: its edges, its thumb, and the titles of panes side by side."""

import pytest

from tui.panes.frame import BorderLabel, PaneFrame, tab_titles, upper
from tui.panes.line import flat

FULL = {"applications": "1 Applications", "queues": "2 Queues", "containers": "3 Containers"}


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (80, ["1 Applications", "2 Queues", "3 Containers"]),
        (38, ["1 Applications", "2 Queues", "3 Containers"]),
        (37, ["1 Apps", "2 Queues", "3 Cont"]),
        (23, ["1", "2 Queues", "3"]),
        (1, ["1", "2 Queues", "3"]),
    ],
)
def test_titles_become_shorter_with_the_width(width: int, said: list[str]) -> None:
    """In full, then shorter, then only that of the active pane beside the digits."""
    assert list(tab_titles(FULL, "queues", width).values()) == said


TITLE = (BorderLabel((("1 ", "accent"), ("Applications", "strong")), "one"),)
RIGHT = (BorderLabel((("8 Graphs", "faint"),), "eight"), BorderLabel((("by wait", "soft"),)))


@pytest.mark.parametrize(
    "line",
    [
        "╭─ 1 Applications ────── 8 Graphs  by wait ─╮",
        "╭─ 1 Applications ─ 8 Graphs  by wait ─╮",
        "╭─ 1 Applications ────────── by wait ─╮",
        "╭─ 1 Applications ─ by wait ─╮",
        "╭─ 1 Applications ──────────╮",
    ],
)
def test_the_upper_edge_is_as_wide_as_the_pane(line: str) -> None:
    """What stands at its end goes from the left where there is little room."""
    assert flat(upper(PaneFrame(TITLE, RIGHT), len(line))) == line


@pytest.mark.parametrize(
    ("is_sided", "is_doubled", "edge"), [(True, True, "╭═"), (True, False, "╭─"), (False, True, "─ ")]
)
def test_the_focus_is_told_without_colour(is_sided: bool, is_doubled: bool, edge: str) -> None:
    spans = upper(PaneFrame(TITLE, is_focused=True, is_sided=is_sided, is_doubled=is_doubled), 40)

    assert flat(spans)[:2] == edge
