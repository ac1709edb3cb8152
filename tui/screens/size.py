"""The screen of a size: what was tried, live while it is searched, and the answer."""

from typing import ClassVar

from rich.style import Style
from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message

from tui.glyphs import CRUMB, CUT
from tui.render.footer import FooterKey
from tui.render.line import Spans, crop, opposite
from tui.render.size_page import PARTS_OF_SIZE, SizeView, answer_words, size_page
from tui.screens.closing import ClosesOnce
from tui.screens.paged import PAGE_KEYS, Paged
from tui.widgets.lines import Lines
from tui.widgets.scrolled_page import ScrolledPage


class SizeChanged(Message):
    """More is found; None where the search failed."""

    def __init__(self, view: SizeView | None) -> None:
        super().__init__()
        self.view = view


class SizeScreen(Paged, ClosesOnce[int]):
    """Steps, strains and curve; its answer is the size to open, None to leave."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    SizeScreen { layout: vertical; }
    SizeScreen #head { height: 3; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *PAGE_KEYS,
        *(Binding(str(place), f"part({name!r})", name, show=False) for place, name in enumerate(PARTS_OF_SIZE, 1)),
        Binding("enter", "open", "open", show=False),
        Binding("escape,q,backspace,ctrl+c", "leave", "back", show=False),
    ]

    def __init__(self, view: SizeView, styles: dict[str, Style], *, ascii_only: bool = False) -> None:
        """Show what there is."""
        super().__init__(styles, ascii_only=ascii_only)
        self._view, self._part = view, ""

    @on(SizeChanged)
    def _take(self, event: SizeChanged) -> None:
        if event.view is None:
            _ = self.dismiss(None)
            return
        self._view = event.view
        self._show()

    def _show(self) -> None:
        width, view = self.size.width, self._view
        left: Spans = [(f" Runs {CRUMB} ", "soft"), ("size", "strong"), (f" {view.name}", "soft")]
        right: Spans = [("kept in ", "soft"), (f"{view.file} ", "text")] if view.file else []
        style = "strong" if view.sizing.answer is not None or view.is_running else "watch"
        lines = [opposite(left, right, width), [(" ", "text"), (answer_words(view), style)]]
        self.query_one("#head", Lines).show_lines([crop(line, width, CUT) for line in lines])
        self.page.show(size_page(view, (self.page.size.width or width, self.page.size.height), self._part))
        keys = [
            FooterKey("j k", "step", "move(1)", 3),
            FooterKey("enter", "open", "open", 1),
            FooterKey("1-3", "part", "next_part", 2),
        ]
        self.show_keys((keys,), "stop" if view.is_running and not self._part else "back")

    def action_next_part(self) -> None:
        """Show the next part."""
        place = PARTS_OF_SIZE.index(self._part or PARTS_OF_SIZE[0])
        self.action_part(PARTS_OF_SIZE[(place + 1) % len(PARTS_OF_SIZE)])

    def action_part(self, part: str) -> None:
        """Show one part alone; once more, all of them."""
        self._part = "" if part == self._part else part
        self._show()

    @on(ScrolledPage.Followed)
    def action_open(self) -> None:
        """Open the size under the cursor as a scenario; the search goes on meanwhile."""
        if self.page.link is None:
            self.answer("no size is played yet")
        else:
            _ = self.dismiss(int(self.page.link.key))

    def action_leave(self) -> None:
        """Go back: from one part to all of them, then out, which ends the search."""
        if self._part:
            self.action_part(self._part)
        else:
            _ = self.dismiss(None)
