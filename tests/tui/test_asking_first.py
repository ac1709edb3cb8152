"""Dialogs that ask before an act: lost and freed at once, what follows when a copy has shown it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from engine.scenario.acts import Act, KillApplication, SetPreemption, SetReservationRule
from tests.stored import golden
from tests.tui import answered, fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_text
from tui.app import SchedlabApp
from tui.dialogs.confirm import ConfirmScreen


@asynccontextmanager
async def pressed(
    *keys: str, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[SchedlabApp, Pilot[None], FakeSession]]:
    session = FakeSession()
    app = SchedlabApp(session)
    async with app.run_test(size=size) as pilot:
        await pilot.press(*keys)
        await pilot.pause()
        yield app, pilot, session


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_kill_dialog_looks_as_stored(size: tuple[int, int]) -> None:
    async with pressed("K", size=size) as (app, pilot, session):
        session.asked[0].tell(document={"at": answered.AT, "aftermath": answered.followed()}, doing="")
        await pilot.pause()
        box = app.screen.query_one("#box").region
        lines = app.screen._compositor.render_strips()[box.y : box.bottom]
        shown = "\n".join(line.crop(box.x, box.right).text for line in lines)

    assert shown == golden(f"kill-{size[0]}x{size[1]}", shown)


async def test_a_kill_is_tried_on_a_copy_while_the_dialog_is_open() -> None:
    async with pressed("K") as (app, pilot, session):
        acts = session.asked[0].answer.subject.acts
        before = screen_text(app)
        session.asked[0].tell(document={"at": answered.AT, "aftermath": answered.followed()}, doing="")
        await pilot.pause()
        after = screen_text(app)
        await pilot.press("enter")
        await pilot.pause()

    assert acts == (KillApplication(fakes.BIG),)
    assert "trying it on a copy …" in before
    assert "2 start  the first at 09:01:01, the last at 09:02:01; 1 waiting, 1 running" in after
    assert session.asked[0].calls[-1] == "close"
    assert [call for call in session.calls if call[0] == "do"] == []


async def test_an_act_that_is_refused_on_the_copy_says_why() -> None:
    async with pressed("K") as (app, pilot, session):
        after = {**answered.followed(), "refused": "it has ended"}
        session.asked[0].tell(document={"at": answered.AT, "aftermath": after}, doing="")
        await pilot.pause()
        shown = screen_text(app)

    assert "It is refused: it has ended" in shown


@pytest.mark.parametrize(
    ("key", "words", "act"),
    [
        (
            "R",
            "becomes limited: one application may reserve only a part of the nodes",
            SetReservationRule("limited"),
        ),
        ("P", "Preemption goes on: a queue below its share", SetPreemption(on=True)),
    ],
)
async def test_switches_ask_where_something_would_be_killed_or_dropped(key: str, words: str, act: Act) -> None:
    async with pressed(key) as (app, _, session):
        assert isinstance(app.screen, ConfirmScreen)
        shown, tried = app.screen.words, session.asked[0].answer.subject.acts

    assert (words in " ".join(shown.split()), tried) == (True, (act,))


async def test_the_submit_form_offers_the_queues_there_are_and_says_a_new_one() -> None:
    async with pressed("S") as (app, pilot, _):
        shown = screen_text(app)
        fresh = app.screen.query_one("#queue")
        fresh.focus()
        await pilot.press(*"root.b")
        await pilot.pause()
        after = screen_text(app)

    assert ("a queue" in shown, "< root.report >" in shown) == (True, True), shown
    assert ("new: there is no root.b yet" in after, "< as typed below >" in after) == (True, True)
