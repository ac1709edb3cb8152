"""Frames stand where their panes stand."""

from rich.style import Style
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.widgets import Static

from tests.tui.screen_text import screen_text
from tui.widgets.pane_frames import PaneFrames


class _Framed(App[None]):
    """One pane, as high as is said."""

    height_of_pane = 3

    def compose(self) -> ComposeResult:
        with PaneFrames({"line": Style(), "text": Style()}, id="panes"):
            yield Static("", id="one")

    def lower_edge(self) -> int:
        """The line of the screen on which the frame ends."""
        return next(y for y, line in enumerate(screen_text(self).splitlines()) if line.startswith("╰"))


async def test_a_frame_follows_a_layout_nobody_asked_it_for() -> None:
    """Rows change what a pane wants; a child that is laid out again moves, and its frame with it."""
    app = _Framed()
    async with app.run_test(size=(20, 10)) as pilot:
        frames = app.query_one(PaneFrames)
        frames.stand(lambda area: {"one": Region(0, 0, 20, app.height_of_pane)}, is_sided=True)
        await pilot.pause()
        before = app.lower_edge()
        app.height_of_pane = 6
        app.query_one("#one").refresh(layout=True)
        await pilot.pause()
        after = app.lower_edge()

    assert (before, after) == (2, 5)
