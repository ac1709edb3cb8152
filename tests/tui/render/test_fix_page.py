"""What to do now so that all that wait start: remedies by group, from some made by hand."""

from typing import Any

import msgspec
import pytest

from engine.explain.aftermath import ImpactReport
from tests.reports import report_of
from tests.tui import answered, fakes
from tests.tui.render.drawing import stored
from tests.tui.render.helped import ENTRIES, entry, remedies
from tui.pages.why_head import WhyChoice, why_page
from tui.pages.why_parts import HELPS
from tui.panes.line import RenderContext, length
from tui.protocol.picture import CLUSTER, WhyAnswer, WhySubject

LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384), 8 * 3_600_000)
FOLLOWED = report_of(ImpactReport, answered.followed())


def answer(**changes: Any) -> WhyAnswer:
    found = WhyAnswer(WhySubject(CLUSTER, ""), fakes.NOW, answered.OFFSET_MS, plan=remedies())
    return msgspec.structs.replace(found, **changes)


MANY = remedies(*(entry(number, 10 * number) for number in range(1, 7)), never=False)


@pytest.mark.parametrize(
    ("name", "told", "size"),
    [
        ("wide", answer(), (170, 40)),
        ("followed", answer(aftermath=FOLLOWED, is_assumed=True, note="as the twin assumes"), (120, 40)),
        ("low", answer(plan=MANY, doing="trying remedies"), (100, 14)),
        ("80", answer(plan=MANY, doing="trying a remedy on a copy"), (80, 24)),
        ("all", answer(plan=remedies(*ENTRIES[:1], tried=12, useless=ENTRIES[0].alike[:1])), (120, 40)),
        ("none", answer(plan=msgspec.structs.replace(remedies(), remedies=(), useless=())), (100, 24)),
        ("early", answer(plan=None, doing="looking"), (100, 24)),
        ("unknown", answer(plan=None), (80, 24)),
        ("noted", answer(plan=None, doing="looking", note="nobody waits"), (80, 24)),
    ],
)
def test_what_to_do_is_drawn_as_it_is_stored(name: str, told: WhyAnswer, size: tuple[int, int]) -> None:
    """By group, a few of each where there is little room; how it was tried where there is much."""
    drawn, kept = stored(f"fix-{name}", why_page(told, None, LOOK, size, WhyChoice(part=HELPS)).lines)

    assert drawn == kept


@pytest.mark.parametrize("size", [(60, 24), (80, 24), (99, 30), (100, 14), (150, 50)])
def test_no_line_is_wider_than_the_screen(size: tuple[int, int]) -> None:
    widths = {length(line) for line in why_page(answer(plan=MANY), None, LOOK, size, WhyChoice()).lines}

    assert max(widths) <= size[0]
    assert size[0] < 100 or widths == {size[0]}
