"""A trainee with somebody beside: what is seen of the screen, and how messages come."""

from tests.tui.screen_text import screen_text
from tests.tui.test_drill import begin, briefed, press
from tui.screens.page import PageScreen


async def test_the_watch_sees_pane_row_filter_keys_and_what_is_on_top() -> None:
    async with briefed() as (app, pilot, play):
        brief, begun = play.screen().name, play.has_begun
        await begin(pilot, play)
        await press(pilot, "3", "j")
        await press(pilot, "slash", "n", "2", "enter")
        seen = play.screen()
        await press(pilot, "H")
        menu = play.screen().name
        lines = play.screen_lines()
        assert app.cluster is not None
        drawn = app.cluster.drawn_lines()

    assert (brief, begun, play.has_begun) == ("the brief", False, True)
    assert (seen.name, seen.pane, seen.words) == ("the cluster", "nodes", "n2")
    assert seen.selected.startswith("n2")
    assert seen.keys == ("enter", "3", "j", "/", "n", "2", "enter")
    assert menu == "a menu"
    assert list(lines) == drawn
    assert "Nodes" in "\n".join(lines)


async def test_a_message_opens_over_the_cluster_and_stays_in_the_menu() -> None:
    async with briefed() as (app, pilot, play):
        await begin(pilot, play)
        await press(pilot, "slash")
        _ = play.receive("the data team lead", "Is it back?")
        await app._look_on()
        while_typing = app.screen is app.cluster
        await press(pilot, "escape")
        await app._look_on()
        await pilot.pause()
        page, text = isinstance(app.screen, PageScreen), screen_text(app)
        await press(pilot, "escape", "H")
        _ = play.receive("Ann", "Hurry.")
        await app._look_on()
        over_menu = isinstance(app.screen, PageScreen)
        await press(pilot, "m")
        again = screen_text(app)

    assert (while_typing, page, over_menu) == (True, True, False)
    assert "From the data team lead" in text
    assert "Is it back?" in text
    assert "the data team lead, +0m00s: Is it back?" in again
    assert [message.words for message in play.unread] == ["Hurry."]
