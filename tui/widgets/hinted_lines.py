"""Lines that fill a screen, with a line of hints below; drawn anew for every size."""

from collections.abc import Callable, Sequence

from rich.style import Style
from textual.app import ComposeResult
from textual.containers import Vertical

from tui.render.line import Spans
from tui.widgets.bars import ActionBar, Clickable
from tui.widgets.lines import Lines

Hint = tuple[str, str, str]  # (keys, what they do, the screen's action)


class HintedLines(Vertical):
    """What `drawn` gives for a width and a height, and hints that can be clicked."""

    DEFAULT_CSS = "HintedLines > #body { height: 1fr; }"

    def __init__(
        self, styles: dict[str, Style], hints: Sequence[Hint], drawn: Callable[[int, int], Sequence[Spans]]
    ) -> None:
        super().__init__()
        self._styles_by_name, self._hints, self._drawn = styles, hints, drawn

    def compose(self) -> ComposeResult:
        """The lines, the hints."""
        yield Lines(self._styles_by_name, id="body")
        yield ActionBar(self._styles_by_name, id="hints")

    def on_mount(self) -> None:
        """Name the keys."""
        self.show_hints()

    def show_hints(self) -> None:
        """Name the keys again."""
        items = [Clickable(((keys, "bold accent"), (f" {words}", "soft")), call) for keys, words, call in self._hints]
        self.query_one("#hints", ActionBar).show_items(items)

    def on_resize(self) -> None:
        """Draw for this size, once the lines have it."""
        self.call_after_refresh(self.draw)

    def draw(self) -> None:
        """Draw what there is now."""
        body = self.query_one("#body", Lines)
        body.show_lines(self._drawn(body.size.width, body.size.height))
