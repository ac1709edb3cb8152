"""What the chooser offers: every packaged scenario and drill, and what their files say."""

import pytest

from engine.errors import ConfigError
from engine.formats.scenario_toml import load, loads, packaged
from engine.training.curriculum import curriculum
from tui.commands.offers import definition, described, offered, offered_drills
from tui.render.scenario import DrillFacts, ScenarioEntry


def entry(name: str) -> ScenarioEntry:
    """Nothing but its name."""
    return ScenarioEntry(name, "", "", "x")


def test_every_packaged_scenario_is_offered_once() -> None:
    """Those that the catalogue places, with their groups."""
    entries = offered()

    assert sorted(one.name for one in entries) == sorted(packaged())
    assert all(one.group for one in entries)
    assert {one.varies for one in entries if one.varies} <= {one.name for one in entries}


def test_every_drill_is_offered_in_its_order() -> None:
    """With how long it takes and how difficult it is; the brief tells no cause."""
    drills, entries = curriculum().drills, offered_drills()

    assert [one.name for one in entries] == [one.name for one in drills]
    first, drill = entries[0], drills[0]
    assert first == ScenarioEntry(
        drill.name, drill.title, drill.drill.brief, "Drills",
        drill=DrillFacts(drill.drill.minutes, drill.drill.difficulty),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("fair-order", "FairScheduler 2.7.2"),
        ("fair-order-3.4", "FairScheduler 3.4.1"),
        ("prod-dev-capacity", "CapacityScheduler 2.7.2"),
        ("reservation-deadlock-rule-limited", "FairScheduler 2.7.2, reservations limited"),
        ("spark-packing", "Spark standalone"),
    ],
)
def test_an_entry_says_by_which_rules_it_is_scheduled(name: str, rules: str) -> None:
    """Scheduler, release and the rule of reservations."""
    facts = described(entry(name)).facts

    assert facts is not None
    assert facts[0] == rules


def test_a_job_tracker_is_called_by_its_scheduler() -> None:
    """Of MapReduce 1."""
    name = next(each for each in packaged() if load(each).system == "mr1")
    facts = described(entry(name)).facts

    assert facts is not None
    assert facts[0] == f"MapReduce 1, {load(name).scheduler.removeprefix('mr1-')}"


def test_an_entry_says_what_its_file_says() -> None:
    """Title, text, times and how many expectations."""
    scenario, found = load("spark-packing"), described(entry("spark-packing"))

    assert (found.title, found.about) == (scenario.title, scenario.about)
    assert found.facts is not None
    assert found.facts[1:6] == (
        scenario.start_ms, scenario.offset_ms, scenario.duration_ms, len(scenario.expectations), True,
    )  # fmt: skip


def test_what_cannot_be_read_says_so() -> None:
    """In place of its title, with the reason."""
    found = described(entry("no-such-scenario"))

    assert (found.title, found.brief, found.facts) == ("cannot be read", "cannot be read", None)
    assert "no-such-scenario" in found.about


def test_a_definition_is_the_whole_scenario() -> None:
    """It can be read back."""
    assert loads(definition("fair-order"), "x").workload == load("fair-order").workload
    with pytest.raises(ConfigError):
        definition("no-such-scenario")
