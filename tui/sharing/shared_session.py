"""A session with its door beside it: whoever shows the session need not know that others look on."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress

from engine.observe.spark_plans import PlanTables
from tui.picture import Definition, Notice, Picture, PictureChanged
from tui.session_protocol import ActsProtocol, ClockProtocol, Connection, PicturesProtocol, Post, QuestionsProtocol
from tui.sharing.door import Door
from tui.sharing.meeting_place import OpenDoor
from tui.sharing.wire import INSTRUCTOR, VERSION, SharedDrill, Welcome

ENDED = "The session was closed."
"""The last words that visitors read."""

Met = Callable[[str, bool], object]
"""Called with the role of everybody who comes (True) or has left (False)."""


class SharedPictures:
    """The pictures of a shared session: its posts go to visitors, too; the door is open from `start` to `close`."""

    def __init__(self, pictures: PicturesProtocol, door: Door, opened: OpenDoor) -> None:
        self._pictures, self._door, self._opened = pictures, door, opened
        self._server: asyncio.Server | None = None
        self._visits: set[asyncio.Task[None]] = set()
        self.last_words: Callable[[], str] = lambda: ENDED
        """The last words that visitors read."""

    async def start(self, post: Post) -> None:
        """Begin to post, and to let visitors in."""

        def posted(what: PictureChanged | Notice) -> None:
            post(what)
            self._door.post(what)

        await self._pictures.start(posted)
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
        await self._pictures.close()

    async def picture(self) -> Picture:
        """The picture of this moment."""
        return await self._pictures.picture()

    async def drawn(self, took_s: float) -> None:
        """A picture was drawn here; how fast visitors draw does not count."""
        await self._pictures.drawn(took_s)

    async def definition(self, kind: str, name: str) -> Definition | None:
        """The definition of a queue, a node or an application."""
        return await self._pictures.definition(kind, name)

    async def plans(self) -> tuple[PlanTables, ...]:
        """Plans of Spark's Master."""
        return await self._pictures.plans()


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
        self.door = Door(welcome, opened.token, session.pictures, lambda role: parts.get(role, {}), met=met)
        self.pictures = SharedPictures(session.pictures, self.door, opened)

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
