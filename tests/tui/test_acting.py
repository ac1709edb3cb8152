"""Acts by key: they ask, name an id, hold the clock meanwhile, and tell a refusal."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
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
from tests.tui.fake_session import FakeSession, fake_app
from tests.tui.fakes import NOW, frozen_cluster
from tests.tui.screen_text import press, screen_lines, screen_text, until
from tests.tui.small_run import by_hand
from tui.app import SchedlabApp
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.submit import SubmitScreen
from tui.panes.fragments import RenderContext, flat
from tui.panes.pulse import ActLine, act_facts
from tui.protocol.picture import EventRow, RunState, SessionState, Track


async def test_kill_names_the_application_and_holds_the_clock() -> None:
    """The dialog says id and what is freed; y kills exactly that one, and the clock goes on."""
    session = FakeSession()
    app = fake_app(session)
    async with app.run_test() as pilot:
        await pilot.press("1", *"jj", "K")
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        words = dialog.words
        await press(pilot, "y")

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
    async with fake_app(session).run_test() as pilot:
        await press(pilot, "K", key)
        calls = list(session.calls)

    assert calls == [("hold", True), ("hold", False)]


async def test_drain_and_return_ask() -> None:
    """Taking a node out asks first, and so does bringing a drained one back."""
    nodes = (fakes.node_row("n1"), fakes.node_row("n2", state="DECOMMISSIONED"))
    session = FakeSession(fakes.FakeSnapshot(fakes.header(), 1, nodes=nodes))
    async with fake_app(session).run_test() as pilot:
        await press(pilot, "3", "j", "D", "y", "k", "D", "y")

    assert [call for call in session.calls if call[0] == "do"] == [
        ("do", DrainNode("n1:45454")),
        ("do", ReturnNode("n2:45454")),
    ]


async def test_the_form_submits_what_it_shows() -> None:
    """Queue and user come from the row under the cursor; enter submits and closes."""
    session = FakeSession()
    app = fake_app(session)
    async with app.run_test() as pilot:
        await press(pilot, "S", "x", "enter")
        closed = not isinstance(app.screen, SubmitScreen)

    fields = next(call[1] for call in session.calls if call[0] == "submit")
    assert (closed, fields["name"], fields["queue"], fields["user"]) == (True, "x", "root.report", "mining")


async def test_the_form_names_every_problem_and_stays() -> None:
    """What is wrong stands in the form; esc gives up and the clock goes on."""
    session = FakeSession()
    session.problems = ["memory: '2q' is not an amount of memory", "vcores: -1 is less than 0"]
    app = fake_app(session)
    async with app.run_test() as pilot:
        await press(pilot, "S", "enter")
        text = screen_text(app)
        await press(pilot, "escape")

    assert ("! memory: '2q'" in text, "! vcores: -1" in text, session.calls[-1]) == (True, True, ("hold", False))


async def test_capitals_do_nothing_in_read_only_mode_and_say_why() -> None:
    session = FakeSession()
    app = fake_app(session, read_only=True)
    async with app.run_test() as pilot:
        await press(pilot, "S", "K", "P", "R", "p", "3", "D")
        text, stands = screen_text(app), app.screen is app.cluster

    assert (session.calls, "Kkill" in text, stands) == ([("toggle_pause",)], False, True)
    assert text.splitlines()[-1].strip() == "! Read-only: nothing here changes the cluster."


async def test_moving_asks_with_both_queues_and_their_shares() -> None:
    session = FakeSession()
    app = fake_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("M", "1")
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        await press(pilot, "y")

    assert ("from   root.report" in dialog.words, "to     root.etl" in dialog.words) == (True, True)
    assert [call for call in session.calls if call[0] != "hold"] == [("do", MoveApplication(fakes.BIG, "root.etl"))]


async def test_a_queue_setting_shows_shares_before_and_after() -> None:
    session = FakeSession()
    app = fake_app(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "colon", *"set queue.root.etl.weight 3", "enter")
        dialog = app.screen
        assert isinstance(dialog, ConfirmScreen)
        await press(pilot, "y")
        session.refusal = "no such queue"
        await press(pilot, "colon", *"set queue.root.x.weight 3", "enter")
        text = screen_text(app)

    assert ("400G ->    600G" in dialog.words, "no such queue" in text) == (True, True)
    assert ("do", SetQueueSetting("root.etl", "weight", "3")) in session.calls


async def test_a_second_yes_in_one_breath_does_nothing_more() -> None:
    """Dialogs close once: the board stays, the act is done once and the clock goes on."""
    session = FakeSession()
    app = fake_app(session)
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
        await press(pilot, *keys)
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
        await press(pilot, "enter")

    assert acts == (KillApplication(fakes.BIG),)
    assert "trying it on a copy …" in before
    assert "1 gets more  at 09:02:01" in after
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
        await press(pilot, *"root.b")
        after = screen_text(app)

    assert ("a queue" in shown, "< root.report >" in shown) == (True, True), shown
    assert ("new: there is no root.b yet" in after, "< as typed below >" in after) == (True, True)


# The line of an act below the header, and the key that undoes it.


def _line(app: SchedlabApp) -> str:
    return next((line for line in screen_lines(app) if "u undo" in line and "Killed" in line), "")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_u_goes_on_from_just_before_the_act(size: tuple[int, int]) -> None:
    """What was killed runs again, the act is not an act of the run any more, and the line is gone."""
    session = by_hand("reservation-deadlock", at="08:40", paused=True)
    running = session.picture().snapshot.header.applications_running
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=size) as pilot:
        await press(pilot, "K", "y")
        killed, line = session.picture().snapshot.header.applications_running, _line(app)
        at_row = screen_lines(app).index(line)
        await pilot.press("u")
        await until(pilot, lambda: "Undone" in screen_lines(app)[-1] and not _line(app))
        after = session.picture()

    assert (killed, after.snapshot.header.applications_running) == (running - 1, running)
    assert (at_row, line.lstrip("-= ")[:11], "u undo" in line) == (4, "K  08:40:00", True)
    assert (after.run.present_ms, after.run.track is not None and dict(after.run.track.acts)) == (None, {})


async def test_u_and_redo_go_back_and_forth_and_mean_nothing_else() -> None:
    """Undone, acts of one instant come back with all that came of them; a second u tells that there are no others."""
    session = by_hand("reservation-deadlock", at="08:40", paused=True)
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "K", "y", "K", "y")
        await press(pilot, "t", "t")
        before = session.picture()
        await pilot.press("u")
        await until(pilot, lambda: "Undone" in screen_lines(app)[-1])
        await pilot.press("u")
        await until(pilot, lambda: "no act to undo" in screen_lines(app)[-1])
        twice = screen_lines(app)[-1]
        await pilot.press("ctrl+r")
        await until(pilot, lambda: _line(app))
        after = session.picture()

    assert "There is no act to undo; ctrl+r brings back what was undone" in twice
    assert after.snapshot.header == before.snapshot.header
    assert after.run.track is not None
    assert after.run.track == before.run.track


async def test_many_acts_have_one_line_with_their_number() -> None:
    acts = {NOW: "DrainNode"}
    session = FakeSession(track=Track(NOW - 60_000, NOW - 60_000, acts=acts))
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "3", "asterisk", "D", "y")
        line = next(line for line in screen_lines(app) if "u undo" in line and "Draining" in line)
        await pilot.press("u")
        await until(pilot, lambda: ("branch",) in session.calls)

    count = sum(isinstance(call[1], DrainNode) for call in session.calls if call[0] == "do")
    assert f"Draining {count}" in line
    assert session.calls[-2:] == [("travel", "+59.999s"), ("branch",)]


@pytest.mark.parametrize(("size", "is_told"), [((80, 24), True), ((80, 23), False)])
async def test_an_act_tells_what_it_changed_and_what_came_since(size: tuple[int, int], is_told: bool) -> None:
    session = by_hand("reservation-deadlock", at="10:30", paused=True)
    app = SchedlabApp(session, ascii_only=True)
    async with app.run_test(size=size) as pilot:
        await press(pilot, "K", "y")
        words = screen_text(app)

    assert ("changed   1 container ended, 11 reservations dropped" in words) == is_told
    assert ("u         back to just before 10:30:00" in words) == is_told


def test_what_was_given_since_an_act_is_counted_from_the_next_instant_on() -> None:
    """What came with the act is what it changed; without its record nothing is told."""
    events = [
        EventRow(place, NOW + late_ms, kind, {"container": (place, 1, 1)})
        for place, (late_ms, kind) in enumerate([(0, "Acted"), (0, "Killed"), (1, "Allocated"), (2, "Allocated")])
    ]
    picture = SessionState(frozen_cluster(time_ms=NOW + 2), RunState("x"), events, 0)
    look = RenderContext(NOW + 2, ("memory_mb", "vcores"), (1, 1))
    lines = [flat(line) for line in act_facts(ActLine("K", NOW, "Killed"), None, picture, look, 120)]
    several = msgspec.structs.replace(picture, events=[*events[:2], EventRow(2, NOW, "Acted", {}), *events[2:]])
    of_two = flat(act_facts(ActLine("K", NOW, "Killed 2", records=2), None, several, look, 120)[0])
    events[1] = EventRow(1, NOW, "Killed", {"container": (0, 0, 0)})
    of_spark = look._replace(dimensions=("memory_mb", "cores"))
    driver = flat(act_facts(ActLine("K", NOW, "Killed"), None, picture, of_spark, 120)[0]).strip()

    assert driver == "changed   1 driver ended; since then 2 executors given to 2 applications"
    assert of_two == lines[0]
    assert lines[0].strip() == "changed   1 container ended; since then 2 containers given to 2 applications"
    assert (
        act_facts(ActLine("K", NOW, "Killed"), None, msgspec.structs.replace(picture, events=events[1:]), look, 120)
        == []
    )
