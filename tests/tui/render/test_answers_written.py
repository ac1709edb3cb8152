"""Answers to why, written whole."""

from typing import Any

import pytest

from engine.explain.answer import WhyReport
from tests.reports import report_of
from tests.tui import answered, fakes
from tests.tui.render.drawing import stored
from tui.pages.verdict_text import why_lines
from tui.terminal.format import RelativeTimeFormat

DAY = RelativeTimeFormat(fakes.NOW, 8 * 3_600_000)


# Answers as text


def _behind() -> dict[str, Any]:
    nothing = answered.holder(183330, container_count=0, reservations=[], waits=False, until="unknown")
    found = answered.deadlocked()
    return {
        **found,
        "verdict": "blocked",
        "pattern": "",
        "holders": [nothing],
        "proof": {
            **found["proof"],
            "cycle": [],
            "for_ever": [answered.name(183330), answered.name(2), answered.name(3)],
        },
        "request": {"priority": 3, "reasons": [answered.reason()]},
        "looked_until": answered.AT,
    }


def _starving() -> dict[str, Any]:
    found = answered.deadlocked()
    asks = [{**found["application"]["asks"][0], "priority": n, "verdict": v, "expected_start": s} for n, v, s in (
        (1, "later", None), (2, "none", None), (3, "waiting", "2017-11-12T09:00:00.000+08:00"),
    )]  # fmt: skip
    return {
        **found,
        "verdict": "starving",
        "application": {**found["application"], "asks": asks, "diagnostics": "it waits", "queue": None, "state": None},
        "proof": {
            **found["proof"], "still": False, "allocations": 2, "last_allocation": answered.AT, "cycle": [],
            "passed_by": [
                {"at": answered.AT, "application": answered.name(5), "node": "n1:1", "memory_mb": memory_mb}
                for memory_mb in (4096, 0)
            ],
            "bound": [answered.reason()],
        },
        "not_counted": [{"node": "n7:45454", "returns": "2017-11-11T10:00:00.000+08:00"}],
        "point_of_no_return": answered.turning(late=False),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("deadlocked", {**answered.deadlocked(), "would_help": answered.helped()}),
        ("behind", _behind()),
        ("starving", _starving()),
        ("known", answered.known(is_live=True, verdict="live")),
        ("late", {**answered.deadlocked(), "point_of_no_return": {**answered.turning(late=True), "latest": None}}),
        ("slots", {**answered.deadlocked(), "dimensions": ["map_slots", "reduce_slots"]}),
    ],
)
def test_an_answer_is_written_as_it_is_stored(name: str, document: dict[str, Any]) -> None:
    """Who, the verdict, asks, reasons, holders, the proof, the way back, what would help."""
    lines = why_lines(report_of(WhyReport, document), DAY)
    drawn, kept = stored(f"answer-{name}", [[(line, "text")] for line in lines])

    assert drawn == kept
