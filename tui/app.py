"""The app: looks, signals, how errors surface, and the one place where screens and a session meet."""

import os
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import chain
from typing import Any, ClassVar

from rich.style import Style
from textual import on
from textual._compositor import LayoutUpdate
from textual.app import App
from textual.binding import Binding, BindingType
from textual.css.query import NoMatches
from textual.events import Key
from textual.filter import LineFilter, Monochrome, NoColor
from textual.message import Message
from textual.screen import Screen

from engine.errors import EngineError
from tui.actions import ACTIONS
from tui.board.board import ScreenOptions
from tui.board.dialects import dialect_of, without_causes, without_model
from tui.pages.choice import ScenarioEntry
from tui.pages.help import of_actions
from tui.protocol import messages
from tui.protocol.picture import Notice, SessionChanged
from tui.protocol.session import Connection
from tui.screens.cluster import ClusterScreen
from tui.screens.lessons import Coaching
from tui.screens.page import HelpScreen
from tui.screens.picker import Fill, PickerScreen
from tui.screens.requests import ActRequests, AppContext, NoEffectNotice, TwinRequests
from tui.screens.requests_shown import (
    ClockRequests,
    ColourRequests,
    ComparingRequests,
    PictureRequests,
    QuestionRequests,
    RemedyRequests,
)
from tui.terminal import edges as crash
from tui.terminal.edges import ending, visible
from tui.terminal.palettes import palette_of, take_colour_wish
from tui.terminal.screen_edges import AsciiOnly, ScreenEdge, TolerantDriver
from tui.terminal.svg import drawing
from tui.terminal.theme import StyleTable


class SchedlabApp(App[None]):
    """One terminal, one run of one scenario."""

    TITLE = "schedlab"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+z", "suspend_process", show=False, system=True)]
    CSS = """
    SchedlabApp.-sixteen, .-sixteen Screen, .-sixteen ModalScreen > *, .-sixteen Input, .-sixteen Button {
        background: ansi_black; color: ansi_bright_white;
    }
    .-ascii #box { border: ascii $border; }
    .-ascii ConfirmScreen > #box { border: ascii $error; }
    .-ascii PlainPalette #--input, .-ascii PlainPalette CommandList { border: ascii $primary; }
    .-ascii VerticalScroll, .-ascii OptionList { scrollbar-size-vertical: 0; }
    """
    """Textual gives a theme of sixteen colours the terminal's own background, which may be as light as its words.

    With `--ascii` frames are of characters that every terminal has, and there are no scrollbars.
    """

    def __init__(
        self,
        connection: Connection | None = None,
        *,
        entries: Sequence[ScenarioEntry] = (),
        open_session: Callable[[str], Connection] | None = None,
        definition: Callable[[str], str] | None = None,
        fill: Fill | None = None,
        palette: str | None = None,
        **options: Any,
    ) -> None:
        """An app that shows `connection`; without one, a chooser over `entries` that opens what is chosen.

        `definition` gives the text of an entry by name, `fill` what its file says. Without a `palette`, `NO_COLOR` in
        the environment takes all colours away, unless it is empty. `options` are those of `ScreenOptions`.
        """
        chosen = palette_of(palette)
        take_colour_wish(chosen)
        self.options = ScreenOptions(styles=StyleTable(chosen), **options)
        super().__init__(driver_class=TolerantDriver, ansi_color=True if chosen == "none" else None)
        self.animation_level = "none"
        self.chosen_drill = ""  # Name of the drill chosen in the chooser, which ended for it; empty for none
        self._entries, self._open_session, self._definition = entries, open_session, definition
        self._fill_entry = fill
        self._shared = AppContext(self, self.options)
        self._shared.send = self._send
        self._opened = connection
        if connection is not None:
            self._shared.connection = connection
        self.set_class(self.options.ascii_only, "-ascii")
        self.colours = ColourRequests(self, chosen, self._shared.options.styles, self._redraw)
        self._own_filters: list[LineFilter] = [ScreenEdge(), *([AsciiOnly()] if self.options.ascii_only else [])]
        self._no_colour = NoColor()
        self._signals = ExitStack()
        coaching = Coaching(self._shared)
        self._unanswered = NoEffectNotice(self, self._shared)
        self._pictures = PictureRequests(self._shared, coaching)
        hears = coaching.routes()
        self._remedies = remedies = RemedyRequests(self._shared)
        self._twins = TwinRequests(
            self._shared, self._show, self._pictures.show_picture, hears[messages.BackAtRoot], hears[messages.Performed]
        )
        self._routes = {
            **self.colours.routes(),
            **ClockRequests(self._shared).routes(),
            **self._pictures.routes(),
            **self._twins.routes(),
            **ActRequests(self._shared).routes(),
            **QuestionRequests(self._shared, remedies).routes(),
            **remedies.routes(),
            **ComparingRequests(self._shared).routes(),
        }

    @property
    def cluster(self) -> ClusterScreen | None:
        """The main screen; None while the picker is open."""
        return self._shared.cluster if self._shared.is_open else None

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters of every line; with `--ascii` nothing else than ASCII passes."""
        theirs = [one for one in super().get_line_filters() if not isinstance(one, NoColor | Monochrome)]
        return [*theirs, *([self._no_colour] if self.colours.palette == "none" else []), *self._own_filters]

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text, through the terminal; pasting it gives no order."""
        super().copy_to_clipboard(visible(text))

    def action_help(self) -> None:
        _ = self.push_screen(HelpScreen(of_actions(self.options.registry, {})))

    def action_suspend_process(self) -> None:
        """Stop all programs of the terminal's job, as its own ctrl-Z would: `make` waits for this one."""
        if self._driver is not None and self._driver.can_suspend:
            os.kill(0, signal.SIGTSTP)

    def _send(self, text: str) -> None:
        if self._driver is not None:
            self._driver.write(text)

    def export_screenshot(self, *, title: str | None = None, simplify: bool = False) -> str:
        compositor = self.screen._compositor  # noqa: SLF001 - as textual's own does
        update = compositor.render_update(full=True, screen_stack=self._background_screens, simplify=simplify)
        assert isinstance(update, LayoutUpdate), "the whole screen was asked for"
        return drawing((chain.from_iterable(strips) for strips in update.strips), title or self.title)

    def on_key(self, event: Key) -> None:
        """Give keys typed right after `/` or `:` to the prompt; none of them may act. Every other key is answered."""
        if self.cluster is not None and self.screen is self.cluster and self.cluster.prompt.takes(event):
            event.prevent_default()
        else:
            self._unanswered.pressed(event)

    async def on_mount(self) -> None:
        self.colours.register()
        # Only what differs: textual goes through the whole map at every key.
        own = [action for action in self.options.registry if action not in ACTIONS]
        self.set_keymap({action.id: ",".join(action.keys) for action in own})
        if not self.is_headless:
            threading.excepthook = self._writer_died
            self._signals.enter_context(ending(lambda number: self.exit(return_code=128 + number)))
        if self._opened is not None:
            await self._show(self._opened)
        else:
            styles, fill = self._shared.options.styles, self._fill_entry
            _ = self.push_screen(PickerScreen(self._entries, styles, definition=self._definition, fill=fill))

    def _writer_died(self, what: threading.ExceptHookArgs) -> None:
        if isinstance(what.exc_value, OSError):  # the terminal is gone; Textual would wait for its thread for ever
            self.options.at_loss()
            os._exit(128 + signal.SIGHUP)
        if what.exc_value is not None:
            crash.report(what.exc_value)

    async def _show(self, connection: Connection) -> None:
        self._opened = self._shared.connection = connection
        picture = await connection.pictures.picture()
        options, dialect = self._shared.options, dialect_of(picture.snapshot)
        if options.drill is not None and options.drill.is_exam:
            dialect = without_causes(dialect)
        is_live = picture.run.reception is not None
        self._shared.cluster = ClusterScreen(options, picture, without_model(dialect) if is_live else dialect)
        self._shared.is_open = True
        _ = self.push_screen(self._shared.cluster)
        await connection.pictures.start(lambda posted: self.post_message(messages.SessionPosted(posted)))

    def _redraw(self) -> None:
        if self.cluster is not None:
            self.cluster.redraw()

    async def on_unmount(self) -> None:
        self._signals.close()
        self._remedies.close()
        if self._opened is not None:
            await self._shared.connection.pictures.close()
        await self._twins.close()

    def _handle_exception(self, error: Exception) -> None:
        """Report an error, but not that a screen opened while the program ends has no widgets any more."""
        if not (self._exit and isinstance(error, NoMatches)):
            super()._handle_exception(error)
            self._return_code = crash.OUR_MISTAKE

    def _fatal_error(self) -> None:
        error = self._exception
        self.bell()
        self.panic(crash.report(error) if error is not None else "schedlab stopped.")

    @on(PickerScreen.Chosen)
    async def _chosen(self, event: PickerScreen.Chosen) -> None:
        if self._open_session is None:
            return
        try:
            connection = self._open_session(event.name)
        except EngineError as error:
            if isinstance(self.screen, PickerScreen):
                self.screen.show_problems(str(error).splitlines())
            return
        await self._show(connection)

    @on(PickerScreen.DrillChosen)
    def _drill_chosen(self, event: PickerScreen.DrillChosen) -> None:
        self.chosen_drill = event.name
        self.exit()

    @on(messages.ScreenRequest)
    async def _carry_out(self, request: messages.ScreenRequest) -> None:
        if not isinstance(request, messages.Performed | messages.BackAtRoot):
            self._unanswered.asked += 1
        if isinstance(request, messages.AppCalled):
            await self._routes[request.name](*request.arguments)
        else:
            await self._routes[type(request)](request)

    @on(messages.SessionPosted)
    async def _posted(self, event: messages.SessionPosted) -> None:
        if not self.is_running:
            return
        match event.posted:
            case SessionChanged():
                await self._pictures.show_picture()
            case Notice(words, severity):
                self._shared.tell(words, severity)


class ResultApp(SchedlabApp):
    """One screen with what was found in one terminal, over the empty chooser that the app opens by itself."""

    def __init__(self, screen: Callable[[dict[str, Style]], Screen[Any]], **options: Any) -> None:
        """`screen` makes what is shown, of the styles; `options` are those of `SchedlabApp`."""
        super().__init__(**options)
        self._made, self._is_over = screen, False
        self._result: Screen[Any] | None = None
        self.chosen: Any = None  # What was chosen on the screen; None to leave

    async def on_mount(self) -> None:
        _ = self.call_later(self._begin)

    def _begin(self) -> None:
        if self._is_over:
            self.exit()
            return
        self._result = self._made(self._shared.options.styles)
        _ = self.push_screen(self._result, self._end)

    def _end(self, chosen: object) -> None:
        self.chosen = chosen
        self.exit()

    def tell(self, message: Message) -> None:
        """Give the screen a message, from any thread."""
        if self._result is not None:
            _ = self._result.post_message(message)

    def leave(self) -> None:
        """End without a choice, from any thread."""
        self._is_over = True
        if self._result is not None:
            _ = self.call_later(self.exit)
