"""Variations of drills: another workload, the same fault."""

import pytest

from engine.errors import ConfigError
from engine.training.drill import DrillScenario
from engine.training.variation import check_variations, solvable, varied
from tests.engine.training.small_drill import small_drill

WORK = """
[[workload]]
type = "scripted"
name = "report"
user = "bob"
at = "+60s"
asks = [{memory = "512m", duration = ["100s", "200s"]}]

[drill]
"""


def submitted(drill: DrillScenario) -> list[int]:
    return [spec.at_ms for spec in drill.scenario.workload]


def test_a_seed_moves_submissions_and_stretches_work() -> None:
    """By whole seconds, at most half the time to what comes next and 30 s; work by at most 15 %."""
    drill = small_drill("[drill]\n", WORK)
    found = [varied(drill, seed) for seed in range(40)]
    first, second = zip(*map(submitted, found), strict=True)
    assert set(first) <= set(range(0, 30_001, 1000))
    assert set(second) <= set(range(60_000, 90_001, 1000))
    assert len(set(first)) > 10
    spans = [
        one.scenario.workload[1].asks[0].duration_ms for one in found if one.scenario.workload[1].type == "scripted"
    ]
    assert len(spans) == 40
    assert len(set(spans)) > 30
    assert all(span is not None and 85_000 <= span[0] <= 115_000 and span[1] - 2 * span[0] in (0, 1) for span in spans)


def test_no_seed_gives_a_drill_that_is_none() -> None:
    drill = small_drill("at_least = 3}", "at_least = 1}")
    with pytest.raises(ConfigError, match="no seed from 1 to 20 gives a drill"):
        solvable(drill, 1)
    assert [line.ok for line in check_variations(drill, 1)] == [False]
    assert [(line.ok, line.detail) for line in check_variations(small_drill(), 2)] == [(True, "")] * 2
