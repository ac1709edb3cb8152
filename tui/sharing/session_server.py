"""The session's side of the socket: lets in visitors with the token, and gives them pictures at their own pace."""

import asyncio
import hmac
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec

from engine.errors import EngineError
from tui.protocol import session as session_codec
from tui.protocol.picture import Notice, SessionChanged
from tui.protocol.session import Connection, PicturesOfSession, Post, SessionStateProtocol, cancel_all
from tui.sharing import link
from tui.sharing.socket_directory import SharedSessionEntry

# One visitor of a session's door: its calls are answered one after the other, pictures and news beside.
#
# A session never waits for a visitor: it is told of changed pictures once, however often they changed since it asked,
# and of notices the latest are kept.

PICTURE: Final = ("pictures", "picture")  # The call that may wait for a while, and that others overtake
MOST_NOTICES: Final = 20  # So many wait for a slow visitor; of more, the oldest are left out

Method = Callable[[str, str], Callable[..., Awaitable[Any]] | None]  # (part, method) → what carries it out


class ClientConnection:
    def __init__(self, role: str, writer: link.Outgoing, method: Method) -> None:
        """Answer nothing yet; `method` gives what carries a call out."""
        self.role = role
        self._writer, self._method = writer, method
        self._sending = asyncio.Lock()
        self._news = asyncio.Event()
        self._has_changed = False
        self._notices: deque[Notice] = deque(maxlen=MOST_NOTICES)

    def post(self, posted: SessionChanged | Notice) -> None:
        if isinstance(posted, Notice):
            self._notices.append(posted)
        else:
            self._has_changed = True
        self._news.set()

    async def serve(self, reader: asyncio.StreamReader) -> None:
        """Answer calls until the visitor leaves (`EOFError`, `OSError`), or what came is no call (`WireError`)."""
        loop = asyncio.get_running_loop()
        beside = [loop.create_task(self._post_news())]
        try:
            while True:
                call: link.Call = await link.read_message(reader, link.Call, link.MOST_CALL)
                if (call.part, call.method) == PICTURE:
                    await asyncio.gather(*beside[1:])
                    beside[1:] = [loop.create_task(self._carry_out(call))]
                else:
                    await self._carry_out(call)
        finally:
            await cancel_all(*beside)

    async def _carry_out(self, call: link.Call) -> None:
        await self.send(await self._answer(call))

    async def _answer(self, call: link.Call) -> link.CallAnswered | link.CallFailed:
        name = f"{call.part}.{call.method}"
        if call.method not in link.MAY_CALL[self.role].get(call.part, ()):
            return link.CallFailed(call.number, f"{name} is not there for a visitor like this one")
        carry_out = self._method(call.part, call.method)
        if carry_out is None:
            return link.CallFailed(call.number, f"{name} is not there in this session")
        try:
            arguments = link.types_of(call.part, call.method).read(call.arguments)
        except link.WireError as error:
            return link.CallFailed(call.number, f"{name}: {error}")
        try:
            answer = await carry_out(**arguments)
        except EngineError as error:
            return link.CallFailed(call.number, str(error))
        return link.CallAnswered(
            call.number, answer if isinstance(answer, msgspec.Raw) else msgspec.Raw(session_codec.encode(answer))
        )

    async def _post_news(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            has_changed, self._has_changed = self._has_changed, False
            if has_changed:
                await self.send(link.Posted(SessionChanged()))
            notices = list(self._notices)
            self._notices.clear()
            for notice in notices:
                await self.send(link.Posted(notice))

    async def send(self, message: Any) -> None:  # Any: one of the messages of `wire`
        """Send a message, and wait until the visitor has taken it; an `OSError` where the connection broke."""
        async with self._sending:
            self._writer.write(link.framed(message))
            await self._writer.drain()

    def dismiss(self, words: str) -> None:
        if not self._sending.locked():
            self._writer.write(link.framed(link.Goodbye(words)))
        self._writer.close()


MOST_GUESTS: Final = 8
HELLO_S: Final = 5.0  # How long a visitor may take to greet [s]
PICTURE_SHARE: Final = 8  # So many times what it took to write a picture passes before the next is written


class SharedPicture:
    """The picture as bytes, written once for all visitors and only when one of them asks."""

    def __init__(
        self, pictures: SessionStateProtocol, wall: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._pictures, self._wall, self._sleep = pictures, wall, sleep
        self._written: msgspec.Raw | None = None
        self._due_s = wall()

    def forget(self) -> None:
        self._written = None

    async def written(self) -> msgspec.Raw:
        if self._written is None and (wait_s := self._due_s - self._wall()) > 0:
            await self._sleep(wait_s)
        if self._written is None:
            begin_s = self._wall()
            self._written = msgspec.Raw(session_codec.encode(await self._pictures.picture()))
            end_s = self._wall()
            self._due_s = end_s + PICTURE_SHARE * (end_s - begin_s)
        return self._written


class SessionServer:
    def __init__(
        self,
        welcome: link.Welcome,
        token: str,
        pictures: SessionStateProtocol,
        offered: Callable[[str], Mapping[str, object]],
        *,
        met: Callable[[str, bool], object] = lambda role, is_there: None,
        wall: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        hello_s: float = HELLO_S,
    ) -> None:
        """A visitor with the `token` is let in, gets the `welcome`, and has `hello_s` seconds to greet.

        `offered` has role → part → what carries its methods out; `met` gets who comes (True) or has left (False).
        """
        self.welcome = welcome
        self._token, self._pictures, self._offered, self._met = token, pictures, offered, met
        self._hello_s = hello_s
        self._picture = SharedPicture(pictures, wall, sleep)
        self.guests: list[ClientConnection] = []  # The visitors that were let in

    def post(self, posted: SessionChanged | Notice) -> None:
        if isinstance(posted, SessionChanged):
            self._picture.forget()
        for guest in self.guests:
            guest.post(posted)

    async def admit(self, reader: asyncio.StreamReader, writer: link.Outgoing) -> None:
        """Serve a visitor until it leaves; whatever it sends, the session goes on."""
        try:
            await self._serve(await self._hello(reader), reader, writer)
        except link.WireError as error:
            with suppress(OSError):
                writer.write(link.framed(link.Denied(f"{error}.")))
                await writer.drain()
        except (OSError, EOFError):
            pass  # it is gone
        finally:
            writer.close()

    async def _hello(self, reader: asyncio.StreamReader) -> link.Hello:
        try:
            async with asyncio.timeout(self._hello_s):
                hello: link.Hello = await link.read_message(reader, link.Hello, link.MOST_HELLO)
        except TimeoutError:
            raise link.WireError("no greeting came in time") from None
        refusal = self._refusal(hello)
        if refusal:
            raise link.WireError(refusal)
        return hello

    def _refusal(self, hello: link.Hello) -> str:
        if hello.version != link.VERSION:
            return f"this session speaks version {link.VERSION}, you speak {hello.version}: run the same schedlab"
        if not hmac.compare_digest(hello.token.encode(), self._token.encode()):
            return "the token is not that of this session"
        if hello.role not in link.ROLES:
            return "there is no such role"
        if hello.role == link.INSTRUCTOR and self.welcome.drill is None:
            return "no drill is played here, so there is nothing to instruct; schedlab drill join looks on"
        if hello.role == link.INSTRUCTOR and any(guest.role == link.INSTRUCTOR for guest in self.guests):
            return "another instructor is there"
        return "as many look on as can" if len(self.guests) >= MOST_GUESTS else ""

    async def _serve(self, hello: link.Hello, reader: asyncio.StreamReader, writer: link.Outgoing) -> None:
        if not hello.stays:
            writer.write(link.framed(self.welcome))
            await writer.drain()
            return
        guest = ClientConnection(hello.role, writer, lambda part, method: self._method(hello.role, part, method))
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
        for guest in list(self.guests):
            guest.dismiss(words)


# A session with its server beside it: the screen need not know that others look on.

ENDED = "The session was closed."  # The last words that visitors read

Met = Callable[[str, bool], object]  # Called with the role of every visitor that comes (True) or has left (False)


class SharedPictures(PicturesOfSession):
    """The pictures of a shared session: its posts go to visitors, too; the door is open from `start` to `close`."""

    def __init__(self, pictures: SessionStateProtocol, door: SessionServer, opened: SharedSessionEntry) -> None:
        super().__init__(pictures)
        self._door, self._opened = door, opened
        self._server: asyncio.Server | None = None
        self._visits: set[asyncio.Task[None]] = set()
        self.last_words: Callable[[], str] = lambda: ENDED  # The last words that visitors read

    async def start(self, post: Post) -> None:
        def posted(what: SessionChanged | Notice) -> None:
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
        self._door.close(self.last_words())
        if self._server is not None:
            self._server.close()
        await asyncio.sleep(0)
        await cancel_all(*self._visits)
        await asyncio.sleep(0)  # a socket is closed a turn later
        await self._pictures.close()


class SharedSession:
    """A session that others may look at; implements `protocol.session.Connection`."""

    def __init__(
        self,
        session: Connection,
        opened: SharedSessionEntry,
        title: str,
        *,
        drill: link.SharedDrill | None = None,
        instructor: Mapping[str, object] | None = None,
        met: Met = lambda role, is_there: None,
    ) -> None:
        """`instructor` has part → what carries out methods an instructor calls; `met` is as of `SessionServer`."""
        welcome = link.Welcome(link.VERSION, opened.address.name, title, drill)
        parts = {link.INSTRUCTOR: instructor or {}}
        self.door = SessionServer(welcome, opened.token, session.pictures, lambda role: parts.get(role, {}), met=met)
        self.pictures = SharedPictures(session.pictures, self.door, opened)
        self.clock, self.acts, self.questions = session.clock, session.acts, session.questions
