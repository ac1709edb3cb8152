"""Draws the lines below the panes in an exam: the questions with what was answered, and the latest page."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tui import format as text
from tui.glyphs import FRAME
from tui.render.line import Spans, crop, folded, length

PAGE_LINES: Final = 3
"""So many lines of a page are shown; its key shows the rest."""
KEEPS_FROM: Final = 24
"""On a screen of fewer lines there is one line for both."""
COSTS: Final = "a pause costs 1 point each 10 s; what you see may be late or wrong"

SHUT: Final = "Cause, why and remedies are shut"


class ExamQuestion(NamedTuple):
    """A question, and what was answered."""

    words: str
    answer: str
    """With when; empty while it is open."""


class PageShown(NamedTuple):
    """A page that has come."""

    number: int
    clock: str
    ago: str
    sender: str
    words: str
    is_read: bool


class ExamSheet(NamedTuple):
    """Everything the lines are drawn from."""

    questions: Sequence[ExamQuestion]
    pages: Sequence[PageShown]
    """Oldest first."""
    more: str = ""
    """What stands below the last row of the pane, as `76 more, longest wait first`; empty where all are in sight."""
    cursor: int | None = None
    """The question that has the keys; None while a pane has them."""


def exam_lines(sheet: ExamSheet, width: int, height: int) -> list[Spans]:
    """The lines on a screen of this size."""
    answered = sum(bool(one.answer) for one in sheet.questions)
    count = f"{answered} of {len(sheet.questions)} answered"
    unread = sum(not one.is_read for one in sheet.pages)
    news = f", {text.plural(unread, 'page')} unread" if unread else ""
    style = "accent" if sheet.cursor is not None else "line"
    title: Spans = [("9", "bold accent"), (" Questions", "strong"), (f"  {count}", "soft")]
    if height < KEEPS_FROM:
        return [_rule([*title, (news, "watch")], "saved, not yet graded", width, style)]
    more = f"{sheet.more}. " if sheet.more else ""
    lines: list[Spans] = [[(f"   {more}{SHUT}", "faint")], _rule(title, "saved, not yet graded", width, style)]
    lines += [_question(place, one, sheet.cursor, width) for place, one in enumerate(sheet.questions)]
    if sheet.pages:
        lines += _page(sheet.pages[-1], width)
    for page in sheet.pages[-2:-1]:
        state = ("read", "faint") if page.is_read else ("unread", "watch")
        words = f'  {page.sender}: "{page.words}"'
        lines.append(crop([(f" page {page.number}  {page.clock}  ", "faint"), state, (words, "soft")], width - 1))
    return [*lines, [(f" {COSTS}", "faint")]]


def _question(place: int, one: ExamQuestion, cursor: int | None, width: int) -> Spans:
    is_here = place == cursor
    right: Spans = [(one.answer or "open", "text" if one.answer else "faint")]
    if is_here:
        right = [*right, ("  enter", "bold accent"), (" answers", "soft")]
    mark = ("▌", "accent") if is_here else (" ", "text")
    room = max(10, width - length(right) - 7)
    words = text.fit(one.words, room - 1).ljust(room)
    return [mark, (f"  {place + 1}  ", "soft"), (words, "strong" if is_here else "text"), *right, (" ", "text")]


def _page(page: PageShown, width: int) -> list[Spans]:
    state = "read" if page.is_read else f"unread, {page.ago} ago"
    title: Spans = [
        (f"Page {page.number}", "soft" if page.is_read else "bold watch"),
        (f"  {page.clock}, {state}", "soft"),
    ]
    words = [[(f" {line}", "text")] for line in folded(f'"{page.words}"', width - 2)[:PAGE_LINES]]
    head: Spans = [(" from  ", "faint"), (page.sender, "text")]
    return [_rule(title, "I reads it, the clock runs", width, "line"), head, *words]


def _rule(title: Spans, right: str, width: int, style: str) -> Spans:
    edge = FRAME[0]
    has_room = length(title) + len(right) + 8 < width
    end: Spans = [(" ", style), (right, "soft"), (f" {edge}", style)] if has_room else []
    room = max(1, width - length(title) - length(end) - 3)
    return [(f"{edge} ", style), *title, (f" {edge * room}", style), *end]
