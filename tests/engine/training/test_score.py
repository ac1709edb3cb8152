"""Scores by the formulas that the trainee reads, beside a plain reckoning of them."""

import json
from typing import Any

import pytest

from engine.training.drill import WHY_PRICE
from engine.training.exercise import DrillStage
from engine.training.score import HARM_PRICE, PATCH_PRICE, RecordPlayer, ScoreBaselines, ScoreLine, clocks_of, played
from engine.training.steps import read_steps
from tests.engine.training.small_drill import small_drill

RAISE = {"do": "queue-setting", "queue": "root.default", "key": "maximum-am-resource-percent", "value": "0.9"}
YES = {"do": "answer", "question": "fault", "answer": ["yes"]}
CAUSE = {"do": "answer", "question": "cause", "answer": ["masters"]}


@pytest.fixture(scope="module")
def yardstick() -> ScoreBaselines:
    return ScoreBaselines(DrillStage(small_drill()))


def steps(*tables: dict[str, Any]) -> Any:
    return read_steps([json.dumps(table) for table in tables], "", small_drill().begins)


@pytest.mark.parametrize(
    ("tables", "points"),
    [
        ([], (0, 0, 0, 10, 1)),
        ([{**YES, "at": 10}, {**CAUSE, "at": 20}, {**RAISE, "at": 30}], (60, 10, 10, 10, 10)),
        ([{**YES, "at": 11}, {**CAUSE, "at": 299}, {**RAISE, "at": 200}], (41, 10, 5, 10, 4.3)),
        ([{**YES, "at": 5, "answer": ["no"]}, {**YES, "at": 290}], (0, 2.6, 0, 10, 1)),
        ([{**CAUSE, "at": 5, "answer": ["masters", "nodes"]}], (0, 0, 5, 10, 1)),
        ([{"do": "kill", "application": "1", "at": 100}], (0, 0, 0, 3.2, 1)),
        ([{"do": "drain", "node": "n1", "at": 1}, {"do": "drain", "node": "n2", "at": 1}], (0, 0, 0, 10, 1)),
        ([{"do": "finish", "at": 1}, {**RAISE, "at": 2}], (0, 0, 0, 10, 1)),
        ([{**RAISE, "at": 299.9}], (0, 0, 0, 10, 1)),
    ],
)
def test_clocks_and_harm_are_worth_what_the_formulas_say(
    yardstick: ScoreBaselines, tables: list[dict[str, Any]], points: tuple[float, ...]
) -> None:
    """By hand: par names at 10 and 20 s and solves at 31.9 s of 300; idle waits for 300 s, par for 30."""
    exercise = played(yardstick.stage, steps(*tables))
    score = yardstick.score(exercise)

    assert tuple(line.points for line in score.lines[:5]) == points
    assert score.total == round(sum(line.points for line in score.lines))
    assert score.clocks == {"solved": score.solved_ms, **clocks_of(exercise)}
    assert (score.harm, score.steps) == (exercise.harm, len(tables))


def priced(yardstick: ScoreBaselines, *tables: dict[str, Any]) -> list[ScoreLine]:
    return list(yardstick.score(played(yardstick.stage, steps(*tables))).lines[5:])


@pytest.mark.parametrize("level", ["guided", "normal"])
def test_why_costs_what_the_level_says(level: str) -> None:
    yardstick = ScoreBaselines(
        DrillStage(small_drill('difficulty = "first shift"', f'difficulty = "expert"\nlevel = "{level}"'))
    )
    asked = [{"do": "why", "application": name, "at": 1} for name in ("3", "3", "77")]
    asked += [{"do": "why", "about": "what starts all that wait", "at": 1}]
    price = WHY_PRICE[level] or 0

    assert priced(yardstick, *asked) == ([ScoreLine("why", "3", -3 * price, 0)] if price else [])


@pytest.mark.parametrize(
    ("lasted", "line"),
    [
        (["9999ms"], ScoreLine("pauses", "0m09s", 0, 0)),
        (["10s"], ScoreLine("pauses", "0m10s", -1, 0)),
        (["15s", "15s"], ScoreLine("pauses", "0m30s", -3, 0)),
    ],
)
def test_pauses_cost_a_point_each_ten_seconds(yardstick: ScoreBaselines, lasted: list[str], line: ScoreLine) -> None:
    assert priced(yardstick, *({"do": "pause", "lasted": each, "at": 1} for each in lasted)) == [line]


def test_harms_patches_and_expectations_have_their_lines(yardstick: ScoreBaselines) -> None:
    tables = [
        {"do": "kill", "application": "2", "at": 5},
        {"do": "assess", "points": 10, "at": 6},
        {"do": "assess", "points": 70, "at": 7},
    ]

    assert priced(yardstick, *tables) == [
        ScoreLine("not accepted: work lost", "50 %", -HARM_PRICE, 0),
        ScoreLine("not accepted: applications ended", "1 application", -HARM_PRICE, 0),
        ScoreLine("you said", "70 points", 0, 0),
    ]
    assert PATCH_PRICE == 10


def test_of_several_questions_of_a_clock_the_last_right_answer_counts() -> None:
    more = (
        'choices = ["masters", "nodes", "users"]}, {asks = "queue", text = "Which?", answers = ["default"]}, '
        '{asks = "node", text = "Which?", answers = ["n1"]}]'
    )
    yardstick = ScoreBaselines(DrillStage(small_drill('choices = ["masters", "nodes", "users"]}]', more)))
    queue, node = ({"do": "answer", "question": asks, "answer": [name]} for asks, name in
                   (("queue", "default"), ("node", "n1")))  # fmt: skip

    def localised(*tables: dict[str, Any]) -> tuple[int | None, float]:
        exercise = played(yardstick.stage, steps(*tables))
        line = next(each for each in yardstick.score(exercise).lines if each.what == "localise")
        return clocks_of(exercise)["localise"], line.points

    assert localised({**node, "at": 10}, {**queue, "at": 20}) == (20_000, 10)
    assert localised({**queue, "at": 5}, {**node, "at": 4}) == (5_000, 10)
    assert localised({**queue, "at": 10}) == (10_000, 5)
    assert localised() == (None, 0)


# What an exercise is worth if nothing more is done.

DRILL = small_drill()
SICK = json.dumps({"at": "1m", "do": "inject", "act": {"do": "health", "node": "n1", "healthy": False}})


def test_a_fault_of_the_instructor_is_in_par_too() -> None:
    """As soon as it is in the record, and no longer when it was taken back."""
    player = RecordPlayer(DRILL)
    before = player.score([])
    with_fault = player.score([SICK])
    kept = {line.what: line.points for line in with_fault.lines}["work kept"]
    back = json.dumps({"at": "30s", "do": "backtrack", "from": "70s"})

    assert with_fault.harm.lost_s > before.harm.lost_s
    assert kept == 10.0
    assert player.score([SICK, back]) == before
