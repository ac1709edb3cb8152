"""Clicks on a pane that do more than move the cursor: on its frame, on its head line, on a row twice."""

from typing import Any

from tui.render.pointing import column_at, field_of
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
        title = column_at(pane.placed, cell)
        name = field_of(title, [field.name for field in pane.noun.criteria.sortable])
        if name:
            self._board.perform(f"sorting.by({name!r})")
        elif title:
            self._board.say(f"{title} is nothing to sort by.", "information")
