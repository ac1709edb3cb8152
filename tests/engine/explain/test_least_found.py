"""The least value that helps is found by halving: beside every value tried by hand."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.explain.remedy import Remedy, RemedyRange
from engine.explain.remedy_search import least_of
from engine.explain.remedy_trial import FOLLOW_MS, Baseline, Start, Trial
from engine.incremental import Incremental, run_to_end
from engine.scenario.acts import ResizeNode
from tests.engine.explain.stuck import HALVES, at, scene

BASE = Baseline(0, 0, ends=True, starts={}, first={}, over_ms={}, lost_ms=0, lost_containers=0)
HERE = at(scene(HALVES), 2)
"""An instant that nobody looks at."""
Value = tuple[int, ...]
PAIRS = st.tuples(st.integers(1, 40), st.integers(1, 40))


def remedy(value: Value) -> Remedy:
    return Remedy(ResizeNode("n1", *value))


def trial(value: Value, *, helps: bool = True) -> Trial:
    return Trial(remedy(value), starts=(Start(1, 5, None),) if helps else (), is_least=False)


class Tried:
    """Trials by a rule, and what was tried: (value, pieces, how long it was followed)."""

    def __init__(self, least: Value, *, unknown: bool = False) -> None:
        self._least, self._unknown = least, unknown
        self.all: list[tuple[Value, int, int]] = []

    def __call__(self, *asked: Any, follow_ms: int = FOLLOW_MS) -> Incremental[Trial | None]:
        """Try a remedy: it helps from a least value on; below that it is no help, or not known."""
        yield from ()
        value = (asked[2].act.memory_mb, asked[2].act.vcores)
        self.all.append((value, asked[4], follow_ms))
        helps = all(one >= least for one, least in zip(value, self._least, strict=True))
        return None if self._unknown and not helps else trial(value, helps=helps)


def found(tries: Tried, lows: Value, highs: Value) -> Trial:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.explain.remedy_search.tried", tries)
        family = RemedyRange("resize", remedy, lows, highs)
        return run_to_end(least_of(HERE, [(1, 2)], family, trial(highs), BASE, 77))


@settings(max_examples=60, deadline=None)
@given(lows=PAIRS, gaps=PAIRS, least=PAIRS, unknown=st.booleans())
def test_on_each_axis_the_least_value_is_found(lows: Value, gaps: Value, least: Value, *, unknown: bool) -> None:
    """Between the value in force and the largest one; what is not known is no help."""
    highs = (lows[0] + gaps[0], lows[1] + gaps[1])
    needed = (min(least[0], highs[0]), min(least[1], highs[1]))
    tries = Tried(needed, unknown=unknown)
    result = found(tries, lows, highs)

    expected = tuple(max(one, two) for one, two in zip(lows, needed, strict=True))
    assert result.remedy == remedy(expected)
    searched = [each for each in tries.all if each[2] == 0]
    assert len({each[0] for each in searched}) == len(searched) <= 2 * (1 + 6)
    assert tries.all[len(searched) :] == ([] if expected == highs else [(expected, 77, FOLLOW_MS)])
    assert {each[1] for each in tries.all} <= {77}
