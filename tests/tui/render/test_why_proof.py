"""The proof of a verdict, as lines one can follow."""

from typing import Any

from tests.tui import answered
from tui.render.line import ASCII, flat
from tui.render.why_proof import proof_lines


def _lines(**changes: Any) -> list[str]:
    document = answered.deadlocked()
    proof = {**document["proof"], **changes}
    names = {answered.name(183354): "weekly"}
    return [flat(spans).rstrip() for spans, _, _ in proof_lines({**document, "proof": proof}, names, ASCII, 72, 10)]


def test_a_cycle_comes_back_to_where_it_began() -> None:
    """Its first step is labelled and has no line above it."""
    lines = _lines()
    begin = next(place for place, line in enumerate(lines) if line.startswith("cycle"))

    assert lines[begin] == "cycle     +> 183354 weekly"
    assert [line for line in lines[begin:] if "+> " in line] == [lines[begin], "          +> 183342"]
    assert lines[-1] == "          +- 183354, and so on for ever"


def test_who_was_served_before_it_is_told_with_the_time() -> None:
    """Without milliseconds where there are none; only the first has the label."""
    served = {"memory_mb": 1024, "node": "n1:45454", "application": answered.name(183342)}
    lines = _lines(
        cycle=[],
        passed_by=[
            {**served, "at": "2017-11-11T09:01:02.000+08:00"},
            {**served, "at": "2017-11-11T09:01:03.250+08:00"},
        ],
    )

    assert lines[-2:] == [
        "passed by 09:01:02 1G on n1 to 183342",
        "          09:01:03.250 1G on n1 to 183342",
    ]
