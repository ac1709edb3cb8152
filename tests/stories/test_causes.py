"""An operator asks why an application waits: what decides is named, and nothing that does not."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.gates.witness_templates import VICTIM, asks, scene, templates
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


@pytest.mark.parametrize(("memory", "named"), [("4g", "are killed after 15s"), ("5g", "a round preempts 10 %")])
def test_a_round_that_takes_less_than_one_container_is_named(memory: str, named: str, tmp_path: Path) -> None:
    keys = {"queues": '"a,b"', "a.capacity": 50, "b.capacity": 50, "a.user-limit-factor": 2, "b.user-limit-factor": 2}
    settings = [f'"yarn.scheduler.capacity.root.{key}" = {value}' for key, value in keys.items()]
    settings += ['"yarn.resourcemanager.scheduler.monitor.enable" = true']
    apps = [asks("hog", "b", 1, "1g", 40), asks(VICTIM, "a", 60, memory, 1)]
    nodes = 'groups = [{ prefix = "n", count = 2, memory = "20g", vcores = 40 }]'
    (tmp_path / "day.toml").write_text(scene("capacity-2.7", settings, apps, nodes))
    told = said("why", [str(tmp_path / "day.toml"), f"app/{VICTIM}", "--at", "+63s", "--budget", "0"]).stdout

    assert named in told
