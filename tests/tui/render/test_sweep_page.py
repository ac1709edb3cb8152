"""The screen of a sweep, from settings made by hand."""

from typing import Any

import msgspec
import pytest

from tests.tui.render.drawing import stored
from tests.tui.render.swept import EMPTY, SPEC, SUMMARY, WORKERS, view
from tui.pages.tune import BEST, FRONT, LEFT_OUT, LINES, MATTERS, SweepView, sweep_page, sweep_text
from tui.pages.tune import WORKERS as PLAYED
from tui.panes.line import flat, length


@pytest.mark.parametrize(
    ("name", "shown", "size", "part", "chosen"),
    [
        ("wide", view(workers=WORKERS, seconds=100.0), (180, 60), "", 1),
        ("middle", view(), (120, 40), "", 0),
        ("nothing", view(summary=EMPTY, workers=()), (100, 30), "", 0),
        ("best-80", view(), (80, 24), "", 0),
        ("best-order", view(order="yarn.scheduler.fair.preemption"), (120, 40), BEST, 5),
        ("front-80", view(), (80, 24), FRONT, 4),
        ("matters-80", view(), (80, 24), MATTERS, 0),
        ("lines-80", view(), (80, 24), LINES, 5),
        ("workers-80", view(workers=WORKERS, seconds=100.0), (80, 24), PLAYED, 0),
        ("workers-none", view(), (80, 24), PLAYED, 0),
        ("left-out-80", view(), (80, 24), LEFT_OUT, 0),
    ],
)
def test_a_sweep_is_drawn_as_it_is_stored(
    name: str, shown: SweepView, size: tuple[int, int], part: str, chosen: int
) -> None:
    """All parts where there is room, else one; the chosen setting is set off in plots."""
    drawn, kept = stored(f"sweep-{name}", sweep_page(shown, size, part, chosen).lines)

    assert drawn == kept


@pytest.mark.parametrize("width", [60, 80, 99, 100, 120, 170, 200])
@pytest.mark.parametrize("part", ["", BEST, FRONT, MATTERS, LINES, PLAYED, LEFT_OUT])
def test_no_line_of_a_sweep_is_wider_than_its_screen(width: int, part: str) -> None:
    widths = {length(line) for line in sweep_page(view(workers=WORKERS), (width, 40), part, 0).lines}

    assert max(widths) <= width
    assert width < 100 or widths == {width}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"low": 1.0, "high": 3.0, "best": "80"}, "1.0 to 3.0; 80 is best"),
        ({"low": 1.0, "high": 3.0, "best": ""}, "1.0 to 3.0; no claim: seeds disagree on the best"),
        ({"low": 0.0, "high": 3.0, "best": ""}, "0.0 to 3.0; no claim: no difference with some seed"),
    ],
)
def test_what_matters_claims_a_best_value_only_where_seeds_agree(changes: dict[str, Any], words: str) -> None:
    effect = msgspec.structs.replace(SUMMARY.effects[0], **changes)
    spec = msgspec.structs.replace(SPEC, goal_name="p95_slowdown")
    shown = view(spec=spec, summary=msgspec.structs.replace(SUMMARY, effects=(effect,)))

    assert words in [flat(line).strip() for line in sweep_page(shown, (80, 24), MATTERS, 0).lines]


@pytest.mark.parametrize(("listed", "summary"), [(3, SUMMARY), (9, EMPTY)])
def test_a_sweep_as_text_has_what_there_is_of_it(listed: int, summary: Any) -> None:
    lines = [[(line, "text")] for line in sweep_text(view(summary=summary), listed)]
    drawn, kept = stored(f"sweep-text-{listed}", lines)

    assert drawn == kept
