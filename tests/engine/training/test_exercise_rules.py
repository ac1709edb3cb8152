"""An exercise, step by step: counts of time, clues, refusals, shortcuts, goals, and when it is solved."""

import json
from typing import Any

import pytest

from engine.training.exercise import DrillStage, Exercise, TakenStep
from engine.training.protocol import begins_at
from engine.training.steps import RecordedStep, read_record
from tests.engine.training.small_drill import small_drill

GOALS = 'goals = [{about = "all run", of = "applications", state = "RUNNING", what = "count", at_least = 3}]'
RAISE = {"do": "queue-setting", "queue": "root.default", "key": "maximum-am-resource-percent", "value": "0.9"}
YES = {"do": "answer", "question": "fault", "answer": ["yes"]}


def steps(*tables: dict[str, Any]) -> tuple[RecordedStep, ...]:
    return read_record([json.dumps(table) for table in tables], begins_at(small_drill()))


def taken(stage: DrillStage, *tables: dict[str, Any]) -> Exercise:
    exercise = Exercise(stage)
    for step in steps(*tables):
        exercise.take(step)
    return exercise


@pytest.fixture(scope="module")
def stage() -> DrillStage:
    return DrillStage(small_drill())


@pytest.mark.parametrize(
    ("at_ms", "step", "refused"),
    [
        (0, {"do": "answer", "question": "node", "answer": ["n"]}, "UnknownQuestion|no question about the node"),
        (0, {"do": "why", "application": "77"}, "no single application is meant by 77"),
        (0, {"do": "why", "application": "notebook"}, "no single application is meant by notebook"),
        (300_000, {"do": "hint"}, "the drill is over"),
        (299_999, {"do": "hint"}, ""),
    ],
)
def test_what_cannot_be_done_is_refused(stage: DrillStage, at_ms: int, step: dict[str, Any], refused: str) -> None:
    (done,) = taken(stage, {**step, "at": f"{at_ms}ms"}).log

    assert bool(done.refused) == bool(refused)
    assert any(words in done.refused for words in refused.split("|"))
    assert (done.at_ms, done.is_act, done.is_instructors) == (at_ms, False, False)


@pytest.mark.parametrize(
    ("answers", "worth"),
    [
        ([["masters"]], 1.0),
        ([["nodes"], ["masters"]], 0.5),
        ([["nodes"], ["users"], ["masters"]], 0.25),
        ([["masters"], ["nodes"]], 0),
        ([["masters", "nodes"]], 0.5),
    ],
)
def test_the_last_answer_counts_and_each_before_halves_it(
    stage: DrillStage, answers: list[list[str]], worth: float
) -> None:
    tables = [{"do": "answer", "question": "cause", "answer": answer, "at": 3} for answer in answers]
    exercise = taken(stage, YES, *tables)

    assert (exercise.answers["cause"].worth, exercise.answers["cause"].at_ms) == (worth, 3_000)
    assert exercise.answers["cause"].answer == tuple(answers[-1])
    assert (exercise.log[-1].said, exercise.answers["fault"].worth) == ("noted", 1)


@pytest.mark.parametrize(
    ("rule", "tables", "used"),
    [
        ('do = ["kill"]', [{"do": "kill", "application": "2", "at": 4}], {"kill everything": 4_000}),
        ('do = ["drain"]', [{"do": "kill", "application": "2", "at": 4}], {}),
        ('do = ["*"]', [{**RAISE, "at": 4}], {"kill everything": 4_000}),
        ('do = ["*"]', [{**YES, "at": 4}, {"do": "hint"}], {}),
        ('do = ["kill"]\nat_most = 1', [{"do": "kill", "application": "2", "at": 4}], {}),
        (
            'do = ["kill"]\nat_most = 1',
            [{"do": "kill", "application": "2", "at": 4}, {"do": "kill", "application": "3", "at": 9}],
            {"kill everything": 9_000},
        ),
        ('do = ["kill"]\napplications = ["3"]', [{"do": "kill", "application": "2", "at": 4}], {}),
        (
            'do = ["kill"]\napplications = ["3"]',
            [{"do": "kill", "application": "3", "at": 4}, {"do": "hint", "at": 9}],
            {"kill everything": 4_000},
        ),
        ('do = ["kill"]', [{"do": "inject", "act": {"do": "kill", "application": "2"}, "at": 4}], {}),
    ],
)
def test_a_shortcut_is_used_where_more_is_done_than_allowed(
    rule: str, tables: list[dict[str, Any]], used: dict[str, int]
) -> None:
    """By the trainee, of those kinds, on those applications; when it was first so."""
    exercise = taken(DrillStage(small_drill('do = ["kill"]', rule)), *tables)

    assert exercise.used == used


@pytest.mark.parametrize(
    ("goals", "tables", "solved_ms"),
    [
        (GOALS, [], None),
        ("", [YES], None),
        ("", [{"do": "answer", "question": "cause", "answer": ["masters"], "at": 7}], 7_000),
        ("", [{"do": "answer", "question": "cause", "answer": ["masters", "nodes"], "at": 7}], 7_000),
        ("", [{"do": "answer", "question": "cause", "answer": ["nodes"], "at": 7}], None),
        (
            'goals = [{of = "cluster", what = "nodes", at_least = 2, until = 60}]',
            [{"do": "answer", "question": "cause", "answer": ["masters"], "at": 7}, {**RAISE, "at": 9}],
            9_000,
        ),
        (
            'goals = [{of = "cluster", what = "nodes", at_least = 3, until = 60}]',
            [{"do": "answer", "question": "cause", "answer": ["masters"], "at": 7}],
            None,
        ),
    ],
)
def test_it_is_solved_when_the_last_of_all_is_right(
    goals: str, tables: list[dict[str, Any]], solved_ms: int | None
) -> None:
    """Every goal and every answer that must be; a limit that is kept counts from the last act."""
    must = "" if goals == GOALS else "must = true, "
    drill = small_drill(f"{GOALS}\nquestions = [{{", f"{goals}\nquestions = [{{{must}")
    exercise = taken(DrillStage(drill), *tables)
    exercise.complete()

    assert exercise.solved_ms() == solved_ms


@pytest.mark.parametrize(
    ("step", "refused", "is_act", "is_instructors"),
    [
        (RAISE, "", True, False),
        (RAISE, "no", False, False),
        (YES, "", False, False),
        ({"do": "kill-everything"}, "", True, False),
        ({"do": "note", "words": "x"}, "", False, True),
    ],
)
def test_a_step_is_an_act_where_it_changed_the_cluster(
    step: dict[str, Any], refused: str, *, is_act: bool, is_instructors: bool
) -> None:
    done = TakenStep(0, steps(step)[0], refused)

    assert (done.is_act, done.is_instructors) == (is_act, is_instructors)
