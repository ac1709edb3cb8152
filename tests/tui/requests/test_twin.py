"""The twin over the screen of a live cluster or a recorded past, and back."""

import asyncio

import pytest
from textual.pilot import Pilot

from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import YarnSource
from tests.engine.live.recorded import FakeServer, connected
from tests.tui.screen_text import screen_text
from tui.app import SchedlabApp
from tui.cli.live import ClusterFiles
from tui.screens.requests import NO_TWIN
from tui.session.live_pictures import LiveConnection, LivePictures
from tui.session.opening import TwinOpener

Opened = tuple[SchedlabApp, LiveConnection]


async def for_ever(seconds: float) -> None:
    await asyncio.Event().wait()


async def live(*, has_twin: bool = True) -> Opened:
    """An app that shows a cluster of which every node is reserved."""
    server = FakeServer("2.7.2-fair-kill")
    view = LivePictures(
        YarnSource(RestClient([f"http://{server.host}"], connected(server)), PollPace()), [], sleep=for_ever
    )
    await view.round()
    opener = TwinOpener("rm1:8088", view.looked_at, ClusterFiles(None, None, None).configuration)
    connection = LiveConnection(view, twin=opener if has_twin else None)
    return SchedlabApp(connection, read_only=True), connection


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()


@pytest.mark.parametrize(
    ("words", "said"), [("twin 10m", "containers whose end is not known run 10m"), ("twin x", "No twin")]
)
async def test_the_command_says_what_to_assume(words: str, said: str) -> None:
    app, _ = await live()
    async with app.run_test(size=(160, 40)) as pilot:
        await press(pilot, "colon", *("space" if letter == " " else letter for letter in words), "enter")

        assert said in screen_text(app)


async def test_the_menu_of_a_cluster_that_is_only_watched_offers_the_twin() -> None:
    app, _ = await live()
    async with app.run_test(size=(160, 40)) as pilot:
        await press(pilot, "a")

        assert "Live or in a log: the twin." in screen_text(app)
        assert "Kill" not in screen_text(app)


async def test_without_a_way_to_make_one_there_is_no_twin() -> None:
    app, _ = await live(has_twin=False)
    async with app.run_test(size=(160, 40)) as pilot:
        await press(pilot, "B")

        assert NO_TWIN in screen_text(app)
