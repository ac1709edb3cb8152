"""The proof of a verdict that is no circle, as lines one can follow."""

from typing import Any

from engine.explain.report import ProofReport
from tests.reports import report_of
from tests.tui import answered
from tui.format import Beside
from tui.render.line import flat
from tui.render.why_parts import proof_rows


def _lines(**changes: Any) -> list[str]:
    proof = report_of(ProofReport, {**answered.deadlocked()["proof"], "cycle": [], **changes})
    day = Beside(answered.NOW, answered.OFFSET_MS)
    return [flat(row.spans) for row in proof_rows(proof, day, {answered.name(183354): "weekly"}, 72)]


def test_how_far_was_looked_is_told_first() -> None:
    """With the number of allocations; a long sentence goes on in the next line."""
    assert " ".join(_lines()) == "simulated with no new submissions until nothing can happen any more: 0 allocations"


def test_who_was_served_before_it_is_told_with_the_time() -> None:
    served = {"memory_mb": 1024, "node": "n1:45454", "application": answered.name(183354)}
    lines = _lines(
        passed_by=[{**served, "at": "2017-11-11T09:01:02.000+08:00"}, {**served, "at": "2017-11-11T09:01:03.250+08:00"}]
    )

    assert lines[-2:] == ["09:01:02 1G on n1 to 183354 weekly", "09:01:03.250 1G on n1 to 183354 weekly"]


def test_who_keeps_it_for_ever_is_listed() -> None:
    assert _lines(for_ever=[answered.name(183354)])[-2:] == ["never released by:", "183354 weekly"]
