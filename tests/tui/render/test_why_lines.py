"""The lines over the answer to why, from answers made by hand."""

from typing import Any

import msgspec
import pytest

from engine.explain.answer import RemediesReport, WhyReport
from engine.observe.mr1_snapshot import JobRow
from tests.tui import answered, fakes
from tests.tui.render.dialect_pictures import job, mapreduce1
from tests.tui.render.drawing import stored
from tests.tui.render.helped import remedies
from tui.pages.exam import ExamQuestion, ExamSheet, PageShown, exam_lines
from tui.pages.remedy_table import HELPS, brief_rows
from tui.pages.why import limit_rows, task_rows
from tui.pages.why_head import head_lines
from tui.pages.why_parts import remedies_panel
from tui.panes.header import DEAD, Health
from tui.panes.line import Fragments, RenderContext, flat, length
from tui.protocol.picture import WhyAnswer, WhySubject
from tui.terminal.format import RelativeTimeFormat

FROZEN = Health(DEAD, "FROZEN", "183354 holds 11 of 12 nodes", fakes.NOW - 60_000)
LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384))


def head(answer: WhyAnswer, *trail: WhySubject, width: int = 120) -> list[str]:
    return [flat(line) for line in head_lines(answer, trail, LOOK, width, state="paused", health=FROZEN)]


@pytest.mark.parametrize(
    ("verdict", "state", "badge"),
    [
        ("deadlocked", "ACCEPTED", "■ NEVER STARTS "),
        ("blocked", "RUNNING", "■ NEVER SERVED "),
        ("starving", "RUNNING", "▲ OTHERS FIRST "),
        ("none", "RUNNING", "● NOT WAITING "),
    ],
)
def test_the_verdict_is_a_badge(verdict: str, state: str, badge: str) -> None:
    document = answered.deadlocked()
    document = {**document, "verdict": verdict, "application": {**document["application"], "state": state}}
    document["proof"] = {**document["proof"], "over": answered.AT}

    assert badge in head(answered.answer_of(WhySubject("application", "183354"), document))[1]


def test_no_width_makes_a_line_longer_than_it() -> None:
    answer = answered.answer_of(WhySubject("application", "183354"), answered.deadlocked())

    for width in range(60, 200):
        assert [length([(line, "")]) <= width for line in head(answer, width=width)] == [True, True, True, True], width


# The lines below the panes in an exam: the questions, what was answered, and the latest page.

LONG = "The report that is due at noon has not begun, and nobody here knows why it takes so long today. " * 3
QUESTIONS = (
    ExamQuestion("Is there a fault?", "yes, at 09:12"),
    ExamQuestion("Who or what is to blame? Name the application, the queue or the node that holds all up.", ""),
)
PAGES = (
    PageShown(1, "09:05", "9m", "the desk", "It is slow.", True),
    PageShown(2, "09:10", "4m", "ann", "Mine waits.", False),
    PageShown(3, "09:13", "1m", "the night shift", LONG, False),
)


@pytest.mark.parametrize(
    ("name", "sheet", "width", "height"),
    [
        ("two", ExamSheet(QUESTIONS, PAGES[:2], "76 more, longest wait first", 1), 120, 40),
        ("long", ExamSheet(QUESTIONS, PAGES, cursor=0), 80, 24),
        ("read", ExamSheet(QUESTIONS, PAGES[:1]), 100, 24),
        ("none", ExamSheet(QUESTIONS, ()), 60, 24),
        ("low", ExamSheet(QUESTIONS, PAGES), 80, 23),
        ("low-read", ExamSheet(QUESTIONS, PAGES[:1], cursor=1), 50, 23),
    ],
)
def test_the_lines_of_an_exam_are_drawn_as_they_are_stored(
    name: str, sheet: ExamSheet, width: int, height: int
) -> None:
    drawn, kept = stored(f"exam-{name}", exam_lines(sheet, width, height))

    assert drawn == kept


# Remedies in lists: their order, their columns, the strip, the way back.

BIG = WhySubject("application", "183354")
DAY = RelativeTimeFormat(fakes.NOW, 8 * 3_600_000)


def answer(found: RemediesReport) -> WhyAnswer:
    told = answered.answer_of(BIG, answered.deadlocked())
    assert told.why is not None
    return msgspec.structs.replace(told, why=msgspec.structs.replace(told.why, would_help=found))


def _panel_lines(rows: Any) -> list[Fragments]:
    return [row.spans for row in rows]


@pytest.mark.parametrize("width", [76, 99, 100, 118, 123, 124, 180])
def test_remedies_are_listed_as_they_are_stored(width: int) -> None:
    panel = remedies_panel(answer(remedies()), None, LOOK, width, is_open=True)
    drawn, kept = stored(f"remedies-{width}", [panel.title, [(panel.right, "soft")], *_panel_lines(panel.rows)])

    assert panel.part == HELPS
    assert drawn == kept


@pytest.mark.parametrize("width", [60, 110])
def test_the_strip_lists_remedies_as_they_are_stored(width: int) -> None:
    drawn, kept = stored(f"remedies-brief-{width}", brief_rows(remedies(), DAY, width, 9))

    assert drawn == kept


# Why the tasks of a job wait: its kinds, its starts, and each limit with its figures.

SNAPSHOT = mapreduce1().snapshot


def report(code: str = "DOES_NOT_FIT", number: int = 22, starts: tuple[str | None, ...] = (None,)) -> WhyReport:
    document = answered.known()
    ask = document["application"]["asks"][0]
    asks = [{**ask, "priority": kind, "expected_start": at} for kind, at in enumerate(starts)]
    document["application"] = {**document["application"], "id": f"job_1_{number:04d}", "asks": asks}
    document["reasons"] = [answered.reason(code=code, sentence="so it is")] if code else []
    found = answered.answer_of(WhySubject("application", str(number)), document).why
    assert found is not None
    return found


SOON = "2017-11-11T09:02:00.000+08:00"


@pytest.mark.parametrize(
    ("name", "row", "why", "width"),
    [
        ("maps", job(22, (4, 3, 9), (0, 0, 3)), report(starts=(SOON, SOON)), 90),
        ("reduces", job(18, (0, 64, 64), (12, 8, 60)), report("QUEUE_OVER_MAXIMUM", 18, (SOON, SOON)), 90),
        ("turn", job(18, (0, 9, 9), (0, 0, 4)), report("", 18), 60),
        ("other", job(18, (0, 9, 9), (0, 4, 4)), report("SOMETHING", 18, (None, None)), 30),
        ("none", job(18, (0, 0, 0), (0, 0, 1)), report("USER_OVER_LIMIT", 18, (None, SOON)), 90),
    ],
)
def test_tasks_and_limits_are_drawn_as_they_are_stored(name: str, row: JobRow, why: WhyReport, width: int) -> None:
    lines: list[Fragments] = [each.spans for each in task_rows(why, row, DAY, width)]
    lines += [each.spans for each in limit_rows(why, row, SNAPSHOT, width)]
    drawn, kept = stored(f"tasks-{name}", lines)

    assert drawn == kept
