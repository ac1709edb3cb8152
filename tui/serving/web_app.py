"""The page of `--web`: the clients that may have it, its files, and the socket between it and a program."""

import asyncio
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from hmac import compare_digest
from importlib.resources import files
from typing import Any, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from tui.serving.serve_app import Guard
from tui.serving.web_program import ProcessLimits, PtyProgram, VisitLimits, Visits

FILES: Final = {
    "": "text/html",
    "page.css": "text/css",
    "page.js": "text/javascript",
    "xterm.css": "text/css",
    "xterm.js": "text/javascript",
    "addon-fit.js": "text/javascript",
}  # Path below the root → type of its file; the root itself is the page
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}  # The headers of every answer: the page loads nothing from elsewhere, and no other page may show it
LARGEST_MESSAGE: Final = 16 * 1024  # The longest message of a page [bytes]
OPENING_S: Final = 10.0  # How long a page may take to say what it wants
NO_ENTRY: Final = "Open the address that `--web` has printed: it has the token that this page needs."


class WebApp:
    def __init__(
        self,
        start: Callable[[tuple[int, int], ProcessLimits], PtyProgram],
        limits: VisitLimits,
        token: str,
        address: str,
        names: Collection[str] = (),
        wall: Callable[[], float] = time.monotonic,
    ) -> None:
        """`start` starts a program in a terminal of a size; `address` is host and port, `names` are further hosts."""
        self._token = token
        self._cookie, self._pass = f"schedlab-{address.rpartition(':')[2]}", secrets.token_urlsafe(24)
        self._guard = Guard(None, (*names, address.rpartition(":")[0]))
        self.visits = Visits(start, limits, wall)
        folder = files("tui") / "web"
        self._files = {name: (folder / (name or "page.html")).read_bytes() for name in FILES}

    def app(self) -> ASGIApp:
        """The application; what is refused gets neither file nor program."""
        routes = [Route("/{name:path}", self._file), WebSocketRoute("/socket", self._socket)]
        asked = Starlette(routes=routes, middleware=[Middleware(GZipMiddleware)])

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            connection = HTTPConnection(scope)
            refusal = self._refusal(connection)
            if refusal is None:
                await asked(scope, receive, send)
            elif scope["type"] == "websocket":
                await WebSocket(scope, receive, send).send_denial_response(refusal)
            else:
                await refusal(scope, receive, send)

        return guarded

    def _refusal(self, asked: HTTPConnection) -> Response | None:
        found = self._guard.refusal(asked)
        if found is not None:
            return PlainTextResponse(found[1], found[0], HEADERS)
        if asked.scope["type"] == "websocket" and "origin" not in asked.headers:
            return PlainTextResponse("only the page may ask here", 403, HEADERS)
        token = asked.query_params.get("token")
        if token is not None and compare_digest(token.encode(), self._token.encode()):
            answer = RedirectResponse("/", 303, HEADERS)
            answer.set_cookie(self._cookie, self._pass, httponly=True, samesite="strict")
            return answer
        if not compare_digest(asked.cookies.get(self._cookie, "").encode(), self._pass.encode()):
            return PlainTextResponse(NO_ENTRY, 401, HEADERS)
        return None

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in FILES:
            return PlainTextResponse("there is no such page", 404, HEADERS)
        return Response(self._files[name], 200, HEADERS, media_type=FILES[name])

    async def _socket(self, socket: WebSocket) -> None:
        await socket.accept()
        page = SocketPage(socket)
        with suppress(WebSocketDisconnect, TimeoutError):
            opening = await asyncio.wait_for(page.hear(), OPENING_S)
            match opening:
                case ["open", str(run), int(columns), int(lines)]:
                    await self._visit(page, run, (columns, lines))
        await page.leave()

    async def _visit(self, page: "SocketPage", run: str, size: tuple[int, int]) -> None:
        visit = await self.visits.come(run, size, page)
        if visit is None:
            return
        try:
            while visit.take(await page.hear()):
                await visit.pace()
        finally:
            visit.left(page)


class SocketPage:
    """The page at the other end of a socket; implements `Viewer`."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket

    async def hear(self) -> Any:  # Any: JSON
        """The next message; None where it is none; a `WebSocketDisconnect` when the page is gone."""
        text = await self._socket.receive_text()
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return None

    async def show(self, data: bytes) -> None:
        await _while_there(self._socket.send_bytes(data))

    async def say(self, kind: str, words: str) -> None:
        await _while_there(self._socket.send_text(json.dumps([kind, words])))

    async def leave(self) -> None:
        await _while_there(self._socket.close())


async def _while_there(sending: Awaitable[None]) -> None:
    with suppress(WebSocketDisconnect, RuntimeError, OSError):  # starlette: nothing can be sent after the end
        await sending
