"""Scores by the formulas that the trainee reads, beside a plain reckoning of them."""

import json
from typing import Any

import pytest

from engine.training.drill import WHY_PRICE
from engine.training.exercise import DrillStage, Exercise
from engine.training.protocol import begins_at
from engine.training.score import (
    HARM_PRICE,
    PATCH_PRICE,
    ScoreBaselines,
    ScoreLine,
    clocks_of,
    played,
)
from engine.training.score_so_far import ScoreSoFar
from engine.training.steps import read_steps
from engine.units import span
from tests.engine.training.small_drill import small_drill

LASTS_MS = 300_000
RAISE = {"do": "queue-setting", "queue": "root.default", "key": "maximum-am-resource-percent", "value": "0.9"}
YES = {"do": "answer", "question": "fault", "answer": ["yes"]}
CAUSE = {"do": "answer", "question": "cause", "answer": ["masters"]}


@pytest.fixture(scope="module")
def yardstick() -> ScoreBaselines:
    return ScoreBaselines(DrillStage(small_drill()))


def steps(*tables: dict[str, Any]) -> Any:
    return read_steps([json.dumps(table) for table in tables], "", begins_at(small_drill()))


def reckoned(yardstick: ScoreBaselines, exercise: Exercise, worth: dict[str, float]) -> list[ScoreLine]:
    """The clocks and the harm of an exercise by the formulas; `worth` is what answers are worth."""
    par = yardstick.par
    par_clocks = {"solved": par.put_right_ms(), **clocks_of(par)}
    own_clocks = {"solved": yardstick.solved_ms(exercise), **clocks_of(exercise)}
    lines = []
    for name, most in {"solved": 60, "detect": 10, "explain": 10}.items():
        at_ms, par_ms = own_clocks[name], par_clocks[name]
        if at_ms is None:
            lines.append(ScoreLine(name, "never", 0, most))
            continue
        late = 0 if par_ms is None else min(max(at_ms - par_ms, 0) / (LASTS_MS - par_ms), 1)
        lines.append(ScoreLine(name, span(at_ms), round(most * worth.get(name, 1) * (1 - late / 2), 1), most))
    early = [
        (own, par.sacrificed[number])
        for number, own in exercise.sacrificed.items()
        if number in par.sacrificed and own.killed_ms <= par.sacrificed[number].killed_ms
    ]
    lost_s = exercise.harm.lost_s - sum(max(own.lost_s - pars.lost_s, 0) for own, pars in early) - par.harm.lost_s
    waited_s = exercise.harm.waiting_s - sum(own.waiting_s - pars.waiting_s for own, pars in early)
    beyond = max(waited_s - par.harm.waiting_s, 0)
    at_stake = max(yardstick.stage.at_stake_s, 1)
    of_idle = max(yardstick.idle.harm.waiting_s - par.harm.waiting_s, LASTS_MS / 1000)
    for name, measured, bad in (
        ("work kept", f"{span(round(exercise.harm.lost_s) * 1000)} of work lost", max(lost_s, 0) / at_stake),
        ("waiting", f"{span(round(exercise.harm.waiting_s) * 1000)} waited", beyond / of_idle),
    ):
        lines.append(ScoreLine(name, measured, round(10 * (1 - min(bad, 1)), 1), 10))
    return lines


@pytest.mark.parametrize(
    ("tables", "worth"),
    [
        ([], {}),
        ([{**YES, "at": 10}, {**CAUSE, "at": 20}, {**RAISE, "at": 30}], {}),
        ([{**YES, "at": 11}, {**CAUSE, "at": 299}, {**RAISE, "at": 200}], {}),
        ([{**YES, "at": 5, "answer": ["no"]}, {**YES, "at": 290}], {"detect": 0.5}),
        ([{**CAUSE, "at": 5, "answer": ["masters", "nodes"]}], {"explain": 0.5}),
        ([{"do": "kill", "application": "1", "at": 100}], {}),
        ([{"do": "drain", "node": "n1", "at": 1}, {"do": "drain", "node": "n2", "at": 1}], {}),
        ([{"do": "finish", "at": 1}, {**RAISE, "at": 2}], {}),
        ([{**RAISE, "at": 299.9}], {}),
    ],
)
def test_clocks_and_harm_are_worth_what_the_formulas_say(
    yardstick: ScoreBaselines, tables: list[dict[str, Any]], worth: dict[str, float]
) -> None:
    exercise = played(yardstick.stage, steps(*tables))
    score = yardstick.score(exercise)

    assert list(score.lines[:5]) == reckoned(yardstick, exercise, worth)
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
    so_far = ScoreSoFar(DRILL)
    before = so_far.of([])
    with_fault = so_far.of([SICK])
    kept = {line.what: line.points for line in with_fault.lines}["work kept"]
    back = json.dumps({"at": "30s", "do": "backtrack", "from": "70s"})

    assert with_fault.harm.lost_s > before.harm.lost_s
    assert kept == 10.0
    assert so_far.of([SICK, back]) == before
