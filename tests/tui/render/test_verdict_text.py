"""The answers of `schedlab why` as lines of text."""

from datetime import datetime
from typing import Any

import pytest

from engine.explain.report import PlaceReport, WhyReport
from tests.reports import report_of
from tests.tui import answered
from tui.format import Beside, beside
from tui.render.verdict_text import place_lines, verdict_words, why_lines


def _day(written: str) -> Beside:
    return beside(datetime.fromisoformat(written))


def _asked(places: list[str], *, relax_locality: bool) -> str:
    """The line of an application that asks for containers at some places."""
    document = answered.deadlocked()
    ask: dict[str, Any] = {"count": 2, "size": [1024, 1], "priority": 3, "places": places, **answered.OPEN}
    ask["relax_locality"] = relax_locality
    application = {**document["application"], "asks": [ask]}
    lines = why_lines(report_of(WhyReport, {**document, "application": application}), _day(document["at"]))
    return next(line for line in lines if line.startswith("asks"))


@pytest.mark.parametrize(
    ("places", "relax_locality", "words"),
    [
        ([], True, ""),
        (["a"], True, " near a"),
        (["a"], False, " only on a"),
        (["a", "b", "c", "d"], True, " near a, b, c, d"),
        (["a", "b", "c", "d", "e"], True, " near a, b, c, d ..."),
    ],
)
def test_an_ask_names_four_places_at_most(places: list[str], words: str, *, relax_locality: bool) -> None:
    asked = _asked(places, relax_locality=relax_locality)

    assert asked == f"asks      2 x 1024 MB, 1 vcore at priority 3{words}"


@pytest.mark.parametrize(
    ("at", "words"), [("2017-11-11T09:01:00.000+08:00", "09:01:00"), ("2017-11-11T09:01:00.250+08:00", "09:01:00.250")]
)
def test_a_clock_has_milliseconds_where_there_are_some(at: str, words: str) -> None:
    document: dict[str, Any] = {**answered.deadlocked(), "at": at}

    assert why_lines(report_of(WhyReport, document), _day(at))[0].endswith(f" at {words}")


@pytest.mark.parametrize(
    ("start", "dated"),
    [("2017-11-11T08:30:00+08:00", ""), ("2017-11-10T23:59:59+08:00", "2017-11-11 ")],
    ids=["first day", "second day"],
)
def test_an_instant_has_its_date_after_the_first_day_of_the_run(start: str, dated: str) -> None:
    """That asked about, since when it waits, until when something is held, and what was found on the way."""
    plain = answered.deadlocked()
    application = {**plain["application"], "waiting_since": "2017-11-11T09:00:01.000+08:00"}
    document: dict[str, Any] = {**plain, "at": "2017-11-11T09:01:00.000+08:00", "application": application}
    lines = why_lines(report_of(WhyReport, document), _day(start))
    waiter = {"application": "application_1_0007", "name": "etl", "queue": "root.a", "pending": 2, "reasons": []}
    waiting = [{**waiter, "waiting_since": "2017-11-11T09:00:01.000+08:00"}]
    written = {"schema": 1, "queue": "root.a", "at": document["at"], "waiting": waiting}
    place = place_lines(report_of(PlaceReport, written), _day(start))

    assert lines[0].endswith(f" at {dated}09:01:00")
    assert lines[1].endswith(f", waiting since {dated}09:00:01")
    assert place == [
        f"queue root.a at {dated}09:01:00: 1 application waiting",
        f"0007 etl: 2 asked for, since {dated}09:00:01",
    ]


def test_who_withdraws_an_ask_is_not_said_to_end() -> None:
    """The proof of such a verdict has no instant at which the application is over."""
    answer = report_of(WhyReport, {**answered.deadlocked(), "verdict": "none", "pattern": ""})

    assert verdict_words(answer, _day(answered.AT)) == "it withdraws what it still asks for"
