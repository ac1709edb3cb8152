"""A link whose other side is written by hand: what is sent, and what comes of answers that no door gives."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.tui.sharing.visiting import TOKEN, Pipe, Wall, forever, until
from tui import session_codec
from tui.picture import Notice, PictureChanged
from tui.sharing.link import BACKOFF_S, CUT, Link, LinkLostError
from tui.sharing.meeting_place import Address, address_in
from tui.sharing.wire import (
    HEAD,
    INSTRUCTOR,
    VERSION,
    Call,
    CallAnswered,
    CallFailed,
    Denied,
    Farewell,
    Hello,
    Posted,
    Welcome,
    WireError,
    framed,
)

WELCOME = Welcome(VERSION, "fake", "A fake.")
ANSWER = msgspec.Raw(session_codec.encode(()))


class OtherSide:
    """Takes a link in and says what it is told to; implements `link.Connect`."""

    def __init__(self) -> None:
        self.tries_s: list[float] = []
        """When somebody tried to connect."""
        self.is_up = True
        self.wall = Wall()
        self.said: list[Any] = [WELCOME]
        """What is said at once to whoever connects."""
        self.heard = asyncio.StreamReader()
        self.to_link = asyncio.StreamReader()
        self.pipe = Pipe(self.heard)

    async def connect(self, address: Address) -> tuple[asyncio.StreamReader, Pipe]:
        """Connect, where it is up."""
        self.tries_s.append(self.wall())
        if not self.is_up:
            raise ConnectionRefusedError
        self.heard, self.to_link = asyncio.StreamReader(), asyncio.StreamReader()
        self.pipe = Pipe(self.heard)
        for message in self.said:
            self.say(message)
        return self.to_link, self.pipe

    def say(self, message: Any) -> None:
        """Send a message."""
        self.to_link.feed_data(framed(message))

    async def next(self, kind: Any) -> Any:
        """The next message of the link."""
        length = int.from_bytes(await self.heard.readexactly(HEAD), "big")
        return session_codec.decode(await self.heard.readexactly(length), kind)

    def link(self, folder: Path, **options: Any) -> Link:
        """A link to it."""
        address = address_in(folder, "fake")
        address.token.write_text(TOKEN, encoding="ascii")
        return Link(address, INSTRUCTOR, connect=self.connect, wall=self.wall, **options)


async def test_a_link_greets_and_numbers_its_calls_from_one(tmp_path: Path) -> None:
    """With the token of the session; each answer goes to its call, whatever comes first."""
    other = OtherSide()
    link = other.link(tmp_path, sleep=forever)
    link.start()
    await link.connected()
    calls = [asyncio.create_task(link.call("pictures", "plans")) for _ in range(2)]

    assert await other.next(Hello) == Hello(VERSION, TOKEN, INSTRUCTOR)
    assert [await other.next(Call) for _ in calls] == [Call(number, "pictures", "plans") for number in (1, 2)]
    for answer in (
        CallAnswered(9, ANSWER),
        CallFailed(2, "not here"),
        CallAnswered(2, ANSWER),
        CallAnswered(1, ANSWER),
    ):
        other.say(answer)
    assert await calls[0] == ()
    with pytest.raises(WireError, match="not here"):
        _ = await calls[1]
    await link.close()


async def test_an_answer_of_another_type_is_refused(tmp_path: Path) -> None:
    """The connection stays."""
    other = OtherSide()
    link = other.link(tmp_path, sleep=forever)
    link.start()
    await link.connected()
    call = asyncio.create_task(link.call("pictures", "plans"))
    await until(lambda: other.pipe.written > 100)
    other.say(CallAnswered(1, msgspec.Raw(session_codec.encode(7))))
    with pytest.raises(WireError, match=r"The answer is of another type\."):
        _ = await call

    assert link.lost_words == ""
    await link.close()


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (Denied("another instructor is there."), "another instructor is there."),
        (Posted(PictureChanged()), "What answers is no session."),
        (Call(1, "a", "b"), "what came is no message of this program"),
    ],
)
async def test_who_is_not_welcomed_reads_why(tmp_path: Path, first: Any, reason: str) -> None:
    """It is tried again."""
    other = OtherSide()
    other.said = [first]
    link = other.link(tmp_path, sleep=forever)
    link.start()
    await until(lambda: link.lost_words)

    assert link.lost_words == f"Connection lost 0 s ago, trying again. {reason}"
    assert link.welcome is None
    assert other.pipe.is_closed
    await link.close()


async def test_each_try_waits_longer_up_to_ten_seconds_and_a_connection_begins_anew(tmp_path: Path) -> None:
    """Between the tries lie the waits of the table, the last again and again."""
    other = OtherSide()
    other.is_up = False
    link = other.link(tmp_path, sleep=other.wall.sleep)
    link.start()
    await until(lambda: len(other.tries_s) > len(BACKOFF_S) + 1)
    waits = [after - before for before, after in zip(other.tries_s, other.tries_s[1:], strict=False)]
    other.is_up, other.said = True, [WELCOME, Farewell("The trainee has left.")]
    seen = len(other.tries_s)
    await until(lambda: len(other.tries_s) > seen + 1)

    assert waits[: len(BACKOFF_S) + 1] == [*BACKOFF_S, BACKOFF_S[-1]]
    assert other.tries_s[-1] - other.tries_s[-2] == BACKOFF_S[0]
    await link.close()


async def test_a_link_that_is_closed_posts_nothing_more(tmp_path: Path) -> None:
    """Its side of the connection is closed; one that never began can be closed, too."""
    other, posted = OtherSide(), list[Any]()
    link = other.link(tmp_path, sleep=forever)
    await link.close()
    link.start(posted.append)
    await link.connected()
    other.say(Posted(Notice("Nothing moves.")))
    await until(lambda: len(posted) > 1)
    await link.close()
    other.say(Posted(Notice("Too late.")))
    await asyncio.sleep(0)

    assert posted == [PictureChanged(), Notice("Nothing moves.")]
    assert other.pipe.is_closed


async def test_a_call_that_cannot_be_sent_is_lost(tmp_path: Path) -> None:
    """As is one before there is a connection."""
    other = OtherSide()
    link = other.link(tmp_path, sleep=forever)
    with pytest.raises(LinkLostError, match=r"There is no connection yet\."):
        _ = await link.call("pictures", "plans")
    link.start()
    await link.connected()
    other.pipe.is_closed = True
    with pytest.raises(LinkLostError, match=CUT):
        _ = await link.call("pictures", "plans")
    await link.close()
