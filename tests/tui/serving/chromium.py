"""A headless Chromium, spoken to by its DevTools protocol."""

import asyncio
import base64
import json
import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from tests import PATIENCE_S

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
"""The program; empty where there is none."""
LINES = """
(() => { const buffer = terminal.buffer.active; const lines = [];
  for (let at = 0; at < terminal.rows; at++) lines.push(buffer.getLine(at).translateToString(true));
  return lines.join("\\n"); })()
"""


class Tab:
    """One page, with what it has asked the network for."""

    def __init__(self, wire: ClientConnection) -> None:
        self._wire = wire
        self._numbers = count(1)
        self.asked: list[str] = []

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        await self._wire.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            heard = json.loads(await asyncio.wait_for(self._wire.recv(), PATIENCE_S))
            if heard.get("method") == "Network.requestWillBeSent":
                self.asked.append(heard["params"]["request"]["url"])
            if heard.get("method") == "Network.webSocketCreated":
                self.asked.append(heard["params"]["url"])
            if heard.get("id") == number:
                assert "error" not in heard, heard
                result: dict[str, Any] = heard["result"]
                return result

    async def value(self, expression: str) -> Any:
        """The value of an expression in the page, waited for."""
        found = await self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        return found["result"].get("value")

    async def until(self, expression: str, words: str) -> str:
        """Wait until the value of an expression has these words; the value."""
        async with asyncio.timeout(PATIENCE_S):
            while words not in (found := str(await self.value(expression))):  # noqa: ASYNC110 -- a page has no event
                await asyncio.sleep(0.05)
        return found

    async def screen(self, words: str) -> list[str]:
        """Wait until the terminal shows these words; its lines."""
        return [line.rstrip() for line in (await self.until(LINES, words)).split("\n")]

    async def open(self, url: str) -> None:
        for domain in ("Page", "Runtime", "Network"):
            await self.call(f"{domain}.enable")
        await self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        await self.call("Page.navigate", url=url)

    async def size(self, width: int, height: int) -> None:
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    async def press(self, key: str) -> None:
        await self.call("Input.dispatchKeyEvent", type="keyDown", text=key, key=key)
        await self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def click(self, column: int, line: int) -> None:
        box = await self.value(
            "(() => { const box = document.querySelector('.xterm-screen').getBoundingClientRect();"
            " return [box.left, box.top, box.width / terminal.cols, box.height / terminal.rows]; })()"
        )
        x, y = box[0] + (column + 0.5) * box[2], box[1] + (line + 0.5) * box[3]
        for kind in ("mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def picture(self) -> bytes:
        return base64.b64decode((await self.call("Page.captureScreenshot", format="png"))["data"])


class Chromium:
    """A browser that runs."""

    def __init__(self, port: int) -> None:
        self._address = f"127.0.0.1:{port}"

    @asynccontextmanager
    async def tab(self) -> AsyncIterator[Tab]:
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            found = (await client.put(f"http://{self._address}/json/new?about:blank")).json()
        async with connect(found["webSocketDebuggerUrl"], max_size=None) as wire:
            yield Tab(wire)


@asynccontextmanager
async def chromium(folder: Path) -> AsyncIterator[Chromium]:
    """A browser with a profile of its own."""
    options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--no-first-run")
    process = await asyncio.create_subprocess_exec(
        *(CHROMIUM, *options, "--disable-background-networking", f"--user-data-dir={folder}", "about:blank"),
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        place = folder / "DevToolsActivePort"
        async with asyncio.timeout(PATIENCE_S):
            while not place.is_file() or not place.read_text().strip():  # noqa: ASYNC110 -- a file has no event
                await asyncio.sleep(0.05)
        yield Chromium(int(place.read_text().split()[0]))
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
