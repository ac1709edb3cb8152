"""Shows the shorter way of a drill over the app's own session: a second cluster screen, its steps said as they come."""

from collections.abc import Awaitable, Callable

from textual.app import App
from textual.timer import Timer

from engine.instants import span
from engine.training.debrief_rows import step_words
from engine.training.drill import DrillScenario
from engine.training.steps import LookStep
from tui.actions import PANES
from tui.requests.coaching import CoachLines
from tui.requests.context import Context
from tui.screens.cluster import ClusterScreen
from tui.session.drill_session import ParReplay
from tui.session_protocol import Connection

LOOK_S = 0.25
"""How often it is looked whether a step has come [s]."""
LINES = 2
"""So many of the latest steps stand above the footer."""
BEGINS = "The reference solution, five times as fast; p stops the clock."


class ReplayOnScreen:
    """The reference solution while it is on screen; the drill's own session and screen wait below."""

    def __init__(self, app: App[None], shared: Context, show: Callable[[Connection], Awaitable[None]]) -> None:
        """Show nothing yet.

        The session and main screen of `shared` are exchanged; `show` puts a session on a new main screen.
        """
        self._app, self._shared, self._show = app, shared, show
        self._replay: ParReplay | None = None
        self._below: tuple[Connection | None, ClusterScreen | None] = (None, None)
        self._timer: Timer | None = None
        self._lines: CoachLines | None = None
        self._said: list[str] = []

    async def begin(self, drill: DrillScenario) -> None:
        """Show the drill from its beginning, its clock running."""
        self._below = self._shared.connection, self._shared.cluster
        self._replay = ParReplay(drill)
        await self._show(self._replay.session)
        await self._replay.session.clock.toggle_pause()
        self._lines, self._said = None, []
        self._timer = self._app.set_interval(LOOK_S, self.look)

    def look(self) -> None:
        """Say the steps that have come, and go where they look."""
        replay, cluster = self._replay, self._shared.cluster
        if replay is None or cluster is None or not cluster.is_mounted:
            return
        for step in replay.due():
            if isinstance(step, LookStep) and step.pane.lower() in PANES:
                cluster.perform(f"navigation.show({step.pane.lower()!r})")
            self._said.append(f"+{span(step.at_ms)}  {step_words(step)}")
        if self._lines is None:
            self._lines = CoachLines(self._shared.styles, id="coach")
            _ = cluster.mount(self._lines, before="#hints")
        words = ["That was all of it; the clock goes on."] if replay.is_over else []
        self._lines.coach("A shorter way", "H goes back to the debrief", [*self._said, *words][-LINES:] or [BEGINS])

    async def end(self) -> None:
        """Take it away; what was below is there again."""
        if self._replay is None:
            return
        if self._timer is not None:
            self._timer.stop()
        await self._replay.session.pictures.close()
        self._replay = None
        await self._app.pop_screen()
        self._shared.connection, self._shared.cluster = self._below
