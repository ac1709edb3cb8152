"""An operator asks why an application waits: what decides is named, and nothing that does not."""

import re
from pathlib import Path

import pytest

from tests.gates.witness_templates import VICTIM, templates
from tests.invoke import said

CASES = Path(__file__).parents[1] / "cases" / "why"
P = "yarn.resourcemanager.monitor.capacity.preemption."
B = f"{P}preemption-to-balance-queue-after-satisfied"
GPU = "accessible-node-labels.gpu.capacity = not set"

NAMED = [
    ("balance-beyond-guarantee", "more-a", "+10m", [f"{B}.enabled = false and {B}.max-wait-before-kill = 300000"], []),
    (
        "two-limits",
        "second",
        "+2m",
        [r"root\.default\.maxRunningApps = 1 and root\.maxRunningApps = 1\)"],
        ["maxAMShare"],
    ),
    (
        "partition-without-capacity",
        "one",
        "+5m",
        ["no capacity in the partition gpu", f"root.{GPU}", f"root.default.{GPU}"],
        ["of its maximum"],
    ),
    ("drivers-hold-all-cores", "7", "+20m", ["32 drivers hold 32 of 32 cores", r"spark\.deploy\.maxDrivers"], []),
    ("unhealthy-nodes", "pi", "+5m", [r"2 of 2 nodes: unhealthy \(n1, n2\)"], ["there is no node"]),
    ("reduce-slots", "short", "+10m", [r"mapred\.reduce\.slowstart\.completed\.maps = 0\.05"], []),
    (
        "preemption-off",
        "vic",
        "+10m",
        [r"uses 0 MB of the 16384 MB it is guaranteed", r"scheduler\.monitor\.enable = false"],
        [P, "disable_preemption"],
    ),
    ("preemption-forbidden", "vic", "+10m", [r"root\.b\.disable_preemption = true"], [P, "monitor.enable"]),
    (
        "minimum-share-without-timeout",
        "vic",
        "+10m",
        ["below its minimum share of 8192 MB for 8m58s", r"root\.a\.minSharePreemptionTimeout = not set"],
        ["fair.preemption"],
    ),
    ("above-the-threshold", "vic", "+10m", [r"root\.a\.fairSharePreemptionThreshold = 0\.1"], ["Timeout"]),
    (
        "two-limits-of-a-task-queue",
        "a",
        "+5m",
        [r"queue\.b\.maximum-capacity = 50 and mapred\.capacity-scheduler\.default-user-limit-factor = 1"],
        [],
    ),
    (
        "others-fill-the-queue",
        "second",
        "+5m",
        [
            "user bob uses 32768 MB of root.a, and ann 0 MB",
            r"intra-queue-preemption\.enabled = false and yarn\.\S*root\.a\.minimum-user-limit-percent = 100",
        ],
        [],
    ),
    ("small-rounds", "victim", "+3m", [r"1 % of the cluster at most", r"total_preemption_per_round = 0\.01"], ["kill"]),
    ("cluster-not-busy", "victim", "+10m", [r"cluster-utilization-threshold = 0\.8"], ["Timeout"]),
    (
        "application-below-its-share",
        "victim",
        "+3m",
        ["application 0002 uses 0 MB, below its fair share of 16384 MB", r"fair\.preemption = false"],
        [],
    ),
    ("task-preemption-off", "small", "+10m", [r"mapred\.fairscheduler\.preemption = false and pool b\.min"], []),
    ("every-node-drained", "a", "+10m", ["4 of 4 nodes: decommissioned"], ["there is no node"]),
]


def answer(case: str, application: str, at: str) -> str:
    """The answer of `schedlab why`, with lines put together."""
    path = str(CASES / case / "day.toml")
    result = said("why", [path, "--app", application, "--at", at, "--budget", "0"])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(("case", "application", "at", "named", "absent"), NAMED)
def test_what_decides_is_named_and_nothing_else(
    case: str, application: str, at: str, named: list[str], absent: list[str]
) -> None:
    """Each key is played loose: what would change nothing is not named."""
    told = answer(case, application, at)

    assert [each for each in named if not re.search(each, told)] == []
    assert [each for each in absent if each in told] == []


@pytest.mark.parametrize(
    ("case", "application", "verdict", "why"),
    [
        ("refused-by-a-list", "j1", "it was refused", "may not submit to queue root.a (aclSubmitApps)"),
        ("above-the-largest-container", "j1", "it failed", "(yarn.scheduler.maximum-allocation-mb)"),
        ("lost-in-a-restart", "a", "it failed", "(yarn.resourcemanager.recovery.enabled is not true)"),
    ],
)
def test_who_is_refused_or_lost_is_told_why(case: str, application: str, verdict: str, why: str) -> None:
    """Also where the control plane knows nothing of it any more; with the setting that decides."""
    told = answer(case, application, "+10m")

    assert f"verdict   {verdict}\n" in told
    assert why in told


@pytest.mark.parametrize(
    ("scheduler", "template", "named"),
    [
        ("capacity-3.4", "a session", ["tez.am.session.min.held-containers = 15"]),
        ("capacity-3.4", "a server", ["spark.dynamicAllocation.minExecutors = 15"]),
        ("capacity-3.4", "one who caches", ["spark.dynamicAllocation.cachedExecutorIdleTimeout = not set"]),
        (
            "capacity-3.4",
            "no part of a partition",
            ["a.default-node-label-expression = gpu", "a.accessible-node-labels.gpu.capacity = not set"],
        ),
        ("capacity-3.4", "sizes count", ["ordering-policy.fair.enable-size-based-weight = true"]),
        ("fair-3.4", "rounded up", ["yarn.scheduler.minimum-allocation-mb = 4096"]),
        ("fair-3.4", "kept from preemption", ["root.a.allowPreemptionFrom = false"]),
        ("fair-3.4", "no weight", ["its weight is 0  (root.b.weight = 0 and "]),
        ("fair-2.7", "sizes count", ["yarn.scheduler.fair.sizebasedweight = true"]),
    ],
)
def test_a_value_that_no_obstacle_shows_is_named(
    scheduler: str, template: str, named: list[str], tmp_path: Path
) -> None:
    """It is taken away from the start: what the file states, what is kept idle, what is rounded up."""
    (tmp_path / "day.toml").write_text(templates(scheduler)[template])
    told = said("why", [str(tmp_path / "day.toml"), f"app/{VICTIM}", "--at", "+3m", "--budget", "0"]).stdout

    assert [each for each in named if each not in told] == []
