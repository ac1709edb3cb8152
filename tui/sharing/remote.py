"""A session in another process, behind a link: what a screen asks of it goes over the socket.

While the connection is lost the last picture stays, and whatever is asked is answered with a sentence.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from msgspec.structs import replace

from engine.observe.spark_snapshot import PlanTables
from tui.protocol.picture import ActPreview, ActResult, Definition, Notice, SessionChanged, SessionState, refused
from tui.protocol.session import CUT_OFF, ActsProtocol, ClockProtocol, InstructorProtocol, Post, cancel_all, nowhere
from tui.sharing.link import INSTRUCTOR, Link, LinkLostError, WireError, types_of

_REFUSALS: Final[Mapping[Any, Callable[[str], Any]]] = {
    ActResult: refused,
    ActPreview: lambda words: ActPreview(refusal=words),
}  # Type of an answer → the one that says why nothing was done


class RemotePart:
    def __init__(self, link: Link, part: str, say: Callable[[str], object]) -> None:
        """`say` gets why a call without an answer came to nothing."""
        self._link, self._part, self._say = link, part, say

    def __getattr__(self, method: str) -> Callable[..., Awaitable[Any]]:
        async def call(*args: Any, **options: Any) -> Any:
            try:
                return await self._link.call(self._part, method, *args, **options)
            except (LinkLostError, WireError) as error:
                refusal = _REFUSALS.get(types_of(self._part, method).answer)
                if refusal is not None:
                    return refusal(str(error))
                self._say(str(error))
                return None

        return call


class RemotePictures:
    """The pictures of a session over a link, fetched one after the other beside the screen: keys never wait for one."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._last: SessionState | None = None
        self._post: Post = nowhere
        self._is_old = asyncio.Event()
        self._is_taken = True
        self._task: asyncio.Task[None] | None = None

    async def start(self, post: Post) -> None:
        self._post = post
        self._task = asyncio.get_running_loop().create_task(self._fetch())
        self._link.start(self._posted)

    def _posted(self, what: SessionChanged | Notice) -> None:
        if isinstance(what, SessionChanged):
            self._is_old.set()
        else:
            self._post(what)

    async def _fetch(self) -> None:
        while True:
            await self._is_old.wait()
            self._is_old.clear()
            with suppress(LinkLostError):  # it is asked anew when there is a connection
                self._last = await self._link.call("pictures", "picture")
            if self._is_taken and self._last is not None:
                self._is_taken = False
                self._post(SessionChanged())

    async def close(self) -> None:
        self._post = nowhere
        await cancel_all(self._task)
        await self._link.close()

    def say(self, words: str) -> None:
        self._post(Notice(words, "warning"))

    async def picture(self) -> SessionState:
        """The picture fetched last; the first is waited for. A `WireError` where what came is no picture."""
        self._link.start()
        self._is_taken = True
        while self._last is None:
            await self._link.connected()
            with suppress(LinkLostError):
                self._last = await self._link.call("pictures", "picture")
        if not self._link.lost_words:
            return self._last
        return replace(self._last, run=replace(self._last.run, frozen=CUT_OFF))

    async def drawn(self, took_s: float) -> None:
        """The session does not wait for visitors."""

    async def definition(self, kind: str, name: str) -> Definition | None:
        """None, too, while the connection is lost."""
        found: Definition | None = None
        with suppress(LinkLostError, WireError):
            found = await self._link.call("pictures", "definition", kind, name)
        return found

    async def plans(self) -> tuple[PlanTables, ...]:
        """None, too, while the connection is lost."""
        found: tuple[PlanTables, ...] = ()
        with suppress(LinkLostError, WireError):
            found = await self._link.call("pictures", "plans")
        return found


class RemoteSession:
    """A session as a visitor has it; implements `protocol.session.Connection`."""

    questions = None  # Why is asked where the run is

    def __init__(self, link: Link) -> None:
        self.link = link
        self.pictures = RemotePictures(link)
        is_instructor = link.role == INSTRUCTOR
        self.clock: ClockProtocol | None = self._part("clock") if is_instructor else None
        self.acts: ActsProtocol | None = self._part("acts") if is_instructor else None
        self.seat: InstructorProtocol = self._part("seat")

    def _part(self, name: str) -> Any:  # Any: what the protocol of the part has
        return RemotePart(self.link, name, self.pictures.say)
