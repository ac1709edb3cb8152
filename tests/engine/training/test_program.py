"""What a program is told: the brief, each reply, each pane, the score."""

import json
from typing import Any

import pytest

from engine.training.bench import random_steps
from engine.training.drill import DrillQuestion
from engine.training.harm import HarmDone
from engine.training.panes import ProgramScreen
from engine.training.protocol import converse, score_object, score_of
from engine.training.score import Score, ScoreLine, Yardstick
from engine.training.stage import DrillStage
from engine.training.steps import AnswerStep
from tests.engine.training.small_drill import small_drill

RAISE = {"do": "queue-setting", "queue": "root.default", "key": "maximum-am-resource-percent", "value": "0.9"}


@pytest.fixture(scope="module")
def stage() -> DrillStage:
    return DrillStage(small_drill())


def told(screen: ProgramScreen, *tables: dict[str, Any]) -> list[dict[str, Any]]:
    return list(converse(screen, [json.dumps(table) for table in tables]))


def test_a_reply_says_what_came_of_a_step(stage: DrillStage) -> None:
    screen = ProgramScreen(stage)
    tables: list[dict[str, Any]] = [
        {"do": "hint", "at": 1},
        {"do": "hint", "at": "1500ms"},
        {"do": "hint", "at": 2},
        {**RAISE, "at": 3},
        {"do": "advance", "at": "1m"},
        {"do": "finish"},
    ]

    assert told(screen, *tables) == [
        {"ok": True, "at_s": 1.0, "do": "hint", "steps": 1, "cost": 5, "text": "Look at `Queues`.", "solved": False},
        {
            "ok": True,
            "at_s": 1.5,
            "do": "hint",
            "steps": 2,
            "cost": 20,
            "text": "Raise maximum-am-resource-percent of `root.default`.",
            "solved": False,
        },
        {
            "ok": False,
            "at_s": 2.0,
            "do": "hint",
            "steps": 3,
            "cost": 20,
            "problems": [screen.exercise.log[2].refused],
        },
        {"ok": True, "at_s": 3.0, "do": "queue-setting", "steps": 4, "cost": 20, "solved": False},
        {"ok": True, "at_s": 60.0, "do": "advance", "steps": 5, "cost": 20, "solved": True},
        {"ok": True, "at_s": 60.0, "do": "finish", "steps": 6, "cost": 20, "over": True, "solved": True},
    ]


def test_the_score_is_plain_values(stage: DrillStage) -> None:
    yardstick = Yardstick(stage)
    found = score_of(yardstick.idle, yardstick)
    score = Score(5, (ScoreLine("x", "y", 1.5, 2),), HarmDone(lost_s=2.5, killed=1), 3, {"a": 1_500, "b": None})

    assert score_object(score) == {
        "solved": True,
        "score": 2,
        "clocks_s": {"a": 1.5, "b": None},
        "lines": [{"what": "x", "measured": "y", "points": 1.5, "of": 2}],
        "harm": {"lost_s": 2.5, "waiting_s": 0.0, "preempted_s": 0.0, "killed": 1, "nodes_lost": 0},
        "steps": 3,
    }
    assert (found["drill"], found["solved"], found["par"]) == ("", False, 100)
    assert found["debrief"] == "A tenth of the queue is room for two masters."


@pytest.mark.parametrize(
    ("asks", "names"),
    [
        ("application", {f"application_1709542800000_{number:04d}" for number in (1, 2, 3)}),
        ("node", {"n1:8041", "n2:8041"}),
        ("queue", {"root", "root.default"}),
        ("setting", {"maxResources"}),
    ],
)
def test_chance_names_what_there_is(asks: Any, names: set[str]) -> None:
    drill = small_drill()
    found = set()
    for number in range(12):
        question = DrillQuestion(asks=asks, text="?", answers=("x",))
        changed = drill.drill.model_copy(update={"questions": (question,)})
        steps = random_steps(DrillStage(drill.model_copy(update={"drill": changed, "name": str(number)})))
        found |= {step.answer[0] for step in steps if isinstance(step, AnswerStep) and step.question == asks}

    assert found <= names
    assert len(found) > len(names) / 2
