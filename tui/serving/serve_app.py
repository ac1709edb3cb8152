"""The web server of `schedlab serve`: questions to the simulation, and its clock below a prefix of its own."""

import json
import socket
from collections.abc import Awaitable, Callable, Collection, Mapping
from email.utils import formatdate
from hmac import compare_digest
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.errors import ConfigError
from engine.serve.answers import answer
from engine.serve.served import FASTEST, SLOWEST, ServedCluster, ServedPace
from engine.serve.wire import HttpQuestion
from engine.units import UnitError, is_number, iso_text, parse_duration, parse_instant_option

# Decides which clients may ask and which may act: names of this server, web pages of others, the token of acts.

ACTS: Final = frozenset({"PUT", "POST", "DELETE"})


class Guard:
    """Refuses what comes under a foreign name, from a foreign web page, or acts without the token."""

    def __init__(self, token: str | None, names: Collection[str]) -> None:
        """Without a `token` anybody may act; `names` are hosts beside addresses, `localhost` and the machine's name."""
        self._token = token
        self._names = {each.lower() for each in (*names, "localhost", socket.gethostname(), socket.getfqdn())}

    def refusal(self, request: HTTPConnection) -> tuple[int, str] | None:
        host, origin = request.headers.get("host"), request.headers.get("origin")
        if host is not None and not self._is_ours(_name(f"//{host}")):
            return 421, "this host is not served here; -c hosts=NAME adds a name"
        if origin is not None and _place(origin) != host:
            return 403, "web pages of other servers may not ask"
        if request.scope.get("method") in ACTS and not self._may_act(request):
            return 401, "acts need the token: -H 'Authorization: Bearer TOKEN'"
        return None

    def _is_ours(self, name: str) -> bool:
        """A name that DNS resolves may be anybody's; an address is where the client went."""
        try:
            ip_address(name)
        except ValueError:
            return name in self._names
        return True

    def _may_act(self, request: HTTPConnection) -> bool:
        if self._token is None:
            return True
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and compare_digest(given.strip().encode(), self._token.encode())


def _name(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return ""


def _place(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


CLOCK: Final = "/schedlab/v1/clock"
METHODS: Final = ["GET", "HEAD", "PUT", "POST", "DELETE"]
LARGEST: Final = 1024 * 1024  # The longest body of a question [bytes]
LEAST_GZIPPED: Final = 1024  # The shortest answer that is packed [bytes]

Handler = Callable[[Request], Awaitable[Response]]


class ServedApp:
    def __init__(self, served: ServedCluster, pace: ServedPace, token: str | None, names: Collection[str] = ()) -> None:
        """`token` and `names` are those of `Guard`."""
        self._served, self._pace = served, pace
        self._guard = Guard(token, (*names, served.address.rpartition(":")[0]))

    def app(self) -> ASGIApp:
        """The application; what the guard refuses is asked nothing, and its connection is closed."""
        routes = [
            Route(CLOCK, self._dated(self._clock), methods=["GET", "PUT"]),
            Route(f"{CLOCK}/step", self._dated(self._step), methods=["POST"]),
            Route("/{path:path}", self._dated(self._answer), methods=METHODS),
        ]
        asked = Starlette(routes=routes, middleware=[Middleware(GZipMiddleware, minimum_size=LEAST_GZIPPED)])

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            refusal = self._guard.refusal(Request(scope))
            if refusal is None:
                return await asked(scope, receive, send)
            response = self._with_date(_refusal(*refusal))
            response.headers["Connection"] = "close"
            return await response(scope, receive, send)

        return guarded

    def _dated(self, handler: Handler) -> Handler:
        async def handle(request: Request) -> Response:
            return self._with_date(await handler(request))

        return handle

    def _with_date(self, response: Response) -> Response:
        response.headers["Date"] = formatdate(self._served.now_ms / 1000, usegmt=True)
        response.headers["Cache-Control"] = "no-cache"
        return response

    async def _answer(self, request: Request) -> Response:
        if not self._served.rm.answers:
            return _refusal(503, "no ResourceManager is active")
        body = await _body(request)
        if body is None:
            return _refusal(413, f"more than {LARGEST} bytes")
        question = HttpQuestion(
            method="GET" if request.method == "HEAD" else request.method,
            path=request.url.path,
            query=parse_qs(request.url.query, keep_blank_values=True),
            accept=request.headers.get("accept", "*/*"),
            body=body,
            content_type=request.headers.get("content-type", ""),
        )
        said = answer(self._served, question)
        return Response(said.body, said.status, {**said.headers, "Content-Type": said.content_type})

    async def _clock(self, request: Request) -> Response:
        if request.method == "PUT":
            wishes = await _wishes(request)
            speed, paused = wishes.get("speed"), wishes.get("paused")
            if not set(wishes) <= {"speed", "paused"}:
                return _refusal(400, "the clock has `speed` and `paused`")
            if speed is not None and not (is_number(speed) and SLOWEST <= speed <= FASTEST):
                return _refusal(400, f"`speed` is {SLOWEST:g} to {FASTEST:,.0f} simulated seconds per second")
            if paused is not None and not isinstance(paused, bool):
                return _refusal(400, "`paused` is true or false")
            self._pace.set(speed=speed, paused=paused)
        return self._state()

    async def _step(self, request: Request) -> Response:
        wishes = await _wishes(request)
        scenario = self._pace.played.scenario
        try:
            if set(wishes) == {"to"}:
                to_ms = parse_instant_option(str(wishes["to"]), scenario.start, "to", first_ms=self._pace.played.now_ms)
            elif set(wishes) <= {"for"}:
                to_ms = self._pace.played.now_ms + parse_duration(str(wishes.get("for", "1s")))
            else:
                return _refusal(400, 'a step is {"for": "30s"} or {"to": "09:00"}')
        except UnitError as error:
            return _refusal(400, str(error))
        except ConfigError as error:
            return _refusal(400, "; ".join(each.message for each in error.problems))
        await self._pace.walk(to_ms)
        return self._state()

    def _state(self) -> Response:
        played = self._pace.played
        return JSONResponse(
            {
                "scenario": played.scenario.name,
                "release": self._served.release.version,
                "now": iso_text(self._served.now_ms, played.scenario.start.tzinfo),
                "now_ms": self._served.now_ms,
                "speed": self._pace.speed,
                "paused": self._pace.paused,
                "ended": played.ended,
            }
        )


async def _body(request: Request) -> bytes | None:
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > LARGEST:
                return None
            parts.append(part)
    except ClientDisconnect:
        return None
    return b"".join(parts)


async def _wishes(request: Request) -> Mapping[str, Any]:  # Any: JSON
    found = await _body(request)
    try:
        body = None if found is None else json.loads(found or b"{}")
    except (ValueError, RecursionError):
        return {"": None}
    return body if isinstance(body, dict) else {"": None}


def _refusal(status: int, words: str) -> JSONResponse:
    return JSONResponse({"error": words}, status)
