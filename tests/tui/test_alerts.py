"""The list of alerts, and what the header says of the mode."""

import pytest

from engine.explain.alert import Alert
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_lines, screen_text
from tests.tui.small_run import by_hand, now
from tui.app import SchedlabApp
from tui.screens.menu import MenuScreen
from tui.screens.program import alert_choices

FIRST = Alert("frozen", fakes.NOW - 60_000, fakes.NOW - 59_000, "Nothing moves", "deadlocked", "", (183354,))
LATER = Alert("over", fakes.NOW - 1_000, fakes.NOW + 1_000, "It is over")


def test_alerts_are_listed_with_their_times_the_latest_first() -> None:
    """Those found up to the instant looked at."""
    session = FakeSession(alerts=(FIRST, LATER))
    first = alert_choices(now(session.picture()))
    session.change(fakes.frozen_cluster(2, time_ms=fakes.NOW + 2_000))
    later = alert_choices(now(session.picture()))

    assert [(one.letter, one.words, one.value) for one in first] == [("1", "Sat 09:00:00  Nothing moves", "183354")]
    assert [one.value for one in later] == ["", "183354"]


@pytest.mark.parametrize("way", ["key", "header"])
async def test_an_alert_leads_to_its_application_and_esc_comes_back(way: str) -> None:
    """By F7 or a click on the alert in the header."""
    app = SchedlabApp(FakeSession(alerts=(FIRST,)), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("2")
        if way == "key":
            await pilot.press("f7")
        else:
            await pilot.click("#header", offset=(3, 1))
        await pilot.pause()
        opened = isinstance(app.screen, MenuScreen)
        await pilot.press("enter")
        await pilot.pause()
        assert app.cluster is not None
        there = (app.cluster.pane_name, app.cluster.active.cursor_id)
        await pilot.press("escape")
        back = app.cluster.pane_name

    assert (opened, there, back) == (True, ("applications", fakes.BIG), "queues")


async def test_the_last_allocation_stands_over_the_events_while_nothing_is_allocated() -> None:
    """In place of the titles, which come back when the freeze is over."""
    freeze = Alert("frozen", fakes.NOW - 20_000, fakes.NOW - 20_000, "Nothing moves", "deadlocked")
    session = FakeSession(alerts=(freeze,), standing=(freeze,))
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5")
        assert app.cluster is not None
        frozen = app.cluster.active.visible_text()[0]
        session.change(standing=())
        await pilot.pause()
        over = app.cluster.active.visible_text()[0].split()

    assert frozen == " 09:00:31  LAST ALLOC 183342 4G/1c on .100; nothing since, for 28s"
    assert over == ["TIME", "WHAT", "APP"]


async def test_without_alerts_that_is_said() -> None:
    """Instead of an empty list."""
    app = SchedlabApp(FakeSession(), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f7")
        await pilot.pause()
        words = screen_text(app)

    assert "Nothing was found to be wrong so far." in words


def test_the_session_tells_what_was_found() -> None:
    """The incident of the shipped scenario stands in its list."""
    session = by_hand("reservation-deadlock", at="09:10", paused=True)

    assert any(alert.kind == "frozen" for alert in session.picture().run.alerts)


@pytest.mark.parametrize("size", [(40, 8), (80, 24), (120, 40)])
async def test_read_only_is_on_screen_at_every_size(size: tuple[int, int]) -> None:
    """Beside the clock, which goes last."""
    app = SchedlabApp(FakeSession(), ascii_only=True, read_only=True)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        lines = screen_lines(app)[:2]

    assert "READ-ONLY" in " ".join(lines)
