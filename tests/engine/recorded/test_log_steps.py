"""A log as a past: its ends, its steps and marks, its alerts, and when it stands still."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.live.alarm_rules import DEFAULT_RULES, parse_rules
from engine.live.alarms import Alarms
from engine.observe.history import YARN
from engine.recorded.log_series import LATEST, LOOK_MS, SHORTEST_MS, STILL, LogSeries
from engine.recorded.series import after, before, start_of
from tests.engine.recorded.timelines import app, container, held, node, timeline


def series(*parts: object, **more: object) -> LogSeries:
    """A past of a log of these."""
    return LogSeries("x.log", timeline(*parts, **more))  # type: ignore[arg-type]  # any of its parts


@pytest.mark.parametrize(
    ("time_ms", "found"),
    [(0, (None, 5)), (5, (None, 7)), (6, (5, 7)), (7, (5, 9)), (9, (7, None)), (10, (9, None))],
)
def test_steps_go_to_the_nearest_other_instant(time_ms: int, found: tuple[int | None, int | None]) -> None:
    """Of sorted ones; nowhere beyond the ends."""
    times = [5, 7, 7, 9]

    assert (before(times, time_ms), after(times, time_ms)) == found
    assert (before([], time_ms), after([], time_ms)) == (None, None)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 20)).map(sorted), st.integers(-1, 21))
def test_steps_are_those_of_a_plain_search(times: list[int], time_ms: int) -> None:
    """However many instants are equal."""
    assert before(times, time_ms) == max((each for each in times if each < time_ms), default=None)
    assert after(times, time_ms) == min((each for each in times if each > time_ms), default=None)


@pytest.mark.parametrize(
    ("begin_ms", "end_ms", "first_ms", "now_ms"), [(0, 1_000, 0, 1_000), (50, 60, 10, 90), (10, 90, 10, 90)]
)
def test_a_past_reaches_over_its_lines_and_all_that_happened(
    begin_ms: int, end_ms: int, first_ms: int, now_ms: int
) -> None:
    """An instant outside is taken for the nearest end."""
    found = series(app(1), node("n1:1"), container(1, 30, 90), begin_ms=begin_ms, end_ms=end_ms, offset_ms=7)

    assert (found.first_ms, found.now_ms, found.offset_ms, found.name) == (first_ms, now_ms, 7, "x.log")
    assert found.snapshot_at(-5).header.time_ms == first_ms
    assert found.snapshot_at(10**6).header.time_ms == now_ms
    assert found.snapshot_at(40).header.time_ms == 40
    assert found.notes[0].startswith("nodes and applications that no line names")


def test_a_past_begins_in_a_whole_second_of_its_place() -> None:
    """As its people saw it."""
    found = series(app(1, first_ms=61_999), begin_ms=61_999, end_ms=62_000, offset_ms=3_600_000)

    assert start_of(found).isoformat() == "1970-01-01T01:01:01+01:00"


def test_a_start_of_the_resource_manager_is_a_mark() -> None:
    """But not that of the beginning; steps go from mark to mark."""
    found = series(app(1), starts_ms=[0, 1, 500])

    assert list(found.marks()) == [1, 500]
    assert (found.next_mark(1), found.previous_mark(500), found.next_mark(500)) == (500, 1, None)
    assert (found.previous_mark(1), found.next_record(10), found.previous_record(10)) == (None, 500, 1)


def full(*more: object, until_ms: int | None = None, end_ms: int = 60_000) -> LogSeries:
    """One node, which is reserved from 10 s on; one application runs on it."""
    return series(
        app(1, first_ms=0),
        node("n1:1", (0, "RUNNING")),
        container(1, 0),
        held(10_000, until_ms),
        *more,
        end_ms=end_ms,
    )


def kinds(found: LogSeries) -> list[tuple[str, int, int]]:
    """(kind, since when, when found) of each alert."""
    return [(each.kind, each.since_ms, each.found_ms) for each in found.alerts]


def test_a_log_in_which_nothing_starts_any_more_is_frozen() -> None:
    """After five seconds, as rules are looked at; the sentence says how that is known."""
    found = full()

    assert kinds(found) == [("alarm", 10_000, 15_000), ("frozen", 10_000, 15_000)]
    assert found.alerts[1].sentence.endswith(STILL)
    assert found.alerts[0].applications == (1,)
    assert list(found.marks()) == [10_000]


@pytest.mark.parametrize(
    ("more", "until_ms", "frozen"),
    [
        ((), 30_000, True),
        ((container(2, 40_000),), None, False),
        ((container(2, 40_000),), 30_000, True),
        ((node("n2:1", (30_000, "NEW")), container(2, 40_000)), None, True),
    ],
)
def test_it_is_frozen_where_nothing_starts_before_some_node_is_free(
    more: tuple[object, ...], until_ms: int | None, *, frozen: bool
) -> None:
    """By what comes later in the log."""
    found = full(*more, until_ms=until_ms)

    assert (("frozen", 10_000, 15_000) in kinds(found)) == frozen
    assert kinds(found)[0] == ("alarm", 10_000, 15_000)


def test_an_alarm_is_over_when_the_node_is_free() -> None:
    """With its freeze; both are marks."""
    found = full(until_ms=30_000)

    assert kinds(found)[-2:] == [("over", 10_000, 30_000)] * 2
    assert list(found.marks()) == [10_000, 30_000]


@pytest.mark.parametrize(("until_ms", "count"), [(13_999, 0), (14_000, 0), (20_000, 4)])
def test_what_lasts_less_than_a_rule_is_no_alarm(until_ms: int, count: int) -> None:
    """Four seconds."""
    assert len(full(until_ms=until_ms).alerts) == count


def test_graphs_are_those_of_the_changes() -> None:
    """With the memory of queues."""
    found = series(app(1, queue="q"), node("n1:1", (0, "RUNNING")), container(1, 30, 90))
    steps, used = found.history.cluster, YARN.index("used_memory_mb")

    assert [each and each[used] for each in map(steps.at, (29, 30, 89, 90))] == [0, 100, 100, 0]
    assert [found.history.queues["q"].at(ms) for ms in (30, 89, 90)] == [100, 100, 0]


def test_the_latest_records_are_given() -> None:
    """Up to an instant."""
    found = series(app(1), node("n1:1"), container(1, 30, 90))

    assert [each.time_ms for each in found.records_until(30)] == [0, 10, 30]
    assert (LATEST, SHORTEST_MS, LOOK_MS) == (5_000, 1_000, 5_000)


def test_alerts_are_those_of_rules_that_are_followed_over_snapshots() -> None:
    """Second by second, though no snapshot is made of each."""
    found = full(until_ms=30_000)
    alarms = Alarms(parse_rules(DEFAULT_RULES))
    for time_ms in range(0, 60_001, 1_000):
        alarms.take(found.snapshot_at(time_ms), time_ms)
    plain = [each for each in alarms.alerts if each.kind == "alarm"]

    assert [each.sentence for each in found.alerts if each.kind == "alarm"] == [each.sentence for each in plain]
    assert [each.since_ms for each in found.alerts if each.kind == "alarm"] == [each.since_ms for each in plain]
