"""Messages of the wire and who may call what, and the picture that is written for all."""

import asyncio
import inspect

import pytest

from tests.tui.fake_session import FakeSession
from tests.tui.sharing.visiting import Wall
from tui.protocol.session import ActsProtocol, InstructorProtocol
from tui.sharing.door import PICTURE_SHARE, SharedPicture
from tui.sharing.link import HEAD, INSTRUCTOR, READER, Denied, Welcome, WireError, framed, may_call, read_message

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


def methods(protocol: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(protocol, inspect.isfunction) if not name.startswith("_")}


def test_an_instructor_acts_and_a_reader_looks() -> None:
    for part, protocol in (("acts", ActsProtocol), ("seat", InstructorProtocol)):
        assert all(may_call(INSTRUCTOR, part, name) for name in methods(protocol))
        assert not any(may_call(READER, part, name) for name in methods(protocol))
    looking = [
        name for name in ("picture", "definition", "plans", "start", "close") if may_call(READER, "pictures", name)
    ]
    assert looking == ["picture", "definition", "plans"]
    assert [name for name in ("change_speed", "set_speed", "branch") if may_call(INSTRUCTOR, "clock", name)] == [
        "change_speed", "set_speed",
    ]  # fmt: skip
    assert not may_call(INSTRUCTOR, "questions", "ask")
    assert not may_call(INSTRUCTOR, "acts", "__init__")


@pytest.mark.parametrize("took_s", [0.0, 0.05, 0.5])
async def test_a_dear_picture_is_written_rarely(took_s: float) -> None:
    """Eight times what it took passes before the next; one that nobody changed is written once."""
    wall, session = Wall(), FakeSession()
    plain = session.picture

    async def slow() -> object:
        wall.now += took_s
        return await plain()

    vars(session).update(picture=slow)
    shared = SharedPicture(session, wall, wall.sleep)
    first, again = await shared.written(), await shared.written()
    shared.forget()
    _ = await shared.written()

    assert first is again
    assert wall.slept == ([pytest.approx(PICTURE_SHARE * took_s)] if took_s else [])
