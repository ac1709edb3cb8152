"""The trail: goes into what a row is made of or up to what it belongs to, and back step by step.

Every step leaves a crumb; the title of the pane gone to shows the way, and esc takes it back.
"""

from tui import format as text
from tui.render.arrangement import Arrangement
from tui.render.noun import PLOTS, Lead, into, owner
from tui.screens.board import Board, Crumb
from tui.screens.large_graph import LargeGraph


class Trail:
    """The part of the board that goes where rows lead."""

    def __init__(self, board: Board, graphs: LargeGraph) -> None:
        self._board = board
        self._graphs = graphs

    def follow(self) -> None:
        """Go into what the row is about, esc comes back; draw a series large."""
        board, pane = self._board, self._board.active
        if pane.noun.drawn == PLOTS:
            self._graphs.open()
        elif pane.headline is not None:
            board.perform(f"views.shift({1 if pane.headline.is_folded else -1})")
        elif board.state.picture is not None and pane.selected is not None:
            scope = board.arrangement(board.pane_name).scope
            self.go(into(pane.noun, pane.selected, board.state.picture, scope))

    def owner(self) -> None:
        """Go to what the row belongs to; esc comes back."""
        board, pane = self._board, self._board.active
        if board.state.picture is not None and pane.selected is not None:
            self.go(owner(pane.noun, pane.selected, board.state.picture))

    def go(self, lead: Lead | str) -> None:
        """Go where a row leads, or say why it leads nowhere."""
        board = self._board
        if isinstance(lead, str):
            board.say(lead, "information")
            return
        pane, row_id = board.pane_name, board.active.cursor_id
        view, label = board.noun(pane).view, board.noun(pane).crumb_of(row_id or "")
        if lead.view:
            board.take_view(lead.pane, lead.view)
        table = board.noun(lead.pane).table
        crumb = Crumb(pane, view, row_id, table, board.arrangement(lead.pane), lead.pane, label)
        if lead.scope is not None:
            board.state.arrangements[table] = Arrangement(scope=lead.scope)
        board.state.trail.append(crumb)
        board.choose(board.state.choice.choose(lead.pane))
        if not lead.id:
            board.active.go_to(0)
        elif not self._reveal(lead):
            self.back()
            board.say(f"{lead.id} is not there any more.")

    def _reveal(self, lead: Lead) -> bool:
        """Put the cursor on a row; a filter that hides it is dropped."""
        board = self._board
        if board.active.go_to_id(lead.id):
            return True
        if board.arrangement(lead.pane).is_plain:
            return False
        board.rearrange(lead.pane, Arrangement())
        return board.active.go_to_id(lead.id)

    def back(self) -> bool:
        """Take the last step back; False where none was taken."""
        board, trail = self._board, self._board.state.trail
        if not trail:
            return False
        crumb = trail.pop()
        board.state.arrangements[crumb.target] = crumb.arrangement
        if board.noun(crumb.pane).view != crumb.view:
            board.take_view(crumb.pane, crumb.view)
        board.choose(board.state.choice.choose(crumb.pane))
        if crumb.row_id is not None:
            _ = board.active.go_to_id(crumb.row_id)
        return True

    def back_by(self, steps: int) -> None:
        """Take some steps back."""
        for _ in range(steps):
            _ = self.back()

    def steps(self, name: str) -> list[str]:
        """The steps that lead to a pane, the first one first."""
        labels: list[str] = []
        target = name
        for crumb in reversed(self._board.state.trail if name == self._board.pane_name else []):
            if crumb.target_pane != target:
                break
            labels.insert(0, text.plain(crumb.label))
            target = crumb.pane
        return labels
