"""Opens the twin of a live cluster or a recorded past over its screen, and comes back to it."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

import msgspec

from engine.errors import EngineError
from tui import messages
from tui.requests.context import Absent, Context, Options, Routes
from tui.screens.cluster import ClusterScreen
from tui.screens.page import PageScreen
from tui.session_protocol import Connection, TwinProtocol

NO_TWIN = "No twin can be made of this."
LEAVES = "esc once more goes back to the watched cluster; the twin is discarded."
BACK = "Back to what is watched."


class _Watched(NamedTuple):
    """The cluster under the twin."""

    connection: Connection
    cluster: ClusterScreen
    options: Options


class TwinRequests:
    """Shows one twin at a time; what is watched goes on meanwhile."""

    def __init__(
        self,
        context: Context,
        show: Callable[[Connection], Awaitable[None]],
        draw: Callable[[], Awaitable[None]],
        otherwise: Callable[[messages.NothingToLeave], Awaitable[None]],
        performed: Callable[[messages.Performed], Awaitable[None]],
    ) -> None:
        """No twin is shown.

        Args:
            show: Opens the screen of a session.
            otherwise: Does what there is to do where nothing is left to leave, and no twin is shown.
            performed: Hears of every key.
        """
        self._context = context
        self._show, self._draw = show, draw
        self._otherwise, self._heard = otherwise, performed
        self._watched: _Watched | None = None
        self._is_leaving = False

    def routes(self) -> Routes:
        """Handler of each message."""
        return {
            messages.TwinRequested: self._open,
            messages.NothingToLeave: self._leave,
            messages.Performed: self._performed,
        }

    async def close(self) -> None:
        """Let what is watched go, too."""
        if self._watched is not None:
            await self._watched.connection.pictures.close()

    async def _open(self, event: messages.TwinRequested) -> None:
        context = self._context
        connection, cluster = context.connection, context.cluster
        watched = self._watched
        source = connection if watched is None else watched.connection
        twin: TwinProtocol | None = getattr(source, "twin", None)  # simulations have none
        if twin is None or connection is None or cluster is None:
            context.tell(NO_TWIN, "warning")
            return
        try:
            opened = await twin.open(event.words)
        except EngineError as error:
            context.tell(f"No twin: {error}", "error")
            return
        if watched is None:
            self._watched = _Watched(connection, cluster, context.options)
        else:  # it is made anew
            await connection.pictures.close()
            _ = context.app.pop_screen()
        context.options = msgspec.structs.replace(context.options, read_only=False, absent=Absent())
        await self._show(opened.connection)
        lines = [f"- {sentence}" for sentence in opened.assumed]
        page = "\n".join(["What is not known was assumed:", "", *lines, "", "esc esc goes back to what is watched."])
        ascii_only = context.options.ascii_only
        _ = context.app.push_screen(PageScreen("The twin", page, ascii_only=ascii_only))

    async def _performed(self, event: messages.Performed) -> None:
        self._is_leaving = self._is_leaving and event.call == "board.leave"
        await self._heard(event)

    async def _leave(self, event: messages.NothingToLeave) -> None:
        """Go back at the second time in a row: what was done in the twin is lost with it."""
        context, watched = self._context, self._watched
        if watched is None or context.connection is None:
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
