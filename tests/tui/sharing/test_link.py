"""The visitor's side of the socket: a lost connection is said, made again, and loses nothing."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine.scenario.acts import Act, DrainNode, KillApplication, MoveApplication, SetQueueSetting
from tests.tui.fake_session import FakeSession
from tests.tui.sharing.visiting import Line, Wall, door_of, forever, link_to, until
from tui.protocol.picture import ActPreview, Notice, SessionChanged
from tui.protocol.session import CUT_OFF
from tui.sharing.link import (
    BACKOFF_S,
    CUT,
    HEAD,
    INSTRUCTOR,
    READER,
    Denied,
    Link,
    SharedDrill,
    Welcome,
    WireError,
    framed,
    read_message,
)
from tui.sharing.remote import RemoteSession
from tui.sharing.session_server import SessionServer


async def visited(folder: Path, role: str = READER, **options: Any) -> tuple[FakeSession, Line, Link, list[Any]]:
    """A session, a line to its door, a link that is connected, and what it posts."""
    session = FakeSession()
    door: SessionServer = door_of(session, drill=SharedDrill("quiet-shift"))
    line = Line(door)
    link = link_to(line, folder, role, **options)
    posted: list[Any] = []
    link.start(posted.append)
    await link.connected()
    return session, line, link, posted


async def test_a_remote_session_shows_the_same(tmp_path: Path) -> None:
    session, line, link, posted = await visited(tmp_path)
    remote = RemoteSession(link)
    picture = await remote.pictures.picture()
    definition = await remote.pictures.definition("queue", "root.etl")
    line.door.post(Notice("Nothing moves.", "error"))
    await until(lambda: Notice("Nothing moves.", "error") in posted)

    assert (picture.run, picture.snapshot.header) == (session.run, session.snapshot.header)
    assert definition is not None
    assert definition.name == "root.etl"
    assert await remote.pictures.plans() == ()
    assert (remote.clock, remote.acts, remote.questions) == (None, None, None)
    assert posted[0] == SessionChanged()
    await remote.pictures.close()


async def test_an_instructor_acts_over_the_line(tmp_path: Path) -> None:
    session, _, link, _ = await visited(tmp_path, INSTRUCTOR)
    remote = RemoteSession(link)
    assert remote.acts is not None
    assert remote.clock is not None
    await remote.clock.set_speed(30.0)
    done = await remote.acts.do(DrainNode("n1"))
    session.refusal = "it is gone"
    refused = await remote.acts.do(MoveApplication("application_1_1", "root.etl"))

    assert (done.refusal, refused.refusal) == ("", "it is gone")
    assert session.calls == [
        ("speed", 30.0),
        ("do", DrainNode("n1")),
        ("do", MoveApplication("application_1_1", "root.etl")),
    ]
    await link.close()


async def test_a_lost_connection_is_said_every_second_and_made_again(tmp_path: Path) -> None:
    """After longer and longer waits, with the seconds since it was lost; then it says that it is back."""
    wall = Wall()
    _, line, link, posted = await visited(tmp_path, wall=wall, sleep=wall.sleep)
    line.cut()
    await until(lambda: link.lost_words)
    await until(lambda: sum(wall.slept) >= 3.5)
    line.is_up = True
    await until(lambda: not link.lost_words)

    words = [one.words for one in posted if isinstance(one, Notice)]
    assert words[:3] == [f"Connection lost {since} s ago, trying again. {CUT}" for since in (0, 0, 2)]
    assert wall.slept[:4] == [BACKOFF_S[0], BACKOFF_S[1], 1.0, 1.0]
    assert posted[-2:] == [Notice("Connected again."), SessionChanged()]
    await link.close()


async def test_while_it_is_lost_the_last_picture_stays_and_acts_are_refused(tmp_path: Path) -> None:
    session, line, link, posted = await visited(tmp_path, INSTRUCTOR, sleep=forever)
    remote = RemoteSession(link)
    await remote.pictures.start(posted.append)
    before = await remote.pictures.picture()
    await until(lambda: SessionChanged() in posted[1:])
    before = await remote.pictures.picture()
    line.cut()
    await until(lambda: link.lost_words)

    lost = replace(before, run=replace(before.run, frozen=CUT_OFF))
    assert await remote.pictures.picture() == lost
    await until(lambda: posted[-1] == SessionChanged())
    assert await remote.pictures.definition("queue", "root.etl") is None
    assert await remote.pictures.plans() == ()
    assert remote.acts is not None
    assert remote.clock is not None
    assert (await remote.acts.do(KillApplication("application_1_1"))).refusal == link.lost_words
    assert await remote.acts.try_(SetQueueSetting("a", "weight", "1")) == ActPreview(refusal=link.lost_words)
    await remote.clock.step("second")
    assert posted[-1] == Notice(link.lost_words, "warning")
    assert session.calls == []
    await link.close()


async def test_a_call_whose_answer_is_cut_off_says_so(tmp_path: Path) -> None:
    session, line, link, _ = await visited(tmp_path, INSTRUCTOR, sleep=forever)
    remote = RemoteSession(link)
    assert remote.acts is not None
    acts = remote.acts

    async def cut(act: Act) -> Any:
        line.cut()
        await forever(0.0)

    session.do = cut  # type: ignore[method-assign]  # a session that dies while it acts
    result = await acts.do(KillApplication("application_1_1"))

    assert result.refusal == link.lost_words
    await link.close()


async def test_the_last_sentence_of_a_session_stays(tmp_path: Path) -> None:
    wall = Wall()
    _, line, link, _ = await visited(tmp_path, wall=wall, sleep=wall.sleep)
    line.is_up = False
    line.door.close("The trainee has left.")
    await until(lambda: len(wall.slept) > 3)

    assert link.lost_words.endswith("s ago, trying again. The trainee has left.")
    await link.close()


async def test_a_call_that_is_not_allowed_is_refused_in_words(tmp_path: Path) -> None:
    _, _, link, _ = await visited(tmp_path, INSTRUCTOR)
    remote = RemoteSession(link)
    assert remote.clock is not None

    assert (await remote.clock.travel("back")).refusal == "clock.travel is not there for a visitor like this one"
    await link.close()


# Messages of the wire and who may call what, and the picture that is written for all.

MESSAGE = Denied("no")
LENGTH = len(framed(MESSAGE)) - HEAD


def reader(data: bytes) -> asyncio.StreamReader:
    found = asyncio.StreamReader()
    found.feed_data(data)
    found.feed_eof()
    return found


@pytest.mark.parametrize(("most", "is_read"), [(LENGTH, True), (LENGTH - 1, False)])
async def test_a_message_is_as_long_as_it_may_be(most: int, is_read: bool) -> None:
    if is_read:
        assert await read_message(reader(framed(MESSAGE)), Denied, most) == MESSAGE
        return
    with pytest.raises(WireError, match=f"a message of {LENGTH} bytes is too long; {most} are the most"):
        await read_message(reader(framed(MESSAGE)), Denied, most)


async def test_what_is_no_message_is_refused() -> None:
    """Of another kind, or no bytes of a message at all; a stream that ends is its end."""
    for data in (framed(MESSAGE), (3).to_bytes(HEAD, "big") + b"\xff\xff\xff"):
        with pytest.raises(WireError, match="what came is no message of this program"):
            await read_message(reader(data), Welcome, 1_000)
    with pytest.raises(EOFError):
        await read_message(reader(framed(MESSAGE)[:-1]), Denied, 1_000)
