"""Going from pane to pane and from row to row, by keys and by clicks; one pane over the whole screen."""

from typing import Any

from tui import messages
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


class Navigation:
    """The part of the board that moves about."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def show(self, pane: str) -> None:
        """Go to a pane."""
        board = self._board
        if pane not in board.dialect.panes:
            board.refuse(f"navigation.show('{pane}')")
            return
        board.choose(board.state.choice.choose(pane))

    def next_pane(self, by: int) -> None:
        """Go to the next pane that is not hidden, or the one before; where several are on screen, only among those."""
        board = self._board
        some = set(board.dialect.panes) - board.state.choice.hidden
        if not board.plan.is_single:
            some = set(board.visible_panes)
        names = [name for name in board.dialect.panes if name in some]
        self.show(names[(names.index(board.pane_name) + by) % len(names)])

    def hide(self) -> None:
        """Give the pane's room to the others; its digit brings it back."""
        board = self._board
        title, now = board.dialect.titles[board.pane_name], board.state.choice
        choice = now.hide(board.pane_name, tuple(board.dialect.panes))
        if choice is now:
            board.say("The last pane cannot be hidden.")
            return
        board.choose(choice)
        board.say(f"Hidden: {title}. {title[0]} brings it back.", "information")

    def zoom(self) -> None:
        """Give the active pane the whole screen, or give the room back."""
        choice = self._board.state.choice
        self._board.choose(choice._replace(zoomed=not choice.zoomed))

    def end_zoom(self) -> bool:
        """Give the room back; False where the pane is not zoomed."""
        is_zoomed = self._board.state.choice.zoomed
        if is_zoomed:
            self.zoom()
        return is_zoomed

    def move(self, by: int) -> None:
        """Move the cursor."""
        self._board.active.move(by)

    def move_pages(self, by: int) -> None:
        """Move the cursor by pages."""
        self._board.active.move_pages(by)

    def first(self) -> None:
        """Go to the first row."""
        self._board.active.go_to(0)

    def last(self) -> None:
        """Go to the last row."""
        self._board.active.go_to(len(self._board.active.rows) - 1)


class ClockKeys:
    """The part of the board that drives the clock and goes through time."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def toggle_pause(self) -> None:
        """Stop the clock, or let it run."""
        _ = self._board.post_message(messages.PauseToggled())

    def step(self, unit: str) -> None:
        """Make one step."""
        _ = self._board.post_message(messages.StepRequested(unit))

    def travel(self, where: str) -> None:
        """Go through time: a step, or to a time as people write it."""
        _ = self._board.post_message(messages.TravelRequested(where))

    def change_speed(self, direction: int) -> None:
        """Run faster or slower."""
        _ = self._board.post_message(messages.SpeedChanged(direction))

    def choose_speed(self, speed: float) -> None:
        """Run at a speed; 0 is flat out."""
        _ = self._board.post_message(messages.SpeedChosen(speed))

    def to_present(self) -> bool:
        """Go back to the present; False where it is looked at already, or a trail leads elsewhere first."""
        board = self._board
        if not board.state.is_past or board.state.trail:
            return False
        self.travel("live")
        return True
