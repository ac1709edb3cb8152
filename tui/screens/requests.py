"""Carries out what the user does to the cluster, one act after the other, and tells what came of it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from msgspec.structs import replace
from textual.app import App
from textual.events import Key
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static

from engine.errors import ConfigError, EngineError
from engine.explain.answer import RemediesReport, RemedyReport
from engine.explain.remedy import remedy_sentence
from engine.grouping import grouped
from engine.scenario.acts import Act, Reload
from tui.actions import PANES
from tui.acts.action_confirmer import ActsConfirmed
from tui.acts.command import PlainPalette
from tui.board.board import READ_ONLY, ScreenOptions, UnavailableMessages
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.forms import SingleResultScreen
from tui.dialogs.queue import QueueFormScreen
from tui.dialogs.submit import SubmitScreen
from tui.keymap import spelled
from tui.pages.act_sheet import ActQuestion
from tui.panes.pulse import ActLine, Forecast
from tui.protocol import messages
from tui.protocol.form import NEVER
from tui.protocol.messages import ScreenRequest
from tui.protocol.session import ActsProtocol, Connection, TwinProtocol
from tui.screens.cluster import ClusterScreen
from tui.screens.page import PageScreen
from tui.screens.why import WhyScreen
from tui.terminal import format as text
from tui.terminal.saving import text_of
from tui.widgets.lines import Lines
from tui.widgets.pane import RowPane
from tui.widgets.scrolled_page import ScrolledPage

Routes = Mapping[type[ScreenRequest] | str, Callable[..., Awaitable[None]]]
"""Kind of request, or name of a call → what carries it out: it gets the request, or the arguments of the call."""


class AppContext:
    """Shared by the app and by what carries out its requests: its main screen and the session that is shown."""

    connection: Connection  # The session that is shown: there is one whenever something is asked of it
    cluster: ClusterScreen  # Its main screen

    def __init__(self, app: App[None], options: ScreenOptions) -> None:
        self.app, self.options = app, options
        self.send: Callable[[str], object] = lambda text: None  # Gives the terminal what is no picture
        self.is_open = False  # Whether a session is shown

    async def suspend(self, *, held: bool) -> None:
        """Have the clock stand while something is open, and go on as before when it closes."""
        if (clock := self.connection.clock) is not None:
            await clock.suspend(held=held)

    async def resume(self, _: object) -> None:
        """The screen for which the clock stood was left."""
        await self.suspend(held=False)

    def report(self, refusal: str, done: str) -> None:
        self.tell(refusal or done, "error" if refusal else "information")

    def tell(self, words: str, severity: str = "information") -> None:
        screen = self.app.screen
        if isinstance(screen, SingleResultScreen) and screen.has_hints:
            screen.tell(words, severity)
            return
        if self.is_open and self.cluster.prompt.is_open:
            self.cluster.prompt.say(words, "soft" if severity == "information" else "watch")
        elif self.is_open:
            self.cluster.tell(words, severity)
        if isinstance(screen, PageScreen):
            screen.say(words)


class ActRequests:
    """Hands acts to the session; where there are none, a key says so."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def routes(self) -> Routes:
        return {
            messages.KillRequested: self._ask_kill,
            messages.RemedyRequested: self._ask_remedy,
            messages.QueueSettingTried: self._try_queue_setting,
            ActsConfirmed: self._do,
            messages.ReloadConfirmed: self._reload,
            messages.SubmitFilled: self._submit,
        }

    @property
    def _acts(self) -> ActsProtocol | None:
        acts = self._context.connection.acts
        if acts is None:
            self._context.tell(self._context.options.absent.acts, "warning")
        return acts

    async def _do(self, event: ActsConfirmed) -> None:
        for screen in reversed([each for each in self._context.app.screen_stack if isinstance(each, WhyScreen)]):
            _ = screen.dismiss(None)  # its answer is older than the act
        if (acts := self._acts) is None:
            return
        forecast = None if event.forecast is not None else self._foretold(event)
        results = {name: await acts.do(act) for name, act in event.acts.items()}
        if len(results) > 1:
            refusals = {name: result.refusal for name, result in results.items() if result.problems}
            self._report_all(refusals, event)
            if len(refusals) < len(results):
                count = len(results) - len(refusals)
                kind = type(next(iter(event.acts.values()))).__name__
                await self._offer_undo(kind, event.done.replace("{}", str(count)), event.forecast, count)
            return
        ((name, result),) = results.items()
        done = event.done.replace("{}", name)
        if not self._close_form(QueueFormScreen, result.problems):
            self._context.report(result.refusal, done)
        if not result.problems:
            await self._offer_undo(type(next(iter(event.acts.values()))).__name__, done, forecast or event.forecast)

    def _foretold(self, event: ActsConfirmed) -> Forecast | None:
        found, acts = self._context.cluster.trying.found, list(event.acts.values())
        if found is None or len(acts) != 1:
            return None
        for entry in found.remedies:
            names = (entry.application, entry.remedy.application)
            if type(acts[0]) is type(entry.remedy.act) and getattr(acts[0], "application", None) in names:
                return _forecast_of(entry, found)
        return None

    async def _offer_undo(self, name: str, words: str, forecast: Forecast | None = None, records: int = 1) -> None:
        """Show the line of an act, by the name of its record, where a key can take it back: not in a drill."""
        connection, cluster = self._context.connection, self._context.cluster
        if connection.clock is None or self._context.options.drill is not None:
            return
        track = (await connection.pictures.picture()).run.track
        if track is not None and track.acts:
            cluster.undoing.offer(ActLine.of(name, max(track.acts), words, forecast, records))

    def _report_all(self, refusals: Mapping[str, str], event: ActsConfirmed) -> None:
        count = len(event.acts)
        words = event.done.replace("{}", f"{count - len(refusals)} of {count}" if refusals else f"{count}")
        if not refusals:
            self._context.tell(words)
            return
        names = {one: text.short_id(one) if one.startswith("app") else text.short_node(one) for one in refusals}
        alike = grouped((refusal.rstrip("."), names[one]) for one, refusal in refusals.items())
        reasons = [f"{', '.join(some)}: {refusal}" for refusal, some in alike.items()]
        line = f"{words} Refused: {'; '.join(reasons)}."
        fits = len(line) + 3 < self._context.app.size.width
        self._context.tell(line if fits else words, "error")
        if not fits:
            page = "\n".join([words, "", "Refused:", *reasons])
            _ = self._context.app.push_screen(PageScreen("What was refused", page))

    # Asking

    async def _ask_kill(self, event: messages.KillRequested) -> None:
        cluster = self._context.cluster
        if cluster.may("application_acts.kill_named"):
            cluster.application_acts.kill_named(event.number)

    async def _ask_remedy(self, event: messages.RemedyRequested) -> None:
        context = self._context
        if context.options.read_only:
            context.tell(READ_ONLY, "warning")
            return
        words = text.plain(remedy_sentence(event.entry.remedy))
        acts: dict[str, Act] = {"": event.entry.step.act}

        async def answered(sure: bool | None) -> None:
            if sure:
                await self._do(ActsConfirmed(acts, f"Done: {words}.", _forecast_of(event.entry, event.found)))

        question = ActQuestion("Apply a remedy", tuple(event.lines), "Apply it", acts=acts)
        _ = context.app.push_screen(ConfirmScreen(question, context.options.styles), answered)

    async def _reload(self, event: messages.ReloadConfirmed) -> None:
        if self._acts is None:
            return
        try:
            allocations = text_of(event.path)
        except ConfigError as error:
            self._context.tell(str(error.problems[0]), "error")
            return
        await self._do(ActsConfirmed({"": Reload(allocations)}, f"Loaded {text.plain(event.path)}."))

    # Forms

    async def _try_queue_setting(self, event: messages.QueueSettingTried) -> None:
        acts, cluster = self._acts, self._context.cluster
        if acts is None:
            return
        if self._context.options.confirm == NEVER:
            cluster.cluster_acts.ask_queue_setting(event, ())
            return
        preview = await acts.try_(event.act)
        if self._close_form(QueueFormScreen, [preview.refusal] if preview.refusal else []):
            return
        if preview.refusal:
            self._context.tell(preview.refusal, "error")
        else:
            cluster.cluster_acts.ask_queue_setting(event, preview.shares)

    async def _submit(self, event: messages.SubmitFilled) -> None:
        if (acts := self._acts) is None:
            return
        result, done = await acts.submit(event.fields), f"Submitted {text.plain(event.fields.get('name', ''))}."
        if not self._close_form(SubmitScreen, result.problems):
            self._context.report(result.refusal, done)
        if not result.problems:
            await self._offer_undo("SubmitApplication", done)

    def _close_form(self, kind: type[QueueFormScreen | SubmitScreen], problems: Sequence[str]) -> bool:
        form = self._context.app.screen
        if not isinstance(form, kind):
            return False
        if problems:
            form.show_problems(list(problems))
            return True
        _ = form.dismiss(None)
        return False


def _forecast_of(entry: RemedyReport, found: RemediesReport) -> Forecast:
    starts = {int(text.short_id(each.application)): each.at_ms for each in entry.starts}
    running = frozenset(int(text.short_id(each)) for each in found.running)
    return Forecast(starts, entry.loses.containers, running)


NO_TWIN = "No twin can be made of this."
LEAVES = "esc once more goes back to the watched cluster; the twin is discarded."
BACK = "Back to what is watched."


class _Watched(NamedTuple):
    connection: Connection
    cluster: ClusterScreen
    options: ScreenOptions


class TwinRequests:
    """Shows the twin of a live cluster or recorded past over its screen, one at a time; what is watched goes on."""

    def __init__(
        self,
        context: AppContext,
        show: Callable[[Connection], Awaitable[None]],
        draw: Callable[[], Awaitable[None]],
        otherwise: Callable[[messages.BackAtRoot], Awaitable[None]],
        performed: Callable[[messages.Performed], Awaitable[None]],
    ) -> None:
        """`show` opens the screen of a session; `otherwise` leaves where no twin is shown; `performed` hears keys."""
        self._context = context
        self._show, self._draw = show, draw
        self._otherwise, self._heard = otherwise, performed
        self._watched: _Watched | None = None
        self._is_leaving = False

    def routes(self) -> Routes:
        return {
            "program.make_twin": self._open,
            messages.BackAtRoot: self._leave,
            messages.Performed: self._performed,
        }

    async def close(self) -> None:
        if self._watched is not None:
            await self._watched.connection.pictures.close()

    async def _open(self, words: str = "") -> None:
        """Open a simulation that stands as what is looked at; `words` say what to assume."""
        context = self._context
        connection, cluster = context.connection, context.cluster
        watched = self._watched
        source = connection if watched is None else watched.connection
        twin: TwinProtocol | None = getattr(source, "twin", None)  # simulations have none
        if twin is None:
            context.tell(NO_TWIN, "warning")
            return
        try:
            opened = await twin.open(words)
        except EngineError as error:
            context.tell(f"No twin: {error}", "error")
            return
        if watched is None:
            self._watched = _Watched(connection, cluster, context.options)
        else:  # it is made anew
            await connection.pictures.close()
            _ = context.app.pop_screen()
        context.options = replace(context.options, read_only=False, absent=UnavailableMessages())
        await self._show(opened.connection)
        lines = [f"- {sentence}" for sentence in opened.assumed]
        page = "\n".join(["What is not known was assumed:", "", *lines, "", "esc esc goes back to what is watched."])
        _ = context.app.push_screen(PageScreen("The twin", page))

    async def _performed(self, event: messages.Performed) -> None:
        self._is_leaving = self._is_leaving and event.call == "board.leave"
        await self._heard(event)

    async def _leave(self, event: messages.BackAtRoot) -> None:
        context, watched = self._context, self._watched
        if watched is None:
            await self._otherwise(event)
        elif not self._is_leaving:
            self._is_leaving = True
            context.tell(LEAVES)
        else:
            await context.connection.pictures.close()
            context.connection, context.cluster, context.options = watched
            self._watched, self._is_leaving = None, False
            _ = context.app.pop_screen()
            await self._draw()
            context.tell(BACK)


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
}  # Call of an action of the main screen → why it changed nothing
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


class NoEffectNotice:
    """Answers a known key that changed nothing: compares what is seen before it with what is seen once all is done."""

    def __init__(self, app: App[Any], context: AppContext) -> None:
        self._app, self._context = app, context
        self.asked = 0  # Number of requests of screens that were carried out

    def pressed(self, event: Key) -> None:
        """Look again when the key was heard; a key that the screen does not know it answers itself.

        A key that comes before the screen is drawn has no effect.
        """
        screen = self._app.screen
        if not screen.is_mounted:
            return
        if event.key not in screen.active_bindings:
            is_main = self._context.is_open and screen is self._context.cluster
            if isinstance(screen, PlainPalette) or (is_main and self._context.cluster.prompt.is_open):
                self._say(screen, event.key)
            return
        before = self._trace(screen)

        def look_again() -> None:
            if self._app.screen is screen and screen.is_attached and self._trace(screen) == before:
                self._say(screen, event.key)

        # The screen asks, then the app carries it out, then a scroll that was asked for takes place.
        screen.call_after_refresh(self._app.call_later, screen.call_after_refresh, look_again)

    def _say(self, screen: Screen[Any], key: str) -> None:
        is_main = self._context.is_open and screen is self._context.cluster
        registry = self._context.options.registry if is_main else ()
        call = next((one.call for one in registry if key in one.keys), "")
        words = _BY_CALL.get(call) or _BY_KEY.get(key) or f"{spelled(key)} changes nothing here"
        if isinstance(screen, Answering):
            screen.answer(words)
        else:
            self._context.tell(f"{words}.")

    def _trace(self, screen: Screen[Any]) -> tuple[Any, ...]:
        focused = screen.focused
        return (self.asked, len(self._app.screen_stack), id(focused), *map(_of, screen.walk_children(Widget)))


def _of(widget: Widget) -> tuple[Any, ...]:
    place = (widget.scroll_offset, widget.display, str(widget.border_subtitle))
    match widget:
        case RowPane():
            shift = widget.look.shift if widget.look is not None else 0
            return (
                *place,
                widget.cursor.at,
                shift,
                widget.version,
                len(widget.rows),
                len(widget.marks),
                widget.view.variant,
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
