"""Kept polls in the list of runs, and as an object."""

import pytest

from engine.recorded.kept_polls import PollsInfo
from engine.recorded.polls_file import PollsBeginning, PollsEnd
from tui.commands.runs_polls import polls_object, polls_row

BEGINNING = PollsBeginning(
    format=1,
    where="rm1:8088",
    dialect="yarn",
    scheduler="fair",
    created="2026-11-22T10:20:30+01:00",
    program="0.2",
    start_ms=1_000,
    offset_ms=0,
)


def ended(failure: str = "") -> PollsEnd:
    """The end of them."""
    return PollsEnd(62_999, 31, failure)


def info(until_ms: int = 62_999, end: PollsEnd | None = None) -> PollsInfo:
    """Polls of a minute."""
    return PollsInfo("polls", BEGINNING, end, until_ms, 2**20)


@pytest.mark.parametrize(
    ("until_ms", "lasts"), [(62_999, "1m1s"), (63_000, "1m2s"), (1_999, "0s"), (500, "0s"), (3_601_000, "1h")]
)
def test_a_row_says_how_long_they_last(until_ms: int, lasts: str) -> None:
    """In whole seconds; the name is as wide as the widest."""
    row = polls_row(info(until_ms, ended()), 8)

    assert row == f"polls     2026-11-22 10:20  polls of rm1:8088, fair, {lasts}"


@pytest.mark.parametrize(
    ("end", "state", "whole", "failure"),
    [
        (None, "  (not ended)", False, ""),
        (ended(), "", True, ""),
        (ended("disk full"), "  (cut off: disk full)", False, "disk full"),
    ],
)
def test_how_they_ended_is_told(end: PollsEnd | None, state: str, whole: bool, failure: str) -> None:
    """At the end of the row, and for programs."""
    found = polls_object(info(end=end))

    assert polls_row(info(end=end), 5).endswith(f"1m1s{state}")
    assert (found["name"], found["is_whole"], found["failure"]) == ("polls", whole, failure)
    assert (found["until_ms"], found["size_bytes"], found["where"]) == (62_999, 2**20, "rm1:8088")
