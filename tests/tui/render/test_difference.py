"""What differs between two drawings of a line."""

import pytest

from tui.render.difference import difference
from tui.render.line import Spans

LINE: Spans = [("n1  ", "plain"), ("12", "good"), (" ok", "plain")]


@pytest.mark.parametrize(
    ("new", "cells"),
    [
        (LINE, None),
        ([("n1  ", "plain"), ("13", "good"), (" ok", "plain")], (4, 6)),
        ([("n1  ", "plain"), ("12", "bad"), (" ok", "plain")], (4, 6)),
        ([("n2  ", "plain"), ("12", "good"), (" no", "plain")], (0, 9)),
        ([("n1  ", "plain"), ("12", "good")], (6, 9)),
        ([("n1  ", "plain"), ("日报", "good"), ("k", "plain")], (4, 9)),
        ([("n1  12 ok", "cursor")], (0, 9)),
        ([], (0, 9)),
    ],
)
def test_the_cells_that_differ_are_named(new: Spans, cells: tuple[int, int] | None) -> None:
    """By text and by style, from the first to behind the last; a shorter line differs to the end of the longer."""
    assert difference(LINE, new) == cells
