"""The screen of `w`: opens with what is known, fills in, leads on to whoever holds what is needed."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.explain.alert import Alert
from engine.explain.remedy import Remedy
from engine.scenario.acts import Act, AddNode, KillApplication, SetReservationRule
from tests.reports import read_act
from tests.stored import golden
from tests.tui import answered, fakes
from tests.tui.fake_session import FakeSession
from tests.tui.screen_text import press, screen_lines, screen_text
from tui.app import SchedlabApp
from tui.dialogs.confirm import ConfirmScreen
from tui.protocol.picture import ACT, CLUSTER, WhySubject

BIG = ("why", "application", "183354")
SIZES = [(80, 24), (120, 40), (200, 60)]


@asynccontextmanager
async def asked(
    *keys: str, size: tuple[int, int] = (120, 40), session: FakeSession | None = None, **options: Any
) -> AsyncIterator[tuple[SchedlabApp, Pilot[None], FakeSession]]:
    session = session or FakeSession()
    app = SchedlabApp(session, **options)
    async with app.run_test(size=size) as pilot:
        await press(pilot, *keys, "w")
        yield app, pilot, session


def saved_in(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_a_small_screen_shows_the_reasons_in_the_first_part_until_there_is_a_verdict() -> None:
    async with asked(size=(80, 24)) as (app, pilot, session):
        before = screen_text(app)
        session.asked[0].tell(document=answered.deadlocked(), doing="")
        await pilot.pause()
        after = screen_text(app)

    reason = "62.5G wanted and the freest has 40G"
    assert ("looked for" in before, reason in before, reason in after) == (True, True, False)


async def test_it_fills_in_what_is_found_out() -> None:
    async with asked() as (app, pilot, session):
        session.asked[0].tell(reached_ms=answered.NOW + 70_000)
        await pilot.pause()
        before = screen_text(app)
        session.asked[0].tell(document=answered.deadlocked(), doing="", reached_ms=None)
        await pilot.pause()
        after = screen_text(app)

    assert ("simulating ahead … 09:02:10" in before, "NEVER" in before) == (True, False)
    for part in (
        "■ NEVER STARTS  183354 weekly-pyspark waits for 183342, and 183342 waits for it, for ever",
        "circle  183354 holds 11 nodes → 183342 fills 10.120.117.84 → 183354",
        "1 in the circle",
        "Sun 08:00:00",
        "no allocation",
    ):
        assert part in after


@pytest.mark.parametrize("size", SIZES)
async def test_it_looks_as_stored(size: tuple[int, int]) -> None:
    async with asked(size=size) as (app, pilot, session):
        names = {answered.name(183354): "weekly-pyspark", answered.name(183342): "etl-183342"}
        found = {"would_help": answered.helped(), "aftermath": answered.followed()}
        document = {**answered.deadlocked(), **found}
        session.asked[0].tell(document=document, names=names, doing="")
        await pilot.pause()
        shown = screen_text(app)

    assert shown == golden(f"why-{size[0]}x{size[1]}", shown)


async def test_kill_names_whom_the_cursor_is_on_and_asks() -> None:
    async with asked() as (app, pilot, session):
        session.asked[0].tell(document=answered.deadlocked(), doing="")
        page = app.screen
        await press(pilot, "2", "j", "K")
        assert isinstance(app.screen, ConfirmScreen)
        words = app.screen.words
        await press(pilot, "n")
        stays = app.screen is page
        await press(pilot, "K")
        await press(pilot, "y")
        is_board = app.cluster is not None and app.cluster.is_active

    assert (answered.name(183330) in words, stays, is_board) == (True, True, True)
    assert ("do", KillApplication(answered.name(183330))) in session.calls
    assert sum(1 if call[1] else -1 for call in session.calls if call[0] == "hold") == 0


@pytest.mark.parametrize(
    ("session", "options", "words"),
    [
        (FakeSession(), {"read_only": True}, "Read-only"),
        (FakeSession(present_ms=fakes.NOW + 60_000), {}, "This is the past"),
    ],
)
async def test_read_only_and_the_past_ask_but_never_kill(
    session: FakeSession, options: dict[str, Any], words: str
) -> None:
    async with asked(session=session, **options) as (app, pilot, _):
        page = app.screen
        await press(pilot, "K")
        shown, is_answer = screen_text(app), app.screen is page

    assert (is_answer, words in shown, "11  too full" in shown) == (True, True, True)


@pytest.mark.parametrize(("late", "words"), [(True, "after 09:00:58 no single remedy"), (False, "not too late")])
async def test_the_point_of_no_return_is_told(late: bool, words: str) -> None:
    async with asked() as (app, pilot, session):
        found = {"would_help": answered.helped(), "point_of_no_return": answered.turning(late=late)}
        session.asked[0].tell(document={**answered.deadlocked(), **found}, doing="")
        await pilot.pause()
        shown = screen_text(app)

    assert (words in shown, "formed 09:01:00; inevitable without an act since 09:00:25" in shown) == (True, True)


@pytest.mark.parametrize(
    ("keys", "call"),
    [
        (("2",), ("why", "queue", "root")),
        (("3",), ("why", "node", fakes.node_id("10.120.117.84"))),
        (("4",), BIG),
        (("5", "G"), BIG),
    ],
)
async def test_a_row_is_asked_about_for_what_it_is(keys: tuple[str, ...], call: tuple[str, ...]) -> None:
    async with asked(*keys) as (_, _, session):
        calls = list(session.calls)

    assert calls[-1] == call


async def test_a_place_lists_who_waits_and_leads_to_one_of_them() -> None:
    async with asked("2") as (app, pilot, session):
        shown = screen_text(app)
        await press(pilot, "enter")

    parts = ("1 application waiting here", "183354 weekly-pyspark  root.report  1 asked for")
    assert [part in shown for part in parts] == [True, True]
    assert session.calls[-1] == BIG


@pytest.mark.parametrize(
    ("words", "call"),
    [("183354", BIG), ("etl", ("why", "queue", "root.etl")), ("10.120.117.85", ("why", "node", "10.120.117.85:45454"))],
)
async def test_a_command_asks_by_name(words: str, call: tuple[str, ...]) -> None:
    session = FakeSession()
    app = SchedlabApp(session)
    async with app.run_test() as pilot:
        await press(pilot, "colon", *f"why {words}".replace(" ", " "), "enter")

    assert session.calls[-1] == call


async def test_a_name_that_is_none_is_told_with_the_nearest() -> None:
    session = FakeSession()
    app = SchedlabApp(session)
    async with app.run_test() as pilot:
        await press(pilot, "colon", *"why 183355", "enter")
        shown = screen_text(app)

    assert (session.calls, "did you mean 18335" in shown) == ([], True)


async def test_the_answer_is_copied_and_saved(tmp_path: Path) -> None:
    async with asked(save_folder=tmp_path) as (app, pilot, session):
        session.asked[0].tell(document=answered.deadlocked(), doing="")
        await press(pilot, "c", "x")
        copied = app.clipboard
        files = sorted(saved_in(tmp_path))

    assert [path.suffix for path in files] == [".json", ".txt"]
    assert json.loads(files[0].read_text(encoding="utf-8")) == answered.deadlocked()
    assert files[1].read_text(encoding="utf-8") == copied + "\n"
    assert "verdict   deadlocked" in copied


async def test_a_small_terminal_scrolls_through_all_of_it() -> None:
    async with asked(size=(40, 12), ascii_only=True) as (app, pilot, session):
        session.asked[0].tell(document=answered.deadlocked(), doing="")
        await pilot.pause()
        await press(pilot, "end")
        end = screen_text(app)
        await press(pilot, "home")
        begin = screen_text(app)

    assert ("3 Reasons" in end, "1 What would" in begin) == (True, True)


async def test_words_are_found_on_the_page() -> None:
    async with asked(size=(200, 60), ascii_only=True) as (app, pilot, session):
        session.asked[0].tell(document=answered.deadlocked(), doing="")
        await pilot.pause()
        page = app.screen
        await press(pilot, "slash", *"183342", "enter")
        first = screen_lines(app)[-2].strip()
        await press(pilot, "N")
        last = screen_lines(app)[-2].strip()
        await pilot.press("escape")
        stays = app.screen is page
        await pilot.press("escape")
        left = app.screen is app.cluster

    number = last.partition(" ")[0]
    assert (first, last) == (
        f"1 of {number}: n the next, N the one before.",
        f"{number} of {number}: n the next, N the one before.",
    )
    assert (int(number) > 1, stays, left) == (True, True, True)


# Remedies on the screen of `w`: they are listed, tried on a copy, and applied after asking.


async def test_remedies_are_tried_when_asked_for() -> None:
    async with asked() as (app, pilot, session):
        await pilot.press("h")
        session.asked[0].tell(document={**answered.deadlocked(), "would_help": answered.helped()}, doing="")
        await pilot.pause()
        shown = screen_text(app)

    assert "remedies" in session.asked[0].calls
    for part in (
        "2 of 2 tried on copies",
        "1  kill 183342 etl-183342  09:01:01",
        "15 containers, 1h30m",
        "never starts without an act",
        "1 starts nothing",
    ):
        assert part in shown


async def test_enter_tries_the_remedy_on_a_copy_and_shows_what_follows() -> None:
    async with asked() as (app, pilot, session):
        session.asked[0].tell(document={**answered.deadlocked(), "would_help": answered.helped()}, doing="")
        await pilot.pause()
        await press(pilot, "1", "enter")
        found = {"would_help": answered.helped(), "aftermath": answered.followed()}
        session.asked[0].tell(document={**answered.deadlocked(), **found}, doing="")
        await pilot.pause()
        shown = screen_text(app)

    assert "remedy 1" in session.asked[0].calls
    assert [call for call in session.calls if call[0] == "do"] == []
    for part in ("After remedy 1  kill 183342 etl-183342", "09:01:01  183354 starts on", "allocated per 10 s", "09:11"):
        assert part in shown


@pytest.mark.parametrize(("answer", "acts"), [("y", 1), ("n", 0)])
async def test_a_remedy_is_applied_after_asking(answer: str, acts: int) -> None:
    async with asked() as (app, pilot, session):
        session.asked[0].tell(document={**answered.deadlocked(), "would_help": answered.helped()}, doing="")
        await pilot.pause()
        page = app.screen
        await press(pilot, "1", "A")
        question = app.screen
        words = question.words if isinstance(question, ConfirmScreen) else ""
        await press(pilot, answer)
        is_open = app.screen is page

    done = [call for call in session.calls if call[0] == "do"]
    assert "loses   15 containers, 1h30m of work" in words
    assert done == acts * [("do", read_act(answered.helped()["remedies"][0]["step"]))]
    assert is_open is not bool(acts)


async def test_the_cursor_stays_on_its_remedy_when_a_better_one_is_found() -> None:
    async with asked() as (_, pilot, session):
        session.asked[0].tell(document={**answered.deadlocked(), "would_help": answered.helped()}, doing="trying")
        await pilot.pause()
        found = answered.helped()
        kill = {**found["remedies"][0], "number": 2}
        better = {
            **kill,
            "number": 1,
            "remedy": answered.written(Remedy(SetReservationRule("limited"))),
            "kind": "rule",
        }
        found["remedies"] = [better, kill]
        session.asked[0].tell(document={**answered.deadlocked(), "would_help": found}, doing="")
        await pilot.pause()
        await press(pilot, "enter")

    assert session.asked[0].calls.count("remedy 2") == 1


async def test_without_a_remedy_nothing_is_applied() -> None:
    async with asked() as (app, pilot, session):
        session.asked[0].tell(document=answered.deadlocked(), doing="")
        await pilot.pause()
        await press(pilot, "A")
        shown = screen_text(app)

    assert "The cursor is on no remedy; h tries what would help." in shown


async def test_read_only_applies_nothing() -> None:
    async with asked(read_only=True) as (app, pilot, session):
        session.asked[0].tell(document={**answered.deadlocked(), "would_help": answered.helped()}, doing="")
        await pilot.pause()
        await press(pilot, "1", "A")
        is_asked = isinstance(app.screen, ConfirmScreen)

    assert (is_asked, [call for call in session.calls if call[0] == "do"]) == (False, [])


# The screen of `W`: what to do now so that all that wait start, grouped by what can be done from here.


@asynccontextmanager
async def opened(
    *, size: tuple[int, int] = (80, 24), **options: Any
) -> AsyncIterator[tuple[SchedlabApp, Pilot[None], FakeSession]]:
    freeze = Alert("frozen", fakes.NOW - 300_000, fakes.NOW - 300_000, "Nothing moves", "deadlocked")
    session = FakeSession(alerts=(freeze,), standing=(freeze,))
    app = SchedlabApp(session, **options)
    async with app.run_test(size=size) as pilot:
        await press(pilot, "W")
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
    """Whom they start, by when, what they lose; those that start nothing in one line."""
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
        "▸ 1 starts nothing enter tells why, by kind",
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
        await press(pilot, "A")
        question = app.screen
        words = question.words if isinstance(question, ConfirmScreen) else ""
        await press(pilot, "y")

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
        await press(pilot, "w", "W")
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
