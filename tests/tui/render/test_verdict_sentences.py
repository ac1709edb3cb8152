"""The sentence of each verdict, and the lines about who holds what is needed."""

from datetime import datetime
from typing import Any

import pytest

from engine.explain.report import WhyReport
from tests.reports import report_of
from tests.tui import answered
from tui.format import beside
from tui.render.verdict_text import verdict_words

DAY = beside(datetime.fromisoformat(answered.AT))
START = "2017-11-11T09:02:00.000+08:00"


def report(verdict: str, *, for_ever: int = 0, **changes: Any) -> WhyReport:
    """An answer with this verdict, whose proof names so many that never release anything."""
    document = answered.deadlocked()
    keepers = [answered.name(183330 + place) for place in range(for_ever)]
    proof = changes.pop("proof", {**document["proof"], "for_ever": keepers, "cycle": []})
    fields = {"verdict": verdict, "pattern": "", "proof": proof, "holders": [], **changes}
    return report_of(WhyReport, {**document, **fields})


@pytest.mark.parametrize(
    ("start", "still", "words"),
    [
        (START, True, "it starts at 09:02:00 if nothing else comes"),
        (START, False, "it starts at 09:02:00 if nothing else comes"),
        (None, True, "it never starts"),
        (None, False, "it does not start within 24 h"),
        (None, None, "it does not start within 24 h"),
    ],
)
def test_who_starves_starts_late_or_never(start: str | None, still: bool | None, words: str) -> None:
    proof = None if still is None else {**answered.deadlocked()["proof"], "still": still}
    found = report("starving", expected_start=start, proof=proof)

    assert verdict_words(found, DAY) == f"starving: others are served first again and again; {words}"
