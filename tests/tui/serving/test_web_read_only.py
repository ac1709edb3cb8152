"""`schedlab web` with the real program: visitors look only, save to their own side, and see no secret anywhere."""

import asyncio
import base64
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from tests import PATIENCE_S
from tests.tui.serving.web_page import VisitingPage
from tui.actions import ACTIONS

pytestmark = pytest.mark.slow


@asynccontextmanager
async def web_command(folder: Path, *words: str) -> AsyncIterator[tuple[str, list[str]]]:
    """The command, which is run in a folder: its address, and what it has said when it has ended."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tui", *words, "--web", "--listen", "0"), stderr=subprocess.PIPE, cwd=folder
    )
    assert process.stderr is not None
    said = [(await process.stderr.readline()).decode()]
    found = re.search(r"http://\S+/\?token=\S+", said[0])
    assert found is not None, said
    try:
        yield found[0], said
    finally:
        process.send_signal(signal.SIGINT)
        said += (await process.stderr.read()).decode().splitlines()
        assert await process.wait() == 130


@asynccontextmanager
async def visited(folder: Path, *words: str) -> AsyncIterator[tuple[VisitingPage, list[str]]]:
    """A page of the command, and what the command has said when it has ended."""
    async with web_command(folder, *words) as (url, said):
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            await client.get(url)
            cookie = "; ".join(f"{name}={text}" for name, text in client.cookies.items())
        address = url.split("/")[2]
        origin: Any = f"http://{address}"
        async with connect(f"ws://{address}/socket", origin=origin, additional_headers={"Cookie": cookie}) as wire:
            page = VisitingPage(wire)
            await page.send("open", "", 120, 40)
            await page.draws(b"keys")
            yield page, said


async def test_no_act_is_done_and_nothing_is_written(tmp_path: Path) -> None:
    """Key by key; what is saved is a download; the token is said once, by the command alone."""
    folder = tmp_path / "here"
    folder.mkdir()
    async with visited(folder, "open", "reservation-deadlock", "--at", "10:43", "--paused") as (page, said):
        keys = [key for action in ACTIONS if action.changes_cluster for key in action.keys if len(key) == 1]
        assert len(keys) > 10
        for key in keys:
            await page.send("keys", key)
            await page.draws(b"nothing here changes the cluster")
            await page.send("keys", "c")
            await page.draws(b"Copied")
        await page.send("keys", "z")
        sent = re.findall(rb"\x1b\]1337;File=name=([^;]+);[^:]*:([^\x07]+)\x07", await page.draws(b"Sent "))
        files = {base64.b64decode(name).decode(): base64.b64decode(data).decode() for name, data in sent}

    text = next(files[name] for name in files if name.endswith(".txt"))
    assert [name.rpartition(".")[2] for name in files] == ["svg", "txt"]
    assert ("183354  pyspark" in text, "FROZEN 1h38m" in text, "READ-ONLY" in text) == (True, True, True)
    assert (list(folder.iterdir()), len(said), "".join(said).count("token=")) == ([], 2, 1)


async def test_with_acts_a_visitor_acts(tmp_path: Path) -> None:
    async with visited(tmp_path, "open", "three-schedulers-fifo", "--acts", "--at", "+10s", "--paused") as (page, _):
        await page.send("keys", "K")
        assert b"Read-only" not in await page.draws(b"Kill")
