"""Looking at one row: its definition, its events, its page, by keys."""

from pathlib import Path
from typing import Any

import pytest

from engine.model.decision import Allocated, ApplicationTransitioned
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import way_of
from tui.app import SchedlabApp
from tui.screens.cluster import ClusterScreen
from tui.screens.page import PageScreen
from tui.session.alert_monitor import event_row


def _app(session: FakeSession | None = None, **options: Any) -> SchedlabApp:
    return SchedlabApp(session or FakeSession(), ascii_only=True, **options)


def _board(app: SchedlabApp) -> ClusterScreen:
    assert app.cluster is not None
    return app.cluster


def _only_file(folder: Path) -> tuple[Path, str]:
    (file,) = folder.iterdir()
    return file, file.read_text()


@pytest.mark.parametrize(
    ("keys", "asked"),
    [
        (["1"], ("definition", "application", fakes.BIG)),
        (["2"], ("definition", "queue", "root")),
        (["3"], ("definition", "node", fakes.node_id(fakes.HOSTS[0]))),
        (["4"], ("definition", "application", fakes.BIG)),
        (["5", "G"], ("definition", "application", fakes.BIG)),
    ],
)
async def test_every_row_leads_to_a_definition(keys: list[str], asked: tuple[str, ...]) -> None:
    """The key y asks for what the row is about and shows it as a page; y closes it again."""
    session = FakeSession()
    app = _app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*keys, "y")
        await pilot.pause()
        page = app.screen
        assert isinstance(page, PageScreen)
        await pilot.press("y")
        await pilot.pause()
        is_closed = app.screen is app.cluster

    assert (session.calls[-1], page.text, is_closed) == (asked, f"# a {asked[1]}\n[x] = 1", True)


async def test_a_page_can_be_copied_and_saved(tmp_path: Path) -> None:
    """The key c copies all of it, x writes a file of its kind and says where."""
    app = _app(save_folder=tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("2", "y")
        await pilot.pause()
        await pilot.press("c", "x")
        await pilot.pause()
        copied, said = app.clipboard, str(app.screen.query_one("#box").border_subtitle)

    file, content = _only_file(tmp_path)
    assert (copied, file.suffix, content) == ("# a queue\n[x] = 1", ".toml", "# a queue\n[x] = 1\n")
    assert (said.startswith("Saved "), "Definition_of_root" in file.name) == (True, True)


async def test_events_of_an_application_and_back() -> None:
    """The key e scopes the events to the row and says so; esc leads back to the row."""
    app = _app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("e")
        board = _board(app)
        inside = (board.pane_name, len(board.active.members), "app:183354" in way_of(app, "detail"))
        await pilot.press("escape")
        outside = (board.pane_name, board.active.cursor_id, len(board.pane("events").members))
        await pilot.press("5")
        all_events = len(board.active.members)

    assert (inside, outside[:2], all_events) == (("events", 4, True), ("applications", fakes.BIG), 6)


async def test_events_of_a_queue_are_those_of_its_applications() -> None:
    """Of who is in it and of who comes later, and of queues below it; not of others."""
    session = FakeSession()
    app = _app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2", "j", "j", "e")
        before = [row.sequence for row in _board(app).active.members]
        more: list[object] = [
            ApplicationTransitioned(183400, "ACCEPTED", "root.report.daily"),
            Allocated((183400, 1, 1), fakes.node_id(fakes.HOSTS[3]), 1, 4096, 1, "NODE_LOCAL"),
            ApplicationTransitioned(183401, "ACCEPTED", "root.reporting"),
        ]
        session.events = [*session.events, *(event_row(6 + i, fakes.NOW, record) for i, record in enumerate(more))]
        session.change(fakes.frozen_cluster(2))
        await pilot.pause()
        after = [row.sequence for row in _board(app).active.members]
        title = way_of(app, "detail")

    assert (before, after, "queue:root.report" in title) == ([3, 2, 1, 0], [7, 6, 3, 2, 1, 0], True)


async def test_columns_are_left_out_and_brought_back() -> None:
    """The key F8 lists them; each enter takes one away or back, and the cursor stays on it until esc."""
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        pane = _board(app).pane("applications")
        await pilot.press("f8", "enter")
        await pilot.pause()
        without = pane.visible_text()[0].split()
        await pilot.press("enter")
        await pilot.pause()
        again = pane.visible_text()[0].split()
        await pilot.press("escape")
        await pilot.pause()
        is_closed = app.screen is app.cluster

    assert (set(again) - set(without), is_closed) == ({"NAME"}, True)
