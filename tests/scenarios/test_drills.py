"""Every drill that comes with the program is what it says, and tells good trainees from bad ones."""

from itertools import chain
from typing import get_args

import pytest

from engine.formats.scenario_toml import packaged
from engine.training.debrief import debrief_of
from engine.training.drill import Track, load_drill, packaged_drills
from engine.training.drill_check import check_drill, check_tactics
from engine.training.exercise import DrillStage
from engine.training.score import ScoreBaselines, played
from tests.engine.training.small_drill import TRAINEES

QUICK = {
    "eight-of-thirty-two", "fewer-cores", "half-of-the-slots", "it-was-a-gap", "nobody-answers",
    "one-user-idle-cluster", "only-there", "room-for-two-masters", "second-job-waits", "the-driver-waits",
    "too-large-for-any",
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("name", packaged_drills())
def test_a_drill_is_what_it_says(name: str) -> None:
    """Solved by its reference and other remedies, not idle and by no blunt tactic; hints, clues and brief hold."""
    yardstick = ScoreBaselines(DrillStage(load_drill(name)))
    assert [line for line in chain(check_drill(yardstick), check_tactics(yardstick)) if not line.ok] == []


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.long) for name in packaged_drills()]
)
def test_trainees_score_in_order(name: str) -> None:
    """The expert gets 100, then the clumsy and the idle; the clumsy one reads of the first clue."""
    drill = load_drill(name)
    yardstick = ScoreBaselines(DrillStage(drill))
    exercises = {who: played(yardstick.stage, steps(drill)) for who, steps in TRAINEES.items()}
    totals = [yardstick.score(exercise).total for exercise in exercises.values()]
    assert totals[0] == 100
    assert totals == sorted(set(totals), reverse=True)
    clue = debrief_of(exercises["clumsy"], yardstick).clues[0]
    pane = next(one.pane for one in drill.drill.clues if one.about == clue.about)
    assert clue.since_ms == min(yardstick.idle.seen.values())
    assert clue.sentence.startswith(f"{clue.about}: visible in {pane} for ")
    assert clue.sentence.endswith(" before you looked")


def test_there_is_a_drill_for_every_shift() -> None:
    """At least 65 in four tracks, eight healthy; each names the one before it, none is called like a scenario."""
    drills = [load_drill(name) for name in packaged_drills()]
    assert len(drills) >= 65
    assert {drill.drill.difficulty for drill in drills} == {"first shift", "practised", "expert"}
    assert [drill.name for drill in drills if drill.drill.before is None] == ["quiet-shift"]
    assert set(packaged_drills()).isdisjoint(packaged())
    assert sum(not drill.drill.fault for drill in drills) == 8
    assert {drill.drill.track for drill in drills} == set(get_args(Track))
