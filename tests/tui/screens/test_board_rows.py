"""Parts of the cluster screen without it: filters and marks."""

from typing import Any

import pytest

from tests.tui import fakes
from tests.tui.screens.plain_board import PlainBoard
from tui.board.board import Marks
from tui.board.finding import Filtering
from tui.panes.arrangement import NOTHING, SortFilter, parse


def _part(kind: Any, board: Any, *more: Any) -> Any:
    return kind(board, *more)


class Line:
    """A prompt that only remembers."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []
        self.opened: tuple[Any, ...] = ()
        self.closed = 0

    def open(self, *what: Any) -> None:
        self.opened = what

    def say(self, words: str, style: str = "watch") -> None:
        self.said.append((words, style))

    def close(self) -> None:
        self.closed += 1


# Filters


def test_what_is_typed_filters_at_once() -> None:
    """Beside it stands how many rows there are, or what is wrong; giving up brings back what was."""
    board, line = PlainBoard(), Line()
    filtering = _part(Filtering, board, line)
    board.rearrange("applications", SortFilter(filter=parse("user:a", board.noun("applications").criteria.fields)))
    filtering.open()
    filtering.typed("etl")
    during = board.arrangement("applications").filter.text
    filtering.typed("nosuch:1")
    wrong = line.said[-1][0]
    filtering.entered("nosuch:1")
    still_open = line.closed
    filtering.given_up()

    assert line.opened[1:3] == ("/", "user:a")
    assert (during, line.said[0]) == ("etl", ("16 rows", "faint"))
    assert (still_open, line.said[-1]) == (0, (wrong, "watch"))
    assert wrong
    assert (board.arrangement("applications").filter.text, line.closed) == ("user:a", 1)


def test_the_last_word_is_completed_to_a_field() -> None:
    board, line = PlainBoard(), Line()
    filtering = _part(Filtering, board, line)
    filtering.open()
    complete = line.opened[3]
    names = [field.name for field in board.noun("applications").criteria.fields]

    assert complete("") == [f"{name}:" for name in names]
    assert complete("etl us") == ["etl user:"]
    assert line.opened[4] == f"word, field:value, -not; {' '.join(names[:4])} ..."


@pytest.mark.parametrize(
    ("words", "place"), [("183334", 4), (" 183334 ", 4), (fakes.BIG, 12), ("18333", 0), ("", 0), ("etl", 0)]
)
def test_an_id_that_was_typed_is_gone_to(words: str, place: int) -> None:
    board = PlainBoard()
    _part(Filtering, board, Line()).entered(words)

    assert board.active.cursor_row == place


@pytest.mark.parametrize(
    ("begin", "by", "end"), [(0, 1, 12), (12, 1, 12), (13, 1, 12), (12, -1, 12), (0, -1, 12), (15, -1, 12)]
)
def test_the_next_match_is_found_round_the_end(begin: int, by: int, end: int) -> None:
    board = PlainBoard()
    filtering = _part(Filtering, board, Line())
    filtering.by("user:mining")
    board.active.go_to(begin)
    filtering.next_match(by)

    assert (board.active.cursor_row, board.said) == (end, [])


def test_without_a_filter_or_a_match_it_is_said() -> None:
    board = PlainBoard()
    filtering = _part(Filtering, board, Line())
    filtering.next_match(1)
    filtering.by("user:nobody")
    board.active.go_to(3)
    filtering.next_match(1)

    assert board.said == ["n goes to the next match: filter with / first.", "Nothing here matches user:nobody."]
    assert board.active.cursor_row == 3


def test_a_filter_is_dropped_once() -> None:
    board = PlainBoard()
    filtering = _part(Filtering, board, Line())
    steps = [filtering.drop()]
    filtering.by("etl")
    steps.append(filtering.drop())
    filtering.problems()
    steps += [board.arrangement("applications").problems, filtering.drop(), filtering.drop()]
    filtering.problems()
    filtering.problems()
    steps.append(board.arrangement("applications").problems)
    board.rearrange("applications", SortFilter(filter=parse("a", ()), scope=parse("b", ()), problems=True))
    filtering.whole()

    assert steps == [False, True, True, True, False, False]
    assert board.arrangement("applications") == SortFilter(filter=NOTHING)
    assert board.redrawn == 1


# Marks


def test_rows_are_marked_one_by_one_and_all() -> None:
    """The cursor goes down; what is marked comes in the order of the marks."""
    board = PlainBoard()
    marks = _part(Marks, board)
    board.active.go_to(3)
    marks.mark()
    after_one = (board.active.cursor_row, list(board.active.marks))
    board.active.go_to(1)
    marks.mark()
    order = [row.number for row in marks.marked()]
    board.active.go_to(3)
    marks.mark()
    one_less = [row.number for row in marks.rows()]
    marks.mark_all()

    rows = board.active.rows
    assert after_one == (4, [rows[3].id])
    assert (order, one_less) == ([rows[3].number, rows[1].number], [rows[1].number])
    assert (len(board.active.marks), board.said) == (16, ["Marked 16 rows."])
    assert (marks.drop(), board.active.marks, marks.drop()) == (True, {}, False)
    assert (marks.marked(), marks.rows()) == ([], [rows[4]])


def test_in_some_panes_nothing_is_marked() -> None:
    board = PlainBoard("events")
    marks = _part(Marks, board)
    marks.mark()
    marks.mark_all()

    assert board.said[0] == board.said[1]
    assert board.said[0].startswith("Nothing is done to many at once here; rows are marked in ")
    assert " and " in board.said[0]


def test_marks_go_with_their_rows() -> None:
    board = PlainBoard()
    marks, pane = _part(Marks, board), board.active
    rows = pane.rows
    pane.mark(["gone", rows[0].id])
    marks.check(pane, board.state.picture)
    once = list(pane.marks)
    pane.mark(["gone"])
    marks.check(pane, board.state.picture)

    assert (once, list(pane.marks)) == ([rows[0].id], [rows[0].id, "gone"])


@pytest.mark.parametrize(
    ("marked", "filtered", "words"),
    [(0, False, ""), (1, False, "1 marked"), (2, True, "2 marked"), (-1, True, "1 marked (1 hidden)")],
)
def test_marks_that_a_filter_hides_are_counted(marked: int, words: str, *, filtered: bool) -> None:
    board = PlainBoard()
    pane = board.active
    pane.mark(["hidden"] if marked < 0 else [row.id for row in pane.rows[:marked]])
    if filtered:
        board.rearrange("applications", SortFilter(problems=True))

    assert _part(Marks, board).words(pane) == words
