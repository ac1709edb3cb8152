"""What stands around the panes: the header, the tabs, the line of hints, and a sentence in place of it."""

from collections.abc import Sequence

from rich.style import Style
from textual import on
from textual.screen import Screen
from textual.timer import Timer

from tui import messages
from tui.hints import Hint, fitted, hints
from tui.keymap import ACTIONS, Action
from tui.render import header as header_lines
from tui.render import tabs
from tui.render.line import ASCII, BLOCKS, Look, Span
from tui.screens import layout
from tui.screens.nouns import YARN, Dialect
from tui.view_state import Picture
from tui.widgets.bars import ActionBar, Clickable
from tui.widgets.lines import Lines

_TELL_S = 6.0
"""How long a sentence stands in place of the hints [s]."""

_SEVERITIES = {"information": ("", "strong"), "warning": ("! ", "warn"), "error": ("! ", "bad")}
"""Severity → (mark, style)."""


class Frame(Screen[None]):
    """A screen with a header, tabs and hints; whoever inherits puts panes between them."""

    def __init__(
        self,
        styles: dict[str, Style],
        *,
        dialect: Dialect = YARN,
        ascii_only: bool = False,
        read_only: bool = False,
        registry: Sequence[Action] = ACTIONS,
    ) -> None:
        super().__init__(classes="-ascii" if ascii_only else "")
        self.set_class(dialect.is_standalone, "-standalone")
        self.dialect = dialect
        self._styles_by_name = styles
        self._ascii = ascii_only
        self._read_only = read_only
        self._registry = registry
        self._glyphs = ASCII if ascii_only else BLOCKS
        self._wish = layout.Wish((next(iter(dialect.titles)),))
        self._telling: Timer | None = None

    def _show_header(self, picture: Picture, look: Look) -> None:
        lines = self.query_one("#header", Lines)
        header = picture.snapshot.header
        size = lines.content_size
        width, height = size.width or self.size.width, size.height
        lines.show_lines(header_lines.lines(header, picture.run, look, width, height, read_only=self._read_only))

    def _show_tabs(self) -> None:
        greyed = {"reservations", *self._wish.hidden} if self.dialect.is_standalone else self._wish.hidden
        shown, width = self._wish.pane, self.size.width
        items = [
            Clickable(
                ((title, "cursor" if name == shown else "dim" if name in greyed else "plain"),), f"show_pane('{name}')"
            )
            for name, title in tabs.titles(self.dialect.titles, shown, width).items()
        ]
        self.query_one("#tabs", ActionBar).show_items(items, gap=0)

    def _show_hints(self) -> None:
        short, reason = self.dialect.footer
        known = hints(self._registry, read_only=self._read_only, greyed=self.dialect.greyed, reason=reason)
        line = fitted(known, self.size.width, {reason: short})
        items = [Clickable(_hint_spans(hint, loose=line.is_loose), hint.call) for hint in line.hints]
        self.query_one("#hints", ActionBar).show_items(items, gap=2 if line.is_loose else 1)

    def tell(self, words: str, severity: str) -> None:
        """Say one sentence in place of the hints, for a while."""
        mark, style = _SEVERITIES.get(severity, _SEVERITIES["information"])
        self.query_one("#hints", ActionBar).show_items([Clickable(((f"{mark}{words}", style),), "leave")])
        if self._telling is not None:
            self._telling.stop()
        self._telling = self.set_timer(_TELL_S, self._show_hints)

    def refuse(self, call: str, otherwise: str = "") -> bool:
        """Whether a key does nothing on this kind of cluster; says why."""
        reason = self.dialect.greyed.get(call, otherwise)
        if reason:
            self.post_message(messages.Noticed(f"{reason}.", "warning"))
        return bool(reason)

    @on(ActionBar.Clicked)
    async def _clicked(self, event: ActionBar.Clicked) -> None:
        await self.run_action(event.call)


def _hint_spans(hint: Hint, *, loose: bool) -> tuple[Span, ...]:
    words = hint.words(loose=loose)
    if hint.is_greyed:
        return ((words, "dim"),)
    return ((hint.keys, "key"), (words.removeprefix(hint.keys), "dim"))
