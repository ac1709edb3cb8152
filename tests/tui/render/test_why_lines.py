"""The lines over the answer to why, from answers made by hand."""

import msgspec
import pytest

from tests.tui import answered, fakes
from tui.answers import WhyAnswer, WhySubject
from tui.render.health import DEAD, Health
from tui.render.line import Look, flat, length
from tui.render.why_head import head_lines

FROZEN = Health(DEAD, "FROZEN", "183354 holds 11 of 12 nodes", fakes.NOW - 60_000)
LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384))


def head(answer: WhyAnswer, *trail: WhySubject, width: int = 120) -> list[str]:
    return [flat(line) for line in head_lines(answer, trail, LOOK, width, state="paused", health=FROZEN)]


@pytest.mark.parametrize(
    ("kind", "key", "name"),
    [
        ("application", "1", "Applications › 0001 › why"),
        ("application", "1234", "Applications › 1234 › why"),
        ("node", "n1:45454", "Nodes › n1 › why"),
        ("queue", "root.a", "Queues › root.a › why"),
    ],
)
def test_what_is_asked_about_is_named_as_in_the_panes(kind: str, key: str, name: str) -> None:
    """A number of fewer than four digits is filled up, as at the end of an id."""
    assert head(WhyAnswer(WhySubject(kind, key), fakes.NOW))[0].startswith(f" {name}  ")


def test_the_trail_stands_before_what_is_asked_about() -> None:
    answer = WhyAnswer(WhySubject("queue", "root.a"), fakes.NOW)

    assert " 0007 › n1 › root.a › why" in head(answer, WhySubject("application", "7"), WhySubject("node", "n1:1"))[0]


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


def test_the_forecast_of_twins_stands_in_place_of_none() -> None:
    live = answered.answer_of(WhySubject("application", "183354"), answered.known(verdict="live"))

    assert "● NO FORECAST " in head(live)[1]
    assert "not known yet" in head(msgspec.structs.replace(live, doing="making the twin"))[1]
    told = msgspec.structs.replace(live, doing="trying remedies", forecast="starts at 04:48:00 if what runs ends")
    assert "● FORECAST " in head(told)[1]
    assert head(told)[1].endswith(": starts at 04:48:00 if what runs ends")
