"""Where a wish to move through time leads, in a past of four records and two marks."""

from datetime import UTC, datetime

import pytest

from tui.session.time_travel import FIRST, Destination, destination

START = datetime(2024, 3, 4, 9, tzinfo=UTC)
START_MS = round(START.timestamp() * 1000)
END = "Nothing comes after this."


def at(seconds: int) -> int:
    return START_MS + seconds * 1000


class FourRecords:
    """A past from the 10th to the 60th second."""

    first_ms, now_ms = at(10), at(60)
    records, marks = (10, 20, 30, 60), (15, 45)

    def previous_record(self, time_ms: int) -> int | None:
        return max((at(each) for each in self.records if at(each) < time_ms), default=None)

    def next_record(self, time_ms: int) -> int | None:
        return min((at(each) for each in self.records if at(each) > time_ms), default=None)

    def previous_mark(self, time_ms: int) -> int | None:
        return max((at(each) for each in self.marks if at(each) < time_ms), default=None)

    def next_mark(self, time_ms: int) -> int | None:
        return min((at(each) for each in self.marks if at(each) > time_ms), default=None)


def wish(where: str, looked: int | None) -> Destination:
    """Where a wish leads from a second; None is the present."""
    return destination(where, FourRecords(), None if looked is None else at(looked), START, end_words=END)


@pytest.mark.parametrize(
    ("where", "looked", "leads_to"),
    [
        ("live", 20, None),
        ("live", None, None),
        ("back", None, at(30)),
        ("back", 30, at(20)),
        ("on", 10, at(20)),
        ("on", 60, None),
        ("mark.back", None, at(45)),
        ("mark.back", 45, at(15)),
        ("mark.on", 15, at(45)),
        ("mark.on", 45, None),
        ("second", 20, at(21)),
        ("second", 60, at(61)),
        ("+10", 20, at(10)),
        (" +60s ", 20, at(60)),
        ("09:00:30", None, at(30)),
    ],
)
def test_a_wish_leads_to_an_instant(where: str, looked: int | None, leads_to: int | None) -> None:
    """To the record or mark next to where one looks, or to a time that is written; None is the present."""
    assert wish(where, looked) == Destination(leads_to, "")


@pytest.mark.parametrize(
    ("where", "looked", "words"),
    [
        ("on", None, END),
        ("mark.on", None, END),
        ("second", None, END),
        ("back", 10, FIRST),
        ("mark.back", 15, FIRST),
        ("+9", None, FIRST),
        ("+61", None, "+61 has not come yet."),
        ("soon", 20, "'soon' is not a time; write 09:00, +30m or seconds after the start"),
    ],
)
def test_a_wish_that_leads_nowhere_is_refused(where: str, looked: int | None, words: str) -> None:
    assert wish(where, looked) == Destination(None, words)
