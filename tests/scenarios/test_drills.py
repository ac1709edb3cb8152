"""Every drill that comes with the program is what it says, and tells good trainees from bad ones."""

import pytest

from engine.formats.scenario_files import packaged
from engine.training.drill_check import check_drill
from engine.training.drill_file import load_drill, packaged_drills
from engine.training.score import Yardstick, played
from engine.training.stage import DrillStage
from engine.training.trainees import TRAINEES

QUICK = ("shell-with-every-core", "notebooks-wait", "the-neighbour", "nightly-is-not-there", "wide-waits")
"""One of each scheduler or so; the others are part of the long gate."""

NAMES = [pytest.param(name, marks=() if name in QUICK else pytest.mark.long) for name in packaged_drills()]


@pytest.mark.parametrize("name", NAMES)
def test_a_drill_is_what_it_says(name: str) -> None:
    """Unsolved idle and by each shortcut, solved by its reference; hints, clues and brief hold."""
    assert [line for line in check_drill(load_drill(name)) if not line.ok] == []


@pytest.mark.parametrize("name", NAMES)
def test_trainees_score_in_order(name: str) -> None:
    """The expert gets 100, then come the clumsy, the idle and the killer of everything."""
    stage = DrillStage(load_drill(name))
    yardstick = Yardstick(stage)
    totals = [yardstick.score(played(stage, steps(stage.drill))).total for steps in TRAINEES.values()]
    assert totals[0] == 100
    assert totals == sorted(set(totals), reverse=True)


def test_there_is_a_drill_for_every_shift() -> None:
    """At least 24; each names the one to take before it, and no drill is called like a scenario."""
    drills = [load_drill(name) for name in packaged_drills()]
    assert len(drills) >= 24
    assert {drill.drill.difficulty for drill in drills} == {"first shift", "practised", "expert"}
    assert [drill.name for drill in drills if drill.drill.before is None] == ["quiet-shift"]
    assert set(packaged_drills()).isdisjoint(packaged())
    assert sum(not drill.drill.fault for drill in drills) == 1
