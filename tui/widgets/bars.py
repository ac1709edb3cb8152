"""The lines above and below the panes that can be clicked: the tabs and the hints."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.timer import Timer

from tui.render.line import Span, Spans, length
from tui.widgets.lines import Lines

Hint = tuple[str, str, str]  # (keys, what they do, the screen's action)


class HintedLines(Vertical):
    """Shows the lines of `drawn` for a width and a height, and hints that can be clicked."""

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


SAID_S = 6.0  # How long a sentence stands in place of the hints [s]

_SEVERITIES = {"information": ("", "strong"), "warning": ("! ", "watch"), "error": ("! ", "watch")}
"""Severity → (mark, style)."""


class Clickable(NamedTuple):
    """Spans that stand for an action."""

    spans: tuple[Span, ...]
    call: str
    """The screen's call, as textual spells it."""


class PointedLines(Lines):
    """Lines in which a place may stand for an action."""

    def __init__(
        self,
        styles: dict[str, Style],
        *,
        id: str,
        mark: str = "~",
        call_at: Callable[[int, int], str],
        resized: Callable[[], None] | None = None,
    ) -> None:
        """Empty lines.

        Args:
            mark: Stands where a line is cut.
            call_at: Says of a line, from 0, and a cell which action a click means, empty for none.
            resized: Called when there is room for other lines.
        """
        super().__init__(styles, id=id, mark=mark)
        self._call_at, self._resized = call_at, resized

    def on_resize(self) -> None:
        """Have the lines written for another size."""
        if self._resized is not None:
            self._resized()

    async def on_click(self, event: events.Click) -> None:
        """Run the screen's action that the mouse pointed at."""
        line, cell = event.y - self.gutter.top, event.x - self.gutter.left
        call = self._call_at(line, cell) if 0 <= line < len(self.lines) else ""
        if call and event.chain == 1:
            await self.screen.run_action(call)


class ActionBar(Lines):
    """One line of things to click; what does not fit is left out from the end."""

    DEFAULT_CSS = "ActionBar { height: 1; width: 1fr; }"

    def __init__(self, styles: dict[str, Style], *, id: str) -> None:
        super().__init__(styles, id=id)
        self._items: Sequence[Clickable] = ()
        self._gap = 2
        self._ends: list[tuple[int, str]] = []

    def show_items(self, items: Sequence[Clickable], *, gap: int = 2) -> None:
        """Show these things from now on, `gap` cells apart."""
        self._items, self._gap = items, gap
        self._arrange()

    def _arrange(self) -> None:
        spans: Spans = [(" ", "text")]
        self._ends = []
        for item in self._items:
            if self._ends and self.size.width and length(spans) + length(list(item.spans)) > self.size.width:
                break
            spans.extend(item.spans)
            self._ends.append((length(spans), item.call))
            spans.append((" " * self._gap, "text"))
        self.show_lines([spans[:-1] if self._ends else spans])

    def on_resize(self) -> None:
        """Another width has room for more or less."""
        self._arrange()

    async def on_click(self, event: events.Click) -> None:
        """Run the screen's action that the thing stands for."""
        for end, call in self._ends:
            if event.x < end:
                if call:
                    await self.screen.run_action(call)
                return


class SaidLine:
    """A line of hints in whose place a sentence can stand for a while; shared by the screens."""

    def __init__(self, bar: ActionBar, show_hints: Callable[[], None], *, click: str) -> None:
        """A click on the sentence means `click`."""
        self._bar, self._show_hints, self._click = bar, show_hints, click
        self._timer: Timer | None = None

    def say(self, words: str, severity: str = "information") -> None:
        """Say one sentence in place of the hints, for a while."""
        mark, style = _SEVERITIES.get(severity, _SEVERITIES["information"])
        self._bar.show_items([Clickable(((f"{mark}{words}", style),), self._click)])
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._bar.set_timer(SAID_S, self.end)

    @property
    def is_there(self) -> bool:
        """True while a sentence is shown."""
        return self._timer is not None

    def end(self) -> None:
        """Show the hints again."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
            self._show_hints()
