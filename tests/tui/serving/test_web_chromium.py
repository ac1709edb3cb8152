"""`schedlab web` in a real browser. Pictures go to the folder that `SCHEDLAB_SCREENSHOTS` names, if it does."""

import asyncio
import os
from pathlib import Path

import pytest

from tests import PATIENCE_S
from tests.invoke import said
from tests.tui.serving.chromium import CHROMIUM, chromium
from tests.tui.serving.test_web_read_only import web_command

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium is found: apt-get install chromium"),
]

OPENED = ("open", "reservation-deadlock", "--at", "10:43", "--paused")
SAID = "document.getElementById('said').textContent"


def kept(name: str, picture: bytes) -> bytes:
    """A screenshot, and in a file where somebody wants it."""
    if folder := os.environ.get("SCHEDLAB_SCREENSHOTS"):
        (Path(folder) / f"{name}.png").write_bytes(picture)
    return picture


async def test_the_program_is_used_in_a_browser(tmp_path: Path) -> None:
    """Main screen, key, click, resize, reload: as in a terminal, and nobody else is asked for anything."""
    picture = tmp_path / "screen.txt"
    async with (
        chromium(tmp_path / "profile") as browser,
        web_command(tmp_path, "--acts", *OPENED) as (url, _),
        browser.tab() as tab,
    ):
        await tab.size(1300, 800)
        await tab.open(url)
        await tab.screen("? keys")
        lines = await tab.screen("│▌  183354")
        columns, rows = await tab.value("[terminal.cols, terminal.rows]")
        size = f"{columns}x{rows}"
        command = ["picture", *OPENED[1:4], "--size", size, "-o", str(picture)]
        assert (await asyncio.to_thread(said, "", command)).exit_code == 0
        assert await tab.value("location.href") == url.partition("?")[0]
        assert lines[: rows // 2] == picture.read_text(encoding="utf-8").split("\n")[: rows // 2]
        kept("main", await tab.picture())

        await tab.press("3")
        await tab.screen("1 of 12")
        await tab.until("document.activeElement.className", "xterm-helper-textarea")
        await tab.press("1")
        await tab.screen("1 of 89")
        row = next(at for at, line in enumerate(await tab.screen("183383")) if "183383" in line)
        await tab.click(10, row)
        await tab.screen("2 of 89")
        await tab.screen("frees 1 node, loses nothing")  # tried on a copy: the last that comes
        before = await tab.picture()
        while before != (before := kept("clicked", await tab.picture())):
            await tab.screen("2 of 89")  # the terminal has it before the page draws it

        await tab.value("window.isOld = true")
        await tab.call("Page.reload")
        await tab.until("typeof window.isOld", "undefined")
        async with asyncio.timeout(PATIENCE_S):
            while kept("reloaded", await tab.picture()) != before:
                await tab.screen("183383")  # it is drawn for another height first
        await tab.click(10, row - 2)
        await tab.screen("183354 pyspark weekly model")

        await tab.size(800, 500)
        await tab.screen("Fair 2.7.2")
        assert await tab.value("terminal.cols < 100 && terminal.rows < 30") is True
        kept("narrow", await tab.picture())
        assert {asked.split("/")[2] for asked in tab.asked if not asked.startswith("data:")} == {url.split("/")[2]}


async def test_visitors_apart_and_one_too_many(tmp_path: Path) -> None:
    """Two have a program each; the third is told; read-only holds; others get no program."""
    async with chromium(tmp_path / "profile") as browser, web_command(tmp_path, "--visitors", "2", *OPENED) as (url, _):
        page = url.partition("?")[0]
        async with browser.tab() as stranger:
            await stranger.open(page)
            await stranger.until("document.body.textContent", "Open the address that `schedlab web` has printed")
        async with browser.tab() as one, browser.tab() as two, browser.tab() as three:
            await one.open(url)
            await one.screen("? keys")
            await two.open(page)
            await two.screen("? keys")
            assert await one.value("sessionStorage.run") != await two.value("sessionStorage.run")
            await three.open(page)
            await three.until(SAID, "There is no room: 2 others are here.")
            kept("full", await three.picture())
            await one.press("K")
            await one.screen("Read-only: nothing here changes the cluster.")
            kept("read-only", await one.picture())
            assert "Read-only" not in "\n".join(await two.screen("? keys"))
            await three.open("about:blank")
            refused = await three.value(
                f"new Promise((done) => {{ const one = new WebSocket('ws{page.removeprefix('http')}socket');"
                " one.onopen = () => done('open'); one.onerror = () => done('refused'); })"
            )
            assert refused == "refused"
            blocked = "fetch('http://127.0.0.1:9/').then(() => 'asked', (error) => error.message)"
            assert await one.value(blocked) == "Failed to fetch"
            await one.press("q")
            await one.until(SAID, "The program has ended. Press a key to begin again.")
            await one.press("x")
            await one.screen("? keys")
