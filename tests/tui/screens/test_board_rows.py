"""Parts of the cluster screen without it: filters and marks."""

from typing import Any

import pytest

from tests.tui import fakes
from tests.tui.screens.plain_board import PlainBoard
from tui.board.board import Marks
from tui.board.finding import Filtering
from tui.panes.arrangement import SortFilter


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


# Marks


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
