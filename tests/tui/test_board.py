"""Which panes are on screen and which one has the keys."""

import pytest

from engine.observe.snapshots import waits_of
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_lines, screen_text
from tests.tui.small_run import by_hand
from tui.app import SchedlabApp
from tui.board.dialects import YARN


def _app() -> SchedlabApp:
    return SchedlabApp(FakeSession(), ascii_only=True)


async def test_tab_goes_round_the_panes() -> None:
    """As many tabs as there are panes come back to the first; shift goes the other way."""
    app = _app()
    seen = []
    async with app.run_test(size=(80, 24)) as pilot:
        for key in (*["tab"] * len(YARN.titles), "shift+tab"):
            await pilot.press(key)
            assert app.cluster is not None
            seen.append(app.cluster.active.noun.name)

    first, *others = YARN.titles
    assert seen == [*others, first, others[-1]]


async def test_zoom_gives_a_pane_the_whole_screen() -> None:
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        whole = screen_text(app)
        await pilot.press("f")
        await pilot.pause()
        zoomed = screen_text(app)
        await pilot.press("escape")
        await pilot.pause()
        back = screen_text(app)

    assert ("3 Nodes  12" in whole, "3 Nodes  12" in zoomed, back == whole) == (True, False, True)


async def test_a_hidden_pane_gives_its_room_and_comes_back() -> None:
    """The key m takes the pane off the screen, the keys go to the one before; its digit brings it back."""
    app = _app()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("4")
        whole = screen_text(app)
        await pilot.press("m")
        await pilot.pause()
        hidden = screen_text(app)
        assert app.cluster is not None
        keys = app.cluster.active.noun.name
        await pilot.press("escape", "4")
        await pilot.pause()
        back = screen_text(app)

    is_tab = "4 Reservations 12" in hidden.partition("hidden")[2]
    assert (is_tab, "Hidden: 4 Reservations. 4 brings it back." in hidden) == (True, True)
    assert (keys, whole.splitlines()[:-1] == back.splitlines()[:-1]) == ("applications", True)


async def test_hidden_panes_are_tabs_with_the_number_of_their_rows_and_clicked_there() -> None:
    app = _app()
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
    assert (lines[2].split()[-1], f"{waiting} waiting" in lines[4]) == (str(waiting), True)
