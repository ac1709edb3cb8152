"""Answers a key that has a meaning where it changed nothing: at an end of a list, without a filter, and the like.

A key without a meaning is answered by the screen it was pressed on.
"""

from typing import Any, Final, Protocol, runtime_checkable

from textual.app import App
from textual.events import Key
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static

from tui.actions import PANES
from tui.keymap import spelled
from tui.requests.context import Context
from tui.screens.command_line import PlainPalette
from tui.widgets.lines import Lines
from tui.widgets.pane import RowPane
from tui.widgets.scrolled_page import ScrolledPage

_BY_CALL: Final = {
    **{f"navigation.show('{pane}')": "This pane is shown already" for pane in PANES},
    "views.shift(-1)": "Nothing is further left here",
    "views.shift(1)": "Nothing is further right here",
    "filtering.next_match(1)": "There is no other match; / types a filter",
    "filtering.next_match(-1)": "There is no other match; / types a filter",
    "filtering.whole": "No filter is set: this is the whole cluster",
    "marks.unmark_all": "No row is marked; space marks one",
    "marks.mark_all": "There is no further row to mark",
    "marks.mark": "There is no row to mark",
    "navigation.next_pane(1)": "This is the only pane",
    "navigation.next_pane(-1)": "This is the only pane",
    "trail.owner": "There is no row here that belongs to anything",
    "trail.follow": "There is no row here to go into",
}
"""Call of an action of the main screen → why it changed nothing."""
_BY_KEY: Final = {
    **dict.fromkeys(("up", "k", "pageup", "home", "g", "ctrl+u"), "This is the beginning"),
    **dict.fromkeys(("down", "j", "pagedown", "end", "G", "ctrl+d"), "This is the end"),
    **dict.fromkeys(("left", "h"), "Nothing is further left here"),
    **dict.fromkeys(("right", "l"), "Nothing is further right here"),
    **dict.fromkeys(("n", "N"), "Nothing was searched for; / finds words"),
    **dict.fromkeys(("tab", "shift+tab"), "There is nothing else here to go to"),
    **dict.fromkeys(("backspace", "delete"), "There is nothing here to delete"),
}


@runtime_checkable
class Answering(Protocol):
    """A screen that can say a sentence at its foot."""

    def answer(self, words: str) -> None:
        """Say it for a while."""


class Unanswered:
    """Compares what is to be seen before a key with what is to be seen once everything it asked for is done."""

    def __init__(self, app: App[Any], context: Context) -> None:
        self._app, self._context = app, context
        self.asked = 0
        """Number of requests of screens that were carried out."""

    def pressed(self, event: Key) -> None:
        """Look again when the key was heard; a key that the screen does not know it answers itself."""
        screen = self._app.screen
        if event.key not in screen.active_bindings:
            cluster = self._context.cluster
            if isinstance(screen, PlainPalette) or (cluster is not None and cluster.prompt.is_open):
                self._say(screen, event.key)
            return
        before = self._trace(screen)

        def look_again() -> None:
            if self._app.screen is screen and screen.is_attached and self._trace(screen) == before:
                self._say(screen, event.key)

        def look_after_scrolling() -> None:
            screen.call_after_refresh(look_again)

        # The screen asks, then the app carries it out, then a scroll that was asked for takes place.
        screen.call_after_refresh(lambda: self._app.call_later(look_after_scrolling))

    def _say(self, screen: Screen[Any], key: str) -> None:
        registry = self._context.options.registry if screen is self._context.cluster else ()
        call = next((one.call for one in registry if key in one.keys), "")
        words = _BY_CALL.get(call) or _BY_KEY.get(key) or f"{spelled(key)} changes nothing here"
        if isinstance(screen, Answering):
            screen.answer(words)
        else:
            self._context.tell(f"{words}.")

    def _trace(self, screen: Screen[Any]) -> tuple[Any, ...]:
        """The part of the screen that a key may change."""
        focused = screen.focused
        return (self.asked, len(self._app.screen_stack), id(focused), *map(_of, screen.walk_children(Widget)))


def _of(widget: Widget) -> tuple[Any, ...]:
    place = (widget.scroll_offset, widget.display, str(widget.border_subtitle))
    match widget:
        case RowPane():
            shift = widget.look.shift if widget.look is not None else 0
            return (
                *place,
                widget.cursor_row,
                shift,
                widget.version,
                len(widget.rows),
                len(widget.marks),
                widget.noun.view,
            )
        case Lines():
            return *place, id(widget.lines)
        case ScrolledPage():
            return *place, id(widget.lines), widget.stop
        case Input():
            return *place, widget.value, widget.cursor_position
        case OptionList():
            return *place, widget.highlighted, widget.option_count
        case Static():
            return *place, str(widget.content)
    return place
