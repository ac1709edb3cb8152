"""The lines over the answer to why, from answers made by hand."""

import pytest

from tests.tui import answered, fakes
from tui.pages.why_head import head_lines
from tui.panes.header import DEAD, Health
from tui.panes.line import RenderContext, flat, length
from tui.protocol.picture import WhyAnswer, WhySubject

FROZEN = Health(DEAD, "FROZEN", "183354 holds 11 of 12 nodes", fakes.NOW - 60_000)
LOOK = RenderContext(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384))


def head(answer: WhyAnswer, *trail: WhySubject, width: int = 120) -> list[str]:
    return [flat(line) for line in head_lines(answer, trail, LOOK, width, state="paused", health=FROZEN)]


@pytest.mark.parametrize(
    ("verdict", "state", "badge"),
    [
        ("deadlocked", "ACCEPTED", "■ NEVER STARTS "),
        ("blocked", "RUNNING", "■ NEVER SERVED "),
        ("starving", "RUNNING", "▲ OTHERS FIRST "),
        ("none", "RUNNING", "● NOT WAITING "),
    ],
)
def test_the_verdict_is_a_badge(verdict: str, state: str, badge: str) -> None:
    document = answered.deadlocked()
    document = {**document, "verdict": verdict, "application": {**document["application"], "state": state}}
    document["proof"] = {**document["proof"], "over": answered.AT}

    assert badge in head(answered.answer_of(WhySubject("application", "183354"), document))[1]


def test_no_width_makes_a_line_longer_than_it() -> None:
    answer = answered.answer_of(WhySubject("application", "183354"), answered.deadlocked())

    for width in range(60, 200):
        assert [length([(line, "")]) <= width for line in head(answer, width=width)] == [True, True, True], width
