"""A visitor's side of the socket: calls and their answers, and a connection that comes back by itself."""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any, Final

from engine.errors import ConfigError, Problem
from tui import session_codec
from tui.picture import Notice, PictureChanged
from tui.session_protocol import Post
from tui.sharing.calls import types_of
from tui.sharing.meeting_place import Address, read_token
from tui.sharing.wire import (
    HEAD,
    MOST_ANSWER,
    VERSION,
    Call,
    CallAnswered,
    CallFailed,
    Denied,
    Farewell,
    Hello,
    Outgoing,
    Posted,
    ToVisitor,
    Welcome,
    WireError,
    framed,
    read_message,
)

BACKOFF_S: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 10.0)
"""How long is waited before each try to connect again; the last for every further one [s]."""
SAID_EVERY_S: Final = 1.0
"""How often it is said that the connection is lost [s]."""
GREET_S: Final = 5.0
"""How long a session may take to answer the first message [s]."""
CUT: Final = "The other side ended without a word."
"""What is said of a connection that broke."""

Streams = tuple[asyncio.StreamReader, Outgoing]
Connect = Callable[[Address], Awaitable[Streams]]


class LinkLostError(Exception):
    """There is no connection now; says since when."""


async def connect_socket(address: Address) -> Streams:
    """Connect to a session.

    Raises:
        OSError: Nobody is there.
    """
    return await asyncio.open_unix_connection(address.socket)


def greet(address: Address, role: str) -> Welcome:
    """Greet a session as somebody; its answer, and the connection is closed again.

    Raises:
        ConfigError: It does not let them in.
    """
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as visiting:
            visiting.settimeout(GREET_S)
            visiting.connect(str(address.socket))
            visiting.sendall(framed(Hello(VERSION, read_token(address), role, stays=False)))
            with visiting.makefile("rb") as stream:
                length = int.from_bytes(stream.read(HEAD), "big")
                data = stream.read(min(length, MOST_ANSWER))
            answer: Welcome | Denied = session_codec.decode(data, Welcome | Denied)  # type: ignore[arg-type]  # a union is a type here
    except TimeoutError:
        raise ConfigError([Problem("does not answer", address.name)]) from None
    except (OSError, ValueError) as error:  # msgspec's errors are ValueErrors
        words = getattr(error, "strerror", None) or "its answer is none of this program's"
        raise ConfigError([Problem(f"cannot be reached: {words.lower()}", address.name)]) from None
    if isinstance(answer, Denied):
        raise ConfigError([Problem(answer.words.removesuffix("."), address.name)])
    return answer


class Link:
    """A connection to a session, made again whenever it is lost."""

    def __init__(
        self,
        address: Address,
        role: str,
        *,
        connect: Connect = connect_socket,
        wall: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Not connected yet. `wall` is the wall clock [s]; `sleep` waits so long [s]."""
        self.address, self.role = address, role
        self._connect, self._wall, self._sleep = connect, wall, sleep
        self.welcome: Welcome | None = None
        """The greeting of the session at the last connection."""
        self._writer: Outgoing | None = None
        self._lost_s: float | None = None
        self._reason = ""
        self._there = asyncio.Event()
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[CallAnswered]] = {}
        self._post: Post | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def lost_words(self) -> str:
        """Since when there is no connection, and why; empty while there is one."""
        if self._lost_s is None:
            return ""
        return f"Connection lost {round(self._wall() - self._lost_s)} s ago, trying again. {self._reason}".rstrip()

    def start(self, post: Post | None = None) -> None:
        """Connect, stay connected, and post what the session posts."""
        self._post = post or self._post
        if post is not None and self._writer is not None:
            post(PictureChanged())
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._stay())

    async def connected(self) -> None:
        """Wait for a connection."""
        await self._there.wait()

    async def close(self) -> None:
        """Leave."""
        self._post = None
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            await asyncio.sleep(0)  # a socket is closed a turn later

    async def call(self, part: str, method: str, *args: Any, **options: Any) -> Any:  # Any: as the protocols say
        """Call a method of the session.

        Raises:
            LinkLostError: There is no connection, or it was lost before the answer came.
            WireError: The session refused the call, or its answer is of another type.
        """
        if self._writer is None:
            raise LinkLostError(self.lost_words or "There is no connection yet.")
        types, number = types_of(part, method), next(self._numbers)
        answered: asyncio.Future[CallAnswered] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answered
        try:
            self._writer.write(framed(Call(number, part, method, types.bound(args, options))))
            await self._writer.drain()
            answer = await answered
        except OSError:
            raise LinkLostError(self.lost_words or CUT) from None
        finally:
            self._waiting.pop(number, None)
        return types.read_answer(answer.value)

    # Staying connected

    async def _stay(self) -> None:
        tries = 0
        while True:
            reason = CUT
            try:
                reader, writer = await self._connect(self.address)
                try:
                    await self._welcomed(reader, writer)
                    tries = 0
                    reason = await self._listen(reader)
                finally:
                    writer.close()
            except WireError as error:
                reason = str(error)
            except (OSError, EOFError):
                reason = self._reason or CUT
            self._lose(reason)
            await self._wait(BACKOFF_S[min(tries, len(BACKOFF_S) - 1)])
            tries += 1

    async def _wait(self, wait_s: float) -> None:
        """Wait, and say every second since when the connection is lost."""
        while wait_s > 0:
            self._posted(Notice(self.lost_words, "error"))
            await self._sleep(min(SAID_EVERY_S, wait_s))
            wait_s -= SAID_EVERY_S

    async def _welcomed(self, reader: asyncio.StreamReader, writer: Outgoing) -> None:
        """Say who comes, and wait to be let in.

        Raises:
            WireError: The session does not let us in.
        """
        writer.write(framed(Hello(VERSION, read_token(self.address), self.role)))
        await writer.drain()
        answer = await read_message(reader, ToVisitor, MOST_ANSWER)
        if not isinstance(answer, Welcome):
            raise WireError(answer.words if isinstance(answer, Denied) else "What answers is no session.")
        was_lost, self._lost_s, self._reason = self._lost_s is not None, None, ""
        self.welcome, self._writer = answer, writer
        self._there.set()
        if was_lost:
            self._posted(Notice("Connected again.", "information"))
        self._posted(PictureChanged())

    async def _listen(self, reader: asyncio.StreamReader) -> str:
        """Take what comes; the last sentence of the session."""
        while True:
            message = await read_message(reader, ToVisitor, MOST_ANSWER)
            match message:
                case CallAnswered(number=number):
                    self._settle(number, message)
                case CallFailed(number=number, words=words):
                    self._settle(number, WireError(words))
                case Posted(what=what):
                    self._posted(what)
                case Farewell(words=words) | Denied(words=words):
                    return words

    def _settle(self, number: int, outcome: CallAnswered | Exception) -> None:
        waiting = self._waiting.get(number)
        if waiting is None or waiting.done():
            return
        if isinstance(outcome, CallAnswered):
            waiting.set_result(outcome)
        else:
            waiting.set_exception(outcome)

    def _posted(self, what: PictureChanged | Notice) -> None:
        if self._post is not None:
            self._post(what)

    def _lose(self, reason: str) -> None:
        """There is no connection from now on; whoever waits for an answer learns it."""
        self._writer, self._reason = None, reason
        self._there.clear()
        if self._lost_s is None:
            self._lost_s = self._wall()
        for number in list(self._waiting):
            self._settle(number, LinkLostError(self.lost_words))
