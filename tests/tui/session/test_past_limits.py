"""How far events of the past are searched for, and where the past ends."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from engine.simulation.record_log import NumberedRecord
from engine.simulation.records import Draining
from tui.session.destinations import FIRST
from tui.session.time_travel import EVENTS_SHOWN, STRETCHES, TimeTravel, version_of

START = datetime(2024, 3, 4, 9, tzinfo=UTC)
START_MS = round(START.timestamp() * 1000)


def rows(first: int, count: int, time_ms: int = START_MS) -> list[NumberedRecord]:
    """Records of one instant, numbered on from the first."""
    return [NumberedRecord(number, time_ms, Draining("n")) for number in range(first, first + count)]


class StretchesOfPast:
    """A timeline of fifty seconds; going back it finds one stretch of records after another, some of them empty."""

    first_ms, now_ms = START_MS + 10_000, START_MS + 60_000

    def __init__(self, stretches: Sequence[list[NumberedRecord]], heard: Sequence[NumberedRecord]) -> None:
        self._stretches, self._heard = stretches, heard
        self.searched = 0

    def at(self, time_ms: int, heard: Any) -> Any:
        """A copy of the run."""
        heard.rows.extend(self._heard)
        return SimpleNamespace(now_ms=time_ms)

    def records_before(self, time_ms: int) -> Iterator[list[NumberedRecord]]:
        """Each stretch."""
        for stretch in self._stretches:
            self.searched += 1
            yield stretch


def past(stretches: Sequence[list[NumberedRecord]], heard: Sequence[NumberedRecord] = ()) -> tuple[Any, Any]:
    """Somebody who looks at the middle of it, and the timeline."""
    timeline = StretchesOfPast(stretches, heard)
    scenario = SimpleNamespace(start=START, start_ms=START_MS)
    recorded: Any = SimpleNamespace(timeline=timeline, history=None, run=SimpleNamespace(scenario=scenario))
    travel = TimeTravel(recorded)
    assert travel.travel("+30") == ""
    return travel, timeline


@pytest.mark.parametrize(("where", "is_past"), [("+59999ms", True), ("+60s", False), ("+10", True)])
def test_the_end_of_the_past_is_the_present(where: str, is_past: bool) -> None:
    """A millisecond before it is the past."""
    travel, _ = past([])

    assert travel.travel(where) == ""
    assert (travel.simulation is not None, travel.is_finding) == (is_past, is_past)


def test_a_refusal_moves_nobody() -> None:
    """Neither before the begin nor behind the end is anything."""
    travel, _ = past([])

    assert (travel.travel("+61"), travel.now_ms) == ("+61 has not come yet.", START_MS + 30_000)
    assert (travel.travel("09:00:10"), travel.travel("+9999ms"), travel.now_ms) == ("", FIRST, START_MS + 10_000)


def test_no_more_than_some_stretches_are_searched() -> None:
    """One after the other; an empty one does not count."""
    travel, timeline = past([[], *(rows(900 - at, 1) for at in range(20))])
    travel.find_events([], lambda: False)

    assert (STRETCHES, timeline.searched, travel.is_finding) == (8, 9, False)
    assert [row.number for row in travel.records([])] == list(range(893, 901))


def test_the_search_pauses_when_its_time_is_over() -> None:
    """After every stretch, also an empty one; then it goes on from there."""
    travel, timeline = past([rows(900, 1), [], rows(899, 1)])
    searched = []
    for _ in range(3):
        travel.find_events([], lambda: True)
        searched.append((timeline.searched, travel.is_finding))
    travel.find_events([], lambda: True)

    assert searched == [(1, True), (2, True), (3, True)]
    assert travel.is_finding is False
    assert [row.number for row in travel.records([])] == [899, 900]


@pytest.mark.parametrize(("heard", "searched"), [(EVENTS_SHOWN - 1, 1), (EVENTS_SHOWN, 0)])
def test_a_thousand_events_are_enough(heard: int, searched: int) -> None:
    """With one less another stretch is searched."""
    travel, timeline = past([rows(1, 4000)], rows(5000, heard))
    travel.find_events([], lambda: False)

    assert (EVENTS_SHOWN, timeline.searched, travel.is_finding) == (1000, searched, False)


@pytest.mark.parametrize(("first", "searched"), [(0, 0), (1, 1)])
def test_before_the_first_record_is_nothing_to_search(first: int, searched: int) -> None:
    """The one of number 0."""
    travel, timeline = past([[]], rows(first, 3))
    travel.find_events([], lambda: False)

    assert timeline.searched == searched


@pytest.mark.parametrize(
    ("latest", "numbers"),
    [
        ([], [5, 6, 7]),
        (rows(6, 2), [5, 6, 7]),
        (rows(6, 1, START_MS + 30_000), [5, 6]),
        (rows(6, 1, START_MS + 30_001), [5, 6, 7]),
        (rows(3, 9), [3, 4, 5, 6, 7, 8, 9, 10, 11]),
    ],
)
def test_what_the_log_still_has_is_taken_from_it(latest: list[NumberedRecord], numbers: list[int]) -> None:
    """Up to the instant looked at; what was found again comes before."""
    travel, _ = past([], rows(5, 3))

    assert [row.number for row in travel.records(latest)] == numbers


def test_a_full_log_needs_nothing_found_again() -> None:
    """And in the present nothing is."""
    travel, _ = past([], rows(0, 3))
    full = rows(7, EVENTS_SHOWN)

    assert travel.records(full) == full
    assert [row.number for row in travel.records(full[1:])][:4] == [0, 1, 2, 8]
    assert travel.travel("live") == ""
    assert travel.records(full[1:]) == full[1:]


def test_versions_of_the_past_differ_from_those_of_the_present() -> None:
    """By the last record and by how many there are."""
    found = [version_of(each) for each in ([], rows(0, 1), rows(0, 2), rows(1, 1), rows(1, 2))]

    assert len(set(found[1:])) == 4
    assert all(each < 0 for each in found)
    assert found[:2] == [-1, -2]
