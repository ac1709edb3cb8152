"""What an exercise is worth if nothing more is done."""

import json

import pytest

from engine.errors import ConfigError
from engine.training.exercise import DrillStage
from engine.training.protocol import begins_at
from engine.training.score import ScoreBaselines, played
from engine.training.score_so_far import ScoreSoFar
from engine.training.steps import read_steps, written_steps
from tests.engine.training.small_drill import small_drill

DRILL = small_drill()
SICK = json.dumps({"at": "1m", "do": "inject", "act": {"do": "health", "node": "n1", "healthy": False}})


def test_it_is_the_score_of_the_same_steps() -> None:
    so_far, stage = ScoreSoFar(DRILL), DrillStage(DRILL)
    lines = written_steps(DRILL.drill.reference)
    for count in (0, 1, len(lines)):
        steps = read_steps(lines[:count], "", begins_at(DRILL))
        assert so_far.of(lines[:count]) == ScoreBaselines(stage).score(played(stage, steps))
    assert so_far.of(lines).solved_ms is not None


def test_a_fault_of_the_instructor_is_in_par_too() -> None:
    """As soon as it is in the record, and no longer when it was taken back."""
    so_far = ScoreSoFar(DRILL)
    before = so_far.of([])
    with_fault = so_far.of([SICK])
    kept = {line.what: line.points for line in with_fault.lines}["work kept"]
    back = json.dumps({"at": "30s", "do": "backtrack", "from": "70s"})

    assert with_fault.harm.lost_s > before.harm.lost_s
    assert kept == 10.0
    assert so_far.of([SICK, back]) == before


def test_what_is_no_record_is_refused() -> None:
    with pytest.raises(ConfigError, match="history"):
        _ = ScoreSoFar(DRILL).of(['{"do": "nothing"}'])
