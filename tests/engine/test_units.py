"""Amounts as people write them."""

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Problem, nearest, quoted
from engine.units import UnitError, format_duration, format_memory, parse_duration, parse_instant, parse_memory

START = datetime.fromisoformat("2017-11-11T08:30:00+08:00")


@given(st.integers(0, 2**40))
def test_memory_reads_back_what_was_written(memory_mb: int) -> None:
    assert parse_memory(format_memory(memory_mb)) == memory_mb


@given(st.integers(0, 2**40))
def test_a_duration_reads_back_what_was_written(duration_ms: int) -> None:
    assert parse_duration(format_duration(duration_ms)) == duration_ms


@pytest.mark.parametrize("text", ["", "g", "-1g", "1.3", "64gg", "1e3", "0.3m"])
def test_what_is_no_amount_of_memory_is_refused(text: str) -> None:
    with pytest.raises(UnitError):
        parse_memory(text)


@pytest.mark.parametrize("text", ["", "h", "1h30", "-1s", "1.5ms", "1 hour", "1x"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(UnitError):
        parse_duration(text)


@pytest.mark.parametrize(
    ("moment", "offset_ms"),
    [
        ("08:30", 0),
        ("08:29:59.5", 86_399_500),
        (time(9, 0, 0, 250_000), 1_800_250),
        (datetime(2017, 11, 11, 9, 0), 1_800_000),  # noqa: DTZ001 -- a local date in a file has no zone
        (datetime(2017, 11, 11, 1, 0, tzinfo=UTC), 1_800_000),
        ("2017-11-12T08:30:00+08:00", 86_400_000),
        ("-5m", -300_000),
        (0.5, 500),
    ],
)
def test_a_moment_counts_from_the_start(moment: str | float | time | datetime, offset_ms: int) -> None:
    """Times of day are the first at or after the start; dates without a zone are the start's."""
    assert parse_instant(moment, START) == offset_ms


@pytest.mark.parametrize("moment", ["24:00", "09:60", "09:00:60", "2017-13-01 09:00", "soon", "+"])
def test_what_is_no_moment_is_refused(moment: str) -> None:
    with pytest.raises(UnitError):
        parse_instant(moment, START)


@pytest.mark.parametrize("moment", ["09:00", datetime(2017, 11, 11, tzinfo=UTC)])
def test_a_moment_needs_a_start_to_count_from(moment: str | datetime) -> None:
    with pytest.raises(UnitError, match="no start to count from"):
        parse_instant(moment)


@given(st.timedeltas(timedelta(0), timedelta(hours=23)))
def test_a_time_of_day_is_never_before_the_start(distance: timedelta) -> None:
    wanted = START + timedelta(milliseconds=distance // timedelta(milliseconds=1))
    text = wanted.strftime("%H:%M:%S.%f")[:-3]
    assert timedelta(milliseconds=parse_instant(text, START)) == wanted - START


@pytest.mark.parametrize("read", [parse_memory, parse_duration, parse_instant])
@pytest.mark.parametrize("text", ["9" * 41, 10**5000], ids=["text", "number"])
def test_an_amount_of_too_many_digits_is_refused(read: Callable[[str | int], object], text: str | int) -> None:
    """No amount has more than forty characters, and no size of a number makes the refusal fail."""
    with pytest.raises(UnitError, match="is not"):
        read(text)


# Problems read as sentences with a place; errors carry what callers need.


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("no such queue"), "no such queue"),
        (Problem("no such queue", file="a.toml"), "a.toml: no such queue"),
        (Problem("no such queue", file="a.toml", line=3), "a.toml:3: no such queue"),
        (Problem("no such queue", line=3), "no such queue"),
        (
            Problem("unknown", key="cluster.nods", hint="did you mean nodes?"),
            "cluster.nods: unknown (did you mean nodes?)",
        ),
        (
            Problem("too big", file="a.toml", line=3, key="am", hint="at most 64000"),
            "a.toml:3: am: too big (at most 64000)",
        ),
    ],
)
def test_a_problem_reads_as_place_key_message_hint(problem: Problem, text: str) -> None:
    assert str(problem) == text


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("maxRuningApps", "did you mean maxRunningApps?"),
        ("MAXRUNNINGAPPS", "did you mean maxRunningApps?"),
        ("wieght", "did you mean weight?"),
        ("zzz", ""),
    ],
)
def test_the_nearest_valid_name_is_hinted_at(name: str, hint: str) -> None:
    assert nearest(name, ["weight", "maxRunningApps"]) == hint


@pytest.mark.parametrize(
    ("value", "text"), [("a" * 80, repr("a" * 80)), ("a" * 81, repr("a" * 66 + "..." + "a" * 11)), (1.5, "1.5")]
)
def test_a_value_is_quoted_up_to_a_length(value: object, text: str) -> None:
    assert quoted(value) == text


def test_a_problem_of_any_length_reads_as_one_bounded_sentence() -> None:
    """Names, keys and messages of a file are cut, so that no message fills a screen."""
    assert len(str(Problem("m" * 10_000, "f" * 10_000, 1, "k" * 10_000, "h" * 10_000))) < 1_100
