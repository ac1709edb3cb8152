"""What names, keys and titles hold does not reach the terminal of a screen."""

from pathlib import Path

from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tui.app import SchedlabApp
from tui.terminal.edges import CONTROLS

HOSTILE = "\x1b]52;c;aGk=\x07\x9b31m\u202e\x7f\r\n\t[bold]x[/y]\ud800"


async def test_no_screen_lets_a_name_through(tmp_path: Path) -> None:
    """Rows, strips, titles, dialogs and forms are drawn, and no line of them drives a terminal."""
    rows = [fakes.application_row(7, name=HOSTILE, user=HOSTILE, queue=f"root.{HOSTILE}")]
    queues = [fakes.queue_row(f"root.{HOSTILE}")]
    snapshot = fakes.FakeSnapshot(fakes.header(), applications=rows, queues=queues, nodes=[fakes.node_row(HOSTILE)])
    app = SchedlabApp(FakeSession(snapshot), save_folder=tmp_path)
    drawn = ""
    async with app.run_test(size=(120, 40)) as pilot:
        for key in ("1", "d", "w", "y", "K", "M", "a", "2", "E", "3", "S", "question_mark", "f7", "5", "z"):
            await pilot.press(key)
            await pilot.pause()
            drawn += "".join(strip.text for strip in app.screen._compositor.render_strips())
            await pilot.press(*(["escape"] if app.screen is not app.cluster else []))

    assert r"\u009b31m" in drawn
    assert CONTROLS.findall(drawn) == []


async def test_what_is_copied_gives_no_order_where_it_is_pasted() -> None:
    app = SchedlabApp(FakeSession())
    async with app.run_test():
        app.copy_to_clipboard("a\x1b[31m")

        assert app.clipboard == "a\\u001b[31m"
