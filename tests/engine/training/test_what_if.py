"""What would have been: an exercise played again with an act at another instant, or without one."""

import pytest

from engine.training.debrief import Debrief, debrief_of, visible_at, what_if_acted, what_ifs_at
from engine.training.exercise import DrillStage, Exercise
from engine.training.score import ScoreBaselines, played
from engine.training.steps import read_steps
from tests.engine.training.small_drill import small_drill

KEY = "maximum-am-resource-percent"
RAISE = f'{{"do": "queue-setting", "queue": "root.default", "key": "{KEY}", "value": "0.9", "at": 100}}'
LINES = ('{"do": "kill", "application": "2", "at": 50}', RAISE, '{"do": "hint", "at": 150}')


@pytest.fixture(scope="module")
def yardstick() -> ScoreBaselines:
    """What exercises are measured by; a kill is accepted here."""
    accepts = "[drill.accepts]\nended = 1\nwork_lost = 100\n"
    return ScoreBaselines(DrillStage(small_drill("[[drill.clues]]", f"{accepts}[[drill.clues]]")))


@pytest.fixture(scope="module")
def exercise(yardstick: ScoreBaselines) -> Exercise:
    """A notebook killed for nothing after 50 s, the limit raised after 100 s."""
    drill = yardstick.stage.drill
    return played(yardstick.stage, read_steps(LINES, "", drill.begins))


@pytest.fixture(scope="module")
def debrief(yardstick: ScoreBaselines, exercise: Exercise) -> Debrief:
    return debrief_of(exercise, yardstick)


def test_the_acts_of_par_take_the_place_of_those_from_an_instant_on(
    yardstick: ScoreBaselines, exercise: Exercise
) -> None:
    """At 50 s nobody is killed yet; one ms later the kill is done, and stays."""
    before, after = (what_if_acted(exercise, yardstick, at_ms) for at_ms in (50_000, 50_001))
    assert before is not None
    assert after is not None
    assert before.about == "set maximum-am-resource-percent of root.default to 0.9"
    assert before.score.harm.lost_s == 0
    assert after.score.harm.lost_s > 600
    assert before.score.solved_ms is not None
    assert 50_000 <= before.score.solved_ms <= 60_000


def test_an_act_can_be_left_out(yardstick: ScoreBaselines, exercise: Exercise) -> None:
    """At the instant of an act there are two things to ask: par's acts there, and the run without that act."""
    acted, left_out = what_ifs_at(exercise, yardstick, 50_000)
    assert left_out.about == "without kill 0002"
    assert left_out.score.harm.lost_s == 0
    assert (acted.at_ms, left_out.at_ms) == (50_000, 50_000)
    assert len(what_ifs_at(exercise, yardstick, 49_999)) == 1


def test_a_row_says_what_stood_on_the_screen(yardstick: ScoreBaselines, exercise: Exercise) -> None:
    """From when the clue is there (10 s after the start) until a picture shows it no longer."""
    gone_ms = exercise.gone["one waits"]
    assert visible_at(exercise, 0) == "Queues for 4m50s: one waits"
    assert visible_at(exercise, gone_ms - 1).startswith("Queues for ")
    assert visible_at(exercise, gone_ms) == ""
    assert 50_000 < gone_ms <= 110_000


def test_par_stands_beside_the_run(yardstick: ScoreBaselines, debrief: Debrief) -> None:
    """This run, par, and par's acts at the beginning."""
    compared = dict(debrief.compared())
    assert list(compared)[:2] == ["this run", "par"]
    assert compared["par"].total == 100
    assert list(compared)[2].startswith("what if at +0m00s: set maximum")
    assert compared["this run"].words.endswith(" waited")
