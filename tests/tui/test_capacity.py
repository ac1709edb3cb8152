"""The app before a CapacityScheduler, on packaged scenarios with the clock standing."""

from tests.tui.screen_text import screen_text
from tests.tui.small_run import by_hand
from tui.app import SchedlabApp
from tui.screens.help import HelpScreen
from tui.screens.menu import MenuScreen


async def test_the_reservation_rule_is_offered_nowhere() -> None:
    """A thing of FairScheduler: not in the hints, the menu of acts, the help or the commands; its key says why."""
    app = SchedlabApp(by_hand("prod-dev-capacity", at="+1m", paused=True), ascii_only=True)
    async with app.run_test(size=(200, 60)) as pilot:
        await pilot.pause()
        hints = screen_text(app).splitlines()[-1]
        await pilot.press("a")
        menu = app.screen
        assert isinstance(menu, MenuScreen)
        offered = [choice.value for choice in menu.choices]
        await pilot.press("escape", "question_mark")
        shown = app.screen
        assert isinstance(shown, HelpScreen)
        helped = shown.text
        await pilot.press("escape", "R")
        await pilot.pause()
        said = screen_text(app).splitlines()[-1]

    assert ("preempt" in hints, "resv" in hints) == (True, False)
    assert ("cluster_acts.toggle_preemption" in offered, "cluster_acts.cycle_reservation" in offered) == (True, False)
    assert ("reservation rule" in helped, "strict" in helped) == (False, False)
    assert "no reservation rule to change" in said
