"""A page of `schedlab web` without a browser: it has the cookie, and speaks through the socket."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from tests import PATIENCE_S
from tests.tui.small_run import Wall
from tui.serving.serve_limits import answering
from tui.serving.web_app import LARGEST_MESSAGE, WebApp
from tui.serving.web_program import ProcessLimits, PtyProgram, VisitLimits

TOKEN = "token-of-the-test"
ECHO = ("/bin/sh", "-c", "stty raw -echo; printf '\\033[?1049h\\033[?25lready'; exec cat")
"""Says that it is there, then what is typed."""
CONFINES = ProcessLimits(memory_mb=512, cpu_s=60, file_bytes=0)


class Site:
    """A server, and who visits it."""

    def __init__(self, served: WebApp, address: str, wall: Wall) -> None:
        self.served, self.address, self.wall = served, address, wall
        self.client = httpx.AsyncClient(base_url=f"http://{address}", timeout=PATIENCE_S)

    async def enter(self) -> None:
        await self.client.get("/", params={"token": TOKEN})

    @asynccontextmanager
    async def page(self, run: str = "", size: tuple[int, int] = (80, 24)) -> AsyncIterator["VisitingPage"]:
        """A page that asks for a program."""
        cookie = "; ".join(f"{name}={text}" for name, text in self.client.cookies.items())
        origin: Any = f"http://{self.address}"
        url = f"ws://{self.address}/socket"
        async with connect(url, origin=origin, additional_headers={"Cookie": cookie}) as wire:
            one = VisitingPage(wire)
            await one.send("open", run, *size)
            yield one


class VisitingPage:
    """What a page hears."""

    def __init__(self, wire: ClientConnection) -> None:
        self.wire = wire
        self.drawn = b""
        """Everything that was drawn so far."""

    async def send(self, *message: object) -> None:
        await self.wire.send(json.dumps(message))

    async def told(self) -> tuple[str, str]:
        """What it is told next, beside what is drawn."""
        while True:
            heard = await asyncio.wait_for(self.wire.recv(), PATIENCE_S)
            if isinstance(heard, str):
                kind, words = json.loads(heard)
                return kind, words
            self.drawn += heard

    async def draws(self, words: bytes) -> bytes:
        """Wait until this is drawn; everything that was drawn since the last time."""
        while words not in self.drawn:
            heard = await asyncio.wait_for(self.wire.recv(), PATIENCE_S)
            self.drawn += heard if isinstance(heard, bytes) else b""
        found, self.drawn = self.drawn, b""
        return found


def program(command: Sequence[str], size: tuple[int, int], confines: ProcessLimits) -> PtyProgram:
    """A program in place of the real one."""
    return PtyProgram(command, {"PATH": "/usr/bin:/bin", "PYTHONPATH": "", "LC_ALL": "C.UTF-8"}, size, confines)


@asynccontextmanager
async def site(
    command: Sequence[str] = ECHO, visitors: int = 2, confines: ProcessLimits = CONFINES
) -> AsyncIterator[Site]:
    """A server on loopback whose visitors get a program each."""
    wall = Wall()
    limits = VisitLimits(visitors, 1800.0, confines)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        served = WebApp(partial(program, command), limits, TOKEN, address, wall=wall)
        server = answering(served.app(), ws="websockets-sansio", ws_max_size=LARGEST_MESSAGE)
        task = asyncio.create_task(server.serve([listener]))
        while not server.started:  # noqa: ASYNC110 -- uvicorn has no event for it
            await asyncio.sleep(0)
        found = Site(served, address, wall)
        try:
            async with found.client:
                yield found
        finally:
            await served.visits.close()
            server.should_exit = True
            await task


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", code)
