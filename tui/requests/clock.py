"""Carries out what screens ask of the clock: pause, steps, speed, travel through time, branches."""

from collections.abc import Awaitable, Callable
from typing import Any

from tui import messages
from tui.requests.context import Context, Routes
from tui.session_protocol import ClockProtocol


class ClockRequests:
    """Hands requests to the clock of the session; where there is none, a key says so."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def routes(self) -> Routes:
        """Handler of each message."""
        return {
            messages.PauseToggled: self._driven(lambda clock, _: clock.toggle_pause()),
            messages.StepRequested: self._driven(lambda clock, event: clock.step(event.unit)),
            messages.TravelRequested: self._travel,
            messages.BranchConfirmed: self._branch,
            messages.UndoRequested: self._undo,
            messages.SpeedChanged: self._driven(lambda clock, event: clock.change_speed(event.direction)),
            messages.SpeedChosen: self._driven(lambda clock, event: clock.set_speed(event.speed)),
            messages.HoldChanged: self._hold,
        }

    @property
    def _clock(self) -> ClockProtocol | None:
        """The clock; says so when the session has none."""
        connection = self._context.connection
        if connection is not None and connection.clock is None:
            self._context.tell(self._context.options.absent.clock, "warning")
        return None if connection is None else connection.clock

    def _driven(
        self, call: Callable[[ClockProtocol, Any], Awaitable[None]]
    ) -> Callable[[Any], Awaitable[None]]:  # Any: each message has fields of its own
        """A handler that calls the clock; it does nothing more where there is none."""

        async def carry_out(event: Any) -> None:
            if (clock := self._clock) is not None:
                await call(clock, event)

        return carry_out

    async def _travel(self, event: messages.TravelRequested) -> None:
        if (clock := self._clock) is not None and (refusal := (await clock.travel(event.where)).refusal):
            self._context.tell(refusal, "warning")

    async def _branch(self, _: messages.BranchConfirmed) -> None:
        if (clock := self._clock) is not None:
            self._branched((await clock.branch()).refusal, "Branched: the run goes on from here.")

    def _branched(self, refusal: str, words: str) -> None:
        """Say what came of it; an act that lies ahead again can no more be undone."""
        self._context.tell(refusal or words, "error" if refusal else "information")
        if not refusal and self._context.cluster is not None:
            self._context.cluster.undoing.offer(None)

    async def _undo(self, event: messages.UndoRequested) -> None:
        """Go to just before the act, and on from there."""
        cluster, clock = self._context.cluster, self._clock
        picture = None if cluster is None else cluster.state.picture
        if clock is None or picture is None or picture.run.track is None:
            return
        since_s = (event.time_ms - picture.run.track.start_ms) / 1000
        refusal = (await clock.travel(f"{'+' if since_s >= 0 else '-'}{abs(since_s):.3f}s")).refusal
        refusal = refusal or (await clock.branch()).refusal
        self._branched(refusal, "Undone: the run is paused just before the act; p continues it.")

    async def _hold(self, event: messages.HoldChanged) -> None:
        await self.hold(held=event.held)

    async def hold(self, *, held: bool) -> None:
        """Let a clock stand while a dialog is open; one that cannot be driven goes on."""
        connection = self._context.connection
        if connection is not None and connection.clock is not None:
            await connection.clock.hold(held=held)
