"""A server on loopback that answers as recorded ones did, and then does what no server should."""

import asyncio
import gzip
import json
import os
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from random import Random
from typing import Any, Final

import httpx

from tests.engine.live.recorded import FakeServer
from tests.engine.live.test_spark import PAGES
from tests.gates.attacks.samples import VALUES
from tests.gates.attacks.values import places

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
    return _answer(body)


def value(random: Random, body: bytes) -> list[Sent]:
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
            target[path[-1]] = deepcopy(random.choice(VALUES))
        except (KeyError, IndexError, TypeError):
            continue
    return _answer(json.dumps(document).encode())


def huge(random: Random, body: bytes) -> list[Sent]:
    """A list of rows that are right, or hardly any, and very many of them; or one text."""
    try:
        document = json.loads(body)
    except ValueError:  # a page of logs
        return [(b"HTTP/1.1 200 OK\r\n\r\n", 0.0), *[(random.choice((b"\n", b"x", body)) * 65_536, 0.0)] * 300]
    whole = [each for each in places(document) if isinstance(_at(document, each), list)]
    path = random.choice(whole) if whole else ()
    rows = _at(document, path) if whole else []
    row = random.choice(
        (json.dumps(rows[:1])[1:-1] or "7", '"a"', "{}", "[]", "1", '{"a": 1}', '"' + "\U0001f600" * 90 + '"')
    )
    if whole and path:
        _at(document, path[:-1])[path[-1]] = ["@"]
    size = random.choice((100_000, 2_000_000, 12_000_000, 30_000_000, 70_000_000))
    before, _, after = (json.dumps(document) if path else '{"apps": ["@"]}').encode().partition(b'"@"')
    step = (row + ",").encode()
    part = step * (100_000 // len(step) + 1)
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
    return [(head + before, 0.0), *[(part, 0.0)] * (size // len(part)), (row.encode() + after, 0.0)]


def _at(document: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def torn(random: Random, body: bytes) -> list[Sent]:
    at = random.randrange(len(body) + 1)
    stuff = random.choice(
        (b"", b"\0", b"\xff\xfe", b"[" * 50_000, b'{"a":' * 20_000, b"9" * 5_000, b"1e999", b"\\ud800")
    )
    return _answer(body[:at] + stuff + body[random.choice((at, len(body))) :])


def other(random: Random, body: bytes) -> list[Sent]:
    texts = (b"", b"null", b"[]", b"7", b"<?xml version='1.0'?><a/>", b"<html>login</html>", random.randbytes(300))
    return _answer(random.choice(texts))


@cache
def _bomb(megabytes: int, packings: int) -> bytes:
    """Zeros, packed one inside the other; they are never held unpacked."""
    packers = [zlib.compressobj(1, wbits=16 + zlib.MAX_WBITS) for _ in range(packings)]
    found = b""
    for number in range(megabytes + 1):
        data = bytes(1_000_000) if number < megabytes else b""
        for each in packers:
            data = each.compress(data) + (b"" if number < megabytes else each.flush())
        found += data
    return found


def packed(random: Random, body: bytes) -> list[Sent]:
    """Packed wrongly, twice, or to something huge."""
    packings = (b"gzip, gzip", b"gzip", b"deflate", b"br", b"zstd", b"gzip" + b", gzip" * 200, b"x", b"\xff")
    data = random.choice((_bomb(20, 2), _bomb(90, 1), gzip.compress(body)[:-5], body))
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
    return [(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", 0.0), *[(b" ", SPARE_S)] * ENDLESS]


def hundreds(random: Random, body: bytes) -> list[Sent]:
    return [(b"HTTP/1.1 100 Continue\r\n\r\n" * 50, 0.001)] * ENDLESS


def endless(random: Random, body: bytes) -> list[Sent]:
    return [(b"HTTP/1.1 200 OK\r\n\r\n", 0.0), *[(b" " * 65_536, 0.0)] * 2_000]


def silent(random: Random, body: bytes) -> list[Sent]:
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
    huge,
)  # fmt: skip
GOODNESS: Final = (0.3, 0.7, 0.9, 0.97)
LASTS: Final = (5, 20, 80)
"""Answers for which a server stays as it is."""
LOGS: Final = b"".join(b'<a href="/logs/rm.log%s">x</a>' % each for each in (b"", b".1", b".2"))


class HostileServer:
    """Answers each request in a way that is drawn; how often it is a good one changes from time to time."""

    def __init__(self, random: Random, good_first: int = 0) -> None:
        """Harm nobody yet.

        Args:
            good_first: So many answers are good ones.
        """
        self.random = random
        self.seen: Counter[str] = Counter()
        self._recorded = FakeServer()
        self._goodness, self._left = 1.0, good_first
        """How many of the answers are good, and for how many more that holds."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        kind: Kind = good
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                kind = self._drawn()
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
            if kind in {good, value, dated, torn, other, status, ranged, huge}:
                writer.close()
            else:
                writer.transport.abort()

    def _drawn(self) -> Kind:
        if self._left <= 0:
            self._goodness, self._left = self.random.choice(GOODNESS), self.random.choice(LASTS)
            self._recorded.place = self.random.randrange(len(self._recorded.rounds))
        self._left -= 1
        return good if self.random.random() < self._goodness else self.random.choice(KINDS)

    def _good(self, head: bytes) -> bytes:
        target = head.split(b" ")[1].decode()
        if "/logs/" in target:
            return LOGS
        if target.startswith("/json"):
            return json.dumps(PAGES["busy_master"]).encode()
        return self._recorded.answer(httpx.Request("GET", f"http://rm1:8088{target}")).content


async def _main(seed: str, good_first: int) -> None:
    """Listen until nobody listens to us; the port first, at the end how many answers of each kind were given."""
    server = HostileServer(Random(seed), good_first)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    sys.stdout.write(f"{listening.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    sys.stdout.write(f"{json.dumps(server.seen)}\n")
    sys.stdout.flush()
    os._exit(0)  # whoever is still answered is not waited for


@contextmanager
def hostile_server(seed: str, good_first: int = 0) -> Iterator[tuple[int, Counter[str]]]:
    """A hostile server in a process of its own: its port, and, when it has ended, how many answers it gave by kind."""
    command = [sys.executable, "-m", __name__, seed, str(good_first)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        seen: Counter[str] = Counter()
        try:
            yield int(process.stdout.readline()), seen
        finally:
            process.stdin.close()
            seen.update(json.loads(process.stdout.readline() or "{}"))


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], int(sys.argv[2])))
