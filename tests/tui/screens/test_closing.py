"""Dialogs that have closed."""

import gc

from textual.pilot import Pilot
from textual.strip import Strip

from tests.tui.fake_session import FakeSession
from tui.app import SchedlabApp
from tui.screens.cluster import ClusterScreen


def _strips() -> int:
    gc.collect()
    return sum(isinstance(one, Strip) for one in gc.get_objects())


async def _look_at_help(pilot: Pilot[None], times: int) -> None:
    for _ in range(times):
        await pilot.press("question_mark", "escape")
    await pilot.pause()


async def test_a_closed_dialog_leaves_no_drawn_lines_behind() -> None:
    async with SchedlabApp(FakeSession()).run_test(size=(120, 40)) as pilot:
        await _look_at_help(pilot, 3)
        before = _strips()
        await _look_at_help(pilot, 6)

        assert _strips() - before < 40


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
