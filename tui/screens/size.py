"""The screen of a size that was found."""

from typing import ClassVar

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui.glyphs import CRUMB, CUT
from tui.render.footer import STAYS, FooterKey, footer
from tui.render.line import Spans, crop, opposite
from tui.render.size_page import PARTS_OF_SIZE, SizeView, answer_words, size_page
from tui.screens.closing import ClosesOnce
from tui.widgets.bars import ActionBar, Clickable
from tui.widgets.lines import Lines
from tui.widgets.scrolled_page import ScrolledPage


class SizeScreen(ClosesOnce[int]):
    """Steps, strains and curve; its answer is the size to open, None to leave."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    SizeScreen { layout: vertical; }
    SizeScreen #head { height: 3; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "down", show=False),
        Binding("up,k", "move(-1)", "up", show=False),
        *(Binding(str(place), f"part({name!r})", name, show=False) for place, name in enumerate(PARTS_OF_SIZE, 1)),
        Binding("enter", "open", "open", show=False),
        Binding("escape,q,backspace,ctrl+c", "leave", "back", show=False),
    ]

    def __init__(self, view: SizeView, styles: dict[str, Style], *, ascii_only: bool = False) -> None:
        super().__init__(classes="-ascii" if ascii_only else "")
        self._styles_by_name, self._view, self._part = styles, view, ""

    def compose(self) -> ComposeResult:
        """What was found, the page, hints."""
        yield Lines(self._styles_by_name, id="head", mark=CUT)
        yield ScrolledPage(self._styles_by_name, id="page")
        yield ActionBar(self._styles_by_name, id="hints")

    def on_mount(self) -> None:
        """Take the keys."""
        self.page.focus(scroll_visible=False)

    def on_resize(self) -> None:
        """Arrange for this size."""
        self.call_after_refresh(self._show)

    @property
    def page(self) -> ScrolledPage:
        """The parts."""
        return self.query_one(ScrolledPage)

    def _show(self) -> None:
        width, view = self.size.width, self._view
        left: Spans = [(f" Runs {CRUMB} ", "soft"), ("size", "strong"), (f" {view.name}", "soft")]
        right: Spans = [("kept in ", "soft"), (f"{view.file} ", "text")] if view.file else []
        answer: Spans = [(" ", "text"), (answer_words(view), "strong" if view.sizing.answer is not None else "watch")]
        self.query_one("#head", Lines).show_lines(
            [crop(line, width, CUT) for line in (opposite(left, right, width), answer)]
        )
        self.page.show(size_page(view, (self.page.size.width or width, self.page.size.height), self._part))
        self._show_hints()

    def _show_hints(self) -> None:
        keys = [
            FooterKey("j k", "step", "move(1)", 3),
            FooterKey("enter", "open", "open", 1),
            FooterKey("1-3", "part", "", 2),
        ]
        parts = footer((keys,), FooterKey("esc", "back", "leave", STAYS), max(40, self.size.width))
        items = [Clickable(tuple(spans), call or "nothing") for spans, call in parts]
        self.query_one("#hints", ActionBar).show_items(items, gap=0)

    def action_move(self, by: int) -> None:
        """Go down or up by a step."""
        self.page.move(by)

    def action_part(self, part: str) -> None:
        """Show one part alone; once more, all of them."""
        self._part = "" if part == self._part else part
        self._show()

    def action_open(self) -> None:
        """Open the size under the cursor as a scenario."""
        if self.page.link is not None:
            _ = self.dismiss(int(self.page.link.key))

    def action_nothing(self) -> None:
        """A sentence was clicked."""

    def action_leave(self) -> None:
        """Go back: from one part to all of them, then out."""
        if self._part:
            self.action_part(self._part)
        else:
            _ = self.dismiss(None)
