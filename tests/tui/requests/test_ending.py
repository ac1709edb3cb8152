"""How expectations came out is shown when a scenario has ended."""

from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_text
from tui.app import SchedlabApp
from tui.protocol.picture import ExpectationResult

MISSED = ExpectationResult("failed", "nobody waits", "applications count = 0; it was 3", 1510362060000)
MET = ExpectationResult("met", "", "cluster nodes = 12", 1510362061000)


async def test_expectations_are_shown_once_the_missed_first() -> None:
    session = FakeSession()
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(100, 24)) as pilot:
        session.change(ended=True, judged=(MET, MISSED))
        await pilot.pause()
        text = screen_text(app)
        await pilot.press("escape")
        session.change()
        await pilot.pause()
        after = screen_text(app)

    assert "1 of 2 expectations met" in text
    assert "MISSED  Sat 09:01:00  nobody waits: applications count = 0; it was 3" in text
    assert text.index("MISSED") < text.index("cluster nodes = 12")
    assert "expectations met" not in after


async def test_expectations_wait_for_what_is_on_top() -> None:
    session = FakeSession()
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.press("question_mark")
        session.change(ended=True, judged=(MET,))
        await pilot.pause()
        meanwhile = screen_text(app)
        await pilot.press("escape")
        session.change()
        await pilot.pause()

        assert ("expectations met" in meanwhile, "expectations met" in screen_text(app)) == (False, True)
