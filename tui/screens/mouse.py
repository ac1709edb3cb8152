"""Clicks on a pane that do more than move the cursor: on its title, on its head line, on a row twice."""

from typing import Any

from tui.render.pointing import column_at, field_of
from tui.screens.board import Board
from tui.screens.pane_feed import PaneFeed
from tui.screens.trail import Trail
from tui.widgets.pane import RowPane


class Mouse:
    """The part of the board that clicks on panes go to."""

    def __init__(self, board: Board, feed: PaneFeed, trail: Trail) -> None:
        self._board, self._feed, self._trail = board, feed, trail

    def clicked(self, event: RowPane.PaneClicked) -> None:
        """Sort by a column, go back along the trail, zoom, or go into a row."""
        if event.pane is not self._board.active:
            return
        if event.what == "head":
            self._sort_by_head(event.pane, event.cell)
        elif event.what == "title":
            self._go_by_title(event.cell, event.times)
        else:
            self._board.perform("trail.follow")

    def _sort_by_head(self, pane: RowPane[Any], cell: int) -> None:
        title = column_at(pane.placed, cell)
        name = field_of(title, [field.name for field in pane.noun.criteria.sortable])
        if name:
            self._board.perform(f"sorting.by({name!r})")
        elif title:
            self._board.say(f"{title} is nothing to sort by.", "information")

    def _go_by_title(self, cell: int, times: int) -> None:
        """Back to where a step of the trail was left; zoom by two clicks."""
        steps = self._trail.steps_back(self._feed.title_of(self._board.pane_name), cell)
        for _ in range(steps):
            _ = self._trail.back()
        if not steps and times == 2:
            self._board.perform("navigation.zoom")
