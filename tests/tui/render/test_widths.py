"""Lines at every width: each form they take, and the width from which they take it.

What only fills a line is left out: of three blanks or lines of an edge in a row two are kept.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
import pytest

from engine.explain.impact import ImpactReport
from engine.observe.snapshot import Header
from engine.observe.snapshots import WaitTotal
from tests.engine.training.small_drill import small_drill
from tests.reports import report_of
from tests.tui import answered, fakes
from tests.tui.render.compared import comparison
from tests.tui.render.dialect_pictures import fair, spark
from tests.tui.render.drawing import WORKERS, stored, view
from tests.tui.render.drawing import view as swept
from tests.tui.render.helped import ENTRIES as PAGE_ENTRIES
from tests.tui.render.helped import entry, remedies
from tests.tui.render.test_alerts_page import LOOK as ALERT_LOOK
from tests.tui.render.test_alerts_page import TERMS, WITH_GRAPHS, found_in, view_of
from tests.tui.render.test_alerts_page import view as sized
from tests.tui.render.test_scenario_list import DEADLOCK, ENTRIES
from tests.tui.render.test_scenario_list import ENTRIES as SCENARIOS
from tests.tui.render.test_small_pages import KILL, debrief
from tests.tui.render.test_why import LOOK as PAGE_LOOK
from tests.tui.render.test_why import PAGES, QUESTIONS, SNAPSHOT, answer, whole
from tui.board.dialects import YARN
from tui.keymap import FooterKey
from tui.pages.act_sheet import sheet_lines
from tui.pages.alerts import LIST, alerts_page
from tui.pages.choice import list_line, preview_lines, rows, short_lines
from tui.pages.circle import CirclePart, circle_lines
from tui.pages.compare import compare_page
from tui.pages.detail_panel import brief_of, circle_of, wrapped
from tui.pages.drill import DebriefSheet, brief_screen, debrief_screen, lanes
from tui.pages.exam import ExamSheet, exam_lines
from tui.pages.remedy_table import brief_rows
from tui.pages.size_page import size_page
from tui.pages.tune import sweep_head, sweep_page
from tui.pages.why_head import FRAMED_FROM, WhyChoice, head_lines, why_page
from tui.panes.fragments import Fragments, RenderContext, cell_width, crop, flat, folded
from tui.panes.frame import footer, spans_of
from tui.panes.header import (
    BUSY,
    DEAD,
    FINE,
    HARMED,
    DrillClock,
    Health,
    PartitionMeter,
    health_line,
    identity_line,
    meter_line,
    symptom_line,
)
from tui.panes.plot import Window, ticks
from tui.panes.pulse import Freeze, Pulse, axis, lines
from tui.panes.table import Column, head_line, place, row_line
from tui.protocol.picture import CLUSTER, LIVE, ConnectionStatus, RunState, SessionState, WhyAnswer, WhySubject
from tui.terminal.format import RelativeTimeFormat

WAITS = WaitTotal(2, 1)
LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
RUN = RunState("reservation-deadlock", seed=4, speed=10.0, paused=False, offset_ms=8 * 3_600_000)
BIG = WhySubject("application", "183354")
FILL = re.compile(r"([ ─━═⣀])\1{2,}")
APPS = YARN.view("applications")
Draw = Callable[[int], Sequence[Fragments]]


def forms(draw: Draw, widths: Iterable[int]) -> list[Fragments]:
    """Each form with the width from which it is taken."""
    found: list[Fragments] = []
    before: list[str] = []
    for width in widths:
        now = [FILL.sub(r"\1\1", flat(line)).rstrip() for line in draw(width)]
        if now != before:
            found += [[(f"from {width}", "text")], *([(line, "text")] for line in now)]
        before = now
    return found


def _header(header: Header | None = None, run: RunState = RUN, drill: DrillClock | None = None) -> Draw:
    found = header or fakes.header()
    return lambda width: [spans_of(identity_line(found, run, 8 * 3_600_000, width, drill=drill))]


LIVE_RUN = RunState("prod", paused=False, reception=ConnectionStatus(LIVE, 0, "", fakes.NOW + 2000, 40, 7))
PAST_RUN = msgspec.structs.replace(RUN, paused=True, present_ms=fakes.NOW + 60_000)
KEYS = (("w", "why", "inspection.why"), ("}", "next mark", "past.on_mark"), ("X", "alerts", "program.alerts"))
HARM = Health(DEAD, "FROZEN", "183354 holds 11 of 12 nodes; 13 wait behind it", fakes.NOW - 60_000, 2)
CALM = Health(BUSY, "BUSY", "60% of memory used, 2 waiting, longest 1m01s", None)
USES = [PartitionMeter(label, 1000, 10 * n) for n, label in enumerate(("", "gpu", "large", "small"))]
GROUPS = (
    (FooterKey("a", "first", "one", 2), FooterKey("b", "second", "two", 3), FooterKey("b", "more", "two", 3)),
    (FooterKey("c", "third of all", "three", 2, "third"), FooterKey("d", "fourth", "four", 4)),
    (FooterKey("esc", "back", "leave", 1),),
)
LAST = FooterKey("?", "keys", "help", 1)
LABELLED: list[Fragments] = [[("why   ", "x"), ("it waits for a long time", "y")], [("no label at all", "x")]]
PARTS = (
    CirclePart("183354", "weekly-pyspark", 0, "holds 11 nodes", "needs 22.5G more on one of its 11 nodes"),
    CirclePart("183342", "etl", 11, "fill 16G of each node", "each needs one container more, on any node"),
    CirclePart("0007", "a name that is rather long for a box", 1, "holds n1", "needs a container on n9"),
)
WHY = answered.answer_of(BIG, answered.deadlocked())
PULSE = Pulse(
    Window(fakes.NOW - 3_600_000, fakes.NOW),
    fakes.NOW - 1_000_000,
    lambda parts: [float(place % 7) if place > 3 else None for place in range(parts)],
    (),
    [Freeze(fakes.NOW - 2_000_000, fakes.NOW - 500_000)],
    8 * 3_600_000,
    fakes.NOW - 600_000,
)


def _told(answer: WhyAnswer, *trail: WhySubject) -> Draw:
    health = Health(HARMED, "STUCK", "a b waits", fakes.NOW - 5000)
    return lambda width: head_lines(answer, trail, LOOK, width, state="paused", health=health)


def _table(columns: Sequence[Column[Any]], row: object, look: RenderContext = LOOK) -> Draw:
    def draw(width: int) -> list[Fragments]:
        placed = place(columns, width)
        return [head_line(placed, "pending"), row_line(placed, row, look)]

    return draw


def _calm() -> Sequence[Column[Any]]:
    """The columns of applications while nobody is kept waiting."""
    assert APPS.grouping is not None
    groups = APPS.grouping((), SessionState(fakes.FakeSnapshot(fakes.header()), RUN, (), 0), LOOK)
    assert groups is not None
    return groups.columns or ()


def _ticks(width: int) -> list[Fragments]:
    found = ticks(Window(fakes.NOW - 3_723_000, fakes.NOW + 86_400_000 * (width // 60)), width, 8 * 3_600_000, 10)
    return [[(" ".join(f"{each.cell}:{each.words}" for each in found), "text")]]


DRAWN: dict[str, tuple[Draw, Iterable[int]]] = {
    "identity": (_header(), range(40, 200)),
    "identity-live": (_header(run=LIVE_RUN), range(40, 200)),
    "identity-past": (_header(run=PAST_RUN), range(40, 160)),
    "identity-spark": (_header(spark().snapshot.header), range(60, 160)),
    "identity-drill": (_header(drill=DrillClock("DRILL", fakes.NOW + 90_000)), range(40, 160)),
    "identity-exam": (_header(drill=DrillClock("EXAM", fakes.NOW + 90_000, lambda: 2)), range(40, 160)),
    "health": (lambda width: [spans_of(health_line(HARM, fakes.NOW, KEYS, width))], range(30, 140)),
    "health-busy": (lambda width: [spans_of(health_line(CALM, fakes.NOW, KEYS, width))], range(30, 140)),
    "health-fine": (
        lambda width: [spans_of(health_line(Health(FINE, "OK", "nothing waits"), fakes.NOW, KEYS, width))],
        range(20, 60),
    ),
    "symptoms": (lambda width: [spans_of(symptom_line("60% of memory used", 2, width))], range(20, 50)),
    "meters": (lambda width: [spans_of(meter_line(fakes.header(nodes_down=1), WAITS, width))], range(40, 190)),
    "meters-parts": (lambda width: [spans_of(meter_line(fakes.header(), WAITS, width, USES))], range(40, 190)),
    "meters-spark": (lambda width: [spans_of(meter_line(spark().snapshot.header, WAITS, width))], range(60, 180)),
    "footer": (
        lambda width: [spans_of(footer(GROUPS, LAST, width))],
        range(20, 90),
    ),
    "circle-1": (lambda width: circle_lines(PARTS[:1], width), range(20, 60)),
    "circle-2": (lambda width: circle_lines(PARTS[:2], width), range(20, 150)),
    "circle-3": (lambda width: circle_lines(PARTS, width, is_proven=False), range(20, 170)),
    "circle-strip": (lambda width: circle_of(fakes.BIG, fair().snapshot, width, is_proven=False), range(40, 120)),
    "why-head": (_told(WHY, WhySubject("queue", "root.etl")), range(40, 170)),
    "why-head-early": (_told(answered.answer_of(BIG, answered.known(), doing="simulating ahead")), range(30, 120)),
    "why-head-cluster": (_told(WhyAnswer(WhySubject(CLUSTER, ""), fakes.NOW, plan=remedies())), range(30, 130)),
    "applications": (_table(APPS.columns, fair().snapshot.applications()[0]), range(10, 150)),
    "applications-calm": (_table(_calm(), fair().snapshot.applications()[18]), range(10, 150)),
    "applications-sorted": (_table(APPS.sorted_columns or (), fair().snapshot.applications()[0]), range(10, 130)),
    "nodes": (_table(YARN.view("nodes").every_column or (), fair().snapshot.nodes()[0]), range(10, 170)),
    "queues": (_table(YARN.view("queues").every_column or (), fair().snapshot.queues()[1]), range(10, 140)),
    "sweep-head": (lambda width: sweep_head(view(workers=WORKERS), width), range(30, 110)),
    "preview-short": (lambda width: short_lines(DEADLOCK, width), range(30, 90, 3)),
    "list-line": (
        lambda width: [list_line(row, width, 16, is_cursor=True) for row in rows(ENTRIES, "", (), 40)[1:2]],
        range(20, 60),
    ),
    "brief": (lambda width: brief_rows(remedies(), RelativeTimeFormat(fakes.NOW, 0), width, 4), range(30, 120)),
    "exam": (lambda width: exam_lines(ExamSheet(QUESTIONS, PAGES, cursor=1), width, 24)[1:5], range(45, 130)),
    "exam-low": (lambda width: exam_lines(ExamSheet(QUESTIONS, PAGES), width, 23), range(30, 90)),
    "act": (lambda width: sheet_lines(KILL, None, width), range(16, 60)),
    "crumbs": (lambda width: brief_screen(small_drill(), (2, 29), None, width)[:3], range(40, 130)),
    "lanes": (lambda width: lanes(debrief(), width, is_short=False)[2:8], range(30, 150, 7)),
    "pulse": (lambda width: [*lines(PULSE, width, 2), axis(PULSE, width)], range(20, 120, 3)),
    "ticks": (_ticks, range(12, 200, 3)),
    "crop": (lambda width: [crop([("ab", "x"), ("cd", "y"), ("界e", "x")], width)], range(1, 10)),
    "folded": (
        lambda width: [[(line, "x")] for line in folded("a long word and an application_1510362060000_0007", width)],
        range(1, 60),
    ),
    "wrapped": (
        lambda width: wrapped(LABELLED, width, 4),
        range(10, 40),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWN)
def test_lines_take_the_forms_that_are_stored_at_their_widths(name: str) -> None:
    draw, widths = DRAWN[name]
    drawn, kept = stored(f"widths-{name}", forms(draw, widths))

    assert drawn == kept


# Pages at many sizes: which parts they show, and how many lines they have.

Size = tuple[int, int]
EDGE = re.compile(r"[─═]{2,}| {2,}")
FOLLOWED = report_of(ImpactReport, answered.followed())
TOLD = answer(whole(aftermath=answered.followed()))
MANY = remedies(*PAGE_ENTRIES, *(entry(number, 10 * number) for number in range(5, 9)))
FIX = WhyAnswer(WhySubject(CLUSTER, ""), fakes.NOW, answered.OFFSET_MS, plan=MANY, aftermath=FOLLOWED)

PAGE_PAGES: dict[str, Callable[[Size], list[Fragments]]] = {
    "why": lambda size: list(why_page(TOLD, SNAPSHOT, PAGE_LOOK, size, WhyChoice()).lines),
    "why-early": lambda size: list(why_page(answer(answered.known()), SNAPSHOT, PAGE_LOOK, size, WhyChoice()).lines),
    "fix": lambda size: list(why_page(FIX, None, PAGE_LOOK, size, WhyChoice()).lines),
    "compare": lambda size: list(compare_page(view_of(comparison()), size, "").lines),
    "sweep": lambda size: list(sweep_page(swept(workers=WORKERS), size, "", 0).lines),
    "size": lambda size: list(size_page(sized(), size, "").lines),
    "alerts": lambda size: list(
        alerts_page(found_in(WITH_GRAPHS), 0, WITH_GRAPHS, ALERT_LOOK, TERMS, size, LIST).lines
    ),
    "debrief": lambda size: debrief_screen(DebriefSheet(debrief(), 3, 77), *size)[0],
    "score": lambda size: debrief_screen(DebriefSheet(debrief(), 3, 77, is_on_score=True), *size)[0],
    "preview": lambda size: preview_lines(DEADLOCK, SCENARIOS, *size),
    "remedies": lambda size: brief_of(MANY, RelativeTimeFormat(fakes.NOW, 0), *size),
}
WITHOUT_FRAMES = ("debrief", "score", "preview", "remedies")


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


@pytest.mark.parametrize("name", PAGE_PAGES)
@pytest.mark.parametrize("height", [14, 24, 50])
def test_no_line_of_a_page_is_wider_than_its_screen(name: str, height: int) -> None:
    """And where panels have frames, none is narrower."""
    for width in WIDTHS:
        found = {cell_width(line) for line in PAGE_PAGES[name]((width, height))}
        assert max(found) <= width
        assert width < FRAMED_FROM or name in WITHOUT_FRAMES or found == {width}


@pytest.mark.parametrize("name", PAGE_PAGES)
def test_a_page_shows_the_parts_that_are_stored_at_its_widths(name: str) -> None:
    drawn, kept = stored(f"parts-{name}-wide", parts(PAGE_PAGES[name], [(width, 40) for width in WIDTHS]))

    assert drawn == kept


@pytest.mark.parametrize("name", PAGE_PAGES)
@pytest.mark.parametrize("width", [80, 120])
def test_a_page_shows_the_parts_that_are_stored_at_its_heights(name: str, width: int) -> None:
    """What has no room is left out, or makes the page longer than the screen."""
    drawn, kept = stored(f"parts-{name}-{width}", parts(PAGE_PAGES[name], [(width, height) for height in range(3, 60)]))

    assert drawn == kept
