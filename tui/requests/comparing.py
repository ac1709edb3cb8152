"""Compares what is shown with the same under other policies, and shows the comparison."""

from engine.errors import EngineError
from tui import messages
from tui.requests.context import Context, Routes
from tui.screens.compare import CompareScreen
from tui.session_protocol import ComparingProtocol

NOTHING = "Nothing is compared here: this is no simulation of this program's own."
IN_DRILL = "In a drill nothing is compared."
AT_WORK = "A comparison is being played already."
PLAYS = "Playing it under {}; you can go on meanwhile."


class ComparingRequests:
    """One comparison at a time."""

    def __init__(self, context: Context) -> None:
        """None is played."""
        self._context = context
        self._is_playing = False

    def routes(self) -> Routes:
        """What is carried out here."""
        return {messages.CompareRequested: self._compare}

    async def _compare(self, event: messages.CompareRequested) -> None:
        context = self._context
        comparing: ComparingProtocol | None = getattr(context.connection, "comparing", None)  # not every one has it
        refusal = IN_DRILL if context.options.drill is not None else NOTHING if comparing is None else ""
        if refusal or comparing is None or self._is_playing:
            context.tell(refusal or AT_WORK, "warning")
            return
        context.tell(PLAYS.format(event.words))
        self._is_playing = True
        _ = context.app.run_worker(self._play(comparing, event.words))

    async def _play(self, comparing: ComparingProtocol, words: str) -> None:
        """Play, and show what came of it."""
        context = self._context
        try:
            found = await comparing.compare(words)
        except EngineError as error:
            context.tell(f"Not compared: {' '.join(str(error).split())}", "error")
            return
        finally:
            self._is_playing = False
        ascii_only = context.options.ascii_only
        screen = CompareScreen(found.comparison, found.partings, context.styles, found.opened, ascii_only=ascii_only)
        _ = context.app.push_screen(screen)
