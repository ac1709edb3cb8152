"""Bodies of answers up to a bound, plain and packed."""

import gzip
from collections.abc import AsyncIterator

import httpx
import pytest

from engine.errors import SourceError
from engine.live.rest_client import body_of, check_packing

MEGABYTE = 1024**2


class Parts(httpx.AsyncByteStream):
    """A body in parts."""

    def __init__(self, *parts: bytes) -> None:
        self.parts, self.given = parts, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            self.given += 1
            yield part


def response(stream: Parts, packing: str = "") -> httpx.Response:
    return httpx.Response(200, headers={"Content-Encoding": packing} if packing else {}, stream=stream)


@pytest.mark.parametrize("packing", ["", "identity", " Identity "])
async def test_a_plain_body_is_its_parts(packing: str) -> None:
    assert await body_of(response(Parts(b"abc", b"", b"de"), packing), "rm1:8088", 5) == b"abcde"


@pytest.mark.parametrize("packing", ["gzip", "x-gzip", "GZIP"])
async def test_a_packed_body_is_unpacked_part_by_part(packing: str) -> None:
    packed = gzip.compress(b"hello " * 100)
    parts = Parts(*(packed[at : at + 7] for at in range(0, len(packed), 7)))

    assert await body_of(response(parts, packing), "rm1:8088", 600) == b"hello " * 100


async def test_a_body_that_is_longer_is_given_up_at_once() -> None:
    parts = Parts(b"a" * 2 * MEGABYTE, b"b", b"c")
    with pytest.raises(SourceError, match=r"^rm1:8088 answers more than 2 MB$"):
        await body_of(response(parts), "rm1:8088", 2 * MEGABYTE)
    assert parts.given == 2


@pytest.mark.parametrize(("most", "is_taken"), [(1000, True), (999, False)])
async def test_the_bound_counts_what_is_unpacked(most: int, *, is_taken: bool) -> None:
    packed = gzip.compress(b"x" * 400) + b""
    more = gzip.compress(b"x" * 1000)
    assert len(packed) < len(more) < most
    answer = response(Parts(more[:12], more[12:]), "gzip")
    if is_taken:
        assert await body_of(answer, "rm1:8088", most) == b"x" * 1000
    else:
        with pytest.raises(SourceError, match="answers more than 0 MB"):
            await body_of(answer, "rm1:8088", most)


async def test_a_body_that_is_damaged_is_refused() -> None:
    with pytest.raises(SourceError, match=r"^rm1:8088 answers what cannot be unpacked$"):
        await body_of(response(Parts(b"plain"), "gzip"), "rm1:8088", 100)


@pytest.mark.parametrize(("most", "is_taken"), [(4, True), (3, False)])
async def test_a_body_that_is_read_already_is_taken_as_it_is(most: int, *, is_taken: bool) -> None:
    answer = httpx.Response(200, content=b"abcd")
    await answer.aread()
    if is_taken:
        assert await body_of(answer, "rm1:8088", most) == b"abcd"
    else:
        with pytest.raises(SourceError):
            await body_of(answer, "rm1:8088", most)


def test_a_packing_is_quoted_from_its_beginning() -> None:
    """Forty characters of it; where none was asked for gzip is one of those."""
    with pytest.raises(SourceError, match=rf"^h packs its answer as '{'b' * 40}', which was not asked for$"):
        check_packing(response(Parts(), "b" * 41), "h")
    with pytest.raises(SourceError, match=r"^h packs its answer as 'gzip', which was not asked for$"):
        check_packing(response(Parts(), "gzip"), "h")


@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_members_of_a_packed_body_follow_each_other(size: int) -> None:
    packed = gzip.compress(b"one ") + gzip.compress(b"") + gzip.compress(b"two")
    parts = Parts(*(packed[at : at + size] for at in range(0, len(packed), size)))

    assert await body_of(response(parts, "gzip"), "rm1:8088", 600) == b"one two"


@pytest.mark.parametrize("cut", [1, 9, 20])
async def test_a_packed_body_that_is_cut_is_an_error(cut: int) -> None:
    packed = gzip.compress(b"one ") + gzip.compress(b"two " * 9)
    with pytest.raises(SourceError, match="cannot be unpacked"):
        await body_of(response(Parts(packed[:-cut]), "gzip"), "rm1:8088", 600)
