"""A visitor's side of the socket: calls and their answers, and a connection that comes back by itself."""

import asyncio
import inspect
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from itertools import count
from typing import Any, Final, NamedTuple, Protocol, get_type_hints

import msgspec

from engine.errors import ConfigError
from tui.protocol import session
from tui.protocol.picture import Notice, SessionChanged
from tui.sharing.socket_directory import Address, read_token

# The messages on a socket, and how one follows the other: four bytes of length, then msgpack.
#
# A visitor says `Hello` first. `Welcome` or `Denied` answers it. Then each `Call` is answered by a `CallAnswered` or
# a `CallFailed`, in order, and `Posted` and `Farewell` come between.

VERSION: Final = 6  # Raised whenever a message, or a method of the protocols, changes
MOST_HELLO: Final = 4_096  # Longest first message [bytes]
MOST_CALL: Final = 1 << 20  # Longest message of a visitor [bytes]; the text of an allocation file fits
MOST_ANSWER: Final = 1 << 26  # Longest message to a visitor [bytes]; a picture of a large cluster fits
HEAD: Final = 4  # Bytes that hold the length of a message

READER: Final = "reader"
INSTRUCTOR: Final = "instructor"
ROLES: Final = (READER, INSTRUCTOR)  # The roles of a visitor


class Hello(msgspec.Struct, frozen=True, tag=True):
    version: int
    token: str
    role: str
    stays: bool = True  # False: it only wants to be welcomed, and leaves


class SharedDrill(msgspec.Struct, frozen=True):
    """The drill that is played; its holder can play it again."""

    source: str  # Packaged name, or absolute path of its file
    seed: int | None = None  # The seed of `--seed`; None: the drill's own
    is_exam: bool = False


class Welcome(msgspec.Struct, frozen=True, tag=True):
    version: int
    name: str  # The name under which the session is shared
    title: str
    drill: SharedDrill | None = None  # None where no drill is played


class Denied(msgspec.Struct, frozen=True, tag=True):
    words: str


class Call(msgspec.Struct, frozen=True, tag=True):
    number: int  # Its answer has the same
    part: str  # `pictures`, `clock`, `acts` or `seat`
    method: str
    arguments: dict[str, msgspec.Raw] = {}  # By name, each written by `session`


class CallAnswered(msgspec.Struct, frozen=True, tag=True):
    number: int
    value: msgspec.Raw  # Written by `session`


class CallFailed(msgspec.Struct, frozen=True, tag=True):
    number: int
    words: str


class Posted(msgspec.Struct, frozen=True, tag=True):
    what: SessionChanged | Notice


class Goodbye(msgspec.Struct, frozen=True, tag=True):
    """The session ends; nothing comes after this."""

    words: str


ToVisitor = Welcome | Denied | CallAnswered | CallFailed | Posted | Goodbye


class WireError(Exception):
    """Bytes that are no message; says so in a sentence."""


class Outgoing(Protocol):
    """Takes messages, as `asyncio.StreamWriter` does."""

    def write(self, data: bytes, /) -> None:
        """Take bytes."""

    async def drain(self) -> None:
        """Wait until they are on their way."""

    def close(self) -> None:
        """Take nothing any more."""


def framed(message: Any) -> bytes:  # Any: one of the messages above
    data = session.encode(message)
    return len(data).to_bytes(HEAD, "big") + data


async def read_message(reader: asyncio.StreamReader, kinds: Any, most: int) -> Any:  # Any: types of messages
    """A message of at most so many bytes; else a `WireError`, at the end `EOFError`, `OSError` when the line broke."""
    length = int.from_bytes(await reader.readexactly(HEAD), "big")
    if length > most:
        raise WireError(f"a message of {length} bytes is too long; {most} are the most")
    data = await reader.readexactly(length)
    return _decoded(data, kinds, "what came is no message of this program")


def _decoded(data: bytes, kind: Any, refusal: str) -> Any:
    try:
        return session.decode(data, kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        raise WireError(refusal) from None


# Which methods of a session can be called from another process, of which types, and by which roles.

PROTOCOLS: Final[Mapping[str, type]] = {
    "pictures": session.SessionStateProtocol,
    "clock": session.ClockProtocol,
    "acts": session.ActsProtocol,
    "seat": session.InstructorProtocol,
}  # Part → its protocol


def _methods(protocol: type) -> frozenset[str]:
    return frozenset(name for name, _ in inspect.getmembers(protocol, inspect.isfunction) if name[0] != "_")


_LOOKING: Final = frozenset({"picture", "definition", "plans"})

MAY_CALL: Final[Mapping[str, Mapping[str, frozenset[str]]]] = {
    READER: {"pictures": _LOOKING},
    INSTRUCTOR: {
        "pictures": _LOOKING,
        "clock": frozenset({"change_speed", "set_speed"}),
        "acts": _methods(session.ActsProtocol),
        "seat": _methods(session.InstructorProtocol),
    },
}  # Role → part → the methods it may call


class MethodTypes(NamedTuple):
    arguments: Mapping[str, Any]  # Name → type, in order
    answer: Any  # The type of the answer

    def bound(self, args: tuple[Any, ...], options: Mapping[str, Any]) -> dict[str, msgspec.Raw]:
        named = {**dict(zip(self.arguments, args, strict=False)), **options}
        return {name: msgspec.Raw(session.encode(value)) for name, value in named.items()}

    def read(self, written: Mapping[str, msgspec.Raw]) -> dict[str, Any]:
        """The arguments of a call; a `WireError` where they are not those of the method."""
        if written.keys() != self.arguments.keys():
            raise WireError(f"it takes {', '.join(self.arguments) or 'nothing'}")
        refusal = "an argument is of another type"
        return {name: _decoded(bytes(written[name]), kind, refusal) for name, kind in self.arguments.items()}

    def read_answer(self, written: msgspec.Raw) -> Any:
        """The answer of a call; a `WireError` where it is of another type."""
        return _decoded(bytes(written), self.answer, "The answer is of another type.")


@cache
def types_of(part: str, method: str) -> MethodTypes:
    hints = get_type_hints(getattr(PROTOCOLS[part], method))
    answer = hints.pop("return")
    return MethodTypes(hints, answer)


BACKOFF_S: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 10.0)  # Waits before each try to connect again [s]
SAID_EVERY_S: Final = 1.0  # How often it is said that the connection is lost [s]
GREET_S: Final = 5.0  # How long a session may take to answer the first message [s]
CUT: Final = "The other side ended without a word."  # What is said of a connection that broke

Streams = tuple[asyncio.StreamReader, Outgoing]
Connect = Callable[[Address], Awaitable[Streams]]


class LinkLostError(Exception):
    """There is no connection now; says since when."""


def greet(address: Address, role: str) -> Welcome:
    """Greet a session in a role, for its answer alone; a `ConfigError` where it does not let them in."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as visiting:
            visiting.settimeout(GREET_S)
            visiting.connect(str(address.socket))
            visiting.sendall(framed(Hello(VERSION, read_token(address), role, stays=False)))
            with visiting.makefile("rb") as stream:
                length = int.from_bytes(stream.read(HEAD), "big")
                data = stream.read(min(length, MOST_ANSWER))
            answer: Welcome | Denied = session.decode(data, Welcome | Denied)  # type: ignore[arg-type]  # a union is a type here
    except TimeoutError:
        raise ConfigError.of("does not answer", address.name) from None
    except (OSError, ValueError) as error:  # msgspec's errors are ValueErrors
        words = getattr(error, "strerror", None) or "its answer is none of this program's"
        raise ConfigError.of(f"cannot be reached: {words.lower()}", address.name) from None
    if isinstance(answer, Denied):
        raise ConfigError.of(answer.words.removesuffix("."), address.name)
    return answer


class Link:
    def __init__(
        self,
        address: Address,
        role: str,
        *,
        connect: Connect = lambda address: asyncio.open_unix_connection(address.socket),
        wall: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Not connected yet. `wall` is the wall clock [s]; `sleep` waits so long [s]."""
        self.address, self.role = address, role
        self._connect, self._wall, self._sleep = connect, wall, sleep
        self.welcome: Welcome | None = None  # The greeting of the session at the last connection
        self._writer: Outgoing | None = None
        self._lost_s: float | None = None
        self._reason = ""
        self._there = asyncio.Event()
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[CallAnswered]] = {}
        self._post: session.Post = session.nowhere
        self._task: asyncio.Task[None] | None = None

    @property
    def lost_words(self) -> str:
        """Since when there is no connection, and why; empty while there is one."""
        if self._lost_s is None:
            return ""
        return f"Connection lost {round(self._wall() - self._lost_s)} s ago, trying again. {self._reason}".rstrip()

    def start(self, post: session.Post | None = None) -> None:
        self._post = post or self._post
        if post is not None and self._writer is not None:
            post(SessionChanged())
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._stay())

    async def connected(self) -> None:
        await self._there.wait()

    async def close(self) -> None:
        self._post = session.nowhere
        await session.cancel_all(self._task)
        await asyncio.sleep(0)  # a socket is closed a turn later

    async def call(self, part: str, method: str, *args: Any, **options: Any) -> Any:  # Any: as the protocols say
        """Call a method; a `LinkLostError` without connection, a `WireError` where it or its answer is refused."""
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
        while wait_s > 0:
            self._post(Notice(self.lost_words, "error"))
            await self._sleep(min(SAID_EVERY_S, wait_s))
            wait_s -= SAID_EVERY_S

    async def _welcomed(self, reader: asyncio.StreamReader, writer: Outgoing) -> None:
        writer.write(framed(Hello(VERSION, read_token(self.address), self.role)))
        await writer.drain()
        answer = await read_message(reader, ToVisitor, MOST_ANSWER)
        if not isinstance(answer, Welcome):
            raise WireError(answer.words if isinstance(answer, Denied) else "What answers is no session.")
        was_lost, self._lost_s, self._reason = self._lost_s is not None, None, ""
        self.welcome, self._writer = answer, writer
        self._there.set()
        if was_lost:
            self._post(Notice("Connected again.", "information"))
        self._post(SessionChanged())

    async def _listen(self, reader: asyncio.StreamReader) -> str:
        while True:
            message = await read_message(reader, ToVisitor, MOST_ANSWER)
            match message:
                case CallAnswered(number=number):
                    self._settle(number, message)
                case CallFailed(number=number, words=words):
                    self._settle(number, WireError(words))
                case Posted(what=what):
                    self._post(what)
                case Goodbye(words=words) | Denied(words=words):
                    return words

    def _settle(self, number: int, outcome: CallAnswered | Exception) -> None:
        waiting = self._waiting.get(number)
        if waiting is None or waiting.done():
            return
        if isinstance(outcome, CallAnswered):
            waiting.set_result(outcome)
        else:
            waiting.set_exception(outcome)

    def _lose(self, reason: str) -> None:
        self._writer, self._reason = None, reason
        self._there.clear()
        if self._lost_s is None:
            self._lost_s = self._wall()
            self._post(SessionChanged())
        for number in list(self._waiting):
            self._settle(number, LinkLostError(self.lost_words))
