"""Packaged patterns: found in their scenarios, and not in the near-twins."""

import csv
import json
from functools import cache

import pytest

from engine.explain.instant import instant_of
from engine.explain.remedy import remedy_sentence
from engine.explain.remedy_candidates import candidates
from engine.explain.remedy_search import Remedies, RemedySearch
from engine.explain.remedy_trial import Trial
from engine.formats.scenario_toml import load
from engine.observe.snapshots import snapshot_of
from engine.simulation.build import build_simulation
from tests.invoke import said

PAIRS = {
    "AM-only deadlock": ("pattern-am-only", "job 1", "+120s"),
    "AM limit": ("capacity-am-limit", "4", "+2m"),
    "user limit": ("pattern-user-limit", "second", "+40s"),
    "ask above every node": ("pattern-ask-above-every-node", "huge", "+40s"),
    "preemption livelock": ("pattern-preemption-livelock", "rich", "+40s"),
    "queue limit": ("pattern-queue-limit", "greedy", "+30s"),
    "FIFO head of line": ("pattern-fifo-head-of-line", "behind", "+15s"),
    "locality never relaxed": ("pattern-locality-never-relaxed", "picky", "+40s"),
}
"""Pattern → its scenario, who is in it, and when."""

CAPACITY = {
    "user limit": ("capacity-user-limit", "large query", "+1m"),
    "FIFO head of line": ("head-of-line-capacity-3.4", "behind", "+20s"),
}
"""As above, under CapacityScheduler."""

LIVELOCK = ("preemption-livelock-capacity", "rich", "+1m")

UNHURRIED = ("--budget", "0")
"""What is found does not depend on how fast the machine is."""


@pytest.mark.parametrize(
    ("pattern", "pair"),
    [*PAIRS.items(), *CAPACITY.items(), pytest.param("preemption livelock", LIVELOCK, marks=pytest.mark.long)],
)
def test_why_names_the_pattern_and_not_in_its_twin(pattern: str, pair: tuple[str, str, str]) -> None:
    scenario, application, at = pair
    told = [
        json.loads(said("why", [name, "--app", application, "--at", at, "--json", *UNHURRIED]).stdout)["pattern"]
        for name in (scenario, f"{scenario}-twin")
    ]

    assert told[0] == pattern
    assert told[1] != pattern


# Limits of CapacityScheduler: `schedlab why` names each with amounts and property, and not in the near-twin.

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


# The reservation deadlock: the remedies of the report on it, with figures, under heartbeats and continuous scheduling.
#
# The report's: kill a few applications, switch reservations off, make nodes larger; and a smaller maximum allocation,
# which holds for later asks only and is therefore tried from the start.

AT_MS = 40 * 60_000
"""09:10, five minutes after the last node was reserved [ms after the start]."""

BOTH = ("reservation-deadlock", pytest.param("reservation-deadlock-continuous", marks=pytest.mark.long))


@cache
def remedies(scenario: str) -> Remedies:
    """For the first report that waits behind it, application 183359."""
    return RemedySearch(instant_of(load(scenario), AT_MS).simulation, (183359,)).answer()


def of_kind(scenario: str, kind: str) -> dict[str, Trial]:
    return {remedy_sentence(trial.remedy): trial for trial in remedies(scenario).ranked if trial.remedy.kind == kind}


def after_s(scenario: str, trial: Trial) -> float:
    return (trial.start_ms - remedies(scenario).from_ms) / 1000


@pytest.mark.long
@pytest.mark.parametrize("scenario", BOTH)
def test_one_kill_is_enough(scenario: str) -> None:
    """That of the weekly job: eleven reservations go at once, and its master's ten minutes are all that is lost."""
    kill = of_kind(scenario, "kill")["kill application 183354 (pyspark weekly model)"]

    assert after_s(scenario, kill) < 2
    assert (kill.drops, kill.lost_containers, kill.lost_ms // 60_000) == (11, 1, 9)


@pytest.mark.parametrize("scenario", BOTH)
def test_who_reserves_most_is_tried_first(scenario: str) -> None:
    """Of all acts, where several wait: the one that is named by hand is found in the shortest time."""
    simulation = instant_of(load(scenario), AT_MS).simulation
    first = candidates(simulation, (183359, 183354))[0]

    assert remedy_sentence(first.make(())) == "kill application 183354 (pyspark weekly model)"


@pytest.mark.parametrize("scenario", BOTH)
def test_other_kills_help_late_or_not(scenario: str) -> None:
    """Two jobs on the full node help after 24 minutes and more; none of the holders does."""
    late = {trial.remedy.application for trial in of_kind(scenario, "kill").values() if after_s(scenario, trial) > 1200}
    useless = {trial.remedy.application for trial in remedies(scenario).useless}

    assert late == {183342, 183312}
    assert useless >= {183314, 183315, 183316, 183317, 183318, 183319, 183320}


@pytest.mark.parametrize("scenario", BOTH)
def test_switching_reservations_off_helps_at_once_and_costs_nobody_anything(scenario: str) -> None:
    rules = of_kind(scenario, "rule")

    assert set(rules) == {"set the reservation rule to off", "set the reservation rule to limited"}
    assert all(after_s(scenario, trial) < 2 and trial.harm_s == 0 for trial in rules.values())


@pytest.mark.parametrize("scenario", BOTH)
def test_one_node_large_enough_helps_after_the_weekly_job(scenario: str) -> None:
    """18944 MB more than it has are enough, to the MB; its container then runs its twenty minutes first."""
    (larger,) = {
        trial.start_ms // 60_000
        for words, trial in of_kind(scenario, "resize").items()
        if words.endswith("to 121344 MB and 32 vcores") and not trial.drops
    }

    assert larger - remedies(scenario).from_ms // 60_000 == 20


@pytest.mark.parametrize("scenario", BOTH)
def test_what_does_not_help_is_told(scenario: str) -> None:
    kinds = {trial.remedy.kind for trial in remedies(scenario).useless}

    assert kinds >= {"preemption", "move", "queue-setting", "drain"}
    assert remedies(scenario).open == 0
