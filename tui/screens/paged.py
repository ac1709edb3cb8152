"""Shared parts of screens that are one page of panels: their parts, their keys, and how hints are drawn."""

from collections.abc import Sequence
from typing import Any, Final

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from tui.glyphs import CUT
from tui.render.footer import STAYS, FooterKey, footer
from tui.widgets.bars import ActionBar, Clickable
from tui.widgets.lines import Lines
from tui.widgets.scrolled_page import ScrolledPage

PAGE_KEYS: Final[list[BindingType]] = [
    Binding("down,j", "move(1)", "down", show=False),
    Binding("up,k", "move(-1)", "up", show=False),
    Binding("pagedown,space", "page(1)", "page down", show=False),
    Binding("pageup", "page(-1)", "page up", show=False),
    Binding("home,g", "end(False)", "first", show=False),
    Binding("end,G", "end(True)", "last", show=False),
]
"""Keys that go through the page."""


class Paged(Screen[Any]):
    """A screen with a head, a page and hints; arranged anew for every size."""

    def __init__(self, styles: dict[str, Style], *, ascii_only: bool = False) -> None:
        super().__init__(classes="-ascii" if ascii_only else "")
        self._styles_by_name = styles

    def compose(self) -> ComposeResult:
        """Show what it is about, the page, hints."""
        yield Lines(self._styles_by_name, id="head", mark=CUT)
        yield ScrolledPage(self._styles_by_name, id="page")
        yield ActionBar(self._styles_by_name, id="hints")

    def on_mount(self) -> None:
        """Give the page the keys."""
        self.page.focus(scroll_visible=False)

    def on_resize(self) -> None:
        """Arrange for this size."""
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        """Draw everything for the size there is."""

    @property
    def page(self) -> ScrolledPage:
        """The page, whose cursor goes from stop to stop."""
        return self.query_one(ScrolledPage)

    def show_keys(self, groups: Sequence[Sequence[FooterKey]], leave: str = "back") -> None:
        """Name the keys that work now; `leave` says what esc does."""
        parts = footer(groups, FooterKey("esc", leave, "leave", STAYS), max(40, self.size.width))
        items = [Clickable(tuple(spans), call or "nothing") for spans, call in parts]
        self.query_one("#hints", ActionBar).show_items(items, gap=0)

    def action_move(self, by: int) -> None:
        """Go to the next stop, or scroll."""
        self.page.move(by)

    def action_page(self, by: int) -> None:
        """Scroll by a page."""
        self.page.move_pages(by)

    def action_end(self, last: bool) -> None:
        """Go to the beginning or the end."""
        self.page.go_to_end(last=last)

    def action_nothing(self) -> None:
        """A sentence was clicked."""
