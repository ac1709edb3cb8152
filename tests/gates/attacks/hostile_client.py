"""What clients that mean harm send to `schedlab serve`."""

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final

from tests.gates.attacks.samples import VALUES

CLUSTER: Final = "/ws/v1/cluster"
CLOCK: Final = "/schedlab/v1/clock"

Kind = Callable[[Random], bytes]


def _request(method: str, path: str, body: bytes = b"", *headers: str) -> bytes:
    lines = (f"{method} {path} HTTP/1.1", "Host: localhost", *headers, f"Content-Length: {len(body)}", "", "")
    return "\r\n".join(lines).encode("utf-8", "replace") + body


def half(random: Random) -> bytes:
    whole = _request("PUT", CLOCK, b'{"paused": false}')
    return whole[: random.randrange(len(whole))]


def waiting(random: Random) -> bytes:
    return b"PUT %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\nabc" % (
        CLOCK.encode(), random.choice((100, 10**6, 10**12))
    )  # fmt: skip


def pipelined(random: Random) -> bytes:
    """Many at once, whose answers nobody reads."""
    return _request("GET", f"{CLUSTER}/{random.choice(('apps', 'nodes', 'scheduler', 'info'))}") * 60


def framed(random: Random) -> bytes:
    """Heads, lengths and chunks that are none."""
    start = b"POST %s/apps HTTP/1.1\r\nHost: localhost\r\n" % CLUSTER.encode()
    return random.choice((
        start + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef", start + b"Content-Length: -1\r\n\r\n",
        start + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
        start + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\nabc",
        start + b"Transfer-Encoding: chunked\r\n\r\n" + b"F" * 40 + b"\r\nabc",
        start + b"Transfer-Encoding: chunked\r\n\r\n1;" + b"x" * 70_000 + b"\r\n",
        start + b"X: " + b"x" * 100_000 + b"\r\n\r\n", start + b"a: b\r\n" * 5_000 + b"\r\n",
        start + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
        start + b"Expect: 100-continue\r\nContent-Length: 9\r\n\r\n", b"\x16\x03\x01" + random.randbytes(200),
        b"GET " + b"/" * 60_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", random.randbytes(500),
    ))  # fmt: skip


def asked(random: Random) -> bytes:
    names = (
        "apps",
        "apps/application_1_1",
        "nodes",
        "nodes/x",
        "appstatistics",
        "scheduler",
        "metrics",
        "../jmx?qry=*",
    )
    odd = ("%00", "%ED%A0%80", "9" * 5000, "-1", "1e308", "*", "%2e%2e", "a" * 3000, "%", "é", "nan", "_" * 99, "1_1")
    path = f"{CLUSTER}/{random.choice(names)}"
    if random.random() < 0.5:
        path += f"/{random.choice(odd)}/{random.choice(('state', 'queue', 'appattempts', 'x'))}"
    keys = ("states", "limit", "startedTimeBegin", "finalStatus", "queue", "applicationTypes", "deSelects", "user")
    query = "&".join(f"{random.choice(keys)}={random.choice(odd)}" for _ in range(random.randrange(4)))
    accept = random.choice(("*/*", "application/xml", "application/json;q=nan", "text/csv", ",;q=,", "a" * 5000))
    return _request(
        random.choice(("GET", "HEAD", "PUT", "DELETE", "TRACE", "G@T")), f"{path}?{query}", b"", f"Accept: {accept}"
    )


def submitted(random: Random) -> bytes:
    fields: dict[str, Any] = {
        "application-id": f"application_1_{random.randrange(900, 2**31)}", "application-name": "a", "queue": "default",
        "application-type": "YARN", "application-tags": {"tag": ["a"]}, "priority": 1, "max-app-attempts": 1,
        "resource": {"memory": 1024, "vCores": 1},
        "am-container-spec": {"environment": {"entry": [{"key": "SCHEDLAB_APPLICATION", "value": "{}"}]}},
    }  # fmt: skip
    for _ in range(random.choice((1, 1, 2))):
        fields[random.choice(list(fields))] = random.choice((*VALUES, "\ud800", "a\x00", {"tag": "\udfff"}, ["\ud800"]))
    work = json.dumps({random.choice(("name", "type", "maps", "am", "user", "queue")): random.choice(VALUES)})
    if random.random() < 0.3:
        fields["am-container-spec"] = {"environment": {"entry": {"key": "SCHEDLAB_APPLICATION", "value": work}}}
    user = random.choice(("", "?user.name=%00", "?user.name=%ED%A0%80", "?user.name=" + "u" * 3000))
    return _request("POST", f"{CLUSTER}/apps{user}", json.dumps(fields).encode(), "Content-Type: application/json")


def bodies(random: Random) -> bytes:
    """Bodies that are deep, of odd encodings, or nothing at all."""
    kind = random.choice(("application/xml", "application/json", "text/xml;charset=x", ""))
    deep = random.choice((100, 900, 5_000, 100_000))
    body = random.choice((
        b"[" * deep, b'{"a":' * deep, b"<a>" * deep + b"</a>" * deep, b"<?xml version='1.0' encoding='klingon'?><a/>",
        b"<?xml version='1.0' encoding='utf-16'?><a/>", b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
        b'{"state": []}', b'{"queue": {}}', b'{"priority": ' + b"9" * 4_400 + b"}", b"\xff\xfe", random.randbytes(99),
        b"x" * 1_100_000, b'{"state": "KILLED"}', b"null", b"NaN", b'{"priority": -Infinity}',
    ))  # fmt: skip
    path = random.choice((f"{CLUSTER}/apps", f"{CLUSTER}/apps/application_1_1/state", CLOCK, f"{CLOCK}/step"))
    return _request(random.choice(("PUT", "POST")), path, body, f"Content-Type: {kind}")


def clocked(random: Random) -> bytes:
    """Speeds and steps that no clock has."""
    odd = (*VALUES, 10**400, 1e308, 1e6, 1e-3, 0.0009, "0s", "1ms", "10m", "9" * 4_000 + "s", "1e308s", "-1s")
    wish = {random.choice(("speed", "paused", "for", "to", "x")): random.choice(odd)}
    path, method = random.choice(((CLOCK, "PUT"), (f"{CLOCK}/step", "POST")))
    return _request(method, path, json.dumps(wish).encode())


def foreign(random: Random) -> bytes:
    """From a page of another server, or under another name."""
    origin = random.choice(("null", "http://evil.example", "http://localhost:1", "[", "\u00e9"))
    host = random.choice(("evil.example", "", "[", "localhost.", "a" * 5_000, "127.0.0.1@evil", "localhost"))
    return f"PUT {CLOCK} HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nContent-Length: 2\r\n\r\n{{}}".encode()


KINDS: Final[tuple[Kind, ...]] = (
    half, waiting, pipelined, framed, asked, asked, submitted, submitted, bodies, clocked, foreign,
)  # fmt: skip
ENDING: Final = frozenset({half, waiting, pipelined})
"""Kinds whose answer is not waited for."""
