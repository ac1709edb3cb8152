"""What a class report says in words of many tries, and of one."""

import pytest

from engine.training.exercise import DrillStage
from engine.training.harm import HarmDone
from engine.training.protocol import begins_at
from engine.training.records import (
    ClassCost,
    ClassTry,
    PlayedDrill,
    latest,
    middle,
    repair_ms,
    replayed,
    share_until_named,
    summary,
)
from engine.training.score import Score, ScoreBaselines, ScoreLine, played
from engine.training.steps import read_record, written_steps
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


def test_a_class_without_loss_has_nothing_to_say() -> None:
    assert summary([attempt(), attempt(explain=9.1)]) == ""
    assert summary([attempt(explain=9)]) == "Naming the fault costs most: 1 of the 1 points lost."


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
    ("count", "words"),
    [
        (0, ""),
        (1, "1 of 3 repairs was made without an explanation."),
        (3, "3 of 3 repairs were made without an explanation."),
    ],
)
def test_repairs_without_an_explanation_are_counted(count: int, words: str) -> None:
    assert summary([attempt(named=place >= count) for place in range(3)]) == words


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


def clocked(**clocks_ms: int | None) -> ClassTry:
    return attempt()._replace(score=Score(None, (), HarmDone(), 0, dict(clocks_ms)))


@pytest.mark.parametrize(("values", "found"), [([], None), ([3], 3), ([5, 1], 3), ([9, 1, 2], 2)])
def test_the_middle_is_the_median(values: list[float], found: float | None) -> None:
    assert middle(values) == found


@pytest.mark.parametrize(
    ("tries", "share"),
    [
        ([], None),
        ([clocked(localise=30, solved=60)], 0.5),
        ([clocked(localise=0, solved=60)], 0),
        ([clocked(localise=None, solved=60), clocked(localise=5, solved=None), clocked(solved=60)], None),
        ([clocked(localise=5, solved=0)], None),
        ([clocked(localise=30, solved=60), clocked(localise=60, solved=60), clocked(localise=6, solved=60)], 0.5),
    ],
)
def test_the_share_until_somebody_is_named_is_of_the_time_to_the_solution(
    tries: list[ClassTry], share: float | None
) -> None:
    assert share_until_named(tries) == share


@pytest.mark.parametrize(
    ("tries", "span_ms"),
    [
        ([], None),
        ([clocked(explain=10, solved=60)], 50),
        ([clocked(explain=60, solved=60)], 0),
        ([clocked(explain=61, solved=60)], None),
        ([clocked(explain=None, solved=60), clocked(explain=6, solved=None), clocked(solved=60)], None),
        ([clocked(explain=10, solved=60), clocked(explain=61, solved=60), clocked(explain=20, solved=60)], 45),
    ],
)
def test_a_repair_takes_from_the_explanation_to_the_solution(tries: list[ClassTry], span_ms: float | None) -> None:
    assert repair_ms(tries) == span_ms


def test_of_each_drill_and_trainee_the_last_try_counts() -> None:
    """By the order of the drills, then of the trainees; who did not play one is left out."""
    first, second, other = (PlayedDrill(drill, when, 1, None) for drill, when in (("a", "1"), ("a", "2"), ("b", "3")))
    histories = {"kim": (first, other, second), "pat": (first,)}

    assert list(latest(histories, ["b", "a", "c"])) == [("kim", other), ("kim", second), ("pat", first)]


KILL = '{"at": "50s", "do": "kill", "application": "2"}'
HINT = '{"at": "10s", "do": "hint"}'


def kept(*steps: str, seed: int | None = None, is_exam: bool = False) -> PlayedDrill:
    return PlayedDrill("small", "now", 0, None, steps, seed, {}, is_exam)


def test_a_kept_try_is_played_again_beside_par() -> None:
    found = replayed("kim", kept(HINT, KILL), DRILL)
    stage = DrillStage(DRILL)
    exercise = played(stage, read_record((HINT, KILL), begins_at(DRILL)))
    yardstick = ScoreBaselines(stage)

    assert (found.trainee, found.hints, found.forbidden) == ("kim", 1, ("kill everything",))
    assert (found.score, found.par) == (yardstick.score(exercise), yardstick.score(yardstick.par))
    loss = exercise.sacrificed[2]
    assert found.costs == (
        ClassCost("kim", "small", 50_000, "2 is ended, which par leaves alone", loss.lost_s, "container"),
        ClassCost("kim", "small", 50_000, "forbidden: kill everything", found.lost_s, "container"),
        ClassCost("kim", "small", 300_000, "not solved when time is up", found.waited_s, "application"),
    )
    assert loss.lost_s > 600
    assert found.lost_s == found.score.harm.lost_s - found.par.harm.lost_s
    assert found.waited_s == found.score.harm.waiting_s - found.par.harm.waiting_s


def test_a_solved_try_costs_nothing() -> None:
    found = replayed("kim", kept(*written_steps(DRILL.drill.reference)), DRILL)

    assert (found.costs, found.lost_s, found.waited_s) == ((), 0, 0)


def test_a_try_is_played_as_it_was() -> None:
    exam = replayed("kim", kept(HINT, is_exam=True), DRILL)
    varied = replayed("kim", kept(seed=5), DRILL)

    assert (exam.drill.is_exam, exam.hints) == (True, 0)
    assert (varied.drill.scenario.seed, varied.drill.is_exam) == (5, False)
    assert replayed("kim", kept(), DRILL).drill == DRILL


@pytest.mark.parametrize(("own", "pars", "beyond"), [(5, 3, 2), (3, 5, 0), (4, 4, 0)])
def test_a_loss_is_counted_beyond_par(own: float, pars: float, beyond: float) -> None:
    score = Score(None, (), HarmDone(lost_s=own, waiting_s=own), 0, {})
    par = Score(None, (), HarmDone(lost_s=pars, waiting_s=pars), 0, {})
    one = attempt()._replace(score=score, par=par)

    assert (one.lost_s, one.waited_s) == (beyond, beyond)


def test_of_several_drills_the_one_with_most_lost_work_is_named() -> None:
    other = DRILL.model_copy(update={"name": "other"})
    tries = [attempt(lost_s=70, named=False), attempt(lost_s=60), attempt(lost_s=100)._replace(drill=other)]

    assert summary(tries) == (
        "1 of 3 repairs was made without an explanation. In small 2 of 2 lost work that par keeps: 2 container-minutes."
    )
    assert summary([]) == ""
