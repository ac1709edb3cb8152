"""Messages of the wire and who may call what, and the picture that is written for all."""

import asyncio

import pytest

from tui.sharing.link import HEAD, Denied, Welcome, WireError, framed, read_message

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
