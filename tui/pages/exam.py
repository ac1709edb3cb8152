"""Draws the lines below the panes in an exam: the questions with what was answered, and the latest page."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Final, NamedTuple

from engine.training.debrief import step_words
from engine.training.drill import DrillScenario
from engine.training.score import Score
from engine.training.steps import read_record
from engine.units import span
from tui.panes.fragments import Fragments, cell_width, crop, folded
from tui.protocol.session import TraineeState
from tui.terminal import format as text
from tui.terminal.format import DOT, FRAME

PAGE_LINES: Final = 3  # So many lines of a page are shown; its key shows the rest
KEEPS_FROM: Final = 24  # On a screen of fewer lines there is one line for both
COSTS: Final = "a pause costs 1 point each 10 s; what you see may be late or wrong"

SHUT: Final = "Cause, why and remedies are shut"


class ExamQuestion(NamedTuple):
    words: str
    answer: str  # With when; empty while it is open


class PageShown(NamedTuple):
    number: int
    clock: str
    ago: str
    sender: str
    words: str
    is_read: bool


class ExamSheet(NamedTuple):
    questions: Sequence[ExamQuestion]
    pages: Sequence[PageShown]  # Oldest first
    more: str = ""  # Stands below the last row, as `76 more, longest wait first`; empty: all in sight
    cursor: int | None = None  # The question that has the keys; None while a pane has them


def exam_lines(sheet: ExamSheet, width: int, height: int) -> list[Fragments]:
    answered = sum(bool(one.answer) for one in sheet.questions)
    count = f"{answered} of {len(sheet.questions)} answered"
    unread = sum(not one.is_read for one in sheet.pages)
    news = f", {text.plural(unread, 'page')} unread" if unread else ""
    style = "accent" if sheet.cursor is not None else "line"
    title: Fragments = [("9", "bold accent"), (" Questions", "strong"), (f"  {count}", "soft")]
    if height < KEEPS_FROM:
        return [_rule([*title, (news, "watch")], "saved, not yet graded", width, style)]
    more = f"{sheet.more}. " if sheet.more else ""
    lines: list[Fragments] = [[(f"   {more}{SHUT}", "faint")], _rule(title, "saved, not yet graded", width, style)]
    lines += [_question(place, one, sheet.cursor, width) for place, one in enumerate(sheet.questions)]
    if sheet.pages:
        lines += _page(sheet.pages[-1], width)
    for page in sheet.pages[-2:-1]:
        state = ("read", "faint") if page.is_read else ("unread", "watch")
        words = f'  {page.sender}: "{page.words}"'
        lines.append(crop([(f" page {page.number}  {page.clock}  ", "faint"), state, (words, "soft")], width - 1))
    return [*lines, [(f" {COSTS}", "faint")]]


def _question(place: int, one: ExamQuestion, cursor: int | None, width: int) -> Fragments:
    is_here = place == cursor
    right: Fragments = [(one.answer or "open", "text" if one.answer else "faint")]
    if is_here:
        right = [*right, ("  enter", "bold accent"), (" answers", "soft")]
    mark = ("▌", "accent") if is_here else (" ", "text")
    room = max(10, width - cell_width(right) - 7)
    words = text.fit(one.words, room - 1).ljust(room)
    return [mark, (f"  {place + 1}  ", "soft"), (words, "strong" if is_here else "text"), *right, (" ", "text")]


def _page(page: PageShown, width: int) -> list[Fragments]:
    state = "read" if page.is_read else f"unread, {page.ago} ago"
    title: Fragments = [
        (f"Page {page.number}", "soft" if page.is_read else "bold watch"),
        (f"  {page.clock}, {state}", "soft"),
    ]
    words = [[(f" {line}", "text")] for line in folded(f'"{page.words}"', width - 2)[:PAGE_LINES]]
    head: Fragments = [(" from  ", "faint"), (page.sender, "text")]
    return [_rule(title, "I reads it, the clock runs", width, "line"), head, *words]


def _rule(title: Fragments, right: str, width: int, style: str) -> Fragments:
    edge = FRAME[0]
    has_room = cell_width(title) + len(right) + 8 < width
    end: Fragments = [(" ", style), (right, "soft"), (f" {edge}", style)] if has_room else []
    room = max(1, width - cell_width(title) - cell_width(end) - 3)
    return [(f"{edge} ", style), *title, (f" {edge * room}", style), *end]


# An instructor's view of a trainee, in lines: the screen, the score so far, the record.

HEAD = 12  # Width of the heads


class SeatSheet(NamedTuple):
    drill: DrillScenario
    trainee: TraineeState | None = None  # What is known of the trainee; None before anything is
    score: Score | None = None  # Worth if nothing more is done; None before it is known
    lost: str = ""  # Since when the connection is lost; empty while it is there
    said: str = ""  # The last sentence; empty for none


def seat_lines(sheet: SeatSheet, width: int, height: int) -> list[Fragments]:
    """The desk for a screen of this size; of the record the latest that fits."""
    lines: list[Fragments] = [_top(sheet, width), _clock(sheet), []]
    if sheet.trainee is not None:
        lines += _trainee(sheet, sheet.trainee, width)
    below: list[Fragments] = [[], [(f" {sheet.lost or sheet.said}", "alarm" if sheet.lost else "watch")]]
    room = height - len(lines) - len(below) - 2
    if sheet.trainee is not None and room > 0:
        lines += [[], [(" RECORD", "soft")]]
        for step in read_record(sheet.trainee.steps, sheet.drill.begins)[-room:]:
            words = step_words(step, sheet.drill.scenario.system)
            lines.append([(f" {'+' + span(step.at_ms):>8}  ", "faint"), (words, "text")])
    lines = lines[: max(0, height - len(below))]
    return [*lines, *([[]] * (height - len(lines) - len(below))), *below]


def _top(sheet: SeatSheet, width: int) -> Fragments:
    left: Fragments = [(" INSTRUCTOR  ", "soft"), (sheet.drill.title, "strong")]
    right = ("connection lost ", "alarm") if sheet.lost else ("connected ", "soft")
    return [*left, (" " * max(1, width - cell_width(left) - len(right[0])), "text"), right]


def _clock(sheet: SeatSheet) -> Fragments:
    trainee = sheet.trainee
    if trainee is None:
        return [(" waiting for the trainee's side", "soft")]
    state = "over" if trainee.is_over else "frozen by you" if trainee.frozen else ""
    state = state or ("" if trainee.has_begun else "the brief is being read")
    times = f" +{span(trainee.at_ms)}, {text.duration(max(0, trainee.left_ms))} left"
    return [(times, "strong"), (f"   {state}" if state else "", "watch")]


def _trainee(sheet: SeatSheet, trainee: TraineeState, width: int) -> list[Fragments]:
    screen, drill = trainee.screen, sheet.drill.drill
    where = f"{screen.pane.capitalize()}{f', {screen.selected}' if screen.selected else ''}"
    words = f"  filter {screen.words}" if screen.words else ""
    asked = [f"{each.asks}: {', '.join(trainee.answers.get(each.asks, ('-',)))}" for each in drill.all_questions()]
    unread = f"   {text.plural(trainee.unread, 'message')} not opened" if trainee.unread else ""
    parts = {
        "LOOKS AT": where + words,
        "ON TOP": screen.name,
        "KEYS": " ".join(screen.keys),
        "ANSWERS": f" {DOT} ".join(asked),
        "HINTS": f"{trainee.hints} of {len(drill.hints)}{unread}",
        "SCORE": "shut up to the end of the exam" if sheet.drill.is_exam else _score(sheet.score),
    }
    return [line for head, said in parts.items() for line in _lines(head, said or "-", width)]


def _lines(head: str, words: str, width: int) -> list[Fragments]:
    wrapped = wrap(words, max(20, width - HEAD - 2))
    return [[(f" {head if not row else '':{HEAD}}", "soft"), (line, "text")] for row, line in enumerate(wrapped)]


def _score(score: Score | None) -> str:
    if score is None:
        return "not known yet"
    solved = "not solved yet" if score.solved_ms is None else f"solved in {span(score.solved_ms)}"
    parts = [f"{line.what} {line.points:g}" for line in score.lines if line.points]
    return f"{score.total} of 100 if nothing more is done, {solved}: {', '.join(parts) or 'nothing'}"
