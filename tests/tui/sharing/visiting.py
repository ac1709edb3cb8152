"""Streams in memory, a door of a fake session, and visitors of it; nothing sleeps."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from tui.protocol.session import decode
from tui.sharing.link import HEAD, READER, VERSION, Hello, Link, SharedDrill, ToVisitor, Welcome, framed
from tui.sharing.session_server import SessionServer
from tui.sharing.socket_directory import Address, address_in

TOKEN = "the token"
TURNS = 200
"""Most turns of the event loop until something has happened."""


class Pipe:
    """Where one side writes what the other reads; implements `wire.Outgoing`."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self.reader = reader
        self.is_closed = False
        self.written = 0
        """How many bytes came."""
        self.taken = asyncio.Event()
        """Cleared: whoever reads takes nothing."""
        self.taken.set()

    def write(self, data: bytes, /) -> None:
        if self.is_closed:
            raise BrokenPipeError
        self.written += len(data)
        self.reader.feed_data(data)

    async def drain(self) -> None:
        await self.taken.wait()

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self.reader.feed_eof()


class Wall:
    """A wall clock that only moves when told, or while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, wait_s: float) -> None:
        self.slept.append(wait_s)
        self.now += wait_s
        await asyncio.sleep(0)


def door_of(session: Any, *, drill: SharedDrill | None = None, **options: Any) -> SessionServer:
    """A door of a session, whose time passes while it sleeps."""
    offered: Mapping[str, object] = {"acts": session.acts, "clock": session.clock}
    wall = Wall()
    times = {"wall": wall, "sleep": wall.sleep, **options}
    return SessionServer(
        Welcome(VERSION, "fake", "A fake.", drill), TOKEN, session.pictures, lambda role: offered, **times
    )


async def until(happened: Callable[[], object]) -> None:
    """Let the event loop turn until something has happened."""
    for _ in range(TURNS):
        if happened():
            return
        await asyncio.sleep(0)
    raise AssertionError("it does not happen")


async def waited_for(happened: Callable[[], object]) -> None:
    """Let the event loop turn, sockets included, until something has happened."""
    while not happened():  # noqa: ASYNC110 -- what comes over a socket sets no event
        await asyncio.sleep(0)


async def forever(wait_s: float) -> None:
    await asyncio.Event().wait()


class Visitor:
    """Somebody at a door who writes messages by hand."""

    def __init__(self, door: SessionServer) -> None:
        self.heard, self.to_door = asyncio.StreamReader(), asyncio.StreamReader()
        self.pipe = Pipe(self.heard)
        self.visit = asyncio.get_running_loop().create_task(door.admit(self.to_door, self.pipe))

    def say(self, message: Any) -> None:
        self.to_door.feed_data(framed(message))

    def hello(self, role: str = READER, token: str = TOKEN, version: int = VERSION) -> None:
        self.say(Hello(version, token, role))

    async def next(self) -> Any:
        length = int.from_bytes(await self.heard.readexactly(HEAD), "big")
        kind: Any = ToVisitor
        return decode(await self.heard.readexactly(length), kind)

    async def leave(self) -> None:
        self.to_door.feed_eof()
        await self.visit


class Line:
    """Connections in memory from links to a door, which can be cut."""

    def __init__(self, door: SessionServer) -> None:
        self.door = door
        self.is_up = True
        self.visits: list[asyncio.Task[None]] = []
        self._ends: list[Pipe] = []

    async def connect(self, address: Address) -> tuple[asyncio.StreamReader, Pipe]:
        if not self.is_up:
            raise ConnectionRefusedError
        to_door, to_visitor = asyncio.StreamReader(), asyncio.StreamReader()
        ends = [Pipe(to_visitor), Pipe(to_door)]
        self._ends += ends
        self.visits.append(asyncio.get_running_loop().create_task(self.door.admit(to_door, ends[0])))
        return to_visitor, ends[1]

    def cut(self) -> None:
        """Break every connection; none is made until the line is up again."""
        self.is_up = False
        for end in self._ends:
            end.close()


def link_to(line: Line, folder: Any, role: str = READER, **options: Any) -> Link:
    """A link over a line; its token is in a file, as that of any session."""
    address = address_in(folder, "fake")
    address.token.write_text(TOKEN, encoding="ascii")
    return Link(address, role, connect=line.connect, **options)
