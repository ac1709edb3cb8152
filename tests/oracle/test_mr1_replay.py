"""Our JobTracker decides what a real one of Hadoop 1.2.1 was recorded to decide."""

import random
from pathlib import Path

import pytest

from tests.oracle.cases import Json, answer, expected, first_difference, read_cases

GOLDEN = Path(__file__).parent.parent / "cases" / "recorded"
FILES = {"fifo": 360, "fair": 396, "capacity": 360, "seeds": 27}
"""File → its recorded cases; `seeds` are written by hand, for all three schedulers."""
EVERY = 12
"""Of how many cases the quick gate plays one."""
TURNS = 8
"""Of how many tests each plays a part of those."""


def recorded(scheduler: str, first: int = 0, every: int = 1) -> list[Json]:
    """The recorded cases of one scheduler, or some of them."""
    return list(read_cases(GOLDEN / f"mr1-{scheduler}-1.2.1.jsonl.gz", first, every))


def failures(cases: list[Json]) -> list[str]:
    """Cases answered otherwise, by the JobTracker itself or by a copy forked within."""
    failed = []
    for case in cases:
        theirs = expected(case)
        at = random.Random(case["case"]).randrange(len(case["ops"]))
        if first_difference(theirs, answer(case)) is not None:
            failed.append(case["case"])
        elif first_difference(theirs, answer(case, at)) is not None:
            failed.append(f"{case['case']}, forked")
    return failed


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(TURNS))
@pytest.mark.parametrize("scheduler", FILES)
def test_every_twelfth_recorded_case_is_decided_alike(scheduler: str, turn: int) -> None:
    """Launches, kills, commits, ended jobs, figures of jobs and of the scheduler equal what 1.2.1 answered."""
    assert failures(recorded(scheduler, turn * EVERY, TURNS * EVERY)) == []


@pytest.mark.long
@pytest.mark.parametrize("scheduler", FILES)
def test_every_recorded_case_is_decided_alike(scheduler: str) -> None:
    cases = recorded(scheduler)

    assert len(cases) == FILES[scheduler]
    assert failures(cases) == []
