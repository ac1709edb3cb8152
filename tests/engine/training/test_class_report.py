"""What a class report says in words of many tries, and of one."""

import pytest

from engine.training.exercise import DrillStage
from engine.training.harm import HarmDone
from engine.training.records import ClassCost, ClassReplay, ClassTry, PlayedDrill, latest, summary
from engine.training.score import Score, ScoreBaselines, ScoreLine, played
from engine.training.steps import read_record
from tests.engine.training.small_drill import small_drill

DRILL = small_drill().model_copy(update={"name": "small"})
PAR = Score(30_000, (), HarmDone(), 0, {})


def attempt(
    solved: float = 50, explain: float = 10, hints: float = 0, lost_s: float = 0, *, named: bool = True
) -> ClassTry:
    """A solved try with these points, and so much work lost beyond par."""
    lines = (
        ScoreLine("solved", "", solved, 50),
        ScoreLine("explain", "", explain, 10),
        ScoreLine("hints", "", hints, 0),
    )
    clocks = {"explain": 20_000 if named else None}
    score = Score(30_000, lines, HarmDone(lost_s=lost_s), 0, clocks)
    return ClassTry("seat", DRILL, score, PAR, 0, (), ())


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (attempt(solved=41, explain=2), "The repair costs most: 9 of the 17 points lost."),
        (attempt(solved=42, explain=2), ""),
        (attempt(solved=43, explain=2), "Naming the fault costs most: 8 of the 15 points lost."),
        (attempt(hints=-9, explain=2), "Hints and prices cost most: 9 of the 17 points lost."),
    ],
)
def test_what_costs_most_points_is_named_where_one_thing_does(one: ClassTry, words: str) -> None:
    assert summary([one]) == words


@pytest.mark.parametrize(
    ("lost_s", "words"),
    [
        (30, ""),
        (31, "In {} 1 of 2 lost work that par keeps: 1 container-minute."),
        (90, "In {} 1 of 2 lost work that par keeps: 2 container-minutes."),
    ],
)
def test_the_drill_in_which_most_work_is_lost_is_named(lost_s: float, words: str) -> None:
    assert summary([attempt(lost_s=lost_s), attempt()]) == words.format(DRILL.name)


def test_of_each_drill_and_trainee_the_last_try_counts() -> None:
    """By the order of the drills, then of the trainees; who did not play one is left out."""
    first, second, other = (PlayedDrill(drill, when, 1, None) for drill, when in (("a", "1"), ("a", "2"), ("b", "3")))
    histories = {"kim": (first, other, second), "pat": (first,)}

    assert list(latest(histories, ["b", "a", "c"])) == [("kim", other), ("kim", second), ("pat", first)]


KILL = '{"at": "50s", "do": "kill", "application": "2"}'
HINT = '{"at": "10s", "do": "hint"}'


def test_a_kept_try_is_played_again_beside_par() -> None:
    found = ClassReplay(lambda _: DRILL).play(
        "kim", PlayedDrill("small", "now", 0, None, (HINT, KILL), None, {}, False)
    )
    stage = DrillStage(DRILL)
    exercise = played(stage, read_record((HINT, KILL), DRILL.begins))
    yardstick = ScoreBaselines(stage)

    assert (found.trainee, found.hints, found.unaccepted) == ("kim", 1, ("work lost", "applications ended"))
    assert (found.score, found.par) == (yardstick.score(exercise), yardstick.score(yardstick.par))
    loss = exercise.sacrificed[2]
    assert found.costs == (
        ClassCost("kim", "small", 50_000, "2 is ended, which par leaves alone", loss.lost_s, "container"),
        ClassCost("kim", "small", 300_000, "not accepted: work lost", found.lost_s, "container"),
        ClassCost("kim", "small", 300_000, "not accepted: applications ended", found.lost_s, "container"),
        ClassCost("kim", "small", 300_000, "not solved when time is up", found.waited_s, "application"),
    )
    assert loss.lost_s > 600
    assert found.lost_s == found.score.harm.lost_s - found.par.harm.lost_s
    assert found.waited_s == found.score.harm.waiting_s - found.par.harm.waiting_s
