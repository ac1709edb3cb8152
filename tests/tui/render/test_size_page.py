"""The answer to how many nodes it takes, from steps made by hand."""

from typing import Any

import pytest

from engine.sweep import GOALS, SizeStep, Sizing
from tests.tui.render.drawing import stored
from tui.pages.size_page import CURVE, OTHERS, STEPS, SizeView, size_page, size_text
from tui.panes.line import length

STEPS_TRIED = (
    SizeStep(40, (600_000, 500_000, 700_000), 0),
    SizeStep(80, (1500, 1500, 1500), 3),
    SizeStep(60, (45_000, 200_000, 400_000), 2),
    SizeStep(70, (45_000, 60_000, 200_000), 3),
    SizeStep(100, (), 0, "ValueError: no\nsuch size"),
    SizeStep(90, (), 0),
)
OTHERS_TRIED = {
    "without preemption": SizeStep(75, (100.0, 200.0), 3),
    "with no reservations": SizeStep(100, (400_000, 700_000), 1),
    "under fifo": SizeStep(100, (), 0, "refused:\nthere is no queue root.etl here, so nothing can be submitted to it"),
}


def view(answer: int | None = 70, **changes: Any) -> SizeView:
    """Seventy nodes keep five minutes with all of three seeds."""
    sizing = Sizing("nodes", STEPS_TRIED, answer, 3)
    found = SizeView("morning", GOALS["p95_wait"], "p95_wait < 5m", 300_000, sizing, OTHERS_TRIED, "x.sweep")
    return found._replace(**changes)


ONE = Sizing("nodes", (SizeStep(1, (5.0,), 1),), 1, 1)
NONE = Sizing("yarn.nodes", (), None, 2)


@pytest.mark.parametrize(
    ("name", "shown", "size", "part"),
    [
        ("wide", view(), (140, 40), ""),
        ("low", view(None), (100, 20), ""),
        ("steps-80", view(), (80, 24), ""),
        ("others-100", view(), (100, 24), OTHERS),
        ("curve-60", view(), (60, 16), CURVE),
        ("one", view(sizing=ONE, others={}), (100, 24), ""),
        ("running", view(sizing=NONE, others={}, is_running=True), (100, 24), ""),
    ],
)
def test_a_size_is_drawn_as_it_is_stored(name: str, shown: SizeView, size: tuple[int, int], part: str) -> None:
    drawn, kept = stored(f"size-{name}", size_page(shown, size, part).lines)

    assert drawn == kept


@pytest.mark.parametrize("width", [60, 99, 100, 120, 200])
@pytest.mark.parametrize("part", ["", STEPS, OTHERS, CURVE])
def test_no_line_of_a_size_is_wider_than_its_screen(width: int, part: str) -> None:
    widths = {length(line) for line in size_page(view(), (width, 30), part).lines}

    assert max(widths) <= width
    assert width < 100 or widths == {width}


@pytest.mark.parametrize(("others", "has_others"), [(OTHERS_TRIED, True), ({}, False)])
def test_a_size_as_text_has_all_parts(others: dict[str, SizeStep], has_others: bool) -> None:
    lines = list(size_text(view(others=others)))

    assert any("What else it would take" in line for line in lines) is has_others
    if has_others:
        drawn, kept = stored("size-text", [[(line, "text")] for line in lines])
        assert drawn == kept
