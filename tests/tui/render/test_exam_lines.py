"""The lines below the panes in an exam: the questions, what was answered, and the latest page."""

import pytest

from tests.tui.render.drawing import stored
from tui.pages.exam import ExamQuestion, ExamSheet, PageShown, exam_lines

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
