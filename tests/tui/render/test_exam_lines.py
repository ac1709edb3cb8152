"""The lines below the panes in an exam: the questions, what was answered, and the latest page."""

import pytest

from tests.tui.render.drawing import stored
from tui.render.exam import COSTS, SHUT, ExamQuestion, ExamSheet, PageShown, exam_lines
from tui.render.line import flat, length

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
    """One line for all on a low screen; else each question, the latest page and the one before it."""
    drawn, kept = stored(f"exam-{name}", exam_lines(sheet, width, height))

    assert drawn == kept


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("height", [23, 24])
def test_no_line_is_wider_than_the_screen(width: int, height: int) -> None:
    """The fixed sentences need 72 cells."""
    lines = exam_lines(ExamSheet(QUESTIONS, PAGES, cursor=1), width, height)

    assert all(length(line) <= width or flat(line).strip() in {COSTS, f"{SHUT}"} for line in lines)


@pytest.mark.parametrize(("width", "has_words"), [(57, False), (58, True)])
def test_a_rule_says_what_stands_at_its_right_where_there_is_room(width: int, has_words: bool) -> None:
    """Title and words with eight cells between them."""
    rule = exam_lines(ExamSheet(QUESTIONS, ()), width, 24)[1]

    assert flat(rule).startswith("─ 9 Questions  1 of 2 answered ─")
    assert ("saved, not yet graded" in flat(rule)) is has_words
    assert length(rule) == width
