"""Pages at many sizes: which parts they show, and how many lines they have."""

import re
from collections.abc import Callable

import pytest

from engine.explain.aftermath import ImpactReport
from tests.reports import report_of
from tests.tui import answered, fakes
from tests.tui.render.compared import comparison
from tests.tui.render.drawing import stored
from tests.tui.render.helped import ENTRIES, entry, remedies
from tests.tui.render.swept import WORKERS
from tests.tui.render.swept import view as swept
from tests.tui.render.test_alerts_page import LOOK as ALERT_LOOK
from tests.tui.render.test_alerts_page import TERMS, WITH_GRAPHS, found_in, view_of
from tests.tui.render.test_alerts_page import view as sized
from tests.tui.render.test_drill_debrief import debrief
from tests.tui.render.test_scenario_list import DEADLOCK
from tests.tui.render.test_scenario_list import ENTRIES as SCENARIOS
from tests.tui.render.test_why_page import LOOK, SNAPSHOT, answer, whole
from tui.pages.alerts import LIST, alerts_page
from tui.pages.choice import preview_lines
from tui.pages.compare import compare_page
from tui.pages.drill import DebriefSheet, debrief_screen
from tui.pages.size_page import size_page
from tui.pages.strip import with_remedies
from tui.pages.tune import sweep_page
from tui.pages.why_head import WhyChoice, why_page
from tui.panes.line import Fragments, flat
from tui.protocol.picture import CLUSTER, WhyAnswer, WhySubject

Size = tuple[int, int]
EDGE = re.compile(r"[─═]{2,}| {2,}")
FOLLOWED = report_of(ImpactReport, answered.followed())
TOLD = answer(whole(aftermath=answered.followed()))
MANY = remedies(*ENTRIES, *(entry(number, 10 * number) for number in range(5, 9)))
FIX = WhyAnswer(WhySubject(CLUSTER, ""), fakes.NOW, answered.OFFSET_MS, plan=MANY, aftermath=FOLLOWED)

PAGES: dict[str, Callable[[Size], list[Fragments]]] = {
    "why": lambda size: list(why_page(TOLD, SNAPSHOT, LOOK, size, WhyChoice()).lines),
    "why-early": lambda size: list(why_page(answer(answered.known()), SNAPSHOT, LOOK, size, WhyChoice()).lines),
    "fix": lambda size: list(why_page(FIX, None, LOOK, size, WhyChoice()).lines),
    "compare": lambda size: list(compare_page(view_of(comparison()), size, "").lines),
    "sweep": lambda size: list(sweep_page(swept(workers=WORKERS), size, "", 0).lines),
    "size": lambda size: list(size_page(sized(), size, "").lines),
    "alerts": lambda size: list(
        alerts_page(found_in(WITH_GRAPHS), 0, WITH_GRAPHS, ALERT_LOOK, TERMS, size, LIST).lines
    ),
    "debrief": lambda size: debrief_screen(DebriefSheet(debrief(), 3, 77), *size),
    "score": lambda size: debrief_screen(DebriefSheet(debrief(), 3, 77, is_on_score=True), *size),
    "preview": lambda size: preview_lines(DEADLOCK, SCENARIOS, *size),
    "remedies": lambda size: with_remedies([[("facts", "text")]], MANY, *size),
}


def parts(page: Callable[[Size], list[Fragments]], sizes: list[Size]) -> list[Fragments]:
    """The first words of each part and the number of lines, where these change.

    A number that stays, or grows by a line with each of the screen, is no change.
    """
    found: list[Fragments] = []
    before: tuple[list[str], int, int] = [], 0, 0
    for width, height in sizes:
        lines = [flat(line) for line in page((width, height))]
        heads = [EDGE.split(line.strip("╭╮─═ "))[0] for line in lines if line[:1] and line[0] in "╭─"]
        now, count, over = heads[:8], len(lines), len(lines) - height
        if now != before[0] or (count != before[1] and over != before[2]):
            found.append([(" | ".join([f"{width}x{height}: {count} lines", *now]), "text")])
        before = now, count, over
    return found


WIDTHS = [width for about in (58, 80, 100, 110, 125, 150, 170) for width in range(about - 2, about + 3)]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_the_parts_that_are_stored_at_its_widths(name: str) -> None:
    drawn, kept = stored(f"parts-{name}-wide", parts(PAGES[name], [(width, 40) for width in WIDTHS]))

    assert drawn == kept


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [80, 120])
def test_a_page_shows_the_parts_that_are_stored_at_its_heights(name: str, width: int) -> None:
    """What has no room is left out, or makes the page longer than the screen."""
    drawn, kept = stored(f"parts-{name}-{width}", parts(PAGES[name], [(width, height) for height in range(3, 60)]))

    assert drawn == kept
