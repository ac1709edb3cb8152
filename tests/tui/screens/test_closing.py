"""Dialogs that have closed."""

from tests.tui.fake_session import FakeSession
from tui.app import SchedlabApp
from tui.screens.cluster import ClusterScreen


async def test_keys_in_one_breath_find_no_dialog_that_is_half_there() -> None:
    """What is pressed before a question stands on the screen neither breaks it nor answers it."""
    session = FakeSession()
    async with SchedlabApp(session).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        board = pilot.app.screen
        assert isinstance(board, ClusterScreen)
        board.perform("application_acts.kill")
        half = pilot.app.screen
        for call in ("other", "press", "answer(True)"):
            await half.run_action(call)
        await pilot.pause()

        assert (half is board, pilot.app.screen is half, session.calls) == (False, True, [("hold", True)])
