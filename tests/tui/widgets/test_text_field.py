"""What can be typed into."""

from tests.tui.fake_session import FakeSession
from tui.app import SchedlabApp
from tui.widgets.text_field import MOST_CHARACTERS, TextField


async def test_a_line_grows_only_so_far() -> None:
    async with SchedlabApp(FakeSession()).run_test(size=(80, 24)) as pilot:
        await pilot.press("colon")
        field = pilot.app.screen.query_one("#prompt TextField, PromptInput", TextField)
        for _ in range(5):
            field.insert_text_at_cursor("x" * 150)

        assert len(field.value) <= MOST_CHARACTERS
