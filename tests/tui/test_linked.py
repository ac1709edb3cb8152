"""What an application has in other panes stands out while the cursor of one stands on it."""

from tests.tui import fake_holders
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import title_of
from tui.app import SchedlabApp
from tui.terminal.theme import styles

SIZE = (200, 60)


def _accents(app: SchedlabApp, pane: str) -> list[str]:
    """The words of a pane that are drawn in the colour of what the user points at."""
    assert app.cluster is not None
    accent = styles("dark")["accent"]
    shown = app.cluster.pane(pane)
    lines = (shown.render_line(y) for y in range(shown.size.height))
    return [segment.text.strip() for line in lines for segment in line if segment.style == accent]


async def test_an_application_selected_in_one_pane_stands_out_in_the_others() -> None:
    """Its containers and events by their ids, the nodes it has something on by blocks and in the title."""
    app = SchedlabApp(FakeSession(fake_holders.held_cluster()), palette="dark")
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        before = _accents(app, "containers")
        await pilot.press("down")
        await pilot.pause()
        after = _accents(app, "containers"), title_of(app, "nodes")

    assert before == []
    assert after == (["183330"] * 8, "3 Nodes  12 of 12 reserved  183330 on 3")


async def test_a_pane_that_another_key_has_left_does_not_take_the_keys_back() -> None:
    """Of two digits typed at once the second holds, though the pane of the first hears later that it has lost them."""
    app = SchedlabApp(FakeSession(fake_holders.held_cluster()), palette="dark")
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("3", "1")
        assert app.cluster is not None
        left = app.cluster.pane("nodes")
        left.has_focus = True
        left.post_message(left.CursorMoved(left))
        await pilot.pause()

        assert app.cluster.pane_name == "applications"
