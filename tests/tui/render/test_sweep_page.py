"""The screen of a sweep, from settings made by hand."""

from typing import Any

import msgspec
import pytest

from tests.tui.render.drawing import stored
from tests.tui.render.swept import EMPTY, SETTINGS, SPEC, SUMMARY, WORKERS, setting, view
from tui.answers import WhySubject
from tui.render.line import flat, length
from tui.render.sweep_page import (
    BEST,
    FAILURE,
    FRONT,
    LEFT_OUT,
    LINES,
    LINK,
    MATTERS,
    sweep_page,
    sweep_text,
)
from tui.render.sweep_page import (
    WORKERS as PLAYED,
)
from tui.render.sweep_view import SweepView


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
    """And from 100 cells on all frames are as wide as it."""
    widths = {length(line) for line in sweep_page(view(workers=WORKERS), (width, 40), part, 0).lines}

    assert max(widths) <= width
    assert width < 100 or widths == {width}


@pytest.mark.parametrize("part", [BEST, ""])
def test_each_setting_can_be_stood_on(part: str) -> None:
    """Its link is its place among the settings; the head has none."""
    stops = [each for each in sweep_page(view(), (120, 60), part, 0).stops if each.link.kind == LINK]

    assert [(each.row, each.link.key) for each in stops] == [(place + 2, str(place)) for place in range(len(SETTINGS))]


@pytest.mark.parametrize(("height", "listed"), [(24, 5), (25, 6), (60, 6)])
def test_so_many_settings_are_listed_as_the_parts_below_leave_lines(height: int, listed: int) -> None:
    """Five at least."""
    shown = view(summary=msgspec.structs.replace(SUMMARY, errors=(), failed=()))
    page = sweep_page(shown, (120, height), "", 0)

    assert sum(each.link.kind == LINK for each in page.stops) == listed


@pytest.mark.parametrize("count", [1, 2])
def test_each_failed_point_can_be_stood_on(count: int) -> None:
    """Its link is its place among those that failed."""
    shown = view(summary=msgspec.structs.replace(SUMMARY, failed=SUMMARY.failed[:count]))
    page = sweep_page(shown, (80, 24), LEFT_OUT, 0)

    assert [each.link for each in page.stops] == [WhySubject(FAILURE, str(place)) for place in range(count)]


@pytest.mark.parametrize(("goals", "is_log"), [((10, 100, 199), False), ((10, 100, 200), True), ((0, 100, 200), False)])
def test_a_goal_that_spans_a_factor_of_twenty_is_drawn_by_its_logarithm(goals: tuple[int, ...], is_log: bool) -> None:
    """Not one that reaches to none: a middle value stands higher by the logarithm."""
    settings = tuple(setting("40", "true", goal, used=0.1 * place) for place, goal in enumerate(goals, 1))
    shown = view(summary=msgspec.structs.replace(SUMMARY, settings=settings))
    lines = [flat(line) for line in sweep_page(shown, (80, 24), FRONT, 9).lines]
    rows = [place for place, line in enumerate(lines) if "•" in line]

    assert rows[0] == 1
    assert (rows[1] < (rows[0] + rows[2]) // 2) is is_log


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"low": 1.0, "high": 3.0, "best": "80"}, "1.0 to 3.0; 80 is best"),
        ({"low": 1.0, "high": 3.0, "best": ""}, "1.0 to 3.0; no claim: seeds disagree on the best"),
        ({"low": 0.0, "high": 3.0, "best": ""}, "0.0 to 3.0; no claim: no difference with some seed"),
    ],
)
def test_what_matters_claims_a_best_value_only_where_seeds_agree(changes: dict[str, Any], words: str) -> None:
    """With what is in the way of a claim."""
    effect = msgspec.structs.replace(SUMMARY.effects[0], **changes)
    spec = msgspec.structs.replace(SPEC, goal_name="p95_slowdown")
    shown = view(spec=spec, summary=msgspec.structs.replace(SUMMARY, effects=(effect,)))

    assert words in [flat(line).strip() for line in sweep_page(shown, (80, 24), MATTERS, 0).lines]


def test_one_seed_allows_no_claim() -> None:
    """It is said so."""
    spec = msgspec.structs.replace(SPEC, seeds=(1,))
    lines = [flat(line).strip() for line in sweep_page(view(spec=spec), (80, 24), MATTERS, 0).lines]

    assert "0s to 6m00s; no claim: only one seed" in lines


@pytest.mark.parametrize(("listed", "summary"), [(3, SUMMARY), (9, EMPTY)])
def test_a_sweep_as_text_has_what_there_is_of_it(listed: int, summary: Any) -> None:
    """So many settings as are asked for, what matters, what was left out."""
    lines = [[(line, "text")] for line in sweep_text(view(summary=summary), listed)]
    drawn, kept = stored(f"sweep-text-{listed}", lines)

    assert drawn == kept
