"""Lines of a ResourceManager's log one after the other, and what a reader that follows a log forgets."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats.traces.rm_log_lines import LineParser, LogLine

APP, OTHER = "application_17_0001", "application_17_0002"
FIRST, WORKER, ELSE = (f"container_17_{number}" for number in ("0001_01_000001", "0001_01_000002", "0002_01_000002"))
BEGINS = ("", "h: ", "2017-11-11 09:00:00,000 ")
TIMES = (
    "2017-11-11 09:00:0{},00{} ",
    "2017-11-11 09:00:0{}.00{} ",
    "17/11/11 09:00:0{} ",
    "2017-13-11 09:00:0{},00{} ",
)
MIDDLES = ("INFO a.B: ", "INFO a.C: ", "WARN [x: y] a.B: ", "INFO [x] a.B: ", "INFO a.B (B.java:f(3)): ", "INFO a.B ")
LINES = st.builds(
    lambda begin, time, second, ms, middle, rest: begin + time.format(second, ms) + middle + rest,
    st.sampled_from(BEGINS),
    st.sampled_from(TIMES),
    st.integers(0, 1),
    st.integers(0, 1),
    st.sampled_from(MIDDLES),
    st.sampled_from(("x", "x: y", "")),
)


@given(st.lists(LINES, max_size=8))
def test_a_line_says_the_same_whatever_came_before(lines: list[str]) -> None:
    parser = LineParser()

    assert [parser.line(each) for each in lines] == [LineParser().line(each) for each in lines]


@pytest.mark.parametrize(("second", "message"), [(0, "a: b"), (1, "c")])
def test_a_time_is_read_as_utc(second: int, message: str) -> None:
    at_ms = int(datetime(2017, 11, 11, 9, 0, second, tzinfo=UTC).timestamp()) * 1000
    text = f"2017-11-11 09:00:0{second},999 INFO x.y.Z: {message}"

    assert LineParser().line(text) == LogLine(at_ms + 999, "Z", message)
