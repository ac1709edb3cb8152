"""What a program is told: the brief, each reply, each pane, the score."""

import json
from typing import Any

import pytest

from engine.training.bench import random_steps
from engine.training.drill import DrillQuestion
from engine.training.harm import HarmDone
from engine.training.panes import EVENTS, ProgramScreen
from engine.training.protocol import brief_of, converse, score_object, score_of
from engine.training.score import Score, ScoreLine, Yardstick, formulas, played
from engine.training.stage import DrillStage
from engine.training.steps import AnswerStep
from tests.engine.training.small_drill import small_drill

RAISE = {"do": "queue-setting", "queue": "root.default", "key": "maximum-am-resource-percent", "value": "0.9"}


@pytest.fixture(scope="module")
def stage() -> DrillStage:
    """The small drill at its beginning."""
    return DrillStage(small_drill())


def told(screen: ProgramScreen, *tables: dict[str, Any]) -> list[dict[str, Any]]:
    """The replies to steps."""
    return list(converse(screen, [json.dumps(table) for table in tables]))


def test_the_brief_is_all_that_is_known_at_first() -> None:
    """No cause, no answer."""
    drill = small_drill()

    assert brief_of(drill) == {
        "protocol": 2,
        "drill": "",
        "title": "Notebooks",
        "brief": "The third notebook stays ACCEPTED.",
        "task": ["get it started"],
        "begins": "2024-03-04T09:05:00+00:00",
        "lasts_s": 300.0,
        "level": "normal",
        "exam": False,
        "scheduler": "capacity-2.7",
        "hints": 2,
        "questions": [
            {"asks": "fault", "text": "Is anything wrong?", "choices": ["yes", "no"]},
            {"asks": "cause", "text": "What is it?", "choices": ["masters", "nodes", "users"]},
        ],
        "forbidden": [{"name": "kill everything", "reason": "it is their work"}],
        "points": list(formulas(drill.drill)),
    }


def test_a_reply_says_what_came_of_a_step(stage: DrillStage) -> None:
    """With how many were taken, what they cost, and whether it is solved."""
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


def test_nothing_is_answered_after_the_end(stage: DrillStage) -> None:
    """Of the drill's time, too; empty lines are nothing."""
    screen = ProgramScreen(stage)
    lines = ["", '{"do": "advance", "at": "5m"}', '{"do": "hint"}']

    assert [reply["at_s"] for reply in converse(screen, lines)] == [300.0]


def test_a_line_that_is_no_step_is_answered_with_its_problems(stage: DrillStage) -> None:
    """At the present instant; no step is taken."""
    screen = ProgramScreen(stage)
    (first, second) = converse(screen, ['{"do": "advance", "at": 2}', "[]"])

    assert first["steps"] == 1
    assert second == {"ok": False, "at_s": 2.0, "problems": ["is not an object"]}


def test_the_score_is_plain_values(stage: DrillStage) -> None:
    """With that of par, and what the fault was."""
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


def test_panes_say_what_they_show(stage: DrillStage) -> None:
    """Counts of time, settings of the scenario, racks with how many nodes are in which state."""
    screen = ProgramScreen(stage)
    told(screen, {"do": "advance", "at": 6})
    racks, graphs, settings = (screen.pane(name) for name in ("Racks", "graphs", "SETTINGS"))

    assert racks["racks"] == [{"rack": "/default-rack", "nodes": 2, "states": {"RUNNING": 2}}]
    assert graphs["graphs"] == [
        {"at_ms": at_ms, "waiting": 1, "containers": 4, "reserved": 0} for at_ms in (5_000, 6_000)
    ]
    assert settings["settings"] == [
        {"key": "yarn.scheduler.capacity.root.queues", "value": "default"},
        {"key": "yarn.scheduler.capacity.root.default.capacity", "value": "100"},
    ]
    told(screen, {"do": "health", "node": "n1", "healthy": False}, {"do": "advance", "at": 20})
    assert screen.pane("racks")["racks"][0]["states"] == {"UNHEALTHY": 1, "RUNNING": 1}


def test_the_latest_events_are_told_with_ids(stage: DrillStage) -> None:
    """By instant and kind; so many of them."""
    screen = ProgramScreen(stage)
    told(screen, {"do": "kill", "application": "2", "at": 5}, {"do": "advance", "at": 8})
    events = screen.pane("events")["events"]

    assert {"Acted", "Killed"} <= {event["kind"] for event in events}
    killed = next(event for event in events if event["kind"] == "Killed")
    assert killed["container"].startswith("container_1709542800000_0002_01_")
    assert all(event["time_ms"] >= stage.drill.begins_ms for event in events)
    assert EVENTS == 200


def test_alerts_stand_that_stand_now(stage: DrillStage) -> None:
    """As the screens have them."""
    screen = ProgramScreen(stage)
    told(screen, {"do": "advance", "at": 120})

    assert [alert["kind"] for alert in screen.pane("alerts")["alerts"]] == [
        alert["kind"] for alert in screen.pane("Alerts")["alerts"]
    ]


def test_why_is_told_with_sizes_by_name(stage: DrillStage) -> None:
    """Remedies only where they are asked for."""
    screen = ProgramScreen(stage)
    (plain,) = told(screen, {"do": "why", "application": "3"})

    assert plain["why"]["verdict"]
    assert plain["why"]["application"]["asks"][0]["size"] == {"memory_mb": 1024, "vcores": 1}
    assert plain["why"]["would_help"] is None
    assert plain["cost"] == 2


def test_chance_answers_every_question_and_does_three_things(stage: DrillStage) -> None:
    """The same for the same drill, within its time."""
    steps = random_steps(stage)

    assert steps == random_steps(stage)
    assert [step.do for step in steps] == ["answer", "answer", "kill", "drain", "preemption"]
    assert all(0 <= step.at_ms < 300_000 for step in steps)
    answers = [step for step in steps if isinstance(step, AnswerStep)]
    assert [answer.question for answer in answers] == ["fault", "cause"]
    assert answers[0].answer[0] in {"yes", "no"}
    assert answers[1].answer[0] in {"masters", "nodes", "users"}


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
    """Of each kind."""
    drill = small_drill()
    found = set()
    for number in range(12):
        question = DrillQuestion(asks=asks, text="?", answers=("x",))
        changed = drill.drill.model_copy(update={"questions": (question,)})
        steps = random_steps(DrillStage(drill.model_copy(update={"drill": changed, "name": str(number)})))
        found |= {step.answer[0] for step in steps if isinstance(step, AnswerStep) and step.question == asks}

    assert found <= names
    assert len(found) > len(names) / 2


def test_played_steps_are_those_of_the_reference(stage: DrillStage) -> None:
    """Par is the same exercise."""
    assert played(stage, stage.drill.drill.reference).log == Yardstick(stage).par.log
