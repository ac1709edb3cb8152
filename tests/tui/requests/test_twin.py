"""The twin over the screen of a live cluster or a recorded past, and back."""

import asyncio

import pytest
from textual.pilot import Pilot

from engine.live.rest_client import PollPace, RestClient
from engine.live.yarn_source import YarnSource
from engine.scenario.acts import KillApplication
from tests.engine.live.recorded import FakeServer, connected
from tests.engine.recorded.logs import incident
from tests.tui.screen_text import screen_text
from tui.app import SchedlabApp
from tui.commands.twin_options import ClusterFiles
from tui.requests.twin import BACK, LEAVES, NO_TWIN
from tui.session.live_pictures import LiveConnection, LivePictures
from tui.session.opening import TwinOpener
from tui.session.series_clock import SeriesConnection
from tui.session.session import Session

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


async def test_b_makes_a_twin_in_which_everything_works() -> None:
    """First what was assumed; then a simulation that stands as the cluster stood, and runs."""
    app, _ = await live()
    async with app.run_test(size=(160, 40)) as pilot:
        await press(pilot, "B")
        assert "What is not known was assumed" in screen_text(app)

        await press(pilot, "escape")
        session = app._shared.connection
        assert isinstance(session, Session)
        assert "TWIN of rm1:8088 at " in screen_text(app)
        assert "READ-ONLY" not in screen_text(app)
        assert session.driver.run.simulation.control_plane.view().figures().nodes_reserved == 12

        await session.acts.do(KillApplication((await session.pictures.picture()).snapshot.applications()[3].id))
        assert session.driver.run.simulation.acts


async def test_esc_twice_goes_back_to_what_is_watched() -> None:
    app, connection = await live()
    async with app.run_test(size=(160, 40)) as pilot:
        await press(pilot, "B", "escape", "escape")
        assert LEAVES in screen_text(app)
        assert app._shared.connection is not connection

        await press(pilot, "escape")

        assert app._shared.connection is connection
        assert BACK in screen_text(app)
        assert "LIVE" in screen_text(app)
        await press(pilot, "K")
        assert "Read-only" in screen_text(app)


async def test_a_key_between_two_esc_stays_in_the_twin() -> None:
    app, connection = await live()
    async with app.run_test(size=(160, 40)) as pilot:
        await press(pilot, "B", "escape", "escape", "2", "escape")

        assert app._shared.connection is not connection


@pytest.mark.parametrize(
    ("words", "said"), [("twin 10m", "containers whose end is not known run 10m"), ("twin x", "No twin")]
)
async def test_the_command_says_what_to_assume(words: str, said: str) -> None:
    app, _ = await live()
    async with app.run_test(size=(160, 40)) as pilot:
        await press(pilot, "colon", *("space" if letter == " " else letter for letter in words), "enter")

        assert said in screen_text(app)


async def test_the_command_in_a_twin_makes_it_anew() -> None:
    app, connection = await live()
    async with app.run_test(size=(160, 40)) as pilot:
        await press(pilot, "B", "escape")
        first = app._shared.connection
        await press(pilot, "colon", *"twin", "space", *"10m", "enter")

        assert "containers whose end is not known run 10m" in screen_text(app)
        assert app._shared.connection not in (first, connection)
        await press(pilot, "escape", "escape", "escape")
        assert app._shared.connection is connection


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


async def test_a_log_has_a_twin_at_the_instant_looked_at() -> None:
    connection = SeriesConnection(incident())
    connection.twin = TwinOpener("x.log", connection.place.snapshot, ClusterFiles(None, None, None).configuration)
    app = SchedlabApp(connection, read_only=True)
    async with app.run_test(size=(160, 40)) as pilot:
        await press(pilot, "[", "B", "escape")
        snapshot = connection.place.snapshot()

        session = app._shared.connection
        assert isinstance(session, Session)
        assert connection.place.time_ms == snapshot.header.time_ms == session.driver.run.simulation.now_ms
        assert "TWIN of x.log" in screen_text(app)
