"""A comparison in words: values, what a run came to, the headline, where the runs part."""

from typing import Any

import msgspec
import pytest

from engine.compare import ComparedRun
from engine.measures import Quantiles
from tests.tui.render.compared import (
    FREEZE,
    MINUTE_MS,
    comparison,
    figures,
    run,
)
from tui.render.comparison import headline


def _waiting(letter: str, p95: float, worst: float = 119_000, **changes: Any) -> ComparedRun:
    return run(letter, measures=figures(waits=Quantiles(40, 1, p95, worst)), **changes)


LONGER = msgspec.structs.replace(FREEZE, since_ms=FREEZE.since_ms - MINUTE_MS)


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        (
            (run("A", frozen=(FREEZE,)), _waiting("B", 1, 59_000)),
            "run a freezes at 09:11:00 and allocates nothing for 15m00s; run b starts every application within 59.0s",
        ),
        (
            (run("A", frozen=(FREEZE,)), run("B", frozen=(LONGER,)), _waiting("C", 1, 1000), _waiting("D", 1, 2000)),
            "run a and run b freeze at 09:11:00 and allocate nothing for 16m00s; "
            "run c and run d start every application within 2.0s",
        ),
        (
            (_waiting("A", 5000), _waiting("B", 4000), _waiting("C", 6000)),
            "Under run b 95 % of applications wait at most 4.0s, under run c 6.0s",
        ),
        (
            (_waiting("A", 5000), _waiting("B", 5000), _waiting("C", 5000)),
            "95 % of applications wait at most 5.0s under run a, run b and run c alike",
        ),
        (
            (run("A", frozen=(FREEZE,)), run("B", frozen=(FREEZE,))),
            "95 % of applications wait at most 59.9s under run a and run b alike",
        ),
    ],
)
def test_the_headline_says_who_freezes_else_who_waits(runs: tuple[ComparedRun, ...], words: str) -> None:
    assert headline(comparison(*runs)) == words
