"""The dialog that asks before an act: lost and freed."""

import msgspec
import pytest

from engine.explain.aftermath import BegunReport, ImpactReport, StayReport
from tests.reports import report_of
from tests.tui import answered
from tests.tui.render.drawing import stored
from tui.pages.act_sheet import ActQuestion, Trying, sheet_lines
from tui.panes.line import flat
from tui.terminal.format import RelativeTimeFormat

AFTER = report_of(ImpactReport, answered.followed())
DAY = RelativeTimeFormat(answered.NOW, answered.OFFSET_MS)
KILL = ActQuestion(
    "Kill", ("Kill 183342 etl-183342?", "It has run for an hour and a half and holds fifteen containers."), "Kill it",
    lost=(("15", "containers"), ("1h30m", "")), freed=(("60G/15c", "on 12 nodes"),),
)  # fmt: skip


def _stay(number: int, node: str, until_ms: int | None = None) -> StayReport:
    return StayReport(application=answered.name(number), node=node, until_ms=until_ms)


STAYS = (
    _stay(1, "n1:1", answered.NOW + 60_000),
    _stay(1, "n2:1", answered.NOW + 90_000),
    _stay(2, "n3:1", answered.NOW + 30_000),
    _stay(3, "n4:1"),
    _stay(4, "n5:1"),
)


@pytest.mark.parametrize(
    ("name", "trying", "width"),
    [
        ("followed", Trying(AFTER, DAY), 80),
        ("narrow", Trying(AFTER, DAY), 40),
        ("wide", Trying(msgspec.structs.replace(AFTER, stays=STAYS, preempted=3), DAY), 120),
        ("refused", Trying(msgspec.structs.replace(AFTER, refused="there is\nno such node"), DAY), 60),
        ("working", Trying(words="trying it on a copy, which takes a moment or two"), 30),
        (
            "nobody",
            Trying(
                msgspec.structs.replace(
                    AFTER, begun=(), stays=(), memory=msgspec.structs.replace(AFTER.memory, before=None)
                ),
                DAY,
            ),
            60,
        ),
    ],
)
def test_what_follows_is_drawn_as_it_is_stored(name: str, trying: Trying, width: int) -> None:
    """Who starts and when, what is preempted, whose reservations stay, memory now and at most."""
    drawn, kept = stored(f"act-{name}", sheet_lines(KILL, trying, width))

    assert drawn == kept


@pytest.mark.parametrize(
    ("begun", "words"),
    [
        ([(1, False)], ["1 starts", "at 09:01:01"]),
        ([(1, True), (2, True)], ["2 start", "the first at 09:01:01, the last at 09:01:02; 2 running"]),
        (
            [(1, False), (5, True), (9, False)],
            ["3 start", "the first at 09:01:01, the last at 09:01:09; 2 waiting, 1 running"],
        ),
    ],
)
def test_who_starts_is_counted_by_whether_it_ran(begun: list[tuple[int, bool]], words: list[str]) -> None:
    some = tuple(
        BegunReport(application=answered.name(second), at_ms=answered.NOW + 1000 * second, ran=ran)
        for second, ran in begun
    )
    lines = sheet_lines(KILL, Trying(msgspec.structs.replace(AFTER, begun=some), DAY), 100)

    assert flat(lines[8]).split(None, 2)[:2] == words[0].split()
    assert flat(lines[8]).split("  ", 1)[1].strip() == words[1]
