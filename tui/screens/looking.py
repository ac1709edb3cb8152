"""The keys that look around on the board: from pane to pane, from row to row, the whole screen for one."""

from textual import on

from tui import export, messages
from tui.screens.board import Board
from tui.widgets.pane import RowPane


class LookingBoard(Board):
    """A board with keys."""

    def action_show_pane(self, name: str) -> None:
        """Go to a pane."""
        if name not in self.dialect.nouns:
            self.refuse(f"show_pane('{name}')")
            return
        self._look_at(self._wish.choose(name))

    def action_next_pane(self, by: int) -> None:
        """Go to the next pane that is not hidden, or the one before; where several are on screen, only among those."""
        some = set(self.dialect.titles) - self._wish.hidden
        if len(self._plan.bands) > 1:
            some = set(self.visible_panes)
        names = [name for name in self.dialect.titles if name in some]
        self.action_show_pane(names[(names.index(self._wish.pane) + by) % len(names)])

    def action_hide_pane(self) -> None:
        """Give the pane's room to the others; its digit brings it back."""
        title = self.dialect.titles[self._wish.pane]
        wish = self._wish.hide(self._wish.pane, tuple(self.dialect.titles))
        if wish is self._wish:
            self.post_message(messages.Noticed("The last pane stays.", "warning"))
            return
        self._look_at(wish)
        self.post_message(messages.Noticed(f"Hidden: {title}. {title[0]} brings it back."))

    def action_move_rows(self, by: int) -> None:
        """Move the cursor."""
        self.active.move(by)

    def action_move_pages(self, by: int) -> None:
        """Move the cursor by pages."""
        self.active.move_pages(by)

    def action_go_first(self) -> None:
        """Go to the first row."""
        self.active.go_to(0)

    def action_go_last(self) -> None:
        """Go to the last row."""
        self.active.go_to(len(self.active.rows) - 1)

    def action_shift(self, by: int) -> None:
        """Scroll the last column sideways."""
        self.active.shift(by)

    def action_zoom(self) -> None:
        """Give the active pane the whole screen, or give the room back."""
        self._look_at(self._wish._replace(zoomed=not self._wish.zoomed))

    def action_leave(self) -> None:
        """End zoom."""
        if self._wish.zoomed:
            self.action_zoom()

    def action_save_screen(self) -> None:
        """Save what is to be seen."""
        if self.picture is not None:
            lines = [strip.text.rstrip() for strip in self._compositor.render_strips()]
            files = {"svg": self.app.export_screenshot(), "txt": "\n".join(lines) + "\n"}
            self.post_message(messages.SaveRequested(export.stem(self.picture, "screen"), files))

    def action_leave_program(self) -> None:
        """Quit."""
        self.app.exit()

    @on(RowPane.CursorMoved)
    def _cursor_moved(self, event: RowPane.CursorMoved) -> None:
        pane = event.pane
        if pane.has_focus and pane.noun.name != self._wish.pane:
            self.action_show_pane(pane.noun.name)
        elif pane is self.active:
            self._show_detail()
