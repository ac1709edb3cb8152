"""Acts by key: they ask, name an id, hold the clock meanwhile, and tell a refusal."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.scenario.acts import (
    Act,
    DrainNode,
    KillApplication,
    MoveApplication,
    ReturnNode,
    SetPreemption,
    SetQueueSetting,
    SetReservationRule,
)
from tests.stored import golden
from tests.tui import answered, fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import screen_text
from tui.app import SchedlabApp
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.submit import SubmitScreen


def _app(session: FakeSession | None = None, **options: Any) -> SchedlabApp:
    return SchedlabApp(session or FakeSession(), ascii_only=True, **options)


async def test_kill_names_the_application_and_holds_the_clock() -> None:
    """The dialog says id and what is freed; y kills exactly that one, and the clock goes on."""
    session = FakeSession()
    app = _app(session)
    async with app.run_test() as pilot:
        await pilot.press("1", *"jj", "K")
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        words = dialog.words
        await pilot.press("y")
        await pilot.pause()

    number = 183331
    assert (f"application_{fakes.TIMESTAMP}_{number}" in words, "15 containers  60G/15c" in words) == (True, True)
    assert session.calls[:3] == [
        ("hold", True),
        ("do", KillApplication(f"application_{fakes.TIMESTAMP}_{number}")),
        ("hold", False),
    ]


@pytest.mark.parametrize("key", ["enter", "n", "escape", "q", "space"])
async def test_every_other_answer_kills_nothing(key: str) -> None:
    """The harmless answer has the focus: a hasty enter or space is harmless too."""
    session = FakeSession()
    async with _app(session).run_test() as pilot:
        await pilot.press("K", key)
        await pilot.pause()
        calls = list(session.calls)

    assert calls == [("hold", True), ("hold", False)]


async def test_drain_and_return_ask() -> None:
    """Taking a node out asks first, and so does bringing a drained one back."""
    nodes = (fakes.node_row("n1"), fakes.node_row("n2", state="DECOMMISSIONED"))
    session = FakeSession(fakes.FakeSnapshot(fakes.header(), 1, nodes=nodes))
    async with _app(session).run_test() as pilot:
        await pilot.press("3", "j", "D", "y", "k", "D", "y")
        await pilot.pause()

    assert [call for call in session.calls if call[0] == "do"] == [
        ("do", DrainNode("n1:45454")),
        ("do", ReturnNode("n2:45454")),
    ]


async def test_the_form_submits_what_it_shows() -> None:
    """Queue and user come from the row under the cursor; enter submits and closes."""
    session = FakeSession()
    app = _app(session)
    async with app.run_test() as pilot:
        await pilot.press("S", "x", "enter")
        await pilot.pause()
        closed = not isinstance(app.screen, SubmitScreen)

    fields = next(call[1] for call in session.calls if call[0] == "submit")
    assert (closed, fields["name"], fields["queue"], fields["user"]) == (True, "x", "root.report", "mining")


async def test_the_form_names_every_problem_and_stays() -> None:
    """What is wrong stands in the form; esc gives up and the clock goes on."""
    session = FakeSession()
    session.problems = ["memory: '2q' is not an amount of memory", "vcores: -1 is less than 0"]
    app = _app(session)
    async with app.run_test() as pilot:
        await pilot.press("S", "enter")
        await pilot.pause()
        text = screen_text(app)
        await pilot.press("escape")
        await pilot.pause()

    assert ("! memory: '2q'" in text, "! vcores: -1" in text, session.calls[-1]) == (True, True, ("hold", False))


async def test_capitals_do_nothing_in_read_only_mode() -> None:
    session = FakeSession()
    app = _app(session, read_only=True)
    async with app.run_test() as pilot:
        await pilot.press("S", "K", "P", "R", "3", "D", "p")
        await pilot.pause()
        text = screen_text(app)

    assert (session.calls, "Kkill" in text) == ([("toggle_pause",)], False)


async def test_moving_asks_with_both_queues_and_their_shares() -> None:
    session = FakeSession()
    app = _app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("M", "1")
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        await pilot.press("y")
        await pilot.pause()

    assert ("from   root.report" in dialog.words, "to     root.etl" in dialog.words) == (True, True)
    assert [call for call in session.calls if call[0] != "hold"] == [("do", MoveApplication(fakes.BIG, "root.etl"))]


async def test_a_queue_setting_shows_shares_before_and_after() -> None:
    session = FakeSession()
    app = _app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("colon", *"set queue.root.etl.weight 3", "enter")
        await pilot.pause()
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        await pilot.press("y")
        await pilot.pause()
        session.refusal = "no such queue"
        await pilot.press("colon", *"set queue.root.x.weight 3", "enter")
        await pilot.pause()
        text = screen_text(app)

    assert ("400G ->    600G" in dialog.words, "no such queue" in text) == (True, True)
    assert ("do", SetQueueSetting("root.etl", "weight", "3")) in session.calls


async def test_a_second_yes_in_one_breath_does_nothing_more() -> None:
    """Dialogs close once: the board stays, the act is done once and the clock goes on."""
    session = FakeSession()
    app = _app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("K")
        for _ in range(3):
            app.simulate_key("y")  # the later ones reach the board, where y only looks
        await pilot.pause()
        await pilot.press("escape", "a")
        for _ in range(3):
            app.simulate_key("R")
        await pilot.pause()
        await pilot.press("n")  # the rule drops reservations, so it asks, once
        await pilot.pause()
        stands = app.screen is app.cluster

    assert (stands, session.calls.count(("do", KillApplication(fakes.BIG))), session.calls.count(("hold", False))) == (
        True,
        1,
        2,
    )


# Dialogs that ask before an act: lost and freed at once, what follows when a copy has shown it.


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
        ("R", "becomes limited: one application may reserve only a part of the nodes", SetReservationRule("limited")),
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
