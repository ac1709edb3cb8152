"""A server on loopback that answers as recorded ones did, and then does what no server should."""

import asyncio
import gzip
import json
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, Final

import httpx

from tests.attacks.samples import VALUES
from tests.attacks.values import places
from tests.engine.live.recorded import FakeServer
from tests.engine.live.test_spark import PAGES

SPARE_S: Final = 0.02
ENDLESS: Final = 1_000
"""Parts of an answer that does not end: more than anybody waits for."""

Sent = tuple[bytes, float]
"""What is written, and how long the server rests after it [s]."""
Kind = Callable[[Random, bytes], list[Sent]]


def _answer(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> list[Sent]:
    length = b"Content-Length: %d" % len(body)
    return [(b"\r\n".join((b"HTTP/1.1 " + status, *headers, length, b"", b"")) + body, 0.0)]


def good(random: Random, body: bytes) -> list[Sent]:
    """As recorded."""
    return _answer(body)


def value(random: Random, body: bytes) -> list[Sent]:
    """Another value at some places."""
    if body == LOGS:
        return ranged(random, body)
    document = json.loads(body)
    found = list(places(document))
    for _ in range(random.choice((1, 1, 2, 5))):
        target: Any = document
        path = random.choice(found) if found else ()
        try:
            for key in path[:-1]:
                target = target[key]
            target[path[-1]] = random.choice(VALUES)
        except (KeyError, IndexError, TypeError):
            continue
    return _answer(json.dumps(document).encode())


def torn(random: Random, body: bytes) -> list[Sent]:
    """Bytes are missing, or others."""
    at = random.randrange(len(body) + 1)
    stuff = random.choice(
        (b"", b"\0", b"\xff\xfe", b"[" * 50_000, b'{"a":' * 20_000, b"9" * 5_000, b"1e999", b"\\ud800")
    )
    return _answer(body[:at] + stuff + body[random.choice((at, len(body))) :])


def other(random: Random, body: bytes) -> list[Sent]:
    """Something else altogether."""
    texts = (b"", b"null", b"[]", b"7", b"<?xml version='1.0'?><a/>", b"<html>login</html>", random.randbytes(300))
    return _answer(random.choice(texts))


def packed(random: Random, body: bytes) -> list[Sent]:
    """Packed wrongly, twice, or to something huge."""
    bomb = gzip.compress(gzip.compress(bytes(20_000_000)))
    packings = (b"gzip, gzip", b"gzip", b"deflate", b"br", b"zstd", b"gzip" + b", gzip" * 200, b"x", b"\xff")
    data = random.choice((bomb, gzip.compress(bytes(90_000_000), 1), gzip.compress(body)[:-5], body))
    return _answer(data, b"Content-Encoding: " + random.choice(packings))


def framed(random: Random, body: bytes) -> list[Sent]:
    """Lengths, chunks and heads that are none."""
    heads = (
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 30 + b"\r\n\r\n", b"HTTP/9.9 abc\r\n\r\n", b"\r\n" * 500,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 20_000,
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000, b"HTTP/1.1 200 \xff\r\n\0: \0\r\n\r\n", random.randbytes(200),
    )  # fmt: skip
    return [(random.choice(heads) + body, 0.0)]


def status(random: Random, body: bytes) -> list[Sent]:
    """Another status: redirects, logins, errors, and some that nobody has."""
    codes = (
        b"301 x",
        b"307 x",
        b"401 x",
        b"403 x",
        b"404 x",
        b"416 x",
        b"429 x",
        b"500 x",
        b"503 x",
        b"999 x",
        b"206 x",
    )
    exception = b'{"RemoteException": {"exception": "NullPointerException", "message": "' + b"x" * 5000 + b'"}}'
    location = random.choice((b"/", b"http://192.0.2.1/", b"\xff", b"x" * 5000))
    return _answer(random.choice((body, exception, b"")), b"Location: " + location, status=random.choice(codes))


def dated(random: Random, body: bytes) -> list[Sent]:
    """Dates, cookies and lengths of files that are none."""
    dates = (
        b"Fri, 31 Dec 9999 23:59:59 GMT",
        b"Mon, 01 Jan 0001 00:00:00 +9999",
        b"x" * 999,
        b"Thu, 01 Jan 1970 0:0:0 GMT",
    )
    date = random.choice(dates)
    return _answer(body, b"Date: " + date, b"Last-Modified: " + date, b"Set-Cookie: a=" + b"b" * 3_000)


def slow(random: Random, body: bytes) -> list[Sent]:
    """A byte at a time."""
    return [(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", 0.0), *[(b" ", SPARE_S)] * ENDLESS]


def hundreds(random: Random, body: bytes) -> list[Sent]:
    """`100 Continue` without end."""
    return [(b"HTTP/1.1 100 Continue\r\n\r\n" * 50, 0.001)] * ENDLESS


def endless(random: Random, body: bytes) -> list[Sent]:
    """A body without end."""
    return [(b"HTTP/1.1 200 OK\r\n\r\n", 0.0), *[(b" " * 65_536, 0.0)] * 2_000]


def silent(random: Random, body: bytes) -> list[Sent]:
    """Nothing, then the end."""
    return [(b"", random.choice((0.0, 9.0)))]


def ranged(random: Random, body: bytes) -> list[Sent]:
    """Parts of a file that do not go together."""
    numbers = (0, 1, 5, 64, 10**6, 10**12, 10**17)
    begin, end, size = (random.choice(numbers) for _ in range(3))
    content = random.choice((b"", b"\n", body[:500], b"2026-11-21 00:21:40,001 INFO x: y\n" * 50))
    span = random.choice((b"bytes %d-%d/%d" % (begin, end, size), b"bytes */%d" % size, b"x"))
    return _answer(content, b"Content-Range: " + span, status=random.choice((b"206 x", b"416 x", b"200 OK")))


KINDS: Final[tuple[Kind, ...]] = (
    value, value, value, torn, other, packed, framed, status, dated, slow, hundreds, endless, silent, ranged, ranged,
)  # fmt: skip
LOGS: Final = b"".join(b'<a href="/logs/rm.log%s">x</a>' % each for each in (b"", b".1", b".2"))


class HostileServer:
    """Answers each request in a way that is drawn; who asks decides how often it is a good one."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.goodness = 0.5
        """How many of the answers are good."""
        self.is_spark = False
        self.seen: Counter[str] = Counter()
        self._recorded = FakeServer()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer what comes on a connection."""
        kind: Kind = good
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                kind = good if self.random.random() < self.goodness else self.random.choice(KINDS)
                self.seen[kind.__name__] += 1
                for data, rest_s in kind(self.random, self._good(head)):
                    writer.write(data)
                    await writer.drain()
                    await asyncio.sleep(rest_s)
                if kind not in {good, value, dated}:
                    break
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            if kind in {good, value, dated, torn, other, status, ranged}:
                writer.close()
            else:
                writer.transport.abort()

    def _good(self, head: bytes) -> bytes:
        """The recorded answer."""
        target = head.split(b" ")[1].decode()
        if "/logs/" in target:
            return LOGS
        if self.is_spark:
            return json.dumps(PAGES["busy_master"]).encode()
        if target.startswith("/json"):
            return b"{}"
        return self._recorded.answer(httpx.Request("GET", f"http://rm1:8088{target}")).content
