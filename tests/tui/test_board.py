"""Which panes are on screen and which one has the keys."""

from pathlib import Path

import pytest

from engine.model.decision import Allocated, ApplicationTransitioned
from engine.observe.snapshots import waits_of
from tests.tui import fakes
from tests.tui.fake_session import FakeSession, fake_app
from tests.tui.screen_text import board_of, press, screen_lines, screen_text, title_of, way_of
from tests.tui.small_run import by_hand
from tui.app import SchedlabApp
from tui.board.dialects import YARN
from tui.screens.page import PageScreen
from tui.session.alert_monitor import event_row
from tui.terminal.theme import StyleTable


async def test_tab_goes_round_the_panes() -> None:
    """As many tabs as there are panes come back to the first; shift goes the other way."""
    app = fake_app()
    seen = []
    async with app.run_test(size=(80, 24)) as pilot:
        for key in (*["tab"] * len(YARN.titles), "shift+tab"):
            await pilot.press(key)
            seen.append(board_of(app).active.view.name)

    first, *others = YARN.titles
    assert seen == [*others, first, others[-1]]


async def test_zoom_gives_a_pane_the_whole_screen() -> None:
    app = fake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        whole = screen_text(app)
        await press(pilot, "f")
        zoomed = screen_text(app)
        await press(pilot, "escape")
        back = screen_text(app)

    assert ("3 Nodes  12" in whole, "3 Nodes  12" in zoomed, back == whole) == (True, False, True)


async def test_a_hidden_pane_gives_its_room_and_comes_back() -> None:
    """The key m takes the pane off the screen, the keys go to the one before; its digit brings it back."""
    app = fake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("4")
        whole = screen_text(app)
        await press(pilot, "m")
        hidden = screen_text(app)
        keys = board_of(app).active.view.name
        await press(pilot, "escape", "4")
        back = screen_text(app)

    is_tab = "4 Reservations 12" in hidden.partition("hidden")[2]
    assert (is_tab, "Hidden: 4 Reservations. 4 brings it back." in hidden) == (True, True)
    assert (keys, whole.splitlines()[:-1] == back.splitlines()[:-1]) == ("applications", True)


async def test_hidden_panes_are_tabs_with_the_number_of_their_rows_and_clicked_there() -> None:
    app = fake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("1")
        row, before = next((row, line) for row, line in enumerate(screen_lines(app)) if "hidden" in line)
        await pilot.click(offset=(before.index("6 Containers") + 2, row))
        await pilot.pause()
        after = screen_lines(app)[row]

    assert before.index("3 Nodes") < before.index("hidden") < before.index("6 Containers")
    assert after.index("6 Containers") < after.index("hidden") < after.index("3 Nodes")


@pytest.mark.long
@pytest.mark.parametrize(("name", "at"), [("reservation-deadlock", "+40m"), ("mr1-slots-of-the-wrong-kind", "+1m")])
async def test_the_counts_of_header_and_title_are_those_of_the_headline(name: str, at: str) -> None:
    session = by_hand(name, at=at, paused=True)
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        lines = screen_text(app).splitlines()
    snapshot = session.picture().snapshot
    waiting = waits_of(snapshot.applications()).number

    assert waiting > snapshot.header.applications_pending
    assert f" waiting {waiting} " in lines[2]
    assert f" {waiting} waiting " in lines[5]


# What an application has in other panes stands out while the cursor of one stands on it.

SIZE = (200, 60)


def _accents(app: SchedlabApp, pane: str) -> list[str]:
    """The words of a pane that are drawn in the colour of what the user points at."""
    accent = StyleTable("dark")["accent"]
    shown = board_of(app).pane(pane)
    lines = (shown.render_line(y) for y in range(shown.size.height))
    return [segment.text.strip() for line in lines for segment in line if segment.style == accent]


async def test_an_application_selected_in_one_pane_stands_out_in_the_others() -> None:
    """Its containers and events by their ids, the nodes it has something on by blocks and in the title."""
    app = SchedlabApp(FakeSession(fakes.held_cluster()), palette="dark")
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        before = _accents(app, "containers")
        await press(pilot, "down")
        after = _accents(app, "containers"), title_of(app, "nodes")

    assert before == []
    assert after == (["183330"] * 8, "3 Nodes  12 of 12 reserved  183330 on 3")


async def test_a_pane_that_another_key_has_left_does_not_take_the_keys_back() -> None:
    """Of two digits typed at once the second holds, though the pane of the first hears later that it has lost them."""
    app = SchedlabApp(FakeSession(fakes.held_cluster()), palette="dark")
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("3", "1")
        left = board_of(app).pane("nodes")
        left.has_focus = True
        left.post_message(left.CursorMoved(left))
        await pilot.pause()

        assert board_of(app).pane_name == "applications"


# Looking at one row: its definition, its events, its page, by keys.


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
    app = fake_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, *keys, "y")
        page = app.screen
        assert isinstance(page, PageScreen)
        await press(pilot, "y")
        is_closed = app.screen is app.cluster

    assert (session.calls[-1], page.text, is_closed) == (asked, f"# a {asked[1]}\n[x] = 1", True)


async def test_a_page_can_be_copied_and_saved(tmp_path: Path) -> None:
    """The key c copies all of it, x writes a file of its kind and says where."""
    app = fake_app(save_folder=tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "2", "y")
        await press(pilot, "c", "x")
        copied, said = app.clipboard, str(app.screen.query_one("#box").border_subtitle)

    file, content = _only_file(tmp_path)
    assert (copied, file.suffix, content) == ("# a queue\n[x] = 1", ".toml", "# a queue\n[x] = 1\n")
    assert (said.startswith("Saved "), "Definition_of_root" in file.name) == (True, True)


async def test_events_of_an_application_and_back() -> None:
    """The key e scopes the events to the row and says so; esc leads back to the row."""
    app = fake_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("e")
        board = board_of(app)
        inside = (board.pane_name, len(board.active.members), "app:183354" in way_of(app, "detail"))
        await pilot.press("escape")
        outside = (board.pane_name, board.active.cursor.id, len(board.pane("events").members))
        await pilot.press("5")
        all_events = len(board.active.members)

    assert (inside, outside[:2], all_events) == (("events", 4, True), ("applications", fakes.BIG), 6)


async def test_events_of_a_queue_are_those_of_its_applications() -> None:
    """Of who is in it and of who comes later, and of queues below it; not of others."""
    session = FakeSession()
    app = fake_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2", "j", "j", "e")
        before = [row.sequence for row in board_of(app).active.members]
        more: list[object] = [
            ApplicationTransitioned(183400, "ACCEPTED", "root.report.daily"),
            Allocated((183400, 1, 1), fakes.node_id(fakes.HOSTS[3]), 1, 4096, 1, "NODE_LOCAL"),
            ApplicationTransitioned(183401, "ACCEPTED", "root.reporting"),
        ]
        session.events = [*session.events, *(event_row(6 + i, fakes.NOW, record) for i, record in enumerate(more))]
        session.change(fakes.frozen_cluster(2))
        await pilot.pause()
        after = [row.sequence for row in board_of(app).active.members]
        title = way_of(app, "detail")

    assert (before, after, "queue:root.report" in title) == ([3, 2, 1, 0], [7, 6, 3, 2, 1, 0], True)


async def test_columns_are_left_out_and_brought_back() -> None:
    """The key F8 lists them; each enter takes one away or back, and the cursor stays on it until esc."""
    app = fake_app()
    async with app.run_test(size=(120, 40)) as pilot:
        pane = board_of(app).pane("applications")
        await press(pilot, "f8", "enter")
        without = pane.visible_text()[0].split()
        await press(pilot, "enter")
        again = pane.visible_text()[0].split()
        await press(pilot, "escape")
        is_closed = app.screen is app.cluster

    assert (set(again) - set(without), is_closed) == ({"NAME"}, True)
