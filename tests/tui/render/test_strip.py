"""What the strip says in the room there is."""

import msgspec
import pytest

from engine.observe.snapshot import UNKNOWN, ObstacleSummary, Unknown
from tests.tui import answered, fakes
from tests.tui.render.test_circle import frozen
from tui.render.line import Spans, flat
from tui.render.strip import circle_of, may_circle, with_circle, wrapped

WHY: Spans = [("why  ", "faint"), ("11 of 12 nodes too full", "text")]
WHO: Spans = [("application_1_0007", "strong"), ("  root.etl of somebody", "text")]


@pytest.mark.parametrize(
    ("width", "height", "shown"),
    [
        (28, 4, ["why  11 of 12 nodes too full"]),
        (27, 4, ["why  11 of 12 nodes too", "     full"]),
        (13, 4, ["why  11 of 12", "     nodes", "     too full"]),
        (13, 3, ["why  11 of 12", "     nodes too full"]),
        (13, 2, ["why  11 of 12 nodes too full"]),
    ],
)
def test_a_sentence_goes_on_in_free_lines(width: int, height: int, shown: list[str]) -> None:
    """Under its own beginning; what has no line is left at the end of the last one, where it is cut."""
    lines = wrapped([WHO, WHY], width, height)

    assert [flat(line) for line in lines] == [flat(WHO), *shown]


@pytest.mark.parametrize(
    ("reservations", "code", "may"),
    [
        (1, "DOES_NOT_FIT", True),
        (0, "NODE_RESERVED", True),
        (0, "DOES_NOT_FIT", False),
        (UNKNOWN, "DOES_NOT_FIT", False),
    ],
)
def test_who_holds_a_node_or_waits_for_one_may_be_in_a_circle(
    reservations: int | Unknown, code: str, may: bool
) -> None:
    row = fakes.application_row(7, reservations=reservations, obstacle=ObstacleSummary(code, "no room"))

    assert may_circle(row) is may
    assert may_circle(msgspec.structs.replace(row, reservations=0, obstacle=None)) is False


def test_the_circle_stands_below_the_facts_as_a_whole_or_not_at_all() -> None:
    circle = circle_of(answered.name(183354), frozen(183314, 183315), 100, is_proven=True)
    facts = [WHO, WHY]
    needed = len(facts) + 1 + len(circle)

    assert flat(circle[0]) == "The circle  who waits for whom"
    assert with_circle(facts, circle, needed) == [*facts, [], *circle]
    assert with_circle(facts, circle, needed - 1) == facts
    assert with_circle(facts, [], needed) == facts
