"""Reads the body of an answer up to a bound, which counts what is unpacked; no more than that is ever unpacked."""

import zlib
from collections.abc import AsyncIterator
from io import BytesIO
from typing import Final

import httpx

from engine.errors import SourceError

PACKED: Final = frozenset({"gzip", "x-gzip"})
"""Packings that are read; one inside the other is none of them."""
PLAIN: Final = frozenset({"", "identity"})


async def body_of(response: httpx.Response, where: str, most: int) -> bytes:
    """The body of an answer.

    Args:
        response: What is answered. One that is read already, as a transport in memory gives, is taken as it is.
        where: `host:port` of the server, for messages.
        most: The longest body [bytes].

    Raises:
        SourceError: It is longer, or is packed as nobody asked for, or damaged.
    """
    check_packing(response, where, PLAIN | PACKED)
    with BytesIO() as body:  # whose value is no copy, and which is let go also where an error is kept
        try:
            async for part in _parts(response, most):
                body.write(part)
                if body.tell() > most:
                    raise SourceError(f"{where} answers more than {most / 1024**2:.0f} MB")
        except zlib.error:
            raise SourceError(f"{where} answers what cannot be unpacked") from None
        return body.getvalue()


def check_packing(response: httpx.Response, where: str, taken: frozenset[str] = PLAIN) -> None:
    """Refuse what is packed as nobody asked for.

    Raises:
        SourceError: It is.
    """
    packing = _packing(response)
    if packing not in taken:
        raise SourceError(f"{where} packs its answer as {packing[:40]!r}, which was not asked for")


def _packing(response: httpx.Response) -> str:
    return str(response.headers.get("content-encoding", "")).strip().lower()


async def _parts(response: httpx.Response, most: int) -> AsyncIterator[bytes]:
    """The body in parts, unpacked up to one byte beyond the longest body."""
    if response.is_stream_consumed:
        yield response.content
        return
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS) if _packing(response) in PACKED else None
    room = most + 1
    async for raw in response.aiter_raw():
        part = raw if unpacker is None else unpacker.decompress(raw, room)
        room = max(1, room - len(part))  # for zlib 0 is no bound
        yield part
