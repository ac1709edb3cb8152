"""The answers of `schedlab why` as lines of text."""

from datetime import datetime
from typing import Any

import pytest

from engine.explain.answer import PlaceReport, WhyReport
from tests.reports import report_of
from tests.tui import answered
from tui.pages.verdict_text import place_lines, why_lines
from tui.terminal.format import RelativeTimeFormat, beside


def _day(written: str) -> RelativeTimeFormat:
    return beside(datetime.fromisoformat(written))


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
