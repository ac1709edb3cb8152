"""A session with its door beside it: whoever shows the session need not know that others look on."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress

from engine.observe.spark_plans import PlanTables
from tui.session_protocol import ActsProtocol, ClockProtocol, Connection, Post, QuestionsProtocol, ViewProtocol
from tui.sharing.door import Door
from tui.sharing.meeting_place import OpenDoor
from tui.sharing.wire import INSTRUCTOR, VERSION, SharedDrill, Welcome
from tui.view_state import Definition, Notice, Picture, PictureChanged

ENDED = "The session was closed."
"""What visitors read at the end."""

Met = Callable[[str, bool], object]
"""Called with the role of everybody who comes (True) or has left (False)."""


class SharedView:
    """The view of a shared session: what it posts goes to visitors, too; the door is open from `start` to `close`."""

    def __init__(self, view: ViewProtocol, door: Door, opened: OpenDoor) -> None:
        self._view, self._door, self._opened = view, door, opened
        self._server: asyncio.Server | None = None
        self._visits: set[asyncio.Task[None]] = set()
        self.last_words: Callable[[], str] = lambda: ENDED
        """What visitors read at the end."""

    async def start(self, post: Post) -> None:
        """Begin to post, and to let visitors in."""

        def posted(what: PictureChanged | Notice) -> None:
            post(what)
            self._door.post(what)

        await self._view.start(posted)
        self._server = await asyncio.start_unix_server(self._visit, sock=self._opened.listening)

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = asyncio.current_task()
        assert visit is not None, "a visit is a task"
        self._visits.add(visit)
        try:
            writer.transport.set_write_buffer_limits(high=0)
            with suppress(asyncio.CancelledError):  # only `close` cancels it, and asyncio reports a visit that ends so
                await self._door.admit(reader, writer)
        finally:
            self._visits.discard(visit)

    async def close(self) -> None:
        """End; visitors are informed."""
        self._door.close(self.last_words())
        if self._server is not None:
            self._server.close()
        await asyncio.sleep(0)
        for visit in list(self._visits):
            visit.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)
        await asyncio.sleep(0)  # a socket is closed a turn later
        await self._view.close()

    async def picture(self) -> Picture:
        """What is to be seen now."""
        return await self._view.picture()

    async def drawn(self, took_s: float) -> None:
        """A picture was drawn here; how fast visitors draw does not count."""
        await self._view.drawn(took_s)

    async def definition(self, kind: str, name: str) -> Definition | None:
        """How something was defined."""
        return await self._view.definition(kind, name)

    async def plans(self) -> tuple[PlanTables, ...]:
        """Plans of Spark's Master."""
        return await self._view.plans()


class SharedSession:
    """A session that others may look at; implements `session_protocol.Connection`."""

    def __init__(
        self,
        session: Connection,
        opened: OpenDoor,
        title: str,
        *,
        drill: SharedDrill | None = None,
        instructor: Mapping[str, object] | None = None,
        met: Met = lambda role, is_there: None,
    ) -> None:
        """Share a session from its start to its end.

        Args:
            title: What it is called in words.
            drill: What is played; None where it is no drill.
            instructor: Part → what carries out the methods that an instructor calls.
            met: Called with the role of everybody who comes (True) or has left (False).
        """
        self._session = session
        welcome = Welcome(VERSION, opened.address.name, title, drill)
        parts = {INSTRUCTOR: instructor or {}}
        self.door = Door(welcome, opened.token, session.view, lambda role: parts.get(role, {}), met=met)
        self.view = SharedView(session.view, self.door, opened)

    @property
    def clock(self) -> ClockProtocol | None:
        """The session's own."""
        return self._session.clock

    @property
    def acts(self) -> ActsProtocol | None:
        """The session's own."""
        return self._session.acts

    @property
    def questions(self) -> QuestionsProtocol | None:
        """The session's own."""
        return self._session.questions
