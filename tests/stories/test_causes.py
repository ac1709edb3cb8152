"""An operator asks why an application waits: what decides is named, and nothing that does not."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.gates.witness_templates import VICTIM, templates
from tests.invoke import said

CASES = sorted((Path(__file__).parents[1] / "cases" / "why").iterdir())
"""Each has a scenario, and as `expect.toml` who is asked about, when, what has to be named and what not."""


@pytest.mark.parametrize("case", CASES, ids=[each.name for each in CASES])
def test_what_decides_is_named_and_nothing_else(case: Path) -> None:
    """Each key is played loose: what would change nothing is not named; who is refused or lost is told why."""
    expected = tomllib.loads((case / "expect.toml").read_text(encoding="utf-8"))
    options = ("--at", expected["at"], "--budget", "0")
    result = said("why", [str(case / "day.toml"), f"app/{expected['application']}", *options])

    assert result.exit_code == 0, result.output
    assert [each for each in expected["named"] if not re.search(each, result.stdout)] == []
    assert [each for each in expected.get("absent", []) if each in result.stdout] == []


@pytest.mark.parametrize(
    ("scheduler", "template", "named"),
    [
        ("capacity-3.4", "a session", ["tez.am.session.min.held-containers = 15"]),
        ("capacity-3.4", "a server", ["spark.dynamicAllocation.minExecutors = 15"]),
        ("capacity-3.4", "one who caches", ["spark.dynamicAllocation.cachedExecutorIdleTimeout = not set"]),
        ("capacity-3.4", "no part of a partition", ["node-label-expression = gpu", "labels.gpu.capacity = not set"]),
        ("capacity-3.4", "sizes count", ["ordering-policy.fair.enable-size-based-weight = true"]),
        ("fair-3.4", "rounded up", ["yarn.scheduler.minimum-allocation-mb = 4096"]),
        ("fair-3.4", "kept from preemption", ["root.a.allowPreemptionFrom = false"]),
        ("fair-3.4", "no weight", ["its weight is 0  (root.b.weight = 0 and "]),
        ("fair-2.7", "sizes count", ["yarn.scheduler.fair.sizebasedweight = true"]),
    ],
)
def test_a_value_no_obstacle_shows_is_named(scheduler: str, template: str, named: list[str], tmp_path: Path) -> None:
    """It is taken away from the start: what the file states, what is kept idle, what is rounded up."""
    (tmp_path / "day.toml").write_text(templates(scheduler)[template])
    told = said("why", [str(tmp_path / "day.toml"), f"app/{VICTIM}", "--at", "+3m", "--budget", "0"]).stdout

    assert [each for each in named if each not in told] == []
