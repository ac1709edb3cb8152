"""The dialog that asks before an act: lost and freed."""

import msgspec
import pytest

from engine.explain.aftermath import ImpactReport, StayReport
from tests.reports import report_of
from tests.tui import answered
from tests.tui.render.drawing import stored
from tui.pages.act_sheet import ActQuestion, Trying, sheet_lines
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
