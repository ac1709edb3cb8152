"""The session's side of the socket: lets visitors in who know the token, and gives them pictures at their own pace."""

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec

from tui import session_codec
from tui.picture import Notice, PictureChanged
from tui.session_protocol import PicturesProtocol
from tui.sharing.guest import Guest
from tui.sharing.wire import (
    INSTRUCTOR,
    MOST_HELLO,
    ROLES,
    VERSION,
    Denied,
    Hello,
    Outgoing,
    Welcome,
    WireError,
    framed,
    read_message,
)

MOST_GUESTS: Final = 8
HELLO_S: Final = 5.0
"""How long a visitor may take to say who it is [s]."""
PICTURE_SHARE: Final = 8
"""So many times what it took to write a picture passes before the next is written."""


class SharedPicture:
    """The picture as bytes, written once for all who look on and only when one of them asks."""

    def __init__(
        self, pictures: PicturesProtocol, wall: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._pictures, self._wall, self._sleep = pictures, wall, sleep
        self._written: msgspec.Raw | None = None
        self._due_s = wall()

    def forget(self) -> None:
        """There is another one by now."""
        self._written = None

    async def written(self) -> msgspec.Raw:
        """Return the picture as written; where pictures are dear they are written rarely."""
        if self._written is None and (wait_s := self._due_s - self._wall()) > 0:
            await self._sleep(wait_s)
        if self._written is None:
            begin_s = self._wall()
            self._written = msgspec.Raw(session_codec.encode(await self._pictures.picture()))
            end_s = self._wall()
            self._due_s = end_s + PICTURE_SHARE * (end_s - begin_s)
        return self._written


class Door:
    """The entrance for visitors of a session."""

    def __init__(
        self,
        welcome: Welcome,
        token: str,
        pictures: PicturesProtocol,
        offered: Callable[[str], Mapping[str, object]],
        *,
        met: Callable[[str, bool], object] = lambda role, is_there: None,
        wall: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        hello_s: float = HELLO_S,
    ) -> None:
        """Nobody is there yet.

        Args:
            welcome: What everybody learns who is let in.
            token: What everybody has to know.
            offered: Role → part → what carries its methods out; `pictures` is there by itself.
            met: Called with the role of everybody who comes (True) or has left (False).
            wall: The wall clock [s].
            sleep: Waits so long [s].
            hello_s: How long a visitor may take to say who it is [s].
        """
        self.welcome = welcome
        self._token, self._pictures, self._offered, self._met = token, pictures, offered, met
        self._hello_s = hello_s
        self._picture = SharedPicture(pictures, wall, sleep)
        self.guests: list[Guest] = []
        """The visitors that were let in."""

    def post(self, posted: PictureChanged | Notice) -> None:
        """Have everybody informed."""
        if isinstance(posted, PictureChanged):
            self._picture.forget()
        for guest in self.guests:
            guest.post(posted)

    async def admit(self, reader: asyncio.StreamReader, writer: Outgoing) -> None:
        """Serve a visitor until it leaves; whatever it sends, the session goes on."""
        try:
            with suppress(OSError, EOFError):
                await self._visited(reader, writer)
        finally:
            writer.close()

    async def _visited(self, reader: asyncio.StreamReader, writer: Outgoing) -> None:
        try:
            hello = await self._hello(reader)
            await self._serve(hello, reader, writer)
        except WireError as error:
            writer.write(framed(Denied(f"{error}.")))
            await writer.drain()

    async def _hello(self, reader: asyncio.StreamReader) -> Hello:
        """Return who comes.

        Raises:
            WireError: It may not come in.
        """
        try:
            async with asyncio.timeout(self._hello_s):
                hello: Hello = await read_message(reader, Hello, MOST_HELLO)
        except TimeoutError:
            raise WireError("who is there was not said in time") from None
        refusal = self._refusal(hello)
        if refusal:
            raise WireError(refusal)
        return hello

    def _refusal(self, hello: Hello) -> str:
        """Return why somebody may not come in; empty when they may."""
        if hello.version != VERSION:
            return f"this session speaks version {VERSION}, you speak {hello.version}: run the same schedlab"
        if not hmac.compare_digest(hello.token.encode(), self._token.encode()):
            return "the token is not that of this session"
        if hello.role not in ROLES:
            return "nobody comes in as that"
        if hello.role == INSTRUCTOR and self.welcome.drill is None:
            return "no drill is played here, so there is nothing to instruct; schedlab attach looks on"
        if hello.role == INSTRUCTOR and any(guest.role == INSTRUCTOR for guest in self.guests):
            return "another instructor is there"
        return "as many look on as can" if len(self.guests) >= MOST_GUESTS else ""

    async def _serve(self, hello: Hello, reader: asyncio.StreamReader, writer: Outgoing) -> None:
        if not hello.stays:
            writer.write(framed(self.welcome))
            await writer.drain()
            return
        guest = Guest(hello.role, writer, lambda part, method: self._method(hello.role, part, method))
        self.guests.append(guest)
        self._met(hello.role, True)
        try:
            await guest.send(self.welcome)
            await guest.serve(reader)
        finally:
            self.guests.remove(guest)
            self._met(hello.role, False)

    def _method(self, role: str, part: str, method: str) -> Callable[..., Awaitable[Any]] | None:
        if (part, method) == ("pictures", "picture"):
            return self._picture.written
        found = self._pictures if part == "pictures" else self._offered(role).get(part)
        return getattr(found, method, None)

    def close(self, words: str) -> None:
        """Say why the session ends to everybody."""
        for guest in list(self.guests):
            guest.dismiss(words)
