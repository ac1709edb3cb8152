"""Limits of CapacityScheduler: `schedlab why` names each with amounts and property, and not in the near-twin."""

import csv

import pytest

from engine.formats.scenario_toml import load
from engine.observe.snapshots import snapshot_of
from engine.simulation.build import build_simulation
from tests.invoke import said

LIMITS = {
    "capacity-am-limit": (
        "4",
        "application masters use 6144 MB of 7168 MB in root.default, this one needs 2048 MB"
        "  (yarn.scheduler.capacity.root.default.maximum-am-resource-percent = 0.1)",
    ),
    "capacity-user-limit": (
        "1",
        "user ann uses 17408 MB of a limit of 16384 MB in the queue"
        "  (yarn.scheduler.capacity.root.adhoc.user-limit-factor = 1)",
    ),
}
"""Scenario → (the application that waits, the sentence on its limit)."""


def _why(scenario: str, application: str) -> str:
    return said("why", [scenario, "--app", application, "--at", "+2m", "--budget", "0"]).stdout


@pytest.mark.parametrize("scenario", LIMITS)
def test_a_limit_is_named_with_its_property(scenario: str) -> None:
    application, sentence = LIMITS[scenario]

    assert sentence in _why(scenario, application)


@pytest.mark.parametrize("scenario", LIMITS)
def test_a_limit_that_stops_nobody_is_not_named(scenario: str) -> None:
    application, _ = LIMITS[scenario]

    assert "not waiting" in _why(f"{scenario}-twin", application)


def test_a_snapshot_leaves_out_vcores_that_nobody_counts() -> None:
    """With the calculator of memory alone a limit is an amount of memory; the cell for vcores is empty."""
    arguments = ["capacity-user-limit", "--at", "+1m", "--section", "queues", "--csv"]
    lines = said("snapshot", arguments).stdout.splitlines()
    queue = next(row for row in csv.DictReader(lines) if row["path"] == "root.adhoc")

    assert (queue["guaranteed_memory_mb"], queue["guaranteed_vcores"], queue["state"]) == ("16384", "", "RUNNING")


def test_a_snapshot_has_cells_for_each_partition() -> None:
    """The default one first; a queue without part in one has empty cells there."""
    arguments = ["node-labels-capacity", "--at", "+1m", "--section", "queues", "--csv"]
    rows = {row["path"]: row for row in csv.DictReader(said("snapshot", arguments).stdout.splitlines())}
    names = [name for name in rows["root"] if name.startswith("partition_") and name.endswith("_used_memory_mb")]

    assert names == ["partition_default_used_memory_mb", "partition_gpu_used_memory_mb"]
    assert [rows["root.research"][name] for name in names] == ["0", "8192"]
    assert [rows["root.office"][name] for name in names] == ["32768", ""]
    assert "{" not in "".join(rows["root"].values())


@pytest.mark.parametrize("era", ["capacity-2.7", "capacity-3.4"])
def test_a_refusal_names_the_property_that_stopped_the_queue(era: str) -> None:
    scenario = load("capacity-stopped-queue").model_copy(update={"scheduler": era})
    simulation = build_simulation(scenario)
    simulation.run_until(scenario.start_ms + 10_000)
    rows = snapshot_of(simulation).applications(why=False)
    refused = sorted(row.diagnostics for row in rows if row.state == "FAILED")

    assert len(refused) == 2
    assert refused[0].endswith("(yarn.scheduler.capacity.root.archive.state = STOPPED)")
    assert refused[1].endswith("(yarn.scheduler.capacity.root.old.state = STOPPED)")


@pytest.mark.parametrize("era", ["capacity-2.7", "capacity-3.4"])
def test_a_refusal_names_the_property_that_limits_applications(era: str) -> None:
    scenario = load("capacity-am-limit")
    settings = {**scenario.settings, "yarn.scheduler.capacity.root.default.maximum-applications": "4"}
    scenario = scenario.model_copy(update={"scheduler": era, "settings": settings})
    simulation = build_simulation(scenario)
    simulation.run_until(scenario.start_ms + 60_000)
    rows = snapshot_of(simulation).applications(why=False)
    (refused,) = [row.diagnostics for row in rows if row.state == "FAILED"]

    assert refused.endswith("(yarn.scheduler.capacity.root.default.maximum-applications = 4)")
