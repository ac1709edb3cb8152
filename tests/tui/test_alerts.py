"""The list of alerts, and what the header says of the mode."""

import pytest

from engine.explain.alert import Alert
from tests.tui import fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import board_of, press, screen_lines, screen_text
from tests.tui.small_run import now
from tui.app import SchedlabApp
from tui.board.dialects import YARN
from tui.pages.alerts import listed
from tui.protocol.picture import Track

FIRST = Alert("frozen", fakes.NOW - 60_000, fakes.NOW - 59_000, "Nothing moves", "deadlocked", "", (183354,))
STUCK = Alert("stuck", fakes.NOW - 40_000, fakes.NOW - 30_000, "x: 183360 is stuck", "blocked", applications=(183360,))
LOST = Alert("lost", fakes.NOW - 50_000, fakes.NOW - 50_000, "node n7:8041 is lost", node="n7:8041")
OVER = Alert("over", FIRST.since_ms, fakes.NOW + 1_000, "It is over")
TERMS = YARN.terms.of_badges()


def _words(session: FakeSession) -> list[tuple[str, bool, int | None]]:
    found = listed(now(session.picture()), TERMS)
    return [(each.word, each.is_now, each.episode.until_ms) for each in found]


def test_what_stands_is_listed_before_what_is_over_the_worst_first_then_the_newest() -> None:
    """Up to the instant looked at; an end is no alert of its own."""
    session = FakeSession(alerts=(LOST, FIRST, STUCK, OVER))
    first = _words(session)
    session.change(fakes.frozen_cluster(2, time_ms=fakes.NOW + 2_000))

    assert first == [
        ("FROZEN", True, None),
        ("STUCK", True, None),
        ("QUEUE STARVED", True, None),
        ("NODE LOST", True, None),
    ]
    assert _words(session) == [
        ("STUCK", True, None),
        ("QUEUE STARVED", True, None),
        ("NODE LOST", True, None),
        ("FROZEN", False, OVER.found_ms),
    ]


@pytest.mark.parametrize(
    ("size", "columns"),
    [((80, 24), "ALERT WHO SINCE LASTED AFFECTED"), ((120, 40), "ALERT WHO SINCE UNTIL LASTED AFFECTED RULE LAST ACT")],
)
async def test_the_list_tells_who_since_when_and_how_many_are_affected(size: tuple[int, int], columns: str) -> None:
    """With until and what was done where there is room; in a freeze all that wait are affected."""
    app = SchedlabApp(FakeSession(alerts=(FIRST, STUCK, LOST)), ascii_only=True)
    async with app.run_test(size=size) as pilot:
        await press(pilot, "X")
        lines = screen_lines(app)

    assert next(line for line in lines if "ALERT " in line).strip("| ").split() == columns.split()
    frozen = next(line for line in lines if "# FROZEN  " in line)
    assert ("183354" in frozen, "09:00:00" in frozen, frozen.split()[-2:] == ["none", "|"]) == (
        True,
        True,
        size[0] > 100,
    )


async def test_a_narrow_screen_shows_the_list_or_the_story() -> None:
    app = SchedlabApp(FakeSession(alerts=(FIRST, STUCK)), ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("X", "j")
        before = screen_text(app)
        await pilot.press("2")
        story = screen_text(app)

    assert ("Story" in before, "Story  STUCK" in story, "x: 183360 is stuck" in story) == (False, True, True)


async def test_a_wide_screen_tells_the_rule_of_the_alert_chosen() -> None:
    app = SchedlabApp(FakeSession(alerts=(FIRST, STUCK)), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("X")
        frozen = screen_text(app)
        await pilot.press("j")
        stuck = screen_text(app)

    assert "until  the next start, or nothing waits" in frozen
    assert "since  the ask that is given nothing was made" in stuck
    assert "1 affected" in stuck


@pytest.mark.parametrize("way", ["key", "header"])
async def test_an_alert_leads_to_its_application_and_instant_and_esc_comes_back(way: str) -> None:
    """By X or a click on the alert in the header; the clock is paused meanwhile."""
    session = FakeSession(alerts=(FIRST,), track=Track(fakes.NOW - 100_000, fakes.NOW - 100_000))
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("2")
        if way == "key":
            await pilot.press("X")
        else:
            await pilot.click("#header", offset=(3, 1))
        await pilot.pause()
        opened = "> alerts" in screen_lines(app)[0]
        await press(pilot, "enter")
        there = (board_of(app).pane_name, board_of(app).active.cursor.id)
        await pilot.press("escape")
        back = board_of(app).pane_name

    assert (opened, there, back) == (True, ("applications", fakes.BIG), "queues")
    assert ("travel", "+40.000s") in session.calls


async def test_an_alert_leads_to_why_and_to_what_to_do() -> None:
    app = SchedlabApp(FakeSession(alerts=(LOST, FIRST)), ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "X", "w")
        is_why = "> why" in screen_lines(app)[0]
        await press(pilot, "escape", "j", "w")
        said = screen_lines(app)[-1]

    assert (is_why, "names no application" in said) == (True, True)


async def test_the_last_allocation_stands_over_the_events_while_nothing_is_allocated() -> None:
    freeze = Alert("frozen", fakes.NOW - 20_000, fakes.NOW - 20_000, "Nothing moves", "deadlocked")
    session = FakeSession(alerts=(freeze,), standing=(freeze,))
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5")
        frozen = board_of(app).active.visible_text()[0]
        session.change(standing=())
        await pilot.pause()
        over = board_of(app).active.visible_text()[0].split()

    assert frozen == " 09:00:31  LAST ALLOC 183342 4G/1c on .100; nothing since, for 28s"
    assert over == ["TIME", "WHAT", "APP"]


@pytest.mark.parametrize("size", [(40, 8), (80, 24), (120, 40)])
async def test_read_only_is_on_screen_at_every_size(size: tuple[int, int]) -> None:
    app = SchedlabApp(FakeSession(), ascii_only=True, read_only=True)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        lines = screen_lines(app)[:2]

    assert "READ-ONLY" in " ".join(lines)


async def test_a_muted_badge_leaves_the_header_until_it_is_shown_again() -> None:
    app = SchedlabApp(FakeSession(alerts=(FIRST, STUCK), standing=(FIRST, STUCK)), ascii_only=True)
    headers = []
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("X")
        for key in ("m", "m"):
            await press(pilot, key)
            headers.append((screen_lines(app)[1], "FROZEN, muted" in screen_text(app)))
        await press(pilot, "m", "escape")
        headers.append((screen_lines(app)[1], False))

    assert [("FROZEN" in line, is_told) for line, is_told in headers] == [(False, True), (True, False), (False, False)]
