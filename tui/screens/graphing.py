"""Graphs on the board: what was, series by series, in a window of time that the user chooses.

Nothing here changes a cluster.
"""

from collections.abc import Sequence
from typing import Any

from tui.render.arrangement import Arrangement
from tui.render.trace import WINDOWS, next_window, traces, window_words
from tui.screens.inspecting import InspectingBoard
from tui.screens.large_graph import GraphScreen, Left
from tui.screens.menu import Choice, MenuScreen
from tui.view_state import Picture

GRAPHS = "graphs"
"""Name of the pane."""


class GraphingBoard(InspectingBoard):
    """A board that also draws what was."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._length_ms: int | None = WINDOWS[0]
        self._large: GraphScreen | None = None

    def show(self, picture: Picture) -> None:
        """Draw a picture, or have it drawn by the large graph in front of the board."""
        if self._large is None:
            super().show(picture)
        else:
            self.picture = picture
            self._large.show(picture)

    def narrowed(self, name: str, picture: Picture, arrangement: Arrangement) -> tuple[Sequence[Any], Arrangement]:
        """The rows a pane draws, of graphs one for each series, and what is still to be done with them."""
        if name != GRAPHS:
            return super().narrowed(name, picture, arrangement)
        if picture.graphs is None:
            return (), arrangement
        return traces(picture.graphs, picture.snapshot.header.time_ms, self._length_ms), arrangement

    def version_of(self, name: str, picture: Picture) -> object:
        """What changes when the rows of a pane do; a window moves with the time."""
        if name != GRAPHS:
            return super().version_of(name, picture)
        noted = picture.graphs.history.cluster.count if picture.graphs is not None else 0
        return picture.snapshot.header.time_ms, self._length_ms, noted

    def _count_title(self, name: str, picture: Picture) -> str:
        if name != GRAPHS:
            return super()._count_title(name, picture)
        return f"{self.dialect.titles[name]} {window_words(self._length_ms)}"

    # The window

    def action_choose_window(self, length_ms: int) -> None:
        """Show so much of the time before now [ms]; 0 is all of it."""
        self._length_ms = length_ms or None
        self.redraw()

    def action_sort_column(self, by: int) -> None:
        """Of graphs a longer window, or a shorter one; else sort by the next field, or the one before."""
        if self.pane_name == GRAPHS:
            self.action_choose_window(next_window(self._length_ms, by) or 0)
        else:
            super().action_sort_column(by)

    def action_sort_menu(self) -> None:
        """Of graphs choose the window, else what to sort by."""
        if self.pane_name != GRAPHS:
            super().action_sort_menu()
            return
        some = [Choice(str(n), window_words(length), str(length or 0)) for n, length in enumerate(WINDOWS, start=1)]

        def chosen(length_ms: str | None) -> None:
            if length_ms is not None:
                self.action_choose_window(int(length_ms))

        _ = self.app.push_screen(MenuScreen("How much of the time", some, ascii_only=self._ascii), chosen)

    # One series, large

    def action_follow(self) -> None:
        """Of graphs draw the series over the whole screen, else go into what the row is about."""
        if self.pane_name != GRAPHS:
            super().action_follow()
        elif self.picture is not None and self.active.selected is not None:
            at = Left(self.active.selected.key, self._length_ms)
            self._large = GraphScreen(
                self.picture, at, self._styles_by_name, self.look, registry=self._registry, ascii_only=self._ascii
            )
            _ = self.app.push_screen(self._large, self._left)

    def _left(self, at: Left | None) -> None:
        self._large = None
        if at is not None:
            self._length_ms = at.length_ms
        self.redraw()
        if at is not None:
            _ = self.active.go_to_id(at.key)
