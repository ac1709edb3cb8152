"""A comparison in words: values, what a run came to, the headline, where the runs part."""

from typing import Any

import msgspec
import pytest

from engine.compare import REFUSED, ComparedRun, Loss
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
            "run a freezes at 09:11:00 (reservation deadlock) and allocates nothing for 15m00s, "
            "39 of 40 applications end; "
            "under run b 39 of 40 applications end",
        ),
        (
            (run("A", frozen=(FREEZE,)), run("B", frozen=(LONGER,)), _waiting("C", 1, 1000)),
            "run a freezes at 09:11:00 (reservation deadlock) and allocates nothing for 15m00s, "
            "39 of 40 applications end; "
            "run b freezes at 09:10:00 (reservation deadlock) and allocates nothing for 16m00s, "
            "39 of 40 applications end; "
            "under run c 39 of 40 applications end",
        ),
        (
            (_waiting("A", 5000), _waiting("B", 2000, losses=(Loss(REFUSED, "no queue x.", (2,)),))),
            "1 of 40 applications is refused under run b: no queue x; "
            "under run b 95 % of applications wait at most 2.0s, under run a 5.0s",
        ),
        (
            (_waiting("A", 5000), run("B", measures=figures(never_started=1))),
            "Under run a every application has begun to work, "
            "under run b 39 of 40 applications have begun to work by the end",
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
            "run a and run b freeze at 09:11:00 (reservation deadlock) and allocate nothing for 15m00s alike; "
            "39 of 40 applications end",
        ),
    ],
)
def test_the_headline_says_who_freezes_else_who_waits(runs: tuple[ComparedRun, ...], words: str) -> None:
    assert headline(comparison(*runs)) == words
