"""Remedies on the screen of `w`: they are listed, tried on a copy, and applied after asking."""

import pytest

from engine.explain.answer import RemediesReport, RemedyReport
from engine.explain.remedy import HARDWARE, NOW, PATCH
from tests.reports import read_act, report_of
from tests.tui import answered
from tests.tui.screen_text import screen_text
from tests.tui.test_why import asked
from tui.dialogs.confirm import ConfirmScreen
from tui.pages.why_parts import sorted_remedies
from tui.screens.why import WhyScreen


async def test_remedies_are_tried_when_asked_for() -> None:
    async with asked() as (app, pilot, session):
        await pilot.press("h")
        session.asked[0].tell(document={**answered.deadlocked(), "would_help": answered.helped()}, doing="")
        await pilot.pause()
        shown = screen_text(app)

    assert "remedies" in session.asked[0].calls
    for part in (
        "1 of 2 single remedies, tried on copies",
        "1  kill 183342 etl-183342  09:01:01  at once",
        "15 containers, 1h30m of work",
        "never starts without an act",
        "no help: set the reservation rule to off",
    ):
        assert part in shown


async def test_enter_tries_the_remedy_on_a_copy_and_shows_what_follows() -> None:
    async with asked() as (app, pilot, session):
        session.asked[0].tell(document={**answered.deadlocked(), "would_help": answered.helped()}, doing="")
        await pilot.pause()
        await pilot.press("3", "enter")
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
        await pilot.press("3", "A")
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


def remedy(number: int, group: str, minute: int, lost: int = 0) -> RemedyReport:
    (entry,) = answered.helped()["remedies"]
    start = f"2017-11-11T09:{minute:02d}:00.000+08:00"
    loses = {"containers": lost, "seconds": 0}
    return report_of(RemedyReport, {**entry, "number": number, "group": group, "last": start, "loses": loses})


@pytest.mark.parametrize(
    ("order", "numbers"),
    [
        ("soonest first", [3, 5, 4, 1, 2]),
        ("least harm first", [3, 5, 4, 1, 2]),
        ("losing nothing first", [5, 3, 4, 1, 2]),
    ],
)
def test_what_can_be_done_now_comes_first_and_what_takes_machines_last(order: str, numbers: list[int]) -> None:
    machines = [remedy(1, HARDWARE, 1), remedy(2, HARDWARE, 2)]
    entries = [*machines, remedy(3, NOW, 3, 1), remedy(4, PATCH, 4), remedy(5, NOW, 5)]

    assert [entry.number for entry in sorted_remedies(entries, order)] == numbers


async def test_the_end_of_the_culprit_is_selected_first_and_applied() -> None:
    async with asked() as (app, pilot, session):
        document = {**answered.deadlocked(), "would_help": answered.helped()}
        freeing = report_of(RemediesReport, answered.helped())
        session.asked[0].tell(document=document, doing="", freeing=freeing)
        await pilot.pause()
        shown = screen_text(app)
        await pilot.press("enter")
        await pilot.pause()
        said = screen_text(app).splitlines()[-1]
        await pilot.press("A")
        await pilot.pause()
        is_asked = isinstance(app.screen, ConfirmScreen)

    assert shown.index("to free the cluster") < shown.index("to start it itself")
    assert ("A apply it" in shown, "A applies it" in said, is_asked) == (True, True, True)
