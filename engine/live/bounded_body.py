"""Reads the body of an answer up to a bound, which counts what is unpacked."""

from typing import Final

import httpx

from engine.errors import SourceError

UNPACKED: Final = frozenset({"", "identity", "gzip", "x-gzip"})
"""Packings that are read; each part of an answer then unpacks to a bounded size. One inside the other is none."""


async def body_of(response: httpx.Response, where: str, most: int) -> bytes:
    """The body of an answer.

    Args:
        response: What is answered, not read yet.
        where: `host:port` of the server, for messages.
        most: The longest body [bytes].

    Raises:
        SourceError: It is longer, or is packed as nobody asked for.
    """
    check_packing(response, where)
    parts, size = [], 0
    async for part in response.aiter_bytes():
        size += len(part)
        if size > most:
            raise SourceError(f"{where} answers more than {most // 1024**2} MB")
        parts.append(part)
    return b"".join(parts)


def check_packing(response: httpx.Response, where: str) -> None:
    """Refuse what is packed as nobody asked for.

    Raises:
        SourceError: It is.
    """
    packing = response.headers.get("content-encoding", "").strip().lower()
    if packing not in UNPACKED:
        raise SourceError(f"{where} packs its answer as {packing[:40]!r}, which was not asked for")
