"""The lines of the answer to why, from answers made by hand."""

import pytest

from tests.tui import fakes
from tui.answers import WhyAnswer, WhySubject
from tui.render.line import Look, flat
from tui.render.why import head_lines

LOOK = Look(fakes.NOW, ("memory_mb", "vcores"), (1228800, 384))


@pytest.mark.parametrize(
    ("kind", "key", "name"),
    [
        ("application", "1", "0001"),
        ("application", "1234", "1234"),
        ("application", "183354", "183354"),
        ("node", "n1:45454", "n1"),
        ("queue", "root.a", "root.a"),
    ],
)
def test_what_is_asked_about_is_named_as_in_the_panes(kind: str, key: str, name: str) -> None:
    """A number of fewer than four digits is filled up, as at the end of an id."""
    answer = WhyAnswer(WhySubject(kind, key), fakes.NOW, {})

    assert flat(head_lines(answer, (), LOOK, past=False)[0]).split()[:2] == ["Why", name]


def test_the_trail_stands_before_what_is_asked_about() -> None:
    """In the order it was asked."""
    answer = WhyAnswer(WhySubject("queue", "root.a"), fakes.NOW, {})
    trail = (WhySubject("application", "7"), WhySubject("node", "n1:1"))

    assert " Why 0007 > n1 > root.a " in flat(head_lines(answer, trail, LOOK, past=False)[0])
