"""Bodies of answers up to a bound, plain and packed."""

import gzip
from collections.abc import AsyncIterator

import httpx
import pytest

from engine.errors import SourceError
from engine.live.rest_client import body_of

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


async def test_a_body_that_is_damaged_is_refused() -> None:
    with pytest.raises(SourceError, match=r"^rm1:8088 answers what cannot be unpacked$"):
        await body_of(response(Parts(b"plain"), "gzip"), "rm1:8088", 100)
