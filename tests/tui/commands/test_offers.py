"""What the chooser offers: every packaged scenario and drill, and what their files say."""

from engine.formats.scenario_toml import packaged
from engine.training.records import curriculum
from tui.cli.offers import offered, offered_drills
from tui.pages.choice import DrillFacts, ScenarioEntry


def test_every_packaged_scenario_is_offered_once() -> None:
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
