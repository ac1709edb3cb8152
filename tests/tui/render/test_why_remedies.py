"""Remedies in lists: their order, their columns, the strip, the way back."""

from typing import Any

import msgspec
import pytest

from engine.explain.answer import RemediesReport
from tests.tui import answered
from tests.tui.render.drawing import stored
from tests.tui.render.helped import ENTRIES, NOTHING, entry, remedies
from tui.pages.why_parts import HELPS, ORDERS, brief_lines, remedies_panel, sorted_remedies
from tui.panes.line import Fragments
from tui.protocol.picture import WhyAnswer, WhySubject

BIG = WhySubject("application", "183354")


def answer(found: RemediesReport) -> WhyAnswer:
    told = answered.answer_of(BIG, answered.deadlocked())
    assert told.why is not None
    return msgspec.structs.replace(told, why=msgspec.structs.replace(told.why, would_help=found))


@pytest.mark.parametrize(
    ("order", "numbers"),
    [
        (ORDERS[0], [1, 5, 2, 3, 4]),
        (ORDERS[1], [1, 2, 5, 3, 4]),
        (ORDERS[2], [5, 1, 2, 3, 4]),
    ],
)
def test_what_can_be_done_now_comes_first_in_every_order(order: str, numbers: list[int]) -> None:
    """The soonest, those of least harm as they come, or those that lose nothing and then the soonest."""
    found = [*ENTRIES, entry(5, 60, loses=NOTHING)]

    assert [each.number for each in sorted_remedies(found, order)] == numbers


def _panel_lines(rows: Any) -> list[Fragments]:
    return [row.spans for row in rows]


@pytest.mark.parametrize("width", [76, 99, 100, 118, 123, 124, 180])
def test_remedies_are_listed_as_they_are_stored(width: int) -> None:
    """Names and bars where they have room; of columns the least important goes first."""
    told = msgspec.structs.replace(answer(remedies()), freeing=remedies(ENTRIES[1]))
    panel = remedies_panel(told, width, ORDERS[0])
    drawn, kept = stored(f"remedies-{width}", [panel.title, [(panel.right, "soft")], *_panel_lines(panel.rows)])

    assert panel.part == HELPS
    assert drawn == kept


@pytest.mark.parametrize("width", [60, 110])
def test_the_strip_lists_remedies_as_they_are_stored(width: int) -> None:
    drawn, kept = stored(f"remedies-brief-{width}", brief_lines(remedies(), width, 9))

    assert drawn == kept
