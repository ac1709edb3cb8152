"""The dialog that asks before an act: lost and freed."""

import pytest

from tui.render.act_sheet import ActQuestion, sheet_lines
from tui.render.line import flat


@pytest.mark.parametrize(("width", "is_beside"), [(28, True), (27, False)])
def test_lost_stands_beside_freed_where_both_fit(width: int, is_beside: bool) -> None:
    """One cell less and freed stands below."""
    question = ActQuestion("Kill", ("one",), "Kill it", lost=(("1", "container of 1G"),), freed=(("2", "nodes"),))

    heads = [flat(line) for line in sheet_lines(question, None, width) if "LOST" in flat(line)]

    assert ("FREED" in heads[0]) is is_beside
