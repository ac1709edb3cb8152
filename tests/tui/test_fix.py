"""The screen of `W`: what to do now so that all that wait start, grouped by what can be done from here."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.explain.alert import Alert
from engine.explain.remedy import Remedy
from engine.scenario.acts import Act, AddNode, KillApplication, SetReservationRule
from tests.reports import read_act
from tests.tui import answered, fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_lines, screen_text
from tui.app import SchedlabApp
from tui.dialogs.confirm import ConfirmScreen
from tui.protocol.picture import ACT, CLUSTER, WhySubject


@asynccontextmanager
async def opened(
    *, size: tuple[int, int] = (80, 24), **options: Any
) -> AsyncIterator[tuple[SchedlabApp, Pilot[None], FakeSession]]:
    freeze = Alert("frozen", fakes.NOW - 300_000, fakes.NOW - 300_000, "Nothing moves", "deadlocked")
    session = FakeSession(alerts=(freeze,), standing=(freeze,))
    app = SchedlabApp(session, **options)
    async with app.run_test(size=size) as pilot:
        await pilot.press("W")
        await pilot.pause()
        yield app, pilot, session


def entry(number: int, kind: str = "kill", *, is_whole: bool = True) -> dict[str, Any]:
    others: dict[str, Act] = {"rule": SetReservationRule("off"), "add-node": AddNode("added1:1", 8192, 8)}
    act = others.get(kind, KillApplication(183342 + number))
    (known,) = answered.helped()["remedies"]
    remedy = Remedy(act)
    changes = {"number": number, "kind": kind, "group": remedy.group, "is_whole": is_whole}
    return {**known, **changes, "remedy": answered.written(remedy), "is_least": kind != "add-node"}


def planned(*entries: dict[str, Any]) -> dict[str, Any]:
    return {**answered.helped(), "remedies": list(entries)}


async def test_it_shows_the_groups_at_80x24() -> None:
    """Whom they start, by when, what they lose; those that start nobody in one line."""
    async with opened() as (app, pilot, session):
        session.asked[0].tell(document=planned(entry(1), entry(2, "rule"), entry(3, "add-node")), doing="")
        await pilot.pause()
        lines = [line.strip() for line in screen_lines(app)]

    assert session.calls == [("hold", True), ("why", CLUSTER, "")]
    assert lines[0].startswith("Cluster › what to do now")
    assert "FROZEN 5m00s  183354 holds 11 of 12; 14 wait" in lines[1]
    assert lines[2] == "183354: never starts without an act"
    groups = [line for line in lines if line[:1] in {"▾", "▸"}]
    assert groups == [
        "▾ 1 acts from here K or A does it now, u takes it back",
        "▾ 1 needs a restart and a scheduler that has the rule; tried as if it had",
        "▾ 1 needs hardware tried as if it stood there",
        "▸ 1 starts nobody enter tells why, by kind",
    ]
    row = "1  kill 183343  1 of 1  09:01:01  1 node  15 containers, 1h30m"
    assert row.split() in [line.removeprefix("▌").split() for line in lines]


@pytest.mark.parametrize(("is_whole", "words"), [(True, "1 of 2"), (False, "1+ of 2")])
async def test_a_remedy_that_was_not_played_to_the_end_may_start_more(words: str, *, is_whole: bool) -> None:
    async with opened() as (app, pilot, session):
        plan = planned(entry(1, is_whole=is_whole))
        session.asked[0].tell(document={**plan, "for": plan["for"] * 2}, doing="")
        await pilot.pause()
        row = next(line for line in screen_lines(app) if line.startswith("▌"))

    assert f"  {words}  " in row


@pytest.mark.parametrize(("height", "listed"), [(24, 3), (30, 12)])
async def test_a_group_is_cut_where_what_follows_would_have_no_room(height: int, listed: int) -> None:
    async with opened(size=(80, height)) as (app, pilot, session):
        session.asked[0].tell(document=planned(*(entry(number) for number in range(1, 13))), doing="")
        await pilot.pause()
        shown = screen_text(app)

    assert sum("  kill 1833" in line for line in shown.splitlines()) == listed
    assert ("; the best 3" in shown) is (listed == 3)
    assert "enter tries a remedy on a copy" in shown


async def test_the_cursor_is_on_the_best_until_it_is_moved_and_then_stays() -> None:
    """A better one that comes in does not move under a cursor that was led."""
    async with opened() as (app, pilot, session):
        session.asked[0].tell(document=planned(entry(5, "add-node")), doing="trying")
        await pilot.pause()
        session.asked[0].tell(document=planned(entry(1), entry(5, "add-node")), doing="trying")
        await pilot.pause()
        first = next(line for line in screen_lines(app) if line.startswith("▌"))
        await pilot.press("j")
        session.asked[0].tell(document=planned(entry(2), entry(1), entry(5, "add-node")), doing="")
        await pilot.pause()
        then = next(line for line in screen_lines(app) if line.startswith("▌"))

    assert ("kill 183343" in first, "add a node" in then) == (True, True)


async def test_enter_tries_the_remedy_and_a_applies_the_one_shown() -> None:
    async with opened() as (app, pilot, session):
        session.asked[0].tell(document=planned(entry(1)), doing="")
        await pilot.pause()
        await pilot.press("enter")
        tried = answered.answer_of(WhySubject(ACT, ""), {"aftermath": answered.followed()}).aftermath
        session.asked[0].tell(aftermath=tried)
        await pilot.pause()
        shown = screen_text(app)
        await pilot.press("A")
        await pilot.pause()
        question = app.screen
        words = question.words if isinstance(question, ConfirmScreen) else ""
        await pilot.press("y")
        await pilot.pause()

    assert "remedy 1" in session.asked[0].calls
    assert "183354 starts on 10.120.117.84" in shown
    assert "loses   15 containers, 1h30m of work" in words
    assert [call for call in session.calls if call[0] == "do"] == [
        ("do", read_act(answered.helped()["remedies"][0]["step"]))
    ]


async def test_it_opens_from_an_answer_too() -> None:
    session = FakeSession()
    app = SchedlabApp(session)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("w", "W")
        await pilot.pause()
        shown = screen_text(app)

    assert ("why", CLUSTER, "") in session.calls
    assert "Cluster › what to do now" in shown


@pytest.mark.parametrize(("size", "is_told"), [((120, 40), True), ((80, 24), False), ((110, 40), False)])
async def test_a_wide_page_tells_how_remedies_were_tried(size: tuple[int, int], is_told: bool) -> None:
    """The copy, how far it was simulated, what is assumed, and what is left to try."""
    async with opened(size=size) as (app, pilot, session):
        document = {**planned(*(entry(number) for number in range(1, 7))), "tried": 9, "of": 40}
        session.asked[0].tell(document=document, doing="")
        await pilot.pause()
        shown = screen_text(app)

    assert ("How it was tried" in shown) == is_told
    assert ("as it stands" in shown, "31 to try" in shown) == (is_told, is_told)
