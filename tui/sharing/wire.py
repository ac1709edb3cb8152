"""The messages on a socket, and how one follows the other: four bytes of length, then msgpack.

A visitor says `Hello` first. `Welcome` or `Denied` answers it. Then each `Call` is answered by an `CallAnswered` or a
`CallFailed`, in order, and `Posted` and `Farewell` come between.
"""

import asyncio
from typing import Any, Final, Protocol

import msgspec

from tui import session_codec
from tui.picture import Notice, PictureChanged

VERSION: Final = 3
"""Raised whenever a message, or a method of the protocols, changes."""
MOST_HELLO: Final = 4_096
"""Longest first message [bytes]."""
MOST_CALL: Final = 1 << 20
"""Longest message of a visitor [bytes]; the text of an allocation file fits."""
MOST_ANSWER: Final = 1 << 26
"""Longest message to a visitor [bytes]; a picture of a large cluster fits."""
HEAD: Final = 4
"""Bytes that hold the length of a message."""

READER: Final = "reader"
INSTRUCTOR: Final = "instructor"
ROLES: Final = (READER, INSTRUCTOR)
"""The roles of a visitor."""


class Hello(msgspec.Struct, frozen=True, tag=True):
    """The first message of a visitor."""

    version: int
    token: str
    role: str
    stays: bool = True
    """False: it only wants to be welcomed, and leaves."""


class SharedDrill(msgspec.Struct, frozen=True):
    """The drill that is played; whoever has it can play it again."""

    source: str
    """Packaged name, or absolute path of its file."""
    seed: int | None = None
    """The seed of `--vary`; None: the drill's own."""
    is_exam: bool = False


class Welcome(msgspec.Struct, frozen=True, tag=True):
    """The visitor is let in."""

    version: int
    name: str
    """The name under which the session is shared."""
    title: str
    drill: SharedDrill | None = None
    """None where no drill is played."""


class Denied(msgspec.Struct, frozen=True, tag=True):
    """The visitor is not let in, or no longer."""

    words: str


class Call(msgspec.Struct, frozen=True, tag=True):
    """A method of a protocol is called."""

    number: int
    """Its answer has the same."""
    part: str
    """`pictures`, `clock`, `acts` or `seat`."""
    method: str
    arguments: dict[str, msgspec.Raw] = {}
    """By name, each written by `session_codec`."""


class CallAnswered(msgspec.Struct, frozen=True, tag=True):
    """The answer of a method."""

    number: int
    value: msgspec.Raw
    """Written by `session_codec`."""


class CallFailed(msgspec.Struct, frozen=True, tag=True):
    """A call came to nothing."""

    number: int
    words: str


class Posted(msgspec.Struct, frozen=True, tag=True):
    """A post of a session."""

    what: PictureChanged | Notice


class Farewell(msgspec.Struct, frozen=True, tag=True):
    """The session ends; nothing comes after this."""

    words: str


ToVisitor = Welcome | Denied | CallAnswered | CallFailed | Posted | Farewell


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
    """The bytes of a message."""
    data = session_codec.encode(message)
    return len(data).to_bytes(HEAD, "big") + data


async def read_message(reader: asyncio.StreamReader, kinds: Any, most: int) -> Any:  # Any: types of messages
    """The next message. `most` is the longest it may be [bytes].

    Raises:
        WireError: It is none of them, or too long.
        EOFError: There are no more.
        OSError: The connection broke.
    """
    length = int.from_bytes(await reader.readexactly(HEAD), "big")
    if length > most:
        raise WireError(f"a message of {length} bytes is too long; {most} are the most")
    data = await reader.readexactly(length)
    try:
        return session_codec.decode(data, kinds)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        raise WireError("what came is no message of this program") from None
