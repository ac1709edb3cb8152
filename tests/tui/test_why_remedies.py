"""Remedies on the screen of `w`: they are listed, tried on a copy, and applied after asking."""

import msgspec
import pytest

from engine.explain.answer import RemediesReport
from engine.explain.remedy import Remedy
from engine.scenario.acts import KillApplication, SetReservationRule
from tests.reports import read_act, report_of
from tests.tui import answered
from tests.tui.screen_text import screen_text
from tests.tui.test_why import asked
from tui.dialogs.confirm import ConfirmScreen
from tui.pages.remedy_text import remedy_words
from tui.screens.why import WhyScreen
from tui.terminal.format import RelativeTimeFormat


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
        "1 starts nobody",
    ):
        assert part in shown


async def test_enter_tries_the_remedy_on_a_copy_and_shows_what_follows() -> None:
    async with asked() as (app, pilot, session):
        session.asked[0].tell(document={**answered.deadlocked(), "would_help": answered.helped()}, doing="")
        await pilot.pause()
        await pilot.press("1", "enter")
        await pilot.pause()
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
        await pilot.press("1", "A")
        await pilot.pause()
        question = app.screen
        words = question.words if isinstance(question, ConfirmScreen) else ""
        await pilot.press(answer)
        await pilot.pause()
        is_open = isinstance(app.screen, WhyScreen)

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
        await pilot.press("enter")
        await pilot.pause()

    assert session.asked[0].calls.count("remedy 2") == 1


async def test_without_a_remedy_nothing_is_applied() -> None:
    async with asked() as (app, pilot, session):
        session.asked[0].tell(document=answered.deadlocked(), doing="")
        await pilot.pause()
        await pilot.press("A")
        await pilot.pause()
        shown = screen_text(app)

    assert "The cursor is on no remedy; h tries what would help." in shown


async def test_read_only_applies_nothing() -> None:
    async with asked(read_only=True) as (app, pilot, session):
        session.asked[0].tell(document={**answered.deadlocked(), "would_help": answered.helped()}, doing="")
        await pilot.pause()
        await pilot.press("1", "A")
        await pilot.pause()
        is_asked = isinstance(app.screen, ConfirmScreen)

    assert (is_asked, [call for call in session.calls if call[0] == "do"]) == (False, [])


@pytest.mark.parametrize(
    ("alike", "is_least", "words"),
    [
        ((), True, "kill application 183342 (etl-183342)"),
        ((Remedy(KillApplication(1)),), True, "kill application 183342 (etl-183342) (1 similar)"),
        ((), False, "kill application 183342 (etl-183342) (smallest found so far)"),
    ],
)
def test_a_remedy_says_whether_less_may_do_and_how_many_are_similar(
    alike: tuple[Remedy, ...], words: str, *, is_least: bool
) -> None:
    found = report_of(RemediesReport, answered.helped())
    entry = msgspec.structs.replace(found.remedies[0], alike=alike, is_least=is_least)

    assert remedy_words(entry, found, RelativeTimeFormat(answered.NOW, answered.OFFSET_MS)).remedy == words
