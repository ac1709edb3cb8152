"""Clicks on a pane that do more than move the cursor: on its frame, on its head line, on a row twice."""

from typing import Any

from tui.render.table import column_at
from tui.screens.board import Board
from tui.widgets.pane import RowPane
from tui.widgets.pane_frames import PaneFrames


class Mouse:
    """The part of the board that clicks on panes go to."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def edge_clicked(self, event: PaneFrames.EdgeClicked) -> None:
        """Go to the pane; zoom by two clicks."""
        board = self._board
        if event.name not in board.dialect.panes:
            return
        if event.name != board.pane_name:
            board.choose(board.state.choice.choose(event.name))
        if event.times == 2:
            board.perform("navigation.zoom")

    def clicked(self, event: RowPane.PaneClicked) -> None:
        """Sort by a column, or go into a row."""
        if event.pane is not self._board.active:
            return
        if event.what == "head":
            self._sort_by_head(event.pane, event.cell)
        else:
            self._board.perform("trail.follow")

    def _sort_by_head(self, pane: RowPane[Any], cell: int) -> None:
        column = column_at(pane.placed, cell)
        if column is not None and column.sorts:
            self._board.perform(f"sorting.by({column.sorts!r})")
        elif column is not None and column.title:
            self._board.say(f"{column.title} is nothing to sort by.", "information")
