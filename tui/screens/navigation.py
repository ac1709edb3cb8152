"""Going from pane to pane and from row to row, by keys and by clicks; one pane over the whole screen."""

from tui.board.board import BoardScreen, Crumb
from tui.panes.arrangement import SortFilter
from tui.panes.pane_view import PLOTS, NavigationTarget, into, owner
from tui.protocol import messages
from tui.screens.large_graph import LargeGraph
from tui.terminal import format as text


class Navigation:
    def __init__(self, board: BoardScreen) -> None:
        self._board = board

    def show(self, pane: str) -> None:
        board = self._board
        if pane not in board.dialect.panes:
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
        board = self._board
        title, now = board.dialect.titles[board.pane_name], board.state.choice
        choice = now.hide(board.pane_name, tuple(board.dialect.panes))
        if choice is now:
            board.say("The last pane cannot be hidden.")
            return
        board.choose(choice)
        board.say(f"Hidden: {title}. {title[0]} brings it back.", "information")

    def zoom(self) -> None:
        choice = self._board.state.choice
        self._board.choose(choice._replace(zoomed=not choice.zoomed))

    def end_zoom(self) -> bool:
        is_zoomed = self._board.state.choice.zoomed
        if is_zoomed:
            self.zoom()
        return is_zoomed

    def to_present(self) -> bool:
        """Go back to the present; False where it is looked at already, or a trail leads elsewhere first."""
        board = self._board
        if not board.state.is_past or board.state.trail:
            return False
        _ = board.post_message(messages.AppCalled("clock.travel", "live"))
        return True

    def move(self, by: int) -> None:
        self._board.active.move(by)

    def move_pages(self, by: int) -> None:
        self._board.active.move_pages(by)

    def first(self) -> None:
        self._board.active.go_to(0)

    def last(self) -> None:
        self._board.active.go_to(len(self._board.active.rows) - 1)


class Trail:
    """Goes into what a row is made of or up to what it belongs to; each step leaves a crumb, by which esc goes back."""

    def __init__(self, board: BoardScreen, graphs: LargeGraph) -> None:
        self._board = board
        self._graphs = graphs

    def follow(self) -> None:
        board, pane = self._board, self._board.active
        if pane.view.layout_mode == PLOTS:
            self._graphs.open()
        elif pane.headline is not None:
            board.perform(f"views.shift({1 if pane.headline.is_folded else -1})")
        elif pane.selected is not None:
            scope = board.arrangement(board.pane_name).scope
            self.go(into(pane.view, pane.selected, board.state.picture, scope))

    def owner(self) -> None:
        board, pane = self._board, self._board.active
        if pane.selected is not None:
            self.go(owner(pane.view, pane.selected, board.state.picture))

    def go(self, lead: NavigationTarget | str) -> None:
        board = self._board
        if isinstance(lead, str):
            board.say(lead, "information")
            return
        pane, row_id = board.pane_name, board.active.cursor.id
        variant, label = board.view(pane).variant, board.view(pane).crumb_of(row_id or "")
        if lead.variant:
            board.take_view(lead.pane, lead.variant)
        table = board.view(lead.pane).table
        crumb = Crumb(pane, variant, row_id, table, board.arrangement(lead.pane), lead.pane, label)
        if lead.scope is not None:
            board.state.arrangements[table] = SortFilter(scope=lead.scope)
        board.state.trail.append(crumb)
        board.choose(board.state.choice.choose(lead.pane))
        if not lead.id:
            board.active.go_to(0)
        elif not self._reveal(lead):
            self.back()
            board.say(f"{lead.id} is not there any more.")

    def _reveal(self, lead: NavigationTarget) -> bool:
        board = self._board
        if board.active.go_to_id(lead.id):
            return True
        if board.arrangement(lead.pane).is_plain:
            return False
        board.rearrange(lead.pane, SortFilter())
        return board.active.go_to_id(lead.id)

    def back(self) -> bool:
        board, trail = self._board, self._board.state.trail
        if not trail:
            return False
        crumb = trail.pop()
        board.state.arrangements[crumb.target] = crumb.arrangement
        if board.view(crumb.pane).variant != crumb.variant:
            board.take_view(crumb.pane, crumb.variant)
        board.choose(board.state.choice.choose(crumb.pane))
        if crumb.row_id is not None:
            _ = board.active.go_to_id(crumb.row_id)
        return True

    def back_by(self, steps: int) -> None:
        for _ in range(steps):
            _ = self.back()

    def steps(self, name: str) -> list[str]:
        labels: list[str] = []
        target = name
        for crumb in reversed(self._board.state.trail if name == self._board.pane_name else []):
            if crumb.target_pane != target:
                break
            labels.insert(0, text.plain(crumb.label))
            target = crumb.pane
        return labels
